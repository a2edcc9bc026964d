//! The report of a retargeted clip.

use sinew::{BodySide, glam::Vec3};
use std::ops::Range;

/// How much planted feet slide over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSlide {
    /// The mean speed over all frames in which the foot is planted.
    pub mean_meters_per_sec: f32,
    /// The largest speed of a planted foot.
    pub worst_meters_per_sec: f32,
    /// The largest distance of a planted foot from the center of its contact.
    pub worst_drift_meters: f32,
}

impl FootSlide {
    pub(super) fn of(times_secs: &[f32], points: &[Vec3], contacts: &[Range<usize>], up: Vec3) -> Self {
        let flat = |v: Vec3| v - up * v.dot(up);
        let (mut way, mut secs) = (0.0_f64, 0.0_f64);
        let mut out = Self::default();
        for contact in contacts {
            let inside = &points[contact.clone()];
            let mean = inside.iter().sum::<Vec3>() / inside.len().max(1) as f32;
            for &point in inside {
                out.worst_drift_meters = out.worst_drift_meters.max(flat(point - mean).length());
            }
            for at in contact.start + 1..contact.end {
                let step = flat(points[at] - points[at - 1]).length();
                let time = times_secs[at] - times_secs[at - 1];
                if time > 0.0 {
                    (way, secs) = (way + f64::from(step), secs + f64::from(time));
                    out.worst_meters_per_sec = out.worst_meters_per_sec.max(step / time);
                }
            }
        }
        out.mean_meters_per_sec = if secs > 0.0 { (way / secs) as f32 } else { 0.0 };
        out
    }
}

/// Figures about one foot.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReport {
    /// The side of the foot.
    pub side: BodySide,
    /// The number of contacts.
    pub contacts: usize,
    /// The total duration of contacts, in seconds.
    pub contact_secs: f32,
    /// The sliding without pinning.
    pub before: FootSlide,
    /// The sliding after pinning; `None` if feet were not pinned.
    pub after: Option<FootSlide>,
    /// The mean distance of the ankle from its goal, over all frames.
    pub mean_reach_error_meters: f32,
    /// The largest distance of the ankle from its goal.
    pub worst_reach_error_meters: f32,
    /// The lowest height of the sole above the ground, negative if below; 0 if feet were not pinned.
    pub lowest_sole_meters: f32,
    /// The largest distance that the body had to sink so that legs reach.
    pub worst_sink_meters: f32,
}

impl FootReport {
    pub(super) fn new(
        side: BodySide,
        contacts: &[Range<usize>],
        times_secs: &[f32],
        before: FootSlide,
    ) -> Self {
        let secs =
            contacts.iter().map(|c| times_secs[c.end - 1] - times_secs[c.start]).fold(0.0, |a, b| a + b);
        Self {
            side,
            contacts: contacts.len(),
            contact_secs: secs,
            before,
            after: None,
            mean_reach_error_meters: 0.0,
            worst_reach_error_meters: 0.0,
            lowest_sole_meters: 0.0,
            worst_sink_meters: 0.0,
        }
    }

    pub(super) fn note_reach(&mut self, meters: f32) {
        self.mean_reach_error_meters += meters;
        self.worst_reach_error_meters = self.worst_reach_error_meters.max(meters);
    }

    /// Turns sums into means.
    pub(super) fn finish(&mut self, frames: usize, sink: f32) {
        self.mean_reach_error_meters /= frames.max(1) as f32;
        self.worst_sink_meters = sink;
    }
}

/// The result of retargeting in figures.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetReport {
    /// The source and target names of all pairs, in the order of the target's joints.
    pub mapped: Vec<(String, String)>,
    /// Source joints that the clip animates but that drive no joint.
    pub unmapped_source: Vec<String>,
    /// Target joints that stay at rest relative to their parents.
    pub unmapped_target: Vec<String>,
    /// The scale of root translation.
    pub root_scale: f32,
    /// The number of retargeted poses.
    pub frames: usize,
    /// True if the clip began with a single rest frame, which was dropped.
    pub dropped_rest_frame: bool,
    /// Reports on the feet that both bodies have.
    pub feet: Vec<FootReport>,
}
