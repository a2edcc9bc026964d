//! Connectivity stored as a plain or compressed list of point indices.

use super::DracoError;
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::symbols;

/// The triangles of a sequentially coded mesh, whose attributes are stored point by point.
#[derive(Debug)]
pub(super) struct DracoIndices {
    pub(super) indices: Vec<u32>,
    pub(super) point_count: usize,
}

/// Reads the triangles and checks every index.
pub(super) fn read(bytes: &mut Bytes<'_>, budget: &mut DracoBudget) -> Result<DracoIndices, DracoError> {
    let faces = bytes.varint_u32()?;
    let points = bytes.varint_u32()?;
    let count = faces.checked_mul(3).ok_or(DracoError::Count {
        what: "triangle count",
        value: faces.into(),
        limit: (u32::MAX / 3).into(),
    })? as usize;
    let indices = match bytes.u8()? {
        0 => read_compressed(bytes, count, budget)?,
        1 => read_plain(bytes, count, points, budget)?,
        other => {
            return Err(DracoError::Unsupported { what: "index coding", value: other.into() });
        }
    };
    if let Some(at) = indices.iter().position(|&index| index >= points) {
        return Err(DracoError::Malformed {
            what: "a triangle names a point that does not exist",
            index: at,
        });
    }
    Ok(DracoIndices { indices, point_count: points as usize })
}

/// Differences to the index before, the sign in the lowest bit.
fn read_compressed(
    bytes: &mut Bytes<'_>,
    count: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    let mut values = symbols::read(bytes, count, 1, budget)?;
    let mut last = 0u32;
    for value in &mut values {
        let difference = *value >> 1;
        last = if *value & 1 == 0 { last.wrapping_add(difference) } else { last.wrapping_sub(difference) };
        *value = last;
    }
    Ok(values)
}

/// Indices as wide as the number of points asks for.
fn read_plain(
    bytes: &mut Bytes<'_>,
    count: usize,
    points: u32,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    if count > bytes.remaining() {
        return Err(DracoError::Truncated { offset: 0, needed: count });
    }
    let mut indices = budget.room(count)?;
    for _ in 0..count {
        indices.push(match points {
            0..0x100 => bytes.u8()?.into(),
            0x100..0x1_0000 => bytes.u16()?.into(),
            0x1_0000..0x20_0000 => bytes.varint_u32()?,
            _ => bytes.u32()?,
        });
    }
    Ok(indices)
}
