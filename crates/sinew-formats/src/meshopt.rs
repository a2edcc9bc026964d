//! Decodes buffer views compressed by `EXT_meshopt_compression` and `KHR_meshopt_compression`, and encodes them for the
//! first.
//!
//! One stream becomes one buffer view: a codec chosen by [`Mode`] turns the stream into
//! `count` elements of `stride` bytes, then a [`Filter`] may rewrite each attribute in place.
//! The two extensions share one bitstream; the Khronos one adds version 1 of the attribute codec
//! and the color filter. Both are read under either name, since writers mix them.
//!
//! The streams are untrusted. Nothing is allocated before the stream has proved long enough for
//! the shortest encoding of `count` elements, so the output is at most 1024 times the input for
//! attributes (a zero column costs no bytes), 12 times for triangles and 4 times for indices.

mod attributes;
mod bit_group;
mod delta;
mod encode;
mod error;
mod filter;
mod index_sequence;
mod stream;
mod triangles;

#[cfg(test)]
mod tests;

pub(crate) use encode::{encode, exponential_of, octahedral_of, quaternion_of};
pub(crate) use error::MeshoptError;

use std::fmt;

/// What a compressed buffer view holds, and so which codec packed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MeshoptMode {
    /// Elements of any meaning; a stride that is a multiple of 4 up to 256 bytes.
    Attributes,
    /// Indices of a triangle list, 2 or 4 bytes each.
    Triangles,
    /// Indices of any other topology, 2 or 4 bytes each.
    Indices,
}

/// How decoded attributes are turned into the values that accessors read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Filter {
    /// The attributes are the values.
    None,
    /// Unit vectors folded onto an octahedron; out come four `i8` or `i16`, normalized.
    Octahedral,
    /// Unit quaternions without their largest component; out come four `i16`, normalized.
    Quaternion,
    /// Floats as an 8-bit exponent over a 24-bit mantissa; out come `f32`.
    Exponential,
    /// Colors as luma and chroma; out come four `u8` or `u16`, normalized.
    Color,
}

/// Unpacks one compressed buffer view into `count * stride` bytes, little-endian like any glTF buffer.
///
/// `data` is exactly the stream: the codecs find their tables by its end. Indices are not compared
/// with any vertex count. Many views may share one stream, so a caller that bounds its memory adds up
/// `count * stride` over all views before the first call.
///
/// # Errors
/// When the layout is not valid for the extension, or the stream is truncated, too long or damaged.
pub(crate) fn decode(
    data: &[u8],
    mode: MeshoptMode,
    filter: Filter,
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, MeshoptError> {
    check_layout(mode, filter, count, stride)?;
    match mode {
        MeshoptMode::Attributes => {
            let mut elements = attributes::decode(data, count, stride)?;
            filter::apply(filter, stride, &mut elements);
            Ok(elements)
        }
        MeshoptMode::Triangles => triangles::decode(data, count, stride),
        MeshoptMode::Indices => index_sequence::decode(data, count, stride),
    }
}

fn check_layout(mode: MeshoptMode, filter: Filter, count: usize, stride: usize) -> Result<(), MeshoptError> {
    let stride_fits_mode = match mode {
        MeshoptMode::Attributes => (4..=256).contains(&stride) && stride.is_multiple_of(4),
        MeshoptMode::Triangles | MeshoptMode::Indices => stride == 2 || stride == 4,
    };
    if !stride_fits_mode {
        return Err(MeshoptError::BadStride { mode, stride });
    }
    if mode != MeshoptMode::Attributes && filter != Filter::None {
        return Err(MeshoptError::FilteredIndices { mode, filter });
    }
    let stride_fits_filter = match filter {
        Filter::None | Filter::Exponential => true,
        Filter::Octahedral | Filter::Color => stride == 4 || stride == 8,
        Filter::Quaternion => stride == 8,
    };
    if !stride_fits_filter {
        return Err(MeshoptError::BadFilterStride { filter, stride });
    }
    if mode == MeshoptMode::Triangles && !count.is_multiple_of(3) {
        return Err(MeshoptError::PartialTriangle { count });
    }
    // The codecs multiply without checks after this: every size they compute is below `count * stride`.
    count.checked_mul(stride).map(drop).ok_or(MeshoptError::TooManyElements { count, stride })
}

impl MeshoptMode {
    /// The high half of the first byte of a stream; the low half is the version.
    fn header(self) -> u8 {
        match self {
            Self::Attributes => 0xa0,
            Self::Triangles => 0xe0,
            Self::Indices => 0xd0,
        }
    }
}

/// The name that the extension's `mode` property uses.
impl fmt::Display for MeshoptMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attributes => "ATTRIBUTES",
            Self::Triangles => "TRIANGLES",
            Self::Indices => "INDICES",
        })
    }
}

/// The name that the extension's `filter` property uses.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "NONE",
            Self::Octahedral => "OCTAHEDRAL",
            Self::Quaternion => "QUATERNION",
            Self::Exponential => "EXPONENTIAL",
            Self::Color => "COLOR",
        })
    }
}
