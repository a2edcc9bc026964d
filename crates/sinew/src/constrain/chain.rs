//! Chains of any length that reach for a point, solved by [`fabrik`](super::fabrik()) or [`ccd`](super::ccd()).

use super::{
    ik_path::IkPath,
    ik_report::{IkError, IkReport, path},
    limit::Limit,
    rotation::{arc, into_joint, parent_from_model, perpendicular_to},
    two_bone::blend,
    unit,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::{LocalPose, ModelPose},
    sample::slerp,
    transform::Transform,
};
use glam::{Affine3A, Quat, Vec3};

/// Angle by which joints are bent if the chain is collinear with its target, in radians.
const NUDGE_RADIANS: f32 = 0.12;
/// How often a chain without progress is bent before the solver stops.
const NUDGES: u8 = 4;

/// A chain of joints, each the parent of the next, checked against its skeleton.
///
/// Ancestors of the chain may scale, shear and mirror, and its joints may have any scale, since every rotation is computed
/// in the parent space of its joint. FABRIK measures the bone lengths before each pass, so with non-uniform scale inside
/// the chain it needs more passes; CCD does not. A joint with zero scale has no inverse, so its descendants cannot be
/// aimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    path: IkPath,
    /// The joints from the first down to the effector.
    joints: Box<[JointId]>,
    /// One entry for each joint but the effector.
    limits: Box<[Option<Limit>]>,
}

/// The goal of a chain in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainGoal {
    /// Target position of the effector in model space, in meters.
    pub target: Vec3,
    /// Weight of the solution, 0 to 1: 0 leaves every bit of the pose, 1 is the full solution.
    ///
    /// Joint limits hold at weight 1. Between 0 and 1, the interpolation from the input pose may exceed them.
    pub weight: f32,
    /// The largest number of passes over the chain.
    pub passes: u16,
    /// Distance at which the target is reached, relative to the length of the chain.
    pub tolerance: f32,
}

impl ChainGoal {
    /// Reaches for `target`, a point in model space, with full weight, at most 48 passes and a tolerance of 1e-4.
    pub const fn to(target: Vec3) -> Self {
        Self { target, weight: 1.0, passes: 48, tolerance: 1e-4 }
    }
}

/// Buffers of the chain solvers. They grow to the longest chain and are reused.
#[derive(Clone, Debug, Default)]
pub struct ChainScratch {
    pub(super) points: Vec<Vec3>,
    pub(super) lengths: Vec<f32>,
    input: Vec<Quat>,
    best: Vec<Quat>,
}

impl ChainScratch {
    /// Buffers with room for `chain`.
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

/// One pass of a solver over the chain towards a target in the parent space of the chain.
pub(super) type ChainPass = fn(&Chain, Vec3, &mut ChainScratch, &mut [Transform]);

impl Chain {
    /// The chain from `first` down to `effector`, which reaches the target.
    ///
    /// # Errors
    /// If a joint is missing or `first` is not an ancestor of `effector`.
    pub fn new(skeleton: &Skeleton, first: JointId, effector: JointId) -> Result<Self, IkError> {
        let joints = path(skeleton, first, effector)?;
        let limits = vec![None; joints.len() - 1].into();
        Ok(Self { path: IkPath::new(skeleton, &joints), joints: joints.into(), limits })
    }

    /// The same chain with limits on some of its joints.
    ///
    /// # Errors
    /// If a joint is not in the chain, or is the effector, which does not rotate.
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

    /// The joints that rotate: all but the effector.
    pub(super) fn turning(&self) -> &[JointId] {
        &self.joints[..self.joints.len() - 1]
    }

    fn effector(&self) -> JointId {
        self.joints[self.joints.len() - 1]
    }

    fn has_limits(&self) -> bool {
        self.limits.iter().any(Option::is_some)
    }

    /// Rotates joint `at` of the chain so that `from` points towards `to`, both in its parent space, within its limit.
    pub(super) fn turn(&self, at: usize, from: Vec3, to: Vec3, joints: &mut [Transform]) {
        let joint = &mut joints[self.joints[at].index()];
        let Some((from, to)) = unit(from - joint.translation).zip(unit(to - joint.translation)) else {
            return;
        };
        self.set(at, arc(from, to) * joint.rotation, joints);
    }

    /// Sets the rotation of joint `at` of the chain, within its limit.
    fn set(&self, at: usize, rotation: Quat, joints: &mut [Transform]) {
        let rotation = rotation.normalize();
        let rotation = self.limits[at].map_or(rotation, |limit| limit.clamp(rotation));
        if rotation.is_finite() {
            joints[self.joints[at].index()].rotation = rotation;
        }
    }

    /// Position of the effector in the parent space of the chain.
    fn tip(&self, joints: &[Transform]) -> Vec3 {
        let tip = joints[self.effector().index()].translation;
        self.turning().iter().rev().fold(tip, |p, j| joints[j.index()].transform_point(p))
    }

    /// Positions of all joints in the parent space of the chain.
    pub(super) fn places(&self, joints: &[Transform], points: &mut [Vec3]) {
        for (at, j) in self.joints.iter().enumerate().rev() {
            let transform = &joints[j.index()];
            points[at] = transform.translation;
            for below in &mut points[at + 1..] {
                *below = transform.transform_point(*below);
            }
        }
    }

    /// Measures the current bone lengths in the parent space of the chain and returns their sum.
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

    /// Bends every joint between the ends a little, in another direction each time.
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

    /// Brings the effector to the distance of the target and rotates it there, by opening or folding the whole chain or by
    /// one joint. Starts from the best pose so far and restores it if nothing helps.
    ///
    /// Passes converge slowly if a chain is almost stretched or folded. The current pose and the stretched or folded pose
    /// then bracket the distance.
    fn close(&self, target: Vec3, near: f32, scratch: &mut ChainScratch, joints: &mut [Transform]) {
        let root = joints[self.joints[0].index()].translation;
        let wanted = target.distance(root);
        self.measure(joints, scratch);
        if self.tip(joints).distance(root) >= wanted {
            fold_signs(&mut scratch.lengths[..self.joints.len() - 1]);
        }
        let far = |joints: &[Transform]| self.tip(joints).distance(root);
        let found = enclose(wanted, joints, far, |part, joints| self.lay(part, scratch, joints));
        let is_there = |joints: &[Transform]| self.tip(joints).distance(target) <= near;
        if found {
            self.turn(0, self.tip(joints), target, joints);
        }
        for at in 1..self.turning().len() {
            if is_there(joints) {
                return;
            }
            self.recall(&scratch.best, joints);
            let Some(bend) = self.bend_of(at, joints) else { continue };
            if enclose(wanted, joints, far, |part, joints| self.set(at, bend.at(part), joints)) {
                self.turn(0, self.tip(joints), target, joints);
            }
        }
    }

    /// How joint `at` bends its descendants, from in line with the root of the chain to folded back towards it.
    fn bend_of(&self, at: usize, joints: &[Transform]) -> Option<ChainBend> {
        let joint = joints[self.joints[at].index()];
        let tip = joints[self.effector().index()].translation;
        let tip = self.turning()[at..].iter().rev().fold(tip, |p, j| joints[j.index()].transform_point(p));
        let root = self.joints[1..at].iter().fold(Vec3::ZERO, |p, j| into_joint(&joints[j.index()], p));
        let line = unit(joint.translation - root)?;
        let below = unit(tip - joint.translation)?;
        Some(ChainBend { line, below, side: perpendicular_to(line, below), rotation: joint.rotation })
    }

    /// Rotates each joint by a fraction of the rotation that aligns its bone with the one above, or folds it back if their
    /// lengths differ in sign, starting from the best pose so far.
    fn lay(&self, part: f32, scratch: &ChainScratch, joints: &mut [Transform]) {
        for at in 1..self.turning().len() {
            let joint = joints[self.joints[at].index()];
            let below = joints[self.joints[at + 1].index()].translation;
            let bone = unit(scratch.best[at] * (joint.scale * below));
            let Some((bone, (above, line))) = bone.zip(self.bone_above(at, joints)) else { continue };
            let is_back = scratch.lengths[at].is_sign_negative() != scratch.lengths[above].is_sign_negative();
            let turn = arc(bone, if is_back { -line } else { line });
            self.set(at, slerp(Quat::IDENTITY, turn, part) * scratch.best[at], joints);
        }
    }

    /// The nearest bone above with a length: its index, and its direction in the parent space of joint `at`.
    fn bone_above(&self, at: usize, joints: &[Transform]) -> Option<(usize, Vec3)> {
        let here = joints[self.joints[at].index()].translation;
        let origin = |above: usize| {
            let between = &self.joints[above + 1..at];
            between.iter().fold(Vec3::ZERO, |p, j| into_joint(&joints[j.index()], p))
        };
        (0..at).rev().find_map(|above| Some((above, unit(here - origin(above))?)))
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

    /// Runs `pass` until the effector is within the tolerance, and keeps the best pose.
    pub(super) fn solve(
        &self,
        goal: &ChainGoal,
        model: &ModelPose,
        scratch: &mut ChainScratch,
        pose: &mut LocalPose,
        pass: ChainPass,
    ) -> IkReport {
        self.path.solve(model, pose, |above, pose| self.solve_below(above, goal, scratch, pose, pass))
    }

    fn solve_below(
        &self,
        model_from_parent: &Affine3A,
        goal: &ChainGoal,
        scratch: &mut ChainScratch,
        pose: &mut LocalPose,
        pass: ChainPass,
    ) -> IkReport {
        let Some(parent_from_model) = parent_from_model(model_from_parent) else { return IkReport::NONE };
        let target = parent_from_model.point(goal.target);
        scratch.fit(self.joints.len());
        let joints = &mut pose.joints[..];
        let length = self.measure(joints, scratch);
        if !(target.is_finite() && length.is_finite()) {
            return IkReport::NONE;
        }
        self.remember(joints, &mut scratch.input);
        for at in 0..self.turning().len() {
            self.set(at, joints[self.joints[at].index()].rotation, joints);
        }
        let near = goal.tolerance.max(0.0) * length;
        let mut best = self.search(target, near, goal.passes, scratch, joints, pass);
        if best > near && !self.has_limits() {
            self.close(target, near, scratch, joints);
            let closed = self.tip(joints).distance(target);
            if closed <= best {
                best = closed;
            } else {
                self.recall(&scratch.best, joints);
            }
        }
        let miss = target - self.tip(joints);
        self.take(goal.weight, scratch, joints);
        IkReport { reached: best <= near, distance: model_from_parent.transform_vector3(miss).length() }
    }

    /// Runs the passes, leaves the best pose in `joints` and returns its distance from the target.
    fn search(
        &self,
        target: Vec3,
        near: f32,
        passes: u16,
        scratch: &mut ChainScratch,
        joints: &mut [Transform],
        pass: ChainPass,
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
            // A chain that is collinear with its target has no direction to bend in.
            if off > before * 0.995 && off > near && nudges < NUDGES {
                self.nudge(nudges, joints);
                nudges += 1;
            }
            before = off;
        }
        self.recall(&scratch.best, joints);
        best
    }

    /// Interpolates from the input pose to the solved pose.
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

/// A joint that bends the rest of its chain within a plane.
struct ChainBend {
    line: Vec3,
    below: Vec3,
    side: Vec3,
    rotation: Quat,
}

impl ChainBend {
    /// The rotation at a fraction: in line at 0, folded back at 1.
    fn at(&self, part: f32) -> Quat {
        let (sin, cos) = (part * std::f32::consts::PI).sin_cos();
        arc(self.below, (self.line * cos + self.side * sin).normalize()) * self.rotation
    }
}

/// Finds the fraction, 0 to 1, at which `shape` puts the effector at the distance `wanted`. Returns false if the ends do
/// not bracket it.
fn enclose(
    wanted: f32,
    joints: &mut [Transform],
    far: impl Fn(&[Transform]) -> f32,
    mut shape: impl FnMut(f32, &mut [Transform]),
) -> bool {
    let mut at = |part: f32| {
        shape(part, joints);
        far(joints)
    };
    let (mut low, mut high) = (0.0, 1.0);
    let [first, last] = [at(low), at(high)];
    if (first - wanted) * (last - wanted) > 0.0 {
        return false;
    }
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if (at(middle) < wanted) == (first < wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    true
}

/// Gives lengths signs that make their sum small; the sum is minimal if one bone is longer than all others together.
fn fold_signs(lengths: &mut [f32]) {
    let sum: f32 = lengths.iter().sum();
    let longest = lengths.iter().fold(0.0_f32, |most, &l| most.max(l));
    let mut so_far = 0.0;
    for length in lengths {
        let is_back = if 2.0 * longest >= sum { *length < longest } else { so_far > 0.0 };
        if is_back {
            *length = -*length;
        }
        so_far += *length;
    }
}

#[cfg(test)]
mod tests;
