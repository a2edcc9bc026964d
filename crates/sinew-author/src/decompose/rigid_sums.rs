//! The rigid motion that takes some points to others with the smallest squared error.

use crate::eigen::RotationFit;
use sinew::glam::{DAffine3, DMat3, DVec3};

/// Sums over points that determine the rigid motion of a bone in one frame: `Σ w·m·pᵀ` and `Σ w²·p·pᵀ`, with 1 as p's last entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidSums {
    /// The columns of `Σ w·m·pᵀ`.
    pub(super) moved: [DVec3; 4],
    /// `Σ w²·p` and `Σ w²`.
    pub(super) center: DVec3,
    pub(super) mass: f64,
}

impl RigidSums {
    /// The rigid motion with the smallest squared error. What the points leave open stays as in `previous`.
    pub(super) fn motion(&self, previous: &DAffine3) -> DAffine3 {
        if self.mass <= 0.0 {
            return *previous;
        }
        let center = self.center / self.mass;
        let moved_center = self.moved[3] / self.mass;
        let outer = |k: usize| self.moved[k] - self.moved[3] * center[k];
        let outer = DMat3::from_cols(outer(0), outer(1), outer(2));
        let stay = previous.matrix3 * (1e-9 * self.mass);
        let rotation = DMat3::from_quat(RotationFit::of(outer + stay).rotation());
        DAffine3 { matrix3: rotation, translation: moved_center - rotation * center }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::DQuat;

    #[test]
    fn the_rigid_motion_of_points_is_found_exactly() {
        let wanted = DAffine3::from_rotation_translation(
            DQuat::from_scaled_axis(DVec3::new(2.0, -1.0, 0.4)),
            DVec3::new(1.0, 2.0, 3.0),
        );
        let points = [DVec3::X, DVec3::Y * 2.0, DVec3::new(0.1, -0.4, 1.0), DVec3::new(-1.0, 1.0, 0.3)];
        let mut sums = RigidSums { moved: [DVec3::ZERO; 4], center: DVec3::ZERO, mass: 0.0 };
        for point in points {
            let moved = wanted.transform_point3(point);
            for (k, factor) in [point.x, point.y, point.z, 1.0].into_iter().enumerate() {
                sums.moved[k] += moved * factor;
            }
            sums.center += point;
            sums.mass += 1.0;
        }
        let found = sums.motion(&DAffine3::IDENTITY);
        assert!(found.abs_diff_eq(wanted, 1e-8), "{found:?}");
    }
}
