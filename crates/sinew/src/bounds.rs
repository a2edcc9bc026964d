//! Bounding boxes, at rest and in motion.

mod animated;
mod blend;
mod bones;
mod character;
mod collect;
mod part;
mod rule;

pub use animated::{AnimatedBounds, BoundsError};
pub use bones::{BoneBox, BoneBoxes, BoneHit, triangle_hit};
pub use character::{CharacterBounds, ClipBounds, exact_clip_bounds};

pub(crate) use rule::BoundsRule;

use glam::Vec3;

/// An axis-aligned box, possibly empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest corner, in the space of the points; greater than `max` if the box is empty.
    pub min: Vec3,
    /// The largest corner, in the space of the points; less than `min` if the box is empty.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// A box that contains no point.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around `points`; points that are not finite are ignored.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        let finite = points.into_iter().filter(|p| p.is_finite());
        finite.fold(Self::EMPTY, |b, &p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// True if the box contains no point.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// The center; the origin for an empty box.
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

    /// The volume in cubic meters.
    pub fn volume(&self) -> f32 {
        self.size().element_product()
    }

    /// True if `point` is inside the box or on its boundary.
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The box grown by `margin` meters on every side; an empty box stays empty.
    #[must_use]
    pub fn grown(self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Where the ray from `origin` along `direction` enters the box, in lengths of the direction; 0 if it starts inside,
    /// `None` if it misses.
    pub fn entry(&self, origin: Vec3, direction: Vec3) -> Option<f32> {
        let (mut enter, mut leave) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (from, step) = (origin[axis], direction[axis]);
            if step == 0.0 {
                // A ray along a face is inside that slab or never enters it.
                if from < self.min[axis] || from > self.max[axis] {
                    return None;
                }
                continue;
            }
            let (one, other) = ((self.min[axis] - from) / step, (self.max[axis] - from) / step);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter <= leave && !self.is_empty()).then_some(enter)
    }

    /// The eight corners, x varying fastest.
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

/// How much larger a conservative box is than the exact one; both ratios are 1 if the boxes are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tightness {
    /// The ratio of volumes.
    pub volume: f32,
    /// The ratio of diagonals.
    pub diagonal: f32,
}

impl Tightness {
    /// Compares the conservative box `safe` with `exact`. The volume ratio is not finite if the exact box is flat.
    pub fn of(safe: &Aabb, exact: &Aabb) -> Self {
        Self { volume: safe.volume() / exact.volume(), diagonal: safe.diagonal() / exact.diagonal() }
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
    fn a_ray_enters_a_box_in_front_of_it_and_starts_inside_at_zero() {
        let b = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!(b.entry(Vec3::new(-2.0, 0.5, 0.5), Vec3::X), Some(2.0));
        assert_eq!(b.entry(Vec3::splat(0.5), Vec3::X), Some(0.0));
        assert_eq!(b.entry(Vec3::new(-2.0, 1.5, 0.5), Vec3::X), None);
        assert_eq!(b.entry(Vec3::new(2.0, 0.5, 0.5), Vec3::X), None);
        assert_eq!(Aabb::EMPTY.entry(Vec3::ZERO, Vec3::X), None);
    }

    #[test]
    fn a_union_holds_both() {
        let b = Aabb::of_points([&Vec3::ZERO]).union(Aabb::of_points([&Vec3::ONE]));
        assert_eq!((b.center(), b.size()), (Vec3::splat(0.5), Vec3::ONE));
        assert_eq!(Aabb::EMPTY.union(b), b);
    }

    #[test]
    fn a_grown_box_holds_what_lies_beside_it() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert!(unit.contains(Vec3::ONE) && !unit.contains(Vec3::new(0.5, 1.1, 0.5)));
        assert!(unit.grown(0.2).contains(Vec3::new(0.5, 1.1, 0.5)));
        assert!(Aabb::EMPTY.grown(1.0).is_empty() && !Aabb::EMPTY.contains(Vec3::ZERO));
        let ratios = Tightness::of(&unit.grown(0.5), &unit);
        assert!((ratios.volume - 8.0).abs() < 1e-5 && (ratios.diagonal - 2.0).abs() < 1e-5);
    }
}
