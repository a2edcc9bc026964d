//! Clips triangles and lines at the near plane and at a guard band around the picture.

use crate::glam::{Vec3, Vec4};

/// A corner in clip space with its weights over the three corners of the mesh triangle it came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipCorner {
    pub(super) clip: Vec4,
    pub(super) weights: Vec3,
}

impl ClipCorner {
    fn between(self, other: Self, t: f32) -> Self {
        Self { clip: self.clip.lerp(other.clip, t), weights: self.weights.lerp(other.weights, t) }
    }
}

/// Screen coordinates stay within this many half pictures of the middle, which bounds the integers that the
/// coverage test multiplies.
const GUARD: f32 = 8.0;

const PLANES: usize = 5;

/// The distance of `clip` to each plane; negative is outside. `near` is the smallest w.
fn distances(clip: Vec4, near: f32) -> [f32; PLANES] {
    let reach = GUARD * clip.w;
    [clip.w - near, reach - clip.x, reach + clip.x, reach - clip.y, reach + clip.y]
}

/// Whether a corner needs no clipping.
pub(super) fn is_inside(clip: Vec4, near: f32) -> bool {
    distances(clip, near).iter().all(|&distance| distance >= 0.0)
}

/// Whether a triangle lies wholly beyond one side of the picture (with a little room for outlines).
pub(super) fn is_off_screen(corners: [Vec4; 3], near: f32) -> bool {
    let room = 1.1;
    corners.iter().all(|c| c.w < near)
        || corners.iter().all(|c| c.x > room * c.w)
        || corners.iter().all(|c| -c.x > room * c.w)
        || corners.iter().all(|c| c.y > room * c.w)
        || corners.iter().all(|c| -c.y > room * c.w)
}

/// The part of a triangle inside all planes: a convex polygon of up to eight corners, or none.
pub(super) fn polygon(triangle: [ClipCorner; 3], near: f32) -> Vec<ClipCorner> {
    let mut inside: Vec<ClipCorner> = triangle.to_vec();
    let mut cut = Vec::with_capacity(3 + PLANES);
    for plane in 0..PLANES {
        cut.clear();
        for (index, &corner) in inside.iter().enumerate() {
            let next = inside[(index + 1) % inside.len()];
            let (here, there) = (distances(corner.clip, near)[plane], distances(next.clip, near)[plane]);
            if here >= 0.0 {
                cut.push(corner);
            }
            if (here >= 0.0) != (there >= 0.0) {
                // From the inside corner, so that two triangles cut their common edge at the same place.
                cut.push(if here >= 0.0 {
                    corner.between(next, here / (here - there))
                } else {
                    next.between(corner, there / (there - here))
                });
            }
        }
        std::mem::swap(&mut inside, &mut cut);
        if inside.len() < 3 {
            return Vec::new();
        }
    }
    inside
}

/// The part of a line from parameter 0 to 1 inside all planes, or `None`.
pub(super) fn segment(from: Vec4, to: Vec4, near: f32) -> Option<(f32, f32)> {
    let (starts, ends) = (distances(from, near), distances(to, near));
    let (mut first, mut last) = (0.0f32, 1.0f32);
    for (here, there) in starts.into_iter().zip(ends) {
        match (here >= 0.0, there >= 0.0) {
            (true, true) => {}
            (false, false) => return None,
            (false, true) => first = first.max(here / (here - there)),
            (true, false) => last = last.min(here / (here - there)),
        }
    }
    (first < last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(clips: [Vec4; 3]) -> [ClipCorner; 3] {
        let weights = [Vec3::X, Vec3::Y, Vec3::Z];
        std::array::from_fn(|index| ClipCorner { clip: clips[index], weights: weights[index] })
    }

    #[test]
    fn a_triangle_through_the_near_plane_keeps_its_front_part() {
        let triangle = corners([
            Vec4::new(0.0, 0.0, 0.1, 1.0),
            Vec4::new(0.1, 0.0, 0.1, 1.0),
            Vec4::new(0.0, 0.1, 0.1, -1.0),
        ]);
        let cut = polygon(triangle, 0.1);
        assert_eq!(cut.len(), 4);
        for corner in cut {
            assert!(corner.clip.w >= 0.0999);
            assert!((corner.weights.element_sum() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_triangle_behind_the_viewer_is_removed() {
        let behind = corners([Vec4::new(0.0, 0.0, 0.1, -1.0); 3]);
        assert!(polygon(behind, 0.1).is_empty());
    }

    #[test]
    fn a_line_is_cut_at_the_near_plane() {
        let (from, to) = (Vec4::new(0.0, 0.0, 0.1, -1.0), Vec4::new(0.0, 0.0, 0.1, 1.0));
        let (first, last) = segment(from, to, 0.5).unwrap();
        assert!((first - 0.75).abs() < 1e-6 && (last - 1.0).abs() < 1e-6);
        assert_eq!(segment(from, from, 0.5), None);
    }
}
