//! How far noise of the markers moves solved poses.

use super::{
    MarkerSolveOptions,
    body::MarkerBody,
    frame_solver::{FrameGoal, FrameSolver},
    take::{steady_pulls, steady_root},
};
use rayon::prelude::*;
use sinew::{
    LocalPose, MarkerCapture,
    glam::{DMat3, DVec3},
};

/// The maximum number of frames over which the errors of joint angles are averaged.
const BOUND_FRAMES: usize = 60;

/// The noise of all frames of a capture.
#[derive(Clone, Debug, Default)]
pub(super) struct CaptureNoise {
    pub(super) frames: Vec<FrameNoise>,
    /// The variance of a coordinate of a marker, in square meters.
    pub(super) variance: f64,
}

/// The covariance of a solved pose if every coordinate of every marker has a variance of one square meter.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameNoise {
    /// Of the root's translation in its parent, about each axis.
    pub(super) root: DVec3,
    /// Of each joint's rotation, about the axes of the joint, in square radians.
    pub(super) joints: Vec<DMat3>,
    /// The sum of squared distances of markers that count, in square meters.
    squares: f64,
    /// The coordinates of these markers less the unknowns that they determine.
    freedom: f64,
}

impl CaptureNoise {
    /// The noise of solved `poses`; its size is that of their residuals.
    pub(super) fn new(
        body: &MarkerBody<'_>,
        capture: &MarkerCapture,
        options: &MarkerSolveOptions,
        poses: &[LocalPose],
    ) -> Self {
        let frame_noise = |solver: &mut FrameSolver<'_>, (frame, pose): (usize, &LocalPose)| {
            with_errors(body, solver, capture, options, frame, pose, FrameNoise::of).unwrap_or_else(|| {
                let joints = vec![DMat3::ZERO; body.joints.len()];
                FrameNoise { joints, ..FrameNoise::default() }
            })
        };
        let frames: Vec<FrameNoise> =
            poses.par_iter().enumerate().map_init(|| FrameSolver::new(body), frame_noise).collect();
        let squares: f64 = frames.iter().map(|frame| frame.squares).sum();
        let freedom: f64 = frames.iter().map(|frame| frame.freedom).sum();
        Self { frames, variance: if freedom > 0.0 { squares / freedom } else { 0.0 } }
    }

    /// The smallest RMS angle, in radians, by which the rotation from part to part can be off at each joint with markers if
    /// frames are solved one by one: the bound of Cramér and Rao.
    ///
    /// Parts are relative to the nearest joint above that has markers, as in [`rotation_error`](super::rotation_error).
    pub(super) fn frame_bounds(
        &self,
        body: &MarkerBody<'_>,
        capture: &MarkerCapture,
        options: &MarkerSolveOptions,
        poses: &[LocalPose],
    ) -> Vec<Option<f64>> {
        let step = poses.len().div_ceil(BOUND_FRAMES).max(1);
        let chosen: Vec<usize> = (0..poses.len()).step_by(step).collect();
        let angles = |solver: &mut FrameSolver<'_>, &frame: &usize| {
            with_errors(body, solver, capture, options, frame, &poses[frame], |errors| {
                (0..body.joints.len()).map(|joint| errors.of_part(joint)).collect::<Vec<f64>>()
            })
        };
        let rows: Vec<Vec<f64>> =
            chosen.par_iter().map_init(|| FrameSolver::new(body), angles).flatten().collect();
        let mean = |joint: usize| rows.iter().map(|row| row[joint]).sum::<f64>() / rows.len().max(1) as f64;
        let bound = |joint: usize| (self.variance * mean(joint)).sqrt();
        body.joints.iter().enumerate().map(|(k, joint)| joint.has_marker.then(|| bound(k))).collect()
    }
}

/// The errors of one solved frame.
struct FrameErrors<'e> {
    body: &'e MarkerBody<'e>,
    solver: &'e FrameSolver<'e>,
    goal: FrameGoal<'e>,
    pose: &'e LocalPose,
    /// What pulls add to the diagonal of the normal equations.
    pulls: Vec<f64>,
}

/// Linearizes a solved frame and calls `use_errors`; `None` if the frame is not determined.
fn with_errors<T>(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    frame: usize,
    pose: &LocalPose,
    use_errors: impl FnOnce(&FrameErrors<'_>) -> T,
) -> Option<T> {
    let mut pulls = Vec::new();
    steady_pulls(body, pose, &mut pulls);
    let goal = FrameGoal {
        positions: capture.frame(frame),
        pulls: &pulls,
        root_pull: steady_root(body, pose),
        outlier_meters: f64::from(options.outlier_meters),
    };
    let is_determined = solver.factor_at(&goal, pose);
    let pulls = solver.pull_weights(&goal);
    is_determined.then(|| use_errors(&FrameErrors { body, solver, goal, pose, pulls }))
}

impl FrameErrors<'_> {
    /// The covariance of three sums of turns.
    ///
    /// Only markers are noisy: with A = JᵀJ + P, the covariance of the unknowns is A⁻¹ JᵀJ A⁻¹ = A⁻¹ − A⁻¹ P A⁻¹.
    fn covariance(&self, sums: &[Vec<(Option<usize>, DVec3)>; 3]) -> DMat3 {
        let columns: [Vec<f64>; 3] = std::array::from_fn(|axis| self.inverse_times(&sums[axis]));
        let own = |i: usize, j: usize| {
            let turns = sums[i].iter();
            turns.map(|&(joint, turn)| turn.dot(of_block(&columns[j], joint))).sum::<f64>()
        };
        self.without_pulls(&columns, own)
    }

    /// The covariance of one joint or of the root's translation, and how many of its unknowns markers determine: its part of the
    /// trace of A⁻¹ JᵀJ.
    fn of_block(&self, block: Option<usize>) -> (DMat3, f64) {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let columns = axes.map(|axis| self.inverse_times(&[(block, axis)]));
        let pulls = of_block(&self.pulls, block);
        let determined = (0..3).map(|axis| 1.0 - pulls[axis] * of_block(&columns[axis], block)[axis]).sum();
        (self.without_pulls(&columns, |i, j| of_block(&columns[j], block)[i]), determined)
    }

    fn inverse_times(&self, turns: &[(Option<usize>, DVec3)]) -> Vec<f64> {
        let mut column = Vec::new();
        self.solver.inverse_times(turns, &mut column);
        column
    }

    fn without_pulls(&self, columns: &[Vec<f64>; 3], own: impl Fn(usize, usize) -> f64) -> DMat3 {
        let entry = |i: usize, j: usize| {
            let pulled = columns[i].iter().zip(&columns[j]).zip(&self.pulls).map(|((a, b), p)| a * b * p);
            own(i, j) - pulled.sum::<f64>()
        };
        DMat3::from_cols_array_2d(&std::array::from_fn(|i| {
            std::array::from_fn(|j| entry(i.min(j), i.max(j)))
        }))
    }

    /// The mean square angle of the rotation from the nearest part above to this one.
    fn of_part(&self, joint: usize) -> f64 {
        let path = &self.body.joints[joint].path;
        let above = path.iter().rev().skip(1).position(|&k| self.body.joints[k].has_marker);
        let chain = &path[above.map_or(0, |at| path.len() - 1 - at)..];
        let sums = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
            let turn = |&k: &usize| (Some(k), self.solver.parent_from_model(k) * axis);
            chain.iter().map(turn).collect()
        });
        let covariance = self.covariance(&sums);
        covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z
    }
}

/// The three values of a joint, or of the root's translation.
fn of_block(values: &[f64], block: Option<usize>) -> DVec3 {
    DVec3::from_slice(&values[block.map_or(0, |joint| 3 * (joint + 1))..])
}

impl FrameNoise {
    fn of(errors: &FrameErrors<'_>) -> Self {
        let (root, mut determined) = errors.of_block(None);
        let mut joints = Vec::with_capacity(errors.body.joints.len());
        for (index, joint) in errors.body.joints.iter().enumerate() {
            let (covariance, own) = errors.of_block(Some(index));
            determined += own;
            let local = errors.pose.joints[joint.joint.index()].rotation;
            let parent_from_joint = DMat3::from_quat(local.as_dquat().normalize());
            joints.push(parent_from_joint.transpose() * covariance * parent_from_joint);
        }
        let is_near = |d: &f64| *d < errors.goal.outlier_meters;
        let distances = errors.solver.distances(errors.goal.positions).flatten().filter(is_near);
        let (count, squares) = distances.fold((0.0, 0.0), |(n, sum), d| (n + 3.0, sum + d * d));
        Self {
            root: DVec3::new(root.x_axis.x, root.y_axis.y, root.z_axis.z).max(DVec3::ZERO),
            joints,
            squares,
            freedom: count - determined,
        }
    }
}
