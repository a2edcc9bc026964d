//! Splits the rotations of a meta-joint into one curve per angle, and merges them again.

use super::{CurveValue, MotionError};
use sinew::{
    Channel, Clip, ClipKind, Curve, Interpolation, JointId, MetaChannel, MetaCurve, Skeleton,
    constrain::{MetaJoint, MetaJointPart},
    extract::key_times,
    glam::Quat,
    sample::sample_curve,
};

/// The curves that [`split_angles`] made, and what they leave out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AngleSplitReport {
    /// Names of the new meta-channels.
    pub curves: Vec<String>,
    /// The largest angle of a key's rotation that the axes cannot represent, in radians; merging does not restore it.
    pub residual_radians: f32,
    /// The largest error halfway between the linear keys that replace cubic ones, in radians.
    pub cubic_error_radians: f32,
}

/// `clip` with the rotation channels of `meta` replaced by one scalar meta-channel per angle, in radians from rest, called
/// as [`MetaJoint::angle_names`] says.
///
/// Each key's angles are those closest to the key before, so curves continue past half a turn and through gimbal lock. Keys
/// keep their times. Step curves stay step curves; cubic curves become linear with eight times as many keys, which the
/// report measures. [`merge_angles`] gives the rotations back: at keys within 1e-6 rad plus the residual, and between keys
/// too, since the merged channel interpolates rotations as the original does. A joint without rotation keys gets no curves.
///
/// # Errors
/// If the clip is additive or does not fit the skeleton, or a name is taken by another meta-channel.
pub fn split_angles(
    clip: &Clip,
    skeleton: &Skeleton,
    meta: &MetaJoint,
) -> Result<(Clip, AngleSplitReport), MotionError> {
    check(clip, skeleton)?;
    let mut parts = clip.clone().into_parts();
    let (mut report, mut names) = (AngleSplitReport::default(), meta.angle_names().into_iter());
    for part in meta.parts() {
        let own: Vec<String> = names.by_ref().take(part.axes.axes().len()).collect();
        let Some(curve) = rotation_of(clip, part.joint) else { continue };
        let curve = linear(curve, &mut report)?;
        let mut angles = vec![Vec::with_capacity(curve.key_count()); own.len()];
        let (rest, mut before) = (skeleton.rest(part.joint).rotation.normalize(), [0.0; 3]);
        for key in 0..curve.key_count() {
            let found = part.axes.angles_near(rest.conjugate() * curve.key(key)[0], before);
            before = found.radians;
            report.residual_radians = report.residual_radians.max(found.residual_radians);
            angles.iter_mut().zip(before).for_each(|(values, angle)| values.push(angle));
        }
        parts.channels.retain(|channel| !is_rotation(channel, part.joint));
        for (name, values) in own.into_iter().zip(angles) {
            let curve = Curve::new(curve.times_secs().to_vec(), values, curve.interpolation())?;
            report.curves.push(name.clone());
            parts.metas.push(MetaChannel { name, curve: MetaCurve::Scalar(curve) });
        }
    }
    Ok((Clip::from_parts(parts)?, report))
}

/// `clip` with the angles of `meta` merged into rotation channels again: the inverse of [`split_angles`].
///
/// A joint has a key wherever one of its angles has; an angle without a curve is 0. The curves are removed. Step curves
/// merge to a step channel, all others to a linear one.
///
/// # Errors
/// If the clip is additive or does not fit the skeleton.
pub fn merge_angles(clip: &Clip, skeleton: &Skeleton, meta: &MetaJoint) -> Result<Clip, MotionError> {
    check(clip, skeleton)?;
    let mut parts = clip.clone().into_parts();
    let mut names = meta.angle_names().into_iter();
    for part in meta.parts() {
        let own: Vec<String> = names.by_ref().take(part.axes.axes().len()).collect();
        let curves: Vec<Option<&Curve<f32>>> = own.iter().map(|name| angle_curve(clip, name)).collect();
        if curves.iter().all(Option::is_none) {
            continue;
        }
        let channel = merged(skeleton, part, &curves)?;
        parts.metas.retain(|channel| !own.contains(&channel.name));
        parts.channels.retain(|channel| !is_rotation(channel, part.joint));
        parts.channels.push(channel);
    }
    Ok(Clip::from_parts(parts)?)
}

fn check(clip: &Clip, skeleton: &Skeleton) -> Result<(), MotionError> {
    if clip.kind() != ClipKind::Absolute {
        return Err(MotionError::WrongKind { clip: clip.name().into(), kind: clip.kind() });
    }
    let (count, wanted) = (clip.joint_count(), skeleton.len());
    if count > wanted {
        return Err(MotionError::WrongSize { what: "the clip", count, wanted });
    }
    Ok(())
}

fn is_rotation(channel: &Channel, of: JointId) -> bool {
    matches!(channel, Channel::Rotation { joint, .. } if *joint == of)
}

/// The rotation curve of a joint; of several the last, which takes precedence in sampling.
fn rotation_of(clip: &Clip, of: JointId) -> Option<&Curve<Quat>> {
    clip.channels().iter().rev().find_map(|channel| match channel {
        Channel::Rotation { joint, curve } if *joint == of => Some(curve),
        Channel::Rotation { .. }
        | Channel::Translation { .. }
        | Channel::Scale { .. }
        | Channel::Morphs { .. } => None,
    })
}

fn angle_curve<'a>(clip: &'a Clip, name: &str) -> Option<&'a Curve<f32>> {
    match &clip.metas().iter().find(|meta| meta.name == name)?.curve {
        MetaCurve::Scalar(curve) => Some(curve),
        MetaCurve::Vector(_) | MetaCurve::Rotation(_) => None,
    }
}

/// `curve`, or linear keys along it if it is cubic.
fn linear(curve: &Curve<Quat>, report: &mut AngleSplitReport) -> Result<Curve<Quat>, MotionError> {
    if curve.interpolation() != Interpolation::Cubic {
        return Ok(curve.clone());
    }
    let times = key_times([(curve.times_secs(), curve.interpolation())].into_iter());
    let at = |curve: &Curve<Quat>, time: f32| sample_curve(curve, time).as_key();
    let values = times.iter().map(|&time| at(curve, time)).collect();
    let out = Curve::new(times, values, Interpolation::Linear)?;
    for pair in out.times_secs().windows(2) {
        let middle = 0.5 * (pair[0] + pair[1]);
        let left = at(curve, middle).conjugate() * at(&out, middle);
        let error = 2.0 * left.xyz().length().atan2(left.w.abs());
        report.cubic_error_radians = report.cubic_error_radians.max(error);
    }
    Ok(out)
}

/// The rotation channel of one joint from the curves of its angles.
fn merged(
    skeleton: &Skeleton,
    part: &MetaJointPart,
    curves: &[Option<&Curve<f32>>],
) -> Result<Channel, MotionError> {
    let given = || curves.iter().flatten();
    let times = key_times(given().map(|curve| (curve.times_secs(), curve.interpolation())));
    let is_step = given().all(|curve| curve.interpolation() == Interpolation::Step);
    let interpolation = if is_step { Interpolation::Step } else { Interpolation::Linear };
    let (rest, mut before) = (skeleton.rest(part.joint).rotation.normalize(), None);
    let value = |&time: &f32| {
        let mut radians = [0.0; 3];
        for (radians, curve) in radians.iter_mut().zip(curves) {
            *radians = curve.map_or(0.0, |curve| sample_curve(curve, time));
        }
        let rotation = (rest * part.axes.rotation(radians)).normalize();
        let rotation = rotation.near(before.unwrap_or(rotation));
        before = Some(rotation);
        rotation
    };
    let values = times.iter().map(value).collect();
    Ok(Channel::Rotation { joint: part.joint, curve: Curve::new(times, values, interpolation)? })
}

#[cfg(test)]
mod tests;
