//! Easing curves of transitions.

/// The course of a transition from 0 to 1.
#[doc(alias = "blend curve")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Easing {
    /// Linear: the speed is constant.
    Linear,
    /// Smoothstep: starts and ends with zero speed.
    #[default]
    Smooth,
    /// Smootherstep: starts and ends with zero speed and zero acceleration.
    Smoother,
    /// Starts slowly, ends at full speed.
    In,
    /// Starts at full speed, ends slowly.
    Out,
}

impl Easing {
    /// The progress at `fraction` of the duration, both 0 to 1. The fraction is clamped; NaN is 0.
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
    fn every_easing_rises_from_zero_to_one_and_never_falls() {
        for easing in [Easing::Linear, Easing::Smooth, Easing::Smoother, Easing::In, Easing::Out] {
            assert_eq!((easing.apply(0.0), easing.apply(1.0)), (0.0, 1.0), "{easing:?}");
            assert_eq!((easing.apply(-3.0), easing.apply(7.0), easing.apply(f32::NAN)), (0.0, 1.0, 0.0));
            let steps: Vec<f32> = (0..=100_u8).map(|k| easing.apply(f32::from(k) / 100.0)).collect();
            // Near the end, consecutive values differ by less than the rounding error.
            assert!(steps.windows(2).all(|w| w[1] >= w[0] - 1e-6), "{easing:?}");
        }
    }
}
