//! Packed skins as bytes, so that a cooked mesh is not packed again.
//!
//! The bytes hold the blocks as kernels read them. Everything that a kernel uses as an index is checked against the mesh, in
//! one pass; what follows from the rest (the run of each block, costs, statistics) is computed. Whether the vertices are
//! those of the mesh is not compared: they are as trusted as the mesh itself.

use super::{
    BlockRuns, ContactBlocks, Lanes, PackedSkin, PackedSurface, VertexOrder, WIDTH,
    normal_slopes::DominantNormalAxis, smoothing::PackedSmoothing, stats,
};
use crate::{
    asset::{mesh::Mesh, weights::Weights},
    bytes::{ByteReader, ByteWriter, BytesError},
    range::InRange as _,
};
use thiserror::Error;

/// The layout of the blocks. Bytes of another layout are left alone, and the mesh is packed when it is first deformed.
const LAYOUT: u32 = 1;
const ORDERS: [VertexOrder; 2] = [VertexOrder::Packed, VertexOrder::File];

/// Why bytes are not a packed skin of a mesh.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedBytesError {
    /// The bytes end too early, or hold a number that is not valid.
    #[error("packed skin: {0}")]
    Bytes(#[from] BytesError),
    /// The mesh has no weights.
    #[error("packed skin: mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh.
        mesh: String,
    },
    /// A list does not fit the mesh or another list.
    #[error("packed skin of mesh {mesh:?}: {list} do not fit at {at}")]
    Mismatch {
        /// The name of the mesh.
        mesh: String,
        /// The name of the list.
        list: &'static str,
        /// The entry that does not fit, or the length of the list.
        at: usize,
    },
}

/// The name of a list and the entry that does not fit.
pub(super) type Misfit = (&'static str, usize);

impl PackedSkin {
    /// Appends the packed skin to `out`.
    pub fn write(&self, out: &mut ByteWriter) {
        out.u32(LAYOUT);
        out.u8(match self.order {
            VertexOrder::Packed => 0,
            VertexOrder::File => 1,
        });
        self.runs.write(out);
        out.list(&self.seams);
        write_lanes(out, &self.centers);
        let surface = &self.surface;
        write_lanes(out, &surface.positions);
        write_lanes(out, &surface.normals);
        write_lanes(out, &surface.tangents);
        write_lanes(out, &surface.slopes);
        out.list(&surface.dominant_axes.iter().map(|axis| u8::from(axis.has_slopes)).collect::<Vec<_>>());
        out.u8(surface.has_missing_directions.into());
    }

    /// A packed skin of `mesh` from bytes; `None` if another version of Sinew wrote them in another layout.
    ///
    /// # Errors
    /// If the bytes end too early, or an index or a count does not fit the mesh.
    pub fn read(from: &mut ByteReader<'_>, mesh: &Mesh) -> Result<Option<Self>, PackedBytesError> {
        if from.u32()? != LAYOUT {
            return Ok(None);
        }
        let name = || mesh.name().to_owned();
        let weights = mesh.weights().ok_or_else(|| PackedBytesError::NoWeights { mesh: name() })?;
        let order = ORDERS[from.choice("vertex order", ORDERS.len())?];
        let mut runs = BlockRuns::read(from)?;
        let seams: Vec<[u32; 2]> = from.list()?;
        let centers = read_lanes(from)?;
        let mut surface = read_surface(from, &runs.normal_axes)?;
        let misfit = |(list, at): Misfit| PackedBytesError::Mismatch { mesh: name(), list, at };
        runs.check(order, mesh.vertex_count(), weights.slot_count()).map_err(misfit)?;
        runs.complete();
        check_streams(mesh, &runs, &surface, &centers).map_err(misfit)?;
        let is_vertex = |pair: &[u32; 2]| pair.iter().all(|v| (*v as usize) < mesh.vertex_count());
        if let Some(at) = seams.iter().position(|pair| !is_vertex(pair)) {
            return Err(misfit(("seams", at)));
        }
        surface.keep_seams(mesh.positions(), &seams);
        Ok(Some(Self::of_parts(runs, surface, centers, order, mesh, weights, seams)))
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of one struct, some of them private to this module"
    )]
    fn of_parts(
        runs: BlockRuns,
        surface: PackedSurface,
        centers: Vec<[Lanes; 3]>,
        order: VertexOrder,
        mesh: &Mesh,
        weights: &Weights,
        seams: Vec<[u32; 2]>,
    ) -> Self {
        let contacts = ContactBlocks::of(mesh, &runs.vertex_of_lane);
        let mut stats = stats(&runs, mesh.vertex_count());
        stats.copied_positions = surface.seam_count();
        stats.bytes = runs.bytes() + surface.bytes() + size_of_val(&*centers) + contacts.bytes();
        Self {
            runs,
            surface,
            centers,
            contacts,
            smoothing: PackedSmoothing::of(mesh),
            order,
            vertex_count: mesh.vertex_count(),
            slot_count: weights.slot_count(),
            seams,
            is_rigid: weights.max_influences() <= 1,
            stats,
        }
    }
}

fn read_surface(from: &mut ByteReader<'_>, axes: &[u8]) -> Result<PackedSurface, BytesError> {
    let (positions, normals) = (read_lanes(from)?, read_lanes(from)?);
    let (tangents, slopes) = (read_lanes(from)?, read_lanes(from)?);
    let has_slopes: Vec<u8> = from.list()?;
    let axis = |(k, has_slopes): (&u8, &u8)| DominantNormalAxis::stored(*k, *has_slopes != 0);
    let dominant_axes = axes.iter().zip(&has_slopes).map(axis).collect();
    let has_missing_directions = from.flag("missing directions")?;
    Ok(PackedSurface {
        positions,
        normals,
        tangents,
        slopes,
        dominant_axes,
        has_missing_directions,
        ..PackedSurface::default()
    })
}

/// Every stream has a block for each block of the runs, or none where the mesh has no such stream.
fn check_streams(
    mesh: &Mesh,
    runs: &BlockRuns,
    surface: &PackedSurface,
    centers: &[[Lanes; 3]],
) -> Result<(), Misfit> {
    let blocks = runs.output_block.len();
    let of = |has: bool| if has { blocks } else { 0 };
    let (normals, tangents) = (of(!mesh.normals().is_empty()), of(!mesh.tangents().is_empty()));
    let counts = [
        ("positions", surface.positions.len(), blocks),
        ("normals", surface.normals.len(), normals),
        ("tangents", surface.tangents.len(), tangents),
        ("slopes", surface.slopes.len(), normals),
        ("dominant axes", surface.dominant_axes.len(), normals),
        ("centers", centers.len(), of(mesh.precomputed().centers.is_some())),
    ];
    if let Some((list, count, _)) = counts.into_iter().find(|(_, count, wanted)| count != wanted) {
        return Err((list, count));
    }
    let bad = [
        ("positions", first_bad(&surface.positions)),
        ("normals", first_bad(&surface.normals)),
        ("tangents", first_bad(&surface.tangents)),
        ("slopes", first_bad(&surface.slopes)),
        ("centers", first_bad(centers)),
    ];
    bad.into_iter().find_map(|(list, at)| Some((list, at?))).map_or(Ok(()), Err)
}

/// The first block with a number that no mesh has.
fn first_bad<const N: usize>(blocks: &[[Lanes; N]]) -> Option<usize> {
    // One result for a whole block, so that the comparisons are vectorized.
    let is_bad =
        |block: &[Lanes; N]| block.iter().flat_map(|l| &l.0).fold(false, |bad, n| bad | !n.is_in_range());
    blocks.iter().position(is_bad)
}

pub(super) fn write_lanes<const N: usize>(out: &mut ByteWriter, blocks: &[[Lanes; N]]) {
    let numbers: Vec<[f32; WIDTH]> = blocks.iter().flatten().map(|lanes| lanes.0).collect();
    out.list(&numbers);
}

pub(super) fn read_lanes<const N: usize>(from: &mut ByteReader<'_>) -> Result<Vec<[Lanes; N]>, BytesError> {
    let at = from.at();
    let lanes: Vec<Lanes> = from.list_of(|numbers: &[f32; WIDTH]| Lanes(*numbers))?;
    let (blocks, rest) = lanes.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(BytesError::BadValue { at, what: "number of lanes", value: lanes.len() as u64 });
    }
    Ok(blocks.to_vec())
}
