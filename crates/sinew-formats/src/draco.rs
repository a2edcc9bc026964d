//! Triangle meshes out of Draco streams, as `KHR_draco_mesh_compression` stores them.
//!
//! Written from the public Draco bitstream specification, version 2.2, the only version that the glTF extension
//! allows. Triangles and points come out in the order of the reference decoder, so morph targets that sit beside a
//! compressed primitive still match its vertices.
//!
//! The modules follow the stream: [`metadata`] is skipped, then connectivity comes as plain indices
//! ([`indices`]) or as an [`edgebreaker`] walk that ends in a [`corners`] table, cut by [`seams`] into points.
//! Attributes ([`attributes`]) are visited in [`sequence`] order, decoded as integers ([`integers`]) that a
//! [`prediction`] corrects, and turned into their final bytes in [`values`].
//!
//! A stream is never trusted: every read is checked, every allocation is charged to a [`budget`], and every walk over
//! the mesh is bounded by the number of its corners.

mod attributes;
mod bits;
mod budget;
mod bytes;
mod corners;
mod edgebreaker;
mod header;
mod indices;
mod integers;
mod metadata;
mod octahedron;
mod prediction;
mod rans;
mod seams;
mod sequence;
mod split_events;
mod symbols;
mod traversal;
mod values;
mod wrap;

#[cfg(test)]
mod tests;

use attributes::Connectivity;
use budget::DracoBudget;
use bytes::Bytes;
use header::EncodingMethod;

/// One decoded triangle mesh: points, their attributes, and three point indices for each triangle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DracoMesh {
    /// Three indices below `vertex_count` for each triangle.
    pub(crate) indices: Vec<u32>,
    /// The number of points; every attribute has one value for each.
    pub(crate) vertex_count: usize,
    /// The attributes in the order of the stream.
    pub(crate) attributes: Vec<DracoAttribute>,
}

/// The values of one attribute, one for each point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DracoAttribute {
    /// The id by which the glTF extension names this attribute.
    pub(crate) unique_id: u32,
    /// The number of components of one value, at least 1.
    pub(crate) components: u8,
    /// The type of one component.
    pub(crate) data_type: DracoType,
    /// Whether integers stand for fractions of their range.
    pub(crate) normalized: bool,
    /// Tightly packed little-endian components, `vertex_count * components` of them.
    pub(crate) bytes: Vec<u8>,
}

/// The component type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DracoType {
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 64-bit integer.
    U64,
    /// Single-precision float.
    F32,
    /// Double-precision float.
    F64,
    /// One byte, zero or one.
    Bool,
}

impl DracoType {
    /// The bytes of one component.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// Why a Draco stream was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DracoError {
    /// The data does not begin with the five letters of the format.
    #[error("not a Draco stream: it does not begin with DRACO")]
    NotDraco,
    /// The glTF extension is defined for bitstream 2.2 alone.
    #[error("Draco bitstream {major}.{minor} is not supported, only 2.2")]
    Version {
        /// The major version found.
        major: u8,
        /// The minor version found.
        minor: u8,
    },
    /// The stream holds points without triangles.
    #[error("the Draco stream holds a point cloud, not a triangle mesh")]
    PointCloud,
    /// The stream asks for a method that no 2.2 encoder writes.
    #[error("Draco {what} {value} is not supported")]
    Unsupported {
        /// What kind of method it is.
        what: &'static str,
        /// Its number in the stream.
        value: i64,
    },
    /// The stream, or a sized block inside it, ends too early.
    #[error("Draco data ends at byte {offset} of its block, {needed} more were due")]
    Truncated {
        /// Where the read began, within the stream or the block.
        offset: usize,
        /// The bytes that were due there.
        needed: usize,
    },
    /// A number of the stream contradicts another.
    #[error("Draco {what} is {value}, at most {limit} is possible")]
    Count {
        /// What is counted.
        what: &'static str,
        /// The number found.
        value: u64,
        /// The largest that would make sense.
        limit: u64,
    },
    /// The stream contradicts itself.
    #[error("Draco stream is malformed: {what} (at {index})")]
    Malformed {
        /// What is wrong.
        what: &'static str,
        /// The symbol, corner, vertex or entry at fault.
        index: usize,
    },
    /// The decoded mesh would not fit the caller's limit.
    #[error("decoding the Draco stream would take more than the {max_bytes} bytes allowed")]
    TooLarge {
        /// The caller's limit.
        max_bytes: usize,
    },
}

/// Decodes the triangle mesh in `data`.
///
/// `max_bytes` bounds all memory that is allocated on the way, the result included; a short stream can describe a
/// very large mesh, so the limit cannot be derived from the length of `data`. Bytes after the mesh are ignored.
///
/// # Errors
/// [`DracoError`] when the stream is not a 2.2 mesh, contradicts itself, ends early, or would exceed `max_bytes`.
pub(crate) fn decode(data: &[u8], max_bytes: usize) -> Result<DracoMesh, DracoError> {
    let mut bytes = Bytes::new(data);
    let mut budget = DracoBudget::new(max_bytes);
    let header = header::read(&mut bytes)?;
    if header.has_metadata {
        metadata::skip(&mut bytes)?;
    }
    let topology = match header.method {
        EncodingMethod::Sequential => Connectivity::Sequential(indices::read(&mut bytes, &mut budget)?),
        EncodingMethod::Edgebreaker => {
            let surface = edgebreaker::read(&mut bytes, &mut budget)?;
            Connectivity::Edgebreaker(seams::cut(surface, &mut budget)?)
        }
    };
    let attributes = attributes::read(&mut bytes, &topology, &mut budget)?;
    let vertex_count = topology.point_count();
    Ok(DracoMesh { indices: topology.into_indices(), vertex_count, attributes })
}
