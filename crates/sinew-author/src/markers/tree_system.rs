//! Normal equations over a tree of joints, factored without fill-in.
//!
//! A marker depends on the joints from its own up to the root, so two unknowns share an entry only if one is above the other.
//! Eliminated from the leaves to the root, such a matrix stays as sparse as it is: Featherstone (2005), "Efficient
//! Factorization of the Joint-Space Inertia Matrix for Branched Kinematic Trees".

use sinew::glam::DVec3;

/// The symmetric matrix and the right side of a system whose unknowns form a tree.
#[derive(Clone, Debug)]
pub(super) struct TreeSystem {
    /// For each unknown, the one above it, which has a smaller index.
    parent: Vec<Option<usize>>,
    /// The number of unknowns above each.
    depth: Vec<usize>,
    /// Where the row of each unknown begins. A row has one entry per unknown above, from the root down, and its own.
    first: Vec<usize>,
    entries: Vec<f64>,
    gradient: Vec<f64>,
}

/// The Cholesky factor of a system, reused between solves.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeFactor {
    entries: Vec<f64>,
}

impl TreeSystem {
    /// A system of zeros.
    pub(super) fn new(parent: Vec<Option<usize>>) -> Self {
        let mut depth = Vec::with_capacity(parent.len());
        let mut first = Vec::with_capacity(parent.len());
        let mut size = 0;
        for above in &parent {
            let levels = above.map_or(0, |p: usize| depth[p] + 1);
            first.push(size);
            depth.push(levels);
            size += levels + 1;
        }
        let gradient = vec![0.0; parent.len()];
        Self { parent, depth, first, entries: vec![0.0; size], gradient }
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(0.0);
        self.gradient.fill(0.0);
    }

    /// Adds to the entry of `unknown` and the unknown above it, or itself, that has `level` others above it.
    pub(super) fn add(&mut self, unknown: usize, level: usize, value: f64) {
        self.entries[self.first[unknown] + level] += value;
    }

    pub(super) fn add_gradient(&mut self, unknown: usize, value: f64) {
        self.gradient[unknown] += value;
    }

    /// The number of unknowns above `unknown`.
    pub(super) fn level(&self, unknown: usize) -> usize {
        self.depth[unknown]
    }

    pub(super) fn diagonal(&self, unknown: usize) -> f64 {
        self.entries[self.first[unknown] + self.depth[unknown]]
    }

    /// Writes the x with (A + damping · diagonal(A)) x = −gradient; false if the matrix is not positive definite.
    pub(super) fn solve(&self, damping: f64, factor: &mut TreeFactor, x: &mut Vec<f64>) -> bool {
        if !self.factor(damping, factor) {
            return false;
        }
        x.clear();
        x.extend(self.gradient.iter().map(|g| -g));
        self.substitute(&factor.entries, x);
        x.iter().all(|v| v.is_finite())
    }

    /// Factors A + damping · diagonal(A); false if the matrix is not positive definite.
    pub(super) fn factor(&self, damping: f64, factor: &mut TreeFactor) -> bool {
        factor.entries.clone_from(&self.entries);
        for k in 0..self.parent.len() {
            factor.entries[self.first[k] + self.depth[k]] += damping * self.diagonal(k);
        }
        self.factorize(&mut factor.entries)
    }

    /// Writes the product of the inverse of a factored matrix and the values that are given for some unknowns.
    pub(super) fn inverse_times(&self, factor: &TreeFactor, values: &[(usize, DVec3)], x: &mut Vec<f64>) {
        x.clear();
        x.resize(self.parent.len(), 0.0);
        for (first, value) in values {
            value.to_array().iter().enumerate().for_each(|(axis, v)| x[first + axis] += v);
        }
        self.substitute(&factor.entries, x);
    }

    /// Turns A into the L with A = Lᵀ L, in place.
    fn factorize(&self, a: &mut [f64]) -> bool {
        for k in (0..self.parent.len()).rev() {
            let (row, depth) = (self.first[k], self.depth[k]);
            let pivot = a[row + depth];
            // A NaN is refused too.
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let pivot = pivot.sqrt();
            a[row + depth] = pivot;
            a[row..row + depth].iter_mut().for_each(|v| *v /= pivot);
            let (mut above, mut level) = (self.parent[k], depth);
            while let Some(i) = above {
                level -= 1;
                // Rows of unknowns above come earlier.
                let (before, from_row) = a.split_at_mut(row);
                let factor = from_row[level];
                let target = &mut before[self.first[i]..=self.first[i] + level];
                target.iter_mut().zip(&from_row[..=level]).for_each(|(t, v)| *t -= factor * v);
                above = self.parent[i];
            }
        }
        true
    }

    /// Solves Lᵀ L x = b in place.
    fn substitute(&self, l: &[f64], x: &mut [f64]) {
        for k in (0..x.len()).rev() {
            let (row, depth) = (self.first[k], self.depth[k]);
            x[k] /= l[row + depth];
            let (mut above, mut level) = (self.parent[k], depth);
            while let Some(i) = above {
                level -= 1;
                x[i] -= l[row + level] * x[k];
                above = self.parent[i];
            }
        }
        for k in 0..x.len() {
            let (row, depth) = (self.first[k], self.depth[k]);
            let (mut above, mut level, mut sum) = (self.parent[k], depth, x[k]);
            while let Some(i) = above {
                level -= 1;
                sum -= l[row + level] * x[i];
                above = self.parent[i];
            }
            x[k] = sum / l[row + depth];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::needless_range_loop, reason = "rows and columns of a matrix have numbers")]
    fn a_branched_system_is_solved_exactly() {
        // Two branches below 1: 0 - 1 - {2 - 3, 4}.
        let parent = vec![None, Some(0), Some(1), Some(2), Some(1)];
        let mut system = TreeSystem::new(parent.clone());
        let mut dense = [[0.0_f64; 5]; 5];
        for k in 0..5 {
            for level in 0..=system.level(k) {
                let mut i = k;
                while system.level(i) > level {
                    i = parent[i].unwrap();
                }
                let value = if i == k { 9.0 + k as f64 } else { (k * 3 + i) as f64 / 7.0 - 1.0 };
                system.add(k, level, value);
                (dense[k][i], dense[i][k]) = (value, value);
            }
            system.add_gradient(k, k as f64 - 1.5);
        }
        let (mut factor, mut x) = (TreeFactor::default(), vec![]);
        assert!(system.solve(0.0, &mut factor, &mut x));
        for k in 0..5 {
            let left: f64 = (0..5).map(|i| dense[k][i] * x[i]).sum();
            assert!((left + (k as f64 - 1.5)).abs() < 1e-12, "row {k}: {left}");
        }
        for column in 0..5 {
            let ones = [DVec3::X, DVec3::Y, DVec3::Z];
            // The last column belongs to a block that begins one earlier.
            let first = column.min(2);
            system.inverse_times(&factor, &[(first, ones[column - first])], &mut x);
            for k in 0..5 {
                let product: f64 = (0..5).map(|i| dense[k][i] * x[i]).sum();
                assert!((product - f64::from(u8::from(k == column))).abs() < 1e-12, "({k}, {column})");
            }
        }
        system.add(3, 3, -100.0);
        assert!(!system.solve(0.0, &mut factor, &mut x), "not positive definite");
    }
}
