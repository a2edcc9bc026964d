//! Gizmos: rings to rotate, arrows to move and boxes to scale with the pointer.
//!
//! A [`Gizmo`] computes its lines, the handle under the pointer, and the rotation, translation or scale of a drag from one
//! position in the picture to another. Drawing it and applying the result are up to the caller.
//!
//! ```
//! use sinew_view::camera::{Camera, CameraLens, Orbit};
//! use sinew_view::gizmo::{Gizmo, GizmoShape, GizmoView, Handle};
//! use sinew_view::glam::{Mat3, Vec2, Vec3};
//!
//! let camera = Camera::framing([Vec3::ZERO, Vec3::ONE], Orbit::FRONT, CameraLens::default());
//! let view = GizmoView { camera, aspect: 1.0 };
//! let rings = Gizmo::new(GizmoShape::Rings, Vec3::splat(0.5), Mat3::IDENTITY, &view.camera, 0.4);
//! // The ring about Z faces the camera: a drag from its upper right up and to the left rotates it counter-clockwise.
//! let on = view.camera.place(rings.origin, view.aspect).unwrap() + Vec2::splat(0.283);
//! assert_eq!(rings.handle_at(&view, on, 0.03), Some(Handle::Z));
//! assert!(rings.turn_radians(Handle::Z, &view, on, on + Vec2::new(-0.07, 0.07)).unwrap() > 0.2);
//! ```

mod drag;
#[cfg(test)]
mod tests;

pub use drag::{snapped, unwound};

use crate::{
    camera::Camera,
    glam::{Mat3, Vec2, Vec3},
};

/// Points per full ring.
const RING_POINTS: u16 = 64;
/// Radius of the ring that faces the camera, relative to the others.
const VIEW_RING: f32 = 1.18;
/// Half the side of the square in the middle, relative to the gizmo's radius.
const MIDDLE: f32 = 0.12;

/// The kind of handles and what they edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GizmoShape {
    /// Rings that rotate, and a larger one that faces the camera.
    #[default]
    Rings,
    /// Arrows that move along an axis, and a square that moves in the view plane.
    Arrows,
    /// Arms that scale along an axis, and a square that scales uniformly.
    Arms,
}

/// A handle of a gizmo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle {
    /// About or along the first axis.
    X,
    /// About or along the second axis.
    Y,
    /// About or along the third axis.
    Z,
    /// About the line of sight, or in the view plane.
    View,
}

impl Handle {
    /// All handles, in drawing order.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::View];

    /// Index of the handle's axis; `None` for the handle that faces the camera.
    pub const fn axis(self) -> Option<usize> {
        match self {
            Self::X => Some(0),
            Self::Y => Some(1),
            Self::Z => Some(2),
            Self::View => None,
        }
    }
}

/// The view that a gizmo is used in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GizmoView {
    /// Camera of the view, in world space.
    pub camera: Camera,
    /// Width divided by height of the picture.
    pub aspect: f32,
}

impl GizmoView {
    /// The position of a point in units of half the picture's height, so that both directions have the same scale.
    fn even(&self, point: Vec3) -> Option<Vec2> {
        self.camera.place(point, self.aspect).map(|place| self.evened(place))
    }

    fn evened(&self, place: Vec2) -> Vec2 {
        Vec2::new(place.x * self.aspect, place.y)
    }
}

/// Handles around a point in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// The kind of handles and what they edit.
    pub shape: GizmoShape,
    /// Center of the gizmo in world space.
    pub origin: Vec3,
    /// Unit axes as columns, in world space.
    pub axes: Mat3,
    /// Meters from the middle to the rings or the ends of the arrows.
    pub radius: f32,
}

/// The line that shows a handle.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleLine {
    /// Points of the line in world space.
    pub points: Vec<Vec3>,
    /// For each segment, whether it lies on the camera's side of the center.
    pub is_near: Vec<bool>,
}

impl Gizmo {
    /// A gizmo whose radius is the fraction `size` of half the picture's height at any distance.
    pub fn new(shape: GizmoShape, origin: Vec3, axes: Mat3, camera: &Camera, size: f32) -> Self {
        Self { shape, origin, axes, radius: size * camera.half_height_at(origin) }
    }

    /// The unit axis of a handle in world space; for the handle that faces the camera, the direction towards it.
    pub fn axis(&self, handle: Handle, camera: &Camera) -> Vec3 {
        handle.axis().map_or(camera.axes().z_axis, |axis| self.axes.col(axis))
    }

    /// The line that shows a handle.
    pub fn line(&self, handle: Handle, camera: &Camera) -> HandleLine {
        let points = match (self.shape, handle.axis()) {
            (GizmoShape::Rings, _) => self.ring(handle, camera),
            (_, Some(axis)) => {
                let along = self.axes.col(axis) * self.radius;
                vec![self.origin + along * MIDDLE, self.origin + along]
            }
            (_, None) => {
                let (right, up) = (camera.axes().x_axis * self.radius, camera.axes().y_axis * self.radius);
                let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)];
                corners.map(|(x, y)| self.origin + (right * x + up * y) * MIDDLE).to_vec()
            }
        };
        let is_ring = self.shape == GizmoShape::Rings && handle != Handle::View;
        let towards = camera.axes().z_axis;
        let near = |pair: &[Vec3]| !is_ring || (pair[0] + pair[1] - 2.0 * self.origin).dot(towards) >= 0.0;
        let is_near = points.windows(2).map(near).collect();
        HandleLine { points, is_near }
    }

    fn ring(&self, handle: Handle, camera: &Camera) -> Vec<Vec3> {
        let axis = self.axis(handle, camera);
        let first = axis.any_orthonormal_vector();
        self.arc(handle, camera, first, std::f32::consts::TAU)
    }

    /// An arc about an axis: from the direction `first`, made perpendicular to the axis, through `radians`.
    pub fn arc(&self, handle: Handle, camera: &Camera, first: Vec3, radians: f32) -> Vec<Vec3> {
        let axis = self.axis(handle, camera);
        let first = first.reject_from_normalized(axis).normalize_or(axis.any_orthonormal_vector());
        let (first, second) = (first, axis.cross(first));
        let radius = self.radius * if handle == Handle::View { VIEW_RING } else { 1.0 };
        let at = |point: u16| {
            let (sin, cos) = (radians * f32::from(point) / f32::from(RING_POINTS)).sin_cos();
            self.origin + (first * cos + second * sin) * radius
        };
        (0..=RING_POINTS).map(at).collect()
    }

    /// The handle nearest to `place` within the distance `within`, in units of half the picture's height.
    ///
    /// Only the near side of a ring can be grabbed: the far side lies behind the object.
    pub fn handle_at(&self, view: &GizmoView, place: Vec2, within: f32) -> Option<Handle> {
        let pointer = view.evened(place);
        let distance = |handle: &Handle| {
            let line = self.line(*handle, &view.camera);
            let stretches = line.points.windows(2).zip(&line.is_near).filter(|(_, near)| **near);
            let far = stretches.filter_map(|(ends, _)| {
                Some(distance_to_segment(pointer, view.even(ends[0])?, view.even(ends[1])?))
            });
            let far = far.fold(f32::INFINITY, f32::min);
            if *handle == Handle::View && self.shape != GizmoShape::Rings && self.is_in_middle(view, pointer)
            {
                return 0.0;
            }
            far
        };
        let near = Handle::ALL.into_iter().map(|handle| (distance(&handle), handle));
        near.filter(|(far, _)| *far <= within).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, handle)| handle)
    }

    fn is_in_middle(&self, view: &GizmoView, pointer: Vec2) -> bool {
        let half = MIDDLE * self.radius / view.camera.half_height_at(self.origin);
        view.even(self.origin).is_some_and(|middle| (pointer - middle).abs().max_element() <= half)
    }
}

fn distance_to_segment(point: Vec2, from: Vec2, to: Vec2) -> f32 {
    let way = to - from;
    let fraction = (point - from).dot(way) / way.length_squared();
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + way * fraction)
}
