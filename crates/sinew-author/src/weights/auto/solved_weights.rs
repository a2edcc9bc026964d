//! The weights of each point while a method computes them.

use super::system::Factor;
use crate::{AuthorError, Progress, progress::tell};
use faer::Mat;

/// The columns of a point with their weights.
pub(super) type SparseWeights = Vec<(u32, f64)>;

/// The solution of a method. A point without weights, or with a sum of zero, has no solution.
pub(super) struct SolvedWeights {
    pub(super) weights: Vec<SparseWeights>,
    pub(super) parts_without_source: usize,
    pub(super) cells: usize,
}

/// Smaller weights are dropped.
pub(super) const MIN_WEIGHT: f64 = 1e-4;

/// The number of columns that are solved together: few enough that a large mesh with many joints fits into memory.
const TOGETHER: usize = 32;

/// Solves the system for all columns in batches: `fill` writes right-hand sides, `take` gets each solution.
///
/// Columns without a finite solution are skipped.
pub(super) fn solve_columns(
    factor: &Factor,
    size: usize,
    columns: usize,
    fill: impl Fn(usize, &mut [f64]),
    mut take: impl FnMut(usize, &[f64]),
    progress: Progress<'_>,
) -> Result<(), AuthorError> {
    for start in (0..columns).step_by(TOGETHER) {
        tell(progress, start, columns)?;
        let count = TOGETHER.min(columns - start);
        let mut values = Mat::zeros(size, count);
        (0..count).for_each(|at| fill(start + at, values.col_as_slice_mut(at)));
        factor.solve(&mut values);
        for at in 0..count {
            let solution = values.col_as_slice(at);
            if solution.iter().all(|v| v.is_finite()) {
                take(start + at, solution);
            }
        }
    }
    Ok(())
}
