//! Vertex caches, solved for joints and weights.

use crate::{random::Random, subject::Verdict, target};
use sinew_author::{
    decompose::{
        DecomposeOptions, MeshSequence, SolveSequenceOptions, SolvedSkeleton, character_from_sequence,
    },
    uninterrupted,
};
use sinew_formats::vertex_cache::read_obj;

/// The vertices that are solved at most: the time is proportional.
const MAX_VERTICES: usize = 2_000;

/// Reads an OBJ file and solves a sequence of it in which it is squeezed.
pub fn obj(bytes: &[u8], random: &mut Random) -> Verdict {
    let verdict = target::obj(bytes);
    let Ok(mesh) = read_obj(bytes) else { return verdict };
    let Ok(topology) = mesh.to_character("case") else { return verdict };
    let rest = mesh.vertices();
    if !random.one_in(4) || rest.len() > MAX_VERTICES {
        return verdict;
    }
    let squeezed = rest.iter().map(|p| p.with_y(p.y * 0.5)).collect();
    let Ok(sequence) = MeshSequence::new(rest, vec![squeezed], mesh.triangles) else { return verdict };
    let options = SolveSequenceOptions {
        decompose: DecomposeOptions { bones: 4, rounds: 3, ..DecomposeOptions::default() },
        skeleton: if random.one_in(2) { SolvedSkeleton::Tree } else { SolvedSkeleton::Flat },
        ..SolveSequenceOptions::default()
    };
    _ = character_from_sequence(&topology, &sequence, &options, &mut uninterrupted);
    verdict
}
