//! The pose of one frame: Levenberg–Marquardt over the rotations of all joints and the position of the root.

use super::{
    body::MarkerBody,
    tree_system::{TreeFactor, TreeSystem},
};
use sinew::{
    LocalPose, ModelPose,
    constrain::Limit,
    glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3},
};

/// The unknowns before the rotations: the position of the root.
const ROOT_UNKNOWNS: usize = 3;
/// How strongly a joint is kept within its limit, in square meters per square radian.
const LIMIT_WEIGHT: f64 = 100.0;
/// Keeps helper joints where they are.
const FIXED_WEIGHT: f64 = 1e9;
/// Keeps what nothing determines.
const SMALLEST_WEIGHT: f64 = 1e-12;
const MAX_STEPS: usize = 30;
/// A step below this, in radians and meters, ends the search.
const SMALLEST_STEP: f64 = 1e-5;
const LARGEST_TURN: f64 = 0.7;

/// A pull of a joint towards a rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointPull {
    /// The index in [`MarkerBody::joints`].
    pub(super) joint: usize,
    pub(super) toward: Quat,
    /// By the turn about each axis of the parent, in square meters per square radian: what one marker at the root of it from the
    /// joint would have.
    pub(super) weight: DMat3,
}

/// What the pose of a frame should fulfill.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameGoal<'g> {
    /// The positions of all markers of the capture.
    pub(super) positions: &'g [Option<Vec3>],
    pub(super) pulls: &'g [JointPull],
    /// A pull of the root's translation in its parent, with its weight.
    pub(super) root_pull: (Vec3, f64),
    /// A marker at this distance counts a quarter, one much further away nothing.
    pub(super) outlier_meters: f64,
}

/// Solves frames of one body, with reused buffers.
pub(super) struct FrameSolver<'a> {
    body: &'a MarkerBody<'a>,
    system: TreeSystem,
    factor: TreeFactor,
    step: Vec<f64>,
    model: ModelPose,
    candidate: LocalPose,
    driven: LocalPose,
    spaces: Vec<JointSpace>,
}

/// Where a joint turns: the origin of the joint and the axes of its parent, in model space.
#[derive(Clone, Copy, Debug)]
struct JointSpace {
    origin: DVec3,
    model_from_parent: DMat3,
    parent_from_model: DMat3,
}

impl JointSpace {
    /// How a point at `arm` from the origin moves per turn about each axis of the parent, in columns.
    fn jacobian(&self, arm: DVec3) -> DMat3 {
        let inner = self.parent_from_model * arm;
        let column = |axis: DVec3| self.model_from_parent * axis.cross(inner);
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }
}

impl JointPull {
    /// A pull that is as strong about every axis.
    pub(super) fn even(joint: usize, toward: Quat, weight: f64) -> Self {
        Self { joint, toward, weight: DMat3::from_diagonal(DVec3::splat(weight)) }
    }
}

impl<'a> FrameSolver<'a> {
    pub(super) fn new(body: &'a MarkerBody<'a>) -> Self {
        let rest = body.character.rest_pose();
        let space = JointSpace {
            origin: DVec3::ZERO,
            model_from_parent: DMat3::IDENTITY,
            parent_from_model: DMat3::IDENTITY,
        };
        Self {
            body,
            system: TreeSystem::new(unknown_tree(body)),
            factor: TreeFactor::default(),
            step: vec![],
            model: ModelPose::new(body.skeleton()),
            candidate: rest.clone(),
            driven: rest,
            spaces: vec![space; body.joints.len()],
        }
    }

    /// The model-space pose of the last pose that was looked at.
    pub(super) fn model(&self) -> &ModelPose {
        &self.model
    }

    /// Computes the model-space pose of `pose`, with its helper joints.
    pub(super) fn look_at(&mut self, pose: &LocalPose) {
        if self.body.character.is_without_helpers() {
            self.model.update(self.body.skeleton(), pose);
        } else {
            self.driven.copy_from(pose);
            self.body.character.apply_helpers(&mut self.driven);
            self.model.update(self.body.skeleton(), &self.driven);
        }
    }

    /// Where the marker with that index in the body is, in the pose that was looked at.
    pub(super) fn marker_position(&self, marker: usize) -> Vec3 {
        let marker = &self.body.markers[marker];
        self.model.joint(self.body.joints[marker.joint].joint).transform_point3(marker.offset)
    }

    /// The distance of each marker of the body from its goal, in meters; `None` where it is missing.
    pub(super) fn distances(&self, positions: &[Option<Vec3>]) -> impl Iterator<Item = Option<f64>> {
        let markers = self.body.markers.iter().enumerate();
        markers.map(|(index, marker)| {
            positions[marker.column].map(|goal| f64::from(goal.distance(self.marker_position(index))))
        })
    }

    /// The median distance in the pose that was looked at, in meters; `None` if no marker is seen.
    pub(super) fn median_distance(&self, positions: &[Option<Vec3>]) -> Option<f64> {
        let mut seen: Vec<f64> = self.distances(positions).flatten().collect();
        seen.sort_by(f64::total_cmp);
        seen.get(seen.len() / 2).copied()
    }

    /// The robust cost of all markers in the pose that was looked at, in square meters.
    pub(super) fn marker_cost(&self, positions: &[Option<Vec3>], outlier_meters: f64) -> f64 {
        let c = outlier_meters * outlier_meters;
        self.distances(positions).flatten().map(|d| c * d * d / (c + d * d)).sum()
    }

    /// True if a joint has two or more visible markers and all of them are further away than `limit_meters`.
    ///
    /// Each of them looks like an outlier then, so nothing would bring the joint back.
    pub(super) fn has_lost_joint(&self, positions: &[Option<Vec3>], limit_meters: f64) -> bool {
        let mut seen = vec![(0, 0); self.body.joints.len()];
        for (marker, distance) in self.body.markers.iter().zip(self.distances(positions)) {
            if let Some(distance) = distance {
                seen[marker.joint].0 += 1;
                seen[marker.joint].1 += usize::from(distance > limit_meters);
            }
        }
        seen.iter().any(|&(count, far)| count >= 2 && far == count)
    }

    /// Improves `pose` until the goal is met as well as possible.
    ///
    /// Outliers are told by the median distance, so that all markers count while the pose is still far away.
    pub(super) fn solve(&mut self, goal: &FrameGoal<'_>, pose: &mut LocalPose) {
        for _ in 0..4 {
            self.look_at(pose);
            let median = self.median_distance(goal.positions).unwrap_or(0.0);
            let wide = FrameGoal { outlier_meters: goal.outlier_meters.max(3.0 * median), ..*goal };
            self.descend(&wide, pose);
            self.look_at(pose);
            let after = self.median_distance(goal.positions).unwrap_or(0.0);
            if 3.0 * after <= goal.outlier_meters || after > 0.8 * median {
                if wide.outlier_meters > goal.outlier_meters && 3.0 * after <= goal.outlier_meters {
                    self.descend(goal, pose);
                }
                break;
            }
        }
    }

    /// [`FrameSolver::solve`] with a fixed distance for outliers.
    pub(super) fn descend(&mut self, goal: &FrameGoal<'_>, pose: &mut LocalPose) {
        let mut damping = 1e-6;
        let mut cost = self.linearize(goal, pose);
        for _ in 0..MAX_STEPS {
            let mut step = std::mem::take(&mut self.step);
            let solved = self.system.solve(damping, &mut self.factor, &mut step);
            let mut candidate = std::mem::take(&mut self.candidate);
            let length = if solved { self.stepped(pose, &step, &mut candidate) } else { f64::INFINITY };
            let better = if solved { self.cost(goal, &candidate) } else { f64::INFINITY };
            let improves = better < cost;
            if improves {
                std::mem::swap(pose, &mut candidate);
            }
            (self.step, self.candidate) = (step, candidate);
            if improves {
                let is_done = length < SMALLEST_STEP || cost - better < 1e-9 * cost;
                damping = (damping * 0.2).max(1e-9);
                if is_done {
                    break;
                }
                cost = self.linearize(goal, pose);
            } else if length < SMALLEST_STEP || damping > 1e6 {
                break;
            } else {
                damping = (damping * 10.0).max(1e-5);
            }
        }
    }

    /// Writes `pose` after `step` into `out`; returns the largest turn or move in radians or meters.
    fn stepped(&self, pose: &LocalPose, step: &[f64], out: &mut LocalPose) -> f64 {
        out.copy_from(pose);
        let root = &mut out.joints[self.body.root().index()];
        let moved = DVec3::from_slice(&step[..ROOT_UNKNOWNS]);
        root.translation = (root.translation.as_dvec3() + moved).as_vec3();
        let mut largest = moved.length();
        for (index, joint) in self.body.joints.iter().enumerate() {
            let turn = DVec3::from_slice(&step[ROOT_UNKNOWNS + 3 * index..]).clamp_length_max(LARGEST_TURN);
            let local = &mut out.joints[joint.joint.index()];
            local.rotation =
                (DQuat::from_scaled_axis(turn) * local.rotation.as_dquat()).normalize().as_quat();
            largest = largest.max(turn.length());
        }
        largest
    }

    /// The robust cost of a pose, in square meters.
    fn cost(&mut self, goal: &FrameGoal<'_>, pose: &LocalPose) -> f64 {
        self.look_at(pose);
        let markers = self.marker_cost(goal.positions, goal.outlier_meters);
        let rotation = |joint: usize| pose.joints[self.body.joints[joint].joint.index()].rotation;
        let pull = |p: &JointPull| {
            let off = difference(rotation(p.joint), p.toward);
            off.dot(p.weight * off)
        };
        let pulls: f64 = goal.pulls.iter().map(pull).sum();
        let limits = self.body.joints.iter().enumerate().filter_map(|(index, joint)| {
            Some(LIMIT_WEIGHT * excess(joint.limit.as_ref()?, rotation(index)).length_squared())
        });
        let (home, weight) = goal.root_pull;
        let root = pose.joints[self.body.root().index()].translation.distance_squared(home);
        markers + pulls + limits.sum::<f64>() + weight * f64::from(root)
    }

    /// Fills the normal equations at `pose`, and returns its cost.
    fn linearize(&mut self, goal: &FrameGoal<'_>, pose: &LocalPose) -> f64 {
        let cost = self.cost(goal, pose);
        self.update_spaces();
        self.system.clear();
        for marker in 0..self.body.markers.len() {
            self.add_marker(goal, marker);
        }
        self.add_pulls(goal, pose);
        self.add_limits(pose);
        for unknown in 0..ROOT_UNKNOWNS + 3 * self.body.joints.len() {
            let level = self.system.level(unknown);
            self.system.add(unknown, level, SMALLEST_WEIGHT);
        }
        cost
    }

    /// Factors the normal equations at `pose`, which is the solution of `goal`; false if it is not determined.
    pub(super) fn factor_at(&mut self, goal: &FrameGoal<'_>, pose: &LocalPose) -> bool {
        self.linearize(goal, pose);
        self.system.factor(0.0, &mut self.factor)
    }

    /// After [`FrameSolver::factor_at`], writes the inverse of the normal equations times turns of some joints, or of the root's
    /// translation for `None`.
    pub(super) fn inverse_times(&self, turns: &[(Option<usize>, DVec3)], x: &mut Vec<f64>) {
        let first = |joint: Option<usize>| joint.map_or(0, |joint| ROOT_UNKNOWNS + 3 * joint);
        let values: Vec<(usize, DVec3)> = turns.iter().map(|&(joint, turn)| (first(joint), turn)).collect();
        self.system.inverse_times(&self.factor, &values, x);
    }

    /// The axes of model space in the parent of a joint, at the last pose that was linearized.
    pub(super) fn parent_from_model(&self, joint: usize) -> DMat3 {
        self.spaces[joint].parent_from_model
    }

    /// What pulls add to the diagonal of the normal equations.
    pub(super) fn pull_weights(&self, goal: &FrameGoal<'_>) -> Vec<f64> {
        let mut out = vec![SMALLEST_WEIGHT; ROOT_UNKNOWNS + 3 * self.body.joints.len()];
        let mut add = |first: usize, weights: [f64; 3]| {
            out[first..first + 3].iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        };
        add(0, [goal.root_pull.1; 3]);
        for pull in goal.pulls {
            let weight = pull.weight;
            add(ROOT_UNKNOWNS + 3 * pull.joint, [weight.x_axis.x, weight.y_axis.y, weight.z_axis.z]);
        }
        let driven = self.body.joints.iter().enumerate().filter(|(_, joint)| joint.is_driven);
        driven.for_each(|(index, _)| add(ROOT_UNKNOWNS + 3 * index, [FIXED_WEIGHT; 3]));
        out
    }

    fn update_spaces(&mut self) {
        for (joint, space) in self.body.joints.iter().zip(&mut self.spaces) {
            let above = self.body.skeleton().parent(joint.joint).map(|parent| self.model.joint(parent));
            let linear = above.map_or(DMat3::IDENTITY, |m| Mat3::from(m.matrix3).as_dmat3());
            let is_flat = linear.determinant().abs() < 1e-18;
            space.origin = Vec3::from(self.model.joint(joint.joint).translation).as_dvec3();
            space.model_from_parent = linear;
            space.parent_from_model = if is_flat { DMat3::ZERO } else { linear.inverse() };
        }
    }

    fn add_marker(&mut self, goal: &FrameGoal<'_>, index: usize) {
        let marker = self.body.markers[index];
        let Some(wanted) = goal.positions[marker.column] else { return };
        let place = self.marker_position(index).as_dvec3();
        let off = place - wanted.as_dvec3();
        let c = goal.outlier_meters * goal.outlier_meters;
        // Geman and McClure: the derivative of c d² / (c + d²).
        let weight = (c / (c + off.length_squared())).powi(2);
        let body = self.body;
        let path = &body.joints[marker.joint].path;
        let root = self.spaces[0].model_from_parent;
        self.add_block(0, 0, root.transpose() * root * weight);
        self.add_gradient(0, root.transpose() * off * weight);
        for (at, &lower) in path.iter().enumerate() {
            let unknown = ROOT_UNKNOWNS + 3 * lower;
            let lower_jacobian = self.spaces[lower].jacobian(place - self.spaces[lower].origin);
            let transposed = lower_jacobian.transpose() * weight;
            self.add_gradient(unknown, transposed * off);
            self.add_block(unknown, 0, transposed * root);
            for (level, &upper) in path[..=at].iter().enumerate() {
                let upper_jacobian = self.spaces[upper].jacobian(place - self.spaces[upper].origin);
                self.add_block(unknown, ROOT_UNKNOWNS + 3 * level, transposed * upper_jacobian);
            }
        }
    }

    /// Adds a block of three rows from `unknown` and three columns from `level`; of a diagonal block only the lower triangle.
    fn add_block(&mut self, unknown: usize, level: usize, block: DMat3) {
        for row in 0..3 {
            for column in 0..3 {
                if level + column <= self.system.level(unknown + row) {
                    self.system.add(unknown + row, level + column, block.col(column)[row]);
                }
            }
        }
    }

    fn add_gradient(&mut self, unknown: usize, gradient: DVec3) {
        for row in 0..3 {
            self.system.add_gradient(unknown + row, gradient[row]);
        }
    }

    fn add_pulls(&mut self, goal: &FrameGoal<'_>, pose: &LocalPose) {
        let body = self.body;
        let identity = DMat3::IDENTITY;
        let (home, weight) = goal.root_pull;
        let off = pose.joints[body.root().index()].translation - home;
        self.add_block(0, 0, identity * weight);
        self.add_gradient(0, off.as_dvec3() * weight);
        for pull in goal.pulls {
            let joint = &body.joints[pull.joint];
            let unknown = ROOT_UNKNOWNS + 3 * pull.joint;
            let off = difference(pose.joints[joint.joint.index()].rotation, pull.toward);
            self.add_block(unknown, self.system.level(unknown), pull.weight);
            self.add_gradient(unknown, pull.weight * off);
        }
        for (index, _) in body.joints.iter().enumerate().filter(|(_, joint)| joint.is_driven) {
            let unknown = ROOT_UNKNOWNS + 3 * index;
            self.add_block(unknown, self.system.level(unknown), identity * FIXED_WEIGHT);
        }
    }

    fn add_limits(&mut self, pose: &LocalPose) {
        let body = self.body;
        for (index, joint) in body.joints.iter().enumerate() {
            let Some(limit) = &joint.limit else { continue };
            let rotation = pose.joints[joint.joint.index()].rotation;
            let (off, slope) = (excess(limit, rotation), excess_slope(limit, rotation));
            let unknown = ROOT_UNKNOWNS + 3 * index;
            let block = slope.transpose() * slope * LIMIT_WEIGHT;
            self.add_block(unknown, self.system.level(unknown), block);
            self.add_gradient(unknown, slope.transpose() * off * LIMIT_WEIGHT);
        }
    }
}

/// The unknown above each unknown: the position of the root, then three turns of each joint.
fn unknown_tree(body: &MarkerBody<'_>) -> Vec<Option<usize>> {
    let mut parent = vec![None, Some(0), Some(1)];
    for (index, joint) in body.joints.iter().enumerate() {
        let above = joint.path.len().checked_sub(2).map_or(0, |at| 3 * (joint.path[at] + 1));
        let first = ROOT_UNKNOWNS + 3 * index;
        parent.extend([Some(above + ROOT_UNKNOWNS - 1), Some(first), Some(first + 1)]);
    }
    parent
}

/// The turn from `toward` to `rotation` in the space of the parent, in radians.
fn difference(rotation: Quat, toward: Quat) -> DVec3 {
    let turn = rotation.as_dquat() * toward.as_dquat().conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.normalize().to_scaled_axis()
}

/// By how much a rotation exceeds its limit, as a turn in the space of the parent.
fn excess(limit: &Limit, rotation: Quat) -> DVec3 {
    difference(rotation, limit.clamp(rotation))
}

/// How the excess changes with turns about the axes of the parent. Where the limit leaves no freedom it does so at once.
fn excess_slope(limit: &Limit, rotation: Quat) -> DMat3 {
    const TURN: f32 = 0.01;
    let column = |axis: Vec3| {
        let turned = |angle: f32| excess(limit, Quat::from_axis_angle(axis, angle) * rotation);
        (turned(TURN) - turned(-TURN)) / f64::from(2.0 * TURN)
    };
    DMat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
}
