//! Copies of a vertex, split for a seam in texture coordinates or normals, stay together in every pose.

use crate::corpus_folder::corpus;
use sinew::{
    CentersOfRotation, Character, Frame, Mesh, Method, Precomputed, Streams, Wrap,
    deform::{
        Binding, DeformScratch,
        blocks::{PackedSkin, VertexOrder},
        kernel::{PoseScratch, SkinningPalette},
        reference,
    },
    glam::{Quat, Vec3},
    simd::{self, Level},
};
use sinew_formats::read_file;
use std::{collections::BTreeMap, fs, sync::Arc};

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
    let bits = |v: Vec3| (v + 0.0).to_array().map(f32::to_bits);
    let differs = |list: &[Vec3], [a, b]: [usize; 2]| bits(list[a]) != bits(list[b]);
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

/// The methods whose precomputed data, if they read any, is one value per vertex. The tests of `sinew-author` hold the others,
/// whose data it makes, to the same.
fn methods_by_vertex(mesh: &Mesh) -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|method| method.has_kernel() && method.is_ready(mesh.precomputed()))
}

/// `mesh` with a center of rotation for each of its points: somewhere near, and the same for all copies.
fn with_centers(mesh: &Mesh) -> Mesh {
    let size = mesh.positions().iter().map(|p| p.length()).fold(0.0, f32::max);
    let near = |(position, &point): (&Vec3, &u32)| {
        let wave = |k: u32| ((point * 37 + k * 101) as f32).sin();
        // Zeros of either sign are one point.
        (*position + 0.0) * 0.9 + Vec3::new(wave(0), wave(1), wave(2)) * 0.05 * size
    };
    let centers = mesh.positions().iter().zip(mesh.points().of_vertex()).map(near).collect();
    let centers = Some(Arc::new(CentersOfRotation::new(centers).unwrap()));
    mesh.clone().with_precomputed(Precomputed { centers, ..mesh.precomputed().clone() }).unwrap()
}

/// A pose of the first clip, in which every joint is turned by up to 30° more.
fn bent(frame: &mut Frame, character: &Character) {
    if let Some(clip) = character.clips().first() {
        frame.sample(clip, clip.duration_secs() * 0.37, Wrap::Clamp);
    }
    for (joint, local) in frame.local_mut().joints.iter_mut().enumerate() {
        let wave = |k: usize| ((joint * 13 + k * 29) as f32).sin() * 0.3;
        local.rotation *= Quat::from_scaled_axis(Vec3::new(wave(0), wave(1), wave(2)));
    }
    frame.update_palettes(Method::DualQuat);
}

/// Copies that are torn, by where they were deformed.
#[derive(Default)]
struct TornCopies(BTreeMap<String, [usize; 5]>);

impl TornCopies {
    fn count(&mut self, key: String, mesh: &Mesh, pairs: &[[usize; 2]], copied: usize, out: &Streams) {
        let [open, bent] = torn(mesh, pairs, out);
        let sums = self.0.entry(key).or_default();
        let more = [mesh.vertex_count(), pairs.len(), copied, open, bent];
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
}

fn check(character: &Character, label: &str, report: &mut TornCopies) {
    let mut frame = Frame::new(character);
    bent(&mut frame, character);
    for instance in character.instances() {
        let mesh = with_centers(character.mesh_of(instance));
        let (Some(skin), pairs) = (instance.skin, copies(&mesh)) else { continue };
        if pairs.is_empty() {
            continue;
        }
        let (palette, dual_quats) = (&frame.palettes()[skin], &frame.dual_quats()[skin]);
        for method in methods_by_vertex(&mesh) {
            let Some(weights) = mesh.weights() else { continue };
            let binding = Binding::new(weights, palette)
                .with_dual_quats(dual_quats)
                .with_precomputed(mesh.precomputed());
            let mut out = Streams::of_mesh(&mesh);
            let surface = (&mesh).into();
            reference::deform(method, surface, &binding, &mut DeformScratch::default(), out.as_surface_mut())
                .unwrap();
            report.count(format!("{label:<28}{:<10}reference", method.name()), &mesh, &pairs, 0, &out);
        }
        for order in [VertexOrder::Packed, VertexOrder::File] {
            let packed = PackedSkin::new(&mesh, order).unwrap();
            for (level, method) in
                simd::available().flat_map(|level| methods_by_vertex(&mesh).map(move |m| (level, m)))
            {
                let pose = SkinningPalette::for_method(method, palette, dual_quats).unwrap();
                let mut out = run(&mesh, &packed, level, pose);
                if order == VertexOrder::File {
                    // In file order, equal normals in different blocks may differ by rounding.
                    out.normals.clone_from_slice(mesh.normals());
                }
                let key = format!("{label:<28}{:<10}{order:?} {}", method.name(), level.name());
                report.count(key, &mesh, &pairs, packed.stats().copied_positions, &out);
            }
        }
    }
}

#[test]
fn copies_of_a_vertex_land_on_the_same_bits_in_every_kernel() {
    let mut report = TornCopies::default();
    check(&sinew_samples::figure(), "figure", &mut report);
    for folder in corpus().iter().flat_map(|corpus| [corpus.clone(), corpus.join("characters")]) {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "glb" || e == "gltf")) {
            let Ok(import) = read_file(path) else { continue };
            check(&import.character, &path.file_stem().unwrap().to_string_lossy(), &mut report);
        }
    }
    for (key, [vertices, copies, copied, open, bent]) in &report.0 {
        println!("{key:<60} {vertices:>8} {copies:>7} {copied:>6} {open:>6} {bent:>6}");
    }
    let torn: Vec<_> = report.0.iter().filter(|(_, r)| r[3] + r[4] > 0).collect();
    assert!(torn.is_empty(), "{torn:?}");
}
