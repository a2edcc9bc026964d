//! A scene prepared for drawing tile by tile.

use super::RenderOptions;
use super::bins::{Bins, Tile, Tiles};
use super::ground::GroundShader;
use super::outline;
use super::parallel;
use super::project::{RasterView, Triangle, TriangleList};
use super::shade::Lamps;
use super::shadow_map::RasterShadowMap;
use super::surface;
use crate::color::Color;
use crate::glam::{Vec2, Vec3, Vec4};
use crate::layer::{Depth, LineSegment, MeshLayer, SceneLayer};
use crate::scene::{Background, Scene};

/// The maximum number of transparent layers that are drawn one by one. Those after it are drawn together, so that a file
/// with thousands of them takes no pass over the picture for each.
const MAX_SHEER_PASSES: usize = 64;

/// Depth handling of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassKind {
    /// All opaque layers together; the nearest wins.
    Opaque,
    /// One transparent layer: its nearest surface, unless an opaque one hides it.
    Sheer,
    /// All x-ray layers together, over the previous passes.
    XRay,
}

/// Triangles that are resolved together.
#[derive(Debug)]
pub(super) struct RasterPass {
    pub(super) kind: PassKind,
    pub(super) list: TriangleList,
    bins: Bins,
}

impl RasterPass {
    pub(super) fn triangles_of(&self, tile: Tile) -> &[u32] {
        self.bins.of(tile)
    }
}

/// The appearance of a triangle.
#[derive(Debug)]
pub(super) struct RasterMaterial<'a> {
    pub(super) look: RasterLook<'a>,
    pub(super) opacity: f32,
    /// Opacity where an opaque surface lies in front of an x-ray layer.
    pub(super) hidden_opacity: f32,
}

#[derive(Debug)]
pub(super) enum RasterLook<'a> {
    Mesh(&'a MeshLayer),
    Segments(&'a [LineSegment]),
    Plain(Color),
}

impl RasterMaterial<'_> {
    pub(super) fn is_cutout(&self) -> bool {
        matches!(&self.look, RasterLook::Mesh(layer) if surface::cutoff(layer).is_some())
    }
}

/// The shared input of all tiles.
pub(super) struct RasterFrame<'a> {
    view: RasterView,
    tiles: Tiles,
    background: Background,
    floor: Option<GroundShader>,
    lamps: Lamps,
    shadows: Option<RasterShadowMap>,
    materials: Vec<RasterMaterial<'a>>,
    passes: Vec<RasterPass>,
}

impl<'a> RasterFrame<'a> {
    pub(super) fn new(scene: &'a Scene, options: &RenderOptions) -> Self {
        let view = RasterView::new(scene.camera, options.width, options.height);
        let lamps = Lamps::new(&scene.lights, &scene.camera);
        let key = lamps.key().filter(|_| lamps.has_shadow());
        let (floor, shadows) = parallel::join(
            || scene.ground.as_ref().and_then(|ground| GroundShader::new(ground, scene, &view, &lamps)),
            || key.and_then(|key| RasterShadowMap::new(&scene.layers, key)),
        );
        // The caller checks the sides against MAX_SIDE, so they fit.
        let side = |pixels: u32| i32::try_from(pixels).unwrap_or(0);
        let mut frame = Self {
            view,
            tiles: Tiles::new(side(options.width), side(options.height)),
            background: scene.background,
            floor,
            lamps,
            shadows,
            materials: Vec::new(),
            passes: Vec::new(),
        };
        frame.add_passes(&scene.layers);
        frame
    }

    fn add_passes(&mut self, layers: &'a [SceneLayer]) {
        let (mut opaque, mut xray) = (TriangleList::default(), TriangleList::default());
        let mut sheer: Vec<TriangleList> = Vec::new();
        for layer in layers {
            let is_sheer = layer.as_mesh().is_some_and(|mesh| mesh.opacity < 1.0);
            match layer.depth() {
                Depth::XRay { .. } => self.add_layer(&mut xray, layer),
                Depth::Tested if is_sheer => {
                    if sheer.len() < MAX_SHEER_PASSES {
                        sheer.push(TriangleList::default());
                    }
                    if let Some(list) = sheer.last_mut() {
                        self.add_layer(list, layer);
                    }
                }
                Depth::Tested => self.add_layer(&mut opaque, layer),
            }
        }
        self.push_pass(PassKind::Opaque, opaque);
        for list in sheer {
            self.push_pass(PassKind::Sheer, list);
        }
        self.push_pass(PassKind::XRay, xray);
    }

    fn push_pass(&mut self, kind: PassKind, list: TriangleList) {
        if !list.triangles.is_empty() {
            let bins = Bins::new(self.tiles, &list.triangles);
            self.passes.push(RasterPass { kind, list, bins });
        }
    }

    fn add_layer(&mut self, list: &mut TriangleList, layer: &'a SceneLayer) {
        match layer {
            SceneLayer::Mesh(mesh) => {
                let opacity = mesh.opacity.clamp(0.0, 1.0);
                let material = self.add_material(RasterLook::Mesh(mesh), opacity, mesh.depth);
                list.add_mesh(&self.view, mesh, material);
                if let Some(stroke) = mesh.outline {
                    let material = self.add_material(RasterLook::Plain(stroke.color), opacity, mesh.depth);
                    outline::add(list, &self.view, mesh, stroke.width_px, material);
                }
            }
            SceneLayer::Lines(lines) => {
                let material = self.add_material(RasterLook::Segments(&lines.segments), 1.0, lines.depth);
                list.add_lines(&self.view, &lines.segments, lines.width_px, material);
            }
        }
    }

    fn add_material(&mut self, look: RasterLook<'a>, opacity: f32, depth: Depth) -> u32 {
        let hidden_opacity = match depth {
            Depth::Tested => 1.0,
            Depth::XRay { hidden_opacity } => hidden_opacity.clamp(0.0, 1.0),
        };
        self.materials.push(RasterMaterial { look, opacity, hidden_opacity });
        u32::try_from(self.materials.len() - 1).unwrap_or(0)
    }

    pub(super) fn tiles(&self) -> Tiles {
        self.tiles
    }

    pub(super) fn passes(&self) -> &[RasterPass] {
        &self.passes
    }

    pub(super) fn material(&self, index: u32) -> &RasterMaterial<'a> {
        &self.materials[index as usize]
    }

    /// Background and ground at a pixel, premultiplied.
    pub(super) fn backdrop(&self, column: i32, row: i32) -> Vec4 {
        let middle = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
        let wall = match self.background {
            Background::Transparent => Vec4::ZERO,
            Background::Solid(color) => premultiplied(color),
            Background::Gradient { top, bottom } => {
                premultiplied(top.mix(bottom, middle.y / self.view.size.y))
            }
        };
        match &self.floor {
            Some(floor) => floor.over(wall, middle),
            None => wall,
        }
    }

    /// The linear color of a triangle at a position in pixels.
    pub(super) fn shade(&self, pass: &RasterPass, triangle: &Triangle, pixel: Vec2) -> Vec3 {
        let weights_at = |place: Vec2| triangle.weights_at(&pass.list.weights, place);
        match &self.material(triangle.material).look {
            RasterLook::Plain(color) => color.rgb(),
            RasterLook::Segments(segments) => {
                let segment = &segments[triangle.face as usize];
                let along = weights_at(pixel).y.clamp(0.0, 1.0);
                segment.from_color.mix(segment.to_color, along).rgb()
            }
            RasterLook::Mesh(layer) => {
                let point = surface::SurfacePoint::new(layer, triangle, pixel, &weights_at);
                let lighting = surface::Lighting {
                    view: &self.view,
                    lamps: &self.lamps,
                    shadows: self.shadows.as_ref(),
                };
                surface::shade(&point, &lighting)
            }
        }
    }

    /// Whether a texture leaves a hole in a triangle at a position in pixels.
    pub(super) fn is_hole(&self, pass: &RasterPass, triangle: &Triangle, pixel: Vec2) -> bool {
        match &self.material(triangle.material).look {
            RasterLook::Mesh(layer) => {
                let weights = triangle.weights_at(&pass.list.weights, pixel);
                surface::is_hole(layer, triangle.face, weights)
            }
            _ => false,
        }
    }
}

fn premultiplied(color: Color) -> Vec4 {
    (color.rgb() * color.a).extend(color.a)
}
