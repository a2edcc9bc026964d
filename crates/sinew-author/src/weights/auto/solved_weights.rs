//! The weights of each point while a method computes them.

use super::{AutoMethod, system::Factor};
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

/// The maximum number of joints that are solved for: each has a solution for the whole body, so that thousands of joints in
/// thousands of places would take hours. Detailed rigs of film characters have some 2,000 joints.
const MAX_SOLVED: usize = 4096;

/// The columns with a source. All others have no weight anywhere.
pub(super) fn used_columns<T>(sources: &[Vec<T>], method: AutoMethod) -> Result<Vec<usize>, AuthorError> {
    let used: Vec<usize> = (0..sources.len()).filter(|&column| !sources[column].is_empty()).collect();
    let (joints, max) = (used.len(), MAX_SOLVED);
    if joints > max {
        Err(AuthorError::TooManyJoints { method: method.name(), joints, max })
    } else {
        Ok(used)
    }
}

/// Solves the system for some columns in batches: `fill` writes right-hand sides, `take` gets each solution.
///
/// Columns without a finite solution are skipped.
pub(super) fn solve_columns(
    factor: &Factor,
    size: usize,
    columns: &[usize],
    fill: impl Fn(usize, &mut [f64]),
    mut take: impl FnMut(usize, &[f64]),
    progress: Progress<'_>,
) -> Result<(), AuthorError> {
    for (batch, together) in columns.chunks(TOGETHER).enumerate() {
        tell(progress, batch * TOGETHER, columns.len())?;
        let mut values = Mat::zeros(size, together.len());
        together.iter().enumerate().for_each(|(at, &column)| fill(column, values.col_as_slice_mut(at)));
        factor.solve(&mut values);
        for (at, &column) in together.iter().enumerate() {
            let solution = values.col_as_slice(at);
            if solution.iter().all(|v| v.is_finite()) {
                take(column, solution);
            }
        }
    }
    Ok(())
}
