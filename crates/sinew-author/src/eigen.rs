//! Eigenvalues of small symmetric matrices, and the rotation between two sets of directions.

use sinew::glam::{DMat3, DQuat, DVec3};

/// The eigenvalues of a symmetric matrix and its eigenvectors as columns, by Jacobi's rotations.
fn eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut vectors = [[0.0; N]; N];
    for (k, row) in vectors.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for _ in 0..30 {
        let off: f64 = (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let size: f64 = (0..N).map(|i| a[i][i] * a[i][i]).sum();
        if off <= 1e-28 * size || off == 0.0 {
            break;
        }
        for p in 0..N {
            for q in p + 1..N {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), vectors)
}

/// Makes the entry (p, q) zero.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut().chain(vectors.iter_mut()) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (row_p, row_q) = (a[p], a[q]);
    for (k, (x, y)) in row_p.into_iter().zip(row_q).enumerate() {
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
    }
}

/// The smallest eigenvalue of a symmetric matrix.
pub(crate) fn smallest_eigenvalue(matrix: DMat3) -> f64 {
    let (values, _) = eigen(matrix.to_cols_array_2d());
    values.into_iter().fold(f64::INFINITY, f64::min)
}

/// The unit eigenvectors of a symmetric matrix, as columns.
pub(crate) fn principal_axes(matrix: DMat3) -> DMat3 {
    let (_, rows) = eigen(matrix.to_cols_array_2d());
    DMat3::from_cols_array_2d(&rows).transpose()
}

/// Pairs of directions, of which the second ones are rotated.
///
/// The best rotation is the eigenvector of Davenport's matrix, as in Horn (1987), "Closed-form solution of absolute
/// orientation using unit quaternions".
#[derive(Clone, Copy, Debug)]
pub(crate) struct RotationFit {
    /// The sum of `to` · `from`ᵀ.
    outer: DMat3,
}

impl RotationFit {
    /// A fit that without pairs stays at no rotation, with the pull of a pair of that square length about every axis.
    pub(crate) fn near_identity(square_meters: f64) -> Self {
        Self { outer: DMat3::from_diagonal(DVec3::splat(square_meters)) }
    }

    /// The fit to a sum of `to` · `from`ᵀ.
    pub(crate) fn of(outer: DMat3) -> Self {
        Self { outer }
    }

    pub(crate) fn add(&mut self, from: DVec3, to: DVec3, weight: f64) {
        self.outer += DMat3::from_cols(to * from.x, to * from.y, to * from.z) * weight;
    }

    /// The rotation that takes every `from` nearest to its `to`.
    pub(crate) fn rotation(&self) -> DQuat {
        let [x, y, z] = self.outer.transpose().to_cols_array_2d();
        let trace = x[0] + y[1] + z[2];
        let [a, b, c] = [z[1] - y[2], x[2] - z[0], y[0] - x[1]];
        let k = [
            [trace, a, b, c],
            [a, 2.0 * x[0] - trace, x[1] + y[0], x[2] + z[0]],
            [b, x[1] + y[0], 2.0 * y[1] - trace, y[2] + z[1]],
            [c, x[2] + z[0], y[2] + z[1], 2.0 * z[2] - trace],
        ];
        let (values, vectors) = eigen(k);
        let best = (0..4).max_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
        let [w, x, y, z] = std::array::from_fn(|row| vectors[row][best]);
        let rotation = DQuat::from_xyzw(x, y, z, w);
        if rotation.is_finite() && rotation.length() > 0.5 { rotation.normalize() } else { DQuat::IDENTITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_between_directions_is_found() {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -2.0, 1.1));
        let mut fit = RotationFit::near_identity(0.0);
        for from in [DVec3::new(0.1, 0.0, 0.02), DVec3::new(0.0, 0.2, -0.1), DVec3::new(0.05, 0.05, 0.3)] {
            fit.add(from, turn * from, 1.0);
        }
        let is = |a: DQuat, b: DQuat| a.dot(b).abs() > 1.0 - 1e-14;
        assert!(is(fit.rotation(), turn));
        assert!(is(RotationFit::near_identity(1e-6).rotation(), DQuat::IDENTITY));
    }

    #[test]
    fn eigenvalues_of_a_rotated_diagonal() {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.0, 0.4, -0.2)));
        let matrix = turn * DMat3::from_diagonal(DVec3::new(3.0, 0.25, 7.0)) * turn.transpose();
        assert!((smallest_eigenvalue(matrix) - 0.25).abs() < 1e-12);
    }
}
