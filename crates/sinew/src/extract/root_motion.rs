//! Root motion: extracted from a joint, and applied to it again.

use super::ExtractError;
use crate::{
    asset::{
        clip::{Channel, Clip, ClipKind, ClipParts, MetaChannel, MetaCurve},
        curve::{Curve, Interpolation},
        skeleton::{JointId, Skeleton},
    },
    pose::ModelPose,
    sample::{ClipCursor, RootTrack, Wrap, sample_clip_from},
    transform::{Transform, inverse_affine},
};
use glam::{Affine3A, Quat, Vec3};

/// Which motion of a joint is root motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMotionOptions {
    /// The joint that carries the character, usually the root or the hips.
    pub joint: JointId,
    /// Extracts vertical motion too; otherwise only motion over the ground.
    pub with_height: bool,
    /// Extracts rotation about the vertical axis.
    pub with_turn: bool,
}

impl RootMotionOptions {
    /// Motion of `joint` over the ground and rotation about the vertical axis.
    #[must_use]
    pub fn of(joint: JointId) -> Self {
        Self { joint, with_height: false, with_turn: true }
    }
}

/// `clip` in place: the motion of the chosen joint in model space is moved from the pose to root motion.
///
/// Root motion is stored in meta-channels ([`RootTrack`]). It starts at the identity, so the first pose is unchanged. Existing
/// root motion is combined with the new one. The result is exact at the keys of the joint and its ancestors.
///
/// # Errors
/// If the clip is additive or does not fit the skeleton, or an ancestor of the joint has a scale of 0.
pub fn extract_root_motion(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &RootMotionOptions,
) -> Result<Clip, ExtractError> {
    let carrier = RootCarrier::new(clip, skeleton, options.joint)?;
    let samples = carrier.samples()?;
    let Some(first) = samples.first().map(|s| s.model_from_joint) else {
        return Ok(clip.clone());
    };
    let before = RootTrack::of(clip);
    let (mut track, mut locals) = (Vec::new(), Vec::new());
    for sample in &samples {
        let way = root_motion_between(&first, &sample.model_from_joint, options);
        locals.push(sample.local_of(&(rigid_inverse(&way).to_affine() * sample.model_from_joint)));
        let carried = before.as_ref().map_or(Transform::IDENTITY, |b| b.at(sample.time_secs));
        track.push(carried * way);
    }
    let times: Vec<f32> = samples.iter().map(|s| s.time_secs).collect();
    let metas = metas_with(clip, Some(track_metas(&times, &track)?));
    carrier.rebuilt(&times, &locals, metas)
}

/// `clip` with its root motion applied to `joint`.
///
/// # Errors
/// If the clip has no root motion, is additive or does not fit the skeleton, or an ancestor of the joint has a scale of 0.
pub fn apply_root_motion(clip: &Clip, skeleton: &Skeleton, joint: JointId) -> Result<Clip, ExtractError> {
    let track = RootTrack::of(clip).ok_or_else(|| ExtractError::NoRootMotion { clip: clip.name().into() })?;
    let carrier = RootCarrier::new(clip, skeleton, joint)?;
    let samples = carrier.samples()?;
    let moved = |s: &CarrierSample| s.local_of(&(track.at(s.time_secs).to_affine() * s.model_from_joint));
    let locals: Vec<Transform> = samples.iter().map(moved).collect();
    let times: Vec<f32> = samples.iter().map(|s| s.time_secs).collect();
    carrier.rebuilt(&times, &locals, metas_with(clip, None))
}

/// The joint that carries root motion, with its clip.
struct RootCarrier<'a> {
    clip: &'a Clip,
    skeleton: &'a Skeleton,
    joint: JointId,
}

/// The carrier at one time.
struct CarrierSample {
    time_secs: f32,
    parent_from_model: Affine3A,
    /// The inverse of the frame that the rotation is relative to.
    turn_from_model: Affine3A,
    model_from_joint: Affine3A,
    scale: Vec3,
}

impl CarrierSample {
    /// `parent_from_joint` for another `model_from_joint`; the scale stays.
    fn local_of(&self, model_from_joint: &Affine3A) -> Transform {
        let (local, _) = Transform::from_affine(&(self.turn_from_model * *model_from_joint));
        let translation = self.parent_from_model.transform_point3(model_from_joint.translation.into());
        Transform { translation, scale: self.scale, ..local }
    }
}

impl<'a> RootCarrier<'a> {
    fn new(clip: &'a Clip, skeleton: &'a Skeleton, joint: JointId) -> Result<Self, ExtractError> {
        if clip.kind() != ClipKind::Absolute {
            return Err(ExtractError::WrongKind { clip: clip.name().into(), kind: clip.kind() });
        }
        let count = clip.joint_count().max(joint.index() + 1);
        if count > skeleton.len() {
            let wanted = skeleton.len();
            return Err(ExtractError::WrongSize { what: "the clip", count, wanted });
        }
        Ok(Self { clip, skeleton, joint })
    }

    /// The carrier at all keys of the joint, its ancestors and the root motion.
    fn samples(&self) -> Result<Vec<CarrierSample>, ExtractError> {
        let (skeleton, joint) = (self.skeleton, self.joint);
        let moves_it = |c: &&Channel| c.joint().is_some_and(|j| skeleton.is_within(joint, j));
        let channels = self.clip.channels().iter().filter(moves_it);
        let metas = self.clip.metas().iter().filter(|m| is_root(m));
        let times = key_times(
            channels
                .map(|c| (c.times_secs(), c.interpolation()))
                .chain(metas.map(|m| (m.curve.times_secs(), m.curve.interpolation()))),
        );
        let mut local = skeleton.rest_pose();
        // Morph weights are sampled too but not used.
        local.morphs = vec![0.0; self.clip.morph_slot_count()];
        let (mut cursor, mut model) = (ClipCursor::default(), ModelPose::new(skeleton));
        let mut out = Vec::with_capacity(times.len());
        for time_secs in times {
            sample_clip_from(self.clip, time_secs, Wrap::Clamp, &mut cursor, &mut local);
            model.update(skeleton, &local);
            let above = skeleton.parent(joint).map_or(Affine3A::IDENTITY, |p| model.joint(p));
            let flat = ExtractError::FlatParent { joint: joint.index() };
            let parent_from_model = inverse_affine(&above).ok_or(flat.clone())?;
            let turn_from_model = inverse_affine(&model.turn_frame(skeleton, joint)).ok_or(flat)?;
            let scale = local.joints[joint.index()].scale;
            out.push(CarrierSample {
                time_secs,
                parent_from_model,
                turn_from_model,
                model_from_joint: model.joint(joint),
                scale,
            });
        }
        Ok(out)
    }

    /// The clip with the local transforms `locals` for the carrier.
    fn rebuilt(
        &self,
        times: &[f32],
        locals: &[Transform],
        metas: Vec<MetaChannel>,
    ) -> Result<Clip, ExtractError> {
        let parts = self.clip.clone().into_parts();
        if times.is_empty() {
            return Ok(Clip::from_parts(ClipParts { metas, ..parts })?);
        }
        let mut channels = parts.channels;
        channels.retain(|c| {
            c.joint() != Some(self.joint)
                || !matches!(c, Channel::Translation { .. } | Channel::Rotation { .. })
        });
        let joint = self.joint;
        let (translations, rotations) = curves(times, locals)?;
        channels.push(Channel::Translation { joint, curve: translations });
        channels.push(Channel::Rotation { joint, curve: rotations });
        Ok(Clip::from_parts(ClipParts { channels, metas, ..parts })?)
    }
}

/// Translation and rotation curves through transforms.
fn curves(times: &[f32], places: &[Transform]) -> Result<(Curve<Vec3>, Curve<Quat>), ExtractError> {
    let translations = places.iter().map(|p| p.translation).collect();
    let mut before = Quat::IDENTITY;
    let rotations = places.iter().map(|p| {
        before = if p.rotation.dot(before) < 0.0 { -p.rotation } else { p.rotation };
        before
    });
    let rotations = rotations.collect();
    Ok((
        Curve::new(times.to_vec(), translations, Interpolation::Linear)?,
        Curve::new(times.to_vec(), rotations, Interpolation::Linear)?,
    ))
}

fn track_metas(times: &[f32], track: &[Transform]) -> Result<[MetaChannel; 2], ExtractError> {
    let (way, turn) = curves(times, track)?;
    Ok([
        MetaChannel { name: RootTrack::TRANSLATION.into(), curve: MetaCurve::Vector(way) },
        MetaChannel { name: RootTrack::ROTATION.into(), curve: MetaCurve::Rotation(turn) },
    ])
}

/// The meta-channels of `clip` with other root motion, or none.
fn metas_with(clip: &Clip, track: Option<[MetaChannel; 2]>) -> Vec<MetaChannel> {
    clip.metas().iter().filter(|m| !is_root(m)).cloned().chain(track.into_iter().flatten()).collect()
}

fn is_root(meta: &MetaChannel) -> bool {
    meta.name == RootTrack::TRANSLATION || meta.name == RootTrack::ROTATION
}

/// The root motion from one transform to another: over the ground, vertical if wanted, and about the vertical axis.
fn root_motion_between(from: &Affine3A, to: &Affine3A, options: &RootMotionOptions) -> Transform {
    let (origin, there) = (Vec3::from(from.translation), Vec3::from(to.translation));
    let turn = if options.with_turn { twist_about_y(from, to) } else { Quat::IDENTITY };
    let mut arrived = there;
    if !options.with_height {
        arrived.y = origin.y;
    }
    // A rotation about the model's origin moves the joint too, which is part of the translation.
    Transform::from_rotation_translation(turn, arrived - turn * origin)
}

/// The twist about y of the rotation between two transforms.
fn twist_about_y(from: &Affine3A, to: &Affine3A) -> Quat {
    let rotation = |m: &Affine3A| Transform::from_affine(m).0.rotation;
    let between = rotation(to) * rotation(from).conjugate();
    let twist = Quat::from_xyzw(0.0, between.y, 0.0, between.w);
    if twist.length_squared() > 1e-6 { twist.normalize() } else { Quat::IDENTITY }
}

fn rigid_inverse(it: &Transform) -> Transform {
    let rotation = it.rotation.conjugate();
    Transform::from_rotation_translation(rotation, rotation * -it.translation)
}

/// The key times of some curves in seconds, in order and each once, with seven times between the keys of cubic curves.
pub fn key_times<'a>(curves: impl Iterator<Item = (&'a [f32], Interpolation)>) -> Vec<f32> {
    let mut times = Vec::new();
    for (keys, interpolation) in curves {
        times.extend_from_slice(keys);
        if interpolation == Interpolation::Cubic {
            let between = |pair: &[f32]| {
                let (from, to) = (pair[0], pair[1]);
                (1..8_u8).map(move |k| from + (to - from) * f32::from(k) / 8.0)
            };
            times.extend(keys.windows(2).flat_map(between));
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests;
