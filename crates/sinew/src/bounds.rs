//! Boxes around things.

use glam::Vec3;

/// An axis-aligned box, possibly empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest corner; greater than `max` where the box is empty.
    pub min: Vec3,
    /// The largest corner.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// Holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around `points`; points that are not finite are left out.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        let finite = points.into_iter().filter(|p| p.is_finite());
        finite.fold(Self::EMPTY, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// True where it holds nothing.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The middle; the origin for an empty box.
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { (self.min + self.max) * 0.5 }
    }

    /// The edge lengths; zero for an empty box.
    pub fn size(&self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// The length of the diagonal; zero for an empty box.
    pub fn diagonal(&self) -> f32 {
        self.size().length()
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, min: f32, max: f32| if i & bit == 0 { min } else { max };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_of_nothing_is_empty_and_has_no_size() {
        assert!(Aabb::EMPTY.is_empty());
        assert_eq!(Aabb::EMPTY.diagonal(), 0.0);
        assert_eq!(Aabb::of_points([&Vec3::NAN]), Aabb::EMPTY);
    }

    #[test]
    fn a_union_holds_both() {
        let b = Aabb::of_points([&Vec3::ZERO]).union(Aabb::of_points([&Vec3::ONE]));
        assert_eq!((b.center(), b.size()), (Vec3::splat(0.5), Vec3::ONE));
        assert_eq!(Aabb::EMPTY.union(b), b);
    }
}
