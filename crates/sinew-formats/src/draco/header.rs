//! The fixed fields at the start of a stream.

use super::DracoError;
use super::bytes::Bytes;

/// How the triangles are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EncodingMethod {
    /// As a list of point indices.
    Sequential,
    /// As a walk over the surface.
    Edgebreaker,
}

/// What the header says about the rest of the stream.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) method: EncodingMethod,
    pub(super) has_metadata: bool,
}

const METADATA_FLAG: u16 = 0x8000;

/// Reads the header of a mesh of bitstream 2.2.
pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Header, DracoError> {
    if !bytes.rest().starts_with(b"DRACO") {
        return Err(DracoError::NotDraco);
    }
    bytes.take(5)?;
    let (major, minor) = (bytes.u8()?, bytes.u8()?);
    let geometry = bytes.u8()?;
    // A point cloud says so before its version is judged: those have their own version numbers.
    match geometry {
        0 => return Err(DracoError::PointCloud),
        1 => {}
        other => return Err(unsupported("geometry type", other)),
    }
    if (major, minor) != (2, 2) {
        return Err(DracoError::Version { major, minor });
    }
    let method = match bytes.u8()? {
        0 => EncodingMethod::Sequential,
        1 => EncodingMethod::Edgebreaker,
        other => return Err(unsupported("mesh encoding method", other)),
    };
    let has_metadata = bytes.u16()? & METADATA_FLAG != 0;
    Ok(Header { method, has_metadata })
}

fn unsupported(what: &'static str, value: u8) -> DracoError {
    DracoError::Unsupported { what, value: value.into() }
}
