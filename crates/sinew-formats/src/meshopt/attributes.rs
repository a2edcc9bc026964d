//! Mode ATTRIBUTES: elements of 4 to 256 bytes, stored as differences between neighbors.
//!
//! A stream is a header byte, blocks of up to 256 elements, and a tail that holds the element before
//! the first (and, in version 1, how each channel of four bytes is differenced). A block stores one
//! column per byte of the element, because the same byte of neighboring elements differs little.

use super::delta::Delta;
use super::stream::{StreamCursor, allocate, version};
use super::{MeshoptError, MeshoptMode, bit_group};

/// Elements in the largest block.
const MAX_BLOCK_ELEMENTS: usize = 256;
/// Bytes in the largest block.
const MAX_BLOCK_BYTES: usize = 8192;

/// Elements in every block but the last: whole groups of 16.
pub(super) fn max_block_elements(stride: usize) -> usize {
    let fitting = MAX_BLOCK_BYTES / stride;
    (fitting - fitting % 16).min(MAX_BLOCK_ELEMENTS)
}

/// One byte of every element of a block.
type Column = [u8; MAX_BLOCK_ELEMENTS];

/// How one column of a block is stored.
#[derive(Clone, Copy)]
enum Packing {
    /// Groups of 16 differences, each with one of these widths in bits.
    Groups([u8; 4]),
    /// Every difference is 0 and takes no bytes.
    Zero,
    /// A byte for each difference.
    Literal,
}

/// Unpacks `count` elements of `stride` bytes; layout rules were checked by the caller.
pub(super) fn decode(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    let version = version(data, MeshoptMode::Attributes)?;
    let shape = BlockShape::new(version, stride);
    let mut out = allocate(data, shape.min_stream_len(count), count, stride)?;

    let tail = &data[data.len() - shape.tail_len()..];
    let (baseline, modes) = tail.split_at(stride);
    let deltas = channel_deltas(modes, stride / 4)?;
    let mut previous: Vec<u32> =
        baseline.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();

    let mut cursor = StreamCursor::new(data, 1);
    for block in out.chunks_mut(shape.block_elements() * stride) {
        decode_block(&mut cursor, &shape, &deltas, &mut previous, block)?;
    }
    cursor.finish(data.len() - shape.padded_tail_len())?;
    Ok(out)
}

/// Unpacks the next block and leaves its last element in `previous`.
fn decode_block(
    cursor: &mut StreamCursor<'_>,
    shape: &BlockShape,
    deltas: &[Delta],
    previous: &mut [u32],
    block: &mut [u8],
) -> Result<(), MeshoptError> {
    let elements = block.len() / shape.stride;
    let controls = cursor.take(shape.control_len())?;
    let mut columns = [[0; MAX_BLOCK_ELEMENTS]; 4];
    for (channel, (delta, previous)) in deltas.iter().zip(previous).enumerate() {
        let control = controls.get(channel).copied();
        for (byte, column) in columns.iter_mut().enumerate() {
            let packing = control.map_or(Packing::VERSION_0, |control| Packing::new(control >> (2 * byte)));
            read_column(cursor, packing, &mut column[..elements.next_multiple_of(16)], elements)?;
        }
        let mut words = [0; MAX_BLOCK_ELEMENTS];
        let words = transpose(&columns, &mut words[..elements]);
        *previous = delta.integrate(words, *previous, block, shape.stride, 4 * channel);
    }
    Ok(())
}

/// Fills `column`, a whole number of groups, with the differences of `elements` elements.
fn read_column(
    cursor: &mut StreamCursor<'_>,
    packing: Packing,
    column: &mut [u8],
    elements: usize,
) -> Result<(), MeshoptError> {
    match packing {
        Packing::Groups(widths) => bit_group::read(cursor, widths, column.as_chunks_mut().0)?,
        Packing::Zero => column.fill(0),
        Packing::Literal => column[..elements].copy_from_slice(cursor.take(elements)?),
    }
    Ok(())
}

/// Joins the four columns of a channel to one little-endian word per element.
fn transpose<'a>([a, b, c, d]: &[Column; 4], words: &'a mut [u32]) -> &'a mut [u32] {
    for ((((word, a), b), c), d) in words.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *word = u32::from_le_bytes([*a, *b, *c, *d]);
    }
    words
}

/// The differencing of each channel; version 0 has no mode bytes and supports bytes only.
fn channel_deltas(modes: &[u8], channels: usize) -> Result<Vec<Delta>, MeshoptError> {
    if modes.is_empty() {
        return Ok(vec![Delta::Bytes; channels]);
    }
    let delta = |(channel, &found)| Delta::new(found).ok_or(MeshoptError::BadChannel { channel, found });
    modes.iter().enumerate().map(delta).collect()
}

impl Packing {
    const VERSION_0: Self = Self::Groups([0, 2, 4, 8]);

    /// The packing that the low two bits of a version 1 control name.
    fn new(control: u8) -> Self {
        match control & 3 {
            0 => Self::Groups([0, 1, 2, 4]),
            1 => Self::Groups([1, 2, 4, 8]),
            2 => Self::Zero,
            _ => Self::Literal,
        }
    }
}

/// The sizes that follow from version and stride.
struct BlockShape {
    version: u8,
    stride: usize,
}

impl BlockShape {
    fn new(version: u8, stride: usize) -> Self {
        Self { version, stride }
    }

    fn block_elements(&self) -> usize {
        max_block_elements(self.stride)
    }

    /// Bytes at the start of each block that say how its columns are packed.
    fn control_len(&self) -> usize {
        if self.version == 0 { 0 } else { self.stride / 4 }
    }

    /// The baseline element and the channel modes.
    fn tail_len(&self) -> usize {
        self.stride + self.control_len()
    }

    /// The tail with the zeros before it.
    fn padded_tail_len(&self) -> usize {
        let min_len = if self.version == 0 { 32 } else { bit_group::MAX_LEN };
        self.tail_len().max(min_len)
    }

    /// The length of the shortest stream of `count` elements.
    ///
    /// In version 1 it has nothing but zero columns, which take only their control bits. In version 0
    /// each column takes two bits per group of zeros.
    fn min_stream_len(&self, count: usize) -> usize {
        let block = self.block_elements();
        let columns_len = |elements: usize| self.stride * elements.div_ceil(16).div_ceil(4);
        let blocks_len = match self.version {
            0 => count / block * columns_len(block) + columns_len(count % block),
            _ => count.div_ceil(block) * self.control_len(),
        };
        // At most `count * stride`, which fits, and a few hundred bytes.
        blocks_len.saturating_add(1 + self.padded_tail_len())
    }
}
