//! Instanced drawing of one mesh with vertices that were deformed on the GPU.

use std::sync::Arc;

use sinew_view::camera::{Camera, box_corners};
use sinew_view::glam::Vec3;
use sinew_view::layer::MeshLayer;
use sinew_view::paint::Paint;

use super::layer_buffers::paint_sources;
use super::pipelines::DrawShape;
use super::renderer::{Renderer, uniform_buffer};
use super::stream::{Gpu, GrowBuffer, Stream, StreamOrder};
use super::textures::{GpuTextures, TextureKey};
use super::uniform_blocks::CompactBlocks;
use super::uniforms::MaterialUniform;
use crate::GpuError;
use crate::deform::Deformed;

/// Normals of a crowd's vertices, in the order of the positions.
#[derive(Clone, Copy, Debug)]
pub enum CrowdNormals<'a> {
    /// No normals: the crowd is flat-shaded.
    Flat,
    /// Three `f32` per vertex, tightly packed.
    Floats(&'a wgpu::Buffer),
    /// Interleaved with the positions: each is followed by a word with its [folded](crate::deform::fold) normal.
    Folded,
}

/// The buffers of a crowd; all have the usage `STORAGE`.
#[derive(Clone, Copy, Debug)]
pub struct CrowdStreams<'a> {
    /// Three `f32` per vertex, and a fourth word with [`CrowdNormals::Folded`], tightly packed: all vertices of the first
    /// instance, then of the next.
    pub positions: &'a wgpu::Buffer,
    /// Normals in the order of the positions.
    pub normals: CrowdNormals<'a>,
    /// `world_from_mesh` of each instance: three rows of four `f32`.
    pub world_from_mesh: &'a wgpu::Buffer,
    /// Number of instances to draw.
    pub instances: u32,
}

impl<'a> CrowdStreams<'a> {
    /// The output of a deform job on the GPU, with one transform per instance.
    pub fn of(deformed: &'a Deformed, world_from_mesh: &'a wgpu::Buffer, instances: u32) -> Self {
        let normals = match deformed.normals() {
            Some(normals) => CrowdNormals::Floats(normals),
            None if deformed.position_stride() == 16 => CrowdNormals::Folded,
            None => CrowdNormals::Flat,
        };
        Self { positions: deformed.positions(), normals, world_from_mesh, instances }
    }

    /// Stride of positions in 32-bit words.
    fn position_words(&self) -> u32 {
        if matches!(self.normals, CrowdNormals::Folded) { 4 } else { 3 }
    }
}

/// Many instances of one mesh. They are lit like a layer but neither cast nor receive shadows.
#[derive(Debug)]
pub struct Crowd {
    shape: DrawShape,
    material: CompactBlocks,
    indices: GrowBuffer,
    corners: u32,
    vertices: u32,
    instances: u32,
    streams: wgpu::BindGroup,
    paint: Stream,
    tint: Stream,
    /// Placeholder for streams that the paint does not have.
    blank: GrowBuffer,
    textures: Option<(GpuTextures, TextureKey)>,
    /// Bounds of all instances in world space, which improve the precision of depths.
    pub bounds: Option<(Vec3, Vec3)>,
}

impl Renderer {
    /// A crowd of `layer`'s mesh: its triangles, texture coordinates, paint and gloss. Vertex positions
    /// come from `streams`; wires, outlines and opacity are not drawn.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] on devices without storage buffers and for paints with a color per triangle,
    /// [`GpuError::TooSmall`] for streams that do not contain all instances.
    pub fn crowd(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        layer: &MeshLayer,
        streams: CrowdStreams<'_>,
    ) -> Result<Crowd, GpuError> {
        let gpu = Gpu { device, queue };
        let layouts = &self.pipelines.layouts;
        let layout =
            layouts.crowd.as_ref().ok_or(GpuError::Unsupported { what: "storage buffers for crowds" })?;
        if matches!(layer.paint(), Paint::Faces(_)) {
            return Err(GpuError::Unsupported { what: "crowds with a color per triangle" });
        }
        let vertices = u32::try_from(layer.geometry().positions().len()).unwrap_or(u32::MAX);
        check(&streams, vertices)?;
        let (folded, has_normals) = kind(&streams);
        let mut uniform = MaterialUniform::of_crowd(layer.paint(), layer.gloss, has_normals);
        let mut textures = None;
        if let Paint::Texture(paint) = layer.paint() {
            let mut held = GpuTextures::new(gpu, &layouts.picture);
            let (key, size) = held.follow(gpu, &layouts.picture, paint);
            (uniform.picture.x, uniform.picture.y) = (size.x, size.y);
            textures = Some((held, key));
        }
        let mut crowd = Crowd {
            shape: DrawShape::Crowd { folded, has_normals },
            material: CompactBlocks::new(device, "sinew crowd material", size_of::<MaterialUniform>()),
            indices: GrowBuffer::new("sinew crowd indices", wgpu::BufferUsages::INDEX),
            corners: u32::try_from(layer.geometry().triangles().len() * 3).unwrap_or(0),
            vertices,
            instances: streams.instances,
            streams: bind(gpu, layout, &streams, vertices),
            paint: Stream::new("sinew crowd paint"),
            tint: Stream::new("sinew crowd tint"),
            blank: GrowBuffer::new("sinew crowd blank", wgpu::BufferUsages::VERTEX),
            textures,
            bounds: None,
        };
        crowd.material.push(&uniform);
        crowd.material.write(gpu, &layouts.block)?;
        crowd.upload(gpu, layer)?;
        Ok(crowd)
    }

    /// Replaces the buffers or the number of instances.
    ///
    /// # Errors
    /// As [`Renderer::crowd`]; the kind of normals must stay the same.
    pub fn follow_crowd(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        crowd: &mut Crowd,
        streams: CrowdStreams<'_>,
    ) -> Result<(), GpuError> {
        let layout = self.pipelines.layouts.crowd.as_ref();
        let layout = layout.ok_or(GpuError::Unsupported { what: "storage buffers for crowds" })?;
        let (folded, has_normals) = kind(&streams);
        let same_kind = crowd.shape == DrawShape::Crowd { folded, has_normals };
        if !same_kind {
            return Err(GpuError::Unsupported { what: "crowds that change the kind of their normals" });
        }
        check(&streams, crowd.vertices)?;
        crowd.streams = bind(Gpu { device, queue }, layout, &streams, crowd.vertices);
        crowd.instances = streams.instances;
        Ok(())
    }
}

impl Crowd {
    /// Number of instances to draw.
    pub fn instances(&self) -> u32 {
        self.instances
    }

    /// Number of vertices of one instance.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    fn upload(&mut self, gpu: Gpu<'_>, layer: &MeshLayer) -> Result<(), GpuError> {
        let (paint, tint) = paint_sources(layer);
        let mut scratch = Vec::new();
        self.paint.follow(gpu, paint, &StreamOrder::Shared, &mut scratch)?;
        self.tint.follow(gpu, tint, &StreamOrder::Shared, &mut scratch)?;
        let positions: &Arc<[Vec3]> = layer.geometry().positions();
        self.blank.write(gpu, bytemuck::cast_slice(positions))?;
        self.indices.write(gpu, bytemuck::cast_slice(layer.geometry().triangles()))?;
        Ok(())
    }

    pub(super) fn shape(&self) -> DrawShape {
        self.shape
    }

    /// Points that the depth range must contain; without bounds, everything in front of the camera.
    pub(super) fn corners(&self, camera: &Camera) -> Vec<Vec3> {
        match self.bounds {
            Some((low, high)) => box_corners(low, high).to_vec(),
            None => {
                let back = (camera.eye - camera.target) * 100.0;
                vec![camera.eye, camera.eye + back, camera.eye - back]
            }
        }
    }

    /// Draws all instances; the pipeline and the frame's bind group are already set.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, plain: &wgpu::BindGroup) {
        let (Some(material), Some(indices), Some(blank)) =
            (self.material.group(), self.indices.get(), self.blank.get())
        else {
            return;
        };
        if self.corners == 0 || self.instances == 0 {
            return;
        }
        let picture = self.textures.as_ref().map_or(plain, |(textures, key)| textures.get(Some(*key)));
        pass.set_bind_group(1, material, &[0]);
        pass.set_bind_group(2, picture, &[]);
        pass.set_bind_group(3, &self.streams, &[]);
        pass.set_vertex_buffer(0, self.paint.get().unwrap_or(blank).slice(..));
        pass.set_vertex_buffer(1, self.tint.get().unwrap_or(blank).slice(..));
        pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.corners, 0, 0..self.instances);
    }
}

/// Whether normals are interleaved with the positions, and whether there are any.
fn kind(streams: &CrowdStreams<'_>) -> (bool, bool) {
    match streams.normals {
        CrowdNormals::Flat => (false, false),
        CrowdNormals::Floats(_) => (false, true),
        CrowdNormals::Folded => (true, true),
    }
}

/// Rejects buffers that do not contain all instances: shaders would read out of bounds.
fn check(streams: &CrowdStreams<'_>, vertices: u32) -> Result<(), GpuError> {
    let all = u64::from(vertices) * u64::from(streams.instances);
    let normals = match streams.normals {
        CrowdNormals::Flat | CrowdNormals::Folded => None,
        CrowdNormals::Floats(buffer) => Some(buffer),
    };
    let wanted = [
        ("positions of the crowd", Some(streams.positions), all * 4 * u64::from(streams.position_words())),
        ("normals of the crowd", normals, all * 12),
        ("transforms of the crowd", Some(streams.world_from_mesh), u64::from(streams.instances) * 48),
    ];
    for (what, buffer, wanted) in wanted {
        if let Some(bytes) = buffer.map(wgpu::Buffer::size).filter(|&bytes| bytes < wanted) {
            return Err(GpuError::TooSmall { what, bytes, wanted });
        }
    }
    Ok(())
}

fn bind(
    gpu: Gpu<'_>,
    layout: &wgpu::BindGroupLayout,
    streams: &CrowdStreams<'_>,
    vertices: u32,
) -> wgpu::BindGroup {
    let size = uniform_buffer(gpu.device, "sinew crowd size", 16);
    gpu.queue.write_buffer(&size, 0, bytemuck::bytes_of(&[vertices, streams.position_words(), 0, 0]));
    let normals = match streams.normals {
        CrowdNormals::Flat | CrowdNormals::Folded => streams.positions,
        CrowdNormals::Floats(buffer) => buffer,
    };
    let buffers = [&size, streams.positions, normals, streams.world_from_mesh];
    let mut number = 0;
    let entries = buffers.map(|buffer| {
        let binding = number;
        number += 1;
        wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
    });
    let label = Some("sinew crowd");
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
}
