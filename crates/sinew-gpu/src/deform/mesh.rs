//! A mesh on the GPU: everything that stays the same from frame to frame.

mod words;

#[cfg(test)]
pub(super) use words::unorm16_steps;

use super::{
    layout::{Influences, MeshLayout},
    method::GpuMethod,
};
use crate::{GpuError, error::check_size};
use sinew::{DirectMushData, Mesh, Method, MushDetail, Weights};
use wgpu::util::DeviceExt;
use words::{contact_words, lists_of, morph_lists, morph_stride, planes, quads};

/// Which streams of a mesh are uploaded, and how closely they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshOptions {
    /// Normals, where the mesh has them.
    pub normals: bool,
    /// Tangents, where the mesh has them.
    pub tangents: bool,
    /// Directions folded into one word and weights of 16 bits with exact sums: 44 instead of 68 bytes a vertex are moved
    /// with four influences, directions are within 0.004 degrees, weights within 1/65536.
    pub compact: bool,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { normals: true, tangents: true, compact: false }
    }
}

/// The streams, influences, morph targets and centers of one mesh in GPU memory.
///
/// A mesh without weights hangs on one joint: its poses have one matrix.
#[derive(Debug)]
pub struct SkinnedMesh {
    pub(super) layout: MeshLayout,
    pub(super) vertices: u32,
    /// Words from one plane to the next.
    pub(super) plane: u32,
    pub(super) planes: wgpu::Buffer,
    pub(super) quads: Option<wgpu::Buffer>,
    pub(super) lists: Option<wgpu::Buffer>,
    pub(super) moments: Option<GpuMoments>,
    /// Lists of morph targets, then those of muscles.
    pub(super) shapes: Option<wgpu::Buffer>,
    pub(super) morph_targets: usize,
    pub(super) muscles: MuscleSpan,
    /// The word of `shapes` at which the lists of muscles begin.
    pub(super) muscle_lists: u32,
    pub(super) slot_count: usize,
    /// The word of `planes` at which the bones of contact skinning begin.
    pub(super) contact_bones: u32,
    /// The number of bones of contact skinning.
    contact_slots: usize,
    /// True if dual quaternion skinning is blended with linear blend skinning, which the kernels do not support.
    pub(super) has_blend_map: bool,
    /// Bytes of lists that lie beside the planes, for [`SkinnedMesh::bytes_moved`].
    influence_bytes: u64,
    muscle_bytes: u64,
}

/// The slots of a skin from the first to the last muscle. Muscles are mostly its last joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MuscleSpan {
    /// The first slot with a muscle weight.
    pub first: usize,
    /// The number of slots from there to the last one; zero without muscles.
    pub count: usize,
}

impl MuscleSpan {
    fn of(weights: Option<&Weights>) -> Self {
        let slots = weights.map_or_else(Vec::new, Weights::muscle_slots);
        let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return Self::default() };
        Self { first: usize::from(*first), count: usize::from(last - first) + 1 }
    }
}

/// The precomputed moments of direct delta mush.
#[derive(Debug)]
pub(super) struct GpuMoments {
    pub(super) buffer: wgpu::Buffer,
    /// The distance between two entries, in 32-bit words.
    pub(super) stride: u32,
    slot_count: usize,
}

/// Planes begin at multiples of a cache line.
const PLANE_STEP: u32 = 32;

impl SkinnedMesh {
    /// Uploads `mesh`.
    ///
    /// # Errors
    /// If it does not fit into the device's buffers.
    pub fn new(device: &wgpu::Device, mesh: &Mesh, options: MeshOptions) -> Result<Self, GpuError> {
        let weights = mesh.weights().map(|w| &**w);
        let muscles = MuscleSpan::of(weights);
        let precomputed = mesh.precomputed();
        let mush = precomputed.direct_mush.as_deref().filter(|m| m.parts().detail != MushDetail::Full);
        let layout = MeshLayout {
            normals: options.normals && !mesh.normals().is_empty(),
            tangents: options.tangents && !mesh.tangents().is_empty(),
            compact: options.compact,
            influences: Influences::of(weights, options.compact),
            centers: precomputed.centers.is_some(),
            mush_pivots: mush.is_some(),
            contacts: precomputed.contact.is_some(),
            muscles: muscles.count > 0,
        };
        let count = mesh.positions().len();
        let bytes = |words: usize| 4 * words as u64;
        let words = layout.words() as usize;
        check_size(
            device,
            "the mesh",
            bytes(count.next_multiple_of(PLANE_STEP as usize).saturating_mul(words)),
        )?;
        // The check above bounds the count.
        let vertices = count as u32;
        let plane = vertices.next_multiple_of(PLANE_STEP);
        let mut mesh_words = planes(mesh, &layout, plane);
        // The bones of contact skinning lie behind the planes, so that no buffer is needed for them.
        let contact_bones = u32::try_from(mesh_words.len()).unwrap_or(u32::MAX);
        if let Some(contact) = &precomputed.contact {
            mesh_words.extend(contact_words(contact));
        }
        let planes = upload(device, "sinew mesh", &mesh_words)?;
        let quads = layout.quads().then(|| upload(device, "sinew positions", &quads(mesh))).transpose()?;
        let lists = match (layout.influences, weights) {
            (Influences::Lists, Some(weights)) => {
                Some(lists_of(weights.vertex_count(), 0, |v| weights.influences(v)))
            }
            _ => None,
        };
        let influence_bytes = lists.as_ref().map_or(0, |l| bytes(l.len()));
        let lists = lists.map(|l| upload(device, "sinew influences", &l)).transpose()?;
        let moments = mush.map(|m| GpuMoments::upload(device, m)).transpose()?;
        let morph_targets = mesh.morphs().len();
        let mut shapes = if morph_targets > 0 { morph_lists(mesh, &layout) } else { Vec::new() };
        let muscle_lists = u32::try_from(shapes.len()).unwrap_or(u32::MAX);
        if let Some(weights) = weights.filter(|_| layout.muscles) {
            let entries = |v| weights.muscle_influences(v);
            shapes.extend(lists_of(weights.vertex_count(), muscles.first as u16, entries));
        }
        let muscle_bytes = bytes(shapes.len() - muscle_lists as usize);
        let shapes = (!shapes.is_empty()).then(|| upload(device, "sinew shapes", &shapes)).transpose()?;
        let slot_count = weights.map_or(1, Weights::slot_count);
        Ok(Self {
            layout,
            has_blend_map: precomputed.blend_map.is_some(),
            vertices,
            plane,
            planes,
            quads,
            lists,
            moments,
            shapes,
            morph_targets,
            muscles,
            muscle_lists,
            slot_count,
            contact_bones,
            contact_slots: precomputed.contact.as_ref().map_or(0, |contact| contact.slot_count()),
            influence_bytes,
            muscle_bytes,
        })
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// How many shapes it has.
    pub fn morph_targets(&self) -> usize {
        self.morph_targets
    }

    /// The slots of its muscles.
    pub fn muscles(&self) -> MuscleSpan {
        self.muscles
    }

    /// True if directions are folded and weights have 16 bits.
    pub fn is_compact(&self) -> bool {
        self.layout.compact
    }

    /// Bytes that deforming by `method` must read for each vertex once, and write for each vertex and pose; `None` if the
    /// GPU does not support the method.
    pub fn bytes_moved(&self, method: Method) -> Option<(f64, f64)> {
        let method = GpuMethod::of(method)?;
        let (read, written) = self.layout.bytes_moved(&method);
        let moments = self.moments.as_ref().filter(|_| method.has_moments);
        let lists = moments.map_or(self.influence_bytes, |moments| moments.buffer.size()) + self.muscle_bytes;
        Some((read as f64 + lists as f64 / f64::from(self.vertices.max(1)), written as f64))
    }

    /// Words of a shape's entry, zero where there are no shapes.
    pub(super) fn morph_stride(&self) -> u32 {
        if self.morph_targets == 0 { 0 } else { morph_stride(&self.layout) }
    }

    /// How many joints a pose must have at least for `method`.
    pub(super) fn slots_for(&self, method: &GpuMethod) -> usize {
        let moments = self.moments.as_ref().filter(|_| method.has_moments);
        let contacts = if method.has_contacts { self.contact_slots } else { 0 };
        moments.map_or(self.slot_count.max(contacts), |moments| moments.slot_count)
    }
}

impl GpuMoments {
    fn upload(device: &wgpu::Device, mush: &DirectMushData) -> Result<Self, GpuError> {
        let keeps_first = mush.parts().detail == MushDetail::First;
        let stride = if keeps_first { 5 } else { 2 };
        let mut words = mush.parts().first.clone();
        for vertex in 0..mush.vertex_count() {
            for m in mush.of(vertex) {
                words.extend([u32::from(m.slot), m.weight.to_bits()]);
                if keeps_first {
                    words.extend(m.first.to_array().map(f32::to_bits));
                }
            }
        }
        let buffer = upload(device, "sinew moments", &words)?;
        Ok(Self { buffer, stride, slot_count: mush.slot_count() })
    }
}

/// A storage buffer with `words` in it, never of no size.
fn upload(device: &wgpu::Device, label: &'static str, words: &[u32]) -> Result<wgpu::Buffer, GpuError> {
    check_size(device, label, 4 * words.len() as u64)?;
    let contents: &[u32] = if words.is_empty() { &[0; 4] } else { words };
    Ok(device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some(label),
        contents: bytemuck::cast_slice(contents),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
    }))
}
