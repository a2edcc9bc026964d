//! Directions in one word: an octahedron unfolded onto a square, 16 bits a side.

use sinew::glam::{Vec2, Vec3};

/// No direction at all: a pair that folding never gives.
const NO_DIRECTION: u32 = 0x8000_8000;
/// The lowest bit of the second number: handedness, in tangents.
const SIDE: u32 = 0x0001_0000;

/// A direction as two signed normalized numbers of 16 bits, x in the low half; within 0.004 degrees of it.
///
/// The same folding as the kernels', which write compact normals with it.
pub fn fold(direction: Vec3) -> u32 {
    let size = direction.abs().element_sum();
    if size == 0.0 || !size.is_finite() {
        return NO_DIRECTION;
    }
    let mut flat = Vec2::new(direction.x, direction.y) / size;
    if direction.z < 0.0 {
        flat = (Vec2::ONE - Vec2::new(flat.y, flat.x).abs()) * sign_of(flat);
    }
    let [x, y] = [flat.x, flat.y].map(|n| ((n.clamp(-1.0, 1.0) * 32767.0).round() as i16).cast_unsigned());
    u32::from(x) | u32::from(y) << 16
}

/// The direction that [`fold`] folded; zero if there was none.
pub fn unfold(packed: u32) -> Vec3 {
    if packed & !SIDE == NO_DIRECTION {
        return Vec3::ZERO;
    }
    let number = |half: u32| (f32::from((half as u16).cast_signed()) / 32767.0).max(-1.0);
    let flat = Vec2::new(number(packed), number(packed >> 16));
    let z = 1.0 - flat.abs().element_sum();
    let edge = flat - sign_of(flat) * (-z).max(0.0);
    Vec3::new(edge.x, edge.y, z).normalize()
}

/// A tangent folded, its handedness in the lowest bit of the second number.
pub(super) fn fold_tangent(direction: Vec3, w: f32) -> u32 {
    fold(direction) & !SIDE | if w < 0.0 { SIDE } else { 0 }
}

/// The direction and handedness of [`fold_tangent`].
pub(super) fn unfold_tangent(packed: u32) -> (Vec3, f32) {
    (unfold(packed & !SIDE), if packed & SIDE == 0 { 1.0 } else { -1.0 })
}

fn sign_of(v: Vec2) -> Vec2 {
    Vec2::new(if v.x < 0.0 { -1.0 } else { 1.0 }, if v.y < 0.0 { -1.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_comes_back_within_four_thousandths_of_a_degree() {
        let mut worst = 0.0_f32;
        for i in 0..20_000 {
            let (height, turn) = ((i as f32 + 0.5) / 10_000.0 - 1.0, i as f32 * 2.399_963);
            let radius = (1.0 - height * height).sqrt();
            let direction = Vec3::new(radius * turn.cos(), height, radius * turn.sin());
            worst = worst.max(unfold(fold(direction)).cross(direction).length());
            let (tangent, side) = unfold_tangent(fold_tangent(direction, -1.0));
            assert!(side < 0.0 && tangent.dot(direction) > 0.999_999);
        }
        assert!(worst.to_degrees() < 0.004, "{}", worst.to_degrees());
    }

    #[test]
    fn no_direction_stays_none_and_axes_stay_axes() {
        assert_eq!(unfold(fold(Vec3::ZERO)), Vec3::ZERO);
        assert_eq!(unfold(fold(Vec3::NAN)), Vec3::ZERO);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            assert_eq!(unfold(fold(axis)), axis);
        }
    }
}
