//! How a change sets in and ends.

/// The way from 0 to 1 over a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Easing {
    /// Constant speed.
    Linear,
    /// Sets in and ends without a jump in speed.
    #[default]
    Smooth,
    /// Sets in and ends without a jump in speed or acceleration.
    Smoother,
    /// Starts slowly, ends at full speed.
    In,
    /// Starts at full speed, ends slowly.
    Out,
}

impl Easing {
    /// How far the change has come at `fraction` of its time. Outside 0 to 1 the ends hold; not a number counts as 0.
    pub fn apply(self, fraction: f32) -> f32 {
        let t = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
        match self {
            Self::Linear => t,
            Self::Smooth => t * t * (3.0 - 2.0 * t),
            Self::Smoother => (t * t * t * (t * (t * 6.0 - 15.0) + 10.0)).min(1.0),
            Self::In => t * t,
            Self::Out => t * (2.0 - t),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_easing_runs_from_nothing_to_all_and_never_back() {
        for easing in [Easing::Linear, Easing::Smooth, Easing::Smoother, Easing::In, Easing::Out] {
            assert_eq!((easing.apply(0.0), easing.apply(1.0)), (0.0, 1.0), "{easing:?}");
            assert_eq!((easing.apply(-3.0), easing.apply(7.0), easing.apply(f32::NAN)), (0.0, 1.0, 0.0));
            let steps: Vec<f32> = (0..=100_u8).map(|k| easing.apply(f32::from(k) / 100.0)).collect();
            // The last steps of a polynomial lie closer together than its rounding.
            assert!(steps.windows(2).all(|w| w[1] >= w[0] - 1e-6), "{easing:?}");
        }
    }
}
