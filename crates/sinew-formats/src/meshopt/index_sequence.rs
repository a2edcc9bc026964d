//! Mode INDICES: indices as differences from one of two running values.
//!
//! A stream is a header byte, one variable-length integer per index, and four bytes of tail. Strips
//! and lines often splice two rising sequences, which is why there are two running values.

use super::stream::{StreamCursor, allocate, unzigzag, version};
use super::{MeshoptError, MeshoptMode};

const TAIL_LEN: usize = 4;

/// Unpacks `count` indices of `stride` bytes, 2 or 4; two bytes keep the low half of an index.
pub(super) fn decode(data: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptError> {
    version(data, MeshoptMode::Indices)?;
    let mut out = allocate(data, count.saturating_add(1 + TAIL_LEN), count, stride)?;
    let end = data.len() - TAIL_LEN;
    let mut cursor = StreamCursor::new(&data[..end], 1);
    match stride {
        2 => fill::<2>(&mut cursor, &mut out)?,
        _ => fill::<4>(&mut cursor, &mut out)?,
    }
    cursor.finish(end)?;
    Ok(out)
}

fn fill<const WIDTH: usize>(cursor: &mut StreamCursor<'_>, out: &mut [u8]) -> Result<(), MeshoptError> {
    let mut running = [0_u32; 2];
    for index in out.as_chunks_mut::<WIDTH>().0 {
        let code = cursor.integer()?;
        let value = &mut running[code as usize & 1];
        *value = value.wrapping_add(unzigzag(code >> 1));
        index.copy_from_slice(&value.to_le_bytes()[..WIDTH]);
    }
    Ok(())
}
