//! Faults that are planted in clips.

use super::{Body, Seeded};
use sinew::{
    Channel, Character, Clip, ClipKind, Curve, Frame, Influence, Interpolation, JointId, Method, ModelPose,
    Wrap,
    glam::{Affine3A, Quat, Vec3},
    sample_clip,
};
use sinew_author::{motion::other_side, weights::BoneSet};
use std::sync::Arc;

/// A clip of dense keys: one of the character, sampled at 30 Hz.
pub(super) fn dense_clip(character: &Character, random: &mut Seeded) -> Option<Clip> {
    let usable: Vec<usize> = (0..character.clips().len())
        .filter(|&c| {
            let clip = &character.clips()[c];
            clip.kind() == ClipKind::Absolute && clip.duration_secs() > 0.6
        })
        .collect();
    sinew_author::motion::resampled(&character.clips()[random.pick(&usable)?], 30.0).ok()
}

pub(super) fn with_clip(character: &Character, channels: Vec<Channel>) -> Option<Character> {
    let mut parts = character.parts().clone();
    parts.clips.push(Arc::new(Clip::new("planted", channels, Vec::new()).ok()?));
    Character::new(parts).ok()
}

/// A joint with skin that is not at the end of a limb, and a dense clip with its rotation sampled.
pub(super) fn clip_and_joint(
    character: &Character,
    random: &mut Seeded,
) -> Option<(Vec<Channel>, JointId, Vec<f32>)> {
    let body = Body::of(character)?;
    let clip = dense_clip(character, random)?;
    let size = body.size();
    let joints: Vec<u16> = body.loaded(12.0).into_iter().filter(|&s| body.reach(s) > 0.1 * size).collect();
    let joint = body.joint(random.pick(&joints)?);
    let frames = (clip.duration_secs() * 30.0) as usize;
    let times: Vec<f32> = (0..=frames).map(|f| f as f32 / 30.0).collect();
    Some((clip.channels().to_vec(), joint, times))
}

/// Replaces the rotation of a joint by one sampled from `channels` and changed by frame.
pub(super) fn rerotated(
    character: &Character,
    channels: &[Channel],
    joint: JointId,
    times: &[f32],
    of: impl Fn(usize, Quat) -> Quat,
) -> Option<Vec<Channel>> {
    let clip = Clip::new("", channels.to_vec(), Vec::new()).ok()?;
    let at = |(frame, &time): (usize, &f32)| {
        let mut local = character.rest_pose();
        sample_clip(&clip, time, Wrap::Clamp, &mut local);
        of(frame, local.joints[joint.index()].rotation)
    };
    let values = times.iter().enumerate().map(at).collect();
    let curve = Curve::new(times.to_vec(), values, Interpolation::Linear).ok()?;
    let mut out: Vec<Channel> = channels.to_vec();
    out.retain(|c| !matches!(c, Channel::Rotation { joint: j, .. } if *j == joint));
    out.push(Channel::Rotation { joint, curve });
    Some(out)
}

/// Replaces the translation of a joint by one sampled from `channels` and changed by frame.
pub(super) fn moved(
    character: &Character,
    channels: &[Channel],
    joint: JointId,
    times: &[f32],
    of: impl Fn(usize, Vec3) -> Vec3,
) -> Option<Vec<Channel>> {
    let clip = Clip::new("", channels.to_vec(), Vec::new()).ok()?;
    let at = |(frame, &time): (usize, &f32)| {
        let mut local = character.rest_pose();
        sample_clip(&clip, time, Wrap::Clamp, &mut local);
        of(frame, local.joints[joint.index()].translation)
    };
    let values = times.iter().enumerate().map(at).collect();
    let curve = Curve::new(times.to_vec(), values, Interpolation::Linear).ok()?;
    let mut out: Vec<Channel> = channels.to_vec();
    out.retain(|c| !matches!(c, Channel::Translation { joint: j, .. } if *j == joint));
    out.push(Channel::Translation { joint, curve });
    Some(out)
}

pub(super) fn jitter(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let amount = random.between(0.03, 0.2);
    let sign = |frame: usize| if frame.is_multiple_of(2) { 1.0 } else { -1.0 };
    with_clip(
        character,
        rerotated(character, &channels, joint, &times, |f, q| q * Quat::from_rotation_x(amount * sign(f)))?,
    )
}

/// The size of the body in the units of a joint's translation.
pub(super) fn local_size(character: &Character, joint: JointId) -> Option<f32> {
    let skeleton = character.skeleton();
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear).ok()?;
    let size = frame.bounds().size().max_element();
    let parent = skeleton.parent(joint).map_or(Affine3A::IDENTITY, |p| frame.model().joint(p));
    Some(size / parent.matrix3.determinant().abs().cbrt())
}

pub(super) fn pop(character: &Character, random: &mut Seeded, is_translation: bool) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let at = 3 + random.index(times.len().checked_sub(6)?)?;
    let angle = random.between(0.4, 1.5);
    let far = random.between(0.1, 0.4) * local_size(character, joint)?;
    let channels = if is_translation {
        moved(character, &channels, joint, &times, |f, t| if f == at { t + Vec3::Y * far } else { t })?
    } else {
        rerotated(character, &channels, joint, &times, |f, q| {
            if f == at { q * Quat::from_rotation_z(angle) } else { q }
        })?
    };
    with_clip(character, channels)
}

pub(super) fn jump(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let at = 4 + random.index(times.len().checked_sub(8)?)?;
    let far = random.between(0.2, 0.6) * local_size(character, joint)?;
    with_clip(
        character,
        moved(character, &channels, joint, &times, |f, t| if f >= at { t + Vec3::X * far } else { t })?,
    )
}

pub(super) fn flip(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let every = 2 + random.index(4)?;
    with_clip(
        character,
        rerotated(character, &channels, joint, &times, |f, q| if f % every == 0 { -q } else { q })?,
    )
}

/// A clip that only turns one joint about its own bone, by a full half turn.
pub(super) fn wrung(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let bones = BoneSet::of_character(character, body.skin_index);
    // Joints whose skin blends with that of the joint above, all around the bone.
    let is_blended = |slot: &u16| {
        let Some(above) = body.above(*slot) else { return false };
        let half = |v: usize| {
            let (one, other) = (body.weights.weight_of(v, *slot), body.weights.weight_of(v, above));
            one > 0.3 && other > 0.3
        };
        let blended: Vec<Vec3> =
            (0..body.weights.vertex_count()).filter(|&v| half(v)).map(|v| body.mesh.positions()[v]).collect();
        let Some(head) = body.head(*slot) else { return false };
        let Some(axis) = direction(&bones, *slot) else { return false };
        goes_around(&blended, head, axis)
    };
    let slots: Vec<u16> = body.loaded(12.0).into_iter().filter(is_blended).collect();
    let slot = random.pick(&slots)?;
    let joint = body.joint(slot);
    let axis = body.skin.joint_from_mesh()[usize::from(slot)]
        .transform_vector3(direction(&bones, slot)?)
        .normalize();
    let rest = character.rest_pose().joints[joint.index()].rotation;
    let angle = std::f32::consts::PI * random.between(0.95, 1.0);
    let turn = |part: f32| rest * Quat::from_axis_angle(axis, angle * part);
    let curve = Curve::new(
        vec![0.0, 0.5, 1.0, 1.5],
        vec![turn(0.0), turn(0.5), turn(1.0), turn(0.0)],
        Interpolation::Linear,
    );
    with_clip(character, vec![Channel::Rotation { joint, curve: curve.ok()? }])
}

pub(super) fn direction(bones: &BoneSet, slot: u16) -> Option<Vec3> {
    let own = bones.bones().iter().filter(|b| b.slot == slot);
    own.map(|b| b.tail - b.head).max_by(|a, b| a.length().total_cmp(&b.length()))?.try_normalize()
}

/// True if places are on all sides of an axis.
pub(super) fn goes_around(places: &[Vec3], head: Vec3, axis: Vec3) -> bool {
    let (right, up) = axis.any_orthonormal_pair();
    let mut angles: Vec<f32> =
        places.iter().map(|p| (*p - head).dot(up).atan2((*p - head).dot(right))).collect();
    angles.sort_by(f32::total_cmp);
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return false };
    let wrapped = first + std::f32::consts::TAU - last;
    angles.len() >= 6 && angles.windows(2).map(|p| p[1] - p[0]).fold(wrapped, f32::max) < 1.2
}

/// The tube with weights spread over all of its length, wrung.
pub(super) fn folded(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    (body.skin.joints().len() == 2).then_some(())?;
    let length = body.mesh.positions().iter().map(|p| p.y).fold(0.0, f32::max);
    let soft = body.reweighted(|vertex, _| {
        let weight = (body.mesh.positions()[vertex as usize].y / length).clamp(0.0, 1.0);
        vec![Influence { slot: 0, weight: 1.0 - weight }, Influence { slot: 1, weight }]
    })?;
    let joint = body.joint(1);
    let rest = character.rest_pose().joints[joint.index()].rotation;
    let end = rest * Quat::from_rotation_y(random.between(2.6, 3.1));
    let curve = Curve::new(vec![0.0, 1.0], vec![rest, end], Interpolation::Linear).ok()?;
    with_clip(&soft, vec![Channel::Rotation { joint, curve }])
}

/// A clip in which the root moves, as a fraction of the height, and the feet with it.
pub(super) fn dragged(character: &Character, random: &mut Seeded, low: f32, high: f32) -> Option<Character> {
    let skeleton = character.skeleton();
    let is_foot = |j: &JointId| {
        let name = skeleton.name(*j).to_lowercase();
        name.contains("foot") && other_side(skeleton.name(*j)).is_some()
    };
    let body = Body::of(character)?;
    let loads = body.loads();
    let is_skinned = |j: &JointId| body.skin.slot_of(*j).is_some_and(|s| loads[usize::from(s)] > 1.0);
    let foot = skeleton.joints().filter(is_foot).find(is_skinned)?;
    let root = skeleton.ancestors(foot).last()?;
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &skeleton.rest_pose());
    let heights = model.joints().iter().map(|m| m.translation.y);
    let height = heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min);
    let far = random.between(low, high) * height;
    let angle = random.between(0.0, std::f32::consts::TAU);
    let way = Vec3::new(angle.cos(), 0.0, angle.sin()) * far;
    let rest = skeleton.rest(root).translation;
    let times: Vec<f32> = (0..=60).map(|f| f as f32 / 30.0).collect();
    let values = times.iter().map(|t| rest + way * (t / 2.0)).collect();
    let curve = Curve::new(times, values, Interpolation::Linear).ok()?;
    with_clip(character, vec![Channel::Translation { joint: root, curve }])
}
