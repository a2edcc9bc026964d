//! Sampling: from a clip and a time to a local pose.

mod clip_ref;
mod compact;
mod compressed;
mod cursor;
mod curve;
mod deviation;
mod event_window;
mod events;
mod interpolate;
mod metas;
mod playback;
mod root_motion;
mod wrap;

pub use clip_ref::ClipRef;
pub use compact::{sample_compact, sample_compact_at};
pub use compressed::{sample_compressed, sample_compressed_at};
pub use cursor::ClipCursor;
pub use curve::{sample_curve, sample_curve_from, sample_curve_into};
pub use deviation::{Deviation, SkinReach};
pub use event_window::{EventEdge, EventWindow};
pub use events::{FiredEvent, FiredEvents, MAX_EVENTS_PER_STEP};
pub use interpolate::{Interpolate, slerp};
pub use metas::{MetaValue, sample_meta, sample_metas};
pub use playback::{Playback, PlaybackStep, SeekEvents, TimeRange, TimeRangeError};
pub use root_motion::RootTrack;
pub use wrap::Wrap;

use crate::{
    asset::clip::{Channel, Clip},
    pose::LocalPose,
};
use curve::sample_curve_into_from;

/// Samples every channel of `clip` at `time_secs`, wrapped into the clip, into `pose`.
///
/// Joints and morph slots without a channel do not change, so start from a rest pose. NaN is time 0. A clip that is stored in
/// compressed frames is sampled from them, as by [`sample_compressed`].
///
/// # Panics
/// If the pose has fewer joints or morph slots than the clip animates.
pub fn sample_clip(clip: &Clip, time_secs: f32, wrap: Wrap, pose: &mut LocalPose) {
    check_pose(clip.joint_count(), clip.morph_slot_count(), pose);
    let time_secs = wrap.apply(time_secs, clip.duration_secs());
    if let Some(compressed) = clip.compressed() {
        return sample_compressed(compressed, time_secs, &mut ClipCursor::default(), pose);
    }
    for channel in clip.channels() {
        // Without a cursor, the search starts in the middle.
        let mut hint = (channel.key_count() / 2) as u32;
        sample_channel(channel, time_secs, &mut hint, pose);
    }
}

/// [`sample_clip`] with a cursor that stores the latest key of each channel; it gives the same bits.
///
/// A step to the same or a neighboring pair of keys needs no search; a jump needs a binary search. A cursor of another
/// clip works, and allocates once if this clip has more channels.
///
/// # Panics
/// As [`sample_clip`].
pub fn sample_clip_from(
    clip: &Clip,
    time_secs: f32,
    wrap: Wrap,
    cursor: &mut ClipCursor,
    pose: &mut LocalPose,
) {
    check_pose(clip.joint_count(), clip.morph_slot_count(), pose);
    let time_secs = wrap.apply(time_secs, clip.duration_secs());
    if let Some(compressed) = clip.compressed() {
        return sample_compressed(compressed, time_secs, cursor, pose);
    }
    for (channel, hint) in clip.channels().iter().zip(cursor.hints(clip.channels().len())) {
        sample_channel(channel, time_secs, hint, pose);
    }
}

fn check_pose(joints: usize, morph_slots: usize, pose: &LocalPose) {
    let (has_joints, has_slots) = (pose.joints.len(), pose.morphs.len());
    assert!(joints <= has_joints, "the clip animates {joints} joints, the pose has {has_joints}");
    assert!(
        morph_slots <= has_slots,
        "the clip animates {morph_slots} morph slots, the pose has {has_slots}"
    );
}

/// Samples one channel into `pose`, starting the search at `hint`.
fn sample_channel(channel: &Channel, time_secs: f32, hint: &mut u32, pose: &mut LocalPose) {
    match channel {
        Channel::Translation { joint, curve } => {
            pose.joints[joint.index()].translation = sample_curve_from(curve, time_secs, hint);
        }
        Channel::Rotation { joint, curve } => {
            pose.joints[joint.index()].rotation = sample_curve_from(curve, time_secs, hint);
        }
        Channel::Scale { joint, curve } => {
            pose.joints[joint.index()].scale = sample_curve_from(curve, time_secs, hint);
        }
        Channel::Morphs { first_slot, curve } => {
            let slots = *first_slot..*first_slot + curve.width();
            sample_curve_into_from(curve, time_secs, hint, &mut pose.morphs[slots]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Curve, Interpolation, JointId, Transform};
    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    fn line(times: &[f32], values: &[f32], interpolation: Interpolation) -> Curve<f32> {
        Curve::new(times.to_vec(), values.to_vec(), interpolation).unwrap()
    }

    #[test]
    fn before_the_first_key_it_holds_and_after_the_last_too() {
        let curve = line(&[1.0, 2.0], &[10.0, 20.0], Interpolation::Linear);
        for (time, want) in [(-5.0, 10.0), (0.0, 10.0), (1.0, 10.0), (1.5, 15.0), (2.0, 20.0), (9.0, 20.0)] {
            assert_eq!(sample_curve(&curve, time), want, "at {time}");
        }
        assert_eq!(sample_curve(&curve, f32::NAN), 10.0);
        assert_eq!(sample_curve(&curve, f32::INFINITY), 20.0);
    }

    #[test]
    fn one_key_is_a_constant_in_every_interpolation() {
        assert_eq!(sample_curve(&line(&[3.0], &[7.0], Interpolation::Step), 1.0), 7.0);
        assert_eq!(sample_curve(&line(&[3.0], &[7.0], Interpolation::Linear), 9.0), 7.0);
        assert_eq!(sample_curve(&line(&[3.0], &[5.0, 7.0, 5.0], Interpolation::Cubic), 9.0), 7.0);
    }

    #[test]
    fn equal_key_times_jump_and_do_not_divide_by_zero() {
        let curve = line(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0], Interpolation::Linear);
        assert_eq!(sample_curve(&curve, 0.5), 0.5);
        assert_eq!(sample_curve(&curve, 1.0), 5.0);
        assert_eq!(sample_curve(&curve, 1.5), 5.5);
        let all_equal = line(&[1.0, 1.0], &[3.0, 4.0], Interpolation::Linear);
        assert_eq!(sample_curve(&all_equal, 1.0), 4.0);
    }

    #[test]
    fn step_holds_the_earlier_key_until_the_next() {
        let curve = line(&[0.0, 1.0], &[0.0, 1.0], Interpolation::Step);
        assert_eq!(sample_curve(&curve, 0.999), 0.0);
        assert_eq!(sample_curve(&curve, 1.0), 1.0);
    }

    #[test]
    fn cubic_tangents_are_scaled_by_the_key_interval() {
        // Hermite of p0 = 0, p1 = 0 with slopes 1 and −1 per second over two seconds peaks at half of it, at 0.5.
        let curve = line(&[0.0, 2.0], &[0.0, 0.0, 1.0, -1.0, 0.0, 0.0], Interpolation::Cubic);
        assert!((sample_curve(&curve, 1.0) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_key_time_gives_the_key_to_the_bit() {
        let keys = [0.1_f32, 0.7, -0.3];
        for interpolation in [Interpolation::Step, Interpolation::Linear] {
            let curve = line(&[0.1, 0.3, 0.9], &keys, interpolation);
            for (time, key) in [0.1, 0.3, 0.9].into_iter().zip(keys) {
                assert_eq!(sample_curve(&curve, time), key);
            }
        }
    }

    #[test]
    fn opposite_signs_of_one_rotation_do_not_turn() {
        let q = Quat::from_rotation_y(0.8);
        let curve = Curve::new(vec![0.0, 1.0], vec![q, -q], Interpolation::Linear).unwrap();
        for step in 0..=10 {
            let got = sample_curve(&curve, step as f32 * 0.1);
            assert!(got.dot(q).abs() > 1.0 - 1e-6, "{got:?}");
        }
    }

    #[test]
    fn channels_leave_what_they_do_not_animate() {
        let curve = Curve::new(vec![0.0], vec![Vec3::X], Interpolation::Linear).unwrap();
        let morphs = Curve::with_width(2, vec![0.0], vec![0.25, 0.5], Interpolation::Linear).unwrap();
        let channels = vec![
            Channel::Translation { joint: JointId(1), curve },
            Channel::Morphs { first_slot: 1, curve: morphs },
        ];
        let clip = Clip::new("c", channels, vec![]).unwrap();
        let mut pose = LocalPose { joints: vec![Transform::IDENTITY; 2], morphs: vec![9.0; 4] };
        sample_clip(&clip, 0.0, Wrap::Clamp, &mut pose);
        assert_eq!(pose.joints[0], Transform::IDENTITY);
        assert_eq!(pose.joints[1].translation, Vec3::X);
        assert_eq!(pose.morphs, [9.0, 0.25, 0.5, 9.0]);
    }

    proptest! {
        #[test]
        fn sampled_rotations_are_finite_units(
            keys in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0), 2..6),
            time in -1.0_f32..7.0,
            cubic in any::<bool>(),
        ) {
            let quats: Vec<Quat> = keys
                .iter()
                .map(|&(x, y, z, w)| Quat::from_xyzw(x, y, z, w + 2.0).normalize())
                .collect();
            let times: Vec<f32> = (0..quats.len()).map(|k| k as f32).collect();
            let curve = if cubic {
                let elements = quats.iter().flat_map(|&q| [Quat::from_xyzw(3.0, 0.0, 0.0, 0.0), q, -q]).collect();
                Curve::new(times, elements, Interpolation::Cubic).unwrap()
            } else {
                Curve::new(times, quats, Interpolation::Linear).unwrap()
            };
            let got = sample_curve(&curve, time);
            prop_assert!((got.length() - 1.0).abs() < 1e-5, "{:?}", got);
        }
    }
}
