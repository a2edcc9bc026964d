//! What a drag from one place of the picture to another means.

use super::{Gizmo, Handle, ProjectedGizmo};
use crate::glam::{Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Below this cosine between a ring's axis and the line of sight a ring is a line: the pointer is followed along it.
const EDGE_ON: f32 = 0.25;

impl Gizmo {
    /// How far a drag turns a ring, counter-clockwise seen against its axis, within half a turn either way.
    ///
    /// The pointer is followed around the ring; where the ring is seen from its edge, along it. `None` where the middle is not
    /// before the camera.
    pub fn turn_radians(&self, handle: Handle, seen: &ProjectedGizmo, from: Vec2, to: Vec2) -> Option<f32> {
        let axis = self.axis(handle, &seen.camera);
        let sight = seen.camera.ray(seen.camera.place(self.origin, seen.aspect)?, seen.aspect).direction;
        if axis.dot(sight).abs() < EDGE_ON {
            return self.turn_along_edge(axis, seen, from, to);
        }
        let spoke = |place| Some((self.meet(axis, seen, place)? - self.origin).reject_from_normalized(axis));
        let (first, last) = (spoke(from)?, spoke(to)?);
        let angle = axis.dot(first.cross(last)).atan2(first.dot(last));
        angle.is_finite().then_some(angle)
    }

    /// The pointer's way along the line that the ring looks like, as an angle.
    fn turn_along_edge(&self, axis: Vec3, seen: &ProjectedGizmo, from: Vec2, to: Vec2) -> Option<f32> {
        let towards = seen.camera.axes().z_axis;
        // The near point of the ring moves along this when it turns.
        let near = towards.reject_from_normalized(axis).normalize_or(axis.any_orthonormal_vector());
        let along = axis.cross(near) * self.radius;
        let middle = seen.even(self.origin)?;
        let step = seen.even(self.origin + along)? - middle;
        let angle = (seen.evened(to) - seen.evened(from)).dot(step) / step.length_squared();
        angle.is_finite().then_some(angle.clamp(-PI, PI))
    }

    /// How far a drag moves, in world space: along the handle's axis, or across the line of sight.
    ///
    /// `None` where the pointer's ray and the axis say nothing about one another.
    pub fn shift(&self, handle: Handle, seen: &ProjectedGizmo, from: Vec2, to: Vec2) -> Option<Vec3> {
        let Some(axis) = handle.axis().map(|axis| self.axes.col(axis)) else {
            let facing = seen.camera.axes().z_axis;
            return Some(self.meet(facing, seen, to)? - self.meet(facing, seen, from)?);
        };
        Some(axis * (self.along(axis, seen, to)? - self.along(axis, seen, from)?))
    }

    /// By which factor a drag scales: along the handle's axis, or evenly; always above 0.
    pub fn factor(&self, handle: Handle, seen: &ProjectedGizmo, from: Vec2, to: Vec2) -> Option<f32> {
        let factor = match handle.axis().map(|axis| self.axes.col(axis)) {
            Some(axis) => {
                let (first, last) = (self.along(axis, seen, from)?, self.along(axis, seen, to)?);
                1.0 + (last - first) / self.radius
            }
            // Right and up make larger.
            None => (seen.evened(to - from).element_sum() * 1.5).exp(),
        };
        factor.is_finite().then_some(factor.clamp(0.01, 100.0))
    }

    /// Where the pointer's ray meets the plane through the middle across `normal`.
    fn meet(&self, normal: Vec3, seen: &ProjectedGizmo, place: Vec2) -> Option<Vec3> {
        let ray = seen.camera.ray(place, seen.aspect);
        let distance = (self.origin - ray.origin).dot(normal) / ray.direction.dot(normal);
        distance.is_finite().then(|| ray.origin + ray.direction * distance)
    }

    /// How many metres along `axis` from the middle the pointer's ray passes it.
    fn along(&self, axis: Vec3, seen: &ProjectedGizmo, place: Vec2) -> Option<f32> {
        let ray = seen.camera.ray(place, seen.aspect);
        let across = axis.dot(ray.direction);
        let gap = 1.0 - across * across;
        // An axis along the line of sight runs through every depth at once.
        if gap < 1e-3 {
            return None;
        }
        let from = ray.origin - self.origin;
        let along = (from.dot(axis) - from.dot(ray.direction) * across) / gap;
        along.is_finite().then_some(along)
    }
}

/// The angle that equals `radians` but for whole turns and lies nearest to `near`: so a drag around a ring counts its turns.
pub fn unwound(radians: f32, near: f32) -> f32 {
    let turns = ((near - radians) / TAU).round();
    if turns.is_finite() { radians + turns * TAU } else { radians }
}

/// `radians` at the nearest multiple of `step`.
pub fn snapped(radians: f32, step: f32) -> f32 {
    let steps = (radians / step).round();
    if steps.is_finite() { steps * step } else { radians }
}
