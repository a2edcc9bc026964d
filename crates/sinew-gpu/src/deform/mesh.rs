//! A mesh on the GPU: everything that stays the same from frame to frame.

use super::{
    fold::{fold, fold_tangent},
    layout::{Influences, MeshLayout},
    method::GpuMethod,
};
use crate::{GpuError, error::check_size};
use sinew::{DirectMushData, Mesh, Method, MushDetail, WeightSum, Weights, glam::Vec3};
use wgpu::util::DeviceExt;

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
    pub(super) morphs: Option<wgpu::Buffer>,
    pub(super) morph_targets: usize,
    pub(super) slot_count: usize,
    /// Bytes of lists and moments that lie beside the planes, for [`SkinnedMesh::bytes_moved`].
    list_bytes: u64,
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
    /// If it does not fit into the device's buffers, or has weights that do not sum to one.
    pub fn new(device: &wgpu::Device, mesh: &Mesh, options: MeshOptions) -> Result<Self, GpuError> {
        let weights = mesh.weights().map(|w| &**w);
        if weights.is_some_and(|w| w.sum_kind() == WeightSum::Muscle) {
            return Err(GpuError::FreeWeights);
        }
        let precomputed = mesh.precomputed();
        let mush = precomputed.direct_mush.as_deref().filter(|m| m.parts().detail != MushDetail::Full);
        let layout = MeshLayout {
            normals: options.normals && !mesh.normals().is_empty(),
            tangents: options.tangents && !mesh.tangents().is_empty(),
            compact: options.compact,
            influences: Influences::of(weights, options.compact),
            centers: precomputed.centers.is_some(),
            mush_pivots: mush.is_some(),
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
        let planes = upload(device, "sinew mesh", &planes(mesh, &layout, plane))?;
        let quads = layout.quads().then(|| upload(device, "sinew positions", &quads(mesh))).transpose()?;
        let lists = match (layout.influences, weights) {
            (Influences::Lists, Some(weights)) => Some(influence_lists(weights)),
            _ => None,
        };
        let list_bytes = lists.as_ref().map_or(0, |l| bytes(l.len()));
        let lists = lists.map(|l| upload(device, "sinew influences", &l)).transpose()?;
        let moments = mush.map(|m| GpuMoments::upload(device, m)).transpose()?;
        let morph_targets = mesh.morphs().len();
        let morphs = (morph_targets > 0)
            .then(|| upload(device, "sinew shapes", &morph_lists(mesh, &layout)))
            .transpose()?;
        let slot_count = weights.map_or(1, Weights::slot_count);
        Ok(Self {
            layout,
            vertices,
            plane,
            planes,
            quads,
            lists,
            moments,
            morphs,
            morph_targets,
            slot_count,
            list_bytes,
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
        let lists = moments.map_or(self.list_bytes, |moments| moments.buffer.size());
        Some((read as f64 + lists as f64 / f64::from(self.vertices.max(1)), written as f64))
    }

    /// Words of a shape's entry, zero where there are no shapes.
    pub(super) fn morph_stride(&self) -> u32 {
        if self.morph_targets == 0 { 0 } else { morph_stride(&self.layout) }
    }

    /// How many joints a pose must have at least for `method`.
    pub(super) fn slots_for(&self, method: &GpuMethod) -> usize {
        let moments = self.moments.as_ref().filter(|_| method.has_moments);
        moments.map_or(self.slot_count, |moments| moments.slot_count)
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

/// Position and folded normal of every vertex.
fn quads(mesh: &Mesh) -> Vec<u32> {
    let vertices = mesh.positions().iter().zip(mesh.normals());
    vertices.flat_map(|(p, n)| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits(), fold(*n)]).collect()
}

/// Every word of every vertex, plane by plane.
fn planes(mesh: &Mesh, layout: &MeshLayout, plane: u32) -> Vec<u32> {
    let plane = plane as usize;
    let mut out = vec![0; plane * layout.words() as usize];
    let mut put = |word: u32, vertex: usize, value: u32| out[word as usize * plane + vertex] = value;
    let put_three = |word: u32, list: &[Vec3], put: &mut dyn FnMut(u32, usize, u32)| {
        for (vertex, value) in list.iter().enumerate() {
            (word..).zip(value.to_array()).for_each(|(w, n)| put(w, vertex, n.to_bits()));
        }
    };
    if !layout.quads() {
        put_three(MeshLayout::POSITION, mesh.positions(), &mut put);
    }
    if layout.normals && !layout.quads() {
        put_three(MeshLayout::NORMAL, mesh.normals(), &mut put);
    }
    if layout.tangents {
        for (v, tangent) in mesh.tangents().iter().enumerate() {
            if layout.compact {
                put(layout.tangent(), v, fold_tangent(tangent.truncate(), tangent.w));
            } else {
                (layout.tangent()..).zip(tangent.to_array()).for_each(|(w, n)| put(w, v, n.to_bits()));
            }
        }
    }
    if let (Some(weights), Influences::Fixed { count, slot_bits, unorm16 }) =
        (mesh.weights(), layout.influences)
    {
        let mut words = Vec::new();
        for v in 0..mesh.positions().len() {
            fixed_words(weights.of(v), (count, slot_bits, unorm16), &mut words);
            (layout.influence()..).zip(&words).for_each(|(w, &bits)| put(w, v, bits));
        }
    }
    if let Some(centers) = &mesh.precomputed().centers {
        put_three(layout.center(), centers.positions(), &mut put);
    }
    if let (true, Some(mush)) = (layout.mush_pivots, &mesh.precomputed().direct_mush) {
        put_three(layout.mush_pivot(), &mush.parts().pivots, &mut put);
    }
    out
}

/// The words of one vertex's influences; empty places repeat the strongest joint with no weight.
fn fixed_words(
    (slots, weights): (&[u16], &[f32]),
    (count, slot_bits, unorm16): (u32, u32, bool),
    out: &mut Vec<u32>,
) {
    out.clear();
    out.resize(Influences::Fixed { count, slot_bits, unorm16 }.words() as usize, 0);
    let mut put_bits = |bit: u32, value: u32| {
        let wide = u64::from(value) << (bit % 32);
        let word = (bit / 32) as usize;
        out[word] |= wide as u32;
        if let (Some(next), high @ 1..) = (out.get_mut(word + 1), (wide >> 32) as u32) {
            *next |= high;
        }
    };
    let places = || 0..count as usize;
    for (k, bit) in places().zip((0..).step_by(slot_bits as usize)) {
        put_bits(bit, u32::from(slots.get(k).copied().unwrap_or(slots[0])));
    }
    if unorm16 {
        let steps = unorm16_steps(weights);
        for (k, bit) in places().skip(1).zip((count * slot_bits..).step_by(16)) {
            put_bits(bit, u32::from(steps.get(k).copied().unwrap_or(0)));
        }
    } else {
        let first = (count * slot_bits).div_ceil(32) as usize;
        for k in places().skip(1) {
            out[first + k - 1] = weights.get(k).map_or(0, |w| w.to_bits());
        }
    }
}

/// Weights in steps of 1/65535 that sum to 65535: each rounded down, what is missing given to the largest fractions.
pub(super) fn unorm16_steps(weights: &[f32]) -> Vec<u16> {
    let exact: Vec<f64> = weights.iter().map(|w| f64::from(*w) * 65535.0).collect();
    let mut steps: Vec<u16> = exact.iter().map(|e| e.floor() as u16).collect();
    let given: u32 = steps.iter().map(|s| u32::from(*s)).sum();
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()).then(a.cmp(b)));
    order.iter().take(65535_u32.saturating_sub(given) as usize).for_each(|&k| steps[k] += 1);
    steps
}

/// Where each vertex's entries begin, then slot and weight of every influence.
fn influence_lists(weights: &Weights) -> Vec<u32> {
    let vertices = weights.vertex_count();
    let mut out = vec![0; vertices + 1];
    let mut count = 0;
    for v in 0..vertices {
        let entries = weights.influences(v);
        count += entries.len() as u32;
        out[v + 1] = count;
        out.extend(entries.flat_map(|i| [u32::from(i.slot), i.weight.to_bits()]));
    }
    out
}

/// Target, position, and the directions that the layout has.
fn morph_stride(layout: &MeshLayout) -> u32 {
    4 + 3 * (u32::from(layout.normals) + u32::from(layout.tangents))
}

/// Where each vertex's entries begin, then every shape's part in it.
fn morph_lists(mesh: &Mesh, layout: &MeshLayout) -> Vec<u32> {
    let mut entries: Vec<Vec<u32>> = vec![Vec::new(); mesh.positions().len()];
    for (number, target) in mesh.morphs().targets().iter().enumerate() {
        for (place, &vertex) in target.vertices.iter().enumerate() {
            let of =
                |list: &[Vec3]| list.get(place).copied().unwrap_or(Vec3::ZERO).to_array().map(f32::to_bits);
            let entry = &mut entries[vertex as usize];
            entry.push(number as u32);
            entry.extend(of(&target.positions));
            if layout.normals {
                entry.extend(of(&target.normals));
            }
            if layout.tangents {
                entry.extend(of(&target.tangents));
            }
        }
    }
    let stride = morph_stride(layout) as usize;
    let firsts = entries.iter().scan(0, |sum, e| {
        *sum += (e.len() / stride) as u32;
        Some(*sum)
    });
    [0].into_iter().chain(firsts).chain(entries.iter().flatten().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_sum_to_all_of_them_and_no_weight_moves_by_more_than_one() {
        for weights in [vec![1.0], vec![0.5, 0.5], vec![0.4, 0.3, 0.2, 0.1], vec![1.0 / 7.0; 7]] {
            let steps = unorm16_steps(&weights);
            assert_eq!(steps.iter().map(|s| u32::from(*s)).sum::<u32>(), 65535);
            for (step, weight) in steps.iter().zip(&weights) {
                assert!((f32::from(*step) / 65535.0 - weight).abs() < 1.0 / 65535.0);
            }
        }
    }

    #[test]
    fn four_compact_influences_take_three_words_and_fill_them() {
        let mut words = Vec::new();
        fixed_words((&[0xabc, 0x123, 0x456, 0x789], &[0.4, 0.3, 0.2, 0.1]), (4, 12, true), &mut words);
        assert_eq!(words.len(), 3);
        assert_eq!(words[0], 0x5612_3abc);
        assert_eq!(words[1] & 0xffff, 0x7894);
    }
}
