//! Deformed streams on the GPU.

use super::{layout::MeshLayout, mesh::SkinnedMesh};
use crate::{GpuError, error::check_size};

/// Positions, normals and tangents of every pose, to be drawn or read back: pose by pose, in the mesh's order.
///
/// Positions are three floating-point numbers a vertex, twelve bytes apart. Normals are the same, tangents four numbers.
/// Of a compact mesh with normals, positions stand sixteen bytes apart, each followed by its normal [folded](super::fold)
/// into a word, and a tangent is a word too. All can be bound as vertex and as storage buffers.
#[derive(Debug)]
pub struct Deformed {
    pub(super) layout: MeshLayout,
    pub(super) vertices: u32,
    pub(super) capacity: usize,
    pub(super) positions: wgpu::Buffer,
    pub(super) normals: Option<wgpu::Buffer>,
    pub(super) tangents: Option<wgpu::Buffer>,
}

impl Deformed {
    /// Room for `capacity` poses of `mesh`.
    ///
    /// # Errors
    /// If they do not fit into the device's buffers.
    pub fn new(device: &wgpu::Device, mesh: &SkinnedMesh, capacity: usize) -> Result<Self, GpuError> {
        let layout = mesh.layout;
        let stream = |what: &'static str, words: u32| {
            let vertices = u64::from(mesh.vertices).saturating_mul(capacity as u64);
            let bytes = vertices.saturating_mul(4 * u64::from(words)).max(16);
            check_size(device, what, bytes)?;
            let usage =
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_SRC;
            let descriptor =
                wgpu::BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation: false };
            Ok::<_, GpuError>(device.create_buffer(&descriptor))
        };
        let optional = |wanted: bool, what, words| wanted.then(|| stream(what, words)).transpose();
        Ok(Self {
            layout,
            vertices: mesh.vertices,
            capacity,
            positions: stream("deformed positions", layout.position_words())?,
            normals: optional(layout.normal_words() > 0, "deformed normals", layout.normal_words())?,
            tangents: optional(layout.tangents, "deformed tangents", layout.tangent_words())?,
        })
    }

    /// Vertices of one pose.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// For how many poses there is room.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// True if directions are folded into a word each.
    pub fn is_compact(&self) -> bool {
        self.layout.compact
    }

    /// Bytes from one position to the next: 16 where a folded normal follows each, 12 otherwise.
    pub fn position_stride(&self) -> u64 {
        4 * u64::from(self.layout.position_words())
    }

    /// Positions, and folded normals between them where [`Deformed::position_stride`] is 16.
    pub fn positions(&self) -> &wgpu::Buffer {
        &self.positions
    }

    /// Three numbers a vertex, where the mesh has normals and they do not stand between the positions.
    pub fn normals(&self) -> Option<&wgpu::Buffer> {
        self.normals.as_ref()
    }

    /// Four numbers or one word a vertex, where the mesh has tangents.
    pub fn tangents(&self) -> Option<&wgpu::Buffer> {
        self.tangents.as_ref()
    }

    /// Every stream with the words of a vertex.
    pub(super) fn streams(&self) -> impl Iterator<Item = (&wgpu::Buffer, u64)> {
        let layout = &self.layout;
        let normals = self.normals.as_ref().map(|b| (b, u64::from(layout.normal_words())));
        let tangents = self.tangents.as_ref().map(|b| (b, u64::from(layout.tangent_words())));
        [Some((&self.positions, u64::from(layout.position_words()))), normals, tangents].into_iter().flatten()
    }
}
