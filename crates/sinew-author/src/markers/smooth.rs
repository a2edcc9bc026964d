//! Smoothing of solved poses over the whole capture.

mod bank;
mod low_pass;
mod spline;

pub(super) use low_pass::low_pass;

use super::{
    MarkerSolveOptions,
    body::{BodyJoint, MarkerBody},
    frame_solver::{FrameGoal, FrameSolver, JointPull},
    noise::CaptureNoise,
    support::JointGap,
    take::trusted,
};
use crate::eigen::principal_axes;
use bank::{BankScratch, NoisySeries, SplineBank};
use rayon::prelude::*;
use sinew::{
    LocalPose, MarkerCapture,
    glam::{DMat3, DQuat, DVec3, Vec3},
};

/// The variance of a rotation that is interpolated in a gap, in square radians: some 5°.
const GAP_VARIANCE: f64 = 0.0076;
/// The same for the position of the root, in square meters.
const GAP_ROOT_VARIANCE: f64 = 1e-4;
/// The first pass follows the noisy path, the second one the smoothed path of the first.
const PASSES: usize = 2;
/// How much more a path counts than its error alone would make it: a frame solved again brings back some of its noise.
const TRUST: f64 = 5.0;
/// The strongest pull to a path, in square meters per square radian.
const STRONGEST_PULL: f64 = 1e3;

/// A smoothed motion of one joint and how far off it is expected to be.
struct SmoothPath<T> {
    values: Vec<T>,
    /// Squared errors along the axes of the noise: for rotations in square radians, for positions in square meters.
    errors: Vec<DVec3>,
    /// The axes of the noise, in the space of the joint; those of the parent for positions.
    axes: DMat3,
}

impl<T: Copy> SmoothPath<T> {
    /// Holds the end of a gap that is too long to interpolate.
    fn hold(&mut self, gap: &JointGap) {
        let end = gap.frames.start.checked_sub(1).unwrap_or(gap.frames.end);
        if let Some(&end) = self.values.get(end).filter(|_| !gap.is_filled) {
            self.values[gap.frames.clone()].fill(end);
        }
    }
}

/// Smooths the rotations of all joints and the position of the root as far as the noise of the markers explains how they differ
/// from a smooth motion.
///
/// Errors of a joint and of those above it go together: what one joint is off, others make up for. Smoothed apart they no longer
/// do, so frames are solved again, each joint pulled to its smooth path as much as that is known better than the frame.
pub(super) fn adaptive(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    gaps: &[JointGap],
    poses: &mut [LocalPose],
) -> CaptureNoise {
    let bank = SplineBank::new(capture.rate_hz().into());
    let noise = CaptureNoise::new(body, capture, options, poses);
    let paths = MotionPaths::new(body, &noise, &bank, gaps, poses);
    let outlier_meters = f64::from(options.outlier_meters);
    poses.par_iter_mut().enumerate().for_each_init(
        || FrameSolver::new(body),
        |solver, (frame, pose)| {
            paths.put(body, frame, pose);
            let pulls = paths.pulls(frame, noise.variance);
            let root_pull = paths.root_pull(frame, noise.variance);
            let is_bridged = |joint| gaps.iter().any(|gap| gap.joint == joint && gap.frames.contains(&frame));
            let positions = trusted(body, solver, capture.frame(frame), is_bridged, pose, outlier_meters);
            let goal = FrameGoal { positions: &positions, pulls: &pulls, root_pull, outlier_meters };
            solver.descend(&goal, pose);
        },
    );
    noise
}

/// The smooth paths of everything that is solved.
struct MotionPaths {
    root: SmoothPath<DVec3>,
    rotations: Vec<SmoothPath<DQuat>>,
}

impl MotionPaths {
    fn new(
        body: &MarkerBody<'_>,
        noise: &CaptureNoise,
        bank: &SplineBank,
        gaps: &[JointGap],
        poses: &[LocalPose],
    ) -> Self {
        let bridged = |joint: usize| {
            let mut out = vec![false; poses.len()];
            for gap in gaps.iter().filter(|gap| gap.joint == joint) {
                out[gap.frames.clone()].fill(true);
            }
            out
        };
        let mut root = root_path(body, noise, bank, &bridged(0), poses);
        let rotations = body.joints.par_iter().enumerate();
        let mut rotations: Vec<SmoothPath<DQuat>> = rotations
            .map(|(index, joint)| rotation_path(joint, index, noise, bank, &bridged(index), poses))
            .collect();
        for gap in gaps {
            if gap.joint == 0 {
                root.hold(gap);
            }
            rotations[gap.joint].hold(gap);
        }
        Self { root, rotations }
    }

    /// Puts a pose on the paths.
    fn put(&self, body: &MarkerBody<'_>, frame: usize, pose: &mut LocalPose) {
        pose.joints[body.root().index()].translation = self.root.values[frame].as_vec3();
        for (joint, path) in body.joints.iter().zip(&self.rotations) {
            pose.joints[joint.joint.index()].rotation = path.values[frame].as_quat().normalize();
        }
    }

    /// Pulls of all joints to their paths.
    fn pulls(&self, frame: usize, marker_variance: f64) -> Vec<JointPull> {
        let pull = |(joint, path): (usize, &SmoothPath<DQuat>)| {
            let toward = path.values[frame];
            let axes = DMat3::from_quat(toward) * path.axes;
            let along =
                path.errors[frame].to_array().map(|error| TRUST * pull_weight(marker_variance, error));
            let weight = axes * DMat3::from_diagonal(along.into()) * axes.transpose();
            JointPull { joint, toward: toward.as_quat().normalize(), weight }
        };
        self.rotations.iter().enumerate().map(pull).collect()
    }

    fn root_pull(&self, frame: usize, marker_variance: f64) -> (Vec3, f64) {
        let error = self.root.errors[frame].max_element();
        (self.root.values[frame].as_vec3(), pull_weight(marker_variance, error))
    }
}

/// A marker counts one, so a path counts the variance of a marker by its own.
fn pull_weight(marker_variance: f64, error: f64) -> f64 {
    (marker_variance / error.max(1e-12)).min(STRONGEST_PULL)
}

/// The smoothed positions of the root.
fn root_path(
    body: &MarkerBody<'_>,
    noise: &CaptureNoise,
    bank: &SplineBank,
    is_bridged: &[bool],
    poses: &[LocalPose],
) -> SmoothPath<DVec3> {
    let root = body.root().index();
    let mut values: Vec<DVec3> = poses.iter().map(|pose| pose.joints[root].translation.as_dvec3()).collect();
    let mut errors = vec![DVec3::ZERO; values.len()];
    let (mut scratch, mut series) = (BankScratch::default(), NoisySeries::default());
    for axis in 0..3 {
        let variance = |frame: usize| noise.variance * noise.frames[frame].root[axis];
        let sample = |frame: usize| values[frame][axis];
        series.fill(is_bridged, GAP_ROOT_VARIANCE, sample, variance);
        bank.smooth(&series, &mut scratch);
        for (frame, (value, error)) in scratch.values.iter().zip(&scratch.errors).enumerate() {
            (values[frame][axis], errors[frame][axis]) = (*value, *error);
        }
    }
    SmoothPath { values, errors, axes: DMat3::IDENTITY }
}

/// The smoothed rotations of a joint.
///
/// Turns from frame to frame, about axes of the joint, add up to a path without bounds; its splines move every rotation. About
/// the axes of the noise the errors are independent: about the bone they are larger than across it.
fn rotation_path(
    joint: &BodyJoint,
    index: usize,
    noise: &CaptureNoise,
    bank: &SplineBank,
    is_bridged: &[bool],
    poses: &[LocalPose],
) -> SmoothPath<DQuat> {
    let solved: Vec<DQuat> =
        poses.iter().map(|pose| pose.joints[joint.joint.index()].rotation.as_dquat().normalize()).collect();
    let mut errors = vec![DVec3::ZERO; solved.len()];
    if joint.is_driven {
        return SmoothPath { values: solved, errors, axes: DMat3::IDENTITY };
    }
    let covariance: DMat3 = noise.frames.iter().map(|frame| frame.joints[index]).sum();
    let axes = principal_axes(covariance);
    let mut path = solved.clone();
    let (mut scratch, mut series) = (BankScratch::default(), NoisySeries::default());
    for _ in 0..PASSES {
        let turned = turned_path(&path);
        let apart: Vec<DVec3> = path.iter().zip(&solved).map(|(a, b)| turn(*a, *b)).collect();
        let mut moves = vec![DVec3::ZERO; path.len()];
        for (number, axis) in [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().enumerate() {
            let variance =
                |frame: usize| noise.variance * axis.dot(noise.frames[frame].joints[index] * axis).max(0.0);
            let sample = |frame: usize| axis.dot(turned[frame] + apart[frame]);
            series.fill(is_bridged, GAP_VARIANCE, sample, variance);
            bank.smooth(&series, &mut scratch);
            for (frame, (value, error)) in scratch.values.iter().zip(&scratch.errors).enumerate() {
                moves[frame] += axis * (value - axis.dot(turned[frame]));
                errors[frame][number] = *error;
            }
        }
        for (rotation, along) in path.iter_mut().zip(moves) {
            *rotation = (*rotation * DQuat::from_scaled_axis(along)).normalize();
        }
    }
    SmoothPath { values: path, errors, axes }
}

/// The sum of all turns up to each frame, about axes of the joint.
fn turned_path(path: &[DQuat]) -> Vec<DVec3> {
    let mut sum = DVec3::ZERO;
    let mut out = vec![sum];
    for pair in path.windows(2) {
        sum += turn(pair[0], pair[1]);
        out.push(sum);
    }
    out
}

/// The turn about axes of the joint that takes one rotation to another.
fn turn(from: DQuat, to: DQuat) -> DVec3 {
    let turn = from.conjugate() * to;
    (if turn.w < 0.0 { -turn } else { turn }).normalize().to_scaled_axis()
}

impl NoisySeries {
    fn fill(
        &mut self,
        is_bridged: &[bool],
        gap_variance: f64,
        sample: impl Fn(usize) -> f64,
        variance: impl Fn(usize) -> f64,
    ) {
        let frames = 0..is_bridged.len();
        self.samples.clear();
        self.samples.extend(frames.clone().map(sample));
        self.is_measured.clear();
        self.is_measured.extend(is_bridged.iter().map(|bridged| !bridged));
        self.variances.clear();
        self.variances.extend(frames.map(|frame| {
            let own = variance(frame);
            if is_bridged[frame] { own.max(gap_variance) } else { own }
        }));
    }
}
