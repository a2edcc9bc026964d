//! GPU buffers that mirror shared buffers of a scene.

use std::sync::Arc;

use sinew_view::color::Color;
use sinew_view::glam::{Vec2, Vec3};

use crate::GpuError;

/// A GPU buffer that is reused and grows on demand.
#[derive(Debug)]
pub(super) struct GrowBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl GrowBuffer {
    pub(super) const fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage, buffer: None }
    }

    /// Writes all bytes, into a new buffer if they do not fit or fill only a small part of the old one.
    ///
    /// Returns whether the buffer was replaced.
    pub(super) fn write(&mut self, gpu: Gpu<'_>, bytes: &[u8]) -> Result<bool, GpuError> {
        let wanted = (bytes.len() as u64).max(4);
        let limit = gpu.device.limits().max_buffer_size;
        if wanted > limit {
            return Err(GpuError::TooLarge { what: self.label, bytes: wanted, limit });
        }
        let fits =
            self.buffer.as_ref().is_some_and(|b| b.size() >= wanted && b.size() <= wanted.max(4096) * 8);
        if !fits {
            let size = wanted.checked_next_power_of_two().map_or(wanted, |size| size.min(limit));
            self.buffer = Some(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: size.max(16),
                usage: self.usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.buffer
            && !bytes.is_empty()
        {
            gpu.queue.write_buffer(buffer, 0, bytes);
        }
        Ok(!fits)
    }

    /// Frees the buffer's memory.
    pub(super) fn clear(&mut self) {
        self.buffer = None;
    }

    pub(super) fn get(&self) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref()
    }
}

/// A device with its queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gpu<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) queue: &'a wgpu::Queue,
}

/// The content of a stream, kept alive so that its address stays unique.
#[derive(Clone, Debug, Default)]
pub(super) enum StreamSource {
    #[default]
    Nothing,
    Vectors(Arc<[Vec3]>),
    Coordinates(Arc<[Vec2]>),
    Colors(Arc<[Color]>),
    FaceColors(Arc<[Color]>),
    Numbers(Arc<[f32]>),
}

impl StreamSource {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Vectors(a), Self::Vectors(b)) => Arc::ptr_eq(a, b),
            (Self::Coordinates(a), Self::Coordinates(b)) => Arc::ptr_eq(a, b),
            (Self::Colors(a), Self::Colors(b)) | (Self::FaceColors(a), Self::FaceColors(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Self::Numbers(a), Self::Numbers(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    fn len(&self) -> usize {
        match self {
            Self::Nothing | Self::FaceColors(_) => 0,
            Self::Vectors(all) => all.len(),
            Self::Coordinates(all) => all.len(),
            Self::Colors(all) => all.len(),
            Self::Numbers(all) => all.len(),
        }
    }

    /// The value of a vertex as three floats.
    fn at(&self, vertex: usize, face: usize) -> Vec3 {
        match self {
            Self::Nothing => Vec3::ZERO,
            Self::Vectors(all) => all[vertex],
            Self::Coordinates(all) => {
                let uv = all[vertex];
                if uv.is_finite() { uv.extend(0.0) } else { Vec3::ZERO }
            }
            Self::Colors(all) => all[vertex].rgb(),
            Self::FaceColors(all) => all[face].rgb(),
            Self::Numbers(all) => number(all[vertex]),
        }
    }
}

/// A value and whether it is NaN: shaders cannot be trusted to detect NaN.
fn number(value: f32) -> Vec3 {
    if value.is_nan() { Vec3::Y } else { Vec3::new(value.clamp(-1e18, 1e18), 0.0, 0.0) }
}

/// The order of vertices in a stream.
#[derive(Clone, Debug)]
pub(super) enum StreamOrder {
    /// The order of the mesh; triangles share vertices.
    Shared,
    /// Three unshared vertices for each triangle.
    Split(Arc<[[u32; 3]]>),
}

impl StreamOrder {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Shared, Self::Shared) => true,
            (Self::Split(a), Self::Split(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// A vertex stream of three floats per vertex on the GPU.
#[derive(Debug)]
pub(super) struct Stream {
    source: StreamSource,
    order: StreamOrder,
    buffer: GrowBuffer,
}

impl Stream {
    pub(super) const fn new(label: &'static str) -> Self {
        Self {
            source: StreamSource::Nothing,
            order: StreamOrder::Shared,
            buffer: GrowBuffer::new(label, wgpu::BufferUsages::VERTEX),
        }
    }

    /// Uploads `source` unless it is unchanged; returns whether it did. [`StreamSource::Nothing`] frees the buffer.
    pub(super) fn follow(
        &mut self,
        gpu: Gpu<'_>,
        source: StreamSource,
        order: &StreamOrder,
        scratch: &mut Vec<Vec3>,
    ) -> Result<bool, GpuError> {
        if self.source.is(&source) && self.order.is(order) {
            return Ok(false);
        }
        match (&source, order) {
            (StreamSource::Nothing, _) => self.buffer.clear(),
            (StreamSource::Vectors(all), StreamOrder::Shared) => {
                self.buffer.write(gpu, bytemuck::cast_slice(all))?;
            }
            _ => {
                scratch.clear();
                spread(&source, order, scratch);
                self.buffer.write(gpu, bytemuck::cast_slice(scratch))?;
            }
        }
        self.source = source;
        self.order = order.clone();
        Ok(true)
    }

    /// Number of vectors in the order of the mesh; `None` if the stream has other content.
    pub(super) fn vector_count(&self) -> Option<usize> {
        match (&self.source, &self.order) {
            (StreamSource::Vectors(all), StreamOrder::Shared) => Some(all.len()),
            _ => None,
        }
    }

    /// The buffer, or `None` if the stream is empty.
    pub(super) fn get(&self) -> Option<&wgpu::Buffer> {
        if self.source.is_nothing() { None } else { self.buffer.get() }
    }
}

fn spread(source: &StreamSource, order: &StreamOrder, out: &mut Vec<Vec3>) {
    match order {
        StreamOrder::Shared => out.extend((0..source.len()).map(|vertex| source.at(vertex, 0))),
        StreamOrder::Split(triangles) => {
            for (face, corners) in triangles.iter().enumerate() {
                let values = corners.map(|vertex| source.at(vertex as usize, face));
                // Triangles with a corner that is not finite collapse to a point, which is not drawn.
                let whole = values.iter().all(|value| value.is_finite());
                out.extend(if whole { values } else { [Vec3::ZERO; 3] });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::twin::on_device;
    use super::*;

    #[test]
    fn a_stream_is_uploaded_once_and_a_moved_one_goes_into_the_same_buffer() {
        on_device(|bench| {
            let gpu = Gpu { device: &bench.gpu.device, queue: &bench.gpu.queue };
            let mut stream = Stream::new("test");
            let mut scratch = Vec::new();
            let mut follow = |stream: &mut Stream, source: StreamSource, order: &StreamOrder| {
                stream.follow(gpu, source, order, &mut scratch).unwrap()
            };
            let [first, moved]: [Arc<[Vec3]>; 2] = [vec![Vec3::X; 90].into(), vec![Vec3::Y; 90].into()];
            let held = |all: &Arc<[Vec3]>| StreamSource::Vectors(Arc::clone(all));
            assert!(follow(&mut stream, held(&first), &StreamOrder::Shared));
            assert!(!follow(&mut stream, held(&first), &StreamOrder::Shared));
            let buffer = stream.get().cloned();
            assert!(follow(&mut stream, held(&moved), &StreamOrder::Shared));
            assert_eq!(stream.get().cloned(), buffer);
            let split = StreamOrder::Split(vec![[0, 1, 2]].into());
            assert!(follow(&mut stream, held(&moved), &split));
            assert!(!follow(&mut stream, held(&moved), &split));
            assert!(follow(&mut stream, StreamSource::Nothing, &split));
            assert_eq!((stream.get(), stream.buffer.get()), (None, None));
        });
    }

    #[test]
    fn triangles_that_touch_a_bad_vertex_collapse() {
        let positions: Arc<[Vec3]> = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN].into();
        let order = StreamOrder::Split(vec![[0, 1, 2], [0, 1, 3]].into());
        let mut out = Vec::new();
        spread(&StreamSource::Vectors(positions), &order, &mut out);
        assert_eq!(out, [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO]);
    }

    #[test]
    fn face_colors_are_copied_to_all_corners() {
        let colors = StreamSource::FaceColors(vec![Color::WHITE, Color::BLACK].into());
        let mut out = Vec::new();
        spread(&colors, &StreamOrder::Split(vec![[0, 1, 2], [2, 1, 3]].into()), &mut out);
        assert_eq!(out[2..4], [Vec3::ONE, Vec3::ZERO]);
    }
}
