//! Refits weights to poses, so that fewer joints lose as little motion as possible.

use crate::weights::{Edit, EffectPoses, table::SlotWeights};
use sinew::glam::{DVec3, Vec3};

/// Only this many of the largest influences are fitted; smaller ones are dropped first.
const MAX_FITTED: usize = 16;

/// The least-squares problem of one vertex: how far joints put it from its target, over all poses.
pub(super) struct InfluenceFit {
    slots: Vec<u16>,
    /// `G[i][j] = Σ (xᵢ − t)·(xⱼ − t)` over poses, for the positions x by single joints and the target t. With weights that sum to
    /// one, the squared error is `wᵀ G w`.
    gram: Vec<Vec<f64>>,
}

impl InfluenceFit {
    /// The target is where the joints `open`, sorted by falling weight, put the vertex now. Other joints of the vertex keep their
    /// weights, so they do not matter.
    pub(super) fn new(edit: &Edit<'_>, vertex: usize, poses: &EffectPoses, open: &[(u16, f64)]) -> Self {
        let fitted = &open[..open.len().min(MAX_FITTED)];
        let rest: f64 = open.iter().map(|o| o.1).sum();
        let mut gram = vec![vec![0.0; fitted.len()]; fitted.len()];
        let mut off = vec![DVec3::ZERO; fitted.len()];
        let bound = edit.mesh().positions()[vertex];
        for pose in poses.all() {
            let place: Vec3 = pose.displaced(vertex, bound, edit.weights()).into();
            let at = |slot: u16| {
                pose.matrices().get(usize::from(slot)).map_or(place, |k| k.transform_point3(place)).as_dvec3()
            };
            let target = open.iter().map(|s| at(s.0) * s.1).sum::<DVec3>() / rest;
            off.iter_mut().zip(fitted).for_each(|(off, joint)| *off = at(joint.0) - target);
            for (row, a) in gram.iter_mut().zip(&off) {
                row.iter_mut().zip(&off).for_each(|(entry, b)| *entry += a.dot(*b));
            }
        }
        // Weight can be distributed arbitrarily among joints that move alike in all poses; a small preference for equal weights decides.
        let largest = (0..fitted.len()).map(|i| gram[i][i]).fold(0.0, f64::max);
        (0..fitted.len()).for_each(|i| gram[i][i] += largest * 1e-9 + 1e-18);
        Self { slots: fitted.iter().map(|o| o.0).collect(), gram }
    }

    /// The best `max_count` joints found by dropping one at a time, with their weights.
    pub(super) fn reduce(&self, max_count: usize) -> SlotWeights {
        let mut kept: Vec<usize> = (0..self.slots.len()).collect();
        let mut best = self.solve(&kept);
        kept.retain(|i| best.iter().any(|b| b.0 == *i));
        while kept.len() > max_count {
            let without = |drop: usize| {
                let fewer: Vec<usize> = kept.iter().copied().filter(|&k| k != drop).collect();
                let weights = self.solve(&fewer);
                (self.error(&weights), weights)
            };
            let choices = kept.iter().map(|&drop| without(drop));
            let Some((_, weights)) = choices.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            best = weights;
            kept.retain(|i| best.iter().any(|b| b.0 == *i));
        }
        best.into_iter().map(|(i, weight)| (self.slots[i], weight)).collect()
    }

    fn error(&self, weights: &[(usize, f64)]) -> f64 {
        let row = |&(i, w): &(usize, f64)| w * weights.iter().map(|&(j, v)| v * self.gram[i][j]).sum::<f64>();
        weights.iter().map(row).sum()
    }

    /// The non-negative weights of `joints` with a sum of one that minimize the error; joints at zero are left out.
    ///
    /// An active-set method: solve without bounds, drop negative weights, take back joints that would lower the error.
    fn solve(&self, joints: &[usize]) -> Vec<(usize, f64)> {
        let mut active = joints.to_vec();
        for _ in 0..joints.len() * 4 {
            let weights = self.unbounded(&active);
            let lowest = weights.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((joint, _)) = lowest.filter(|l| l.1 < 0.0) {
                active.retain(|&a| a != joint);
                continue;
            }
            let slope = |i: usize| weights.iter().map(|&(j, w)| w * self.gram[i][j]).sum::<f64>();
            let level = self.error(&weights);
            let outside = joints.iter().copied().filter(|j| !active.contains(j));
            let back = outside.map(|j| (j, slope(j))).min_by(|a, b| a.1.total_cmp(&b.1));
            match back.filter(|b| b.1 < level - (level * 1e-9 + 1e-18)) {
                // A dropped joint that would become negative again ends the search.
                Some((joint, _)) if self.lowers_the_error(&active, joint) => active.push(joint),
                _ => return weights.into_iter().filter(|w| w.1 > 0.0).collect(),
            }
        }
        self.unbounded(&active).into_iter().filter(|w| w.1 > 0.0).collect()
    }

    fn lowers_the_error(&self, active: &[usize], joint: usize) -> bool {
        let with: Vec<usize> = active.iter().copied().chain([joint]).collect();
        self.unbounded(&with).iter().all(|w| w.1 >= 0.0)
    }

    /// `G⁻¹1`, scaled to a sum of one: the minimum error if weights may have any sign.
    fn unbounded(&self, joints: &[usize]) -> Vec<(usize, f64)> {
        let count = joints.len();
        let mut rows: Vec<Vec<f64>> =
            joints.iter().map(|&i| joints.iter().map(|&j| self.gram[i][j]).chain([1.0]).collect()).collect();
        for pivot in 0..count {
            let best = (pivot..count).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()));
            rows.swap(pivot, best.unwrap_or(pivot));
            let head = rows[pivot].clone();
            for (at, row) in rows.iter_mut().enumerate() {
                let factor = if at == pivot || head[pivot] == 0.0 { 0.0 } else { row[pivot] / head[pivot] };
                row.iter_mut().zip(&head).for_each(|(entry, of_head)| *entry -= factor * of_head);
            }
        }
        let solution: Vec<f64> = (0..count).map(|i| rows[i][count] / rows[i][i]).collect();
        let sum: f64 = solution.iter().sum();
        let even = 1.0 / count.max(1) as f64;
        let is_usable = sum.is_finite() && sum > 0.0;
        let weight = |i: usize| if is_usable { solution[i] / sum } else { even };
        (0..count).map(|i| (joints[i], weight(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fit of five joints with random positions in some poses.
    fn fit() -> InfluenceFit {
        let mut state = 3_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.4
        };
        let off: Vec<Vec<f64>> = (0..5).map(|_| (0..30).map(|_| number()).collect()).collect();
        let dot = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(a, b)| a * b).sum();
        InfluenceFit {
            slots: (10..15).collect(),
            gram: off.iter().map(|a| off.iter().map(|b| dot(a, b)).collect()).collect(),
        }
    }

    #[test]
    fn no_other_weights_of_the_same_joints_are_better() {
        let fit = fit();
        for joints in [&[0, 1][..], &[1, 3, 4], &[0, 1, 2, 3, 4]] {
            let best = fit.solve(joints);
            assert!((best.iter().map(|b| b.1).sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(best.iter().all(|b| b.1 > 0.0 && joints.contains(&b.0)));
            let error = fit.error(&best);
            // Any small exchange of weight between two joints increases the error.
            for &to in joints {
                for &(from, has) in &best {
                    let moved = has.min(1e-3);
                    let mut other = best.clone();
                    other.push((to, moved));
                    other.push((from, -moved));
                    assert!(fit.error(&other) >= error - 1e-12, "{from} to {to} of {joints:?}");
                }
            }
        }
    }

    #[test]
    fn the_joints_that_are_left_are_as_many_as_asked() {
        for max_count in 1..5 {
            let left = fit().reduce(max_count);
            assert!(left.len() <= max_count && !left.is_empty());
            assert!(left.iter().all(|l| (10..15).contains(&l.0)));
        }
    }

    #[test]
    fn joints_that_move_alike_share() {
        let fit =
            InfluenceFit { slots: vec![0, 1], gram: vec![vec![1.0 + 1e-9, 1.0], vec![1.0, 1.0 + 1e-9]] };
        let best = fit.solve(&[0, 1]);
        assert!(best.iter().all(|b| (b.1 - 0.5).abs() < 1e-3), "{best:?}");
    }
}
