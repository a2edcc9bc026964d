//! Colliders in world space, and how they push the end of a bone.

use super::definition::ColliderShape;
use glam::{DVec3, Mat3A, Vec3, Vec3A};

/// A collider and the space that it is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedCollider {
    pub(super) space: ColliderSpace,
    pub(super) shape: ColliderShape,
}

/// The matrix that carries a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColliderSpace {
    /// An anchor, which comes from the pose.
    Anchor(u32),
    /// A node, which springs move.
    Node,
}

/// A collider in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WorldShape {
    pub(super) kind: WorldKind,
    /// The center, the start of the segment or a point of the plane.
    pub(super) place: DVec3,
    /// From the start to the end of the segment, or the unit normal of the plane.
    pub(super) along: Vec3,
    pub(super) radius: f32,
}

/// The side of a shape that bones are pushed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorldKind {
    Outside,
    Inside,
    Plane,
}

impl WorldShape {
    /// A shape that pushes nothing, until its place is known.
    pub(super) const NOWHERE: Self =
        Self { kind: WorldKind::Outside, place: DVec3::NAN, along: Vec3::ZERO, radius: 0.0 };

    /// `shape` in world space. With `scales_radii`, the largest scale of the axes scales radii.
    pub(super) fn new(shape: &ColliderShape, linear: &Mat3A, origin: DVec3, scales_radii: bool) -> Self {
        let point = |p: Vec3| origin + (*linear * Vec3A::from(p)).as_dvec3();
        let kind = |is_inside: bool| if is_inside { WorldKind::Inside } else { WorldKind::Outside };
        let scaled = |radius: f32| if scales_radii { radius * largest_scale(linear) } else { radius };
        match *shape {
            ColliderShape::Sphere { center, radius, is_inside } => Self {
                kind: kind(is_inside),
                place: point(center),
                along: Vec3::ZERO,
                radius: scaled(radius),
            },
            ColliderShape::Capsule { start, end, radius, is_inside } => Self {
                kind: kind(is_inside),
                place: point(start),
                along: (*linear * Vec3A::from(end - start)).into(),
                radius: scaled(radius),
            },
            ColliderShape::Plane { point: p, normal } => Self {
                kind: WorldKind::Plane,
                place: point(p),
                along: world_normal(linear, normal),
                radius: 0.0,
            },
        }
    }

    /// Where a sphere of `radius` around `point` is pushed to; `None` if it does not touch the collider. Both points are
    /// relative to `origin`.
    #[inline]
    pub(super) fn push(&self, origin: DVec3, point: Vec3, radius: f32) -> Option<Vec3> {
        let mut from = point - (self.place - origin).as_vec3();
        if self.kind == WorldKind::Plane {
            let distance = from.dot(self.along) - radius;
            return (distance < 0.0).then(|| point - self.along * distance);
        }
        let along = self.along.length_squared();
        if along > 0.0 {
            from -= self.along * (self.along.dot(from) / along).clamp(0.0, 1.0);
        }
        let length = from.length();
        // In the very middle there is no direction to push to.
        let unit = if length > 0.0 { from / length } else { Vec3::ZERO };
        match self.kind {
            WorldKind::Inside => {
                let distance = self.radius - radius - length;
                (distance < 0.0).then(|| point + unit * distance)
            }
            WorldKind::Outside | WorldKind::Plane => {
                let distance = length - radius - self.radius;
                (distance < 0.0).then(|| point - unit * distance)
            }
        }
    }
}

/// The largest scale of the three axes.
pub(super) fn largest_scale(m: &Mat3A) -> f32 {
    let squared = m.x_axis.length_squared().max(m.y_axis.length_squared()).max(m.z_axis.length_squared());
    squared.sqrt()
}

/// A unit normal transformed by the inverse transpose; zero where the matrix has none.
fn world_normal(m: &Mat3A, normal: Vec3) -> Vec3 {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let sign = if x.dot(y.cross(z)) < 0.0 { -1.0 } else { 1.0 };
    let normal = Vec3A::from(normal) * sign;
    let turned = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    Vec3::from(turned).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(shape: ColliderShape) -> WorldShape {
        let turned = Mat3A::from_rotation_z(std::f32::consts::FRAC_PI_2);
        WorldShape::new(&shape, &(turned * 2.0), DVec3::X, true)
    }

    #[test]
    fn every_shape_pushes_to_its_own_side() {
        let near = |a: Option<Vec3>, b: Vec3| assert!(a.unwrap().distance(b) < 1e-5, "{a:?} {b}");
        let sphere = |is_inside| world(ColliderShape::Sphere { center: Vec3::Y, radius: 0.5, is_inside });
        // The center is at (1 - 2, 0, 0), the radius is 1.
        near(sphere(false).push(DVec3::ZERO, Vec3::new(-1.0, 0.5, 0.0), 0.25), Vec3::new(-1.0, 1.25, 0.0));
        assert_eq!(sphere(false).push(DVec3::ZERO, Vec3::new(-1.0, 1.3, 0.0), 0.25), None);
        near(sphere(true).push(DVec3::ZERO, Vec3::new(-1.0, 3.0, 0.0), 0.25), Vec3::new(-1.0, 0.75, 0.0));
        assert_eq!(sphere(true).push(DVec3::ZERO, Vec3::new(-1.0, 0.7, 0.0), 0.25), None);
        let capsule =
            ColliderShape::Capsule { start: Vec3::ZERO, end: Vec3::X, radius: 0.1, is_inside: false };
        near(world(capsule).push(DVec3::ZERO, Vec3::new(1.1, 1.0, 0.0), 0.1), Vec3::new(1.3, 1.0, 0.0));
        near(world(capsule).push(DVec3::ZERO, Vec3::new(1.0, 2.1, 0.0), 0.0), Vec3::new(1.0, 2.2, 0.0));
        let plane = ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::X };
        near(world(plane).push(DVec3::ZERO, Vec3::new(7.0, -1.0, 3.0), 0.5), Vec3::new(7.0, 0.5, 3.0));
    }

    #[test]
    fn the_middle_of_a_sphere_pushes_nowhere_and_nothing_is_nan() {
        let sphere = ColliderShape::Sphere { center: Vec3::ZERO, radius: 0.5, is_inside: false };
        assert_eq!(world(sphere).push(DVec3::ZERO, Vec3::X, 0.0), Some(Vec3::X));
        assert_eq!(WorldShape::NOWHERE.push(DVec3::ZERO, Vec3::X, 1.0), None);
        let flat = Mat3A::from_diagonal(Vec3::X);
        let plane = ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::Y };
        assert!(
            WorldShape::new(&plane, &flat, DVec3::ZERO, false)
                .push(DVec3::ZERO, Vec3::NEG_Y, 0.1)
                .unwrap()
                .is_finite()
        );
    }
}
