//! Interpolation between two keys, for each type of value.

use glam::{Quat, Vec3, Vec4};

/// A value that curves can interpolate.
pub trait Interpolate: Copy {
    /// Linear interpolation by `fraction`, 0 to 1.
    fn linear(from: Self, to: Self, fraction: f32) -> Self;

    /// Cubic Hermite interpolation between two values that are `seconds` apart, with tangents per second.
    fn hermite(values: [Self; 2], slopes: [Self; 2], fraction: f32, seconds: f32) -> Self;
}

/// The four Hermite weights: of the two values and of the two tangents.
fn hermite_weights(t: f32, seconds: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let to = 3.0 * t2 - 2.0 * t3;
    [1.0 - to, to, (t3 - 2.0 * t2 + t) * seconds, (t3 - t2) * seconds]
}

impl Interpolate for f32 {
    fn linear(from: Self, to: Self, fraction: f32) -> Self {
        from + (to - from) * fraction
    }

    fn hermite(values: [Self; 2], slopes: [Self; 2], fraction: f32, seconds: f32) -> Self {
        let [a, b, c, d] = hermite_weights(fraction, seconds);
        values[0] * a + values[1] * b + slopes[0] * c + slopes[1] * d
    }
}

impl Interpolate for Vec3 {
    fn linear(from: Self, to: Self, fraction: f32) -> Self {
        from + (to - from) * fraction
    }

    fn hermite(values: [Self; 2], slopes: [Self; 2], fraction: f32, seconds: f32) -> Self {
        let [a, b, c, d] = hermite_weights(fraction, seconds);
        values[0] * a + values[1] * b + slopes[0] * c + slopes[1] * d
    }
}

impl Interpolate for Quat {
    fn linear(from: Self, to: Self, fraction: f32) -> Self {
        slerp(from, to, fraction)
    }

    fn hermite(values: [Self; 2], slopes: [Self; 2], fraction: f32, seconds: f32) -> Self {
        let [a, b, c, d] = hermite_weights(fraction, seconds);
        let [v0, v1, s0, s1] = [values[0], values[1], slopes[0], slopes[1]].map(Vec4::from);
        let sum = v0 * a + v1 * b + s0 * c + s1 * d;
        // A spline between opposite keys may pass through the origin, which has no direction: use the first key.
        Self::from_vec4(sum.normalize_or(v0))
    }
}

/// The rotation at `fraction` of the shortest arc from one unit quaternion to another, at constant speed.
///
/// The `slerp` of glam uses an approximate arc cosine with an error of up to 7e-5 rad, which is too much for a reference.
pub fn slerp(from: Quat, to: Quat, fraction: f32) -> Quat {
    let (a, mut b) = (Vec4::from(from), Vec4::from(to));
    if a.dot(b) < 0.0 {
        b = -b;
    }
    // The half angle comes from the chords, which is exact for tiny angles, where an arc cosine loses all digits.
    let angle = 2.0 * (a - b).length().atan2((a + b).length());
    let sine = angle.sin();
    let blended = if sine > 1e-4 {
        a * (((1.0 - fraction) * angle).sin() / sine) + b * ((fraction * angle).sin() / sine)
    } else {
        a + (b - a) * fraction
    };
    Quat::from_vec4(blended.normalize_or(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use std::f32::consts::PI;

    /// The same arc in double precision, through axis and angle.
    fn oracle(from: Quat, to: Quat, fraction: f32) -> DQuat {
        let (from, to) = (from.as_dquat().normalize(), to.as_dquat().normalize());
        let to = if from.dot(to) < 0.0 { -to } else { to };
        let step = from.inverse() * to;
        from * DQuat::from_scaled_axis(step.to_scaled_axis() * f64::from(fraction))
    }

    #[test]
    fn slerp_agrees_with_double_precision_from_tiny_to_half_turns() {
        for angle in [0.0, 1e-7, 1e-5, 1e-4, 2e-4, 1e-3, 0.1, 1.0, 2.0, 3.0, PI - 2e-3, PI - 1e-4] {
            let from = Quat::from_euler(glam::EulerRot::XYZ, 0.4, -1.0, 2.0);
            let to = from * Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), angle);
            for step in 0..=10 {
                let fraction = step as f32 * 0.1;
                let (got, want) = (slerp(from, to, fraction).as_dquat(), oracle(from, to, fraction));
                let off = 1.0 - got.dot(want).abs();
                assert!(off < 1e-6, "angle {angle} fraction {fraction}: off {off}");
            }
        }
    }

    #[test]
    fn equal_and_opposite_rotations_give_no_nan() {
        let q = Quat::from_rotation_x(0.3);
        assert!(slerp(q, q, 0.5).abs_diff_eq(q, 1e-6));
        assert!(slerp(q, -q, 0.5).is_normalized());
        let half_turn = slerp(Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), 0.5);
        assert!(half_turn.is_normalized());
    }

    #[test]
    fn a_spline_through_the_origin_gives_no_nan() {
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let q = Quat::hermite([Quat::IDENTITY, -Quat::IDENTITY], [zero, zero], 0.5, 1.0);
        assert!(q.is_normalized());
    }
}
