use super::*;
use crate::{JointId, Transform, simd};
use glam::{DQuat, EulerRot, Quat, Vec3};
use proptest::prelude::*;

/// A pose with arbitrary numbers derived from `seed`.
fn pose(joints: usize, morphs: usize, seed: f32) -> LocalPose {
    let wild = |k: usize, n: f32| (seed * 12.9 + k as f32 * 7.3 + n * 3.1).sin();
    let joint = |k: usize| Transform {
        translation: Vec3::new(wild(k, 0.0), wild(k, 1.0), wild(k, 2.0)),
        rotation: Quat::from_euler(EulerRot::XYZ, 3.0 * wild(k, 3.0), wild(k, 4.0), 3.0 * wild(k, 5.0)),
        scale: Vec3::new(1.0 + 0.3 * wild(k, 6.0), 1.0 + 0.3 * wild(k, 7.0), 1.0 + 0.3 * wild(k, 8.0)),
    };
    LocalPose {
        joints: (0..joints).map(joint).collect(),
        morphs: (0..morphs).map(|k| wild(k, 9.0)).collect(),
    }
}

fn bits(pose: &LocalPose) -> Vec<u32> {
    let numbers = pose.joints.iter().flat_map(|t| {
        let (a, b, c) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
        a.into_iter().chain(b).chain(c)
    });
    numbers.chain(pose.morphs.iter().copied()).map(f32::to_bits).collect()
}

fn blended(level: Level, layers: &[PoseLayer<'_>], rest: &LocalPose) -> LocalPose {
    let mut out = pose(rest.joints.len(), rest.morphs.len(), 99.0);
    blend_at(level, layers, rest, &mut out);
    out
}

/// A mask of runs of joints: first joint, number of joints, weight.
fn mask(joints: usize, runs: &[(u16, u16, f32)]) -> Mask {
    let joint = |mask: Mask, &(first, count, weight): &(u16, u16, f32)| {
        (first..first + count).fold(mask, |mask, joint| mask.with_weight(JointId(joint), weight))
    };
    runs.iter().fold(Mask::none(joints), joint)
}

proptest! {
    #[test]
    fn a_weight_of_one_beside_zeros_gives_the_pose_to_the_bit(
        joints in 0_usize..40, seed in 0.0_f32..10.0, weight in 0.1_f32..5.0, place in 0_usize..3,
    ) {
        let rest = pose(joints, 5, 0.5);
        let poses = [pose(joints, 5, seed), pose(joints, 5, seed + 1.0), pose(joints, 5, seed + 2.0)];
        let (all, none) = (Mask::all(joints), Mask::none(joints));
        for is_masked in [false, true] {
            let layer = |k: usize| {
                let layer = PoseLayer::new(&poses[k], if k == place { weight } else { 0.0 });
                if is_masked { layer.masked(if k == place { &all } else { &none }) } else { layer }
            };
            let got = blended(simd::best(), &[layer(0), layer(1), layer(2)], &rest);
            prop_assert_eq!(bits(&got), bits(&poses[place]));
        }
    }

    #[test]
    fn every_level_gives_the_same_bits(
        joints in 0_usize..80, layers in 1_usize..6, seed in 0.0_f32..10.0, weights in prop::array::uniform6(-0.2_f32..1.0),
    ) {
        let rest = pose(joints, 7, 0.5);
        let poses: Vec<LocalPose> = (0..layers).map(|k| pose(joints, 7, seed + k as f32)).collect();
        let layers: Vec<PoseLayer<'_>> = poses.iter().zip(weights).map(|(p, w)| PoseLayer::new(p, w)).collect();
        let want = blended(Level::scalar(), &layers, &rest);
        for level in simd::available() {
            prop_assert_eq!(bits(&blended(level, &layers, &rest)), bits(&want), "{}", level.name());
        }
        // With a mask over all joints, the scalar level takes one joint at a time, which is the definition.
        let all = Mask::all(joints);
        let masked: Vec<PoseLayer<'_>> = layers.iter().map(|layer| layer.masked(&all)).collect();
        for level in simd::available() {
            prop_assert_eq!(bits(&blended(level, &masked, &rest)), bits(&want), "{}", level.name());
        }
    }

    #[test]
    fn every_level_gives_masked_layers_the_same_bits(
        joints in 0_usize..40, layers in 1_usize..5, seed in 0.0_f32..10.0, weights in prop::array::uniform6(-0.2_f32..1.0),
        runs in prop::collection::vec((0_u16..40, 0_u16..20, 0.0_f32..1.3), 1..6), short in 0_usize..9,
    ) {
        let rest = pose(joints, 3, 0.5);
        let poses: Vec<LocalPose> = (0..layers).map(|k| pose(joints, 3, seed + k as f32)).collect();
        // One mask is shorter than the pose, one layer has none.
        let masks: Vec<Mask> = (0..layers).map(|k| mask(joints.saturating_sub(if k == 1 { short } else { 0 }), &runs[k % runs.len()..])).collect();
        let layer = |k: usize| {
            let layer = PoseLayer::new(&poses[k], weights[k]);
            if k == 2 { layer } else { layer.masked(&masks[k]) }
        };
        let layers: Vec<PoseLayer<'_>> = (0..layers).map(layer).collect();
        let want = blended(Level::scalar(), &layers, &rest);
        let layered = |level, weight: f32, mask: Option<&Mask>| {
            let mut out = rest.clone();
            layer_over_at(level, &mut out, &poses[0], weight, mask);
            bits(&out)
        };
        for level in simd::available() {
            prop_assert_eq!(bits(&blended(level, &layers, &rest)), bits(&want), "{}", level.name());
            for weight in [weights[0], 1.0, 0.0, f32::NAN] {
                for mask in [None, Some(&masks[0])] {
                    let want = layered(Level::scalar(), weight, mask);
                    prop_assert_eq!(layered(level, weight, mask), want, "{} at {}", level.name(), weight);
                }
            }
        }
    }

    #[test]
    fn two_poses_mix_as_in_double_precision(seed in 0.0_f32..10.0, weight in 0.0_f32..1.0) {
        let (rest, a, b) = (pose(9, 2, 0.5), pose(9, 2, seed), pose(9, 2, seed + 1.0));
        let got = blended(simd::best(), &[PoseLayer::new(&a, 1.0 - weight), PoseLayer::new(&b, weight)], &rest);
        for (got, (a, b)) in got.joints.iter().zip(a.joints.iter().zip(&b.joints)) {
            let (p, q) = (a.rotation.as_dquat(), b.rotation.as_dquat());
            let q = if p.dot(q) < 0.0 { -q } else { q };
            let w = f64::from(weight);
            let want: DQuat = (p * (1.0 - w) + q * w).normalize();
            prop_assert!(got.rotation.as_dquat().dot(want).abs() > 1.0 - 1e-6);
            prop_assert!((got.rotation.length() - 1.0).abs() < 1e-6);
            let mid = a.translation.lerp(b.translation, weight);
            prop_assert!((got.translation - mid).length() < 1e-5);
            prop_assert!((got.scale - a.scale.lerp(b.scale, weight)).length() < 1e-5);
        }
    }
}

#[test]
fn weights_count_as_parts_of_their_sum() {
    let (rest, a, b) = (pose(6, 3, 0.5), pose(6, 3, 1.0), pose(6, 3, 2.0));
    let one = blended(simd::best(), &[PoseLayer::new(&a, 0.25), PoseLayer::new(&b, 0.75)], &rest);
    let four = blended(simd::best(), &[PoseLayer::new(&a, 1.0), PoseLayer::new(&b, 3.0)], &rest);
    assert_eq!(bits(&one), bits(&four));
}

#[test]
fn joints_without_a_layer_are_at_rest_and_a_fading_layer_returns_to_rest_smoothly() {
    let (rest, a) = (pose(6, 3, 0.5), pose(6, 3, 1.0));
    assert_eq!(bits(&blended(simd::best(), &[], &rest)), bits(&rest));
    for nothing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(bits(&blended(simd::best(), &[PoseLayer::new(&a, nothing)], &rest)), bits(&rest));
    }
    let mut last = 0.0;
    for step in 0..=20_u8 {
        let weight = REST_THRESHOLD * f32::from(step) / 20.0;
        let got = blended(simd::best(), &[PoseLayer::new(&a, weight)], &rest);
        let off = (got.joints[0].translation - rest.joints[0].translation).length();
        assert!(off >= last && off - last < 0.2, "{off} after {last}");
        last = off;
    }
}

#[test]
fn a_mask_limits_a_layer_to_its_joints() {
    let (rest, a, b) = (pose(9, 3, 0.5), pose(9, 3, 1.0), pose(9, 3, 2.0));
    let mask = Mask::none(9).with_weight(JointId(4), 1.0).with_weight(JointId(7), 0.5);
    let got = blended(simd::best(), &[PoseLayer::new(&a, 1.0), PoseLayer::new(&b, 1.0).masked(&mask)], &rest);
    for index in 0..9 {
        let is_in = mask.contains(JointId(index as u16));
        assert_eq!(got.joints[index] == a.joints[index], !is_in, "joint {index}");
    }
    assert!(
        (got.joints[4].translation - (a.joints[4].translation + b.joints[4].translation) * 0.5).length()
            < 1e-6
    );
    assert!(
        (got.joints[7].translation - a.joints[7].translation.lerp(b.joints[7].translation, 1.0 / 3.0))
            .length()
            < 1e-6
    );
    assert_eq!(got.morphs, a.morphs);
    let none = Mask::none(9);
    let got = blended(simd::best(), &[PoseLayer::new(&a, 1.0).masked(&none)], &rest);
    assert_eq!(bits(&got), bits(&rest));
}

#[test]
fn opposite_and_zero_rotations_give_no_nan() {
    let rest = LocalPose { joints: vec![Transform::IDENTITY; 5], morphs: vec![] };
    let with = |q: Quat| LocalPose { joints: vec![Transform::from_rotation(q); 5], morphs: vec![] };
    let half = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    for (a, b) in [(Quat::IDENTITY, -Quat::IDENTITY), (Quat::IDENTITY, half), (half, -half)] {
        let (a, b) = (with(a), with(b));
        let got = blended(simd::best(), &[PoseLayer::new(&a, 0.5), PoseLayer::new(&b, 0.5)], &rest);
        assert!(got.joints.iter().all(|t| t.rotation.is_normalized()), "{got:?}");
    }
    let zero = with(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    let got = blended(simd::best(), &[PoseLayer::new(&zero, 0.5), PoseLayer::new(&zero, 0.5)], &rest);
    assert!(got.joints.iter().all(Transform::is_finite));
}

#[test]
fn weights_that_sum_to_infinity_leave_the_output_on_every_level() {
    let (rest, a, mask) = (pose(9, 0, 0.5), pose(9, 0, 1.0), Mask::all(9));
    let layers = [PoseLayer::new(&a, 3e38).masked(&mask), PoseLayer::new(&rest, 3e38)];
    for level in simd::available() {
        let (want, got) = (blended(Level::scalar(), &layers, &rest), blended(level, &layers, &rest));
        assert_eq!(bits(&got), bits(&want), "{}", level.name());
    }
}

#[test]
fn the_levels_of_this_machine_blend() {
    let names: Vec<&str> = simd::available().map(Level::name).collect();
    println!("SIMD levels tested here: {}", names.join(", "));
    assert!(names.contains(&"scalar"));
}
