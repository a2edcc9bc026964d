//! The renderer of scenes.

use bytemuck::Zeroable;
use sinew_view::glam::{Vec2, Vec3};
use sinew_view::layer::{MeshLayer, SceneLayer, Sides};
use sinew_view::scene::Scene;

use super::crowd::Crowd;
use super::draw_order::{Draw, DrawPass, PassItem, SortedLayers};
use super::ground::GroundUniform;
use super::layer_buffers::{DrawSlot, LineVertex};
use super::pipelines::{PipelineKey, PipelineStage, Pipelines};
use super::ramp_texture::ramp_texture;
use super::scene_extent;
use super::shadow_map::GpuShadowMap;
use super::stream::Gpu;
use super::target::RenderTarget;
use super::textures::GpuTextures;
use super::uniform_blocks::CompactBlocks;
use super::uniforms::{BackdropUniform, FrameUniform, MaterialUniform};
use super::view_uniform::ViewUniform;
use crate::GpuError;
use crate::deform::Deformed;

/// Format and sample count of a renderer's targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RendererOptions {
    /// Color format: an eight-bit one with the sRGB curve, or `Rgba16Float`.
    pub format: wgpu::TextureFormat,
    /// Samples per pixel: 1 or 4, or another count that the device supports for the format.
    pub samples: u32,
}

impl Default for RendererOptions {
    /// Four samples of eight-bit sRGB, which every device supports.
    fn default() -> Self {
        Self { format: wgpu::TextureFormat::Rgba8UnormSrgb, samples: 4 }
    }
}

/// Draws scenes on the caller's device.
///
/// Pipelines are created on first use and cached. Streams of a scene stay on the GPU as long as the
/// scene has the same shared buffers at the same index in its list of layers; a new frame of an animation
/// uploads only what moved, into existing buffers.
#[derive(Debug)]
pub struct Renderer {
    options: RendererOptions,
    pub(super) pipelines: Pipelines,
    uniform: wgpu::Buffer,
    backdrop: wgpu::Buffer,
    groups: BindGroups,
    materials: CompactBlocks,
    slots: Vec<DrawSlot>,
    textures: GpuTextures,
    shadow_map: GpuShadowMap,
    floor: GroundUniform,
    plan: Vec<DrawPass>,
    casters: Casters,
    scratch: RenderScratch,
    pub(super) picker: super::pick::Picker,
}

#[derive(Debug)]
struct BindGroups {
    /// Camera and lights without shadow map, for the passes that draw the shadow maps.
    view: wgpu::BindGroup,
    frame: wgpu::BindGroup,
    backdrop: wgpu::BindGroup,
}

/// Indices of the layers that cast shadows.
#[derive(Debug, Default)]
struct Casters {
    on_meshes: Vec<usize>,
    on_ground: Vec<usize>,
}

#[derive(Debug, Default)]
struct RenderScratch {
    points: Vec<Vec3>,
    lines: Vec<LineVertex>,
}

impl Renderer {
    /// Creates a renderer for targets of one format and sample count.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for formats that are neither sRGB bytes nor half floats.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        options: RendererOptions,
    ) -> Result<Self, GpuError> {
        use wgpu::TextureFormat::{Bgra8UnormSrgb, Rgba8UnormSrgb, Rgba16Float};
        if !matches!(options.format, Rgba8UnormSrgb | Bgra8UnormSrgb | Rgba16Float) {
            return Err(GpuError::Unsupported { what: "support for drawing in that color format" });
        }
        let gpu = Gpu { device, queue };
        let pipelines = Pipelines::new(device, options);
        let layouts = &pipelines.layouts;
        let uniform = uniform_buffer(device, "sinew frame", size_of::<FrameUniform>());
        let backdrop = uniform_buffer(device, "sinew backdrop", size_of::<BackdropUniform>());
        let shadow_map = GpuShadowMap::new(device);
        let floor = GroundUniform::new(device, layouts);
        let ramps = ramp_texture(gpu);
        let group = |layout, buffer: &wgpu::Buffer, views: &[&wgpu::TextureView]| {
            let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }];
            entries.extend((1..).zip(views).map(|(binding, view)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::TextureView(view),
            }));
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sinew frame"),
                layout,
                entries: &entries,
            })
        };
        let groups = BindGroups {
            view: group(&layouts.view, &uniform, &[]),
            frame: group(&layouts.frame, &uniform, &[&ramps, &shadow_map.view]),
            backdrop: group(&layouts.backdrop, &backdrop, &[&floor.masks[0]]),
        };
        Ok(Self {
            options,
            materials: CompactBlocks::new(device, "sinew materials", size_of::<MaterialUniform>()),
            textures: GpuTextures::new(gpu, &layouts.picture),
            picker: super::pick::Picker::new(device),
            pipelines,
            uniform,
            backdrop,
            groups,
            slots: Vec::new(),
            shadow_map,
            floor,
            plan: Vec::new(),
            casters: Casters::default(),
            scratch: RenderScratch::default(),
        })
    }

    /// Format and samples of the targets that the renderer draws into.
    pub fn options(&self) -> RendererOptions {
        self.options
    }

    /// Uploads what changed since the last frame, for a picture of `size` (width, height) in pixels.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for streams that the device has no buffer for, [`GpuError::TooManyLights`] for
    /// more lights than shaders support.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        self.prepare_with(device, queue, scene, &[], size)
    }

    /// As [`Renderer::prepare`], with crowds among the scene's opaque layers.
    ///
    /// # Errors
    /// As [`Renderer::prepare`].
    pub fn prepare_with(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        crowds: &[&Crowd],
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        let gpu = Gpu { device, queue };
        let size = Vec2::new(size.0.max(1) as f32, size.1.max(1) as f32);
        let corners: Vec<Vec3> = crowds.iter().flat_map(|crowd| crowd.corners(&scene.camera)).collect();
        let view = ViewUniform::new(&scene.camera, size, scene_extent::distances(scene, &corners));
        let mut frame = FrameUniform::new(&view, &scene.lights)?;
        self.shadow_map.fit(&mut frame, &scene.layers, scene.lights.shadow);
        queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&frame));
        let mut backdrop = BackdropUniform::wall(scene.background, size);
        self.floor.fit(gpu, &self.pipelines.layouts, scene, frame.key(), &mut backdrop)?;
        queue.write_buffer(&self.backdrop, 0, bytemuck::bytes_of(&backdrop));
        self.upload(gpu, scene, &view)?;
        for key in [PipelineKey::Backdrop, PipelineKey::ShadowMap, PipelineKey::CastShadow, PipelineKey::Blur]
        {
            self.pipelines.make(device, key);
        }
        for draw in self.plan.iter().flat_map(|pass| &pass.draws) {
            self.pipelines.make(device, PipelineKey::Layer(draw.part.shape(), draw.step));
        }
        for crowd in crowds {
            self.pipelines.make(device, PipelineKey::Layer(crowd.shape(), PipelineStage::Opaque));
            self.pipelines.make(device, PipelineKey::Layer(crowd.shape(), PipelineStage::Depth));
        }
        Ok(())
    }

    fn upload(&mut self, gpu: Gpu<'_>, scene: &Scene, view: &ViewUniform) -> Result<(), GpuError> {
        self.slots.truncate(scene.layers.len());
        self.slots.resize_with(scene.layers.len(), DrawSlot::new);
        self.materials.clear();
        self.casters.on_meshes.clear();
        self.casters.on_ground.clear();
        let mut sorted = SortedLayers::default();
        for (number, layer) in scene.layers.iter().enumerate() {
            self.slots[number].make_room(layer);
            let draws = match layer {
                SceneLayer::Mesh(mesh) => self.upload_mesh(gpu, number, mesh, view)?,
                SceneLayer::Lines(lines) => {
                    self.slots[number].lines.follow(gpu, lines, &mut self.scratch.lines)?;
                    let material = self.materials.push(&MaterialUniform::of_lines(lines));
                    [
                        Some(Draw {
                            part: PassItem::Lines,
                            step: PipelineStage::Opaque,
                            slot: number,
                            material,
                            texture: None,
                        }),
                        None,
                    ]
                }
            };
            sorted.add(layer, draws);
            if scene_extent::caster_on_meshes(layer).is_some() {
                self.casters.on_meshes.push(number);
            }
            if scene_extent::caster_on_ground(layer).is_some() {
                self.casters.on_ground.push(number);
            }
        }
        self.textures.end_frame();
        if scene.layers.is_empty() {
            self.materials.push(&MaterialUniform::zeroed());
        }
        self.materials.write(gpu, &self.pipelines.layouts.block)?;
        self.plan = sorted.passes();
        Ok(())
    }

    fn upload_mesh(
        &mut self,
        gpu: Gpu<'_>,
        number: usize,
        mesh: &MeshLayer,
        view: &ViewUniform,
    ) -> Result<[Option<Draw>; 2], GpuError> {
        let slot = &mut self.slots[number];
        slot.mesh.follow(gpu, mesh, &mut self.scratch.points)?;
        let mut material = MaterialUniform::of_mesh(mesh);
        let mut texture = None;
        if let sinew_view::paint::Paint::Texture(paint) = mesh.paint() {
            let (key, size) = self.textures.follow(gpu, &self.pipelines.layouts.picture, paint);
            (material.picture.x, material.picture.y) = (size.x, size.y);
            texture = Some(key);
        }
        let part = PassItem::Mesh { front_only: mesh.sides == Sides::Front };
        let material = self.materials.push(&material);
        let draw = Draw { part, step: PipelineStage::Opaque, slot: number, material, texture };
        let Some(stroke) = mesh.outline else { return Ok([Some(draw), None]) };
        slot.outline.follow(gpu, view, mesh, stroke, &mut self.scratch.lines)?;
        let material = self.materials.push(&MaterialUniform::of_outline(mesh));
        Ok([Some(draw), Some(Draw { part: PassItem::Outline, material, texture: None, ..draw })])
    }

    /// Records that layer `layer` of the prepared scene gets its positions and normals from `deformed`, whose vertices from
    /// `first_vertex` on are the layer's. Call it between [`Renderer::prepare`] and [`Renderer::draw`].
    ///
    /// Returns false and changes nothing for layers with unshared corners (wires, a color per triangle), for compact
    /// vertices and for lines: they are drawn from the scene. Outlines and the extent of shadows always follow the scene,
    /// not `deformed`.
    pub fn take_points(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        layer: usize,
        deformed: &Deformed,
        first_vertex: u32,
    ) -> bool {
        self.slots.get(layer).is_some_and(|slot| slot.mesh.take_points(encoder, deformed, first_vertex))
    }

    /// Records the prepared scene. `target` must have the renderer's options and the size that was prepared.
    pub fn draw(&self, encoder: &mut wgpu::CommandEncoder, target: &RenderTarget) {
        self.draw_with(encoder, target, &[]);
    }

    /// As [`Renderer::draw`], with the crowds that were prepared.
    pub fn draw_with(&self, encoder: &mut wgpu::CommandEncoder, target: &RenderTarget, crowds: &[&Crowd]) {
        self.draw_shadows(encoder);
        for (number, pass) in self.plan.iter().enumerate() {
            let is_last = number + 1 == self.plan.len();
            let mut render = self.begin(encoder, target, pass, number == 0, is_last);
            render.set_bind_group(0, &self.groups.frame, &[]);
            // Later passes that compare with opaque depths draw them again.
            let again = number > 0 && !pass.keeps_marks;
            for crowd in crowds.iter().filter(|_| number == 0 || again) {
                let step = if again { PipelineStage::Depth } else { PipelineStage::Opaque };
                if let Some(pipeline) = self.pipelines.get(PipelineKey::Layer(crowd.shape(), step)) {
                    render.set_pipeline(pipeline);
                    crowd.draw(&mut render, self.textures.get(None));
                }
            }
            for draw in &pass.draws {
                self.draw_part(&mut render, draw);
            }
        }
    }

    fn draw_part(&self, pass: &mut wgpu::RenderPass<'_>, draw: &Draw) {
        let pipeline = self.pipelines.get(PipelineKey::Layer(draw.part.shape(), draw.step));
        let (Some(pipeline), Some(materials)) = (pipeline, self.materials.group()) else { return };
        let slot = &self.slots[draw.slot];
        pass.set_pipeline(pipeline);
        pass.set_stencil_reference(draw.step.reference());
        pass.set_bind_group(1, materials, &[draw.material]);
        match draw.part {
            PassItem::Mesh { .. } => {
                pass.set_bind_group(2, self.textures.get(draw.texture), &[]);
                slot.mesh.draw(pass, 4);
            }
            PassItem::Lines => slot.lines.draw(pass),
            PassItem::Outline => slot.outline.lines.draw(pass),
        }
    }

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(pipeline) = self.pipelines.get(PipelineKey::ShadowMap)
            && let Some(mut pass) = self.shadow_map.begin(encoder)
        {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.groups.view, &[]);
            self.casters.on_meshes.iter().for_each(|&slot| self.slots[slot].mesh.draw(&mut pass, 1));
        }
        if let (Some(cast), Some(blur)) =
            (self.pipelines.get(PipelineKey::CastShadow), self.pipelines.get(PipelineKey::Blur))
        {
            self.floor.draw(encoder, [cast, blur], |pass| {
                self.casters.on_ground.iter().for_each(|&slot| self.slots[slot].mesh.draw(pass, 1));
            });
        }
    }

    fn begin<'a>(
        &self,
        encoder: &'a mut wgpu::CommandEncoder,
        target: &RenderTarget,
        plan: &DrawPass,
        is_first: bool,
        is_last: bool,
    ) -> wgpu::RenderPass<'a> {
        let (view, resolve_target) = target.colors(is_last);
        let clear = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        // Samples are not needed after they are resolved.
        let keep = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        let depth_store = if is_last { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        let marks = if plan.keeps_marks { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(0) };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("sinew scene"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations {
                    load: if is_first { clear } else { wgpu::LoadOp::Load },
                    store: keep,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: target.depth(),
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: depth_store }),
                stencil_ops: Some(wgpu::Operations { load: marks, store: depth_store }),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        if let Some(pipeline) = self.pipelines.get(PipelineKey::Backdrop).filter(|_| is_first) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.groups.backdrop, &[]);
            pass.draw(0..3, 0..1);
        }
        pass
    }
}

pub(super) fn uniform_buffer(device: &wgpu::Device, label: &str, bytes: usize) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
