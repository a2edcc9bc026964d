//! Uniform blocks in the layout of the shaders.

use bytemuck::{Pod, Zeroable};
use sinew_view::color::Color;
use sinew_view::glam::{Mat4, Vec2, Vec3, Vec4};
use sinew_view::layer::{Depth, LineLayer, MeshLayer, Shading};
use sinew_view::light::{LightSpace, Lights};
use sinew_view::paint::Paint;
use sinew_view::palette::Ramp;
use sinew_view::scene::Background;

use super::view_uniform::ViewUniform;
use crate::GpuError;

/// Largest number of lights that the shaders support.
pub(super) const MAX_LAMPS: usize = 16;

#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LampUniform {
    pub(super) towards: Vec4,
    pub(super) color: Vec4,
}

/// Mirrors `Frame` in frame.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FrameUniform {
    pub(super) clip_from_world: Mat4,
    pub(super) viewer: Vec4,
    pub(super) size: Vec4,
    pub(super) region: Vec4,
    pub(super) line: Vec4,
    pub(super) sky: Vec4,
    pub(super) bounce: Vec4,
    pub(super) rim: Vec4,
    pub(super) light_from_world: [Vec4; 3],
    pub(super) shadow: Vec4,
    pub(super) shadow_size: Vec4,
    pub(super) lamps: [LampUniform; MAX_LAMPS],
}

impl FrameUniform {
    /// Camera and lights; shadows are added later if there are any.
    pub(super) fn new(view: &ViewUniform, lights: &Lights) -> Result<Self, GpuError> {
        let got = lights.distant.len();
        if got > MAX_LAMPS {
            return Err(GpuError::TooManyLights { got, limit: MAX_LAMPS });
        }
        let mut lamps = [LampUniform::default(); MAX_LAMPS];
        for (lamp, light) in lamps.iter_mut().zip(&lights.distant) {
            let towards = match light.space {
                LightSpace::World => light.towards,
                LightSpace::View => view.axes * light.towards,
            };
            lamp.towards = towards.normalize_or(Vec3::Y).extend(light.wrap.clamp(0.0, 1.0));
            lamp.color = light.color.rgb().extend(light.highlight.max(0.0));
        }
        Ok(Self {
            clip_from_world: view.clip_from_world,
            viewer: view.viewer,
            size: view.size.extend(0.0).extend(0.0),
            region: Vec4::new(1.0, 1.0, 0.0, 0.0),
            line: view.line.extend(0.0),
            sky: lights.sky.rgb().extend(got as f32),
            bounce: lights.bounce.rgb().extend(0.0),
            rim: lights.rim.rgb().extend(0.0),
            light_from_world: [Vec4::ZERO; 3],
            shadow: Vec4::ZERO,
            shadow_size: Vec4::ONE,
            lamps,
        })
    }

    /// The unit direction towards the light that casts the shadow.
    pub(super) fn key(&self) -> Option<Vec3> {
        (self.sky.w > 0.0).then(|| self.lamps[0].towards.truncate())
    }
}

/// Mirrors `Material` in material.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MaterialUniform {
    pub(super) color: Vec4,
    pub(super) wire: Vec4,
    pub(super) contour: Vec4,
    pub(super) scalar: Vec4,
    pub(super) finish: Vec4,
    pub(super) picture: Vec4,
    pub(super) kind: [u32; 4],
}

const SOLID: u32 = 0;
const STREAM: u32 = 1;
const SCALAR: u32 = 2;
const TEXTURE: u32 = 3;

const SMOOTH: u32 = 1;
const SHADED: u32 = 2;
const VERTEX_COLORS: u32 = 4;

impl MaterialUniform {
    fn plain(opacity: f32, depth: Depth) -> Self {
        Self {
            finish: Vec4::new(0.0, opacity, hidden_opacity(depth), 0.0),
            picture: Vec4::new(1.0, 1.0, -1.0, 0.0),
            ..Self::zeroed()
        }
    }

    /// The material of a mesh layer.
    pub(super) fn of_mesh(mesh: &MeshLayer) -> Self {
        let smooth = if mesh.geometry().normals().is_some() { SMOOTH } else { 0 };
        let mut material = Self::plain(mesh.opacity.clamp(0.0, 1.0), mesh.depth);
        material.finish.x = mesh.gloss;
        if let Some(wire) = mesh.wire {
            material.wire = vec4(wire.color);
            material.finish.w = wire.width_px.max(0.0);
        }
        material.kind[1] = match mesh.shading {
            Shading::Lit => 0,
            Shading::Unlit => 1,
            Shading::Normals => 2,
        };
        material.kind[2] = smooth | if mesh.casts_shadow { SHADED } else { 0 };
        material.with_paint(mesh.paint())
    }

    /// The material of a crowd: lit and opaque, without shadows.
    pub(super) fn of_crowd(paint: &Paint, gloss: f32, has_normals: bool) -> Self {
        let mut material = Self::plain(1.0, Depth::Tested);
        material.finish.x = gloss;
        material.kind[2] = if has_normals { SMOOTH } else { 0 };
        material.with_paint(paint)
    }

    fn with_paint(mut self, paint: &Paint) -> Self {
        match paint {
            Paint::Solid(color) => {
                self.kind[0] = SOLID;
                self.color = vec4(*color);
            }
            Paint::Vertices(_) | Paint::Faces(_) => self.kind[0] = STREAM,
            Paint::Scalar(scalar) => {
                let range = scalar.high - scalar.low;
                self.kind[0] = SCALAR;
                self.kind[3] = ramp_row(scalar.ramp);
                self.scalar =
                    Vec4::new(scalar.low, if range.abs() > 0.0 { 1.0 / range } else { 0.0 }, 0.0, 0.0);
                if let Some(contours) = scalar.contours {
                    self.scalar.z = contours.bands as f32;
                    self.scalar.w = contours.width_px;
                    self.contour = vec4(contours.color);
                }
            }
            Paint::Texture(paint) => {
                self.kind[0] = TEXTURE;
                self.kind[2] |= if paint.vertices.is_some() { VERTEX_COLORS } else { 0 };
                self.color = vec4(paint.tint);
                let size = Vec2::new(paint.texture.width() as f32, paint.texture.height() as f32);
                self.picture = size.extend(paint.alpha_cutoff.unwrap_or(-1.0)).extend(0.0);
            }
        }
        self
    }

    /// The material of lines, whose colors are in their vertices.
    pub(super) fn of_lines(lines: &LineLayer) -> Self {
        Self::plain(1.0, lines.depth)
    }

    /// The material of an outline.
    pub(super) fn of_outline(mesh: &MeshLayer) -> Self {
        Self::plain(mesh.opacity.clamp(0.0, 1.0), mesh.depth)
    }
}

fn hidden_opacity(depth: Depth) -> f32 {
    match depth {
        Depth::Tested => 1.0,
        Depth::XRay { hidden_opacity } => hidden_opacity.clamp(0.0, 1.0),
    }
}

/// The color ramps in the order of their rows.
pub(super) const RAMPS: [Ramp; 3] = [Ramp::Heat, Ramp::Ember, Ramp::Balance];

fn ramp_row(ramp: Ramp) -> u32 {
    match ramp {
        Ramp::Heat => 0,
        Ramp::Ember => 1,
        Ramp::Balance => 2,
    }
}

/// Mirrors `Backdrop` in backdrop.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct BackdropUniform {
    pub(super) top: Vec4,
    pub(super) bottom: Vec4,
    pub(super) size: Vec4,
    pub(super) eye: Vec4,
    pub(super) ray: Vec4,
    pub(super) right: Vec4,
    pub(super) down: Vec4,
    pub(super) ahead: Vec4,
    pub(super) ground: Vec4,
    pub(super) grid: Vec4,
    pub(super) grid_color: Vec4,
    pub(super) axis_x: Vec4,
    pub(super) axis_z: Vec4,
    pub(super) shadow_color: Vec4,
    pub(super) mask: Vec4,
    pub(super) mask_size: Vec4,
}

impl BackdropUniform {
    /// The background without a ground.
    pub(super) fn wall(background: Background, size: Vec2) -> Self {
        let (top, bottom) = match background {
            Background::Transparent => (Vec4::ZERO, Vec4::ZERO),
            Background::Solid(color) => (vec4(color), vec4(color)),
            Background::Gradient { top, bottom } => (vec4(top), vec4(bottom)),
        };
        Self { top, bottom, size: size.extend(0.0).extend(0.0), ..Self::zeroed() }
    }
}

/// Mirrors `Mask` in ground_shadow.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MaskUniform {
    pub(super) corner: Vec4,
    pub(super) size: Vec4,
    pub(super) limits: Vec4,
    pub(super) radii: [u32; 4],
    pub(super) step: [i32; 4],
}

/// A color for shaders: linear with straight alpha.
pub(super) fn vec4(color: Color) -> Vec4 {
    color.rgb().extend(color.a)
}
