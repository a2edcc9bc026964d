//! Rotations as three numbers: modified Rodrigues parameters about the mean of a track, in its principal axes.

use sinew::asset::compressed::{pack_rotation, unpack_rotation};
use sinew::glam::{DMat3, DQuat, DVec3, Quat};

/// How the rotations of a track become numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct RotationChart {
    pub(super) mean: Quat,
    pub(super) axes: Quat,
    /// The mean and the axes, as they are stored.
    pub(super) packed: [u32; 2],
}

impl RotationChart {
    /// The chart about the mean of `rotations`, with axes along which they spread.
    pub(super) fn of(rotations: &[DQuat]) -> Self {
        let first = rotations.first().copied().unwrap_or(DQuat::IDENTITY);
        let sum = rotations.iter().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, q| {
            if q.dot(first) < 0.0 { sum - *q } else { sum + *q }
        });
        let mean = if sum.length() > 1e-9 { sum.normalize() } else { first };
        let packed_mean = pack_rotation(mean.as_quat());
        let mean = unpack_rotation(packed_mean);
        let flat = Self { mean, axes: Quat::IDENTITY, packed: [packed_mean, 0] };
        let numbers: Vec<DVec3> = rotations.iter().map(|q| parameters(flat.relative(*q))).collect();
        let packed_axes = pack_rotation(principal_axes(&numbers).as_quat());
        Self { mean, axes: unpack_rotation(packed_axes), packed: [packed_mean, packed_axes] }
    }

    /// The rotation relative to the mean, on the side of the identity.
    pub(super) fn relative(&self, rotation: DQuat) -> DQuat {
        let q = self.mean.as_dquat().inverse() * rotation;
        if q.w < 0.0 { -q } else { q }
    }

    /// The numbers of relative rotations that follow each other closely.
    pub(super) fn numbers(&self, relative: DQuat) -> DVec3 {
        self.axes.as_dquat().inverse() * parameters(relative)
    }

    /// The rotation of the numbers.
    pub(super) fn rotation(&self, numbers: DVec3) -> DQuat {
        let m = self.axes.as_dquat() * numbers;
        let square = m.length_squared();
        let v = 2.0 * m / (1.0 + square);
        self.mean.as_dquat() * DQuat::from_xyzw(v.x, v.y, v.z, (1.0 - square) / (1.0 + square))
    }
}

/// v / (1 + w), as in Schaub and Junkins (1996), "Stereographic orientation parameters for attitude dynamics".
fn parameters(q: DQuat) -> DVec3 {
    DVec3::new(q.x, q.y, q.z) / (1.0 + q.w).max(1e-9)
}

/// The rotation whose axes are the eigenvectors of the scatter of `points` about their mean.
fn principal_axes(points: &[DVec3]) -> DQuat {
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let mut scatter = points.iter().fold(DMat3::ZERO, |sum, p| {
        let d = *p - mean;
        sum + DMat3::from_cols(d * d.x, d * d.y, d * d.z)
    });
    let mut axes = DMat3::IDENTITY;
    // Jacobi rotations: a symmetric matrix of three rows is diagonal after a few rounds.
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b, c) = (scatter.col(p)[p], scatter.col(q)[q], scatter.col(q)[p]);
            if c.abs() <= 1e-15 * (a.abs() + b.abs()) {
                continue;
            }
            let angle = 0.5 * (2.0 * c).atan2(b - a);
            let (sin, cos) = angle.sin_cos();
            let mut turn = [[0.0; 3]; 3];
            (0..3).for_each(|n| turn[n][n] = 1.0);
            (turn[p][p], turn[q][q], turn[p][q], turn[q][p]) = (cos, cos, -sin, sin);
            let turn = DMat3::from_cols_array_2d(&turn);
            scatter = turn.transpose() * scatter * turn;
            axes *= turn;
        }
    }
    let axes = if axes.determinant() < 0.0 {
        DMat3::from_cols(-axes.x_axis, axes.y_axis, axes.z_axis)
    } else {
        axes
    };
    let quat = DQuat::from_mat3(&axes).normalize();
    if quat.is_finite() { quat } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_come_back_from_their_numbers() {
        let rotations: Vec<DQuat> = (0..40)
            .map(|k| {
                DQuat::from_euler(sinew::glam::EulerRot::XYZ, 0.02 * f64::from(k), 0.3, -0.01 * f64::from(k))
            })
            .collect();
        let chart = RotationChart::of(&rotations);
        for q in &rotations {
            let back = chart.rotation(chart.numbers(chart.relative(*q)));
            assert!(back.dot(*q).abs() > 1.0 - 1e-12);
        }
    }

    #[test]
    fn a_turn_about_one_axis_needs_one_number() {
        let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
        let rotations: Vec<DQuat> =
            (-20..=20).map(|k| DQuat::from_axis_angle(axis, 0.04 * f64::from(k))).collect();
        let chart = RotationChart::of(&rotations);
        let numbers: Vec<DVec3> = rotations.iter().map(|q| chart.numbers(chart.relative(*q))).collect();
        let spread = |n: usize| numbers.iter().map(|m| m[n].abs()).fold(0.0, f64::max);
        let mut spreads = [spread(0), spread(1), spread(2)];
        spreads.sort_by(f64::total_cmp);
        // The axes are stored in ten bits a number.
        assert!(spreads[1] < 2e-3 * spreads[2], "{spreads:?}");
    }
}
