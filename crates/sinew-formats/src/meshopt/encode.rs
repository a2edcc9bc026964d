//! Packs buffer views as `EXT_meshopt_compression` specifies: the counterpart of [`decode`](super::decode).
//!
//! Version 0 of the attribute codec and version 1 of the index codecs are written, which every decoder reads. Elements
//! keep their order and their bytes. Triangles keep their order and their winding, but may begin with another corner.

mod attributes;
mod filters;
mod index_sequence;
mod triangles;

pub(crate) use filters::{exponential_of, octahedral_of, quaternion_of};

use super::{Filter, MeshoptError, MeshoptMode, check_layout};

/// Packs elements of `stride` bytes into one stream. With a filter, `elements` are what the filter reads.
///
/// # Errors
/// When the layout is not valid for the extension, or an index needs more than 30 bits.
pub(crate) fn encode(
    elements: &[u8],
    mode: MeshoptMode,
    filter: Filter,
    stride: usize,
) -> Result<Vec<u8>, MeshoptError> {
    let count = elements.len().checked_div(stride).unwrap_or(0);
    check_layout(mode, filter, count, stride)?;
    match mode {
        MeshoptMode::Attributes => Ok(attributes::encode(elements, stride)),
        MeshoptMode::Triangles => Ok(triangles::encode(&indices(elements, stride))),
        MeshoptMode::Indices => index_sequence::encode(&indices(elements, stride)),
    }
}

/// Little-endian indices of two or four bytes.
fn indices(bytes: &[u8], stride: usize) -> Vec<u32> {
    match stride {
        2 => bytes.as_chunks().0.iter().map(|index| u16::from_le_bytes(*index).into()).collect(),
        _ => bytes.as_chunks().0.iter().map(|index| u32::from_le_bytes(*index)).collect(),
    }
}

/// The unsigned number whose lowest bit is the sign of a difference in two's complement.
fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ (difference.cast_signed() >> 31).cast_unsigned()
}

/// Writes an integer as one to five bytes, seven bits each, the lowest first.
fn put_integer(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests;
