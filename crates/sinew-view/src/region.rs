//! Points inside a region drawn over the picture, and points under a round brush.
//!
//! Positions in the picture run from (-1, -1) lower left to (1, 1) upper right, as for [`Camera::ray`].

mod depths;

pub use depths::Depths;

use crate::camera::Camera;
use crate::glam::{Mat4, Vec2, Vec3};

/// A selection region drawn over a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum ScreenRegion {
    /// A box between two corners, in any order.
    Box(Vec2, Vec2),
    /// The inside of a closed free-hand line, by the even-odd rule.
    Lasso(Vec<Vec2>),
}

impl ScreenRegion {
    /// Whether `place` is inside the region.
    pub fn contains(&self, place: Vec2) -> bool {
        match self {
            Self::Box(one, other) => {
                let (low, high) = (one.min(*other), one.max(*other));
                place.cmpge(low).all() && place.cmple(high).all()
            }
            Self::Lasso(line) => is_around(line, place),
        }
    }

    /// The bounding box of the region; `None` for a lasso without points.
    fn bounds(&self) -> Option<(Vec2, Vec2)> {
        match self {
            Self::Box(one, other) => Some((one.min(*other), one.max(*other))),
            Self::Lasso(line) => {
                let first = *line.first()?;
                Some(line.iter().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p))))
            }
        }
    }

    /// Indices of the points inside the region, whether visible or hidden.
    pub fn points(&self, camera: &Camera, aspect: f32, points: &[Vec3]) -> Vec<u32> {
        let Some((low, high)) = self.bounds() else { return Vec::new() };
        let view = Projected::new(camera, aspect);
        let is_inside = |point: &Vec3| {
            view.place(*point).is_some_and(|(place, _)| {
                place.cmpge(low).all() && place.cmple(high).all() && self.contains(place)
            })
        };
        let inside = points.iter().enumerate().filter(|(_, point)| is_inside(point));
        inside.map(|(number, _)| number as u32).collect()
    }
}

/// Even-odd rule: a ray to the right crosses the line an odd number of times from inside.
fn is_around(line: &[Vec2], place: Vec2) -> bool {
    let Some(&last) = line.last() else { return false };
    let mut is_inside = false;
    let mut from = last;
    for &to in line {
        if (from.y > place.y) != (to.y > place.y) {
            let across = from.x + (place.y - from.y) / (to.y - from.y) * (to.x - from.x);
            is_inside ^= place.x < across;
        }
        from = to;
    }
    is_inside
}

/// The points within `radius` of `center` with the brush's strength there, 1 at the center and 0 at `radius`.
pub fn under_brush(points: &[Vec3], center: Vec3, radius: f32) -> Vec<(u32, f32)> {
    let scale = 1.0 / (radius * radius).max(f32::MIN_POSITIVE);
    let touched = points.iter().enumerate().filter_map(|(number, point)| {
        let touch = 1.0 - point.distance_squared(center) * scale;
        (touch > 0.0).then_some((number as u32, touch))
    });
    touched.collect()
}

/// Removes the touched points whose normals face away from `eye`; keeps all if there are no normals.
pub fn keep_facing(touched: &mut Vec<(u32, f32)>, points: &[Vec3], normals: &[Vec3], eye: Vec3) {
    let faces = |number: usize| match (points.get(number), normals.get(number)) {
        (Some(point), Some(normal)) => normal.dot(eye - *point) >= 0.0,
        _ => true,
    };
    touched.retain(|(number, _)| faces(*number as usize));
}

/// Projects world space to positions in the picture.
struct Projected {
    clip_from_world: Mat4,
}

impl Projected {
    fn new(camera: &Camera, aspect: f32) -> Self {
        Self { clip_from_world: camera.clip_from_view(aspect) * camera.view_from_world() }
    }

    /// The position of a point in the picture, and its reversed depth: larger is nearer. `None` behind the camera.
    fn place(&self, point: Vec3) -> Option<(Vec2, f32)> {
        let clip = self.clip_from_world * point.extend(1.0);
        (clip.w > 1e-9 && clip.is_finite()).then(|| (clip.truncate().truncate() / clip.w, clip.z / clip.w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Projection;

    fn camera() -> Camera {
        Camera {
            eye: Vec3::new(0.0, 0.0, 5.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            projection: Projection::Orthographic { height: 2.0 },
            near: 0.01,
        }
    }

    #[test]
    fn a_box_contains_what_lies_between_its_corners_in_any_order() {
        let points = [Vec3::ZERO, Vec3::new(0.4, 0.4, -3.0), Vec3::new(0.6, 0.0, 0.0), Vec3::NAN];
        let (low, high) = (Vec2::splat(-0.1), Vec2::splat(0.5));
        for region in [ScreenRegion::Box(low, high), ScreenRegion::Box(high, low)] {
            assert_eq!(region.points(&camera(), 1.0, &points), [0, 1]);
        }
    }

    #[test]
    fn a_concave_lasso_contains_only_its_inside() {
        // The letter C: its mouth is outside.
        let line =
            [(0.0, 0.0), (1.0, 0.0), (1.0, 0.3), (0.3, 0.3), (0.3, 0.7), (1.0, 0.7), (1.0, 1.0), (0.0, 1.0)];
        let lasso = ScreenRegion::Lasso(line.iter().map(|&(x, y)| Vec2::new(x, y)).collect());
        assert!(lasso.contains(Vec2::new(0.1, 0.5)));
        assert!(lasso.contains(Vec2::new(0.8, 0.15)));
        assert!(!lasso.contains(Vec2::new(0.8, 0.5)), "in the mouth");
        assert!(!lasso.contains(Vec2::new(-0.1, 0.5)));
    }

    #[test]
    fn a_lasso_of_fewer_than_three_points_is_empty() {
        for line in [vec![], vec![Vec2::ZERO], vec![Vec2::ZERO, Vec2::ONE]] {
            assert_eq!(ScreenRegion::Lasso(line).points(&camera(), 1.0, &[Vec3::ZERO, Vec3::splat(0.5)]), []);
        }
    }

    #[test]
    fn points_behind_the_camera_are_in_no_region() {
        let camera = Camera { projection: Projection::Perspective { fov_y_radians: 1.0 }, ..camera() };
        let points = [Vec3::ZERO, Vec3::new(0.0, 0.0, 9.0)];
        assert_eq!(ScreenRegion::Box(-Vec2::ONE, Vec2::ONE).points(&camera, 1.0, &points), [0]);
    }

    #[test]
    fn a_brush_is_strongest_at_its_center_and_ends_at_its_radius() {
        let points = [Vec3::ZERO, Vec3::X * 0.5, Vec3::X, Vec3::X * 2.0];
        assert_eq!(under_brush(&points, Vec3::ZERO, 1.0), [(0, 1.0), (1, 0.75)]);
        assert_eq!(under_brush(&points, Vec3::ZERO, 0.0), [(0, 1.0)]);
    }

    #[test]
    fn a_brush_does_not_touch_the_back_of_a_thin_part() {
        let points = [Vec3::ZERO, Vec3::NEG_Z * 0.01];
        let mut touched = under_brush(&points, Vec3::ZERO, 1.0);
        keep_facing(&mut touched, &points, &[], Vec3::Z);
        assert_eq!(touched.len(), 2, "without normals every point is kept");
        keep_facing(&mut touched, &points, &[Vec3::Z, Vec3::NEG_Z], Vec3::Z);
        assert_eq!(touched, [(0, 1.0)]);
    }
}
