//! Smoothing splines on a regular grid, and how much each of their values depends on its own sample.

/// The order of the differences that a spline keeps small.
const ORDER: usize = 3;
/// The coefficients of those differences.
const DIFFERENCE: [f64; ORDER + 1] = [-1.0, 3.0, -3.0, 1.0];

/// The values x that minimize Σ w (x − y)² + λ Σ (Δ³ x)²: a discrete smoothing spline (Whittaker 1923).
///
/// Buffers are reused between solves.
#[derive(Clone, Debug, Default)]
pub(super) struct SmoothingSpline {
    pivots: Vec<f64>,
    /// The entries of the unit factor left of the diagonal: at `[t][k]`, that of row t and column t − 1 − k.
    factor: Vec<[f64; ORDER]>,
    inverse: Vec<[f64; ORDER + 1]>,
    pub(super) values: Vec<f64>,
    /// The derivative of each value by its own sample, from 0 (it does not matter) to 1 (it is kept).
    pub(super) leverage: Vec<f64>,
}

/// The fewest samples of a spline.
pub(super) const MIN_SAMPLES: usize = ORDER + 1;

/// The λ that halves waves of `hz`, sampled at `rate_hz` with weights of one.
pub(super) fn stiffness(hz: f64, rate_hz: f64) -> f64 {
    (2.0 * (std::f64::consts::PI * hz / rate_hz).sin()).powf(-2.0 * ORDER as f64)
}

impl SmoothingSpline {
    /// Solves for `samples` with `weights`, which are not negative; at least [`MIN_SAMPLES`] are positive.
    pub(super) fn solve(&mut self, samples: &[f64], weights: &[f64], stiffness: f64) {
        self.factorize(weights, stiffness);
        self.substitute(samples, weights);
        self.invert(weights);
    }

    /// L D Lᵀ of the matrix diagonal(w) + λ ΔᵀΔ, whose band is as wide as the order.
    fn factorize(&mut self, weights: &[f64], stiffness: f64) {
        let count = weights.len();
        self.pivots.clear();
        self.factor.clear();
        for (t, &weight) in weights.iter().enumerate() {
            let mut row = [0.0; ORDER];
            for back in (1..=ORDER.min(t)).rev() {
                let column = t - back;
                let mut entry = stiffness * penalty(count, t, back);
                for further in back + 1..=ORDER.min(t) {
                    let k = t - further;
                    entry -= row[further - 1] * self.pivots[k] * self.factor[column][further - back - 1];
                }
                row[back - 1] = entry / self.pivots[column];
            }
            let known: f64 =
                (1..=ORDER.min(t)).map(|back| row[back - 1] * row[back - 1] * self.pivots[t - back]).sum();
            let diagonal = weight + stiffness * penalty(count, t, 0);
            // Rounding must not make a pivot zero where weights are tiny.
            self.pivots.push((diagonal - known).max(1e-14 * diagonal).max(f64::MIN_POSITIVE));
            self.factor.push(row);
        }
    }

    fn substitute(&mut self, samples: &[f64], weights: &[f64]) {
        let count = samples.len();
        self.values.clear();
        for t in 0..count {
            let before: f64 =
                (1..=ORDER.min(t)).map(|back| self.factor[t][back - 1] * self.values[t - back]).sum();
            self.values.push(weights[t] * samples[t] - before);
        }
        for t in (0..count).rev() {
            let after: f64 = (1..=ORDER.min(count - 1 - t))
                .map(|ahead| self.factor[t + ahead][ahead - 1] * self.values[t + ahead])
                .sum();
            self.values[t] = self.values[t] / self.pivots[t] - after;
        }
    }

    /// The band of the inverse, from the last row up (Hutchinson and de Hoog 1985), and the leverages.
    fn invert(&mut self, weights: &[f64]) {
        let count = weights.len();
        self.inverse.clear();
        self.inverse.resize(count, [0.0; ORDER + 1]);
        for t in (0..count).rev() {
            let ahead = ORDER.min(count - 1 - t);
            // The entry of rows t + i and t + j, which are both at or after t + 1.
            let known = |z: &[[f64; ORDER + 1]], i: usize, j: usize| z[t + i.min(j)][i.abs_diff(j)];
            for far in 1..=ahead {
                let sum: f64 =
                    (1..=ahead).map(|k| self.factor[t + k][k - 1] * known(&self.inverse, k, far)).sum();
                self.inverse[t][far] = -sum;
            }
            let sum: f64 = (1..=ahead).map(|k| self.factor[t + k][k - 1] * self.inverse[t][k]).sum();
            self.inverse[t][0] = 1.0 / self.pivots[t] - sum;
        }
        self.leverage.clear();
        self.leverage.extend(self.inverse.iter().zip(weights).map(|(row, w)| (row[0] * w).clamp(0.0, 1.0)));
    }
}

/// The entry of ΔᵀΔ in row `t`, `back` columns left of the diagonal.
fn penalty(count: usize, t: usize, back: usize) -> f64 {
    let column = t - back;
    // Differences begin at the samples from t − 3 to t − back that leave room for all of their coefficients.
    let first = t.saturating_sub(ORDER);
    let last = column.min(count - 1 - ORDER);
    (first..=last).map(|start| DIFFERENCE[t - start] * DIFFERENCE[column - start]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spline_solves_its_normal_equations_and_has_the_leverage_of_each_sample() {
        let weights = [1.0, 0.5, 2.0, 1e-6, 1.0, 1.5, 0.1, 1.0, 3.0];
        let samples = [0.0, 1.0, -0.5, 9.0, 2.0, 2.5, 1.0, 0.0, -1.0];
        let mut spline = SmoothingSpline::default();
        for stiffness in [1e-3, 1.0, 1e4] {
            spline.solve(&samples, &weights, stiffness);
            let values = spline.values.clone();
            for t in 0..9 {
                let mut gradient = weights[t] * (values[t] - samples[t]);
                for start in 0..6 {
                    let difference: f64 = (0..4).map(|k| DIFFERENCE[k] * values[start + k]).sum();
                    if (start..start + 4).contains(&t) {
                        gradient += stiffness * difference * DIFFERENCE[t - start];
                    }
                }
                assert!(gradient.abs() < 1e-9 * stiffness.max(1.0), "{t} at {stiffness}: {gradient}");
            }
            let leverage = spline.leverage.clone();
            for t in 0..9 {
                let mut moved = samples;
                moved[t] += 1.0;
                spline.solve(&moved, &weights, stiffness);
                let slope = spline.values[t] - values[t];
                assert!((slope - leverage[t]).abs() < 1e-9, "{t} at {stiffness}: {slope} {}", leverage[t]);
            }
        }
    }

    #[test]
    fn a_wave_at_the_cutoff_is_halved() {
        let (rate, hz) = (120.0, 6.0);
        let wave: Vec<f64> =
            (0..600).map(|k| (std::f64::consts::TAU * hz * f64::from(k) / rate).sin()).collect();
        let mut spline = SmoothingSpline::default();
        spline.solve(&wave, &vec![1.0; 600], stiffness(hz, rate));
        let peak = spline.values[200..400].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!((peak - 0.5).abs() < 0.01, "{peak}");
    }
}
