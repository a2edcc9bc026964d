//! Least squares over weights that are not negative and sum to one.
//!
//! The problem of one vertex: each joint alone puts it somewhere in every pose, and the blend of these places is to meet a target.
//! With weights that sum to one, the squared error is `wᵀ G w`, where `G[i][j]` sums the products of the joints' distances.

/// The most joints in one problem.
pub(crate) const MAX_CANDIDATES: usize = 16;

/// A set of candidates, one bit each.
type CandidateSet = u16;

/// The squared errors of blends of some joints.
#[derive(Clone, Debug)]
pub(crate) struct ConvexFit {
    count: usize,
    gram: [[f64; MAX_CANDIDATES]; MAX_CANDIDATES],
}

/// Weights of candidates; 0 for those that are left out.
pub(crate) type CandidateWeights = [f64; MAX_CANDIDATES];

impl ConvexFit {
    /// The problem whose entry `G[i][j]` is `product(i, j)`, which must be symmetric, for at most [`MAX_CANDIDATES`] joints.
    pub(crate) fn new(count: usize, mut product: impl FnMut(usize, usize) -> f64) -> Self {
        let count = count.min(MAX_CANDIDATES);
        let mut gram = [[0.0; MAX_CANDIDATES]; MAX_CANDIDATES];
        for (i, j) in (0..count).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let entry = product(i, j);
            (gram[i][j], gram[j][i]) = (entry, entry);
        }
        // Weight can be distributed arbitrarily among joints that move alike in all poses; a small preference for equal weights decides.
        let largest = (0..count).map(|i| gram[i][i]).fold(0.0, f64::max);
        (0..count).for_each(|i| gram[i][i] += largest * 1e-9 + 1e-18);
        Self { count, gram }
    }

    /// The squared error of a blend.
    pub(crate) fn error(&self, weights: &CandidateWeights) -> f64 {
        (0..self.count).map(|i| weights[i] * self.slope(weights, i)).sum()
    }

    /// Half the derivative of the squared error by one weight.
    fn slope(&self, weights: &CandidateWeights, i: usize) -> f64 {
        (0..self.count).map(|j| self.gram[i][j] * weights[j]).sum()
    }

    /// The best blend of at most `max_count` joints that is found by dropping one at a time.
    pub(crate) fn reduce(&self, max_count: usize) -> CandidateWeights {
        let mut best = self.solve(full(self.count));
        let mut kept = positive(&best);
        while kept.count_ones() as usize > max_count.max(1) {
            let choices = members(kept).map(|drop| self.solve(kept & !(1 << drop)));
            let Some(fewer) = choices.min_by(|a, b| self.error(a).total_cmp(&self.error(b))) else { break };
            best = fewer;
            kept = positive(&best);
        }
        best
    }

    /// The best blend of the joints in `allowed`.
    ///
    /// An active-set method: solve without bounds, drop negative weights, take back joints that would lower the error.
    fn solve(&self, allowed: CandidateSet) -> CandidateWeights {
        let mut active = allowed;
        for _ in 0..self.count * 4 {
            let weights = self.unbounded(active);
            let lowest = members(active).min_by(|&a, &b| weights[a].total_cmp(&weights[b]));
            if let Some(joint) = lowest.filter(|&joint| weights[joint] < 0.0) {
                active &= !(1 << joint);
                continue;
            }
            let level = self.error(&weights);
            let outside = members(allowed & !active).map(|joint| (joint, self.slope(&weights, joint)));
            let back = outside.min_by(|a, b| a.1.total_cmp(&b.1));
            match back.filter(|b| b.1 < level - (level * 1e-9 + 1e-18)) {
                // A dropped joint that would become negative again ends the search.
                Some((joint, _)) if self.stays_positive(active | 1 << joint) => active |= 1 << joint,
                _ => return weights,
            }
        }
        self.unbounded(active).map(|weight| weight.max(0.0))
    }

    fn stays_positive(&self, active: CandidateSet) -> bool {
        let weights = self.unbounded(active);
        members(active).all(|joint| weights[joint] >= 0.0)
    }

    /// `G⁻¹1`, scaled to a sum of one: the minimum of the error if weights may have any sign. By Cholesky's factors.
    fn unbounded(&self, active: CandidateSet) -> CandidateWeights {
        let mut joints = [0; MAX_CANDIDATES];
        let count = members(active).zip(&mut joints).map(|(joint, to)| *to = joint).count();
        let joints = &joints[..count];
        let mut factor = [[0.0; MAX_CANDIDATES]; MAX_CANDIDATES];
        let mut solution = [0.0; MAX_CANDIDATES];
        for i in 0..count {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let rest = self.gram[joints[i]][joints[j]] - known;
                factor[i][j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / factor[j][j] };
            }
            let known: f64 = (0..i).map(|k| factor[i][k] * solution[k]).sum();
            solution[i] = (1.0 - known) / factor[i][i];
        }
        for i in (0..count).rev() {
            let known: f64 = (i + 1..count).map(|k| factor[k][i] * solution[k]).sum();
            solution[i] = (solution[i] - known) / factor[i][i];
        }
        let sum: f64 = solution[..count].iter().sum();
        let is_usable = sum.is_finite() && sum > 0.0;
        let mut weights = [0.0; MAX_CANDIDATES];
        for (&joint, value) in joints.iter().zip(solution) {
            weights[joint] = if is_usable { value / sum } else { 1.0 / count as f64 };
        }
        weights
    }
}

fn full(count: usize) -> CandidateSet {
    ((1_u32 << count) - 1) as CandidateSet
}

fn members(mut set: CandidateSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

fn positive(weights: &CandidateWeights) -> CandidateSet {
    (0..MAX_CANDIDATES).filter(|&i| weights[i] > 0.0).fold(0, |set, i| set | 1 << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fit of five joints with random positions in some poses.
    fn fit() -> ConvexFit {
        let mut state = 3_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.4
        };
        let off: Vec<Vec<f64>> = (0..5).map(|_| (0..30).map(|_| number()).collect()).collect();
        ConvexFit::new(5, |i, j| off[i].iter().zip(&off[j]).map(|(a, b)| a * b).sum())
    }

    #[test]
    fn no_other_weights_of_the_same_joints_are_better() {
        let fit = fit();
        for allowed in [0b11, 0b11010, 0b11111] {
            let best = fit.solve(allowed);
            assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(positive(&best) & !allowed, 0);
            let error = fit.error(&best);
            // Any small exchange of weight between two joints increases the error.
            for to in members(allowed) {
                for from in members(positive(&best)) {
                    let moved = best[from].min(1e-3);
                    let mut other = best;
                    other[to] += moved;
                    other[from] -= moved;
                    assert!(fit.error(&other) >= error - 1e-12, "{from} to {to} of {allowed:b}");
                }
            }
        }
    }

    #[test]
    fn the_joints_that_are_left_are_as_many_as_asked() {
        for max_count in 1..5 {
            let left = positive(&fit().reduce(max_count)).count_ones() as usize;
            assert!(left <= max_count && left > 0);
        }
    }

    #[test]
    fn joints_that_move_alike_share() {
        let best = ConvexFit::new(2, |_, _| 1.0).reduce(2);
        assert!(best[..2].iter().all(|weight| (weight - 0.5).abs() < 1e-3), "{best:?}");
    }

    #[test]
    fn a_joint_that_meets_the_target_takes_all_weight() {
        let best = ConvexFit::new(3, |i, j| if i == j { [1.0, 0.0, 2.0][i] } else { 0.0 }).reduce(2);
        assert!(best[1] > 0.999_999, "{best:?}");
    }
}
