//! Ranges of the angles about a joint's axes.

use super::{LimitError, SLACK_RADIANS};
use crate::constrain::JointAxes;
use glam::Quat;
use std::f32::consts::PI;

/// Axes with a range for each angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisRanges {
    axes: JointAxes,
    /// Missing axes have the range 0 to 0.
    radians: [[f32; 2]; 3],
}

impl AxisRanges {
    pub(super) fn new(axes: JointAxes, ranges: &[[f32; 2]]) -> Result<Self, LimitError> {
        let count = axes.axes().len();
        if ranges.len() != count {
            return Err(LimitError::WrongRanges { axes: count, ranges: ranges.len() });
        }
        let mut radians = [[0.0; 2]; 3];
        for (out, &range) in radians.iter_mut().zip(ranges) {
            let [min, max] = range;
            if !(min >= -PI && min <= max && max <= PI) {
                return Err(LimitError::BadRange { what: "angle", range });
            }
            *out = range;
        }
        Ok(Self { axes, radians })
    }

    pub(super) fn lock(&mut self, free: [bool; 3]) {
        for (range, free) in self.radians.iter_mut().zip(free) {
            if !free {
                *range = [0.0_f32.clamp(range[0], range[1]); 2];
            }
        }
    }

    pub(super) fn freedom(&self) -> [bool; 3] {
        self.radians.map(|[min, max]| min < max)
    }

    /// The clamped rotation from rest; `None` if it is within the ranges.
    pub(super) fn clamp(&self, since_rest: Quat) -> Option<Quat> {
        let (radians, residual) = self.angles(since_rest);
        let inside = self.nearest(radians);
        if residual <= SLACK_RADIANS && excess(radians, inside) <= SLACK_RADIANS {
            return None;
        }
        Some(self.axes.rotation(inside))
    }

    pub(super) fn excess_radians(&self, since_rest: Quat) -> [f32; 2] {
        let (radians, residual) = self.angles(since_rest);
        [residual, excess(radians, self.nearest(radians))]
            .map(|over| if over <= SLACK_RADIANS { 0.0 } else { over })
    }

    /// The angles that are closest to the middle of their ranges, so that the nearer end is the one along the circle.
    fn angles(&self, since_rest: Quat) -> ([f32; 3], f32) {
        let found = self.axes.angles_near(since_rest, self.radians.map(|[min, max]| 0.5 * (min + max)));
        let radians = self.unlocked(since_rest, found.radians).unwrap_or(found.radians);
        (radians, found.residual_radians)
    }

    /// Angles within the ranges at gimbal lock, where the outer and the inner angle can be traded for each other.
    fn unlocked(&self, since_rest: Quat, radians: [f32; 3]) -> Option<[f32; 3]> {
        let inside = self.nearest(radians);
        if self.axes.axes().len() < 3 || excess(radians, inside) <= SLACK_RADIANS {
            return None;
        }
        let traded =
            [(0, 2, 1.0), (0, 2, -1.0), (2, 0, 1.0), (2, 0, -1.0)].map(|(from, to, sign): (_, _, f32)| {
                let mut traded = radians;
                traded[from] = inside[from];
                traded[to] += sign * (radians[from] - inside[from]);
                traded
            });
        let is_same = |angles: &[f32; 3]| {
            let turn = self.axes.rotation(*angles);
            1.0 - turn.dot(since_rest).abs() < 1e-7 && excess(*angles, self.nearest(*angles)) <= SLACK_RADIANS
        };
        traded.into_iter().find(is_same)
    }

    fn nearest(&self, radians: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|k| radians[k].clamp(self.radians[k][0], self.radians[k][1]))
    }
}

fn excess(radians: [f32; 3], inside: [f32; 3]) -> f32 {
    (0..3).map(|k| (radians[k] - inside[k]).abs()).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::test_input::rotation;
    use proptest::{
        prelude::*,
        test_runner::{Config, RngSeed},
    };

    fn ranges(axes: &str) -> AxisRanges {
        let axes: JointAxes = axes.parse().unwrap();
        let ranges = [[-0.5, 1.0], [-0.3, 0.8], [0.0, 0.0]];
        AxisRanges::new(axes, &ranges[..axes.axes().len()]).unwrap()
    }

    proptest! {
        #![proptest_config(Config { rng_seed: RngSeed::Fixed(0x6c696d), failure_persistence: None, ..Config::default() })]

        #[test]
        fn a_clamped_rotation_is_within_and_stays(q in rotation()) {
            for axes in ["x", "zx", "xyz", "zxz"] {
                let limit = ranges(axes);
                let clamped = limit.clamp(q).unwrap_or(q);
                prop_assert_eq!(limit.clamp(clamped), None, "{}", axes);
                prop_assert_eq!(limit.excess_radians(clamped), [0.0; 2]);
            }
        }
    }

    #[test]
    fn an_angle_goes_to_the_nearer_end_along_the_circle() {
        let limit = ranges("x");
        let angle = |radians: f32| {
            let clamped = limit.clamp(Quat::from_rotation_x(radians)).unwrap();
            clamped.to_scaled_axis().x
        };
        assert!((angle(2.0) - 1.0).abs() < 1e-5);
        assert!((angle(-2.0) + 0.5).abs() < 1e-5);
        assert_eq!(limit.clamp(Quat::from_rotation_x(0.7)), None, "inside, every bit stays");
        assert!(limit.excess_radians(Quat::from_rotation_y(0.4))[0] > 0.39);
    }

    #[test]
    fn the_rest_pose_is_within_although_proper_axes_are_locked_there() {
        let limit = ranges("zxz");
        assert_eq!(limit.clamp(Quat::IDENTITY), None);
        assert_eq!(limit.clamp(Quat::from_rotation_z(0.6)), None, "the outer angle alone");
    }

    #[test]
    fn refuses_missing_and_invalid_ranges() {
        let axes: JointAxes = "zx".parse().unwrap();
        assert!(matches!(
            AxisRanges::new(axes, &[[0.0, 1.0]]),
            Err(LimitError::WrongRanges { axes: 2, ranges: 1 })
        ));
        assert!(matches!(AxisRanges::new(axes, &[[0.0, 1.0], [1.0, 0.0]]), Err(LimitError::BadRange { .. })));
        assert!(AxisRanges::new(axes, &[[0.0, 1.0], [f32::NAN, 0.0]]).is_err());
    }
}
