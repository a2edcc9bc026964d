//! Bakes poses to keys.

use super::{MotionError, hold_until};
use sinew::{
    Channel, Character, Clip, ClipParts, Curve, Interpolation, LocalPose, Transform,
    glam::{Quat, Vec3},
};

/// A clip whose keys are `poses` of `character` at `times_secs`, for instance the results of IK, constraints or blends.
///
/// Joints and morph weights that stay at rest get no channel; those that never move get one key. The clip lasts until the
/// last time.
///
/// # Errors
/// If a pose does not fit the character, the numbers of times and poses differ, times decrease, or a value is not finite.
pub fn baked(
    name: &str,
    character: &Character,
    times_secs: &[f32],
    poses: &[LocalPose],
) -> Result<Clip, MotionError> {
    let rest = character.rest_pose();
    if poses.len() != times_secs.len() {
        let (count, wanted) = (poses.len(), times_secs.len());
        return Err(MotionError::WrongSize { what: "the list of poses", count, wanted });
    }
    for pose in poses {
        for (count, wanted) in
            [(pose.joints.len(), rest.joints.len()), (pose.morphs.len(), rest.morphs.len())]
        {
            if count != wanted {
                return Err(MotionError::WrongSize { what: "a pose", count, wanted });
            }
        }
    }
    let mut channels = Vec::new();
    for joint in character.skeleton().joints() {
        let at_rest = rest.joints[joint.index()];
        let track = |part: fn(&Transform) -> Vec3| {
            let values = poses.iter().map(|p| vec![part(&p.joints[joint.index()])]);
            keyed(times_secs, values.collect(), &[part(&at_rest)])
        };
        if let Some(curve) = track(|t| t.translation)? {
            channels.push(Channel::Translation { joint, curve });
        }
        let rotations = poses.iter().map(|p| p.joints[joint.index()].rotation);
        let rotations = continuous(rotations, at_rest.rotation);
        if let Some(curve) = keyed(times_secs, rotations, &[at_rest.rotation])? {
            channels.push(Channel::Rotation { joint, curve });
        }
        if let Some(curve) = track(|t| t.scale)? {
            channels.push(Channel::Scale { joint, curve });
        }
    }
    for index in 0..character.instances().len() {
        let slots = character.morph_slots(index);
        if slots.is_empty() {
            continue;
        }
        let weights = poses.iter().map(|p| p.morphs[slots.clone()].to_vec()).collect();
        if let Some(curve) = keyed(times_secs, weights, &rest.morphs[slots.clone()])? {
            channels.push(Channel::Morphs { first_slot: slots.start, curve });
        }
    }
    let mut parts = ClipParts { name: name.into(), channels, ..ClipParts::default() };
    hold_until(&mut parts, times_secs.last().copied().unwrap_or_default());
    Ok(Clip::from_parts(parts)?)
}

/// Unit rotations, each with the sign that is closer to the one before.
fn continuous(rotations: impl Iterator<Item = Quat>, first: Quat) -> Vec<Vec<Quat>> {
    let mut before = first;
    rotations
        .map(|q| {
            // A unit quaternion stays bit-identical, so that a joint at rest is recognized.
            let unit = if (q.length_squared() - 1.0).abs() < 1e-6 { q } else { q.normalize() };
            before = if unit.dot(before) < 0.0 { -unit } else { unit };
            vec![before]
        })
        .collect()
}

/// A curve through `rows`; one key if they are all equal, none if they are all `rest`.
fn keyed<T: Copy + PartialEq>(
    times_secs: &[f32],
    rows: Vec<Vec<T>>,
    rest: &[T],
) -> Result<Option<Curve<T>>, MotionError> {
    if rows.iter().all(|row| row == rest) {
        return Ok(None);
    }
    let is_still = rows.windows(2).all(|pair| pair[0] == pair[1]);
    let count = if is_still { 1 } else { rows.len() };
    let values = rows[..count].concat();
    let curve = Curve::with_width(rest.len(), times_secs[..count].to_vec(), values, Interpolation::Linear)?;
    Ok(Some(curve))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Wrap, sample::Deviation, sample_clip};

    #[test]
    fn a_clip_baked_at_its_own_keys_is_unchanged() {
        let figure = sinew_samples::figure();
        let walk = figure.find_clip("walk").unwrap();
        let longest = walk.channels().iter().max_by_key(|c| c.key_count()).unwrap();
        let times = longest.times_secs().to_vec();
        let pose = |&time: &f32| {
            let mut pose = figure.rest_pose();
            sample_clip(walk, time, Wrap::Clamp, &mut pose);
            pose
        };
        let poses: Vec<LocalPose> = times.iter().map(pose).collect();
        let again = baked("again", &figure, &times, &poses).unwrap();
        assert_eq!(again.channels().len(), walk.channels().len());
        let mut deviation = Deviation::new(figure.skeleton(), 0.05);
        for step in 0..97_u8 {
            let time = walk.duration_secs() * f32::from(step) / 96.0;
            let (want, mut got) = (pose(&time), figure.rest_pose());
            sample_clip(&again, time, Wrap::Clamp, &mut got);
            assert!(deviation.between(&want, &got) < 1e-4, "at {time}");
        }
    }

    #[test]
    fn rejects_poses_of_another_character_and_non_finite_values() {
        let figure = sinew_samples::figure();
        let rest = figure.rest_pose();
        let small = LocalPose::default();
        assert!(matches!(baked("b", &figure, &[0.0], &[small]), Err(MotionError::WrongSize { .. })));
        assert!(matches!(
            baked("b", &figure, &[], std::slice::from_ref(&rest)),
            Err(MotionError::WrongSize { .. })
        ));
        let mut bad = rest.clone();
        bad.joints[2].translation.x = f32::NAN;
        assert!(matches!(baked("b", &figure, &[0.0], &[bad]), Err(MotionError::Clip(_))));
        assert!(baked("b", &figure, &[0.0], &[rest]).unwrap().channels().is_empty());
    }
}
