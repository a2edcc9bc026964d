//! Splines from stiff to soft, mixed for every sample by the error that they are expected to have there.

use super::spline::{MIN_SAMPLES, SmoothingSpline, stiffness};

/// The cutoff of the stiffest spline, in hertz.
const LOWEST_HZ: f64 = 0.3;
/// The ratio of the cutoffs of neighboring splines.
const RATIO: f64 = 1.4;
/// The cutoff of the softest spline, relative to the rate.
const HIGHEST: f64 = 0.45;
/// Errors are expected alike within about this time, in seconds, and this many samples.
const WINDOW_SECS: f64 = 0.3;
const WINDOW_SAMPLES: f64 = 8.0;
/// A residual counts at most this many variances, so that a single wrong sample does not turn the filter off around it.
const MAX_SQUARE: f64 = 9.0;
/// How sharply the mix prefers the best spline (Leung and Barron 2006).
const TEMPERATURE: f64 = 3.0;

/// A number over time with independent errors of known size.
#[derive(Clone, Debug, Default)]
pub(super) struct NoisySeries {
    pub(super) samples: Vec<f64>,
    /// The variance of each sample.
    pub(super) variances: Vec<f64>,
    /// False where a sample was made up.
    pub(super) is_measured: Vec<bool>,
}

/// The splines of one rate.
#[derive(Clone, Debug)]
pub(super) struct SplineBank {
    stiffness: Vec<f64>,
    /// How much the expected error of a sample counts for the next one.
    memory: f64,
}

/// Results and reused buffers of [`SplineBank::smooth`].
#[derive(Clone, Debug, Default)]
pub(super) struct BankScratch {
    spline: SmoothingSpline,
    weights: Vec<f64>,
    candidates: Vec<Vec<f64>>,
    leverages: Vec<Vec<f64>>,
    risks: Vec<Vec<f64>>,
    /// One smoothed number per sample, in the unit of the samples.
    pub(super) values: Vec<f64>,
    /// The expected squared error of each smoothed sample.
    pub(super) errors: Vec<f64>,
}

impl SplineBank {
    pub(super) fn new(rate_hz: f64) -> Self {
        let mut stiffnesses = Vec::new();
        let mut hz = HIGHEST * rate_hz;
        while hz > LOWEST_HZ {
            stiffnesses.push(stiffness(hz, rate_hz));
            hz /= RATIO;
        }
        let window = (WINDOW_SECS * rate_hz).max(WINDOW_SAMPLES);
        Self { stiffness: stiffnesses, memory: (-1.0 / window).exp() }
    }

    /// Writes the smoothed samples, and how far off they are expected to be, to `scratch`.
    ///
    /// For each spline, Stein's unbiased estimate of its squared error (1981) is summed around every sample; splines are mixed
    /// with weights that fall exponentially with it.
    pub(super) fn smooth(&self, series: &NoisySeries, scratch: &mut BankScratch) {
        scratch.values.clone_from(&series.samples);
        scratch.errors.clone_from(&series.variances);
        let mut sorted = series.variances.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let is_noisy = middle > 0.0 && middle.is_finite();
        if !is_noisy || series.samples.len() < MIN_SAMPLES {
            return;
        }
        scratch.weights.clear();
        // No sample counts so much that rounding would matter.
        scratch.weights.extend(series.variances.iter().map(|v| (middle / v.max(1e-6 * middle)).max(1e-9)));
        for list in [&mut scratch.candidates, &mut scratch.leverages, &mut scratch.risks] {
            list.resize(self.stiffness.len(), vec![]);
        }
        for (index, &stiffness) in self.stiffness.iter().enumerate() {
            scratch.spline.solve(&series.samples, &scratch.weights, stiffness);
            scratch.candidates[index].clone_from(&scratch.spline.values);
            scratch.leverages[index].clone_from(&scratch.spline.leverage);
            let risk = &mut scratch.risks[index];
            risk.clear();
            risk.extend((0..series.samples.len()).map(|t| expected_error(series, &scratch.spline, t)));
            sum_around(risk, self.memory);
        }
        for t in 0..series.samples.len() {
            scratch.mix(t, series.variances[t]);
        }
    }
}

/// The expected squared error of a value of a spline, relative to the variance of its sample.
fn expected_error(series: &NoisySeries, spline: &SmoothingSpline, t: usize) -> f64 {
    if !series.is_measured[t] {
        return 0.0;
    }
    let square = (spline.values[t] - series.samples[t]).powi(2) / series.variances[t];
    square.min(MAX_SQUARE) - 1.0 + 2.0 * spline.leverage[t]
}

/// Replaces every value by the sum of all, which count less the further away they are.
fn sum_around(values: &mut [f64], memory: f64) {
    let own = values.to_vec();
    let mut sum = 0.0;
    for value in values.iter_mut() {
        sum = sum * memory + *value;
        *value = sum;
    }
    let mut after = 0.0;
    for (value, own) in values.iter_mut().zip(&own).rev() {
        *value += after;
        after = (after + own) * memory;
    }
}

impl BankScratch {
    fn mix(&mut self, t: usize, variance: f64) {
        let best = self.risks.iter().map(|risk| risk[t]).fold(f64::INFINITY, f64::min);
        let (mut value, mut leverage, mut total) = (0.0, 0.0, 0.0);
        for (index, risk) in self.risks.iter().enumerate() {
            let weight = ((best - risk[t]) / TEMPERATURE).exp();
            value += weight * self.candidates[index][t];
            leverage += weight * self.leverages[index][t];
            total += weight;
        }
        self.values[t] = value / total;
        // Where a spline is as stiff as it should be, what it leaves of the noise and what it takes of the motion are alike.
        self.errors[t] = (2.0 * variance * leverage / total).min(variance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A number between −1.7 and 1.7 with a variance of one, for a frame.
    fn noise(frame: usize) -> f64 {
        let mixed = (frame as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 52) as f64 * 3.0_f64.sqrt() - 3.0_f64.sqrt()
    }

    fn rms(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        (values.map(|v| v * v).sum::<f64>() / count).sqrt()
    }

    #[test]
    fn a_rest_is_smoothed_more_than_a_burst_beside_it() {
        // Two seconds of rest, then a second of 5 Hz with an amplitude of 40 times the noise.
        let truth =
            |t: usize| if t < 240 { 0.0 } else { 40.0 * (TAU * 5.0 * (t - 240) as f64 / 120.0).sin() };
        let samples: Vec<f64> = (0..360).map(|t| truth(t) + noise(t)).collect();
        let series = NoisySeries { samples, variances: vec![1.0; 360], is_measured: vec![true; 360] };
        let mut scratch = BankScratch::default();
        SplineBank::new(120.0).smooth(&series, &mut scratch);
        let error = |range: std::ops::Range<usize>| rms(range.map(|t| scratch.values[t] - truth(t)));
        assert!(error(20..200) < 0.25, "rest: {}", error(20..200));
        assert!(error(260..340) < 0.8, "burst: {}", error(260..340));
        let [rest, burst] = [100, 300].map(|t| scratch.errors[t]);
        assert!(rest < 0.3 && burst > 1.5 * rest, "expected errors: {rest} {burst}");
    }

    #[test]
    fn a_wrong_sample_does_not_turn_the_filter_off_and_gaps_are_bridged() {
        let truth = |t: usize| 10.0 * (TAU * t as f64 / 120.0).sin();
        let mut samples: Vec<f64> = (0..240).map(|t| truth(t) + noise(t)).collect();
        samples[60] += 8.0;
        let mut series = NoisySeries { samples, variances: vec![1.0; 240], is_measured: vec![true; 240] };
        for t in 120..140 {
            (series.samples[t], series.variances[t], series.is_measured[t]) = (0.0, 1e4, false);
        }
        let mut scratch = BankScratch::default();
        SplineBank::new(120.0).smooth(&series, &mut scratch);
        let error = |range: std::ops::Range<usize>| rms(range.map(|t| scratch.values[t] - truth(t)));
        assert!(error(30..90) < 0.6, "around the wrong sample: {}", error(30..90));
        assert!(error(120..140) < 1.0, "in the gap: {}", error(120..140));
    }
}
