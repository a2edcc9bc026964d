//! Writes the motion of corrective joints into clips, so that engines play it that know no corrective joints.

use super::LinearFitError;
use crate::motion::simplified;
use sinew::{
    Channel, Clip, Curve, Interpolation, JointId, Skeleton, Wrap,
    constrain::HelperJoints,
    extract::key_times,
    glam::{Quat, Vec3},
    sample_clip,
};

/// Keys that others reproduce this closely are left out: meters, radians and factors.
const TOLERANCE: f32 = 2e-5;

/// `clip` with channels for `joints`, which `helpers` move.
pub(super) fn baked_clip(
    clip: &Clip,
    skeleton: &Skeleton,
    helpers: &HelperJoints,
    joints: &[JointId],
    keys_per_sec: f32,
) -> Result<Clip, LinearFitError> {
    if joints.is_empty() || clip.channels().is_empty() {
        return Ok(clip.clone());
    }
    let times = times(clip, keys_per_sec);
    let poses: Vec<_> = times
        .iter()
        .map(|&time| {
            let mut pose = skeleton.rest_pose();
            pose.morphs.resize(clip.morph_slot_count(), 0.0);
            sample_clip(clip, time, Wrap::Clamp, &mut pose);
            helpers.apply(&mut pose);
            pose
        })
        .collect();
    let mut parts = clip.clone().with_keys().into_parts();
    for &joint in joints {
        let rest = skeleton.rest(joint);
        let track = |part: fn(&sinew::Transform) -> Vec3| -> Result<Option<Curve<Vec3>>, LinearFitError> {
            let values: Vec<Vec3> = poses.iter().map(|p| part(&p.joints[joint.index()])).collect();
            if values.iter().all(|v| v.distance(part(&rest)) < TOLERANCE) {
                return Ok(None);
            }
            let curve = Curve::new(times.clone(), values, Interpolation::Linear)?;
            Ok(Some(simplified(&curve, TOLERANCE, false, |a: Vec3, b: Vec3| a.distance(b))?))
        };
        if let Some(curve) = track(|t| t.translation)? {
            parts.channels.push(Channel::Translation { joint, curve });
        }
        let mut turns: Vec<Quat> = Vec::with_capacity(poses.len());
        for pose in &poses {
            let turn = pose.joints[joint.index()].rotation;
            let before = turns.last().copied().unwrap_or(rest.rotation);
            turns.push(if turn.dot(before) < 0.0 { -turn } else { turn });
        }
        if turns.iter().any(|turn| turn.angle_between(rest.rotation) > TOLERANCE) {
            let curve = Curve::new(times.clone(), turns, Interpolation::Linear)?;
            let curve = simplified(&curve, TOLERANCE, false, |a: Quat, b: Quat| a.angle_between(b))?;
            parts.channels.push(Channel::Rotation { joint, curve });
        }
        if let Some(curve) = track(|t| t.scale)? {
            parts.channels.push(Channel::Scale { joint, curve });
        }
    }
    Ok(Clip::from_parts(parts)?)
}

/// The times of all keys of the clip, and times at `keys_per_sec` between them.
fn times(clip: &Clip, keys_per_sec: f32) -> Vec<f32> {
    let mut times = key_times(clip.channels().iter().map(|c| (c.times_secs(), c.interpolation())));
    let end = clip.duration_secs();
    let even = (end * keys_per_sec).ceil().min(1e6) as usize;
    times.extend((0..=even).map(|step| end * step as f32 / even.max(1) as f32));
    times.sort_by(f32::total_cmp);
    // Keys closer than a tenth of a millisecond are one.
    times.dedup_by(|later, earlier| *later - *earlier < 1e-4);
    times
}
