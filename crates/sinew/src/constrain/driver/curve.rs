//! Curves of drivers: functions of one number through given points.

#[cfg(feature = "serde")]
mod form;

use super::DriverError;

/// A function through points, constant before the first point and after the last.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "form::DriverCurveForm", into = "form::DriverCurveForm")
)]
pub struct DriverCurve {
    points: Vec<CurvePoint>,
    is_smooth: bool,
}

/// A point, and the slopes of the segment to the next point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CurvePoint {
    input: f32,
    value: f32,
    /// Slopes of the segment at this point and at the next.
    slopes: [f32; 2],
}

impl DriverCurve {
    /// A piecewise linear function through `points`, each an input and a value.
    ///
    /// # Errors
    /// If there is no point, a number is not finite or the inputs do not ascend.
    pub fn linear(points: impl IntoIterator<Item = [f32; 2]>) -> Result<Self, DriverError> {
        Self::through(false, points, |points, at| {
            let slope = slope(points, at);
            [slope, slope]
        })
    }

    /// A monotone cubic function through `points` that is flat at both ends.
    ///
    /// It stays between the values of neighboring points and has its extrema at points, so it does not overshoot.
    ///
    /// # Errors
    /// As [`DriverCurve::linear`].
    pub fn smooth(points: impl IntoIterator<Item = [f32; 2]>) -> Result<Self, DriverError> {
        Self::through(true, points, |points, at| [slope_at(points, at), slope_at(points, at + 1)])
    }

    /// The input and value of every point.
    pub fn points(&self) -> impl ExactSizeIterator<Item = [f32; 2]> + '_ {
        self.points.iter().map(|point| [point.input, point.value])
    }

    /// True for a smooth function, false for a piecewise linear one.
    pub fn is_smooth(&self) -> bool {
        self.is_smooth
    }

    /// The same kind of function through other points.
    ///
    /// # Errors
    /// As [`DriverCurve::linear`].
    pub fn with_points(&self, points: impl IntoIterator<Item = [f32; 2]>) -> Result<Self, DriverError> {
        if self.is_smooth { Self::smooth(points) } else { Self::linear(points) }
    }

    fn through(
        is_smooth: bool,
        points: impl IntoIterator<Item = [f32; 2]>,
        slopes: impl Fn(&[[f32; 2]], usize) -> [f32; 2],
    ) -> Result<Self, DriverError> {
        let points: Vec<[f32; 2]> = points.into_iter().collect();
        if points.is_empty() {
            return Err(DriverError::NoPoints);
        }
        let is_good = |point: usize| {
            let [input, value] = points[point];
            let rises = point.checked_sub(1).is_none_or(|before| points[before][0] < input);
            rises && input.is_finite() && value.is_finite()
        };
        if let Some(point) = (0..points.len()).find(|&point| !is_good(point)) {
            return Err(DriverError::BadPoint { point, at: points[point] });
        }
        let last = points.len() - 1;
        let place = |at: usize| {
            let slopes = if at < last { slopes(&points, at) } else { [0.0; 2] };
            CurvePoint { input: points[at][0], value: points[at][1], slopes }
        };
        Ok(Self { points: (0..points.len()).map(place).collect(), is_smooth })
    }

    /// The value at `input`. NaN gives the value of the first point.
    pub fn at(&self, input: f32) -> f32 {
        let passed = self.points.partition_point(|p| p.input <= input);
        let (Some(from), to) = (self.points.get(passed.saturating_sub(1)), self.points.get(passed)) else {
            return 0.0;
        };
        match to {
            Some(to) if passed > 0 => between(from, to, input),
            _ => from.value,
        }
    }
}

/// The cubic segment with the given slopes; linear if both are the slope of the line.
fn between(from: &CurvePoint, to: &CurvePoint, input: f32) -> f32 {
    let (width, rise) = (to.input - from.input, to.value - from.value);
    let t = (input - from.input) / width;
    // The slopes relative to the line.
    let (leave, arrive) = (from.slopes[0] * width - rise, from.slopes[1] * width - rise);
    from.value + rise * t + t * (1.0 - t) * (leave * (1.0 - t) - arrive * t)
}

fn slope(points: &[[f32; 2]], at: usize) -> f32 {
    (points[at + 1][1] - points[at][1]) / (points[at + 1][0] - points[at][0])
}

/// The slope at a point: the harmonic mean of the adjacent slopes, which keeps the cubic monotone. It is zero at the ends
/// and at extrema.
fn slope_at(points: &[[f32; 2]], at: usize) -> f32 {
    if at == 0 || at + 1 >= points.len() {
        return 0.0;
    }
    let (before, after) = (slope(points, at - 1), slope(points, at));
    if before * after <= 0.0 { 0.0 } else { 2.0 / (1.0 / before + 1.0 / after) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{
        prelude::*,
        test_runner::{Config, RngSeed},
    };

    fn points() -> impl Strategy<Value = Vec<[f32; 2]>> {
        prop::collection::vec((0.05_f32..2.0, -3.0_f32..3.0), 1..8).prop_map(|steps| {
            let mut input = -4.0;
            let mut next = |(step, value)| {
                input += step;
                [input, value]
            };
            steps.into_iter().map(&mut next).collect()
        })
    }

    proptest! {
        #![proptest_config(Config {
            rng_seed: RngSeed::Fixed(0x63_75_72_76),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn curves_pass_through_their_points_and_stay_between_neighbors(points in points(), at in -6.0_f32..20.0) {
            for curve in [DriverCurve::linear(points.clone()).unwrap(), DriverCurve::smooth(points.clone()).unwrap()] {
                for [input, value] in &points {
                    prop_assert!((curve.at(*input) - value).abs() < 1e-5);
                }
                let next = points.iter().position(|p| p[0] > at).unwrap_or(points.len());
                let neighbors = [next.saturating_sub(1), next.min(points.len() - 1)].map(|i| points[i][1]);
                let (low, high) = (neighbors[0].min(neighbors[1]), neighbors[0].max(neighbors[1]));
                let value = curve.at(at);
                prop_assert!((low - 1e-4..=high + 1e-4).contains(&value), "{value} outside {low} to {high}");
            }
        }
    }

    #[test]
    fn a_line_is_straight_and_a_smooth_curve_is_flat_at_its_ends() {
        let points = [[0.0, 1.0], [2.0, 5.0]];
        let (line, smooth) = (DriverCurve::linear(points).unwrap(), DriverCurve::smooth(points).unwrap());
        assert!((line.at(0.5) - 2.0).abs() < 1e-6);
        assert!((smooth.at(1.0) - 3.0).abs() < 1e-6);
        // The smooth step of a quarter is 5/32.
        assert!((smooth.at(0.5) - (1.0 + 4.0 * 5.0 / 32.0)).abs() < 1e-6);
        assert_eq!((line.at(-9.0), line.at(9.0), line.at(f32::NAN)), (1.0, 5.0, 1.0));
    }

    #[test]
    fn points_that_do_not_form_a_function_are_rejected() {
        assert_eq!(DriverCurve::linear([]), Err(DriverError::NoPoints));
        let bad = |points: [[f32; 2]; 2]| DriverCurve::smooth(points).is_err();
        assert!(bad([[0.0, 0.0], [0.0, 1.0]]) && bad([[1.0, 0.0], [0.0, 1.0]]));
        assert!(bad([[0.0, f32::NAN], [1.0, 1.0]]) && bad([[0.0, 0.0], [f32::INFINITY, 1.0]]));
    }
}
