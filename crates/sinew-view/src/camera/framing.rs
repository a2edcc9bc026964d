//! Cameras that fit a subject into the picture.

use super::{Camera, Orbit, Projection, view_axes};
use crate::glam::{Vec2, Vec3};

/// Field of view, aspect ratio and margin that [`Camera::framing`] fits a subject into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraLens {
    /// Full vertical field of view in radians.
    pub fov_y_radians: f32,
    /// Width divided by height of the picture.
    pub aspect: f32,
    /// Fraction of the half picture left free on each side, 0 to 0.9.
    pub margin: f32,
}

impl Default for CameraLens {
    fn default() -> Self {
        Self { fov_y_radians: 0.5, aspect: 1.0, margin: 0.08 }
    }
}

impl Camera {
    /// A perspective camera that looks from `orbit` and fits all `points` within the lens's margin.
    ///
    /// The fit is exact: the outermost points touch the margin. Points that are not finite are ignored;
    /// without points the camera frames a cube of one meter at the origin.
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

/// The nearest eye from which all places lie inside a frustum of fixed direction, and its distance to their
/// middle; all in camera axes.
///
/// A place (x, y, z) is inside if |x - ex| <= tx (ez - z). So each side plane needs only the largest value
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
    // A single point has no size: stand one meter away rather than inside it.
    let z = if needed - nearest < 1e-6 { nearest + 1.0 } else { needed };
    let across = centered(places, (right - left) * 0.5, z);
    (across.extend(z), (z - 0.5 * (nearest + farthest)).max(1e-6))
}

/// Moves the eye sideways until the places reach equally far to both sides of the picture.
///
/// The fit leaves room along one axis; near places fill more of it than far ones, so the middle of the
/// subject is not the middle of the picture.
fn centered(places: &[Vec3], across: Vec2, z: f32) -> Vec2 {
    let axis = |axis: usize| {
        let mut eye = across[axis];
        for _ in 0..8 {
            // The outermost tangent to each side, and the depth of its place.
            let (mut low, mut high) = ([f32::INFINITY, 1.0], [f32::NEG_INFINITY, 1.0]);
            for place in places {
                let depth = (z - place.z).max(1e-6);
                let tangent = (place[axis] - eye) / depth;
                if tangent < low[0] {
                    low = [tangent, depth];
                }
                if tangent > high[0] {
                    high = [tangent, depth];
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
        camera.place(point, aspect).unwrap()
    }

    #[test]
    fn framing_fills_the_picture_up_to_the_margin() {
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
    fn a_subject_that_leaves_room_is_centered() {
        // A long plank viewed from its end: near and far corners differ much in size.
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
}
