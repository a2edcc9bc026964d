//! The layout of the CPU fast path: blocks of sixteen vertices.
//!
//! A plain loop blends a matrix for each vertex and loads each matrix it blends from wherever the vertex's joints
//! happen to lie. Here the loop is turned inside out. Sixteen vertices that use few joints *together* form a **block**,
//! stored one number beside the other: sixteen x, sixteen y, and so on. The kernel takes a joint of the block's list,
//! broadcasts each of its twelve numbers and adds it, times the sixteen weights of that joint, to sixteen blended
//! matrices at once. Nothing is gathered, shuffled or branched on; zero weights cost nothing extra.
//!
//! ```text
//! block      joints [ 4, 7, 9 ]     (the union over its vertices, rising)
//! weights    w7: 16 × f32 | w9: 16 × f32              w4 = 1 − w7 − w9 is implied
//! positions  x: 16 × f32  | y: 16 × f32 | z: 16 × f32
//! blended    M4 + w7 (M7 − M4) + w9 (M9 − M4)         12 numbers × 16 vertices
//! ```
//!
//! - **Runs.** Blocks are sorted by the length of their list, then by the list. Blocks in a row with the same list form a
//!   *run*, whose differences `M_k − M_0` are formed once. Because weights sum to one exactly, one weight fewer is stored
//!   than there are joints. A run of one joint keeps its matrix in registers and reads no weights: that is rigid skinning.
//! - **Order.** [`VertexOrder::Packed`] chooses the sixteen so that lists are short and gives the vertices in block
//!   order: remap the index buffer once ([`PackedSkin::remap_indices`]) and it costs nothing. [`VertexOrder::File`] takes
//!   sixteen neighbors of the file each, so that the output is in the file's order without a scatter; lists are longer.
//! - **Single vertices.** Where sixteen vertices use so many joints that the list doesn't pay, their block is blended
//!   vertex by vertex: one vertex's matrix fills a register, sixteen of them are transposed, and from there
//!   everything is 16-wide again. This is decided block by block.
//! - **Normals as slopes.** Most blocks also hold their normals as slopes along one dominant axis, from which a blended matrix
//!   makes normals with a third fewer multiplications than by its cofactors. Packing groups vertices by that axis.
//! - **Spans.** The output is cut into stretches once, when packing. Jobs for threads are whole spans, so any split gives
//!   the same bits. In file order, blocks are sorted into runs within their span.
//! - **Padding.** A block that is not full repeats its last vertex. In packed order the repeats are part of the output
//!   (see [`PackedSkin::output_count`]); in the file's order they are never written.

mod group;
mod lanes;
mod normal_slopes;
mod runs;
mod surface;

pub use lanes::{Lanes, WIDTH};
pub(crate) use normal_slopes::DominantNormalAxis;
pub(crate) use runs::{Blend, BlockRun, BlockRuns, LONGEST_LIST, Span};
pub use surface::PackedSurface;

use super::{DeformError, Surface};
use crate::asset::{mesh::Mesh, weights::Weights};
use thiserror::Error;

/// The order in which a packed skin writes its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VertexOrder {
    /// The order with the shortest joint lists: the fastest.
    #[default]
    Packed,
    /// The mesh's own order.
    File,
}

/// How the matrices of a block are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockLayout {
    /// The cheaper way for each block.
    #[default]
    Auto,
    /// Blocks blend a shared joint list wherever it is short enough to be stored.
    Shared,
    /// Every vertex blends its own matrix.
    Single,
}

/// Why a mesh cannot be packed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PackError {
    /// The mesh has no weights: it is carried by one joint.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh without weights.
        mesh: String,
    },
}

/// Figures about a packed mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackStats {
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Blocks of sixteen vertices.
    pub blocks: usize,
    /// Blocks in a row with the same joint list.
    pub runs: usize,
    /// Lanes that repeat a vertex because their block is not full.
    pub padding: usize,
    /// Blocks in which every vertex blends for itself.
    pub single_blocks: usize,
    /// The mean length of a block's joint list; blocks of single vertices count with their influences.
    pub joints_per_block: f32,
    /// Memory of the packed skin.
    pub bytes: usize,
}

impl PackStats {
    /// Which layout the blocks have: one of the two, or [`BlockLayout::Auto`] where both occur.
    pub fn layout(&self) -> BlockLayout {
        match self.single_blocks {
            0 => BlockLayout::Shared,
            n if n == self.blocks => BlockLayout::Single,
            _ => BlockLayout::Auto,
        }
    }
}

/// A skinned mesh in blocks, ready for the kernels.
#[derive(Clone, Debug)]
pub struct PackedSkin {
    pub(crate) runs: BlockRuns,
    pub(crate) surface: PackedSurface,
    pub(crate) centers: Vec<[Lanes; 3]>,
    order: VertexOrder,
    vertex_count: usize,
    slot_count: usize,
    /// True where every vertex has one joint.
    pub(crate) is_rigid: bool,
    stats: PackStats,
}

impl PackedSkin {
    /// Packs `mesh` for output in `order`.
    ///
    /// # Errors
    /// Where the mesh has no weights.
    pub fn new(mesh: &Mesh, order: VertexOrder) -> Result<Self, PackError> {
        Self::with_layout(mesh, order, BlockLayout::Auto)
    }

    /// Packs `mesh` for [`SkinningPalette::Rigid`](super::kernel::SkinningPalette::Rigid): as if every vertex had its
    /// strongest joint alone.
    ///
    /// Any packed skin supports rigid skinning; this one does it in runs of one joint each, nearly twice as fast as linear
    /// blend skinning.
    ///
    /// # Errors
    /// Where the mesh has no weights.
    pub fn for_rigid(mesh: &Mesh, order: VertexOrder) -> Result<Self, PackError> {
        let weights = mesh.weights().ok_or_else(|| PackError::NoWeights { mesh: mesh.name().into() })?;
        Ok(Self::of(mesh, &weights.strongest(), order, BlockLayout::Auto))
    }

    /// Packs `mesh` in a given layout, to compare layouts with each other.
    ///
    /// # Errors
    /// Where the mesh has no weights.
    pub fn with_layout(mesh: &Mesh, order: VertexOrder, layout: BlockLayout) -> Result<Self, PackError> {
        let weights = mesh.weights().ok_or_else(|| PackError::NoWeights { mesh: mesh.name().into() })?;
        Ok(Self::of(mesh, weights, order, layout))
    }

    fn of(mesh: &Mesh, weights: &Weights, order: VertexOrder, layout: BlockLayout) -> Self {
        let batches = match order {
            VertexOrder::Packed => group::packed(weights, mesh.normals()),
            VertexOrder::File => group::consecutive(weights),
        };
        let runs = BlockRuns::new(weights, batches, order, layout);
        let blocks = runs.output_block.len();
        let mut surface = PackedSurface::with_room_for(&mesh.into(), blocks);
        surface.fill(&mesh.into(), &runs.vertex_of_lane);
        let centers = packed_centers(mesh, &runs);
        let mut stats = stats(&runs, mesh.vertex_count());
        stats.bytes = runs.bytes() + surface.bytes() + size_of_val(&*centers);
        let (vertex_count, slot_count) = (mesh.vertex_count(), weights.slot_count());
        let is_rigid = weights.max_influences() <= 1;
        Self { runs, surface, centers, order, vertex_count, slot_count, is_rigid, stats }
    }

    /// The order of the output.
    pub fn order(&self) -> VertexOrder {
        self.order
    }

    /// How many vertices the mesh has.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// How many vertices the output must have room for: a multiple of sixteen in packed order, the mesh's own number
    /// in the file's order.
    pub fn output_count(&self) -> usize {
        self.runs.spans.last().map_or(0, |span| span.output.end)
    }

    /// How many matrices a palette must have at least.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// True where the mesh was packed with centers of rotation.
    pub fn has_centers(&self) -> bool {
        !self.centers.is_empty() || self.vertex_count == 0
    }

    /// Figures about the packed mesh.
    pub fn stats(&self) -> &PackStats {
        &self.stats
    }

    /// The mesh's own surface in block order.
    pub fn surface(&self) -> &PackedSurface {
        &self.surface
    }

    /// The mesh's vertex at every place of the output; repeats fill up blocks that are not full.
    pub fn vertex_of_output(&self) -> Vec<u32> {
        let mut out = vec![0; self.output_count()];
        self.for_each_lane(|place, vertex| {
            if let Some(out) = out.get_mut(place) {
                *out = vertex;
            }
        });
        out
    }

    /// The place in the output of every vertex of the mesh.
    pub fn output_of_vertex(&self) -> Vec<u32> {
        let mut out = vec![u32::MAX; self.vertex_count];
        self.for_each_lane(|place, vertex| {
            let first = &mut out[vertex as usize];
            *first = (*first).min(place as u32);
        });
        out
    }

    /// Turns indices of the mesh's vertices into indices of the output.
    ///
    /// # Errors
    /// Where an index is not of this mesh.
    pub fn remap_indices(&self, indices: &[u32]) -> Result<Vec<u32>, DeformError> {
        let output_of_vertex = self.output_of_vertex();
        let wanted = self.vertex_count;
        let remap = |&index: &u32| {
            let place = output_of_vertex.get(index as usize).copied();
            place.ok_or(DeformError::WrongCount { stream: "indices", count: index as usize, wanted })
        };
        indices.iter().map(remap).collect()
    }

    /// A surface of this skin's vertices, to be filled by [`PackedSkin::pack_surface`].
    pub fn new_surface(&self) -> PackedSurface {
        self.surface.clone()
    }

    /// Puts `surface`, in the mesh's order, into block order: what a morphed shape goes through before it is deformed.
    ///
    /// # Errors
    /// Where a stream that `out` has is not as long as the mesh.
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
        out.fill(&surface, &self.runs.vertex_of_lane);
        Ok(())
    }

    /// Calls `visit` with the place in the output and the vertex of every lane, padding included.
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

/// The mesh's centers of rotation in block order; none where it has none.
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
        bytes: 0,
    }
}
