//! Copies of a vertex, split for a seam in texture coordinates or normals, stay together in every pose.

use crate::corpus_folder::corpus;
use sinew::{
    Character, Frame, Mesh, Method, Streams, Wrap,
    deform::{
        blocks::{PackedSkin, VertexOrder},
        kernel::{PoseScratch, SkinningPalette},
    },
    simd::{self, Level},
};
use sinew_formats::read_file;
use std::{collections::BTreeMap, fs};

/// Pairs of a vertex and a later copy of it with the same influences.
fn copies(mesh: &Mesh) -> Vec<[usize; 2]> {
    let Some(weights) = mesh.weights() else { return Vec::new() };
    let mut first: BTreeMap<(u32, Vec<(u16, u32)>), usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for vertex in 0..mesh.vertex_count() {
        let (slots, amounts) = weights.of(vertex);
        let mut influences: Vec<(u16, u32)> =
            slots.iter().zip(amounts).map(|(&slot, amount)| (slot, amount.to_bits())).collect();
        influences.sort_unstable();
        let point = mesh.points().of_vertex()[vertex];
        let original = *first.entry((point, influences)).or_insert(vertex);
        if original != vertex {
            pairs.push([original, vertex]);
        }
    }
    pairs
}

/// How many copies are not where their original is, and how many normals that are equal at rest differ.
fn torn(mesh: &Mesh, pairs: &[[usize; 2]], out: &Streams) -> [usize; 2] {
    let bits = |v: sinew::glam::Vec3| (v + 0.0).to_array().map(f32::to_bits);
    let differs = |list: &[sinew::glam::Vec3], [a, b]: [usize; 2]| bits(list[a]) != bits(list[b]);
    let open = pairs.iter().filter(|&&pair| differs(&out.positions, pair)).count();
    let normals = mesh.normals();
    if normals.is_empty() {
        return [open, 0];
    }
    let bent = pairs.iter().filter(|&&pair| !differs(normals, pair) && differs(&out.normals, pair));
    [open, bent.count()]
}

/// The result of one kernel call in the vertex order of the mesh.
fn run(mesh: &Mesh, skin: &PackedSkin, level: Level, palette: SkinningPalette<'_>) -> Streams {
    let count = skin.output_count();
    let mut packed = Streams::of_mesh(mesh);
    packed.positions.resize(count, Default::default());
    if !packed.normals.is_empty() {
        packed.normals.resize(count, Default::default());
    }
    if !packed.tangents.is_empty() {
        packed.tangents.resize(count, Default::default());
    }
    skin.deform(level, palette, &mut PoseScratch::default(), packed.as_surface_mut().into()).unwrap();
    let places = skin.output_of_vertex();
    let mut out = Streams::of_mesh(mesh);
    for (vertex, &place) in places.iter().enumerate() {
        out.positions[vertex] = packed.positions[place as usize];
        if !out.normals.is_empty() {
            out.normals[vertex] = packed.normals[place as usize];
        }
    }
    out
}

fn check(character: &Character, label: &str, report: &mut BTreeMap<String, [usize; 5]>) {
    let mut frame = Frame::new(character);
    if let Some(clip) = character.clips().first() {
        frame.sample(clip, clip.duration_secs() * 0.37, Wrap::Clamp);
    }
    frame.update_palettes(Method::DualQuat);
    for instance in character.instances() {
        let mesh = character.mesh_of(instance);
        let (Some(skin), pairs) = (instance.skin, copies(mesh)) else { continue };
        if pairs.is_empty() {
            continue;
        }
        for order in [VertexOrder::Packed, VertexOrder::File] {
            let packed = PackedSkin::new(mesh, order).unwrap();
            for level in simd::available() {
                let palettes = [
                    ("rigid", SkinningPalette::Rigid(&frame.palettes()[skin])),
                    ("linear", SkinningPalette::Linear(&frame.palettes()[skin])),
                    ("slerp", SkinningPalette::Slerp(&frame.palettes()[skin], &frame.dual_quats()[skin])),
                    ("dual-quat", SkinningPalette::DualQuat(&frame.dual_quats()[skin])),
                ];
                for (method, palette) in palettes {
                    let [open, bent] = torn(mesh, &pairs, &run(mesh, &packed, level, palette));
                    // In file order, equal normals in different blocks may differ by rounding.
                    let bent = if order == VertexOrder::Packed { bent } else { 0 };
                    let key = format!("{label:<28}{method:<10}{order:?} {}", level.name());
                    let copied = packed.stats().copied_positions;
                    let more = [mesh.vertex_count(), pairs.len(), copied, open, bent];
                    let sums = report.entry(key).or_default();
                    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                }
            }
        }
    }
}

#[test]
fn copies_of_a_vertex_land_on_the_same_bits_in_every_kernel() {
    let mut report = BTreeMap::new();
    check(&sinew_samples::figure(), "figure", &mut report);
    for folder in corpus().iter().flat_map(|corpus| [corpus.clone(), corpus.join("characters")]) {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "glb" || e == "gltf")) {
            let Ok(import) = read_file(path) else { continue };
            check(&import.character, &path.file_stem().unwrap().to_string_lossy(), &mut report);
        }
    }
    for (key, [vertices, copies, copied, open, bent]) in &report {
        println!("{key:<60} {vertices:>8} {copies:>7} {copied:>6} {open:>6} {bent:>6}");
    }
    let torn: Vec<_> = report.iter().filter(|(_, r)| r[3] + r[4] > 0).collect();
    assert!(torn.is_empty(), "{torn:?}");
}
