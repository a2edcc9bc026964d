//! The vertex streams that deformation reads and writes.

use super::Method;
use crate::{asset::mesh::Mesh, asset::weights::Weights, palette::Palette};
use glam::{Vec3, Vec4};
use thiserror::Error;

/// Vertex streams to read. Normals and tangents may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Positions of the vertices, in meters.
    pub positions: &'a [Vec3],
    /// Unit normals, or empty.
    pub normals: &'a [Vec3],
    /// Unit tangents with handedness in w, or empty.
    pub tangents: &'a [Vec4],
}

/// Vertex streams to write. Streams that the input does not have are not written.
#[derive(Debug)]
pub struct SurfaceMut<'a> {
    /// Positions of the vertices, in meters.
    pub positions: &'a mut [Vec3],
    /// Unit normals, or empty.
    pub normals: &'a mut [Vec3],
    /// Unit tangents with handedness in w, or empty.
    pub tangents: &'a mut [Vec4],
}

impl SurfaceMut<'_> {
    /// The same streams for a shorter time.
    pub fn reborrow(&mut self) -> SurfaceMut<'_> {
        SurfaceMut { positions: self.positions, normals: self.normals, tangents: self.tangents }
    }

    /// What the streams hold now.
    pub fn as_surface(&self) -> Surface<'_> {
        Surface { positions: self.positions, normals: self.normals, tangents: self.tangents }
    }
}

/// Vertex streams that own their memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// Positions of the vertices, in meters.
    pub positions: Vec<Vec3>,
    /// Unit normals, or empty.
    pub normals: Vec<Vec3>,
    /// Unit tangents with handedness in w, or empty.
    pub tangents: Vec<Vec4>,
}

impl Streams {
    /// A copy of the streams of `mesh`.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions().to_vec(),
            normals: mesh.normals().to_vec(),
            tangents: mesh.tangents().to_vec(),
        }
    }

    /// The streams to read.
    pub fn as_surface(&self) -> Surface<'_> {
        Surface { positions: &self.positions, normals: &self.normals, tangents: &self.tangents }
    }

    /// The streams to write.
    pub fn as_surface_mut(&mut self) -> SurfaceMut<'_> {
        SurfaceMut {
            positions: &mut self.positions,
            normals: &mut self.normals,
            tangents: &mut self.tangents,
        }
    }
}

impl<'a> From<&'a Mesh> for Surface<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        Self { positions: mesh.positions(), normals: mesh.normals(), tangents: mesh.tangents() }
    }
}

/// Why streams cannot be deformed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DeformError {
    /// The lengths of an output and an input stream differ, or those of an input stream and the positions.
    #[error("{stream} has {count} entries where {wanted} are needed")]
    WrongCount {
        /// The name of the stream, such as `normals`.
        stream: &'static str,
        /// The length of the stream.
        count: usize,
        /// The length it must have.
        wanted: usize,
    },
    /// The mesh has no weights, so no method can deform it.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh without weights.
        mesh: String,
    },
    /// The weights use joint slots that the palette does not have.
    #[error("the weights use {needed} joint slots, the palette has {matrices} matrices")]
    PaletteTooSmall {
        /// The number of joint slots that the weights use.
        needed: usize,
        /// The number of matrices in the palette.
        matrices: usize,
    },
    /// A skinning matrix, or the matrix of a joint that a mesh without a skin follows, is not finite or exceeds
    /// [`MAX_VALUE`](crate::MAX_VALUE).
    #[error(
        "the pose moves mesh {mesh:?} out of range: a matrix of its joints is not finite or exceeds 1e12"
    )]
    PoseOutOfRange {
        /// The name of the mesh.
        mesh: String,
    },
    /// The method needs the joints' rotations.
    #[error("{method} needs a dual-quaternion palette")]
    MissingDualQuats {
        /// The requested deformation method.
        method: Method,
    },
    /// The method needs precomputed data that this mesh does not have.
    #[error("{method} needs {what}, which this mesh does not have")]
    MissingPrecomputed {
        /// The requested deformation method.
        method: Method,
        /// The name of the missing data.
        what: &'static str,
    },
}

/// Checks stream lengths once, so that loops do not have to.
pub(crate) fn check_lengths(surface: &Surface<'_>, out: &SurfaceMut<'_>) -> Result<(), DeformError> {
    let vertices = surface.positions.len();
    let optional = |count: usize| if count == 0 { 0 } else { vertices };
    check_count("normals", surface.normals.len(), optional(surface.normals.len()))?;
    check_count("tangents", surface.tangents.len(), optional(surface.tangents.len()))?;
    check_count("output positions", out.positions.len(), vertices)?;
    if !surface.normals.is_empty() {
        check_count("output normals", out.normals.len(), vertices)?;
    }
    if !surface.tangents.is_empty() {
        check_count("output tangents", out.tangents.len(), vertices)?;
    }
    Ok(())
}

/// Checks that weights, streams and palette match.
pub(crate) fn check_binding(
    surface: &Surface<'_>,
    weights: &Weights,
    palette: &Palette,
) -> Result<(), DeformError> {
    check_palette(surface, weights, palette.matrices().len())
}

/// Checks that weights, streams and a palette with `matrices` entries match.
pub(crate) fn check_palette(
    surface: &Surface<'_>,
    weights: &Weights,
    matrices: usize,
) -> Result<(), DeformError> {
    check_count("weights", weights.vertex_count(), surface.positions.len())?;
    let needed = weights.slot_count();
    if needed > matrices { Err(DeformError::PaletteTooSmall { needed, matrices }) } else { Ok(()) }
}

/// Returns an error unless `count` equals `wanted`.
pub(crate) fn check_count(stream: &'static str, count: usize, wanted: usize) -> Result<(), DeformError> {
    if count == wanted { Ok(()) } else { Err(DeformError::WrongCount { stream, count, wanted }) }
}
