//! One to three rotation axes of a joint, in any order, and the angles about them.
//!
//! A quaternion is a bilinear function of the half angles about two axes, so the closest rotation about one or two axes is
//! an atan2 or the singular value decomposition of a 2×2 matrix. Three axes reduce to the case X-Y-X, whose quaternion is
//! (cos β/2 · cos s, cos β/2 · sin s, sin β/2 · cos d, sin β/2 · sin d) with half the sum s and half the difference d of the
//! outer angles.

use glam::{DQuat, DVec3, Quat, Vec3};
use std::{
    f64::consts::{FRAC_PI_2, PI, TAU},
    fmt,
    str::FromStr,
};
use thiserror::Error;

/// Below this length of one half of the quaternion, only the sum or the difference of the outer angles is defined. Rounding
/// to single precision is smaller; the error of a rotation is at most twice this.
const LOCKED: f64 = 3e-7;

/// One of the three axes of a joint's space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointAxis {
    /// The +X axis of the joint.
    X,
    /// The +Y axis of the joint.
    Y,
    /// The +Z axis of the joint.
    Z,
}

impl JointAxis {
    /// All axes, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The lowercase letter of the axis.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::X => 'x',
            Self::Y => 'y',
            Self::Z => 'z',
        }
    }

    /// The axis as a unit vector in joint space.
    #[must_use]
    pub const fn vector(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }

    fn direction(self) -> DVec3 {
        self.vector().as_dvec3()
    }
}

/// One to three axes about which a joint rotates, from the outermost to the innermost. Neighbors differ.
///
/// Axes are in the joint's space at rest. The outermost rotation is applied last: with axes `zx` and angles a and b the
/// rotation from rest is z(a) · x(b). Three axes, in any of the twelve orders, represent every rotation.
///
/// ```
/// use sinew::constrain::JointAxes;
/// use sinew::glam::Quat;
///
/// let shoulder: JointAxes = "zx".parse()?; // raise, then swing
/// let turned = shoulder.rotation([0.5, -0.2, 0.0]);
/// let found = shoulder.angles(turned);
/// assert!((found.radians[0] - 0.5).abs() < 1e-6 && (found.radians[1] + 0.2).abs() < 1e-6);
/// assert!(found.residual_radians < 1e-6);
///
/// let twisted = shoulder.angles(Quat::from_rotation_y(0.3)); // needs a third axis
/// assert!((twisted.residual_radians - 0.3).abs() < 1e-6);
/// # Ok::<(), sinew::constrain::AxesError>(())
/// ```
#[doc(alias = "Euler angles")]
#[doc(alias = "degrees of freedom")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JointAxes {
    /// Filled up with the last axis.
    axes: [JointAxis; 3],
    count: u8,
}

/// Angles about the axes of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisAngles {
    /// One angle per axis from the outermost to the innermost; 0 for missing axes.
    pub radians: [f32; 3],
    /// The angle of the rotation that the axes cannot represent; rounding, about 1e-7, for three axes.
    pub residual_radians: f32,
}

/// Why a list of axes is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("axes must be one to three of x, y and z with no letter twice in a row, got {axes:?}")]
pub struct AxesError {
    /// The letters that were given.
    pub axes: String,
}

impl JointAxes {
    /// The twelve orders of three axes: six with three different axes, then six that end with their first.
    pub const ORDERS: [Self; 12] = {
        use JointAxis::{X, Y, Z};
        [
            Self::three(X, Y, Z),
            Self::three(X, Z, Y),
            Self::three(Y, X, Z),
            Self::three(Y, Z, X),
            Self::three(Z, X, Y),
            Self::three(Z, Y, X),
            Self::three(X, Y, X),
            Self::three(X, Z, X),
            Self::three(Y, X, Y),
            Self::three(Y, Z, Y),
            Self::three(Z, X, Z),
            Self::three(Z, Y, Z),
        ]
    };

    const fn three(a: JointAxis, b: JointAxis, c: JointAxis) -> Self {
        Self { axes: [a, b, c], count: 3 }
    }

    /// The axes from the outermost to the innermost.
    ///
    /// # Errors
    /// If there are none or more than three, or an axis follows itself.
    pub fn new(axes: &[JointAxis]) -> Result<Self, AxesError> {
        let is_valid = (1..=3).contains(&axes.len()) && axes.windows(2).all(|pair| pair[0] != pair[1]);
        if !is_valid {
            return Err(AxesError { axes: axes.iter().map(|axis| axis.letter()).collect() });
        }
        let at = |k: usize| axes[k.min(axes.len() - 1)];
        Ok(Self { axes: [at(0), at(1), at(2)], count: axes.len() as u8 })
    }

    /// The axes from the outermost to the innermost, one to three.
    #[must_use]
    pub fn axes(&self) -> &[JointAxis] {
        &self.axes[..usize::from(self.count)]
    }

    /// The rotation from rest with these angles; those of missing axes are ignored.
    #[must_use]
    pub fn rotation(&self, radians: [f32; 3]) -> Quat {
        self.turn(radians.map(f64::from)).as_quat().normalize()
    }

    /// The rotation with these angles in double precision.
    pub(super) fn turn(&self, radians: [f64; 3]) -> DQuat {
        let turns = self.axes().iter().zip(radians);
        turns.fold(DQuat::IDENTITY, |q, (axis, angle)| q * DQuat::from_axis_angle(axis.direction(), angle))
    }

    /// The angles of a rotation from rest, or of the closest rotation about these axes.
    ///
    /// Angles are within −π and π. Of three axes, the middle angle is within −π/2 and π/2, or 0 and π if the last axis is
    /// the first.
    #[must_use]
    pub fn angles(&self, rotation: Quat) -> AxisAngles {
        let [outer, middle, inner] = self.solve(rotation.as_dquat(), [0.0; 3]);
        let middle = if self.count == 3 { middle } else { wrapped(middle) };
        self.report(rotation, [wrapped(outer), middle, wrapped(inner)])
    }

    /// [`JointAxes::angles`], of all angles with the same rotation those closest to `before`: they continue a motion past
    /// half a turn and through gimbal lock.
    #[must_use]
    pub fn angles_near(&self, rotation: Quat, before: [f32; 3]) -> AxisAngles {
        let before = before.map(f64::from);
        let found = self.solve(rotation.as_dquat(), before);
        let near = |angles: [f64; 3]| {
            let mut out = [0.0; 3];
            for k in 0..usize::from(self.count) {
                out[k] = angles[k] + TAU * ((before[k] - angles[k]) / TAU).round();
            }
            out
        };
        let way = |angles: &[f64; 3]| -> f64 { (0..3).map(|k| (angles[k] - before[k]).powi(2)).sum() };
        let first = near(found);
        let second = self.other(found).map(near).filter(|other| way(other) < way(&first));
        self.report(rotation, second.unwrap_or(first))
    }

    /// [`JointAxes::angles`] in double precision.
    pub(super) fn precise_angles(&self, rotation: DQuat) -> [f64; 3] {
        self.solve(rotation, [0.0; 3])
    }

    fn report(&self, rotation: Quat, radians: [f64; 3]) -> AxisAngles {
        let left = self.turn(radians).conjugate() * rotation.as_dquat();
        let residual = 2.0 * left.xyz().length().atan2(left.w.abs());
        AxisAngles { radians: radians.map(|angle| angle as f32), residual_radians: residual as f32 }
    }

    /// The other angles about three axes with the same rotation.
    fn other(&self, [outer, middle, inner]: [f64; 3]) -> Option<[f64; 3]> {
        let middle = if self.is_proper() { -middle } else { PI - middle };
        (self.count == 3).then_some([outer + PI, middle, inner + PI])
    }

    /// True if the last of three axes is the first.
    fn is_proper(&self) -> bool {
        self.axes[0] == self.axes[2]
    }

    /// Angles with the rotation closest to `rotation`. `before` decides what the rotation leaves open.
    fn solve(&self, rotation: DQuat, before: [f64; 3]) -> [f64; 3] {
        let q = rotation.normalize();
        let along = |axis: DVec3| q.xyz().dot(axis);
        let first = self.axes[0].direction();
        if self.count == 1 {
            return [2.0 * along(first).atan2(q.w), 0.0, 0.0];
        }
        // A right-handed frame of the first two axes; the last axis is the third or its opposite.
        let second = self.axes[1].direction();
        let third = first.cross(second);
        let parts = [q.w, along(first), along(second), along(third)];
        if self.count == 2 {
            return closest_of_two(parts, before);
        }
        if self.is_proper() {
            return proper(parts, before);
        }
        // Turned by a quarter, z(γ) = y(90°) · x(−γ) · y(−90°) is the proper case.
        let hand = if third.dot(self.axes[2].direction()) < 0.0 { -1.0 } else { 1.0 };
        let [w, x, y, z] = parts.map(|part| part * std::f64::consts::FRAC_1_SQRT_2);
        let before = [before[0], before[1] + FRAC_PI_2, -hand * before[2]];
        let [outer, middle, inner] = proper([w - y, x - z, w + y, x + z], before);
        [outer, middle - FRAC_PI_2, -hand * inner]
    }
}

/// The angles of x(α) · y(β) that is closest to a quaternion: the dominant singular vectors of [[w, y], [x, z]].
fn closest_of_two([w, x, y, z]: [f64; 4], before: [f64; 3]) -> [f64; 3] {
    let [sum, difference] = [[w - z, x + y], [w + z, x - y]];
    let angle = |[cos, sin]: [f64; 2], kept: f64| {
        if cos.hypot(sin) > LOCKED { sin.atan2(cos) } else { kept }
    };
    let sum = angle(sum, 0.5 * (before[0] + before[1]));
    let difference = angle(difference, 0.5 * (before[0] - before[1]));
    [sum + difference, sum - difference, 0.0]
}

/// The angles of x(α) · y(β) · x(γ); β is within 0 and π.
fn proper([w, x, y, z]: [f64; 4], before: [f64; 3]) -> [f64; 3] {
    let (near, far) = (w.hypot(x), y.hypot(z));
    let sum = if near > LOCKED { x.atan2(w) } else { 0.5 * (before[0] + before[2]) };
    let difference = if far > LOCKED { z.atan2(y) } else { 0.5 * (before[0] - before[2]) };
    [sum + difference, 2.0 * far.atan2(near), sum - difference]
}

/// An angle within −π and π.
fn wrapped(radians: f64) -> f64 {
    radians - TAU * (radians / TAU).round()
}

impl FromStr for JointAxes {
    type Err = AxesError;

    fn from_str(text: &str) -> Result<Self, AxesError> {
        let axis =
            |letter: char| JointAxis::ALL.into_iter().find(|a| a.letter() == letter.to_ascii_lowercase());
        // More than three are an error anyway.
        let axes: Option<Vec<JointAxis>> = text.chars().take(4).map(axis).collect();
        let bad = || AxesError { axes: text.chars().take(16).collect() };
        Self::new(&axes.ok_or_else(bad)?).map_err(|_| bad())
    }
}

impl fmt::Display for JointAxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.axes().iter().try_for_each(|axis| write!(f, "{}", axis.letter()))
    }
}

impl fmt::Debug for JointAxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JointAxes({self})")
    }
}

#[cfg(test)]
mod tests;
