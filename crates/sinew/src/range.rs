//! The numbers that characters and poses may have.

use crate::transform::Transform;
use glam::{Affine3A, Vec3, Vec4};

/// The largest coordinate, scale factor, matrix entry, key or morph weight, in either direction: 1e12.
///
/// Constructors refuse more, and so does [`deform`](crate::deform::deform()) for a pose. Below it no product that a
/// deformer forms overflows, so that finite input never becomes NaN. In meters it reaches beyond Saturn.
pub const MAX_VALUE: f32 = 1e12;

/// The index of the first of `vectors` with a number that `is_bad`. Many are compared at once: large streams are checked
/// whenever a file is loaded.
pub(crate) fn first_bad<T: bytemuck::Pod>(
    vectors: &[T],
    is_bad: impl Fn(f32) -> bool + Copy,
) -> Option<usize> {
    const AT_ONCE: usize = 256;
    let any = |numbers: &[f32]| numbers.iter().fold(false, |any, number| any | is_bad(*number));
    let chunk = vectors.chunks(AT_ONCE).position(|chunk| any(bytemuck::cast_slice(chunk)))?;
    let first = chunk * AT_ONCE;
    let at =
        vectors[first..].iter().position(|vector| any(bytemuck::cast_slice(std::slice::from_ref(vector))))?;
    Some(first + at)
}

/// Numbers that are finite and at most [`MAX_VALUE`].
pub(crate) trait InRange {
    /// True if every number is.
    fn is_in_range(&self) -> bool;
}

impl InRange for f32 {
    #[inline]
    fn is_in_range(&self) -> bool {
        // False for NaN.
        self.abs() <= MAX_VALUE
    }
}

impl InRange for Vec3 {
    #[inline]
    fn is_in_range(&self) -> bool {
        self.abs().cmple(Self::splat(MAX_VALUE)).all()
    }
}

impl InRange for Vec4 {
    #[inline]
    fn is_in_range(&self) -> bool {
        self.abs().cmple(Self::splat(MAX_VALUE)).all()
    }
}

impl InRange for glam::Quat {
    #[inline]
    fn is_in_range(&self) -> bool {
        Vec4::from(*self).is_in_range()
    }
}

impl InRange for Affine3A {
    #[inline]
    fn is_in_range(&self) -> bool {
        let [x, y, z] = [self.matrix3.x_axis, self.matrix3.y_axis, self.matrix3.z_axis];
        // One comparison for all columns: `max` drops a NaN, so sums carry it.
        let largest = x.abs().max(y.abs()).max(z.abs()).max(self.translation.abs());
        let sum = x + y + z + self.translation;
        largest.cmple(glam::Vec3A::splat(MAX_VALUE)).all() && !sum.is_nan()
    }
}

impl InRange for Transform {
    fn is_in_range(&self) -> bool {
        self.translation.is_in_range() && self.rotation.is_in_range() && self.scale.is_in_range()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Mat3A, Vec3A};

    #[test]
    fn every_entry_of_a_matrix_counts() {
        assert!(Affine3A::IDENTITY.is_in_range());
        for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1.1e12, -1.1e12, f32::MAX] {
            for entry in 0..12 {
                let mut entries = [0.5; 12];
                entries[entry] = bad;
                assert!(!Affine3A::from_cols_array(&entries).is_in_range(), "{bad} at {entry}");
            }
        }
        let largest = Affine3A {
            matrix3: Mat3A::from_cols(Vec3A::splat(1e12), Vec3A::splat(-1e12), Vec3A::ZERO),
            translation: Vec3A::splat(1e12),
        };
        assert!(largest.is_in_range());
    }

    #[test]
    fn vectors_and_numbers_are_in_range_up_to_the_limit() {
        assert!(MAX_VALUE.is_in_range() && Vec3::splat(-MAX_VALUE).is_in_range());
        assert!(!f32::NAN.is_in_range() && !Vec4::new(0.0, 0.0, 0.0, 2e12).is_in_range());
    }
}
