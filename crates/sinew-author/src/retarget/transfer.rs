//! A pose of the source becomes a pose of the target.

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
    /// What stands between the source's turn and the target's: both rests and the alignment of the two.
    source_from_target: Quat,
}

/// Where the target is put.
#[derive(Clone, Debug)]
struct Anchor {
    /// The joints whose middle is followed: the thighs, or the first joint that is mapped.
    source: Vec<JointId>,
    target: Vec<JointId>,
    /// The target joint that is moved for it.
    carrier: JointId,
}

/// Everything that takes poses across, worked out once.
#[derive(Clone, Debug)]
pub(super) struct Transfer<'a> {
    target: &'a Skeleton,
    links: Vec<Option<TransferLink>>,
    anchor: Option<Anchor>,
    /// Turns the source's axes into the target's.
    target_from_source: Quat,
    /// Every length of the source is multiplied by this.
    pub(super) scale: f32,
    offset: Vec3,
    turns: Vec<Quat>,
}

impl<'a> Transfer<'a> {
    /// `source_turns` are the turns of the source's rest. `ground` is how high the lowest joint of the source's feet is when
    /// it stands, `ankle` how high the target's ankles are.
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

    /// Moves everything along `up` so that a source point at `source_height` comes to `target_height`, and leaves where it
    /// stands on the ground to the motion.
    pub(super) fn stand(&mut self, up: Vec3, source_height: f32, target_height: f32) {
        self.offset = up * (target_height - self.scale * source_height);
    }

    /// A point of the source in the target's space.
    pub(super) fn place(&self, source: Vec3) -> Vec3 {
        self.target_from_source * source * self.scale + self.offset
    }

    /// Turns every mapped joint of `pose` as the source is turned, and puts the body in its place; `model` becomes the pose's.
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

    /// The joint that carries the body.
    pub(super) fn carrier(&self) -> Option<JointId> {
        self.anchor.as_ref().map(|a| a.carrier)
    }
}

/// Moves `joint` and what it carries by a way in model space.
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

/// How far the joints of a body reach.
fn extent(body: &AlignedBody<'_>) -> f32 {
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
