//! All frames of a capture: chunks in parallel, each from a start of its own, then the gaps.

use super::{
    MarkerSolveError, MarkerSolveOptions,
    body::MarkerBody,
    frame_solver::{FrameGoal, FrameSolver, JointPull},
    start::start_pose,
    support::{JointGap, Support},
};
use crate::progress::{Progress, tell};
use rayon::prelude::*;
use sinew::{LocalPose, MarkerCapture, glam::Vec3};
use std::ops::Range;

/// Frames that are solved one after the other. The size is fixed, so that results do not depend on the number of threads.
const CHUNK: usize = 256;
/// Frames before a chunk that only prepare its first one.
const LEAD_IN: usize = 24;
/// Chunks between two reports of progress.
const BATCH: usize = 16;

/// Pulls in square meters per square radian: what a marker at that distance from the joint has. Markers at 5 cm and more
/// outweigh them a thousand times; where no marker tells, they decide.
const PULL_TO_PREVIOUS: f64 = 1e-6;
const PULL_TO_REST: f64 = 1e-8;
/// The same for a joint without a marker of its own, so that its neighbors turn first where both could.
const PULL_TO_REST_UNMARKED: f64 = 1e-5;
/// The pull towards the rotation in a gap: markers of 2 mm against an interpolation that is 5° off.
const PULL_IN_GAP: f64 = 5e-4;

/// A joint that leaves the middle of its neighbors in time by less than this is noisy; by more, its markers are wrong.
const MIN_SPIKE_RADIANS: f32 = 0.35;

/// The poses of all frames.
pub(super) fn solve_frames(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    progress: Progress<'_>,
) -> Result<Vec<LocalPose>, MarkerSolveError> {
    let count = capture.frame_count();
    let chunks: Vec<Range<usize>> =
        (0..count).step_by(CHUNK).map(|start| start..(start + CHUNK).min(count)).collect();
    let mut out = Vec::with_capacity(count);
    for batch in chunks.chunks(BATCH) {
        let solved: Vec<Vec<LocalPose>> =
            batch.par_iter().map(|chunk| solve_chunk(body, capture, options, chunk.clone())).collect();
        out.extend(solved.into_iter().flatten());
        tell(progress, out.len(), count).map_err(|_| MarkerSolveError::Stopped)?;
    }
    Ok(out)
}

fn solve_chunk(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    chunk: Range<usize>,
) -> Vec<LocalPose> {
    let mut solver = FrameSolver::new(body);
    let first = chunk.start.saturating_sub(LEAD_IN);
    let mut out = Vec::with_capacity(chunk.len());
    let mut pose = solve_alone(body, &mut solver, capture.frame(first), options);
    let mut pulls = Vec::new();
    for frame in first..chunk.end {
        let positions = capture.frame(frame);
        if frame > first {
            steady_pulls(body, &pose, &mut pulls);
            let root_pull = steady_root(body, &pose);
            let outlier_meters = f64::from(options.outlier_meters);
            solver.solve(&FrameGoal { positions, pulls: &pulls, root_pull, outlier_meters }, &mut pose);
            restart_if_lost(body, &mut solver, positions, options, &mut pose);
        }
        if frame >= chunk.start {
            out.push(pose.clone());
        }
    }
    out
}

/// Pulls of all joints to rest and to the pose before.
pub(super) fn steady_pulls(body: &MarkerBody<'_>, before: &LocalPose, pulls: &mut Vec<JointPull>) {
    rest_pulls(body, pulls);
    pulls.extend(body.joints.iter().enumerate().map(|(index, joint)| {
        JointPull::even(index, before.joints[joint.joint.index()].rotation, PULL_TO_PREVIOUS)
    }));
}

/// The pull of the root to where it was before.
pub(super) fn steady_root(body: &MarkerBody<'_>, before: &LocalPose) -> (Vec3, f64) {
    (before.joints[body.root().index()].translation, PULL_TO_PREVIOUS)
}

/// Pulls of all joints to rest.
pub(super) fn rest_pulls(body: &MarkerBody<'_>, pulls: &mut Vec<JointPull>) {
    pulls.clear();
    pulls.extend(body.joints.iter().enumerate().map(|(index, joint)| {
        let weight = if joint.has_marker { PULL_TO_REST } else { PULL_TO_REST_UNMARKED };
        JointPull::even(index, body.skeleton().rest(joint.joint).rotation, weight)
    }));
}

/// The pose of a frame without a pose before it.
pub(super) fn solve_alone(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    options: &MarkerSolveOptions,
) -> LocalPose {
    let mut pose = start_pose(body, solver, positions);
    let mut pulls = Vec::new();
    rest_pulls(body, &mut pulls);
    let root_pull = (pose.joints[body.root().index()].translation, PULL_TO_PREVIOUS);
    let outlier_meters = f64::from(options.outlier_meters);
    let goal = FrameGoal { positions, pulls: &pulls, root_pull, outlier_meters };
    // From wide to narrow: outliers lose their influence step by step.
    for outlier_meters in [1.0_f64, 0.2] {
        solver.descend(
            &FrameGoal { outlier_meters: outlier_meters.max(goal.outlier_meters), ..goal },
            &mut pose,
        );
    }
    solver.solve(&goal, &mut pose);
    pose
}

/// Starts anew where following the frame before has ended far from the markers of a joint, and keeps the closer result.
fn restart_if_lost(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    options: &MarkerSolveOptions,
    pose: &mut LocalPose,
) {
    let outlier_meters = f64::from(options.outlier_meters);
    solver.look_at(pose);
    if !solver.has_lost_joint(positions, outlier_meters) {
        return;
    }
    let cost = solver.marker_cost(positions, outlier_meters);
    let other = solve_alone(body, solver, positions, options);
    solver.look_at(&other);
    if solver.marker_cost(positions, outlier_meters) < cost {
        *pose = other;
    }
}

/// Marks joints that leave their motion for one frame and return: two markers of a joint with each other's label may fit as
/// well as the right ones, but nothing turns so fast.
fn mark_spikes(body: &MarkerBody<'_>, poses: &[LocalPose], lost: &mut [Vec<bool>]) {
    for (index, joint) in body.joints.iter().enumerate().filter(|(_, joint)| joint.has_marker) {
        let rotation = |frame: usize| poses[frame].joints[joint.joint.index()].rotation;
        let inner = poses.len().saturating_sub(2);
        for (frame, lost) in lost.iter_mut().enumerate().skip(1).take(inner) {
            let (before, after) = (rotation(frame - 1), rotation(frame + 1));
            let spike = rotation(frame).angle_between(before.slerp(after, 0.5));
            let is_spike = spike > MIN_SPIKE_RADIANS && spike > 4.0 * before.angle_between(after);
            lost[index] |= is_spike;
        }
    }
}

/// Solves the frames of `gaps` again, with the joints that no marker determined there pulled to rotations between the ends of
/// their gap. A gap that is too long, or open at one side, holds its nearest end.
pub(super) fn fill_gaps(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    gaps: &[JointGap],
    poses: &mut [LocalPose],
) {
    let solved = poses.to_vec();
    let refill = |(frame, pose): (usize, &mut LocalPose)| {
        let within: Vec<&JointGap> = gaps.iter().filter(|gap| gap.frames.contains(&frame)).collect();
        if within.is_empty() {
            return;
        }
        let (mut solver, mut pulls) = (FrameSolver::new(body), Vec::new());
        rest_pulls(body, &mut pulls);
        let mut root_pull = (pose.joints[body.root().index()].translation, PULL_TO_PREVIOUS);
        for gap in within {
            let bridged = gap.bridged(frame, &solved, body.joints[gap.joint].joint);
            let local = &mut pose.joints[body.joints[gap.joint].joint.index()];
            local.rotation = bridged.rotation;
            if gap.joint == 0 {
                local.translation = bridged.translation;
                root_pull = (bridged.translation, PULL_IN_GAP);
            }
            pulls.push(JointPull::even(gap.joint, bridged.rotation, PULL_IN_GAP));
        }
        let outlier_meters = f64::from(options.outlier_meters);
        let is_bridged = |joint| gaps.iter().any(|gap| gap.joint == joint && gap.frames.contains(&frame));
        let positions = trusted(body, &mut solver, capture.frame(frame), is_bridged, pose, outlier_meters);
        solver.solve(&FrameGoal { positions: &positions, pulls: &pulls, root_pull, outlier_meters }, pose);
    };
    poses.par_iter_mut().enumerate().for_each(refill);
}

/// `positions` without the markers of bridged joints that are outliers in `pose`, in which these joints are bridged already.
pub(super) fn trusted(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    is_bridged: impl Fn(usize) -> bool,
    pose: &LocalPose,
    outlier_meters: f64,
) -> Vec<Option<Vec3>> {
    solver.look_at(pose);
    let mut out = positions.to_vec();
    for (marker, distance) in body.markers.iter().zip(solver.distances(positions)) {
        if is_bridged(marker.joint) && distance.is_some_and(|distance| distance > outlier_meters) {
            out[marker.column] = None;
        }
    }
    out
}

/// The gaps of all joints: runs of frames in which markers do not determine them.
pub(super) fn find_gaps(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
    poses: &[LocalPose],
) -> Vec<JointGap> {
    let support = Support::new(body);
    let outlier_meters = f64::from(options.outlier_meters);
    let mut lost: Vec<Vec<bool>> = poses
        .par_iter()
        .enumerate()
        .map_init(
            || FrameSolver::new(body),
            |solver, (frame, pose)| {
                solver.look_at(pose);
                support.lost(body, solver, capture.frame(frame), outlier_meters)
            },
        )
        .collect();
    mark_spikes(body, poses, &mut lost);
    let max_frames = (f64::from(options.max_gap_secs) * f64::from(capture.rate_hz())).round() as usize;
    (0..body.joints.len()).flat_map(|joint| support.gaps(joint, &lost, max_frames)).collect()
}
