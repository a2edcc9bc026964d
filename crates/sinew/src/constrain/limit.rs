//! Joint limits: a swing within an ellipse and a twist within a range, or ranges about a joint's axes.

mod axis_ranges;

use super::{JointAxes, twist::SwingTwist, unit};
use crate::asset::skeleton::{JointId, Skeleton};
use axis_ranges::AxisRanges;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{PI, TAU};
use thiserror::Error;

/// Tolerance of the limits, so that clamping a clamped rotation changes nothing.
const SLACK_RADIANS: f32 = 1e-5;

/// The parts of a [`Limit`]. Angles are in radians, relative to the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitParts {
    /// The twist axis in joint space: usually along the bone; for a hinge, the hinge axis.
    pub axis: Vec3,
    /// The first swing axis in joint space, projected perpendicular to `axis`. The second is `axis × first`.
    pub swing_axis: Vec3,
    /// Range of the swing about the first and the second axis: minimum (at most 0) and maximum (at least 0). The four
    /// numbers are the semi-axes of an ellipse.
    pub swing_radians: [[f32; 2]; 2],
    /// Range of the twist: minimum and maximum, within −π and π.
    pub twist_radians: [f32; 2],
}

/// The limit of a joint's rotation relative to its rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    rest: Quat,
    kind: LimitKind,
}

/// How a rotation is limited.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LimitKind {
    Swing(SwingLimit),
    Axes(AxisRanges),
}

/// A swing within an ellipse and a twist within a range.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SwingLimit {
    axis: Vec3,
    swing_axes: [Vec3; 2],
    swing_radians: [[f32; 2]; 2],
    twist_radians: [f32; 2],
}

/// Why a limit is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LimitError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// The twist axis is zero or not finite, or the swing axis is parallel to it.
    #[error("twist axis and swing axis must be finite and not parallel, got {axis} and {swing_axis}")]
    BadAxes {
        /// The twist axis that was given, in joint space.
        axis: Vec3,
        /// The first swing axis that was given, in joint space.
        swing_axis: Vec3,
    },
    /// There must be one range per axis.
    #[error("{axes} axes need as many ranges, got {ranges}")]
    WrongRanges {
        /// The number of axes.
        axes: usize,
        /// The number of ranges that were given.
        ranges: usize,
    },
    /// A range is not finite, is empty, exceeds half a turn or, for a swing, does not include the rest pose.
    #[error("the {what} range must be ordered, within -π to π and, for a swing, include 0; got {min} to {max} rad", min = range[0], max = range[1])]
    BadRange {
        /// The kind of range: `swing`, `twist` or `angle`.
        what: &'static str,
        /// Minimum and maximum that were given, in radians.
        range: [f32; 2],
    },
}

impl Limit {
    /// A limit of `joint`. Angles are zero in the rest pose of `skeleton`.
    ///
    /// # Errors
    /// If the joint is missing, the axes are invalid or parallel, or a range is invalid.
    pub fn new(skeleton: &Skeleton, joint: JointId, parts: LimitParts) -> Result<Self, LimitError> {
        let rest = rest_of(skeleton, joint)?;
        let LimitParts { axis: along, swing_axis, swing_radians, twist_radians } = parts;
        let bad_axes = LimitError::BadAxes { axis: along, swing_axis };
        let axis = unit(along).ok_or(bad_axes.clone())?;
        let flat = unit(swing_axis).map(|s| s - axis * axis.dot(s)).filter(|s| s.length() > 1e-3);
        let first = flat.and_then(unit).ok_or(bad_axes)?;
        for range @ [min, max] in swing_radians {
            if !((-PI..=0.0).contains(&min) && (0.0..=PI).contains(&max)) {
                return Err(LimitError::BadRange { what: "swing", range });
            }
        }
        let [min, max] = twist_radians;
        if !(min >= -PI && min <= max && max <= PI) {
            return Err(LimitError::BadRange { what: "twist", range: twist_radians });
        }
        let swing_axes = [first, axis.cross(first)];
        let kind = LimitKind::Swing(SwingLimit { axis, swing_axes, swing_radians, twist_radians });
        Ok(Self { rest, kind })
    }

    /// Rotation about `axes` only, each angle from minimum to maximum radians from rest, within −π and π. One axis is a
    /// hinge, two are a universal joint; with three, ranges alone limit the joint.
    ///
    /// # Errors
    /// If the joint is missing, there is not one range per axis, or a range is invalid.
    pub fn axes(
        skeleton: &Skeleton,
        joint: JointId,
        axes: JointAxes,
        ranges_radians: &[[f32; 2]],
    ) -> Result<Self, LimitError> {
        let rest = rest_of(skeleton, joint)?;
        Ok(Self { rest, kind: LimitKind::Axes(AxisRanges::new(axes, ranges_radians)?) })
    }

    /// One degree of freedom: a rotation about `axis`, in joint space, from `min` to `max` radians.
    ///
    /// # Errors
    /// As [`Limit::new`].
    pub fn hinge(
        skeleton: &Skeleton,
        joint: JointId,
        axis: Vec3,
        [min, max]: [f32; 2],
    ) -> Result<Self, LimitError> {
        let swing_axis = unit(axis).map_or(Vec3::X, |a| a.any_orthonormal_vector());
        let parts = LimitParts { axis, swing_axis, swing_radians: [[0.0; 2]; 2], twist_radians: [min, max] };
        Self::new(skeleton, joint, parts)
    }

    /// A cone of `swing` radians around `axis` at rest, and a twist of at most `twist` radians in either direction.
    ///
    /// # Errors
    /// As [`Limit::new`].
    pub fn cone(
        skeleton: &Skeleton,
        joint: JointId,
        axis: Vec3,
        swing: f32,
        twist: f32,
    ) -> Result<Self, LimitError> {
        let swing_axis = unit(axis).map_or(Vec3::X, |a| a.any_orthonormal_vector());
        let parts = LimitParts {
            axis,
            swing_axis,
            swing_radians: [[-swing, swing]; 2],
            twist_radians: [-twist, twist],
        };
        Self::new(skeleton, joint, parts)
    }

    /// The same limit with the degrees of freedom locked that are not `free`: twist, first swing, second swing, or the angles
    /// of [`Limit::axes`].
    ///
    /// A locked twist or angle is 0, or the end of its range that is nearest to 0.
    #[must_use]
    pub fn with_freedom(mut self, free: [bool; 3]) -> Self {
        match &mut self.kind {
            LimitKind::Swing(limit) => limit.lock(free),
            LimitKind::Axes(limit) => limit.lock(free),
        }
        self
    }

    /// Which degrees of freedom are free: twist, first swing, second swing, or the angles of [`Limit::axes`].
    pub fn freedom(&self) -> [bool; 3] {
        match &self.kind {
            LimitKind::Swing(limit) => limit.freedom(),
            LimitKind::Axes(limit) => limit.freedom(),
        }
    }

    /// Clamps the unit quaternion `rotation`, a `parent_from_joint`, to the limit.
    ///
    /// Every bit of a rotation within the limit is kept. Outside, the swing moves to the nearest point of the ellipse and
    /// the twist to the nearer end of its range, continuously across the border. With [`Limit::axes`], the closest rotation
    /// about the axes is used, and each angle moves to the nearer end of its range.
    pub fn clamp(&self, rotation: Quat) -> Quat {
        let since_rest = self.rest.conjugate() * rotation;
        let clamped = match &self.kind {
            LimitKind::Swing(limit) => limit.clamp(since_rest),
            LimitKind::Axes(limit) => limit.clamp(since_rest),
        };
        let Some(clamped) = clamped else { return rotation };
        let out = (self.rest * clamped).normalize();
        if out.is_finite() { out } else { self.rest }
    }

    /// By how much swing and twist of `rotation` exceed the limit, in radians; 0 if they are inside. With [`Limit::axes`]:
    /// what the axes cannot represent, and the largest excess of an angle.
    pub fn excess_radians(&self, rotation: Quat) -> [f32; 2] {
        let since_rest = self.rest.conjugate() * rotation;
        match &self.kind {
            LimitKind::Swing(limit) => limit.excess_radians(since_rest),
            LimitKind::Axes(limit) => limit.excess_radians(since_rest),
        }
    }
}

/// The rest rotation of a joint that exists.
fn rest_of(skeleton: &Skeleton, joint: JointId) -> Result<Quat, LimitError> {
    let joints = skeleton.len();
    let is_there = joint.index() < joints;
    let missing = LimitError::NoSuchJoint { joint, joints };
    if is_there { Ok(skeleton.rest(joint).rotation.normalize()) } else { Err(missing) }
}

impl SwingLimit {
    fn lock(&mut self, free: [bool; 3]) {
        if !free[0] {
            self.twist_radians = [0.0_f32.clamp(self.twist_radians[0], self.twist_radians[1]); 2];
        }
        for (swing, free) in self.swing_radians.iter_mut().zip(&free[1..]) {
            if !free {
                *swing = [0.0; 2];
            }
        }
    }

    fn freedom(&self) -> [bool; 3] {
        [self.twist_radians, self.swing_radians[0], self.swing_radians[1]].map(|[min, max]| min < max)
    }

    /// The clamped rotation from rest; `None` if it is within the limit.
    fn clamp(&self, since_rest: Quat) -> Option<Quat> {
        let split = SwingTwist::of(since_rest, self.axis);
        let (swing, twist) = (self.swing_of(&split), split.twist_radians(self.axis));
        let (swing_in, twist_in) = (self.clamp_swing(swing), self.clamp_twist(twist));
        if swing_in == swing && twist_in == twist {
            return None;
        }
        let swing = Quat::from_scaled_axis(self.swing_axes[0] * swing_in.x + self.swing_axes[1] * swing_in.y);
        Some(swing * Quat::from_axis_angle(self.axis, twist_in))
    }

    fn excess_radians(&self, since_rest: Quat) -> [f32; 2] {
        let split = SwingTwist::of(since_rest, self.axis);
        let (swing, twist) = (self.swing_of(&split), split.twist_radians(self.axis));
        let off = (twist - self.clamp_twist(twist)).abs();
        [swing.distance(self.clamp_swing(swing)), off.min(TAU - off)]
    }

    /// The swing as angles about the two swing axes, in radians.
    fn swing_of(&self, split: &SwingTwist) -> Vec2 {
        // q and −q are the same rotation; use the one with the smaller angle.
        let side = if split.swing.w < 0.0 { -1.0 } else { 1.0 };
        let xyz = split.swing.xyz() * side;
        let sine = xyz.length();
        let per_sine = if sine > 1e-6 { split.swing_radians() / sine } else { 2.0 };
        Vec2::new(xyz.dot(self.swing_axes[0]), xyz.dot(self.swing_axes[1])) * per_sine
    }

    fn clamp_twist(&self, radians: f32) -> f32 {
        let [min, max] = self.twist_radians;
        if radians >= min - SLACK_RADIANS && radians <= max + SLACK_RADIANS {
            return radians;
        }
        // The nearer end along the circle.
        let way = |end: f32| {
            let off = (radians - end).abs();
            off.min(TAU - off)
        };
        if way(min) < way(max) { min } else { max }
    }

    fn clamp_swing(&self, swing: Vec2) -> Vec2 {
        let half = |value: f32, [min, max]: [f32; 2]| if value < 0.0 { -min } else { max };
        let radii = Vec2::new(half(swing.x, self.swing_radians[0]), half(swing.y, self.swing_radians[1]));
        let nearest = nearest_on_ellipse(swing.abs(), radii);
        let nearest = nearest * swing.signum();
        if nearest.distance(swing) <= SLACK_RADIANS { swing } else { nearest }
    }
}

/// The point in the first quadrant of an ellipse, inside or on it, that is nearest to `point` in the same quadrant.
///
/// Scaling towards the center instead would remove the whole bend of a hinge, a narrow ellipse, for the smallest swing
/// across it.
fn nearest_on_ellipse(point: Vec2, radii: Vec2) -> Vec2 {
    if radii.min_element() < 1e-4 {
        return point.min(radii);
    }
    let scaled = point / radii;
    if scaled.length_squared() <= 1.0 {
        return point;
    }
    // The nearest point is radii² · point / (radii² + t) with the t ≥ 0 that puts it on the ellipse. The condition is
    // convex and decreasing, so Newton's method from below never overshoots. The solution for a single axis is a lower
    // bound.
    let square = radii * radii;
    let mut t = (radii * point - square).max_element().max(0.0);
    for _ in 0..16 {
        let part = radii * point / (square + t);
        let (value, slope) = (part.length_squared() - 1.0, -2.0 * (part * part / (square + t)).element_sum());
        let step = value / slope;
        if !step.is_finite() || step.abs() <= 1e-7 * t {
            break;
        }
        t -= step;
    }
    square * point / (square + t)
}

#[cfg(test)]
mod tests;
