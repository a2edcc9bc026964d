//! Every SIMD level, layout, order and form of output against the scalar reference.

use crate::{
    conditions,
    kernel_run::{RunForm, methods_with_kernels, run},
    subjects::{self, PosedMesh},
};
use sinew::{
    Character, Frame, Influence, Mesh, MeshParts, Method, Primitive, Streams, Topology, Weights, Wrap,
    deform::blocks::{BlockLayout, PackedSkin, VertexOrder},
    glam::{Affine3A, Quat, Vec3, Vec4},
    simd,
};
use std::{path::Path, sync::Arc};

/// The tolerance of positions relative to the extent of input and output.
const TOLERANCE: f32 = 1e-5;

/// Vertex counts around the width of a block, and enough of them for several spans.
const COUNTS: [usize; 10] = [0, 1, 15, 16, 17, 31, 33, 64, 300, 1500];

/// A deterministic pseudorandom generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    /// A pseudorandom number from −1 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    fn direction(&mut self) -> Vec3 {
        self.vector().try_normalize().unwrap_or(Vec3::Y)
    }
}

/// A mesh of random vertices with up to `most` influences each, from a window of `window` joints that moves along the mesh.
pub(crate) fn random_mesh(count: usize, joints: usize, most: usize, window: usize, seed: u64) -> Mesh {
    let mut dice = Dice::new(seed);
    let influences: Vec<Vec<Influence>> = (0..count)
        .map(|v| {
            let first = v * joints.saturating_sub(window) / count.max(1);
            let mut influence =
                |_| Influence { slot: (first + dice.below(window)) as u16, weight: 0.05 + dice.unit().abs() };
            (0..1 + v % most).map(&mut influence).collect()
        })
        .collect();
    let weights = Arc::new(Weights::new(joints, influences).expect("slots are in range").0);
    let vertices = 0..count as u32;
    let mut positions = Vec::new();
    let mut normals = Vec::new();
    let mut tangents = Vec::new();
    for v in 0..count {
        positions.push(dice.vector());
        normals.push(dice.direction());
        tangents.push(dice.direction().extend(if v % 3 == 0 { -1.0 } else { 1.0 }));
    }
    let primitive = Primitive {
        vertices: vertices.clone(),
        indices: vertices.clone(),
        topology: Topology::Points,
        material: None,
    };
    let parts =
        MeshParts { positions, normals, tangents, indices: vertices.collect(), ..MeshParts::default() };
    let streams = Streams {
        positions: parts.positions.clone(),
        normals: parts.normals.clone(),
        tangents: parts.tangents.clone(),
    };
    let precomputed = subjects::precomputed(&streams, &weights);
    Mesh::new(MeshParts { primitives: vec![primitive], weights: Some(weights), ..parts })
        .and_then(|mesh| mesh.with_precomputed(precomputed))
        .expect("streams are of one length")
}

/// The transforms of the joints in a test.
#[derive(Clone, Copy, Debug)]
enum TestMotion {
    /// Rotations by up to a radian around a common one.
    Rigid,
    /// The same with a uniform scale that differs between joints.
    Uniform,
    /// The same with a scale that differs between axes.
    Uneven,
    /// The same with one axis mirrored.
    Mirrored,
    /// Arbitrary rotations: quaternions are in different hemispheres, and blends are nearly singular.
    Wild,
    /// A scale so small that squares of cofactors underflow.
    Tiny,
}

const MOTIONS: [TestMotion; 6] = [
    TestMotion::Rigid,
    TestMotion::Uniform,
    TestMotion::Uneven,
    TestMotion::Mirrored,
    TestMotion::Wild,
    TestMotion::Tiny,
];

fn pose(motion: TestMotion, joints: usize, seed: u64) -> PosedMesh {
    let mut dice = Dice::new(seed);
    let common = Quat::from_axis_angle(dice.direction(), 2.0 * dice.unit());
    let matrices: Vec<Affine3A> = (0..joints)
        .map(|_| {
            let reach = if matches!(motion, TestMotion::Wild) { 3.1 } else { 0.5 };
            let rotation = Quat::from_axis_angle(dice.direction(), reach * dice.unit()) * common;
            let scale = match motion {
                TestMotion::Rigid | TestMotion::Wild => Vec3::ONE,
                TestMotion::Uniform => Vec3::splat(1.0 + 0.4 * dice.unit()),
                TestMotion::Uneven => Vec3::ONE + 0.4 * dice.vector(),
                TestMotion::Mirrored => (Vec3::ONE + 0.4 * dice.vector()) * Vec3::new(-1.0, 1.0, 1.0),
                TestMotion::Tiny => Vec3::splat(1e-11),
            };
            Affine3A::from_scale_rotation_translation(scale, rotation, dice.vector())
        })
        .collect();
    let pivots: Vec<Vec3> = (0..joints).map(|_| dice.vector()).collect();
    PosedMesh::about(&matrices, &pivots)
}

/// Asserts that `got` equals `want` within tolerance.
fn check(what: &str, method: Method, mesh: &Mesh, posed: &PosedMesh, got: &Streams, want: &Streams) {
    let sizes = want.positions.iter().chain(mesh.positions()).map(|p| p.length());
    let extent = sizes.fold(1e-3, f32::max);
    let conditions = conditions::of_vertices(method, mesh, posed);
    for (v, condition) in conditions.into_iter().enumerate() {
        let off = got.positions[v].distance(want.positions[v]);
        let grown = if method == Method::Linear { 1.0 } else { condition };
        assert!(off <= TOLERANCE * extent * grown, "{what}: position of {v} is off by {off}");
        if condition > 1e3 {
            continue;
        }
        if let Some(normal) = got.normals.get(v) {
            let off = normal.distance(want.normals[v]);
            assert!(
                off <= TOLERANCE * condition,
                "{what}: normal of {v} is off by {off}, condition {condition}"
            );
        }
        if let Some(tangent) = got.tangents.get(v) {
            let off = tangent.truncate().distance(want.tangents[v].truncate());
            assert!(off <= TOLERANCE * condition, "{what}: tangent of {v} is off by {off}");
            assert_eq!(tangent.w, want.tangents[v].w, "{what}: handedness of {v}");
        }
    }
}

fn reference(method: Method, mesh: &Mesh, posed: &PosedMesh) -> Streams {
    let mut want = Streams::of_mesh(mesh);
    let weights = mesh.weights().expect("the mesh is skinned");
    posed
        .deform(method, mesh.into(), weights, mesh.precomputed(), want.as_surface_mut())
        .expect("everything fits");
    want
}

/// Runs every level, order, layout and form over one mesh in one pose.
fn check_everything(name: &str, mesh: &Mesh, posed: &PosedMesh) {
    let skins = [
        (VertexOrder::Packed, BlockLayout::Auto),
        (VertexOrder::File, BlockLayout::Auto),
        (VertexOrder::Packed, BlockLayout::Shared),
        (VertexOrder::File, BlockLayout::Single),
    ]
    .map(|(order, layout)| PackedSkin::with_layout(mesh, order, layout).expect("the mesh is skinned"));
    for method in methods_with_kernels() {
        let want = reference(method, mesh, posed);
        for level in simd::available() {
            for skin in &skins {
                for form in RunForm::ALL {
                    let got = run(skin, mesh, level, method, posed, form);
                    let (level, order, layout) = (level.name(), skin.order(), skin.stats().layout());
                    let what = format!("{name}, {method}, {level}, {order:?}, {layout:?}, {form:?}");
                    check(&what, method, mesh, posed, &got, &want);
                }
            }
        }
    }
}

#[test]
fn every_level_agrees_with_the_reference_on_random_meshes() {
    for (nth, motion) in MOTIONS.into_iter().enumerate() {
        for count in COUNTS {
            let mesh = random_mesh(count, 20, 9, 5, count as u64 + 7);
            let posed = pose(motion, 20, nth as u64 + 3);
            check_everything(&format!("{count} vertices, {motion:?}"), &mesh, &posed);
        }
    }
}

#[test]
fn every_level_agrees_with_the_reference_on_random_joint_assignments() {
    for most in [1, 4, 9] {
        let mesh = random_mesh(333, 60, most, 60, most as u64);
        check_everything(
            &format!("random joints, {most} influences"),
            &mesh,
            &pose(TestMotion::Rigid, 60, 11),
        );
    }
}

#[test]
fn directions_that_are_missing_stay_zero() {
    let mut parts = random_mesh(100, 8, 4, 4, 5).into_parts();
    parts.normals[3] = Vec3::ZERO;
    parts.normals[40] = Vec3::ZERO;
    parts.tangents[41] = Vec4::W;
    let mesh = Mesh::new(parts).expect("zero directions are allowed");
    for motion in [TestMotion::Rigid, TestMotion::Uneven, TestMotion::Tiny] {
        check_everything(&format!("missing directions, {motion:?}"), &mesh, &pose(motion, 8, 2));
    }
}

fn check_character(name: &str, character: &Character) {
    let character = subjects::prepared(character);
    let mut frame = Frame::new(&character);
    for time_secs in [0.0, 0.37, 1.9] {
        if let Some(clip) = character.clips().first() {
            frame.sample(clip, time_secs, Wrap::Loop);
        }
        frame.update();
        for instance in character.instances() {
            let (mesh, Some(skin)) = (character.mesh_of(instance), instance.skin) else { continue };
            let mut posed = PosedMesh::new(frame.palettes()[skin].matrices());
            posed.dual_quats = sinew::DualQuatPalette::new(&character.skins()[skin]);
            posed.dual_quats.update(&character.skins()[skin], &posed.palette);
            check_everything(&format!("{name} at {time_secs} s"), mesh, &posed);
        }
    }
}

#[test]
fn every_level_agrees_with_the_reference_on_the_builtins() {
    for name in sinew_samples::NAMES {
        check_character(name, &sinew_samples::find(name).expect("every listed name is built in"));
    }
}

#[test]
fn every_level_agrees_with_the_reference_on_real_characters() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.exists() {
        println!("skipped: no corpus beside the workspace");
        return;
    }
    for name in ["human_53.glb", "human_163.glb", "KayKit_Knight.glb", "Fox.glb"] {
        let import = sinew_formats::read_file(corpus.join(name)).expect("the corpus reads");
        check_character(name, &import.character);
    }
}

#[test]
fn the_levels_of_this_machine_are_all_tested() {
    let names: Vec<&str> = simd::available().map(simd::Level::name).collect();
    println!("SIMD levels tested here: {}", names.join(", "));
    assert!(names.contains(&"scalar"));
    #[cfg(target_arch = "x86_64")]
    {
        let has = |feature: bool, name: &str| assert!(!feature || names.contains(&name), "{name} is missing");
        has(std::arch::is_x86_feature_detected!("sse4.2"), "sse4.2");
        has(
            std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma"),
            "avx2",
        );
        has(std::arch::is_x86_feature_detected!("avx512vbmi2"), "avx512");
    }
    #[cfg(target_arch = "aarch64")]
    assert!(names.contains(&"neon"));
    if std::env::var_os("CI").is_some() {
        assert!(names.len() > 1, "a CI machine without SIMD proves nothing");
    }
}
