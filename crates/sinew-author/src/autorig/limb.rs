//! Joints along a limb: places on a path through the middle of the body.

use super::solid::Solid;
use sinew::glam::DVec3;

/// A path through the body, as a line of places with their distances from its start.
pub(super) struct LimbPath {
    places: Vec<DVec3>,
    lengths: Vec<f64>,
}

impl LimbPath {
    /// The smoothed path over `cells`.
    pub(super) fn of(solid: &Solid, cells: &[usize]) -> Self {
        let raw: Vec<DVec3> = cells.iter().map(|&cell| solid.places[cell]).collect();
        let smoothed = |at: usize| {
            // A path of cells has corners of a cell; the mean over some cells has not.
            let reach = 3.min(at).min(raw.len() - 1 - at);
            let around = &raw[at - reach..=at + reach];
            around.iter().sum::<DVec3>() / around.len() as f64
        };
        let places: Vec<DVec3> = (0..raw.len()).map(smoothed).collect();
        let mut lengths = vec![0.0; places.len()];
        for at in 1..places.len() {
            lengths[at] = lengths[at - 1] + places[at].distance(places[at - 1]);
        }
        Self { places, lengths }
    }

    pub(super) fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// The place at `fraction` of the length.
    pub(super) fn at(&self, fraction: f64) -> DVec3 {
        let wanted = self.length() * fraction.clamp(0.0, 1.0);
        let at =
            self.lengths.partition_point(|&length| length < wanted).min(self.places.len().saturating_sub(1));
        let Some(before) = at.checked_sub(1) else { return self.places.first().copied().unwrap_or_default() };
        let part = self.lengths[at] - self.lengths[before];
        let t = if part > 0.0 { (wanted - self.lengths[before]) / part } else { 0.0 };
        self.places[before].lerp(self.places[at], t)
    }

    /// The part of the path before the first place that is `past`.
    pub(super) fn before(mut self, past: impl Fn(DVec3) -> bool) -> Self {
        let end = self.places.iter().position(|&place| past(place)).unwrap_or(self.places.len());
        self.places.truncate(end.max(1));
        self.lengths.truncate(end.max(1));
        self
    }
}
