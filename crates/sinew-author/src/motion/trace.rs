//! The motion of a joint as numbers over time, for graphs.

use sinew::{
    Channel, Clip, JointId, Skeleton,
    glam::{EulerRot, Quat, Vec3},
    sample::sample_curve,
};

/// The animated property of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TracedProperty {
    /// Rotation from rest about X, then Y, then Z, in degrees.
    #[default]
    Rotation,
    /// Translation along X, Y and Z relative to the parent, in meters.
    Translation,
    /// Scale factors along X, Y and Z.
    Scale,
}

/// Three numbers over time, one per axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The values at the given times.
    pub values: Vec<Vec3>,
    /// The times of the channel's keys in seconds, with their values.
    pub keys: Vec<(f32, Vec3)>,
}

/// The values of one property of `joint` in `clip` at ascending `times_secs`; `None` if the clip has no channel for it.
///
/// Angles are continuous instead of jumping by a full turn, so a joint that keeps rotating gives a rising line.
#[must_use]
pub fn trace(
    clip: &Clip,
    skeleton: &Skeleton,
    joint: JointId,
    property: TracedProperty,
    times_secs: &[f32],
) -> Option<Trace> {
    if joint.index() >= skeleton.len() {
        return None;
    }
    let wanted = |channel: &&Channel| {
        channel.joint() == Some(joint)
            && match property {
                TracedProperty::Rotation => matches!(channel, Channel::Rotation { .. }),
                TracedProperty::Translation => matches!(channel, Channel::Translation { .. }),
                TracedProperty::Scale => matches!(channel, Channel::Scale { .. }),
            }
    };
    // Of several channels for one property the last one counts.
    let channel = clip.channels().iter().rfind(wanted)?;
    let at = |time_secs: f32| match channel {
        Channel::Rotation { curve, .. } => {
            degrees(skeleton.rest(joint).rotation, sample_curve(curve, time_secs))
        }
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => sample_curve(curve, time_secs),
        Channel::Morphs { .. } => Vec3::ZERO,
    };
    let mut values: Vec<Vec3> = times_secs.iter().map(|time| at(*time)).collect();
    let mut keys: Vec<(f32, Vec3)> = channel.times_secs().iter().map(|time| (*time, at(*time))).collect();
    if property == TracedProperty::Rotation {
        (1..values.len()).for_each(|k| values[k] = continued(values[k], values[k - 1]));
        for (time, value) in &mut keys {
            // Continue from the curve at that time.
            let place = times_secs.partition_point(|t| t < time).min(values.len().saturating_sub(1));
            *value = values.get(place).map_or(*value, |near| continued(*value, *near));
        }
    }
    Some(Trace { values, keys })
}

fn degrees(rest: Quat, rotation: Quat) -> Vec3 {
    let (x, y, z) = (rest.conjugate() * rotation).to_euler(EulerRot::XYZ);
    Vec3::new(x, y, z).map(f32::to_degrees)
}

/// The same rotation in the Euler angles nearest to `before`: with full turns added, or in the alternative representation.
fn continued(angles: Vec3, before: Vec3) -> Vec3 {
    let near = |angles: Vec3| angles + ((before - angles) / 360.0).round() * 360.0;
    let (one, other) = (near(angles), near(Vec3::new(angles.x + 180.0, 180.0 - angles.y, angles.z + 180.0)));
    if other.distance_squared(before) < one.distance_squared(before) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Curve, Interpolation};

    fn turning(axis: Vec3, turns: u8) -> (Clip, sinew::Character, JointId) {
        let arm = sinew_samples::arm();
        let joint = arm.skeleton().find("lower").unwrap();
        let rest = arm.skeleton().rest(joint).rotation;
        let keys = u16::from(turns) * 8;
        let key = |k: u16| rest * Quat::from_axis_angle(axis, f32::from(k) * std::f32::consts::FRAC_PI_4);
        let times = (0..=keys).map(|k| f32::from(k) * 0.25).collect();
        let curve = Curve::new(times, (0..=keys).map(key).collect(), Interpolation::Linear).unwrap();
        (Clip::new("turn", vec![Channel::Rotation { joint, curve }], vec![]).unwrap(), arm, joint)
    }

    #[test]
    fn a_joint_that_keeps_rotating_gives_a_rising_line() {
        for (axis, place) in [(Vec3::X, 0), (Vec3::Y, 1), (Vec3::Z, 2)] {
            let (clip, arm, joint) = turning(axis, 3);
            let times: Vec<f32> = (0..=240_u8).map(|k| f32::from(k) * 0.025).collect();
            let trace = trace(&clip, arm.skeleton(), joint, TracedProperty::Rotation, &times).unwrap();
            let end = trace.values[240];
            assert!((end[place] - 1080.0).abs() < 0.5, "{end}");
            assert!(trace.values.windows(2).all(|w| (w[1] - w[0]).abs().max_element() < 5.0));
            assert_eq!(trace.keys.len(), 25);
            assert!((trace.keys[24].1 - end).abs().max_element() < 0.5);
        }
    }

    #[test]
    fn a_joint_without_a_channel_has_no_trace() {
        let (clip, arm, joint) = turning(Vec3::X, 1);
        let of = |joint, property| trace(&clip, arm.skeleton(), joint, property, &[0.0]);
        assert_eq!(of(joint, TracedProperty::Scale), None);
        assert_eq!(of(JointId(0), TracedProperty::Rotation), None);
        assert_eq!(of(JointId(999), TracedProperty::Rotation), None);
        assert!(of(joint, TracedProperty::Rotation).is_some());
    }
}
