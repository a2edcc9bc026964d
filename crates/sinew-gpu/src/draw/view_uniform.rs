//! The camera as a uniform block.

use sinew_view::camera::{Camera, Projection};
use sinew_view::glam::{Mat3, Mat4, Vec2, Vec3, Vec4};

/// Lines are moved towards the camera by this fraction of their distance, so that lines on a surface stay visible.
const NEARER: f32 = 4e-4;

/// A camera whose depth range fits the visible layers.
///
/// A depth buffer on the GPU has 24 bits, which the camera's own near plane would waste: the nearest surface
/// gets a depth near 1 instead. Larger depths are nearer, as in the software rasterizer.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewUniform {
    pub(super) axes: Mat3,
    pub(super) clip_from_world: Mat4,
    /// The eye and 1, or the direction towards the viewer and 0.
    pub(super) viewer: Vec4,
    pub(super) size: Vec2,
    /// Smallest w of lines; factor and offset that move lines towards the camera.
    pub(super) line: Vec3,
}

impl ViewUniform {
    /// `distances` are the minimum and maximum distance ahead of the camera of all layers.
    pub(super) fn new(camera: &Camera, size: Vec2, distances: [f32; 2]) -> Self {
        let axes = camera.axes();
        let plain = camera.clip_from_view(size.x / size.y);
        let view_from_world = camera.view_from_world();
        match camera.projection {
            Projection::Perspective { .. } => {
                let min = camera.near.max(1e-6);
                let near = if distances[0].is_finite() { min.max(distances[0] * 0.95) } else { min };
                let mut clip_from_view = plain;
                clip_from_view.w_axis.z = near;
                Self {
                    axes,
                    clip_from_world: clip_from_view * view_from_world,
                    viewer: camera.eye.extend(1.0),
                    size,
                    line: Vec3::new(near, 1.0 + NEARER, 0.0),
                }
            }
            Projection::Orthographic { .. } => {
                // The software rasterizer's depth falls by 1 over a hundred distances to the target.
                let shift = NEARER * 100.0 * (camera.eye - camera.target).length().max(1e-3);
                let finite = distances.iter().all(|distance| distance.is_finite());
                let [low, high] = if finite { distances } else { [0.0, 1.0] };
                let (low, high) = (low - shift * 1.5, high + shift * 1.5);
                let fall = 0.9 / (high - low).max(1e-6);
                let mut clip_from_view = plain;
                clip_from_view.z_axis.z = fall;
                clip_from_view.w_axis.z = 0.95 + fall * low;
                Self {
                    axes,
                    clip_from_world: clip_from_view * view_from_world,
                    viewer: axes.z_axis.extend(0.0),
                    size,
                    line: Vec3::new(0.5, 1.0, shift * fall),
                }
            }
        }
    }

    /// Clip space to pixels from the upper left corner.
    pub(super) fn pixel(&self, clip: Vec4) -> Vec2 {
        let inv_w = 1.0 / clip.w;
        Vec2::new((clip.x * inv_w * 0.5 + 0.5) * self.size.x, (0.5 - clip.y * inv_w * 0.5) * self.size.y)
    }

    /// The unit vector from a point in world space towards the viewer.
    pub(super) fn towards_viewer(&self, place: Vec3) -> Vec3 {
        let viewer = self.viewer.truncate();
        if self.viewer.w > 0.0 { (viewer - place).normalize_or(Vec3::Z) } else { viewer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_depths_fill_the_range_and_nearer_is_larger() {
        let mut camera = Camera { eye: Vec3::new(0.0, 0.0, 5.0), target: Vec3::ZERO, ..Camera::default() };
        for projection in [camera.projection, Projection::Orthographic { height: 2.0 }] {
            camera.projection = projection;
            let view = ViewUniform::new(&camera, Vec2::new(100.0, 80.0), [4.0, 6.0]);
            let depth = |z: f32| {
                let clip = view.clip_from_world * Vec4::new(0.0, 0.0, z, 1.0);
                clip.z / clip.w
            };
            assert!(depth(1.0) < 1.0 && depth(1.0) > depth(0.0) && depth(0.0) > depth(-1.0));
            assert!(depth(1.0) - depth(-1.0) > 0.2 && depth(-1.0) > 0.0);
            assert!(depth(1.0) * view.line.y + view.line.z < 1.0);
        }
    }
}
