//! Implicit smoothing: one factorization, many right-hand sides.

use crate::{AuthorError, laplacian::Laplacian};
use faer::{
    Mat, Side,
    prelude::Solve,
    sparse::{SparseColMat, Triplet, linalg::solvers::Llt},
};

/// `((D + λL)⁻¹ D)^p` as an operator on functions of points.
///
/// `D + λL` is symmetric positive definite, so Cholesky applies. `I + λD⁻¹L`, the same system divided by the masses, is not
/// symmetric.
pub(crate) struct Smoothing {
    factor: Llt<usize, f64>,
    laplacian: Laplacian,
    smoothness: f64,
    iterations: u32,
}

impl Smoothing {
    pub(crate) fn new(laplacian: Laplacian, smoothness: f64, iterations: u32) -> Result<Self, AuthorError> {
        let points = laplacian.mass.len();
        let mut diagonal = laplacian.mass.clone();
        let mut triplets = Vec::with_capacity(points + laplacian.edges.len());
        for &(a, b, strength) in &laplacian.edges {
            let (a, b) = (a as usize, b as usize);
            diagonal[a] += smoothness * strength;
            diagonal[b] += smoothness * strength;
            // Only the lower triangle is read.
            triplets.push(Triplet::new(b, a, -smoothness * strength));
        }
        triplets.extend(diagonal.iter().enumerate().map(|(i, &d)| Triplet::new(i, i, d)));
        let failed = |reason: String| AuthorError::NotSolvable { points, reason };
        let system = SparseColMat::<usize, f64>::try_new_from_triplets(points, points, &triplets)
            .map_err(|e| failed(format!("{e:?}")))?;
        let factor = system.sp_cholesky(Side::Lower).map_err(|e| failed(format!("{e:?}")))?;
        Ok(Self { factor, laplacian, smoothness, iterations })
    }

    /// Smooths every column in place.
    pub(crate) fn apply(&self, columns: &mut Mat<f64>) {
        for _ in 0..self.iterations {
            self.times_mass(columns);
            self.factor.solve_in_place(columns.as_mut());
        }
    }

    fn times_mass(&self, columns: &mut Mat<f64>) {
        for column in 0..columns.ncols() {
            for (value, mass) in columns.col_as_slice_mut(column).iter_mut().zip(&self.laplacian.mass) {
                *value *= mass;
            }
        }
    }

    /// The residual of one solve: the largest `|(D + λL)x − D b|`, relative to the largest `|D b|`.
    pub(crate) fn residual(&self, before: &[f64]) -> f64 {
        let mut x = Mat::from_fn(before.len(), 1, |row, _| before[row]);
        self.times_mass(&mut x);
        let right: Vec<f64> = x.col_as_slice(0).to_vec();
        self.factor.solve_in_place(x.as_mut());
        let x = x.col_as_slice(0);
        let mut left: Vec<f64> = x.iter().zip(&self.laplacian.mass).map(|(x, m)| x * m).collect();
        for &(a, b, strength) in &self.laplacian.edges {
            let (a, b) = (a as usize, b as usize);
            let flow = self.smoothness * strength * (x[a] - x[b]);
            left[a] += flow;
            left[b] -= flow;
        }
        let largest = right.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let off = left.iter().zip(&right).fold(0.0_f64, |m, (l, r)| m.max((l - r).abs()));
        if largest > 0.0 { off / largest } else { off }
    }
}
