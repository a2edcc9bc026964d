//! How often an instance is worked out.

/// What is shown between two evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BetweenUpdates {
    /// The latest: cheap, and it steps.
    Hold,
    /// The way from the one before to the latest: smooth, and late by a period.
    #[default]
    Interpolate,
}

/// How often an instance is worked out, and what is shown in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UpdateRate {
    /// Evaluations a second; as often as it is updated where there is none, or where it is no rate.
    pub rate_hz: Option<f32>,
    /// What is shown between them.
    pub between: BetweenUpdates,
}

impl UpdateRate {
    /// The time between two evaluations, where it is limited.
    pub fn period_secs(&self) -> Option<f32> {
        self.rate_hz.filter(|rate| *rate > 0.0 && rate.is_finite()).map(|rate| 1.0 / rate)
    }
}

/// A pace for everything that is at least so far away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LodLevel {
    /// From here on.
    pub beyond_meters: f32,
    /// The pace there.
    pub update_rate: UpdateRate,
}

/// Paces by distance: full near by, slower further off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LodLevels {
    levels: Vec<LodLevel>,
}

impl LodLevels {
    /// In any order; nearer than the first step everything runs at full pace.
    pub fn new(mut steps: Vec<LodLevel>) -> Self {
        steps.sort_by(|a, b| a.beyond_meters.total_cmp(&b.beyond_meters));
        Self { levels: steps }
    }

    /// Full pace to 15 m, 30 Hz to 30 m, 15 Hz to 60 m, beyond that 10 Hz and held.
    pub fn usual() -> Self {
        let step = |beyond_meters, rate, between| LodLevel {
            beyond_meters,
            update_rate: UpdateRate { rate_hz: Some(rate), between },
        };
        Self::new(vec![
            step(15.0, 30.0, BetweenUpdates::Interpolate),
            step(30.0, 15.0, BetweenUpdates::Interpolate),
            step(60.0, 10.0, BetweenUpdates::Hold),
        ])
    }

    /// The pace at a distance. Something that is at `now` already keeps its pace until it is a tenth nearer than where
    /// that begins, so that what walks along a border does not change back and forth.
    pub fn update_rate_at(&self, distance_meters: f32, now: UpdateRate) -> UpdateRate {
        let reached = |step: &&LodLevel| {
            let border = if step.update_rate == now { step.beyond_meters * 0.9 } else { step.beyond_meters };
            distance_meters >= border
        };
        self.levels.iter().rfind(reached).map_or_else(UpdateRate::default, |step| step.update_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_further_the_slower_and_borders_do_not_flicker() {
        let details = LodLevels::usual();
        let pace = |meters, now| details.update_rate_at(meters, now).rate_hz;
        assert_eq!(pace(3.0, UpdateRate::default()), None);
        assert_eq!(pace(20.0, UpdateRate::default()), Some(30.0));
        assert_eq!(pace(1e6, UpdateRate::default()), Some(10.0));
        let slow = details.update_rate_at(20.0, UpdateRate::default());
        assert_eq!(pace(14.0, slow), Some(30.0));
        assert_eq!(pace(14.0, UpdateRate::default()), None);
        assert_eq!(pace(13.0, slow), None);
        assert_eq!(pace(f32::NAN, slow), None);
    }

    #[test]
    fn no_rate_is_no_limit() {
        for rate in [None, Some(0.0), Some(-3.0), Some(f32::NAN), Some(f32::INFINITY)] {
            assert_eq!(UpdateRate { rate_hz: rate, between: BetweenUpdates::Hold }.period_secs(), None);
        }
        assert_eq!(
            UpdateRate { rate_hz: Some(20.0), between: BetweenUpdates::Hold }.period_secs(),
            Some(0.05)
        );
    }
}
