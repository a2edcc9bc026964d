//! The time axis that the scrubber and the curves share.

use crate::document::Document;

/// The margin at both ends in points, for labels and the handles of the loop range.
const MARGIN: f32 = 8.0;

/// Maps seconds of the clip to points of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeScale {
    left: f32,
    width: f32,
    pub(super) duration_secs: f32,
    /// The current time in seconds from the start of the clip.
    pub(super) now_secs: f32,
}

impl TimeScale {
    pub(super) fn new(ui: &egui::Ui, document: &Document, now_secs: f32) -> Self {
        let rect = ui.available_rect_before_wrap();
        let duration_secs = document.clip().map_or(1.0, |clip| clip.duration_secs()).max(1e-6);
        let (left, width) = (rect.left() + MARGIN, (rect.width() - 2.0 * MARGIN).max(1.0));
        Self { left, width, duration_secs, now_secs }
    }

    /// A scale of `width` points from `left` on.
    #[cfg(test)]
    pub(super) fn of_points(left: f32, width: f32, duration_secs: f32) -> Self {
        Self { left, width, duration_secs, now_secs: 0.0 }
    }

    pub(super) fn x_of(&self, secs: f32) -> f32 {
        self.left + self.width * (secs / self.duration_secs).clamp(0.0, 1.0)
    }

    pub(super) fn secs_at(&self, x: f32) -> f32 {
        ((x - self.left) / self.width).clamp(0.0, 1.0) * self.duration_secs
    }

    /// [`TimeScale::times`] with `exact_secs` among them, so that the curve is sampled there and not beside it.
    pub(super) fn times_with(&self, points_apart: f32, exact_secs: f32) -> Vec<f32> {
        let mut times = self.times(points_apart);
        let place = times.partition_point(|time| *time < exact_secs);
        if times.get(place) != Some(&exact_secs) {
            times.insert(place, exact_secs);
        }
        times
    }

    /// Times at a distance of `points_apart` points, from the start to the end of the clip.
    pub(super) fn times(&self, points_apart: f32) -> Vec<f32> {
        let count = (self.width / points_apart).max(1.0) as usize;
        (0..=count).map(|k| self.duration_secs * k as f32 / count as f32).collect()
    }
}
