//! Where retargeted motion leaves the limits of joints.

use super::{report::LimitReport, rest::model_rest, skin_points::SkinPoints};
use sinew::{Character, JointId, LocalPose, constrain::Limit, glam::Vec3};
use std::collections::BTreeMap;

/// Smaller angles beyond a limit are rounding, in degrees.
const SMALLEST_DEGREES: f32 = 0.1;

/// The joints of `target` that leave `limits` in `poses`, the worst first.
pub(super) fn beyond(
    target: &Character,
    poses: &[LocalPose],
    limits: &BTreeMap<JointId, Limit>,
) -> Vec<LimitReport> {
    let report = |(&joint, limit): (&JointId, &Limit)| {
        let excess = |pose: &LocalPose| {
            let rotation = pose.joints.get(joint.index())?.rotation;
            let degrees = limit.excess_radians(rotation).into_iter().fold(0.0, f32::max).to_degrees();
            (degrees > SMALLEST_DEGREES).then_some(degrees)
        };
        let beyond: Vec<f32> = poses.iter().filter_map(excess).collect();
        let worst_degrees = beyond.iter().copied().reduce(f32::max)?;
        let worst_meters = 2.0 * (worst_degrees.to_radians() / 2.0).sin() * reach(target, joint);
        let joint = target.skeleton().name(joint).to_owned();
        Some(LimitReport { joint, worst_degrees, worst_meters, frames: beyond.len() })
    };
    let mut out: Vec<LimitReport> = limits.iter().filter_map(report).collect();
    out.sort_by(|a, b| b.worst_meters.total_cmp(&a.worst_meters));
    out
}

/// The distance from `joint` to the farthest vertex that follows it, at rest.
fn reach(target: &Character, joint: JointId) -> f32 {
    let skeleton = target.skeleton();
    let rest = model_rest(skeleton);
    let center = Vec3::from(rest.joint(joint).translation);
    let vertices = SkinPoints::of(target, |j| skeleton.is_within(j, joint));
    vertices.places(&rest).map(|p| p.distance(center)).fold(0.0, f32::max)
}
