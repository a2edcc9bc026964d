//! The GPU resources of each layer.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use sinew_view::glam::Vec3;
use sinew_view::layer::{LineLayer, LineSegment, MeshLayer, SceneLayer};
use sinew_view::paint::Paint;

use super::stream::{Gpu, GrowBuffer, Stream, StreamOrder, StreamSource};
use crate::GpuError;
use crate::deform::Deformed;

/// The GPU resources of one layer. Buffers are reused if the layer changes.
#[derive(Debug)]
pub(super) struct DrawSlot {
    pub(super) mesh: MeshSlot,
    pub(super) lines: LineSlot,
    pub(super) outline: super::outline::OutlinePass,
}

impl DrawSlot {
    pub(super) fn new() -> Self {
        Self { mesh: MeshSlot::new(), lines: LineSlot::new(), outline: super::outline::OutlinePass::new() }
    }

    /// Frees the resources of another kind of layer in this slot.
    pub(super) fn make_room(&mut self, layer: &SceneLayer) {
        match layer {
            SceneLayer::Mesh(mesh) => {
                if !self.lines.is_empty() {
                    self.lines = LineSlot::new();
                }
                if mesh.outline.is_none() && !self.outline.lines.is_empty() {
                    self.outline = super::outline::OutlinePass::new();
                }
            }
            SceneLayer::Lines(_) => {
                if self.mesh.positions.get().is_some() {
                    self.mesh = MeshSlot::new();
                    self.outline = super::outline::OutlinePass::new();
                }
            }
        }
    }
}

/// The buffers of a mesh layer.
#[derive(Debug)]
pub(super) struct MeshSlot {
    positions: Stream,
    normals: Stream,
    paint: Stream,
    tint: Stream,
    indices: GrowBuffer,
    triangles: Option<Arc<[[u32; 3]]>>,
    /// The positions that were last checked, and whether all are finite.
    finite: Option<(Arc<[Vec3]>, bool)>,
    is_split: bool,
    corners: u32,
}

impl MeshSlot {
    fn new() -> Self {
        Self {
            positions: Stream::new("sinew positions"),
            normals: Stream::new("sinew normals"),
            paint: Stream::new("sinew paint"),
            tint: Stream::new("sinew tint"),
            indices: GrowBuffer::new("sinew indices", wgpu::BufferUsages::INDEX),
            triangles: None,
            finite: None,
            is_split: false,
            corners: 0,
        }
    }

    /// Uploads the streams that changed.
    pub(super) fn follow(
        &mut self,
        gpu: Gpu<'_>,
        mesh: &MeshLayer,
        scratch: &mut Vec<Vec3>,
    ) -> Result<(), GpuError> {
        let geometry = mesh.geometry();
        let triangles = geometry.triangles();
        self.corners = u32::try_from(triangles.len() * 3).unwrap_or(u32::MAX);
        // Wires, colors per triangle and left-out triangles need unshared corners.
        self.is_split = mesh.wire.is_some()
            || matches!(mesh.paint(), Paint::Faces(_))
            || !self.all_finite(geometry.positions());
        let order =
            if self.is_split { StreamOrder::Split(Arc::clone(triangles)) } else { StreamOrder::Shared };
        self.positions.follow(
            gpu,
            StreamSource::Vectors(Arc::clone(geometry.positions())),
            &order,
            scratch,
        )?;
        let normals =
            geometry.normals().map_or(StreamSource::Nothing, |all| StreamSource::Vectors(Arc::clone(all)));
        self.normals.follow(gpu, normals, &order, scratch)?;
        let (paint, tint) = paint_sources(mesh);
        self.paint.follow(gpu, paint, &order, scratch)?;
        self.tint.follow(gpu, tint, &order, scratch)?;
        let known = self.triangles.as_ref().is_some_and(|known| Arc::ptr_eq(known, triangles));
        if self.is_split {
            self.indices.clear();
            self.triangles = None;
        } else if !known {
            self.indices.write(gpu, bytemuck::cast_slice(triangles))?;
            self.triangles = Some(Arc::clone(triangles));
        }
        Ok(())
    }

    fn all_finite(&mut self, positions: &Arc<[Vec3]>) -> bool {
        match &self.finite {
            Some((known, finite)) if Arc::ptr_eq(known, positions) => *finite,
            _ => {
                let finite = positions.iter().all(|position| position.is_finite());
                self.finite = Some((Arc::clone(positions), finite));
                finite
            }
        }
    }

    /// Copies positions and normals that were deformed on the GPU.
    pub(super) fn take_points(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        deformed: &Deformed,
        first_vertex: u32,
    ) -> bool {
        let (Some(positions), Some(vertices)) = (self.positions.get(), self.positions.vector_count()) else {
            return false;
        };
        let (from, bytes) = (u64::from(first_vertex) * 12, vertices as u64 * 12);
        let is_there = u64::from(deformed.vertices()) * 12 >= from + bytes;
        if self.is_split || deformed.is_compact() || !is_there {
            return false;
        }
        encoder.copy_buffer_to_buffer(deformed.positions(), from, positions, 0, bytes);
        if let (Some(normals), Some(wanted)) = (deformed.normals(), self.normals.get()) {
            encoder.copy_buffer_to_buffer(normals, from, wanted, 0, bytes);
        }
        true
    }

    /// Draws all triangles; `streams` is 1 if positions are enough, otherwise 4.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, streams: u32) {
        let Some(positions) = self.positions.get() else { return };
        if self.corners == 0 {
            return;
        }
        pass.set_vertex_buffer(0, positions.slice(..));
        if streams > 1 {
            // A missing stream is not read: any buffer of the same length will do.
            for (number, stream) in (1..).zip([&self.normals, &self.paint, &self.tint]) {
                pass.set_vertex_buffer(number, stream.get().unwrap_or(positions).slice(..));
            }
        }
        if self.is_split {
            pass.draw(0..self.corners, 0..1);
        } else if let Some(indices) = self.indices.get() {
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..self.corners, 0, 0..1);
        }
    }
}

/// Content of the third and fourth stream for a paint.
pub(super) fn paint_sources(mesh: &MeshLayer) -> (StreamSource, StreamSource) {
    match mesh.paint() {
        Paint::Solid(_) => (StreamSource::Nothing, StreamSource::Nothing),
        Paint::Vertices(colors) => (StreamSource::Colors(Arc::clone(colors)), StreamSource::Nothing),
        Paint::Faces(colors) => (StreamSource::FaceColors(Arc::clone(colors)), StreamSource::Nothing),
        Paint::Scalar(scalar) => (StreamSource::Numbers(Arc::clone(&scalar.values)), StreamSource::Nothing),
        Paint::Texture(paint) => {
            let uvs = mesh.geometry().uvs();
            (
                uvs.map_or(StreamSource::Nothing, |uvs| StreamSource::Coordinates(Arc::clone(uvs))),
                paint
                    .vertices
                    .as_ref()
                    .map_or(StreamSource::Nothing, |colors| StreamSource::Colors(Arc::clone(colors))),
            )
        }
    }
}

/// Mirrors `Line` in lines.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LineVertex {
    pub(super) start: [f32; 3],
    pub(super) width_px: f32,
    pub(super) end: [f32; 3],
    pub(super) nearer: f32,
    pub(super) start_color: [f32; 3],
    pub(super) end_color: [f32; 3],
}

/// The buffers of a line layer.
#[derive(Debug)]
pub(super) struct LineSlot {
    buffer: GrowBuffer,
    source: Option<(Arc<[LineSegment]>, f32)>,
    count: u32,
}

impl LineSlot {
    pub(super) fn new() -> Self {
        Self { buffer: GrowBuffer::new("sinew lines", wgpu::BufferUsages::VERTEX), source: None, count: 0 }
    }

    /// Uploads the layer's lines unless they are unchanged; lines with an end that is not finite are left out.
    pub(super) fn follow(
        &mut self,
        gpu: Gpu<'_>,
        layer: &LineLayer,
        scratch: &mut Vec<LineVertex>,
    ) -> Result<(), GpuError> {
        let width = layer.width_px;
        let known = self.source.as_ref();
        if known.is_some_and(|(known, had)| {
            Arc::ptr_eq(known, &layer.segments) && had.to_bits() == width.to_bits()
        }) {
            return Ok(());
        }
        scratch.clear();
        if width.is_finite() && width > 0.0 {
            let whole = layer.segments.iter().filter(|one| one.from.is_finite() && one.to.is_finite());
            scratch.extend(whole.map(|segment| LineVertex {
                start: segment.from.to_array(),
                width_px: width,
                end: segment.to.to_array(),
                nearer: 1.0,
                start_color: segment.from_color.rgb().to_array(),
                end_color: segment.to_color.rgb().to_array(),
            }));
        }
        self.write(gpu, scratch)?;
        self.source = Some((Arc::clone(&layer.segments), width));
        Ok(())
    }

    /// Uploads lines that belong to no layer.
    pub(super) fn write(&mut self, gpu: Gpu<'_>, lines: &[LineVertex]) -> Result<(), GpuError> {
        self.source = None;
        self.count = u32::try_from(lines.len()).unwrap_or(0);
        if self.count > 0 {
            self.buffer.write(gpu, bytemuck::cast_slice(lines))?;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.buffer.get().is_none()
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some(buffer) = self.buffer.get() else { return };
        if self.count > 0 {
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.draw(0..6, 0..self.count);
        }
    }
}
