//! The extent of a scene: ahead of the camera, across the light and over the ground.

use sinew_view::glam::{Mat3, Vec2, Vec3};
use sinew_view::layer::{MeshLayer, SceneLayer};
use sinew_view::scene::Scene;

/// Bounding box of a set of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span3 {
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

impl Span3 {
    const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn add(&mut self, point: Vec3) {
        self.low = self.low.min(point);
        self.high = self.high.max(point);
    }
}

/// Minimum and maximum distance ahead of the camera of all finite points.
pub(super) fn distances(scene: &Scene, extra: &[Vec3]) -> [f32; 2] {
    let ahead = -scene.camera.axes().z_axis;
    let start = ahead.dot(scene.camera.eye);
    let mut span = [f32::INFINITY, f32::NEG_INFINITY];
    let mut add = |point: Vec3| {
        let distance = ahead.dot(point) - start;
        if distance.is_finite() {
            span = [span[0].min(distance), span[1].max(distance)];
        }
    };
    for layer in &scene.layers {
        match layer {
            SceneLayer::Mesh(mesh) => mesh.geometry().positions().iter().for_each(|&point| add(point)),
            SceneLayer::Lines(lines) => lines.segments.iter().for_each(|segment| {
                add(segment.from);
                add(segment.to);
            }),
        }
    }
    extra.iter().for_each(|&point| add(point));
    span
}

/// The box around all meshes that cast shadows on meshes, in the light's axes.
pub(super) fn across_light(layers: &[SceneLayer], light_from_world: Mat3) -> Option<Span3> {
    let mut span = Span3::EMPTY;
    for mesh in layers.iter().filter_map(caster_on_meshes) {
        for position in mesh.geometry().positions().iter().filter(|position| position.is_finite()) {
            span.add(light_from_world * *position);
        }
    }
    let size = (span.high - span.low).truncate();
    (size.is_finite() && size.max_element() > 0.0).then_some(span)
}

/// The layer's mesh if it is opaque and casts shadows.
pub(super) fn caster_on_meshes(layer: &SceneLayer) -> Option<&MeshLayer> {
    caster_on_ground(layer).filter(|mesh| mesh.opacity >= 1.0)
}

/// The layer's mesh if it casts a shadow on the ground.
pub(super) fn caster_on_ground(layer: &SceneLayer) -> Option<&MeshLayer> {
    layer.as_mesh().filter(|mesh| mesh.casts_shadow && !mesh.geometry().triangles().is_empty())
}

/// The area of the ground that shadows cover.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShadowExtent {
    pub(super) low: Vec2,
    pub(super) high: Vec2,
    /// Largest height of a caster above the ground in meters.
    pub(super) tallest: f32,
}

/// The rectangle on the ground that the shadows of all casters cover, along `slope`.
pub(super) fn ground_shadow(layers: &[SceneLayer], height: f32, slope: Vec2) -> ShadowExtent {
    let mut all = ShadowExtent { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY, tallest: 0.0 };
    for mesh in layers.iter().filter_map(caster_on_ground) {
        for position in mesh.geometry().positions().iter().filter(|position| position.is_finite()) {
            let lift = (position.y - height).max(0.0);
            let place = Vec2::new(position.x, position.z) - slope * lift;
            all.low = all.low.min(place);
            all.high = all.high.max(place);
            all.tallest = all.tallest.max(lift);
        }
    }
    all
}
