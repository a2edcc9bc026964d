//! Chains of any length that reach for a point, by [`fabrik`](super::fabrik()) or [`ccd`](super::ccd()).

use super::{
    limit::Limit,
    reach::{IkError, Reach, path},
    turn::{arc, into_joint, inverse},
    two_bone::blend,
    unit,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use glam::{Affine3A, Quat, Vec3};

/// How far joints are bent where a chain lies in line with its target, in radians.
const NUDGE_RADIANS: f32 = 0.12;
/// How often a chain that makes no way is bent before it is left.
const NUDGES: u8 = 4;

/// A chain of joints, each the parent of the next, checked against its skeleton.
///
/// Ancestors of the chain may scale, shear and mirror, and joints of it may have any scale: every turn is worked out in
/// the space in which it happens. FABRIK takes bone lengths as they are before each pass, so with uneven scale inside the
/// chain it needs more passes; CCD does not care. A joint that is scaled to nothing has no inverse: what is below it
/// cannot be aimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    above: Option<JointId>,
    /// From the one that turns first down to the effector.
    joints: Box<[JointId]>,
    /// One for each joint but the effector.
    limits: Box<[Option<Limit>]>,
}

/// What a chain should do in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainGoal {
    /// Where the effector goes, in model space.
    pub target: Vec3,
    /// How much of the solution is taken: 0 leaves the pose as it is to the bit, 1 takes it all.
    ///
    /// Limits hold at 1; between, the way from the pose that came in need not keep them.
    pub weight: f32,
    /// The most passes over the chain.
    pub passes: u16,
    /// How near is near enough, as a part of the chain's length.
    pub tolerance: f32,
}

impl ChainGoal {
    /// Reach for `target` with full weight, in at most 48 passes, to 1e-4 of the chain's length.
    pub const fn to(target: Vec3) -> Self {
        Self { target, weight: 1.0, passes: 48, tolerance: 1e-4 }
    }
}

/// Room in which chains are solved; grows to the longest chain and is then used again.
#[derive(Clone, Debug, Default)]
pub struct ChainScratch {
    pub(super) points: Vec<Vec3>,
    pub(super) lengths: Vec<f32>,
    input: Vec<Quat>,
    best: Vec<Quat>,
}

impl ChainScratch {
    /// Room for `chain`.
    pub fn new(chain: &Chain) -> Self {
        let count = chain.joints.len();
        Self {
            points: vec![Vec3::ZERO; count],
            lengths: vec![0.0; count],
            input: vec![Quat::IDENTITY; count],
            best: vec![Quat::IDENTITY; count],
        }
    }

    fn fit(&mut self, count: usize) {
        self.points.resize(count, Vec3::ZERO);
        self.lengths.resize(count, 0.0);
        self.input.resize(count, Quat::IDENTITY);
        self.best.resize(count, Quat::IDENTITY);
    }
}

/// One pass of a solver over the chain towards a target in the space above it.
pub(super) type Pass = fn(&Chain, Vec3, &mut ChainScratch, &mut [Transform]);

impl Chain {
    /// The chain from `first`, which turns, to `effector`, which goes to the target.
    ///
    /// # Errors
    /// Where a joint is missing or `first` does not stand above `effector`.
    pub fn new(skeleton: &Skeleton, first: JointId, effector: JointId) -> Result<Self, IkError> {
        let joints = path(skeleton, first, effector)?;
        let limits = vec![None; joints.len() - 1].into();
        Ok(Self { above: skeleton.parent(first), joints: joints.into(), limits })
    }

    /// The same chain with a limit on some of its joints.
    ///
    /// # Errors
    /// Where a joint is not in the chain, or is its effector, which does not turn.
    pub fn with_limits(
        mut self,
        limits: impl IntoIterator<Item = (JointId, Limit)>,
    ) -> Result<Self, IkError> {
        for (joint, limit) in limits {
            let at = self.turning().iter().position(|&j| j == joint);
            self.limits[at.ok_or(IkError::NotInChain { joint })?] = Some(limit);
        }
        Ok(self)
    }

    /// Every joint from the first to the effector.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// The joints that turn: all but the effector.
    pub(super) fn turning(&self) -> &[JointId] {
        &self.joints[..self.joints.len() - 1]
    }

    fn effector(&self) -> JointId {
        self.joints[self.joints.len() - 1]
    }

    fn has_limits(&self) -> bool {
        self.limits.iter().any(Option::is_some)
    }

    /// Turns the joint at `at` of the chain so that `from` goes towards `to`, both in the space above it, and keeps its
    /// limit.
    pub(super) fn turn(&self, at: usize, from: Vec3, to: Vec3, joints: &mut [Transform]) {
        let joint = &mut joints[self.joints[at].index()];
        let Some((from, to)) = unit(from - joint.translation).zip(unit(to - joint.translation)) else {
            return;
        };
        self.set(at, arc(from, to) * joint.rotation, joints);
    }

    /// Gives the joint at `at` of the chain a rotation, within its limit.
    fn set(&self, at: usize, rotation: Quat, joints: &mut [Transform]) {
        let rotation = rotation.normalize();
        let rotation = self.limits[at].map_or(rotation, |limit| limit.clamp(rotation));
        if rotation.is_finite() {
            joints[self.joints[at].index()].rotation = rotation;
        }
    }

    /// Where the effector is, in the space above the chain.
    fn tip(&self, joints: &[Transform]) -> Vec3 {
        let tip = joints[self.effector().index()].translation;
        self.turning().iter().rev().fold(tip, |p, j| joints[j.index()].transform_point(p))
    }

    /// Every joint's place in the space above the chain.
    pub(super) fn places(&self, joints: &[Transform], points: &mut [Vec3]) {
        for (at, j) in self.joints.iter().enumerate().rev() {
            let transform = &joints[j.index()];
            points[at] = transform.translation;
            for below in &mut points[at + 1..] {
                *below = transform.transform_point(*below);
            }
        }
    }

    /// Bone lengths as they are now, in the space above the chain, and their sum.
    pub(super) fn measure(&self, joints: &[Transform], scratch: &mut ChainScratch) -> f32 {
        self.places(joints, &mut scratch.points);
        let pairs = scratch.points.windows(2);
        let mut sum = 0.0;
        for (length, pair) in scratch.lengths.iter_mut().zip(pairs) {
            *length = pair[0].distance(pair[1]);
            sum += *length;
        }
        sum
    }

    /// Bends every joint between the ends a little, another way each time.
    fn nudge(&self, time: u8, joints: &mut [Transform]) {
        let way = f32::from(time) * 2.4;
        for at in 1..self.turning().len() {
            let below = joints[self.joints[at + 1].index()].translation;
            let bone = unit(below).unwrap_or(Vec3::Y);
            let side = bone.any_orthonormal_vector();
            let axis = side * way.cos() + bone.cross(side) * way.sin();
            let turned =
                joints[self.joints[at].index()].rotation * Quat::from_axis_angle(axis, NUDGE_RADIANS);
            self.set(at, turned, joints);
        }
    }

    /// Straightens the bent chain, by as much as makes its tip as far away as the target, and turns it there.
    ///
    /// Passes creep where a chain is almost stretched; the stretched shape and the shape at hand enclose the distance.
    fn stretch(&self, target: Vec3, scratch: &mut ChainScratch, joints: &mut [Transform]) {
        let root = joints[self.joints[0].index()].translation;
        let wanted = target.distance(root);
        if self.tip(joints).distance(root) >= wanted {
            return;
        }
        self.remember(joints, &mut scratch.best);
        let (mut bent, mut straight) = (0.0_f32, 1.0_f32);
        for _ in 0..24 {
            let middle = 0.5 * (bent + straight);
            self.straighten(middle, &scratch.best, joints);
            if self.tip(joints).distance(root) < wanted {
                bent = middle;
            } else {
                straight = middle;
            }
        }
        self.straighten(straight, &scratch.best, joints);
        self.turn(0, self.tip(joints), target, joints);
    }

    /// Turns each joint by a part of what would put its bone in line with the one above, from the shape `bent`.
    fn straighten(&self, part: f32, bent: &[Quat], joints: &mut [Transform]) {
        // In each joint's parent's space the bone above runs along the joint's own translation.
        for at in 1..self.turning().len() {
            let joint = joints[self.joints[at].index()];
            let below = joints[self.joints[at + 1].index()].translation;
            let line = self.bone_above(at, joints);
            let bone = unit(bent[at] * (joint.scale * below));
            let Some((bone, line)) = bone.zip(line) else { continue };
            let turn = Quat::IDENTITY.slerp(arc(bone, line), part);
            self.set(at, turn * bent[at], joints);
        }
    }

    /// The direction of the nearest bone above that has a length, in the space above the joint at `at`.
    fn bone_above(&self, at: usize, joints: &[Transform]) -> Option<Vec3> {
        let here = joints[self.joints[at].index()].translation;
        let origin = |above: usize| {
            let between = &self.joints[above + 1..at];
            between.iter().fold(Vec3::ZERO, |p, j| into_joint(&joints[j.index()], p))
        };
        (0..at).rev().find_map(|above| unit(here - origin(above)))
    }

    fn remember(&self, joints: &[Transform], out: &mut [Quat]) {
        for (out, j) in out.iter_mut().zip(&self.joints) {
            *out = joints[j.index()].rotation;
        }
    }

    fn recall(&self, rotations: &[Quat], joints: &mut [Transform]) {
        for (rotation, j) in rotations.iter().zip(self.turning()) {
            joints[j.index()].rotation = *rotation;
        }
    }

    /// Runs `pass` until the effector is near enough, and takes the best of what came out.
    pub(super) fn solve(
        &self,
        goal: &ChainGoal,
        model: &ModelPose,
        scratch: &mut ChainScratch,
        pose: &mut LocalPose,
        pass: Pass,
    ) -> Reach {
        let model_from_parent = self.above.map_or(Affine3A::IDENTITY, |j| model.joint(j));
        let Some(parent_from_model) = inverse(&model_from_parent) else { return Reach::NONE };
        let target = parent_from_model.transform_point3(goal.target);
        scratch.fit(self.joints.len());
        let joints = &mut pose.joints[..];
        let length = self.measure(joints, scratch);
        if !(target.is_finite() && length.is_finite()) {
            return Reach::NONE;
        }
        self.remember(joints, &mut scratch.input);
        for at in 0..self.turning().len() {
            self.set(at, joints[self.joints[at].index()].rotation, joints);
        }
        let near = goal.tolerance.max(0.0) * length;
        let mut best = self.search(target, near, goal.passes, scratch, joints, pass);
        if best > near && !self.has_limits() {
            self.stretch(target, scratch, joints);
            let stretched = self.tip(joints).distance(target);
            if stretched <= best {
                best = stretched;
            } else {
                self.recall(&scratch.best, joints);
            }
        }
        let miss = target - self.tip(joints);
        self.take(goal.weight, scratch, joints);
        Reach { reached: best <= near, distance: model_from_parent.transform_vector3(miss).length() }
    }

    /// The passes; leaves the best pose in `joints` and returns how far it is off.
    fn search(
        &self,
        target: Vec3,
        near: f32,
        passes: u16,
        scratch: &mut ChainScratch,
        joints: &mut [Transform],
        pass: Pass,
    ) -> f32 {
        let mut best = self.tip(joints).distance(target);
        self.remember(joints, &mut scratch.best);
        let (mut before, mut nudges) = (best, 0);
        for _ in 0..passes {
            if best <= near {
                break;
            }
            pass(self, target, scratch, joints);
            let off = self.tip(joints).distance(target);
            if off < best {
                best = off;
                self.remember(joints, &mut scratch.best);
            }
            // A chain in line with its target finds no side to bend to.
            if off > before * 0.995 && off > near && nudges < NUDGES {
                self.nudge(nudges, joints);
                nudges += 1;
            }
            before = off;
        }
        self.recall(&scratch.best, joints);
        best
    }

    /// Blends what was solved with what came in.
    fn take(&self, weight: f32, scratch: &ChainScratch, joints: &mut [Transform]) {
        for (input, j) in scratch.input.iter().zip(self.turning()) {
            let rotation = &mut joints[j.index()].rotation;
            let solved = std::mem::replace(rotation, *input);
            if solved.is_finite() {
                blend(rotation, solved, weight.clamp(0.0, 1.0));
            }
        }
    }
}

#[cfg(test)]
mod tests;
