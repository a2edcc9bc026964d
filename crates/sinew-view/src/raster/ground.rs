//! The ground at each pixel: grid lines and the shadow.

use super::project::RasterView;
use super::shade::Lamps;
use super::shadow::ShadowMask;
use crate::color::Color;
use crate::glam::{Vec2, Vec3, Vec4};
use crate::ground::{GridLines, GroundGrid};
use crate::scene::Scene;

/// A ground plane prepared for lookups per pixel.
pub(super) struct GroundShader {
    ground: GroundGrid,
    origin: Vec3,
    /// Direction of the ray through pixel (0, 0), and its change per pixel to the right and down.
    ray: [Vec3; 3],
    /// Whether all rays start at `origin` (perspective) or shift and keep their direction.
    parallel: Option<Vec3>,
    shadow: Option<ShadowMask>,
}

impl GroundShader {
    /// `None` if the camera is below the ground.
    pub(super) fn new(ground: &GroundGrid, scene: &Scene, view: &RasterView, lamps: &Lamps) -> Option<Self> {
        let camera = &scene.camera;
        if !camera.eye.is_finite() || camera.eye.y <= ground.height {
            return None;
        }
        let aspect = view.size.x / view.size.y;
        let corner = |x: f32, y: f32| camera.ray(Vec2::new(x, y), aspect);
        let axes = camera.axes();
        let parallel = match camera.projection {
            crate::camera::Projection::Perspective { .. } => None,
            crate::camera::Projection::Orthographic { .. } => Some(-axes.z_axis),
        };
        // In perspective: points on the plane one unit in front of the eye; in parallel: ray origins.
        let place = |x: f32, y: f32| match parallel {
            Some(_) => corner(x, y).origin,
            None => {
                let direction = corner(x, y).direction;
                direction / direction.dot(-axes.z_axis).max(1e-6)
            }
        };
        let upper_left = place(-1.0, 1.0);
        let right = (place(1.0, 1.0) - upper_left) / view.size.x;
        let down = (place(-1.0, -1.0) - upper_left) / view.size.y;
        let shadow = ground.shadow.and_then(|shadow| {
            ShadowMask::new(&scene.layers, ground, shadow.softness, lamps.key().unwrap_or(Vec3::Y))
        });
        Some(Self { ground: *ground, origin: camera.eye, ray: [upper_left, right, down], parallel, shadow })
    }

    /// World X and Z of the ground at a position in pixels.
    fn hit(&self, pixel: Vec2) -> Option<Vec2> {
        let place = self.ray[0] + self.ray[1] * pixel.x + self.ray[2] * pixel.y;
        let (origin, direction) = match self.parallel {
            Some(direction) => (place, direction),
            None => (self.origin, place),
        };
        let drop = self.ground.height - origin.y;
        if direction.y >= -1e-6 {
            return None;
        }
        let along = drop / direction.y;
        let hit = origin + direction * along;
        (along > 0.0).then_some(Vec2::new(hit.x, hit.z))
    }

    /// The ground blended over a premultiplied color.
    pub(super) fn over(&self, wall: Vec4, pixel: Vec2) -> Vec4 {
        let Some(place) = self.hit(pixel) else { return wall };
        let reach = (place - self.ground.center).length() / self.ground.radius.max(1e-6);
        let fade = if reach < 1.0 { (1.0 - reach * reach) * (1.0 - reach * reach) } else { 0.0 };
        let mut color = wall;
        if let Some(grid) = &self.ground.grid
            && fade > 0.0
            && let (Some(right), Some(down)) = (self.hit(pixel + Vec2::X), self.hit(pixel + Vec2::Y))
        {
            let footprint = [right - place, down - place];
            color = mix_over(color, grid_color(grid, place, footprint), fade);
        }
        if let (Some(mask), Some(shadow)) = (&self.shadow, &self.ground.shadow) {
            color = mix_over(color, shadow.color, mask.at(place));
        }
        color
    }
}

fn mix_over(under: Vec4, color: Color, fraction: f32) -> Vec4 {
    let alpha = color.a * fraction;
    (color.rgb() * alpha).extend(alpha) + under * (1.0 - alpha)
}

/// The grid's color and opacity at a position, filtered over the pixel's footprint.
fn grid_color(grid: &GridLines, place: Vec2, footprint: [Vec2; 2]) -> Color {
    // Meters that one pixel covers along X and along Z.
    let pixel = Vec2::new(
        Vec2::new(footprint[0].x, footprint[1].x).length(),
        Vec2::new(footprint[0].y, footprint[1].y).length(),
    );
    let spacing = grid.spacing.max(1e-6);
    let major = lines(place, pixel, spacing, grid.width_px).max_element();
    let mut color = grid.color.with_alpha(grid.color.a * major);
    if grid.subdivisions > 1 {
        let step = spacing / grid.subdivisions as f32;
        let minor = lines(place, pixel, step, grid.width_px * 0.8).max_element() * grid.color.a * 0.33;
        color.a = color.a.max(minor);
    }
    // The X axis runs where Z is zero, and vice versa.
    let width = grid.width_px * 1.4;
    let along_x = line_cover(place.y.abs() / pixel.y.max(1e-12), width) * grid.axis_x.a;
    let along_z = line_cover(place.x.abs() / pixel.x.max(1e-12), width) * grid.axis_z.a;
    if along_x > color.a {
        color = grid.axis_x.with_alpha(along_x);
    }
    if along_z > color.a {
        color = grid.axis_z.with_alpha(along_z);
    }
    color
}

/// Coverage by the nearest lines across X and across Z, fading as their spacing approaches one pixel.
fn lines(place: Vec2, pixel: Vec2, spacing: f32, width_px: f32) -> Vec2 {
    let one = |value: f32, pixel: f32| {
        let cells = value / spacing;
        let gap_px = spacing / pixel.max(1e-12);
        let distance_px = (cells - cells.round()).abs() * gap_px;
        let room = ((gap_px - 3.0) / 9.0).clamp(0.0, 1.0);
        line_cover(distance_px, width_px) * room
    };
    Vec2::new(one(place.x, pixel.x), one(place.y, pixel.y))
}

fn line_cover(distance_px: f32, width_px: f32) -> f32 {
    (width_px * 0.5 + 0.5 - distance_px).clamp(0.0, 1.0).min(width_px)
}
