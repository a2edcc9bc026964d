use sinew::Aabb;

use crate::camera::{Camera, CameraLens, Orbit};
use crate::glam::Vec3;

/// Points of all poses together that [`Camera::framing`] works on.
const MAX_POINTS: usize = 200_000;

/// Collects what must be in the picture over all poses of a film.
pub(super) struct FilmFraming {
    poses: usize,
    bounds: Aabb,
    points: Vec<Vec3>,
}

impl FilmFraming {
    pub(super) fn new(poses: usize) -> Self {
        Self { poses, bounds: Aabb::EMPTY, points: Vec::new() }
    }

    /// Adds the points of one pose, moved back by its travel.
    pub(super) fn add(&mut self, mut points: Vec<Vec3>, travel: Vec3) {
        points.iter_mut().for_each(|point| *point -= travel);
        self.bounds = self.bounds.union(Aabb::of_points(&points));
        // Thousands of points per pose add up over a long clip; a regular subset frames it as well.
        let step = (points.len() * self.poses).div_ceil(MAX_POINTS).max(1);
        self.points.extend(points.into_iter().step_by(step));
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.bounds
    }

    pub(super) fn camera(self, orbit: Orbit, lens: CameraLens) -> Camera {
        Camera::framing(self.points, orbit, lens)
    }
}
