//! Rotations in four bytes, for the means and axes of tracks.

use glam::Quat;

/// The largest size of the three smaller numbers of a unit quaternion.
const LARGEST: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Numbers are stored as whole steps from −511 to 511.
const STEPS: f32 = 511.0;

/// A unit quaternion in 32 bits: which number is the largest, and the other three in ten bits each.
#[must_use]
pub fn pack_rotation(rotation: Quat) -> u32 {
    let numbers = rotation.to_array();
    let largest = (0..4).max_by(|a, b| numbers[*a].abs().total_cmp(&numbers[*b].abs())).unwrap_or(3);
    let sign = if numbers[largest] < 0.0 { -1.0 } else { 1.0 };
    let others = (0..4).filter(|n| *n != largest);
    others.fold(largest as u32, |bits, n| {
        let steps = (sign * numbers[n] / LARGEST * STEPS).round().clamp(-STEPS, STEPS);
        (bits << 10) | (steps as i32 + 512).cast_unsigned()
    })
}

/// The rotation of [`pack_rotation`], normalized.
#[must_use]
pub fn unpack_rotation(bits: u32) -> Quat {
    let number = |at: u32| ((bits >> at & 1023).cast_signed() - 512) as f32 / STEPS * LARGEST;
    let [a, b, c] = [number(20), number(10), number(0)];
    let rest = (1.0 - (a * a + b * b + c * c)).max(0.0).sqrt();
    let quat = match bits >> 30 {
        0 => Quat::from_xyzw(rest, a, b, c),
        1 => Quat::from_xyzw(a, rest, b, c),
        2 => Quat::from_xyzw(a, b, rest, c),
        _ => Quat::from_xyzw(a, b, c, rest),
    };
    let unit = quat.normalize();
    if unit.is_finite() { unit } else { Quat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rotations_come_back_within_a_step(x in -1.0_f32..1.0, y in -1.0_f32..1.0, z in -1.0_f32..1.0, w in -1.0_f32..1.0) {
            prop_assume!(x * x + y * y + z * z + w * w > 1e-3);
            let rotation = Quat::from_xyzw(x, y, z, w).normalize();
            let back = unpack_rotation(pack_rotation(rotation));
            prop_assert!(rotation.dot(back).abs() > 1.0 - 5e-6, "{rotation} {back}");
        }

        #[test]
        fn any_bits_are_a_unit_quaternion(bits in any::<u32>()) {
            prop_assert!((unpack_rotation(bits).length() - 1.0).abs() < 1e-5);
        }
    }
}
