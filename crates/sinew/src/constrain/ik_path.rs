//! The joints that an IK solver reads, with plain scale inheritance.

use crate::{
    asset::skeleton::{JointId, ScaleInheritance, Skeleton},
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use glam::{Affine3A, Vec3};
use std::borrow::Cow;

/// Paths of up to this length are solved without allocating where a scale is not inherited.
const FEW: usize = 32;

/// A path from a joint down to one of its descendants, and what is above it.
///
/// Solvers multiply transforms down the path. Where a joint does not inherit its parent's scale, the scale is moved into the
/// joint's translation first and put back afterwards: along a path, each joint has one child that matters, so the products
/// are the same.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct IkPath {
    above: Option<JointId>,
    /// The path and which of its joints are compensated; empty if none is.
    joints: Box<[(JointId, bool)]>,
}

impl IkPath {
    /// The path of `joints`, each the parent of the next.
    pub(super) fn new(skeleton: &Skeleton, joints: &[JointId]) -> Self {
        let is_compensated = |j: JointId| skeleton.scale_inheritance(j) == ScaleInheritance::Compensated;
        let any = joints.iter().any(|&j| is_compensated(j));
        Self {
            above: joints.first().and_then(|&first| skeleton.parent(first)),
            joints: joints.iter().filter(|_| any).map(|&j| (j, is_compensated(j))).collect(),
        }
    }

    /// Runs `solve` with `model_from_parent` of the first joint and a pose whose joints on the path inherit all scale. It may
    /// change rotations only.
    #[inline(always)]
    pub(super) fn solve<R>(
        &self,
        model: &ModelPose,
        pose: &mut LocalPose,
        solve: impl FnOnce(&Affine3A, &mut LocalPose) -> R,
    ) -> R {
        if self.joints.is_empty() {
            return solve(&self.above.map_or(Affine3A::IDENTITY, |j| model.joint(j)), pose);
        }
        self.solve_compensated(model, pose, solve)
    }

    #[cold]
    fn solve_compensated<R>(
        &self,
        model: &ModelPose,
        pose: &mut LocalPose,
        solve: impl FnOnce(&Affine3A, &mut LocalPose) -> R,
    ) -> R {
        let (mut few, mut many) = ([Transform::IDENTITY; FEW], Vec::new());
        let kept = match few.get_mut(..self.joints.len()) {
            Some(kept) => kept,
            None => {
                many.resize(self.joints.len(), Transform::IDENTITY);
                &mut many[..]
            }
        };
        for (kept, (j, _)) in kept.iter_mut().zip(&self.joints) {
            *kept = pose.joints[j.index()];
        }
        self.flatten(&mut pose.joints);
        let is_compensated = self.joints.first().is_some_and(|(_, is_compensated)| *is_compensated);
        let frame = |j| if is_compensated { model.unscaled(j) } else { model.joint(j) };
        let out = solve(&self.above.map_or(Affine3A::IDENTITY, frame), pose);
        for (kept, (j, _)) in kept.iter().zip(&self.joints) {
            let joint = &mut pose.joints[j.index()];
            *joint = Transform { rotation: joint.rotation, ..*kept };
        }
        out
    }

    /// `joints` with plain scale inheritance along the path.
    pub(super) fn plain<'a>(&self, joints: &'a [Transform]) -> Cow<'a, [Transform]> {
        let mut joints = Cow::Borrowed(joints);
        if !self.joints.is_empty() {
            self.flatten(joints.to_mut());
        }
        joints
    }

    /// Moves every scale that is not inherited along the path into the translation below it.
    fn flatten(&self, joints: &mut [Transform]) {
        let mut above = self.above.map_or(Vec3::ONE, |j| joints[j.index()].scale);
        let mut upper = None;
        for &(j, is_compensated) in &self.joints {
            if is_compensated {
                joints[j.index()].translation *= above;
                if let Some(upper) = upper.map(JointId::index) {
                    joints[upper].scale = Vec3::ONE;
                }
            }
            above = joints[j.index()].scale;
            upper = Some(j);
        }
    }
}

#[cfg(test)]
mod tests;
