//! Vertex streams, borrowed in and written out.

use crate::{asset::mesh::Mesh, asset::weights::Weights, palette::Palette};
use glam::{Vec3, Vec4};
use thiserror::Error;

/// Vertex streams to read. Normals and tangents may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Positions.
    pub positions: &'a [Vec3],
    /// Unit normals, or empty.
    pub normals: &'a [Vec3],
    /// Unit tangents with handedness in w, or empty.
    pub tangents: &'a [Vec4],
}

/// Vertex streams to write. Streams that the input does not have are left alone.
#[derive(Debug)]
pub struct SurfaceMut<'a> {
    /// Positions.
    pub positions: &'a mut [Vec3],
    /// Unit normals, or empty.
    pub normals: &'a mut [Vec3],
    /// Unit tangents with handedness in w, or empty.
    pub tangents: &'a mut [Vec4],
}

/// Vertex streams that own their memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// Positions.
    pub positions: Vec<Vec3>,
    /// Unit normals, or empty.
    pub normals: Vec<Vec3>,
    /// Unit tangents with handedness in w, or empty.
    pub tangents: Vec<Vec4>,
}

impl Streams {
    /// A copy of what `mesh` has.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions().to_vec(),
            normals: mesh.normals().to_vec(),
            tangents: mesh.tangents().to_vec(),
        }
    }

    /// To read from.
    pub fn as_surface(&self) -> Surface<'_> {
        Surface { positions: &self.positions, normals: &self.normals, tangents: &self.tangents }
    }

    /// To write to.
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
    /// A stream to write is not as long as the one to read, or a stream to read not as long as the positions.
    #[error("{stream} has {count} entries where {wanted} are needed")]
    WrongCount {
        /// Which stream.
        stream: &'static str,
        /// Its length.
        count: usize,
        /// The length it must have.
        wanted: usize,
    },
    /// The weights name joints that the palette does not have.
    #[error("the weights use {needed} joint slots, the palette has {matrices} matrices")]
    PaletteTooSmall {
        /// How many slots the weights use.
        needed: usize,
        /// How many matrices there are.
        matrices: usize,
    },
}

/// Checks lengths once, so that loops need not.
pub(crate) fn check_lengths(surface: &Surface<'_>, out: &SurfaceMut<'_>) -> Result<(), DeformError> {
    let vertices = surface.positions.len();
    let expect = |stream, count: usize, wanted: usize| {
        if count == wanted { Ok(()) } else { Err(DeformError::WrongCount { stream, count, wanted }) }
    };
    let optional = |count: usize| if count == 0 { 0 } else { vertices };
    expect("normals", surface.normals.len(), optional(surface.normals.len()))?;
    expect("tangents", surface.tangents.len(), optional(surface.tangents.len()))?;
    expect("output positions", out.positions.len(), vertices)?;
    if !surface.normals.is_empty() {
        expect("output normals", out.normals.len(), vertices)?;
    }
    if !surface.tangents.is_empty() {
        expect("output tangents", out.tangents.len(), vertices)?;
    }
    Ok(())
}

/// Checks that weights, streams and palette fit each other.
pub(crate) fn check_binding(
    surface: &Surface<'_>,
    weights: &Weights,
    palette: &Palette,
) -> Result<(), DeformError> {
    let (count, wanted) = (weights.vertex_count(), surface.positions.len());
    if count != wanted {
        return Err(DeformError::WrongCount { stream: "weights", count, wanted });
    }
    let (needed, matrices) = (weights.slot_count(), palette.matrices().len());
    if needed > matrices {
        return Err(DeformError::PaletteTooSmall { needed, matrices });
    }
    Ok(())
}
