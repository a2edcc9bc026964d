//! Blending poses of 67 joints: `cargo bench -p sinew --bench blend`.

use divan::{Bencher, black_box};
use sinew::{
    LocalPose, Transform,
    blend::{Mask, PoseLayer, add, blend_at},
    glam::{EulerRot, Quat, Vec3},
    simd,
};

const JOINTS: u8 = 67;

fn main() {
    divan::main();
}

fn levels() -> impl Iterator<Item = &'static str> {
    simd::available().map(simd::Level::name)
}

fn pose(seed: f32) -> LocalPose {
    let wild = |k: u8, n: f32| (seed * 12.9 + f32::from(k) * 7.3 + n * 3.1).sin();
    let joint = |k: u8| Transform {
        translation: Vec3::new(wild(k, 0.0), wild(k, 1.0), wild(k, 2.0)),
        rotation: Quat::from_euler(EulerRot::XYZ, wild(k, 3.0), wild(k, 4.0), wild(k, 5.0)),
        scale: Vec3::ONE,
    };
    LocalPose { joints: (0..JOINTS).map(joint).collect(), morphs: vec![] }
}

fn weighed(bencher: Bencher<'_, '_>, level: &str, weights: &[f32], mask: Option<&Mask>) {
    let Some(level) = simd::find(level) else { return };
    let poses: Vec<LocalPose> = (0..weights.len()).map(|k| pose(k as f32)).collect();
    let layers: Vec<PoseLayer<'_>> =
        poses.iter().zip(weights).map(|(pose, &weight)| PoseLayer { pose, weight, mask }).collect();
    let (rest, mut out) = (pose(9.0), pose(9.0));
    bencher.bench_local(move || blend_at(level, black_box(&layers), &rest, black_box(&mut out)));
}

/// Measures the case `blend/two/-/67_joints/LEVEL`.
#[divan::bench(args = levels())]
fn two(bencher: Bencher<'_, '_>, level: &str) {
    weighed(bencher, level, &[0.6, 0.4], None);
}

/// Measures the case `blend/four/-/67_joints/LEVEL`.
#[divan::bench(args = levels())]
fn four(bencher: Bencher<'_, '_>, level: &str) {
    weighed(bencher, level, &[0.4, 0.3, 0.2, 0.1], None);
}

/// Measures the case `blend/two/masked/67_joints/scalar`.
#[divan::bench]
fn two_masked(bencher: Bencher<'_, '_>) {
    weighed(bencher, "scalar", &[0.6, 0.4], Some(&Mask::all(usize::from(JOINTS))));
}

/// Measures the case `blend/add/-/67_joints/scalar`.
#[divan::bench]
fn add_one(bencher: Bencher<'_, '_>) {
    let (was, delta) = (pose(1.0), pose(2.0));
    let mut out = was.clone();
    bencher.bench_local(move || {
        out.copy_from(&was);
        add(black_box(&mut out), black_box(&delta), 0.5, None);
    });
}
