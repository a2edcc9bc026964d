//! Rotation, translation and scale of a drag from one position in the picture to another.

use super::{Gizmo, GizmoView, Handle};
use crate::glam::{Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Below this cosine between a ring's axis and the line of sight the ring is edge-on, and a drag along it counts.
const EDGE_ON: f32 = 0.25;

impl Gizmo {
    /// The rotation of a drag along a ring in radians, counter-clockwise about its axis, within ±π.
    ///
    /// The pointer is followed around the ring, or along it if the ring is edge-on. `None` if the center is not in front of
    /// the camera.
    pub fn turn_radians(&self, handle: Handle, view: &GizmoView, from: Vec2, to: Vec2) -> Option<f32> {
        let axis = self.axis(handle, &view.camera);
        let line_of_sight =
            view.camera.ray(view.camera.place(self.origin, view.aspect)?, view.aspect).direction;
        if axis.dot(line_of_sight).abs() < EDGE_ON {
            return self.turn_along_edge(axis, view, from, to);
        }
        let spoke = |place| Some((self.meet(axis, view, place)? - self.origin).reject_from_normalized(axis));
        let (first, last) = (spoke(from)?, spoke(to)?);
        let angle = axis.dot(first.cross(last)).atan2(first.dot(last));
        angle.is_finite().then_some(angle)
    }

    /// The pointer's path along an edge-on ring as an angle.
    fn turn_along_edge(&self, axis: Vec3, view: &GizmoView, from: Vec2, to: Vec2) -> Option<f32> {
        let towards = view.camera.axes().z_axis;
        // The near point of the ring moves along this when it turns.
        let near = towards.reject_from_normalized(axis).normalize_or(axis.any_orthonormal_vector());
        let along = axis.cross(near) * self.radius;
        let middle = view.even(self.origin)?;
        let step = view.even(self.origin + along)? - middle;
        let angle = (view.evened(to) - view.evened(from)).dot(step) / step.length_squared();
        angle.is_finite().then_some(angle.clamp(-PI, PI))
    }

    /// The translation of a drag in world space: along the handle's axis, or in the view plane.
    ///
    /// `None` if the pointer's ray is parallel to the axis or does not meet the plane.
    pub fn shift(&self, handle: Handle, view: &GizmoView, from: Vec2, to: Vec2) -> Option<Vec3> {
        let Some(axis) = handle.axis().map(|axis| self.axes.col(axis)) else {
            let facing = view.camera.axes().z_axis;
            return Some(self.meet(facing, view, to)? - self.meet(facing, view, from)?);
        };
        Some(axis * (self.along(axis, view, to)? - self.along(axis, view, from)?))
    }

    /// The scale factor of a drag: along the handle's axis, or uniform; always above 0.
    pub fn factor(&self, handle: Handle, view: &GizmoView, from: Vec2, to: Vec2) -> Option<f32> {
        let factor = match handle.axis().map(|axis| self.axes.col(axis)) {
            Some(axis) => {
                let (first, last) = (self.along(axis, view, from)?, self.along(axis, view, to)?);
                1.0 + (last - first) / self.radius
            }
            // A drag right or up enlarges.
            None => (view.evened(to - from).element_sum() * 1.5).exp(),
        };
        factor.is_finite().then_some(factor.clamp(0.01, 100.0))
    }

    /// The intersection of the pointer's ray with the plane through the center that has `normal`.
    fn meet(&self, normal: Vec3, view: &GizmoView, place: Vec2) -> Option<Vec3> {
        let ray = view.camera.ray(place, view.aspect);
        let distance = (self.origin - ray.origin).dot(normal) / ray.direction.dot(normal);
        distance.is_finite().then(|| ray.origin + ray.direction * distance)
    }

    /// The point on `axis` closest to the pointer's ray, in meters from the center.
    fn along(&self, axis: Vec3, view: &GizmoView, place: Vec2) -> Option<f32> {
        let ray = view.camera.ray(place, view.aspect);
        let across = axis.dot(ray.direction);
        let gap = 1.0 - across * across;
        // An axis along the line of sight has no closest point.
        if gap < 1e-3 {
            return None;
        }
        let from = ray.origin - self.origin;
        let along = (from.dot(axis) - from.dot(ray.direction) * across) / gap;
        along.is_finite().then_some(along)
    }
}

/// The angle equivalent to `radians` that is nearest to `near`, so that a drag around a ring counts full turns.
pub fn unwound(radians: f32, near: f32) -> f32 {
    let turns = ((near - radians) / TAU).round();
    if turns.is_finite() { radians + turns * TAU } else { radians }
}

/// `radians` rounded to the nearest multiple of `step`.
pub fn snapped(radians: f32, step: f32) -> f32 {
    let steps = (radians / step).round();
    if steps.is_finite() { steps * step } else { radians }
}
