//! What a solved capture is like.

use super::{
    MarkerSolveOptions,
    body::MarkerBody,
    frame_solver::FrameSolver,
    noise::CaptureNoise,
    support::{JointGap, Support},
};
use rayon::prelude::*;
use sinew::{LocalPose, MarkerCapture, glam::Vec3};

/// Figures of a solved capture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MarkerSolveReport {
    /// The number of frames.
    pub frames: usize,
    /// The joint that carries all others; it moves and turns freely.
    pub root: String,
    /// The number of joints that were solved.
    pub solved_joints: usize,
    /// The distance between markers and the solved character over all attached markers, without outliers.
    pub residual: MarkerResidual,
    /// What was measured for each attached marker.
    pub markers: Vec<MarkerReport>,
    /// The noise of a coordinate of a marker, as a standard deviation in millimeters, told by the residuals.
    pub noise_mm: f32,
    /// How well the markers determine each joint that carries some.
    pub joints: Vec<MarkerJointReport>,
    /// Markers of the capture that are not attached to a joint.
    pub unattached: Vec<String>,
    /// Attached markers that the capture does not have, or that are never seen.
    pub unseen: Vec<String>,
    /// Runs of frames in which the visible markers do not determine a joint.
    pub gaps: Vec<JointGapReport>,
    /// Joints between markers whose rotation the markers do not determine about every axis, even when all are seen.
    pub undetermined: Vec<String>,
}

/// Distances between a marker and the solved character, in millimeters, over the frames in which it is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MarkerResidual {
    /// The mean distance, in millimeters.
    pub mean_mm: f32,
    /// The root of the mean square distance.
    pub rms_mm: f32,
    /// The largest distance, in millimeters.
    pub max_mm: f32,
}

/// Figures of one marker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerReport {
    /// The label of the marker.
    pub label: String,
    /// The name of the joint that carries it.
    pub joint: String,
    /// The distances, without outliers.
    pub residual: MarkerResidual,
    /// The number of frames in which it is seen.
    pub seen_frames: usize,
    /// The number of frames in which it is missing.
    pub missing_frames: usize,
    /// The number of runs of frames in which it is missing.
    pub gap_count: usize,
    /// The number of frames in which it is too far away to count.
    pub outlier_frames: usize,
}

/// How well markers determine a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerJointReport {
    /// The name of the joint.
    pub joint: String,
    /// The RMS of the whole angle by which noise turns the joint, relative to the nearest joint above with markers, in a frame
    /// that is solved alone: no other solver could be better (Cramér and Rao). Smoothing over time can.
    pub frame_bound_degrees: f32,
}

/// A run of frames in which markers do not determine a joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointGapReport {
    /// The name of the joint.
    pub joint: String,
    /// The first frame of the gap.
    pub first_frame: usize,
    /// The number of frames.
    pub frames: usize,
    /// True if the joint is interpolated between both ends; false if it holds because the gap is too long or open.
    pub is_filled: bool,
}

/// The sums from which a residual is computed.
#[derive(Clone, Copy, Default)]
struct ResidualSum {
    count: usize,
    sum: f64,
    squares: f64,
    max: f64,
    outliers: usize,
}

impl ResidualSum {
    fn add(&mut self, meters: f64, outlier_meters: f64) {
        if meters > outlier_meters {
            self.outliers += 1;
            return;
        }
        let mm = meters * 1000.0;
        self.count += 1;
        self.sum += mm;
        self.squares += mm * mm;
        self.max = self.max.max(mm);
    }

    fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            max: self.max.max(other.max),
            outliers: self.outliers + other.outliers,
        }
    }

    fn residual(self) -> MarkerResidual {
        let count = self.count.max(1) as f64;
        MarkerResidual {
            mean_mm: (self.sum / count) as f32,
            rms_mm: (self.squares / count).sqrt() as f32,
            max_mm: self.max as f32,
        }
    }
}

/// The residuals of all frames together, without outliers.
pub(super) fn total_residual(
    body: &MarkerBody<'_>,
    frames: &[&[Option<Vec3>]],
    poses: &[LocalPose],
    options: &MarkerSolveOptions,
) -> MarkerResidual {
    let sums = residual_sums(body, frames, poses, options);
    sums.into_iter().fold(ResidualSum::default(), ResidualSum::and).residual()
}

/// The sums of each marker. Distances are of the subject: larger than the character's by its scale.
fn residual_sums(
    body: &MarkerBody<'_>,
    frames: &[&[Option<Vec3>]],
    poses: &[LocalPose],
    options: &MarkerSolveOptions,
) -> Vec<ResidualSum> {
    let (scale, outlier) = (f64::from(options.scale), f64::from(options.outlier_meters));
    let rows: Vec<Vec<Option<f64>>> = poses
        .par_iter()
        .zip(frames)
        .map_init(
            || FrameSolver::new(body),
            |solver, (pose, positions)| {
                solver.look_at(pose);
                solver.distances(positions).map(|d| d.map(|d| d * scale)).collect()
            },
        )
        .collect();
    let mut sums = vec![ResidualSum::default(); body.markers.len()];
    for row in rows {
        for (sum, distance) in sums.iter_mut().zip(row) {
            if let Some(distance) = distance {
                sum.add(distance, 2.0 * outlier);
            }
        }
    }
    sums
}

/// The report of solved poses.
pub(super) fn report(
    body: &MarkerBody<'_>,
    capture: &MarkerCapture,
    poses: &[LocalPose],
    gaps: &[JointGap],
    noise: &CaptureNoise,
    options: &MarkerSolveOptions,
) -> MarkerSolveReport {
    let skeleton = body.skeleton();
    let frames: Vec<_> = capture.frames().collect();
    let sums = residual_sums(body, &frames, poses, options);
    let name = |joint: usize| skeleton.name(body.joints[joint].joint).to_owned();
    let marker = |(marker, sum): (&super::body::BodyMarker, &ResidualSum)| {
        let gaps = capture.gaps(marker.column);
        let missing: usize = gaps.iter().map(ExactSizeIterator::len).sum();
        MarkerReport {
            label: capture.labels()[marker.column].clone(),
            joint: name(marker.joint),
            residual: sum.residual(),
            seen_frames: capture.frame_count() - missing,
            missing_frames: missing,
            gap_count: gaps.len(),
            outlier_frames: sum.outliers,
        }
    };
    let markers: Vec<MarkerReport> = body.markers.iter().zip(&sums).map(marker).collect();
    let bounds = noise.frame_bounds(body, capture, options, poses).into_iter().enumerate();
    let joint = |(joint, bound): (usize, Option<f64>)| {
        let frame_bound_degrees = bound?.to_degrees() as f32;
        Some(MarkerJointReport { joint: name(joint), frame_bound_degrees })
    };
    let is_attached = |column: usize| body.markers.iter().any(|m| m.column == column);
    let support = Support::new(body);
    MarkerSolveReport {
        frames: capture.frame_count(),
        root: name(0),
        solved_joints: body.joints.len(),
        residual: sums.iter().copied().fold(ResidualSum::default(), ResidualSum::and).residual(),
        unattached: (0..capture.labels().len())
            .filter(|&column| !is_attached(column))
            .map(|column| capture.labels()[column].clone())
            .collect(),
        unseen: markers.iter().filter(|m| m.seen_frames == 0).map(|m| m.label.clone()).collect(),
        markers,
        noise_mm: (noise.variance.sqrt() * 1000.0) as f32 * options.scale,
        joints: bounds.filter_map(joint).collect(),
        gaps: gaps
            .iter()
            .map(|gap| JointGapReport {
                joint: name(gap.joint),
                first_frame: gap.frames.start,
                frames: gap.frames.len(),
                is_filled: gap.is_filled,
            })
            .collect(),
        undetermined: (0..body.joints.len()).filter(|&j| !support.is_determined(j)).map(name).collect(),
    }
}
