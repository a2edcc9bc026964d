//! Which joints the visible markers determine.

use super::{body::MarkerBody, frame_solver::FrameSolver};
use crate::eigen::smallest_eigenvalue;
use sinew::{
    JointId, LocalPose, Transform,
    glam::{DMat3, DVec3, Vec3},
};
use std::ops::Range;

/// A joint is lost in a frame when it is determined less than this, relative to all of its markers.
const MIN_SUPPORT: f64 = 0.25;
/// Markers determine a joint when they are at least this far from every axis through it, in meters.
const MIN_ARM_METERS: f64 = 0.005;

/// How well markers determine each joint of a body when all of them are seen.
pub(super) struct Support {
    full: Vec<f64>,
}

/// Frames in which the visible markers do not determine a joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointGap {
    /// The index in the joints of the body.
    pub(super) joint: usize,
    pub(super) frames: Range<usize>,
    /// True if the rotations are interpolated between both ends; otherwise the nearest end holds.
    pub(super) is_filled: bool,
    frame_count: usize,
}

impl Support {
    pub(super) fn new(body: &MarkerBody<'_>) -> Self {
        let is_seen = |_: usize| true;
        let full = (0..body.joints.len()).map(|joint| inertia(body, joint, &is_seen));
        Self { full: full.map(smallest_eigenvalue).collect() }
    }

    /// True if all markers together determine the rotation of a joint about every axis.
    pub(super) fn is_determined(&self, joint: usize) -> bool {
        self.full[joint] >= MIN_ARM_METERS * MIN_ARM_METERS
    }

    /// For each joint, whether the markers of a frame fail to determine it. Markers that do not fit do not count.
    pub(super) fn lost(
        &self,
        body: &MarkerBody<'_>,
        solver: &FrameSolver<'_>,
        positions: &[Option<Vec3>],
        outlier_meters: f64,
    ) -> Vec<bool> {
        let median = solver.median_distance(positions).unwrap_or(0.0);
        // Two labels that are swapped on the same joint turn it, and leave residuals that are too small for outliers.
        let limit = (5.0 * median).max(MIN_ARM_METERS).min(outlier_meters.max(3.0 * median));
        let seen: Vec<bool> =
            solver.distances(positions).map(|d| d.is_some_and(|distance| distance < limit)).collect();
        if seen.iter().all(|seen| *seen) {
            return vec![false; body.joints.len()];
        }
        let is_seen = |marker: usize| seen[marker];
        (0..body.joints.len())
            .map(|joint| {
                self.is_determined(joint)
                    && smallest_eigenvalue(inertia(body, joint, &is_seen)) < MIN_SUPPORT * self.full[joint]
            })
            .collect()
    }

    /// The gaps of a joint. Those of up to `max_frames` with frames on both sides are filled.
    pub(super) fn gaps(&self, joint: usize, lost: &[Vec<bool>], max_frames: usize) -> Vec<JointGap> {
        let mut out: Vec<JointGap> = Vec::new();
        for frame in (0..lost.len()).filter(|&frame| lost[frame][joint]) {
            match out.last_mut() {
                Some(gap) if gap.frames.end == frame => gap.frames.end += 1,
                _ => out.push(JointGap {
                    joint,
                    frames: frame..frame + 1,
                    is_filled: false,
                    frame_count: lost.len(),
                }),
            }
        }
        for gap in &mut out {
            let is_inside = gap.frames.start > 0 && gap.frames.end < lost.len();
            gap.is_filled = is_inside && gap.frames.len() <= max_frames;
        }
        out
    }
}

impl JointGap {
    /// The local transform in a frame of the gap, from the poses before and after it.
    pub(super) fn bridged(&self, frame: usize, solved: &[LocalPose], joint: JointId) -> Transform {
        let at = |frame: usize| solved[frame].joints[joint.index()];
        let before = self.frames.start.checked_sub(1).map(at);
        let after = (self.frames.end < self.frame_count).then(|| at(self.frames.end));
        match (before, after) {
            (Some(before), Some(after)) if self.is_filled => {
                let fraction = (frame + 1 - self.frames.start) as f32 / (self.frames.len() + 1) as f32;
                Transform {
                    translation: before.translation.lerp(after.translation, fraction),
                    rotation: before.rotation.slerp(after.rotation, fraction),
                    scale: before.scale,
                }
            }
            (Some(end), _) | (None, Some(end)) => end,
            (None, None) => at(frame),
        }
    }
}

/// The inertia about a joint of unit masses at its visible markers and at joints below that have visible markers.
fn inertia(body: &MarkerBody<'_>, joint: usize, is_seen: &impl Fn(usize) -> bool) -> DMat3 {
    let own = body.markers.iter().enumerate().filter(|(k, marker)| marker.joint == joint && is_seen(*k));
    let own = own.map(|(_, marker)| marker.offset);
    let carries = |child: usize| {
        let mut below = body.markers.iter().enumerate().filter(|(_, m)| body.is_within(m.joint, child));
        below.any(|(k, _)| is_seen(k))
    };
    let ends = body.children(joint).filter(|&child| carries(child));
    let ends = ends.map(|child| body.skeleton().rest(body.joints[child].joint).translation);
    own.chain(ends).map(|arm| about(arm.as_dvec3())).sum()
}

/// The inertia of a unit mass at `arm`.
fn about(arm: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer
}
