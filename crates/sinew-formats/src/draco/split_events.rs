//! Topology splits: where the walk that stored a surface with handles met its own border again.

use super::DracoError;
use super::bits::Bits;
use super::budget::DracoBudget;
use super::bytes::Bytes;

/// One meeting: the face of a later symbol touches the border that an earlier one left open.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitEvent {
    /// The symbol of the face that is met, counted as the encoder did.
    pub(super) source_symbol: u32,
    /// The symbol of the split, counted as the encoder did.
    pub(super) split_symbol: u32,
    /// Whether the open edge is the right one of the met face.
    pub(super) on_right_edge: bool,
}

/// Reads all events, in ascending order of their source symbols.
pub(super) fn read(
    bytes: &mut Bytes<'_>,
    symbol_count: u32,
    budget: &mut DracoBudget,
) -> Result<Vec<SplitEvent>, DracoError> {
    let count = bytes.varint_u32()?;
    if count > symbol_count {
        return Err(DracoError::Count {
            what: "number of topology splits",
            value: count.into(),
            limit: symbol_count.into(),
        });
    }
    let mut events = budget.room(count as usize)?;
    let mut last = 0u32;
    for index in 0..count as usize {
        let out_of_range = DracoError::Malformed { what: "a topology split is out of range", index };
        let source = last.checked_add(bytes.varint_u32()?).ok_or(out_of_range)?;
        let split = source.checked_sub(bytes.varint_u32()?).ok_or(out_of_range)?;
        if source >= symbol_count {
            return Err(out_of_range);
        }
        events.push(SplitEvent { source_symbol: source, split_symbol: split, on_right_edge: false });
        last = source;
    }
    let mut bits = Bits::new(bytes.rest());
    for event in &mut events {
        event.on_right_edge = bits.take(1)? != 0;
    }
    bytes.take(bits.bytes_used())?;
    Ok(events)
}
