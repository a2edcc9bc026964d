//! Handles around a point that a pointer takes hold of: rings to turn by, arrows to move by, boxes to scale by.
//!
//! A [`Gizmo`] says where its lines run, which of them lies under the pointer, and what a drag from one place of the picture to
//! another means. Who draws it, and what is turned by it, is not its affair.
//!
//! ```
//! use sinew_view::{camera::{Camera, Orbit, Lens}, gizmo::{Gizmo, Handle, Seen, Shape}, glam::{Mat3, Vec2, Vec3}};
//!
//! let seen = Seen { camera: Camera::framing([Vec3::ZERO, Vec3::ONE], Orbit::FRONT, Lens::default()), aspect: 1.0 };
//! let rings = Gizmo::new(Shape::Rings, Vec3::splat(0.5), Mat3::IDENTITY, &seen.camera, 0.4);
//! // The ring about Z faces a camera in front: a pointer on its upper right that goes up and to the left turns it so.
//! let on = seen.camera.place(rings.origin, seen.aspect).unwrap() + Vec2::splat(0.283);
//! assert_eq!(rings.handle_at(&seen, on, 0.03), Some(Handle::Z));
//! assert!(rings.turn_radians(Handle::Z, &seen, on, on + Vec2::new(-0.07, 0.07)).unwrap() > 0.2);
//! ```

mod drag;
#[cfg(test)]
mod tests;

pub use drag::{snapped, unwound};

use crate::{
    camera::Camera,
    glam::{Mat3, Vec2, Vec3},
};

/// How many points a ring has.
const RING_POINTS: u16 = 64;
/// How much larger the ring that faces the camera is than the others.
const VIEW_RING: f32 = 1.18;
/// Half the side of the square in the middle, as a part of the radius.
const MIDDLE: f32 = 0.12;

/// What the handles do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GizmoShape {
    /// Rings to turn by, and a larger one that faces the camera.
    #[default]
    Rings,
    /// Arrows to move along, and a square in the middle to move across the line of sight.
    Arrows,
    /// Arms to scale along, and a square in the middle to scale evenly.
    Arms,
}

/// One of the handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle {
    /// About or along the first axis.
    X,
    /// About or along the second axis.
    Y,
    /// About or along the third axis.
    Z,
    /// About the line of sight, or across it.
    View,
}

impl Handle {
    /// Every handle.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::View];

    /// Which of the three axes it is of; none for the one that faces the camera.
    pub const fn axis(self) -> Option<usize> {
        match self {
            Self::X => Some(0),
            Self::Y => Some(1),
            Self::Z => Some(2),
            Self::View => None,
        }
    }
}

/// A camera and the shape of its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectedGizmo {
    /// The camera.
    pub camera: Camera,
    /// Width divided by height of the picture.
    pub aspect: f32,
}

impl ProjectedGizmo {
    /// Where a point is seen in units of half the picture's height, so that distances are the same both ways.
    fn even(&self, point: Vec3) -> Option<Vec2> {
        self.camera.place(point, self.aspect).map(|place| self.evened(place))
    }

    fn evened(&self, place: Vec2) -> Vec2 {
        Vec2::new(place.x * self.aspect, place.y)
    }
}

/// Handles around a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gizmo {
    /// What the handles do.
    pub shape: GizmoShape,
    /// The middle, in world space.
    pub origin: Vec3,
    /// Unit axes as columns, in world space.
    pub axes: Mat3,
    /// Metres from the middle to the rings or the ends of the arrows.
    pub radius: f32,
}

/// A line that a handle is drawn by.
#[derive(Clone, Debug, PartialEq)]
pub struct HandleLine {
    /// Points in world space, one after the other.
    pub points: Vec<Vec3>,
    /// Of each stretch between two points: whether it lies on the near side of the middle.
    pub is_near: Vec<bool>,
}

impl Gizmo {
    /// Handles that reach over `share` of half the picture's height, however far away the point is.
    pub fn new(shape: GizmoShape, origin: Vec3, axes: Mat3, camera: &Camera, share: f32) -> Self {
        Self { shape, origin, axes, radius: share * camera.half_height_at(origin) }
    }

    /// The axis of a handle: the one that it turns about or goes along, or the line of sight, towards the camera.
    pub fn axis(&self, handle: Handle, camera: &Camera) -> Vec3 {
        handle.axis().map_or(camera.axes().z_axis, |axis| self.axes.col(axis))
    }

    /// The line of a handle.
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

    /// Part of a ring: from the direction `first`, brought across the axis, through `radians` about it.
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

    /// The handle at most `within` of half the picture's height from `place`; the nearest of several.
    ///
    /// Of a ring only the near side can be held: the far side lies behind what it turns.
    pub fn handle_at(&self, seen: &ProjectedGizmo, place: Vec2, within: f32) -> Option<Handle> {
        let pointer = seen.evened(place);
        let distance = |handle: &Handle| {
            let line = self.line(*handle, &seen.camera);
            let stretches = line.points.windows(2).zip(&line.is_near).filter(|(_, near)| **near);
            let far = stretches.filter_map(|(ends, _)| {
                Some(distance_to_stretch(pointer, seen.even(ends[0])?, seen.even(ends[1])?))
            });
            let far = far.fold(f32::INFINITY, f32::min);
            if *handle == Handle::View && self.shape != GizmoShape::Rings && self.is_in_middle(seen, pointer)
            {
                return 0.0;
            }
            far
        };
        let near = Handle::ALL.into_iter().map(|handle| (distance(&handle), handle));
        near.filter(|(far, _)| *far <= within).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, handle)| handle)
    }

    fn is_in_middle(&self, seen: &ProjectedGizmo, pointer: Vec2) -> bool {
        let half = MIDDLE * self.radius / seen.camera.half_height_at(self.origin);
        seen.even(self.origin).is_some_and(|middle| (pointer - middle).abs().max_element() <= half)
    }
}

fn distance_to_stretch(point: Vec2, from: Vec2, to: Vec2) -> f32 {
    let way = to - from;
    let share = (point - from).dot(way) / way.length_squared();
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + way * share)
}
