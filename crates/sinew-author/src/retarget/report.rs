//! What came of it.

use super::name::BodySide;
use sinew::glam::Vec3;
use std::ops::Range;

/// How much standing feet slide over the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slide {
    /// On the mean of all moments in which the foot stands.
    pub mean_meters_per_sec: f32,
    /// At the worst of them.
    pub worst_meters_per_sec: f32,
    /// The furthest that a foot gets from the middle of where it stands.
    pub worst_drift_meters: f32,
}

impl Slide {
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

/// What one foot does.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReport {
    /// Which foot.
    pub side: BodySide,
    /// How often it stands.
    pub contacts: usize,
    /// For how long in all.
    pub contact_secs: f32,
    /// How it slides where only rotations are taken over.
    pub before: Slide,
    /// How it slides after it was kept in place; `None` where that was not asked for.
    pub after: Option<Slide>,
    /// How far the ankle stays from where it should be, on the mean of all frames.
    pub mean_reach_error_meters: f32,
    /// And in the worst frame.
    pub worst_reach_error_meters: f32,
    /// How high the lowest point of the sole comes over the ground; below it where negative. 0 where feet were left alone.
    pub lowest_sole_meters: f32,
    /// How far the body had to sink at most so that legs reach.
    pub worst_sink_meters: f32,
}

impl FootReport {
    pub(super) fn new(side: BodySide, contacts: &[Range<usize>], times_secs: &[f32], before: Slide) -> Self {
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

    /// Makes the mean of the sum.
    pub(super) fn finish(&mut self, frames: usize, sink: f32) {
        self.mean_reach_error_meters /= frames.max(1) as f32;
        self.worst_sink_meters = sink;
    }
}

/// What became of a clip on another skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetReport {
    /// Source and target names of every pair, in the order of the target's joints.
    pub mapped: Vec<(String, String)>,
    /// Source joints that the clip moves and that move nothing.
    pub unmapped_source: Vec<String>,
    /// Target joints that stay at rest in their parents.
    pub unmapped_target: Vec<String>,
    /// What the way of the body was multiplied by: the ratio of leg lengths.
    pub root_scale: f32,
    /// How many poses were taken over.
    pub frames: usize,
    /// True where the clip began with a single frame at rest, which was left out.
    pub dropped_rest_frame: bool,
    /// The feet that both bodies have.
    pub feet: Vec<FootReport>,
}
