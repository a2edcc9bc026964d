//! Why a compressed buffer view could not be unpacked.

use super::{Filter, MeshoptMode};

/// Why a compressed buffer view could not be unpacked; positions are bytes from the stream's start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MeshoptError {
    /// The stride is not one that the mode allows.
    #[error("mode {mode} does not allow a stride of {stride} bytes")]
    BadStride { mode: MeshoptMode, stride: usize },
    /// The stride is not one that the filter allows.
    #[error("filter {filter} does not allow a stride of {stride} bytes")]
    BadFilterStride { filter: Filter, stride: usize },
    /// Only attributes can be filtered.
    #[error("mode {mode} does not allow filter {filter}")]
    FilteredIndices { mode: MeshoptMode, filter: Filter },
    /// Triangles come as three indices each.
    #[error("{count} indices do not make whole triangles")]
    PartialTriangle { count: usize },
    /// The size of the output overflows the address space.
    #[error("{count} elements of {stride} bytes are more than memory can address")]
    TooManyElements { count: usize, stride: usize },
    /// The output is plausible for this stream, but the allocator refused it.
    #[error("no memory for {bytes} bytes of output")]
    OutOfMemory { bytes: usize },
    /// The first byte is not the mode's header with a known version.
    #[error("a stream of mode {mode} cannot start with byte {found:#04x}")]
    BadHeader { mode: MeshoptMode, found: u8 },
    /// Even the shortest encoding of this many elements is longer than the stream.
    #[error("{len} bytes cannot hold {count} elements of {stride} bytes: at least {min_len} are needed")]
    TooShort { len: usize, min_len: usize, count: usize, stride: usize },
    /// The stream ends before the last element.
    #[error("the stream ends early: {want} bytes wanted at byte {at}, {left} left")]
    Truncated { at: usize, want: usize, left: usize },
    /// The last element ends before the stream's tail.
    #[error("{unread} bytes from byte {at} on belong to no element")]
    Trailing { at: usize, unread: usize },
    /// The tail names a way of storing differences that does not exist.
    #[error("channel {channel} has mode {found:#04x}, which is not defined")]
    BadChannel { channel: usize, found: u8 },
    /// The tail's table of triangle codes breaks its own rules.
    #[error("entry {entry} of the triangle code table is {found:#04x}, which is not allowed")]
    BadCodeTable { entry: usize, found: u8 },
    /// A triangle refers back to an edge or vertex before the first.
    #[error("triangle {triangle} refers to an edge or vertex {back} back, but only {seen} came before")]
    BackBeforeFirst { triangle: usize, back: usize, seen: usize },
    /// A variable-length integer has more than five bytes.
    #[error("the integer at byte {at} is longer than five bytes")]
    LongInteger { at: usize },
    /// A difference of indices exceeds what a stream can store.
    #[error("index {index} is too far from the ones before it")]
    FarIndex { index: u32 },
}
