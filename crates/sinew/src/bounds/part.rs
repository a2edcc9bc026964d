//! The part of a mesh that follows one joint: a box, and a ball around each of its points.

use super::Aabb;
use glam::{Affine3A, Mat3A, Vec3, Vec3A};

/// A box in mesh space that follows one skin slot, extended by `reach` in every direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoundsPart {
    pub(super) slot: u16,
    pub(super) carried: MeshBox,
    /// The radius around each point of the box, in meters before any stretch.
    pub(super) reach: f32,
}

/// A box given by its center and half its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeshBox {
    pub(super) center: Vec3A,
    pub(super) half: Vec3A,
}

impl MeshBox {
    pub(super) fn new(bounds: &Aabb) -> Self {
        let center = bounds.min.midpoint(bounds.max);
        // From the rounded center to the farther side.
        let half = (bounds.max - center).max(center - bounds.min);
        Self { center: center.into(), half: half.into() }
    }

    /// The box grown by `margin` on every side.
    pub(super) fn grown(self, margin: f32) -> Self {
        Self { half: self.half + margin, ..self }
    }

    /// The box around its image under `matrix`, grown by `margin`.
    pub(super) fn posed(&self, matrix: &Affine3A, margin: f32) -> PosedBox {
        let center = matrix.transform_point3a(self.center);
        let half = matrix.matrix3.abs() * self.half + margin;
        PosedBox { min: center - half, max: center + half }
    }

    /// An upper bound of the distance between the images of one point of the box under two matrices.
    pub(super) fn parted_by(&self, a: &Affine3A, b: &Affine3A) -> f32 {
        let off = Mat3A::from_cols(
            a.matrix3.x_axis - b.matrix3.x_axis,
            a.matrix3.y_axis - b.matrix3.y_axis,
            a.matrix3.z_axis - b.matrix3.z_axis,
        );
        let middle = off * self.center + (a.translation - b.translation);
        let lengths = Vec3A::new(off.x_axis.length(), off.y_axis.length(), off.z_axis.length());
        middle.length() + lengths.dot(self.half)
    }
}

/// A box in model space that grows by union.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosedBox {
    min: Vec3A,
    max: Vec3A,
}

impl PosedBox {
    pub(super) const EMPTY: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The intersection of both boxes.
    pub(super) fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    pub(super) fn grown(self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    pub(super) fn diagonal(&self) -> f32 {
        (self.max - self.min).length()
    }

    pub(super) fn finish(self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }
}

/// Collects the parts of every slot.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundsParts {
    by_slot: Vec<(Aabb, f32)>,
}

impl BoundsParts {
    /// Adds `bounds`, extended by `reach`, to the part of `slot`.
    pub(super) fn add(&mut self, slot: u16, bounds: Aabb, reach: f32) {
        let slot = usize::from(slot);
        if self.by_slot.len() <= slot {
            self.by_slot.resize(slot + 1, (Aabb::EMPTY, 0.0));
        }
        let (old, old_reach) = self.by_slot[slot];
        self.by_slot[slot] = (old.union(bounds), old_reach.max(reach));
    }

    pub(super) fn finish(self) -> impl Iterator<Item = BoundsPart> {
        let used = (0_u16..).zip(self.by_slot).filter(|(_, (bounds, _))| !bounds.is_empty());
        used.map(|(slot, (bounds, reach))| BoundsPart { slot, carried: MeshBox::new(&bounds), reach })
    }
}

/// The maximum distance of the box from `point`.
pub(super) fn farthest(bounds: &Aabb, point: Vec3) -> f32 {
    (bounds.max - point).max(point - bounds.min).length()
}

/// An upper bound of the factor by which a matrix lengthens a vector, from the largest row sum of `LᵀL`; 1 for a rotation.
pub(super) fn stretch_of(linear: &Mat3A) -> f32 {
    let gram = (linear.transpose() * *linear).abs();
    (gram * Vec3A::ONE).max_element().sqrt()
}
