//! Cameras: projection, orbit, framing, picking rays, and following a character that travels.

mod follow;
mod framing;
mod orbit;

use std::f32::consts::FRAC_PI_2;

use crate::glam::{Mat3, Mat4, Vec2, Vec3, Vec4};

pub use follow::CameraFollow;
pub use framing::{CameraLens, box_corners};
pub use orbit::Orbit;

/// How a camera maps view space to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Distant objects look smaller.
    Perspective {
        /// Full vertical field of view in radians.
        fov_y_radians: f32,
    },
    /// Size does not depend on distance.
    Orthographic {
        /// Meters from the lower to the upper edge of the picture.
        height: f32,
    },
}

/// A camera that looks from `eye` at `target`, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The camera's position in world space, in meters.
    pub eye: Vec3,
    /// The point it looks at and orbits around, in world space.
    pub target: Vec3,
    /// The world direction that points up in the picture; need not be perpendicular or of unit length.
    pub up: Vec3,
    /// Perspective or orthographic projection.
    pub projection: Projection,
    /// Distance of the near plane in meters; only a perspective projection clips at it.
    pub near: f32,
}

/// A half line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start point in world space.
    pub origin: Vec3,
    /// Direction in world space, of unit length.
    pub direction: Vec3,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            eye: Vec3::new(2.0, 2.0, 4.0),
            target: Vec3::new(0.0, 1.0, 0.0),
            up: Vec3::Y,
            projection: Projection::Perspective { fov_y_radians: 0.5 },
            near: 0.01,
        }
    }
}

impl Camera {
    /// Moves the eye around the target by angles in radians; the pitch stops short of the poles.
    pub fn orbit(&mut self, yaw_radians: f32, pitch_radians: f32) {
        let offset = self.eye - self.target;
        let distance = offset.length();
        if distance.is_nan() || distance <= 0.0 {
            return;
        }
        let limit = FRAC_PI_2 - 0.02;
        let pitch = (offset.y / distance).clamp(-1.0, 1.0).asin() + pitch_radians;
        let yaw = offset.x.atan2(offset.z) + yaw_radians;
        let orbit = Orbit { yaw_radians: yaw, pitch_radians: pitch.clamp(-limit, limit) };
        self.up = Vec3::Y;
        self.eye = self.target + orbit.direction() * distance;
    }

    /// Multiplies the distance to the target by `factor`: below 1 zooms in, above 1 zooms out.
    pub fn zoom(&mut self, factor: f32) {
        let factor = if factor.is_finite() { factor.clamp(0.01, 100.0) } else { 1.0 };
        self.eye = self.target + (self.eye - self.target) * factor;
        self.near *= factor;
        if let Projection::Orthographic { height } = &mut self.projection {
            *height *= factor;
        }
    }

    /// Moves eye and target right and up by `shift`, in fractions of the picture's height at the target.
    pub fn pan(&mut self, shift: Vec2) {
        let axes = self.axes();
        let height = match self.projection {
            Projection::Perspective { fov_y_radians } => {
                2.0 * (fov_y_radians * 0.5).tan() * (self.eye - self.target).length()
            }
            Projection::Orthographic { height } => height,
        };
        let step = (axes.x_axis * shift.x + axes.y_axis * shift.y) * height;
        self.eye += step;
        self.target += step;
    }

    /// The same camera with eye and target moved by `offset` in world space.
    #[must_use]
    pub fn moved_by(self, offset: Vec3) -> Self {
        Self { eye: self.eye + offset, target: self.target + offset, ..self }
    }

    /// The camera's right, up and backward unit vectors as columns; a degenerate camera looks along -Z.
    pub fn axes(&self) -> Mat3 {
        view_axes(self.eye - self.target, self.up)
    }

    /// World space to view space (X right, Y up, -Z forward).
    pub fn view_from_world(&self) -> Mat4 {
        let view_from_world = self.axes().transpose();
        Mat4::from_mat3(view_from_world) * Mat4::from_translation(-self.eye)
    }

    /// View space to clip space for a picture of the given width over height.
    ///
    /// Depth is reversed: `z / w` falls with distance and reaches zero at infinity, where a float has most
    /// of its precision. In an orthographic projection it falls linearly and may pass zero.
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        match self.projection {
            Projection::Perspective { fov_y_radians } => {
                let cot = 1.0 / (fov_y_radians.clamp(0.01, 3.0) * 0.5).tan();
                Mat4::from_cols(
                    Vec4::new(cot / aspect, 0.0, 0.0, 0.0),
                    Vec4::new(0.0, cot, 0.0, 0.0),
                    Vec4::new(0.0, 0.0, 0.0, -1.0),
                    Vec4::new(0.0, 0.0, self.near.max(1e-6), 0.0),
                )
            }
            Projection::Orthographic { height } => {
                let scale = 2.0 / height.max(1e-6);
                let range = 100.0 * (self.eye - self.target).length().max(1e-3);
                Mat4::from_cols(
                    Vec4::new(scale / aspect, 0.0, 0.0, 0.0),
                    Vec4::new(0.0, scale, 0.0, 0.0),
                    Vec4::new(0.0, 0.0, 1.0 / range, 0.0),
                    Vec4::new(0.0, 0.0, 1.0, 1.0),
                )
            }
        }
    }

    /// The position of a world-space point in the picture, from (-1, -1) lower left to (1, 1) upper right; `None` for
    /// points behind the camera.
    pub fn place(&self, point: Vec3, aspect: f32) -> Option<Vec2> {
        let clip = self.clip_from_view(aspect) * self.view_from_world() * point.extend(1.0);
        let place = clip.truncate().truncate() / clip.w;
        (clip.w > 0.0 && place.is_finite()).then_some(place)
    }

    /// Meters that half the picture's height spans at the depth of `point`.
    pub fn half_height_at(&self, point: Vec3) -> f32 {
        match self.projection {
            Projection::Perspective { fov_y_radians } => {
                let depth = (self.eye - point).dot(self.axes().z_axis);
                depth.abs().max(self.near) * (fov_y_radians.clamp(0.01, 3.0) * 0.5).tan()
            }
            Projection::Orthographic { height } => height * 0.5,
        }
    }

    /// The ray through a position in the picture; `place` runs from (-1, -1) lower left to (1, 1) upper right.
    pub fn ray(&self, place: Vec2, aspect: f32) -> Ray {
        let axes = self.axes();
        match self.projection {
            Projection::Perspective { fov_y_radians } => {
                let tan = (fov_y_radians.clamp(0.01, 3.0) * 0.5).tan();
                let direction =
                    axes.x_axis * (place.x * tan * aspect) + axes.y_axis * (place.y * tan) - axes.z_axis;
                Ray { origin: self.eye, direction: direction.normalize_or(-axes.z_axis) }
            }
            Projection::Orthographic { height } => {
                let half = height * 0.5;
                let origin =
                    self.eye + axes.x_axis * (place.x * half * aspect) + axes.y_axis * (place.y * half);
                Ray { origin, direction: -axes.z_axis }
            }
        }
    }
}

fn view_axes(backward: Vec3, up: Vec3) -> Mat3 {
    let z = backward.try_normalize().unwrap_or(Vec3::Z);
    let x = up.cross(z).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    Mat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(camera: &Camera, aspect: f32, point: Vec3) -> Vec2 {
        let clip = camera.clip_from_view(aspect) * camera.view_from_world() * point.extend(1.0);
        clip.truncate().truncate() / clip.w
    }

    #[test]
    fn a_ray_goes_through_the_point_that_projects_to_its_place() {
        let mut camera = Camera::default();
        for _ in 0..2 {
            let point = Vec3::new(0.2, 1.3, -0.1);
            let ray = camera.ray(project(&camera, 1.5, point), 1.5);
            let along = (point - ray.origin).dot(ray.direction);
            assert!((ray.origin + ray.direction * along - point).length() < 1e-4);
            camera.projection = Projection::Orthographic { height: 3.0 };
        }
    }

    #[test]
    fn orbiting_keeps_the_distance_and_stops_at_the_pole() {
        let mut camera = Camera::default();
        let distance = (camera.eye - camera.target).length();
        camera.orbit(1.0, 9.0);
        assert!(((camera.eye - camera.target).length() - distance).abs() < 1e-4);
        assert!(camera.axes().determinant() > 0.99);
        assert!(camera.eye.y > camera.target.y);
    }

    #[test]
    fn a_camera_on_its_target_still_has_axes() {
        let camera = Camera { eye: Vec3::ONE, target: Vec3::ONE, ..Camera::default() };
        assert!(camera.view_from_world().is_finite());
    }
}
