//! Converts a pose of the source to a pose of the target.

use super::{
    align::{AlignedBody, alignment},
    map::JointMap,
    rest::model_turns,
};
use sinew::{
    JointId, LocalPose, ModelPose, Skeleton,
    glam::{Quat, Vec3},
    transform::inverse_affine,
};

/// How one target joint follows a source joint.
#[derive(Clone, Copy, Debug)]
struct TransferLink {
    source: JointId,
    /// The offset between the rotations of source and target: both rest poses and their alignment.
    source_from_target: Quat,
}

/// How the target follows the root translation of the source.
#[derive(Clone, Debug)]
struct Anchor {
    /// The joints whose mean position is followed: the thighs, or the first mapped joint.
    source: Vec<JointId>,
    target: Vec<JointId>,
    /// The target joint that is translated.
    carrier: JointId,
}

/// Data that is computed once to retarget poses.
#[derive(Clone, Debug)]
pub(super) struct Transfer<'a> {
    target: &'a Skeleton,
    links: Vec<Option<TransferLink>>,
    anchor: Option<Anchor>,
    /// Rotates the axes of the source to those of the target.
    target_from_source: Quat,
    /// The factor for lengths of the source.
    pub(super) scale: f32,
    offset: Vec3,
    turns: Vec<Quat>,
}

impl<'a> Transfer<'a> {
    /// `source_turns` are the model-space rotations of the source at rest, `ground` is the height of the lowest joint of the
    /// source's planted feet, and `ankle` is the height of the target's ankles.
    pub(super) fn new(
        source: &AlignedBody<'_>,
        target: &AlignedBody<'a>,
        map: &JointMap,
        source_turns: &[Quat],
    ) -> Self {
        let axes = target.stance.model_from_body * source.stance.model_from_body.conjugate();
        let align = alignment(source, target);
        let mut target_turns = Vec::new();
        model_turns(target.skeleton, &target.skeleton.rest_pose(), &mut target_turns);
        let link = |joint: JointId| {
            let from = map.source_of(joint)?;
            let rest = align[joint.index()] * target_turns[joint.index()];
            let source_from_target = source_turns[from.index()].conjugate() * axes.conjugate() * rest;
            Some(TransferLink { source: from, source_from_target: source_from_target.normalize() })
        };
        let scale = match (source.stance.leg_length, target.stance.leg_length) {
            (Some(from), Some(to)) => to / from,
            _ => extent(target) / extent(source),
        };
        let mut out = Self {
            target: target.skeleton,
            links: target.skeleton.joints().map(link).collect(),
            anchor: anchor(source, target, map),
            target_from_source: axes,
            scale: if scale.is_finite() && scale > 0.0 { scale } else { 1.0 },
            offset: Vec3::ZERO,
            turns: Vec::new(),
        };
        if let Some(anchor) = &out.anchor {
            let from = middle(source.rest, &anchor.source);
            out.offset = middle(target.rest, &anchor.target) - out.place(from);
        }
        out
    }

    /// Offsets the target along `up` so that a source point at `source_height` maps to `target_height`. Horizontal motion is not
    /// changed.
    pub(super) fn stand(&mut self, up: Vec3, source_height: f32, target_height: f32) {
        self.offset = up * (target_height - self.scale * source_height);
    }

    /// Transforms a point from source space to target space.
    pub(super) fn place(&self, source: Vec3) -> Vec3 {
        self.target_from_source * source * self.scale + self.offset
    }

    /// Rotates every mapped joint of `pose` like its source and moves the body; `model` is updated to the pose.
    pub(super) fn apply(
        &mut self,
        source: &ModelPose,
        source_turns: &[Quat],
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        self.turns.clear();
        for joint in self.target.joints() {
            let parent = self.target.parent(joint).map_or(Quat::IDENTITY, |p| self.turns[p.index()]);
            let local = &mut pose.joints[joint.index()].rotation;
            if let Some(link) = &self.links[joint.index()] {
                let turn =
                    self.target_from_source * source_turns[link.source.index()] * link.source_from_target;
                *local = (parent.conjugate() * turn).normalize();
            }
            self.turns.push((parent * *local).normalize());
        }
        model.update(self.target, pose);
        if let Some(anchor) = &self.anchor {
            let wanted = self.place(middle(source, &anchor.source));
            let by = wanted - middle(model, &anchor.target);
            shift(self.target, pose, model, anchor.carrier, by);
        }
    }

    /// The source joints whose place the body follows.
    pub(super) fn anchors(&self) -> &[JointId] {
        self.anchor.as_ref().map_or(&[], |a| &a.source)
    }

    /// The joint that carries the body.
    pub(super) fn carrier(&self) -> Option<JointId> {
        self.anchor.as_ref().map(|a| a.carrier)
    }
}

/// Moves `joint` and its descendants by an offset in model space.
pub(super) fn shift(
    skeleton: &Skeleton,
    pose: &mut LocalPose,
    model: &mut ModelPose,
    joint: JointId,
    by: Vec3,
) {
    let parent_from_model = match skeleton.parent(joint) {
        Some(parent) => inverse_affine(&model.joint(parent)),
        None => Some(sinew::glam::Affine3A::IDENTITY),
    };
    if let Some(parent_from_model) = parent_from_model {
        pose.joints[joint.index()].translation += parent_from_model.transform_vector3(by);
        model.update_below(skeleton, pose, joint);
    }
}

fn middle(model: &ModelPose, joints: &[JointId]) -> Vec3 {
    let sum: Vec3 = joints.iter().map(|&j| Vec3::from(model.joint(j).translation)).sum();
    sum / joints.len().max(1) as f32
}

/// The extent of the joints of a body.
pub(super) fn extent(body: &AlignedBody<'_>) -> f32 {
    let at = body.skeleton.joints().map(|j| body.at(j));
    let (low, high) = at.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    (high - low).length()
}

fn anchor(source: &AlignedBody<'_>, target: &AlignedBody<'_>, map: &JointMap) -> Option<Anchor> {
    let thighs = |body: &AlignedBody<'_>| -> Option<Vec<JointId>> {
        body.anatomy.sides.iter().map(|s| s.thigh).collect()
    };
    let pelvis = target.anatomy.pelvis.filter(|&p| map.source_of(p).is_some());
    if let (Some(carrier), Some(source), Some(target)) = (pelvis, thighs(source), thighs(target)) {
        return Some(Anchor { source, target, carrier });
    }
    let first = map.pairs().first()?;
    Some(Anchor { source: vec![first.source], target: vec![first.target], carrier: first.target })
}
