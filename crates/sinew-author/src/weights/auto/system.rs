//! Sparse symmetric linear systems.

use faer::{
    Mat, Side,
    prelude::Solve,
    sparse::{SparseColMat, Triplet, linalg::solvers::Llt},
};

/// An entry of a matrix: row, column, value.
pub(in crate::weights) type MatrixEntry = Triplet<usize, usize, f64>;

/// The Cholesky factor of a symmetric positive definite matrix.
pub(in crate::weights) struct Factor(Llt<usize, f64>);

impl Factor {
    /// Factors the matrix with the given lower triangle; entries with the same row and column are added. `None` if the matrix is
    /// not positive definite.
    pub(in crate::weights) fn new(size: usize, lower: &[MatrixEntry]) -> Option<Self> {
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, lower).ok()?;
        matrix.sp_cholesky(Side::Lower).ok().map(Self)
    }

    /// Factors the graph Laplacian of `edges` plus a `diagonal`. Each connected part must have a point with a positive diagonal
    /// entry.
    pub(in crate::weights) fn of_graph(edges: &[(u32, u32, f64)], mut diagonal: Vec<f64>) -> Option<Self> {
        let mut lower = Vec::with_capacity(diagonal.len() + edges.len());
        for &(a, b, strength) in edges {
            let (a, b) = (a as usize, b as usize);
            diagonal[a] += strength;
            diagonal[b] += strength;
            lower.push(Triplet::new(a.max(b), a.min(b), -strength));
        }
        lower.extend(diagonal.iter().enumerate().map(|(i, &d)| Triplet::new(i, i, d)));
        Self::new(diagonal.len(), &lower)
    }

    /// Replaces each column with the solution for it.
    pub(in crate::weights) fn solve(&self, columns: &mut Mat<f64>) {
        self.0.solve_in_place(columns.as_mut());
    }
}
