//! The layout of the CPU fast path: blocks of sixteen vertices.
//!
//! A plain loop blends one matrix per vertex and loads the matrices of the vertex's joints from scattered addresses. This
//! layout inverts the loop. Sixteen vertices that *together* use few joints form a **block**, stored component by
//! component: sixteen x, sixteen y, and so on. For each joint of the block's list the kernel broadcasts the twelve matrix
//! elements, multiplies them by the sixteen weights of that joint, and adds them to sixteen blended matrices at once.
//! There are no gathers, shuffles or branches, and zero weights cost nothing extra.
//!
//! ```text
//! block      joints [ 4, 7, 9 ]     (the union over its vertices)
//! weights    w7: 16 × f32 | w9: 16 × f32              w4 = 1 − w7 − w9 is implied
//! positions  x: 16 × f32  | y: 16 × f32 | z: 16 × f32
//! blended    M4 + w7 (M7 − M4) + w9 (M9 − M4)         12 elements × 16 vertices
//! ```
//!
//! - **Runs.** Blocks are sorted by the length of their list, then by the list. Consecutive blocks with the same list form
//!   a *run*, whose differences `M_k − M_0` are computed once. Because weights sum to exactly one, the weight of the first
//!   joint is not stored. A run with one joint keeps its matrix in registers and reads no weights: rigid skinning.
//! - **Order.** [`VertexOrder::Packed`] groups vertices so that lists are short and writes them in block order. Remap the
//!   index buffer once ([`PackedSkin::remap_indices`]) and this order costs nothing. [`VertexOrder::File`] groups sixteen
//!   consecutive vertices of the file, so the output is in file order without a scatter, but lists are longer.
//! - **Single vertices.** If sixteen vertices use so many joints that a shared list is slower, their block is blended
//!   vertex by vertex: one vertex's matrix fills a register, sixteen of them are transposed, and the rest is 16-wide again.
//!   The choice is made per block.
//! - **Normals as slopes.** Most blocks also store their normals as slopes along one dominant axis. Transforming slopes by a
//!   blended matrix takes a third fewer multiplications than its cofactors. Packing groups vertices by that axis.
//! - **Spans.** Packing divides the output into consecutive ranges. A job consists of whole spans, so any split gives
//!   bit-identical results. In file order, blocks are sorted into runs within their span.
//! - **Seams.** Copies of a vertex land on the same bits. In packed order they share a block. In file order, blocks with
//!   copies of the same vertices begin with the same joint where they can, and the few positions that are still computed in
//!   another way are copied at the end.
//! - **Padding.** A block that is not full repeats its last vertex. In packed order the repeated vertices are part of the
//!   output (see [`PackedSkin::output_count`]); in file order they are never written.

mod contact;
mod copies;
mod direct_mush;
mod group;
mod lanes;
mod moments;
mod mush;
mod normal_slopes;
mod runs;
mod smoothed;
mod smoothing;
mod stored;
mod stored_runs;
mod surface;

pub(crate) use contact::{ContactBlocks, ContactEntry};
pub(crate) use direct_mush::PackedDirectMush;
pub(crate) use moments::{BlockRows, MAX_GATHERED, MomentRows};
pub(crate) use mush::PackedMush;
pub(crate) use smoothed::SMOOTHED;

pub use lanes::{Lanes, WIDTH};
pub(crate) use normal_slopes::DominantNormalAxis;
pub(crate) use runs::{Blend, BlockRun, BlockRuns, LONGEST_LIST, Span};
pub use stored::PackedBytesError;
pub use surface::PackedSurface;

use super::{DeformError, Surface};
use crate::asset::{mesh::Mesh, weights::Weights};
use copies::Copies;
use smoothing::PackedSmoothing;
use thiserror::Error;

/// The order in which a packed skin writes its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VertexOrder {
    /// The order with the shortest joint lists, which is the fastest.
    #[default]
    Packed,
    /// The mesh's own order.
    File,
}

/// How the matrices of a block are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockLayout {
    /// The faster of the two layouts, chosen for each block.
    #[default]
    Auto,
    /// Blocks blend a shared joint list whenever it is short enough to be stored.
    Shared,
    /// Every vertex blends its own matrix.
    Single,
}

/// Why a mesh cannot be packed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PackError {
    /// The mesh has no weights: it follows one joint rigidly.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh without weights.
        mesh: String,
    },
}

/// Statistics of a packed mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackStats {
    /// The number of vertices of the mesh.
    pub vertices: usize,
    /// The number of blocks of sixteen vertices.
    pub blocks: usize,
    /// The number of runs: consecutive blocks with the same joint list.
    pub runs: usize,
    /// The number of lanes that repeat a vertex because their block is not full.
    pub padding: usize,
    /// The number of blocks that are blended vertex by vertex.
    pub single_blocks: usize,
    /// The mean length of a block's joint list; blocks of single vertices count with their number of influences.
    pub joints_per_block: f32,
    /// The number of copies of vertices whose positions are copied when the kernel is done.
    pub copied_positions: usize,
    /// The memory of the packed skin, in bytes, without the moments of [`PackedSkin::prepare_smoothing`].
    pub bytes: usize,
}

impl PackStats {
    /// The layout of the blocks: one of the two, or [`BlockLayout::Auto`] if both occur.
    pub fn layout(&self) -> BlockLayout {
        match self.single_blocks {
            0 => BlockLayout::Shared,
            n if n == self.blocks => BlockLayout::Single,
            _ => BlockLayout::Auto,
        }
    }
}

/// A skinned mesh in blocks, in the layout that the kernels read.
#[derive(Clone, Debug)]
pub struct PackedSkin {
    pub(crate) runs: BlockRuns,
    pub(crate) surface: PackedSurface,
    pub(crate) centers: Vec<[Lanes; 3]>,
    pub(crate) contacts: ContactBlocks,
    smoothing: PackedSmoothing,
    order: VertexOrder,
    vertex_count: usize,
    slot_count: usize,
    /// Pairs of a vertex and the copy of it whose position it takes.
    seams: Vec<[u32; 2]>,
    /// True if every vertex has one joint.
    pub(crate) is_rigid: bool,
    stats: PackStats,
}

impl PackedSkin {
    /// Packs `mesh` for output in `order`.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn new(mesh: &Mesh, order: VertexOrder) -> Result<Self, PackError> {
        Self::with_layout(mesh, order, BlockLayout::Auto)
    }

    /// Packs `mesh` for [`SkinningPalette::Rigid`](super::kernel::SkinningPalette::Rigid), keeping only the strongest joint
    /// of each vertex.
    ///
    /// Any packed skin supports rigid skinning. This one consists of runs with one joint each, which makes it nearly twice
    /// as fast as linear blend skinning.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn for_rigid(mesh: &Mesh, order: VertexOrder) -> Result<Self, PackError> {
        let weights = mesh.weights().ok_or_else(|| PackError::NoWeights { mesh: mesh.name().into() })?;
        Ok(Self::of(mesh, &weights.strongest(), order, BlockLayout::Auto))
    }

    /// Packs `mesh` in a given layout, to compare layouts.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn with_layout(mesh: &Mesh, order: VertexOrder, layout: BlockLayout) -> Result<Self, PackError> {
        let weights = mesh.weights().ok_or_else(|| PackError::NoWeights { mesh: mesh.name().into() })?;
        Ok(Self::of(mesh, weights, order, layout))
    }

    fn of(mesh: &Mesh, weights: &Weights, order: VertexOrder, layout: BlockLayout) -> Self {
        let (copies, normals) = (Copies::of(mesh, weights), mesh.normals());
        let batches = match order {
            VertexOrder::Packed => group::packed(weights, normals, &copies),
            VertexOrder::File => {
                let mut batches = group::consecutive(weights, normals);
                copies::align(&mut batches, &copies, weights, normals);
                batches
            }
        };
        let runs = BlockRuns::new(weights, batches, order, layout);
        let seams = copies::left_over(&copies, &runs);
        let blocks = runs.output_block.len();
        let mut surface = PackedSurface::with_room_for(&mesh.into(), blocks);
        surface.fill(&mesh.into(), &runs, &seams);
        let centers = packed_centers(mesh, &runs);
        let contacts = ContactBlocks::of(mesh, &runs.vertex_of_lane);
        let mut stats = stats(&runs, mesh.vertex_count());
        stats.copied_positions = surface.seam_count();
        stats.bytes = runs.bytes() + surface.bytes() + size_of_val(&*centers) + contacts.bytes();
        let (vertex_count, slot_count) = (mesh.vertex_count(), weights.slot_count());
        let is_rigid = weights.max_influences() <= 1;
        let smoothing = PackedSmoothing::of(mesh);
        Self {
            runs,
            surface,
            centers,
            contacts,
            smoothing,
            order,
            vertex_count,
            slot_count,
            seams,
            is_rigid,
            stats,
        }
    }

    /// The order in which vertices are written.
    pub fn order(&self) -> VertexOrder {
        self.order
    }

    /// The number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The number of vertices that the output must hold: a multiple of sixteen in packed order, the vertex count of the
    /// mesh in file order.
    pub fn output_count(&self) -> usize {
        self.runs.spans.last().map_or(0, |span| span.output.end)
    }

    /// The minimum number of matrices in a palette.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// True if the mesh was packed with centers of rotation.
    pub fn has_centers(&self) -> bool {
        !self.centers.is_empty() || self.vertex_count == 0
    }

    /// True if the mesh was packed with contact data.
    pub fn has_contacts(&self) -> bool {
        self.contacts.data.is_some() || self.vertex_count == 0
    }

    /// The number of bones that contact skinning reads.
    pub(crate) fn contact_slots(&self) -> usize {
        self.contacts.data.as_ref().map_or(0, |data| data.slot_count())
    }

    /// Statistics of the packed mesh.
    pub fn stats(&self) -> &PackStats {
        &self.stats
    }

    /// The mesh's own surface in block order.
    pub fn surface(&self) -> &PackedSurface {
        &self.surface
    }

    /// The mesh vertex at every index of the output. Repeated vertices pad blocks that are not full.
    pub fn vertex_of_output(&self) -> Vec<u32> {
        let mut out = vec![0; self.output_count()];
        self.for_each_lane(|place, vertex| {
            if let Some(out) = out.get_mut(place) {
                *out = vertex;
            }
        });
        out
    }

    /// The index in the output of every vertex of the mesh.
    pub fn output_of_vertex(&self) -> Vec<u32> {
        let mut out = vec![u32::MAX; self.vertex_count];
        self.for_each_lane(|place, vertex| {
            let first = &mut out[vertex as usize];
            *first = (*first).min(place as u32);
        });
        out
    }

    /// Converts vertex indices of the mesh into indices of the output.
    ///
    /// # Errors
    /// If an index is out of range for this mesh.
    pub fn remap_indices(&self, indices: &[u32]) -> Result<Vec<u32>, DeformError> {
        let output_of_vertex = self.output_of_vertex();
        let wanted = self.vertex_count;
        let remap = |&index: &u32| {
            let place = output_of_vertex.get(index as usize).copied();
            place.ok_or(DeformError::WrongCount { stream: "indices", count: index as usize, wanted })
        };
        indices.iter().map(remap).collect()
    }

    /// An empty surface for this skin, to be filled by [`PackedSkin::pack_surface`].
    pub fn new_surface(&self) -> PackedSurface {
        self.surface.clone()
    }

    /// Converts `surface` from the order of the mesh into block order, as needed to deform a morphed shape.
    ///
    /// # Errors
    /// If the length of a stream that `out` has differs from the vertex count of the mesh.
    pub fn pack_surface(&self, surface: Surface<'_>, out: &mut PackedSurface) -> Result<(), DeformError> {
        let wanted = self.vertex_count;
        let streams = [
            ("positions", surface.positions.len(), true),
            ("normals", surface.normals.len(), out.has_normals()),
            ("tangents", surface.tangents.len(), out.has_tangents()),
        ];
        if let Some((stream, count, _)) = streams.into_iter().find(|s| s.2 && s.1 != wanted) {
            return Err(DeformError::WrongCount { stream, count, wanted });
        }
        out.fill(&surface, &self.runs, &self.seams);
        Ok(())
    }

    /// Calls `visit` with the output index and the vertex of every lane, including padding.
    fn for_each_lane(&self, mut visit: impl FnMut(usize, u32)) {
        for span in &self.runs.spans {
            for run in &self.runs.runs[span.runs.clone()] {
                for block in run.blocks.clone() {
                    let first = self.runs.output_block[block] as usize * WIDTH;
                    let vertices = &self.runs.vertex_of_lane[block * WIDTH..][..WIDTH];
                    vertices.iter().enumerate().for_each(|(lane, &v)| visit(first + lane, v));
                }
            }
        }
    }
}

/// The centers of rotation of the mesh in block order; empty if it has none.
fn packed_centers(mesh: &Mesh, runs: &BlockRuns) -> Vec<[Lanes; 3]> {
    let Some(centers) = &mesh.precomputed().centers else { return Vec::new() };
    let mut out = vec![[Lanes::default(); 3]; runs.output_block.len()];
    surface::scatter(&mut out, &runs.vertex_of_lane, |v| centers.positions()[v].to_array());
    out
}

fn stats(runs: &BlockRuns, vertices: usize) -> PackStats {
    let blocks = runs.output_block.len();
    let mut single_blocks = 0;
    let mut joints = 0;
    for run in &runs.runs {
        joints += run.blocks.len()
            * match &run.blend {
                Blend::One { .. } => 1,
                Blend::Shared { joints, .. } => joints.len(),
                Blend::Single { influences, .. } => *influences,
            };
        if matches!(run.blend, Blend::Single { .. }) {
            single_blocks += run.blocks.len();
        }
    }
    PackStats {
        vertices,
        blocks,
        runs: runs.runs.len(),
        padding: blocks * WIDTH - vertices,
        single_blocks,
        joints_per_block: if blocks == 0 { 0.0 } else { joints as f32 / blocks as f32 },
        copied_positions: 0,
        bytes: 0,
    }
}
