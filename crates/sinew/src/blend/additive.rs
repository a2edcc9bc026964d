//! Additive poses: differences that are added to a pose or subtracted from it.

mod kernel;

use super::Mask;
use crate::{
    pose::LocalPose,
    simd::{self, Level},
    transform::Transform,
};
use glam::Vec3;

/// The additive pose that changes nothing, of the size of `pose`. Additive clips are sampled over it.
pub fn additive_identity(pose: &LocalPose) -> LocalPose {
    LocalPose { joints: vec![Transform::IDENTITY; pose.joints.len()], morphs: vec![0.0; pose.morphs.len()] }
}

/// The additive pose that leads from `reference` to `pose`, as [`ClipKind::Additive`](crate::ClipKind::Additive) defines
/// it.
///
/// If a scale of the reference is zero, the factor is 1.
///
/// # Panics
/// If the poses differ in size.
pub fn difference(pose: &LocalPose, reference: &LocalPose, out: &mut LocalPose) {
    check(pose, reference);
    check(pose, out);
    for ((out, a), b) in out.joints.iter_mut().zip(&pose.joints).zip(&reference.joints) {
        *out = Transform {
            translation: a.translation - b.translation,
            rotation: (b.rotation.conjugate() * a.rotation).normalize(),
            scale: ratio(a.scale, b.scale),
        };
    }
    for ((out, a), b) in out.morphs.iter_mut().zip(&pose.morphs).zip(&reference.morphs) {
        *out = a - b;
    }
}

/// Adds `delta` to `pose` with a weight, optionally limited by `mask`.
///
/// Translations and morph weights are added, rotations are applied in the joint's space, scales are multiplied. A weight
/// of 0, or one that is not finite, leaves every bit of the pose; a weight above 1 exaggerates.
///
/// # Panics
/// If the poses differ in size.
pub fn add(pose: &mut LocalPose, delta: &LocalPose, weight: f32, mask: Option<&Mask>) {
    add_at(simd::best(), pose, delta, weight, mask);
}

/// [`add`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`add`].
pub fn add_at(level: Level, pose: &mut LocalPose, delta: &LocalPose, weight: f32, mask: Option<&Mask>) {
    check(pose, delta);
    let weight = checked(weight);
    kernel::apply::<false>(level, &mut pose.joints, &delta.joints, weight, mask);
    raise_morphs(pose, delta, weight * mask.map_or(1.0, Mask::morph_weight));
}

/// Subtracts `delta` from `pose` with a weight: the inverse of [`add`] with the same weight and mask.
///
/// If a scale factor is zero, the scale does not change.
///
/// # Panics
/// If the poses differ in size.
pub fn subtract(pose: &mut LocalPose, delta: &LocalPose, weight: f32, mask: Option<&Mask>) {
    subtract_at(simd::best(), pose, delta, weight, mask);
}

/// [`subtract`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`subtract`].
pub fn subtract_at(level: Level, pose: &mut LocalPose, delta: &LocalPose, weight: f32, mask: Option<&Mask>) {
    check(pose, delta);
    let weight = checked(weight);
    kernel::apply::<true>(level, &mut pose.joints, &delta.joints, weight, mask);
    raise_morphs(pose, delta, -weight * mask.map_or(1.0, Mask::morph_weight));
}

fn raise_morphs(pose: &mut LocalPose, delta: &LocalPose, fraction: f32) {
    if fraction != 0.0 {
        pose.morphs.iter_mut().zip(&delta.morphs).for_each(|(a, b)| *a += fraction * b);
    }
}

fn checked(weight: f32) -> f32 {
    if weight.is_finite() { weight } else { 0.0 }
}

fn ratio(a: Vec3, b: Vec3) -> Vec3 {
    let one = |a: f32, b: f32| if b.abs() > f32::MIN_POSITIVE { a / b } else { 1.0 };
    Vec3::new(one(a.x, b.x), one(a.y, b.y), one(a.z, b.z))
}

fn check(a: &LocalPose, b: &LocalPose) {
    assert_eq!(a.joints.len(), b.joints.len(), "the poses have different numbers of joints");
    assert_eq!(a.morphs.len(), b.morphs.len(), "the poses have different numbers of morph slots");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::skeleton::JointId;
    use glam::Quat;
    use proptest::prelude::*;

    fn pose(seed: f32) -> LocalPose {
        let wild = |k: u8, n: u8| (seed * 5.7 + f32::from(k) * 2.3 + f32::from(n)).sin();
        let joint = |k: u8| Transform {
            translation: Vec3::new(wild(k, 0), wild(k, 1), wild(k, 2)),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, 3.0 * wild(k, 3), wild(k, 4), wild(k, 5)),
            scale: Vec3::new(1.0 + 0.4 * wild(k, 6), 1.0, -1.0 + 0.4 * wild(k, 7)),
        };
        LocalPose { joints: (0..6).map(joint).collect(), morphs: (0..3).map(|k| wild(k, 8)).collect() }
    }

    fn is_near(a: &LocalPose, b: &LocalPose) -> bool {
        let joints = a.joints.iter().zip(&b.joints).all(|(a, b)| {
            (a.translation - b.translation).length() < 1e-5
                && (a.scale - b.scale).length() < 1e-5
                && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6
        });
        joints && a.morphs.iter().zip(&b.morphs).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    proptest! {
        #[test]
        fn a_difference_leads_from_its_reference_to_its_pose(a in 0.0_f32..9.0, b in 0.0_f32..9.0) {
            let (a, mut b) = (pose(a), pose(b));
            let mut delta = additive_identity(&a);
            difference(&a, &b, &mut delta);
            add(&mut b, &delta, 1.0, None);
            prop_assert!(is_near(&a, &b));
        }

        #[test]
        fn subtract_undoes_add(a in 0.0_f32..9.0, b in 0.0_f32..9.0, weight in -1.0_f32..1.5, joint in 0_u16..6) {
            let (was, other) = (pose(a), pose(b));
            let mut delta = additive_identity(&was);
            difference(&other, &pose(3.3), &mut delta);
            // A factor that the weight brings to nothing cannot be taken off again.
            delta.joints.iter_mut().for_each(|t| t.scale = t.scale.abs());
            let mask = Mask::all(6).with_weight(JointId(joint), 0.0);
            let mut now = was.clone();
            add(&mut now, &delta, weight.max(0.0), Some(&mask));
            prop_assert_eq!(now.joints[usize::from(joint)], was.joints[usize::from(joint)]);
            subtract(&mut now, &delta, weight.max(0.0), Some(&mask));
            prop_assert!(is_near(&now, &was));
        }
    }

    fn bits(pose: &LocalPose) -> Vec<u32> {
        let numbers = pose.joints.iter().flat_map(|t| {
            let (a, b, c) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
            a.into_iter().chain(b).chain(c)
        });
        numbers.chain(pose.morphs.iter().copied()).map(f32::to_bits).collect()
    }

    proptest! {
        #[test]
        fn every_level_adds_and_subtracts_the_same_bits(
            joints in 0_usize..23, seed in 0.0_f32..9.0, weight in -1.0_f32..2.0, first in 0_u16..20, part in 0.0_f32..1.1,
        ) {
            let of = |seed: f32| {
                let mut wide = LocalPose { joints: vec![], morphs: vec![seed, 1.0] };
                for n in 0..4_u8 {
                    wide.joints.extend(pose(seed + f32::from(n)).joints);
                }
                wide.joints.truncate(joints);
                wide
            };
            let (was, mut delta) = (of(seed), of(seed + 30.0));
            // A factor of zero cannot be taken off.
            delta.joints.iter_mut().step_by(5).for_each(|t| t.scale = Vec3::new(0.0, -0.0, 1.0));
            let mut some = Mask::none(joints);
            for joint in first..first + 7 {
                some = some.with_weight(JointId(joint), part);
            }
            for mask in [None, Some(&some)] {
                let by = |level, apply: fn(Level, &mut LocalPose, &LocalPose, f32, Option<&Mask>), weight| {
                    let mut out = was.clone();
                    apply(level, &mut out, &delta, weight, mask);
                    bits(&out)
                };
                for level in simd::available() {
                    for weight in [weight, 1.0] {
                        for apply in [add_at, subtract_at] {
                            let want = by(Level::scalar(), apply, weight);
                            prop_assert_eq!(by(level, apply, weight), want, "{}", level.name());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_difference_of_a_pose_from_itself_changes_nothing() {
        let (a, mut b) = (pose(1.0), pose(2.0));
        let mut delta = additive_identity(&a);
        difference(&a, &a, &mut delta);
        assert!(is_near(&delta, &additive_identity(&a)));
        add(&mut b, &delta, 1.0, None);
        assert!(is_near(&b, &pose(2.0)));
    }

    #[test]
    fn weight_zero_keeps_every_bit_and_zero_scale_gives_no_nan() {
        let (was, delta) = (pose(1.0), pose(2.0));
        for weight in [0.0, f32::NAN, f32::INFINITY] {
            let mut now = was.clone();
            add(&mut now, &delta, weight, None);
            subtract(&mut now, &delta, weight, None);
            assert_eq!(now, was);
        }
        let mut flat = was.clone();
        flat.joints.iter_mut().for_each(|t| t.scale = Vec3::ZERO);
        let mut out = additive_identity(&was);
        difference(&was, &flat, &mut out);
        subtract(&mut out, &flat, 1.0, None);
        assert!(out.joints.iter().all(Transform::is_finite));
    }
}
