//! Where the picture is taken from.

use std::f32::consts::FRAC_PI_2;

use crate::glam::{Mat3, Mat4, Vec2, Vec3, Vec4};

/// How distance becomes size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Far things look smaller; the field of view is the full vertical angle in radians.
    Perspective {
        /// Full vertical angle in radians.
        fov_y_radians: f32,
    },
    /// Parallel rays; the picture is `height` metres tall.
    Orthographic {
        /// Metres from the lower to the upper edge of the picture.
        height: f32,
    },
}

/// A camera that looks from `eye` at `target`, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera stands.
    pub eye: Vec3,
    /// What it looks at, and what it orbits around.
    pub target: Vec3,
    /// The direction that points up in the picture; need not be perpendicular or unit.
    pub up: Vec3,
    /// Perspective or parallel.
    pub projection: Projection,
    /// Nothing nearer than this many metres is drawn in perspective.
    pub near: f32,
}

/// The direction a picture is taken from, as angles around the subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Radians around +Y; 0 looks at the subject's +Z face, positive values stand towards its +X side.
    pub yaw_radians: f32,
    /// Radians above the horizon, within ±π/2.
    pub pitch_radians: f32,
}

impl Orbit {
    /// The subject's front.
    pub const FRONT: Self = Self { yaw_radians: 0.0, pitch_radians: 0.0 };
    /// The subject's left side seen from +X.
    pub const SIDE: Self = Self { yaw_radians: FRAC_PI_2, pitch_radians: 0.0 };
    /// A three-quarter view from slightly above: the picture for a front page.
    pub const THREE_QUARTER: Self = Self { yaw_radians: 0.6, pitch_radians: 0.24 };

    /// Angles in degrees.
    pub fn degrees(yaw: f32, pitch: f32) -> Self {
        Self { yaw_radians: yaw.to_radians(), pitch_radians: pitch.to_radians() }
    }

    /// The unit vector from the subject towards the camera.
    pub fn direction(self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw_radians.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch_radians.sin_cos();
        Vec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch)
    }
}

/// The lens and format that [`Camera::framing`] fits a subject into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraLens {
    /// Full vertical angle in radians.
    pub fov_y_radians: f32,
    /// Width divided by height of the picture.
    pub aspect: f32,
    /// Part of the half picture left free on each side, 0 to 0.9.
    pub margin: f32,
}

impl Default for CameraLens {
    fn default() -> Self {
        Self { fov_y_radians: 0.5, aspect: 1.0, margin: 0.08 }
    }
}

/// A half line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Unit direction.
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
    /// A perspective camera, seen from `orbit`, in which all `points` just fit with the lens's margin.
    ///
    /// The fit is exact: the outermost points touch the margin. Points that are not finite are passed over;
    /// without any point the camera frames a one-metre cube at the origin.
    pub fn framing(points: impl IntoIterator<Item = Vec3>, orbit: Orbit, lens: CameraLens) -> Self {
        let towards = orbit.direction();
        let up = if orbit.pitch_radians.cos().abs() < 1e-3 {
            Vec3::new(-orbit.yaw_radians.sin(), 0.0, -orbit.yaw_radians.cos()) * orbit.pitch_radians.signum()
        } else {
            Vec3::Y
        };
        let axes = view_axes(towards, up);
        let tan_y = (lens.fov_y_radians.clamp(0.01, 3.0) * 0.5).tan();
        let tan_x = tan_y * lens.aspect.clamp(0.01, 100.0);
        let free = 1.0 - lens.margin.clamp(0.0, 0.9);
        let mut places: Vec<Vec3> = points
            .into_iter()
            .filter(|point| point.is_finite())
            .map(|point| axes.transpose() * point)
            .collect();
        if places.is_empty() {
            places.extend(
                box_corners(Vec3::splat(-0.5), Vec3::splat(0.5)).map(|corner| axes.transpose() * corner),
            );
        }
        let (eye, depth) = fit(&places, Vec2::new(tan_x, tan_y) * free);
        Self {
            eye: axes * eye,
            target: axes * (eye - Vec3::Z * depth),
            up,
            projection: Projection::Perspective { fov_y_radians: lens.fov_y_radians.clamp(0.01, 3.0) },
            near: (depth * 1e-3).max(1e-6),
        }
    }

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

    /// Moves the eye towards (below 1) or away from (above 1) the target by a factor.
    pub fn zoom(&mut self, factor: f32) {
        let factor = if factor.is_finite() { factor.clamp(0.01, 100.0) } else { 1.0 };
        self.eye = self.target + (self.eye - self.target) * factor;
        self.near *= factor;
        if let Projection::Orthographic { height } = &mut self.projection {
            *height *= factor;
        }
    }

    /// Slides eye and target so that the target moves by a share of the picture's height, right and up.
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
    /// of its precision. In a parallel projection it falls linearly and may pass zero.
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

    /// Where a point is seen, from (-1, -1) lower left to (1, 1) upper right; `None` behind the camera.
    pub fn place(&self, point: Vec3, aspect: f32) -> Option<Vec2> {
        let clip = self.clip_from_view(aspect) * self.view_from_world() * point.extend(1.0);
        let place = clip.truncate().truncate() / clip.w;
        (clip.w > 0.0 && place.is_finite()).then_some(place)
    }

    /// Metres across half the picture's height, as far away as `point` is.
    pub fn half_height_at(&self, point: Vec3) -> f32 {
        match self.projection {
            Projection::Perspective { fov_y_radians } => {
                let depth = (self.eye - point).dot(self.axes().z_axis);
                depth.abs().max(self.near) * (fov_y_radians.clamp(0.01, 3.0) * 0.5).tan()
            }
            Projection::Orthographic { height } => height * 0.5,
        }
    }

    /// The ray through a place of the picture; `place` runs from (-1, -1) lower left to (1, 1) upper right.
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

/// The eight corners of an axis-aligned box, for [`Camera::framing`].
pub fn box_corners(min: Vec3, max: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        Vec3::new(
            if corner & 1 == 0 { min.x } else { max.x },
            if corner & 2 == 0 { min.y } else { max.y },
            if corner & 4 == 0 { min.z } else { max.z },
        )
    })
}

fn view_axes(backward: Vec3, up: Vec3) -> Mat3 {
    let z = backward.try_normalize().unwrap_or(Vec3::Z);
    let x = up.cross(z).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    Mat3::from_cols(x, z.cross(x), z)
}

/// The nearest eye from which all places lie inside a frustum of fixed direction, and its distance to their
/// middle; all in camera axes.
///
/// A place (x, y, z) is inside when |x - ex| <= tx (ez - z). So each side plane needs only the largest value
/// of ±x + tx z, and the nearest eye that satisfies all four is the exact fit.
fn fit(places: &[Vec3], tan: Vec2) -> (Vec3, f32) {
    let none = Vec2::splat(f32::NEG_INFINITY);
    let (mut right, mut left) = (none, none);
    let (mut nearest, mut farthest) = (f32::NEG_INFINITY, f32::INFINITY);
    for place in places {
        let across = place.truncate();
        right = right.max(across + tan * place.z);
        left = left.max(tan * place.z - across);
        nearest = nearest.max(place.z);
        farthest = farthest.min(place.z);
    }
    let needed = ((right + left) / (2.0 * tan)).max_element();
    // A single point has no size: stand one metre away rather than inside it.
    let z = if needed - nearest < 1e-6 { nearest + 1.0 } else { needed };
    let across = centred(places, (right - left) * 0.5, z);
    (across.extend(z), (z - 0.5 * (nearest + farthest)).max(1e-6))
}

/// Moves the eye sideways until the places reach equally far to both sides of the picture.
///
/// The fit leaves room along one axis; near places fill more of it than far ones, so the middle of the
/// subject is not the middle of the picture.
fn centred(places: &[Vec3], across: Vec2, z: f32) -> Vec2 {
    let axis = |axis: usize| {
        let mut eye = across[axis];
        for _ in 0..8 {
            // What is seen farthest to both sides, and how far away it is.
            let (mut low, mut high) = ([f32::INFINITY, 1.0], [f32::NEG_INFINITY, 1.0]);
            for place in places {
                let depth = (z - place.z).max(1e-6);
                let seen = (place[axis] - eye) / depth;
                if seen < low[0] {
                    low = [seen, depth];
                }
                if seen > high[0] {
                    high = [seen, depth];
                }
            }
            // Newton's step: exact as long as the same two places stay the extremes.
            eye += (low[0] + high[0]) / (1.0 / low[1] + 1.0 / high[1]);
        }
        eye
    };
    Vec2::new(axis(0), axis(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(camera: &Camera, aspect: f32, point: Vec3) -> Vec2 {
        let clip = camera.clip_from_view(aspect) * camera.view_from_world() * point.extend(1.0);
        clip.truncate().truncate() / clip.w
    }

    #[test]
    fn framing_fills_the_picture_to_the_margin_and_not_beyond() {
        let corners = box_corners(Vec3::new(-0.4, 0.0, -0.2), Vec3::new(0.5, 1.8, 0.3));
        for (yaw, pitch, aspect) in
            [(0.0, 0.0, 1.0), (40.0, 20.0, 1.0), (200.0, -35.0, 2.0), (10.0, 90.0, 0.5)]
        {
            let lens = CameraLens { fov_y_radians: 0.6, aspect, margin: 0.1 };
            let camera = Camera::framing(corners, Orbit::degrees(yaw, pitch), lens);
            let extreme = corners
                .iter()
                .map(|&corner| project(&camera, aspect, corner).abs().max_element())
                .fold(0.0, f32::max);
            assert!((extreme - 0.9).abs() < 1e-3, "{yaw} {pitch} reaches {extreme}");
        }
    }

    #[test]
    fn a_subject_that_leaves_room_stands_in_the_middle_of_the_picture() {
        // A long plank seen from its end: near and far corners differ much in size.
        let corners = box_corners(Vec3::new(-2.0, 0.0, -0.2), Vec3::new(2.0, 0.5, 0.2));
        let lens = CameraLens { fov_y_radians: 0.8, aspect: 1.0, margin: 0.1 };
        let camera = Camera::framing(corners, Orbit::degrees(35.0, 25.0), lens);
        let (low, high) =
            corners.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &corner| {
                let place = project(&camera, 1.0, corner);
                (low.min(place), high.max(place))
            });
        assert!((low + high).abs().max_element() < 2e-3, "{low} {high}");
        assert!((high.max_element() - 0.9).abs() < 1e-3);
    }

    #[test]
    fn framing_survives_no_points_one_point_and_nan() {
        for points in [vec![], vec![Vec3::ONE], vec![Vec3::NAN, Vec3::INFINITY]] {
            let camera = Camera::framing(points, Orbit::THREE_QUARTER, CameraLens::default());
            assert!(camera.eye.is_finite() && camera.target.is_finite() && camera.near > 0.0);
        }
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
