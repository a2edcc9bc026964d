//! Projects mesh triangles to the screen.

use super::clip::{self, ClipCorner};
use super::samples::SUBPIXELS;
use crate::camera::{Camera, Projection};
use crate::glam::{Mat4, Vec2, Vec3, Vec4};
use crate::layer::{MeshLayer, Sides};

/// A triangle on the screen, counter-clockwise if its front faces the camera.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// X of the corners in sub-pixel steps.
    pub(super) x: [i32; 3],
    /// Y of the corners in sub-pixel steps, downwards.
    pub(super) y: [i32; 3],
    /// Reversed depth: larger is nearer.
    pub(super) depth: [f32; 3],
    /// 1/w for perspective-correct interpolation.
    pub(super) inv_w: [f32; 3],
    /// Index of the material in the frame.
    pub(super) material: u32,
    /// Index of the mesh triangle or line segment.
    pub(super) face: u32,
    /// Index of its corner weights in the list, or [`WHOLE`].
    pub(super) weights: u32,
    /// Whether its back side is visible; corners 1 and 2 are then swapped.
    pub(super) back: bool,
}

impl Triangle {
    /// True if it covers the same samples as another one at the same depths.
    pub(super) fn is_in_place_of(&self, other: &Self) -> bool {
        (self.x, self.y, self.depth) == (other.x, other.y, other.depth)
    }
}

/// Marks a triangle that was not clipped: its corners are those of the mesh triangle.
pub(super) const WHOLE: u32 = u32::MAX;

/// The camera prepared for projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct RasterView {
    pub(super) camera: Camera,
    pub(super) clip_from_world: Mat4,
    pub(super) size: Vec2,
    /// Smallest w that is drawn.
    pub(super) near: f32,
}

impl RasterView {
    pub(super) fn new(camera: Camera, width: u32, height: u32) -> Self {
        let size = Vec2::new(width as f32, height as f32);
        let clip_from_world = camera.clip_from_view(size.x / size.y) * camera.view_from_world();
        let near = match camera.projection {
            Projection::Perspective { .. } => camera.near.max(1e-6),
            // w is 1 everywhere: nothing is clipped.
            Projection::Orthographic { .. } => 0.5,
        };
        Self { camera, clip_from_world, size, near }
    }

    /// The unit vector from a point in world space towards the viewer.
    pub(super) fn towards_viewer(&self, place: Vec3) -> Vec3 {
        match self.camera.projection {
            Projection::Perspective { .. } => (self.camera.eye - place).normalize_or(Vec3::Z),
            Projection::Orthographic { .. } => self.camera.axes().z_axis,
        }
    }

    /// Clip space to pixels from the upper left corner.
    pub(super) fn pixel(&self, clip: Vec4) -> Vec2 {
        let inv_w = 1.0 / clip.w;
        Vec2::new((clip.x * inv_w * 0.5 + 0.5) * self.size.x, (0.5 - clip.y * inv_w * 0.5) * self.size.y)
    }
}

/// Triangles on the screen and the corner weights of those that were clipped.
#[derive(Debug, Default)]
pub(super) struct TriangleList {
    pub(super) triangles: Vec<Triangle>,
    pub(super) weights: Vec<[Vec3; 3]>,
}

/// A projected corner of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScreenCorner {
    pub(super) pixel: Vec2,
    pub(super) depth: f32,
    pub(super) inv_w: f32,
}

/// The source of a screen triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProjectionSource {
    pub(super) material: u32,
    pub(super) face: u32,
    pub(super) both_sides: bool,
}

impl TriangleList {
    /// Projects every triangle of a mesh; triangles with a corner that is not finite are skipped.
    pub(super) fn add_mesh(&mut self, view: &RasterView, layer: &MeshLayer, material: u32) {
        let clips: Vec<Vec4> = layer
            .geometry()
            .positions()
            .iter()
            .map(|position| view.clip_from_world * position.extend(1.0))
            .collect();
        let both_sides = layer.sides == Sides::Both;
        for (face, corners) in (0u32..).zip(layer.geometry().triangles().iter()) {
            let corners = corners.map(|vertex| clips[vertex as usize]);
            self.add_triangle(view, corners, ProjectionSource { material, face, both_sides });
        }
    }

    fn add_triangle(&mut self, view: &RasterView, clips: [Vec4; 3], source: ProjectionSource) {
        if !clips.iter().all(|clip| clip.is_finite()) || clip::is_off_screen(clips, view.near) {
            return;
        }
        if clips.iter().all(|&clip| clip::is_inside(clip, view.near)) {
            self.push(clips.map(|clip| on_screen(view, clip)), WHOLE, source);
            return;
        }
        let weights = [Vec3::X, Vec3::Y, Vec3::Z];
        let triangle =
            std::array::from_fn(|index| ClipCorner { clip: clips[index], weights: weights[index] });
        let polygon = clip::polygon(triangle, view.near);
        for pair in polygon.get(1..).unwrap_or(&[]).windows(2) {
            let fan = [polygon[0], pair[0], pair[1]];
            self.push_weighted(fan.map(|c| on_screen(view, c.clip)), fan.map(|c| c.weights), source);
        }
    }

    /// Adds a screen triangle whose corners are weighted means of the source's corners.
    pub(super) fn push_weighted(
        &mut self,
        corners: [ScreenCorner; 3],
        weights: [Vec3; 3],
        source: ProjectionSource,
    ) {
        let index = u32::try_from(self.weights.len()).unwrap_or(WHOLE);
        self.weights.push(weights);
        self.push(corners, index, source);
    }

    fn push(&mut self, corners: [ScreenCorner; 3], weights: u32, source: ProjectionSource) {
        let snap = |value: f32| (value * SUBPIXELS as f32).round() as i32;
        let mut x = corners.map(|corner| snap(corner.pixel.x));
        let mut y = corners.map(|corner| snap(corner.pixel.y));
        let mut depth = corners.map(|corner| corner.depth);
        let mut inv_w = corners.map(|corner| corner.inv_w);
        // Rows grow downwards, so a front side has negative area here.
        let area = doubled_area(x, y);
        let back = area > 0;
        if area == 0 || (back && !source.both_sides) {
            return;
        }
        if back {
            x.swap(1, 2);
            y.swap(1, 2);
            depth.swap(1, 2);
            inv_w.swap(1, 2);
        }
        let ProjectionSource { material, face, .. } = source;
        self.triangles.push(Triangle { x, y, depth, inv_w, material, face, weights, back });
    }
}

pub(super) fn on_screen(view: &RasterView, clip: Vec4) -> ScreenCorner {
    let inv_w = 1.0 / clip.w;
    ScreenCorner { pixel: view.pixel(clip), depth: clip.z * inv_w, inv_w }
}

fn doubled_area(x: [i32; 3], y: [i32; 3]) -> i64 {
    let [x, y] = [x.map(i64::from), y.map(i64::from)];
    (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
}

impl Triangle {
    /// Perspective-correct weights of the source triangle's corners at a position in pixels.
    ///
    /// Positions outside the triangle give weights outside 0 to 1 that continue the same plane.
    pub(super) fn weights_at(&self, weights: &[[Vec3; 3]], pixel: Vec2) -> Vec3 {
        let (px, py) = (f64::from(pixel.x) * f64::from(SUBPIXELS), f64::from(pixel.y) * f64::from(SUBPIXELS));
        let mut parts = [0.0f64; 3];
        for (corner, part) in parts.iter_mut().enumerate() {
            let (a, b) = ((corner + 1) % 3, (corner + 2) % 3);
            let (ax, ay) = (f64::from(self.x[a]), f64::from(self.y[a]));
            let (dx, dy) = (f64::from(self.x[b]) - ax, f64::from(self.y[b]) - ay);
            *part = (dy * (px - ax) - dx * (py - ay)) * f64::from(self.inv_w[corner]);
        }
        let sum = parts[0] + parts[1] + parts[2];
        let scale = if sum.abs() > 0.0 { 1.0 / sum } else { 0.0 };
        let mut local =
            Vec3::new((parts[0] * scale) as f32, (parts[1] * scale) as f32, (parts[2] * scale) as f32);
        if self.back {
            std::mem::swap(&mut local.y, &mut local.z);
        }
        match weights.get(self.weights as usize) {
            Some(corners) => corners[0] * local.x + corners[1] * local.y + corners[2] * local.z,
            None => local,
        }
    }
}
