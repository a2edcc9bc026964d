//! The color of a mesh at one point: paint, light, then lines over it.

use super::project::{RasterView, Triangle};
use super::shade::{Facet, Lamps, tone_map};
use super::shadow_map::RasterShadowMap;
use crate::color::Color;
use crate::glam::{Vec2, Vec3};
use crate::layer::{LineStroke, MeshLayer, Shading};
use crate::paint::{Contours, Paint, ScalarPaint, TexturePaint};

/// A visible point on a mesh.
pub(super) struct SurfacePoint<'a> {
    layer: &'a MeshLayer,
    face: usize,
    corners: [usize; 3],
    back: bool,
    /// Barycentric weights of the three corners.
    weights: Vec3,
    /// Change of the weights to the next pixel right and down; only if the paint needs it.
    slopes: Option<[Vec3; 2]>,
}

impl<'a> SurfacePoint<'a> {
    pub(super) fn new(
        layer: &'a MeshLayer,
        triangle: &Triangle,
        pixel: Vec2,
        weights_at: &impl Fn(Vec2) -> Vec3,
    ) -> Self {
        let weights = weights_at(pixel);
        let slopes = needs_slopes(layer)
            .then(|| [weights_at(pixel + Vec2::X) - weights, weights_at(pixel + Vec2::Y) - weights])
            .filter(|[right, down]| right.is_finite() && down.is_finite());
        let face = triangle.face as usize;
        let corners = layer.geometry().triangles()[face].map(|vertex| vertex as usize);
        // Rounding may leave a tiny negative weight on edges; colors must stay in range.
        let inside = weights.max(Vec3::ZERO);
        let sum = inside.element_sum();
        let weights = if sum > 0.0 { inside / sum } else { Vec3::splat(1.0 / 3.0) };
        Self { layer, face, corners, back: triangle.back, weights, slopes }
    }

    fn mix3(&self, stream: &[Vec3]) -> Vec3 {
        let [a, b, c] = self.corners.map(|corner| stream[corner]);
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    fn mix_color(&self, stream: &[Color]) -> Vec3 {
        let [a, b, c] = self.corners.map(|corner| stream[corner].rgb());
        a * self.weights.x + b * self.weights.y + c * self.weights.z
    }

    /// The unit normal on the visible side; the triangle's own if the mesh has no normals.
    fn normal(&self, viewer: Vec3) -> Vec3 {
        let geometry = self.layer.geometry();
        let smooth = geometry.normals().and_then(|normals| self.mix3(normals).try_normalize());
        let normal = smooth.unwrap_or_else(|| {
            let [a, b, c] = self.corners.map(|corner| geometry.positions()[corner]);
            (b - a).cross(c - a).normalize_or(viewer)
        });
        if self.back { -normal } else { normal }
    }

    fn albedo(&self) -> Vec3 {
        match self.layer.paint() {
            Paint::Solid(color) => color.rgb(),
            Paint::Vertices(colors) => self.mix_color(colors),
            Paint::Faces(colors) => colors[self.face].rgb(),
            Paint::Scalar(scalar) => self.scalar_color(scalar),
            Paint::Texture(paint) => self.texture_color(paint),
        }
    }

    fn scalar_color(&self, scalar: &ScalarPaint) -> Vec3 {
        let range = scalar.high - scalar.low;
        let scale = if range.abs() > 0.0 { 1.0 / range } else { 0.0 };
        let corners =
            Vec3::from_array(self.corners.map(|corner| (scalar.values[corner] - scalar.low) * scale));
        let value = corners.dot(self.weights);
        let color = scalar.ramp.color(value).rgb();
        match (&scalar.contours, self.slopes) {
            (Some(contours), Some(slopes)) => {
                let slope = Vec2::new(corners.dot(slopes[0]), corners.dot(slopes[1])).length();
                color.lerp(contours.color.rgb(), contour_cover(contours, value, slope))
            }
            _ => color,
        }
    }

    fn texture_color(&self, paint: &TexturePaint) -> Vec3 {
        let Some(uvs) = self.layer.geometry().uvs() else { return paint.tint.rgb() };
        let [a, b, c] = self.corners.map(|corner| uvs[corner]);
        let uv = a * self.weights.x + b * self.weights.y + c * self.weights.z;
        let footprint = self.slopes.map_or(Vec2::ZERO, |slopes| {
            let [right, down] = slopes.map(|slope| a * slope.x + b * slope.y + c * slope.z);
            // Between the longer and the shorter side: sharp at grazing angles without much aliasing.
            (right.abs() + down.abs()) * 0.6
        });
        let texel = paint.texture.sample(uv, footprint, paint.sampler).truncate();
        let vertex = paint.vertices.as_ref().map_or(Vec3::ONE, |colors| self.mix_color(colors));
        texel * paint.tint.rgb() * vertex
    }
}

/// The lights and shadow map of a mesh.
pub(super) struct Lighting<'a> {
    pub(super) view: &'a RasterView,
    pub(super) lamps: &'a Lamps,
    pub(super) shadows: Option<&'a RasterShadowMap>,
}

/// The color of a point after lighting, tone mapping and wireframe.
pub(super) fn shade(point: &SurfacePoint<'_>, lighting: &Lighting<'_>) -> Vec3 {
    let place = point.mix3(point.layer.geometry().positions());
    let viewer = lighting.view.towards_viewer(place);
    let color = match point.layer.shading {
        Shading::Unlit => point.albedo(),
        Shading::Normals => normal_color(point.normal(viewer)),
        Shading::Lit => {
            let (albedo, normal) = (point.albedo(), point.normal(viewer));
            let key_light = match lighting.shadows {
                Some(shadows) if point.layer.casts_shadow => {
                    lighting.lamps.key_light(normal, || shadows.light_at(place, normal))
                }
                _ => 1.0,
            };
            let facet = Facet { albedo, normal, viewer, gloss: point.layer.gloss, key_light };
            tone_map(lighting.lamps.reflect(&facet))
        }
    };
    match (point.layer.wire, point.slopes) {
        (Some(stroke), Some(slopes)) => {
            color.lerp(stroke.color.rgb(), wire_cover(stroke, point.weights, slopes) * stroke.color.a)
        }
        _ => color,
    }
}

/// The alpha below which a layer's texture leaves holes.
pub(super) fn cutoff(layer: &MeshLayer) -> Option<f32> {
    match layer.paint() {
        Paint::Texture(paint) => paint.alpha_cutoff,
        Paint::Solid(_) | Paint::Vertices(_) | Paint::Faces(_) | Paint::Scalar(_) => None,
    }
}

/// Whether the texture leaves a hole at a point of a face.
pub(super) fn is_hole(layer: &MeshLayer, face: u32, weights: Vec3) -> bool {
    let (Paint::Texture(paint), Some(uvs)) = (layer.paint(), layer.geometry().uvs()) else { return false };
    let [a, b, c] = layer.geometry().triangles()[face as usize].map(|vertex| uvs[vertex as usize]);
    let uv = a * weights.x + b * weights.y + c * weights.z;
    let alpha = paint.texture.alpha(uv, paint.sampler) * paint.tint.a;
    paint.alpha_cutoff.is_some_and(|cutoff| alpha < cutoff)
}

fn needs_slopes(layer: &MeshLayer) -> bool {
    layer.wire.is_some()
        || match layer.paint() {
            Paint::Texture(_) => true,
            Paint::Scalar(scalar) => scalar.contours.is_some(),
            Paint::Solid(_) | Paint::Vertices(_) | Paint::Faces(_) => false,
        }
}

fn normal_color(normal: Vec3) -> Vec3 {
    let [r, g, b] = (normal * 0.5 + 0.5).to_array().map(|value| (value * 255.0).clamp(0.0, 255.0) as u8);
    Color::srgb8(r, g, b).rgb()
}

/// How much of a pixel the nearest edge of the triangle covers.
fn wire_cover(stroke: LineStroke, weights: Vec3, slopes: [Vec3; 2]) -> f32 {
    // A corner's weight falls from 1 to 0 towards the opposite edge: weight over slope is the distance in
    // pixels, one over slope the triangle's height there.
    let steep = (slopes[0] * slopes[0] + slopes[1] * slopes[1]).to_array().map(f32::sqrt);
    let (mut nearest, mut height) = (f32::INFINITY, f32::INFINITY);
    for (weight, slope) in weights.to_array().into_iter().zip(steep) {
        if slope > 1e-9 {
            nearest = nearest.min(weight / slope);
            height = height.min(1.0 / slope);
        }
    }
    // Half of the line lies on this triangle. Where triangles are hardly larger than the line, thin it out
    // instead of painting everything with it.
    let room = (height / (5.0 * stroke.width_px.max(0.1))).clamp(0.0, 1.0);
    (stroke.width_px * 0.5 + 0.5 - nearest).clamp(0.0, 1.0) * room
}

/// How much of a pixel the nearest contour covers; `value` runs from 0 to 1 over the scale.
fn contour_cover(contours: &Contours, value: f32, slope: f32) -> f32 {
    let bands = contours.bands as f32;
    let (place, step) = (value * bands, slope * bands);
    // A flat field has no contour; a very steep one would be all contour.
    if step < 1e-5 || step.is_nan() || place < 0.5 || place > bands - 0.5 {
        return 0.0;
    }
    let distance_px = (place - place.round()).abs() / step;
    let room = (0.34 / step - 0.4).clamp(0.0, 1.0);
    (contours.width_px * 0.5 + 0.5 - distance_px).clamp(0.0, 1.0) * contours.color.a * room
}
