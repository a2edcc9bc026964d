//! Aligns two rest poses.

use super::{anatomy::Anatomy, stance::Stance};
use sinew::{
    BodySide, JointId, ModelPose, Skeleton,
    glam::{Quat, Vec3},
};

/// One of the two bodies in its rest pose.
pub(super) struct AlignedBody<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) anatomy: &'a Anatomy,
    pub(super) rest: &'a ModelPose,
    pub(super) stance: &'a Stance,
}

impl AlignedBody<'_> {
    pub(super) fn at(&self, joint: JointId) -> Vec3 {
        self.rest.joint(joint).translation.into()
    }

    /// The vector from one joint to another in body axes: left, up, forward.
    fn bone(&self, from: Option<JointId>, to: Option<JointId>) -> Option<Vec3> {
        let bone = self.at(to?) - self.at(from?);
        (self.stance.model_from_body.conjugate() * bone).try_normalize()
    }

    /// The joint that a foot points to: its toes, or its most forward descendant.
    pub(super) fn toe_point(&self, side: BodySide) -> Option<JointId> {
        let limbs = self.anatomy.side(side);
        let foot = limbs.foot?;
        let ahead = self.stance.ahead();
        let below = self.skeleton.joints().filter(|&j| j != foot && self.skeleton.is_within(j, foot));
        let furthest = below.max_by(|&a, &b| self.at(a).dot(ahead).total_cmp(&self.at(b).dot(ahead)));
        limbs.toes.or(furthest).filter(|&toe| self.at(toe).distance(self.at(foot)) > 0.0)
    }

    /// The joint that a hand points to: its middle finger, or its farthest descendant.
    pub(super) fn hand_point(&self, side: BodySide) -> Option<JointId> {
        let limbs = self.anatomy.side(side);
        let hand = limbs.hand?;
        let below = self.skeleton.joints().filter(|&j| j != hand && self.skeleton.is_within(j, hand));
        let off = |j: JointId| self.at(j).distance(self.at(hand));
        let furthest = below.max_by(|&a, &b| off(a).total_cmp(&off(b)));
        [2, 1, 3].iter().find_map(|&f| limbs.fingers[f].first().copied()).or(furthest)
    }
}

/// For each joint of the target, the model-space rotation that aligns its rest pose with the source's: arms and legs point the
/// same way and feet have the same heading. The torso keeps its own shape.
pub(super) fn alignment(source: &AlignedBody<'_>, target: &AlignedBody<'_>) -> Vec<Quat> {
    let mut own: Vec<Option<LimbBend>> = vec![None; target.skeleton.len()];
    for side in BodySide::BOTH {
        let (from, to) = (source.anatomy.side(side), target.anatomy.side(side));
        let mut point = |joint: Option<JointId>, ends: [Option<Vec3>; 2]| {
            if let (Some(joint), [Some(wanted), Some(now)]) = (joint, ends) {
                own[joint.index()] = Some(LimbBend::Point { now, wanted });
            }
        };
        let hands = (source.hand_point(side), target.hand_point(side));
        point(
            to.upper_arm,
            [source.bone(from.upper_arm, from.forearm), target.bone(to.upper_arm, to.forearm)],
        );
        point(to.forearm, [source.bone(from.forearm, from.hand), target.bone(to.forearm, to.hand)]);
        point(to.hand, [source.bone(from.hand, hands.0), target.bone(to.hand, hands.1)]);
        point(to.thigh, [source.bone(from.thigh, from.shin), target.bone(to.thigh, to.shin)]);
        point(to.shin, [source.bone(from.shin, from.foot), target.bone(to.shin, to.foot)]);
        if let Some(foot) = to.foot {
            let ends = [
                source.bone(from.foot, source.toe_point(side)),
                target.bone(to.foot, target.toe_point(side)),
            ];
            own[foot.index()] = Some(LimbBend::foot(ends));
        }
    }
    let mut out: Vec<Quat> = Vec::with_capacity(own.len());
    for joint in target.skeleton.joints() {
        let parent = target.skeleton.parent(joint).map_or(Quat::IDENTITY, |p| out[p.index()]);
        out.push(own[joint.index()].as_ref().map_or(parent, |bend| bend.after(parent)));
    }
    // Computed in body axes, converted to model axes here.
    let axes = target.stance.model_from_body;
    out.iter().map(|&turn| (axes * turn * axes.conjugate()).normalize()).collect()
}

/// The rotation of a joint on top of its parent's.
#[derive(Clone, Debug)]
enum LimbBend {
    /// The shortest rotation from one direction to another.
    Point { now: Vec3, wanted: Vec3 },
    /// A fixed rotation, whatever the parent's is.
    Absolute(Quat),
}

impl LimbBend {
    /// Flat feet stay flat: ankles have different heights, so only the heading is aligned. A foot that points at the ground at rest
    /// is aligned like a limb.
    fn foot(ends: [Option<Vec3>; 2]) -> Self {
        let [Some(wanted), Some(now)] = ends else { return Self::Absolute(Quat::IDENTITY) };
        // Some rigs have a single toe joint in the middle of the foot, steeply below the ankle.
        let stands = |direction: Vec3| direction.z > 0.2;
        if stands(wanted) && stands(now) {
            let heading = |d: Vec3| d.x.atan2(d.z);
            Self::Absolute(Quat::from_rotation_y(heading(wanted) - heading(now)))
        } else {
            Self::Point { now, wanted }
        }
    }

    fn after(&self, parent: Quat) -> Quat {
        match *self {
            Self::Point { now, wanted } => Quat::from_rotation_arc(parent * now, wanted) * parent,
            Self::Absolute(turn) => turn,
        }
    }
}
