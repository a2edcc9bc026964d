//! Attachments refined from the motion itself.

use super::{
    MarkerAttachments, MarkerResidual, MarkerSolveError, MarkerSolveOptions,
    body::MarkerBody,
    frame_solver::{FrameGoal, FrameSolver, JointPull},
    options::positive,
    report::total_residual,
    take::solve_alone,
};
use crate::progress::{Progress, tell};
use rayon::prelude::*;
use sinew::{
    Character, LocalPose, MarkerCapture,
    glam::{DVec3, Vec3},
    transform::inverse_affine,
};
use std::ops::Range;

/// How attachments are calibrated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CalibrateOptions {
    /// Frames in which the subject stands in the rest pose of the character. They decide what no motion tells: how far markers
    /// are turned about a bone. Empty if there are none.
    pub rest_frames: Range<usize>,
    /// The maximum number of other frames, evenly spaced over the capture.
    pub motion_frames: usize,
    /// How often poses and attachments are solved in turn.
    pub rounds: usize,
    /// True to find the size of the subject as well.
    pub fit_scale: bool,
    /// The uncertainty of the given offsets, in meters: what neither motion nor rest pose tells stays near them.
    pub guess_meters: f32,
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        Self { rest_frames: 0..0, motion_frames: 80, rounds: 15, fit_scale: false, guess_meters: 0.03 }
    }
}

impl CalibrateOptions {
    /// The same options with other frames in the rest pose.
    #[must_use]
    pub fn with_rest_frames(self, rest_frames: Range<usize>) -> Self {
        Self { rest_frames, ..self }
    }

    /// The same options, with the size of the subject solved or not.
    #[must_use]
    pub fn with_fit_scale(self, fit_scale: bool) -> Self {
        Self { fit_scale, ..self }
    }

    /// The same options with another number of rounds.
    #[must_use]
    pub fn with_rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }
}

/// Figures of a calibration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CalibrationReport {
    /// The number of frames that were used, those in the rest pose included.
    pub frames: usize,
    /// Residuals with the given attachments.
    pub before: MarkerResidual,
    /// Residuals with the new attachments.
    pub after: MarkerResidual,
    /// The mean distance by which markers moved, in millimeters.
    pub mean_move_mm: f32,
    /// The largest distance by which a marker moved, in millimeters.
    pub max_move_mm: f32,
    /// The size of the subject relative to the character.
    pub scale: f32,
}

/// The pull that holds a joint at rest, in square meters per square radian.
const HOLD: f64 = 1e4;
/// Frames of the rest pose count together this many times as much as all others.
const REST_IMPORTANCE: f64 = 2.0;
/// How often the size is solved before the markers.
const SCALE_ROUNDS: usize = 8;

/// Improves `attachments`: poses of some frames and offsets of markers are solved in turn by least squares.
///
/// `capture` has Y up. The joints of attachments stay; only offsets change. `options.scale` is the first guess of the size.
///
/// # Errors
/// If no marker is attached, the capture has no frames, or an option is out of range.
pub fn calibrate_markers(
    character: &Character,
    capture: &MarkerCapture,
    attachments: &MarkerAttachments,
    options: &MarkerSolveOptions,
    calibrate: &CalibrateOptions,
    progress: Progress<'_>,
) -> Result<(MarkerAttachments, CalibrationReport), MarkerSolveError> {
    options.check()?;
    positive("guess_meters", calibrate.guess_meters)?;
    let frames = chosen_frames(capture, calibrate)?;
    let mut fit = Calibration {
        character,
        capture,
        guess: attachments,
        current: attachments.clone(),
        options: options.clone(),
        poses: vec![],
    };
    let before = fit.solve_poses(&frames)?;
    if calibrate.fit_scale {
        // The size comes first: later every marker could make up for a wrong one.
        for _ in 0..SCALE_ROUNDS {
            fit.fit_scale(&frames)?;
            fit.solve_poses(&frames)?;
        }
    }
    for round in 0..calibrate.rounds {
        fit.move_markers(&frames, calibrate)?;
        fit.solve_poses(&frames)?;
        tell(progress, round + 1, calibrate.rounds).map_err(|_| MarkerSolveError::Stopped)?;
    }
    let after = fit.solve_poses(&frames)?;
    let moves = attachments.list().iter().zip(fit.current.list());
    let moves: Vec<f32> = moves.map(|(a, b)| a.offset.distance(b.offset) * 1000.0).collect();
    let report = CalibrationReport {
        frames: frames.len(),
        before,
        after,
        mean_move_mm: moves.iter().sum::<f32>() / moves.len().max(1) as f32,
        max_move_mm: moves.iter().copied().fold(0.0, f32::max),
        scale: fit.options.scale,
    };
    Ok((fit.current, report))
}

/// A frame to calibrate with.
#[derive(Clone, Copy, Debug)]
struct ChosenFrame {
    frame: usize,
    is_rest: bool,
}

/// The frames in the rest pose, and of each stretch of the others the one that shows most markers.
fn chosen_frames(
    capture: &MarkerCapture,
    options: &CalibrateOptions,
) -> Result<Vec<ChosenFrame>, MarkerSolveError> {
    let count = capture.frame_count();
    if count == 0 {
        return Err(MarkerSolveError::FrameCount { frames: 0 });
    }
    let rest = options.rest_frames.start.min(count)..options.rest_frames.end.min(count);
    // A long stand tells no more than a hundred frames of it.
    let step = (rest.len() / 100).max(1);
    let mut out: Vec<ChosenFrame> =
        rest.clone().step_by(step).map(|frame| ChosenFrame { frame, is_rest: true }).collect();
    let others: Vec<usize> = (0..count).filter(|frame| !rest.contains(frame)).collect();
    let stretch = others.len().div_ceil(options.motion_frames.max(1)).max(1);
    let seen = |frame: usize| capture.frame(frame).iter().flatten().count();
    for some in others.chunks(stretch) {
        let best =
            some.iter().copied().reduce(|best, frame| if seen(frame) > seen(best) { frame } else { best });
        out.extend(best.map(|frame| ChosenFrame { frame, is_rest: false }));
    }
    Ok(out)
}

struct Calibration<'a> {
    character: &'a Character,
    capture: &'a MarkerCapture,
    guess: &'a MarkerAttachments,
    current: MarkerAttachments,
    options: MarkerSolveOptions,
    /// One per chosen frame; empty before the first round.
    poses: Vec<LocalPose>,
}

impl<'a> Calibration<'a> {
    fn body(&self) -> Result<MarkerBody<'a>, MarkerSolveError> {
        MarkerBody::new(self.character, self.capture, &self.current, &self.options.limits)
    }

    /// The markers of a frame in the size of the character.
    fn positions(&self, frame: usize) -> Vec<Option<Vec3>> {
        self.capture.frame(frame).iter().map(|p| p.map(|p| p / self.options.scale)).collect()
    }

    /// Solves the pose of every frame with the current attachments; returns the residuals.
    fn solve_poses(&mut self, frames: &[ChosenFrame]) -> Result<MarkerResidual, MarkerSolveError> {
        let body = self.body()?;
        let solve = |(index, chosen): (usize, &ChosenFrame)| {
            let positions = self.positions(chosen.frame);
            let mut solver = FrameSolver::new(&body);
            match (self.poses.get(index), chosen.is_rest) {
                (pose, true) => solve_at_rest(&body, &mut solver, &positions, pose, &self.options),
                (Some(pose), false) => solve_from(&body, &mut solver, &positions, pose, &self.options),
                (None, false) => solve_alone(&body, &mut solver, &positions, &self.options),
            }
        };
        let poses: Vec<LocalPose> = frames.par_iter().enumerate().map(solve).collect();
        let positions: Vec<Vec<Option<Vec3>>> = frames.iter().map(|f| self.positions(f.frame)).collect();
        let rows: Vec<&[Option<Vec3>]> = positions.iter().map(Vec::as_slice).collect();
        let residual = total_residual(&body, &rows, &poses, &self.options);
        self.poses = poses;
        Ok(residual)
    }

    /// Scales the subject to fit the solved poses.
    fn fit_scale(&mut self, frames: &[ChosenFrame]) -> Result<(), MarkerSolveError> {
        let body = self.body()?;
        let (mut solver, mut size) = (FrameSolver::new(&body), ScaleFit::default());
        for (chosen, pose) in frames.iter().zip(&self.poses) {
            solver.look_at(pose);
            size.add_frame(&body, &solver, &self.positions(chosen.frame));
        }
        self.options.scale *= size.scale();
        Ok(())
    }

    /// Moves every marker to the mean of where the frames see it in the space of its joint.
    fn move_markers(
        &mut self,
        frames: &[ChosenFrame],
        options: &CalibrateOptions,
    ) -> Result<(), MarkerSolveError> {
        let body = self.body()?;
        let resting = frames.iter().filter(|f| f.is_rest).count();
        let rest_weight = REST_IMPORTANCE * (frames.len() - resting).max(1) as f64 / resting.max(1) as f64;
        // The given offset counts as much as its uncertainty allows beside markers of some 3 mm.
        let guess_weight = (0.003 / f64::from(options.guess_meters)).powi(2);
        let start = |k: usize| self.guess.list()[body.markers[k].attachment].offset.as_dvec3() * guess_weight;
        let mut sums: Vec<(DVec3, f64)> = (0..body.markers.len()).map(|k| (start(k), guess_weight)).collect();
        let mut solver = FrameSolver::new(&body);
        for (chosen, pose) in frames.iter().zip(&self.poses) {
            let positions = self.positions(chosen.frame);
            solver.look_at(pose);
            let limit = 3.0 * solver.median_distance(&positions).unwrap_or(0.0);
            let limit = limit.max(f64::from(self.options.outlier_meters));
            for (k, marker) in body.markers.iter().enumerate() {
                let model = solver.model().joint(body.joints[marker.joint].joint);
                let Some((seen, inverse)) = positions[marker.column].zip(inverse_affine(&model)) else {
                    continue;
                };
                let distance = f64::from(seen.distance(solver.marker_position(k)));
                let importance = if chosen.is_rest { rest_weight } else { 1.0 };
                let weight = importance / (1.0 + (distance / limit).powi(2)).powi(2);
                sums[k].0 += inverse.transform_point3(seen).as_dvec3() * weight;
                sums[k].1 += weight;
            }
        }
        let offsets: Vec<(usize, Vec3)> = body
            .markers
            .iter()
            .zip(&sums)
            .map(|(marker, (sum, weight))| (marker.attachment, (*sum / *weight).as_vec3()))
            .collect();
        let found = |index: usize| offsets.iter().find(|(a, _)| *a == index).map(|(_, offset)| *offset);
        self.current = self.current.with_offsets(found);
        Ok(())
    }
}

/// The size of seen markers relative to the solved ones, by least squares about the center of each frame.
#[derive(Default)]
struct ScaleFit {
    across: f64,
    square: f64,
}

impl ScaleFit {
    fn add_frame(&mut self, body: &MarkerBody<'_>, solver: &FrameSolver<'_>, positions: &[Option<Vec3>]) {
        let pairs: Vec<(DVec3, DVec3)> = body
            .markers
            .iter()
            .enumerate()
            .filter_map(|(k, marker)| {
                Some((solver.marker_position(k).as_dvec3(), positions[marker.column]?.as_dvec3()))
            })
            .collect();
        let count = pairs.len().max(1) as f64;
        let from = pairs.iter().map(|p| p.0).sum::<DVec3>() / count;
        let to = pairs.iter().map(|p| p.1).sum::<DVec3>() / count;
        for (solved, seen) in pairs {
            self.across += (solved - from).dot(seen - to);
            self.square += (solved - from).length_squared();
        }
    }

    fn scale(&self) -> f32 {
        let scale = (self.across / self.square) as f32;
        if scale.is_finite() { scale.clamp(0.5, 2.0) } else { 1.0 }
    }
}

/// The rest pose, moved and turned as a whole.
fn solve_at_rest(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    before: Option<&LocalPose>,
    options: &MarkerSolveOptions,
) -> LocalPose {
    let mut pose = before.cloned().unwrap_or_else(|| super::start::rest_at(body, solver, positions));
    let pulls: Vec<JointPull> = (1..body.joints.len())
        .map(|joint| JointPull::even(joint, body.skeleton().rest(body.joints[joint].joint).rotation, HOLD))
        .collect();
    solver.solve(&goal(body, positions, &pulls, &pose, options), &mut pose);
    pose
}

/// The pose near that of the round before.
fn solve_from(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    before: &LocalPose,
    options: &MarkerSolveOptions,
) -> LocalPose {
    let mut pose = before.clone();
    let mut pulls = Vec::new();
    super::take::rest_pulls(body, &mut pulls);
    solver.solve(&goal(body, positions, &pulls, &pose, options), &mut pose);
    pose
}

fn goal<'g>(
    body: &MarkerBody<'_>,
    positions: &'g [Option<Vec3>],
    pulls: &'g [JointPull],
    pose: &LocalPose,
    options: &MarkerSolveOptions,
) -> FrameGoal<'g> {
    let root_pull = (pose.joints[body.root().index()].translation, 1e-6);
    FrameGoal { positions, pulls, root_pull, outlier_meters: f64::from(options.outlier_meters) }
}
