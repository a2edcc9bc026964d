//! Sequences of unsigned numbers, entropy coded whole or by their bit lengths.

use super::DracoError;
use super::bits::Bits;
use super::budget::DracoBudget;
use super::bytes::Bytes;
use super::rans::{AnsSymbols, SymbolTable};

/// Bit lengths have a table of this precision.
const TAG_PRECISION_BITS: u32 = 12;

/// Decodes `count` numbers that come in groups of `group`.
pub(super) fn read(
    bytes: &mut Bytes<'_>,
    count: usize,
    group: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    match bytes.u8()? {
        0 => read_tagged(bytes, count, group.max(1), budget),
        1 => read_raw(bytes, count, budget),
        other => Err(DracoError::Unsupported { what: "symbol coding", value: other.into() }),
    }
}

/// Each group shares one entropy-coded bit length; the bits themselves follow all lengths.
fn read_tagged(
    bytes: &mut Bytes<'_>,
    count: usize,
    group: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    let table = SymbolTable::read(bytes, TAG_PRECISION_BITS, budget)?;
    let mut lengths = AnsSymbols::new(&table, bytes.sized_block()?)?;
    let mut bits = Bits::new(bytes.rest());
    let mut values = budget.room(count)?;
    while values.len() < count {
        let length = lengths.next_symbol();
        if length > 32 {
            return Err(DracoError::Count { what: "bit length", value: length.into(), limit: 32 });
        }
        for _ in 0..group.min(count - values.len()) {
            values.push(bits.take(length)?);
        }
    }
    bytes.take(bits.bytes_used())?;
    Ok(values)
}

/// Each number is itself a symbol.
fn read_raw(bytes: &mut Bytes<'_>, count: usize, budget: &mut DracoBudget) -> Result<Vec<u32>, DracoError> {
    let bit_length = u32::from(bytes.u8()?);
    if !(1..=18).contains(&bit_length) {
        return Err(DracoError::Count { what: "symbol bit length", value: bit_length.into(), limit: 18 });
    }
    let precision_bits = (3 * bit_length / 2).clamp(12, 20);
    let table = SymbolTable::read(bytes, precision_bits, budget)?;
    let mut symbols = AnsSymbols::new(&table, bytes.sized_block()?)?;
    let mut values = budget.room(count)?;
    values.extend((0..count).map(|_| symbols.next_symbol()));
    Ok(values)
}
