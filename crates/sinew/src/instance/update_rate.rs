//! How often an instance is evaluated, and what is saved at a distance.

use super::{Archetype, DetailId, Instance};

/// What is shown between two evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BetweenUpdates {
    /// The latest evaluation: nothing is computed between two evaluations, but motion is stepped.
    #[default]
    Hold,
    /// A blend from the previous evaluation to the latest: smooth, but one period late. The blend is computed whenever the
    /// pose is read, which costs about as much as sampling one clip: it pays off for graphs.
    Interpolate,
}

/// How often an instance is evaluated, and what is shown in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UpdateRate {
    /// Evaluations per second. `None`, and a value that is not positive and finite, evaluates in every update.
    pub rate_hz: Option<f32>,
    /// What is shown between two evaluations.
    pub between: BetweenUpdates,
}

impl UpdateRate {
    /// `rate_hz` evaluations per second, each held until the next.
    pub const fn held(rate_hz: f32) -> Self {
        Self { rate_hz: Some(rate_hz), between: BetweenUpdates::Hold }
    }

    /// `rate_hz` evaluations per second, interpolated between.
    pub const fn interpolated(rate_hz: f32) -> Self {
        Self { rate_hz: Some(rate_hz), between: BetweenUpdates::Interpolate }
    }

    /// A phase for the instance at index `nth` of a crowd, 0 to 1, which spreads any part of the crowd evenly over a period.
    pub fn phase_of(nth: usize) -> f32 {
        // Multiples of the golden ratio leave no gaps, whatever the number of instances.
        (nth as f64 * 0.618_033_988_749_894_9).fract() as f32
    }

    /// The time between two evaluations, or `None` if the rate is not limited.
    #[must_use]
    pub fn period_secs(&self) -> Option<f32> {
        self.rate_hz.filter(|rate| *rate > 0.0 && rate.is_finite()).map(|rate| 1.0 / rate)
    }
}

/// What is saved from a distance on.
#[doc(alias = "LOD")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LodLevel {
    /// The distance from which the level applies.
    pub beyond_meters: f32,
    /// The update rate from there on.
    pub update_rate: UpdateRate,
    /// The joints that are left out ([`Archetype::add_detail`](super::Archetype::add_detail)); `None` for none.
    pub detail: Option<DetailId>,
    /// True if instances share poses where they can ([`Archetype::add_shared_poses`](super::Archetype::add_shared_poses)).
    pub uses_shared_poses: bool,
}

impl LodLevel {
    /// An update rate from a distance on, with all joints and poses of the instance's own.
    pub const fn new(beyond_meters: f32, update_rate: UpdateRate) -> Self {
        Self { beyond_meters, update_rate, detail: None, uses_shared_poses: false }
    }
}

/// Levels of detail by distance: full rate and all joints near the viewer, less further away.
#[doc(alias = "level of detail")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LodLevels {
    levels: Vec<LodLevel>,
}

impl LodLevels {
    /// Levels in any order. Nearer than the first, everything runs at full rate.
    pub fn new(mut levels: Vec<LodLevel>) -> Self {
        levels.sort_by(|a, b| a.beyond_meters.total_cmp(&b.beyond_meters));
        Self { levels }
    }

    /// Full rate up to 15 m, 30 Hz up to 30 m, 15 Hz up to 60 m, and 10 Hz beyond, all with held poses.
    pub fn usual() -> Self {
        let level = |beyond_meters, rate| LodLevel::new(beyond_meters, UpdateRate::held(rate));
        Self::new(vec![level(15.0, 30.0), level(30.0, 15.0), level(60.0, 10.0)])
    }

    /// The update rate at a distance.
    ///
    /// An instance that already runs at a level's rate, given as `now`, keeps it until it is 10 % nearer than the level
    /// begins, so that instances near a border do not switch back and forth.
    #[must_use]
    pub fn update_rate_at(&self, distance_meters: f32, now: UpdateRate) -> UpdateRate {
        self.level_at(distance_meters, |level| level.update_rate == now).update_rate
    }

    /// The level at a distance; the default one nearer than the first. The level that `is_current` is kept until the instance
    /// is 10 % nearer than it begins.
    fn level_at(&self, distance_meters: f32, is_current: impl Fn(&LodLevel) -> bool) -> LodLevel {
        let reached = |level: &&LodLevel| {
            let border = if is_current(level) { level.beyond_meters * 0.9 } else { level.beyond_meters };
            distance_meters >= border
        };
        self.levels.iter().rfind(reached).copied().unwrap_or_default()
    }
}

impl Instance {
    /// Applies the level at a distance: update rate, left-out joints and shared poses. `phase` is that of
    /// [`Instance::set_update_rate`].
    ///
    /// A level is kept until the instance is 10 % nearer than it begins, so that instances near a border do not switch back
    /// and forth.
    ///
    /// # Panics
    /// If the instance or the joints that the level leaves out are of another archetype.
    #[track_caller]
    pub fn set_lod(&mut self, archetype: &Archetype, levels: &LodLevels, distance_meters: f32, phase: f32) {
        let now = (self.update_rate, self.detail, self.uses_shared_poses);
        let of = |level: &LodLevel| (level.update_rate, level.detail, level.uses_shared_poses);
        let level = levels.level_at(distance_meters, |level| of(level) == now);
        self.set_detail(archetype, level.detail);
        self.set_update_rate(level.update_rate, phase);
        self.set_uses_shared_poses(level.uses_shared_poses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_fall_with_distance_and_do_not_flicker_at_borders() {
        let levels = LodLevels::usual();
        let rate = |meters, now| levels.update_rate_at(meters, now).rate_hz;
        assert_eq!(rate(3.0, UpdateRate::default()), None);
        assert_eq!(rate(20.0, UpdateRate::default()), Some(30.0));
        assert_eq!(rate(1e6, UpdateRate::default()), Some(10.0));
        let slow = levels.update_rate_at(20.0, UpdateRate::default());
        assert_eq!(rate(14.0, slow), Some(30.0));
        assert_eq!(rate(14.0, UpdateRate::default()), None);
        assert_eq!(rate(13.0, slow), None);
        assert_eq!(rate(f32::NAN, slow), None);
    }

    #[test]
    fn a_rate_that_is_not_positive_and_finite_does_not_limit() {
        for rate in [None, Some(0.0), Some(-3.0), Some(f32::NAN), Some(f32::INFINITY)] {
            assert_eq!(UpdateRate { rate_hz: rate, between: BetweenUpdates::Hold }.period_secs(), None);
        }
        assert_eq!(
            UpdateRate { rate_hz: Some(20.0), between: BetweenUpdates::Hold }.period_secs(),
            Some(0.05)
        );
    }
}
