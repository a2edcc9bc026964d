//! Triangle meshes from Draco streams, as `KHR_draco_mesh_compression` stores them.
//!
//! The crate `draco-core` decodes the bitstream. This module admits only what the glTF extension allows, triangle meshes of
//! bitstream 2.2, and bounds the memory of a decode: a short stream can describe a very large mesh. Triangles and points
//! keep the order of Google's decoder, so morph targets next to a compressed primitive still match its vertices.

#[cfg(test)]
mod tests;

pub(crate) use draco_core::DataType;
use draco_core::{DecodeLimits, DecoderBuffer, ErrorKind, Mesh, MeshDecoder, PointAttribute, PointIndex};

/// The memory that one triangle may need while it is decoded, its tables included: 170 bytes measured for a closed mesh
/// with three attributes.
const BYTES_PER_TRIANGLE: usize = 256;

/// The memory that one byte of attribute values may need while it is decoded: values of one byte are also held as 32-bit
/// integers, before and after their prediction.
const BYTES_PER_ATTRIBUTE_BYTE: usize = 12;

/// A decoded triangle mesh.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DracoMesh {
    /// Three indices below `vertex_count` for each triangle.
    pub(crate) indices: Vec<u32>,
    /// The number of vertices; every attribute has one value for each.
    pub(crate) vertex_count: usize,
    /// The attributes in the order of the stream.
    pub(crate) attributes: Vec<DracoAttribute>,
}

/// The values of one attribute, one for each vertex.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DracoAttribute {
    /// The id by which the glTF extension names this attribute.
    pub(crate) unique_id: u32,
    /// The number of components of one value.
    pub(crate) components: u8,
    /// The type of one component.
    pub(crate) data_type: DataType,
    /// Whether integers stand for fractions of their range.
    pub(crate) normalized: bool,
    /// Tightly packed little-endian components, `vertex_count * components` of them.
    pub(crate) bytes: Vec<u8>,
}

/// Why a Draco stream was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DracoError {
    /// The data does not start with the magic of the format.
    #[error("not a Draco stream: it does not start with DRACO")]
    NotDraco,
    /// The glTF extension is defined for bitstream 2.2 alone.
    #[error("Draco bitstream {major}.{minor} is unsupported, must be 2.2")]
    Version {
        /// The major version found.
        major: u8,
        /// The minor version found.
        minor: u8,
    },
    /// The stream holds points without triangles.
    #[error("the Draco stream holds a point cloud, must be a triangle mesh")]
    PointCloud,
    /// The stream contradicts itself, ends early, or uses an unsupported method.
    #[error("the Draco stream is malformed: {0}")]
    Malformed(String),
    /// The decoded mesh would not fit the caller's limit.
    #[error("decoding the Draco stream needs more than the {max_bytes} bytes allowed")]
    TooLarge {
        /// The caller's limit in bytes.
        max_bytes: usize,
    },
}

/// Decodes the triangle mesh in `data`. Bytes after the mesh are ignored.
///
/// `max_bytes` bounds the memory that is allocated on the way, the result included.
///
/// # Errors
/// [`DracoError`] when the stream is not a 2.2 mesh, contradicts itself, ends early, or would exceed `max_bytes`.
pub(crate) fn decode(data: &[u8], max_bytes: usize) -> Result<DracoMesh, DracoError> {
    check_header(data)?;
    let limits = DecodeLimits::default()
        .with_max_faces((max_bytes / BYTES_PER_TRIANGLE) as u64)
        .with_max_decoded_bytes((max_bytes / BYTES_PER_ATTRIBUTE_BYTE) as u64);
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut DecoderBuffer::new(data).with_limits(limits), &mut mesh).map_err(
        |error| match error.kind() {
            ErrorKind::LimitExceeded => DracoError::TooLarge { max_bytes },
            _ => DracoError::Malformed(error.message().to_owned()),
        },
    )?;
    let vertex_count = mesh.num_points();
    let indices: Vec<u32> = mesh.faces().iter().flatten().map(|point| point.0).collect();
    if let Some(index) = indices.iter().find(|&&index| index as usize >= vertex_count) {
        return Err(malformed(format!("a triangle names point {index} of {vertex_count}")));
    }
    // Points can share values, so the values of all points may be many times those of the stream.
    let mut bytes_left = max_bytes;
    let mut attributes = Vec::new();
    for index in 0..mesh.num_attributes() {
        let attribute = mesh.try_attribute(index).map_err(|error| malformed(error.message()))?;
        let size = stride_of(attribute)?.checked_mul(vertex_count);
        bytes_left =
            size.and_then(|size| bytes_left.checked_sub(size)).ok_or(DracoError::TooLarge { max_bytes })?;
        attributes.push(attribute_of(attribute, vertex_count)?);
    }
    Ok(DracoMesh { indices, vertex_count, attributes })
}

fn malformed(what: impl Into<String>) -> DracoError {
    DracoError::Malformed(what.into())
}

/// Checks the magic, the version and the kind of geometry.
fn check_header(data: &[u8]) -> Result<(), DracoError> {
    let rest = data.strip_prefix(b"DRACO").ok_or(DracoError::NotDraco)?;
    match *rest {
        [2, 2, 1, ..] => Ok(()),
        [2, 2, 0, ..] => Err(DracoError::PointCloud),
        [2, 2, kind, ..] => Err(malformed(format!("geometry of kind {kind}"))),
        [major, minor, ..] => Err(DracoError::Version { major, minor }),
        _ => Err(malformed("it ends in its header")),
    }
}

/// The bytes of one value.
fn stride_of(attribute: &PointAttribute) -> Result<usize, DracoError> {
    let stride = usize::try_from(attribute.byte_stride()).ok().filter(|&stride| stride > 0);
    stride.ok_or_else(|| malformed(format!("a value of {} bytes", attribute.byte_stride())))
}

/// The attribute with one value for each point.
fn attribute_of(attribute: &PointAttribute, vertex_count: usize) -> Result<DracoAttribute, DracoError> {
    let stride = stride_of(attribute)?;
    let values = attribute.buffer().data();
    let mut bytes = Vec::with_capacity(vertex_count * stride);
    for point in 0..vertex_count {
        let value = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        let range = value.checked_mul(stride).and_then(|start| Some(start..start.checked_add(stride)?));
        let value = range.and_then(|range| values.get(range));
        bytes.extend_from_slice(value.ok_or_else(|| malformed(format!("point {point} has no value")))?);
    }
    Ok(DracoAttribute {
        unique_id: attribute.unique_id(),
        components: attribute.num_components(),
        data_type: attribute.data_type(),
        normalized: attribute.normalized(),
        bytes,
    })
}
