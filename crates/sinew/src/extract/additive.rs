//! Additive clips: differences from a reference pose.

use super::ExtractError;
use crate::{
    asset::{
        clip::{Channel, Clip, ClipKind, ClipParts},
        curve::{Curve, CurveError},
    },
    pose::LocalPose,
    sample::{Wrap, sample_clip},
};
use glam::{Quat, Vec3};

/// The additive clip that plays as `clip` on top of `reference`.
///
/// It holds differences of translations and morph weights, `reference⁻¹ · q` of rotations and ratios of scales. It is exact
/// between keys too, for every interpolation. Events and meta-channels are unchanged.
///
/// # Errors
/// If the clip is already additive, the pose has fewer joints or morph slots than the clip, or a reference scale is 0.
pub fn additive_from(clip: &Clip, reference: &LocalPose) -> Result<Clip, ExtractError> {
    if clip.kind() == ClipKind::Additive {
        return Err(ExtractError::WrongKind { clip: clip.name().into(), kind: clip.kind() });
    }
    let (joints, slots) = (reference.joints.len(), reference.morphs.len());
    for (what, count, wanted) in [
        ("the reference pose", joints, clip.joint_count()),
        ("the reference pose", slots, clip.morph_slot_count()),
    ] {
        if count < wanted {
            return Err(ExtractError::WrongSize { what, count, wanted });
        }
    }
    let mut parts = clip.clone().into_parts();
    for channel in &mut parts.channels {
        *channel = subtracted(channel, reference)?;
    }
    Ok(Clip::from_parts(ClipParts { kind: ClipKind::Additive, ..parts })?)
}

/// [`additive_from`] the clip's own pose at `time_secs`; joints that the clip does not animate are taken from `rest`.
///
/// # Errors
/// As [`additive_from`].
pub fn additive_from_time(clip: &Clip, rest: &LocalPose, time_secs: f32) -> Result<Clip, ExtractError> {
    let mut reference = rest.clone();
    let wanted = clip.joint_count();
    if reference.joints.len() < wanted || reference.morphs.len() < clip.morph_slot_count() {
        let count = reference.joints.len();
        return Err(ExtractError::WrongSize { what: "the rest pose", count, wanted });
    }
    sample_clip(clip, time_secs, Wrap::Clamp, &mut reference);
    additive_from(clip, &reference)
}

fn subtracted(channel: &Channel, reference: &LocalPose) -> Result<Channel, ExtractError> {
    Ok(match channel {
        Channel::Translation { joint, curve } => {
            let from = reference.joints[joint.index()].translation;
            Channel::Translation { joint: *joint, curve: shifted(curve, |_| from)? }
        }
        Channel::Rotation { joint, curve } => {
            let inverse = reference.joints[joint.index()].rotation.conjugate();
            Channel::Rotation { joint: *joint, curve: mapped(curve, |q| turned(inverse, q))? }
        }
        Channel::Scale { joint, curve } => {
            let from = reference.joints[joint.index()].scale;
            if from.abs().min_element() <= f32::MIN_POSITIVE {
                return Err(ExtractError::FlatReference { joint: joint.index() });
            }
            Channel::Scale { joint: *joint, curve: mapped(curve, |s: Vec3| s / from)? }
        }
        Channel::Morphs { first_slot, curve } => {
            let slots = &reference.morphs[*first_slot..];
            Channel::Morphs { first_slot: *first_slot, curve: shifted(curve, |n| slots[n])? }
        }
    })
}

/// The product of quaternions without normalizing the result, so that it is correct for tangents too.
fn turned(a: Quat, b: Quat) -> Quat {
    Quat::mul_quat(a, b)
}

/// Applies `edit` to all stored elements of a curve, including tangents. Correct for linear maps.
fn mapped<T: Copy>(curve: &Curve<T>, edit: impl Fn(T) -> T) -> Result<Curve<T>, CurveError> {
    let elements = curve.elements().iter().map(|&e| edit(e)).collect();
    Curve::with_width(curve.width(), curve.times_secs().to_vec(), elements, curve.interpolation())
}

/// `curve` minus `from` of the n-th value of a key. Tangents are slopes and do not shift.
fn shifted<T: Copy + std::ops::Sub<Output = T>>(
    curve: &Curve<T>,
    from: impl Fn(usize) -> T,
) -> Result<Curve<T>, ExtractError> {
    let (width, per_key) = (curve.width(), curve.interpolation().elements_per_key());
    let shift = |(place, &element): (usize, &T)| {
        let part = place / width % per_key;
        if part == per_key / 2 { element - from(place % width) } else { element }
    };
    let elements = curve.elements().iter().enumerate().map(shift).collect();
    Ok(Curve::with_width(width, curve.times_secs().to_vec(), elements, curve.interpolation())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, JointId, Transform, sample::sample_curve, sinew_samples};

    #[test]
    fn a_clip_relative_to_itself_is_the_identity() {
        let figure = sinew_samples::figure();
        for clip in figure.clips() {
            let additive = additive_from_time(clip, &figure.rest_pose(), 0.3).unwrap();
            assert_eq!(additive.kind(), ClipKind::Additive);
            let identity = LocalPose {
                joints: vec![Transform::IDENTITY; figure.skeleton().len()],
                morphs: vec![0.0; figure.rest_pose().morphs.len()],
            };
            let mut pose = identity.clone();
            sample_clip(&additive, 0.3, Wrap::Clamp, &mut pose);
            for (got, want) in pose.joints.iter().zip(&identity.joints) {
                assert!((got.translation - want.translation).length() < 1e-6);
                assert!(got.rotation.dot(want.rotation).abs() > 1.0 - 1e-6, "{got:?}");
                assert!((got.scale - want.scale).length() < 1e-6);
            }
        }
    }

    #[test]
    fn on_top_of_its_reference_it_plays_as_the_clip_at_every_time() {
        let figure = sinew_samples::figure();
        let clip = figure.find_clip("run").unwrap();
        let reference = figure.rest_pose();
        let additive = additive_from(clip, &reference).unwrap();
        for step in 0..40_u8 {
            let time = f32::from(step) * 0.0173;
            let mut want = reference.clone();
            sample_clip(clip, time, Wrap::Clamp, &mut want);
            let mut added =
                LocalPose { joints: vec![Transform::IDENTITY; want.joints.len()], ..reference.clone() };
            sample_clip(&additive, time, Wrap::Clamp, &mut added);
            for ((base, add), want) in reference.joints.iter().zip(&added.joints).zip(&want.joints) {
                assert!((base.translation + add.translation - want.translation).length() < 1e-5);
                assert!((base.rotation * add.rotation).dot(want.rotation).abs() > 1.0 - 1e-6);
            }
        }
    }

    #[test]
    fn cubic_tangents_rotate_but_do_not_shift() {
        let keys = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::X, Vec3::ONE, Vec3::Z];
        let curve = Curve::new(vec![0.0, 1.0], keys, Interpolation::Cubic).unwrap();
        let channel = Channel::Translation { joint: JointId(0), curve: curve.clone() };
        let clip = Clip::new("c", vec![channel], vec![]).unwrap();
        let from = Vec3::new(3.0, 2.0, 1.0);
        let reference = LocalPose { joints: vec![Transform::from_translation(from)], morphs: vec![] };
        let additive = additive_from(&clip, &reference).unwrap();
        let Channel::Translation { curve: got, .. } = &additive.channels()[0] else { panic!("it stays one") };
        for time in [0.0, 0.3, 0.8, 1.0] {
            assert!((sample_curve(got, time) + from - sample_curve(&curve, time)).length() < 1e-6);
        }
    }

    #[test]
    fn rejects_additive_clips_small_poses_and_zero_scale_references() {
        let scale = Curve::new(vec![0.0], vec![Vec3::ONE], Interpolation::Step).unwrap();
        let clip = Clip::new("c", vec![Channel::Scale { joint: JointId(0), curve: scale }], vec![]).unwrap();
        let flat = Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..Transform::IDENTITY };
        let pose = |joints| LocalPose { joints, morphs: vec![] };
        let error = additive_from(&clip, &pose(vec![flat])).unwrap_err();
        assert_eq!(error, ExtractError::FlatReference { joint: 0 });
        assert!(matches!(additive_from(&clip, &pose(vec![])), Err(ExtractError::WrongSize { .. })));
        let twice = additive_from(&clip.with_kind(ClipKind::Additive), &pose(vec![Transform::IDENTITY]));
        assert!(matches!(twice, Err(ExtractError::WrongKind { .. })));
    }
}
