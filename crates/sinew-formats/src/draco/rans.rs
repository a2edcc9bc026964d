//! Entropy decoding: range asymmetric numeral systems, for symbols and for single bits.
//!
//! The coder's state is read from the end of its block, which the decoder then consumes backward.

use super::DracoError;
use super::budget::DracoBudget;
use super::bytes::Bytes;

/// The state at the end of a block, and the bytes before it.
fn open(block: &[u8], base: u32) -> Result<(u32, &[u8]), DracoError> {
    let truncated = DracoError::Truncated { offset: 0, needed: 1 };
    let &last = block.last().ok_or(truncated)?;
    // The two highest bits of the last byte say how many bytes precede it in the state.
    let length = usize::from(last >> 6) + 1;
    let split = block.len().checked_sub(length).ok_or(truncated)?;
    let (rest, tail) = block.split_at(split);
    let mut word = [0; 4];
    for (to, &from) in word.iter_mut().zip(tail) {
        *to = from;
    }
    let bits = 8 * length as u32 - 2;
    let state = (u32::from_le_bytes(word) & ((1 << bits) - 1)) + base;
    if state >= base * 256 {
        return Err(DracoError::Malformed { what: "an entropy coder starts out of range", index: split });
    }
    Ok((state, rest))
}

/// Decodes single bits of one fixed probability.
#[derive(Debug, Clone)]
pub(super) struct AnsBits<'a> {
    state: u32,
    rest: &'a [u8],
    one_probability: u32,
}

const BIT_BASE: u32 = 4096;

impl<'a> AnsBits<'a> {
    /// Reads the probability and the sized block of a bit sequence.
    pub(super) fn read(bytes: &mut Bytes<'a>) -> Result<Self, DracoError> {
        let zero_probability = bytes.u8()?;
        let block = bytes.sized_block()?;
        let (state, rest) = open(block, BIT_BASE)?;
        Ok(Self { state, rest, one_probability: 256 - u32::from(zero_probability) })
    }

    /// The next bit. A used-up block goes on giving bits, as in the reference decoder.
    pub(super) fn next_bit(&mut self) -> bool {
        if self.state < BIT_BASE
            && let Some((&byte, rest)) = self.rest.split_last()
        {
            self.state = self.state * 256 + u32::from(byte);
            self.rest = rest;
        }
        let share = (self.state / 256) * self.one_probability;
        let remainder = self.state % 256;
        let bit = remainder < self.one_probability;
        self.state = if bit { share + remainder } else { self.state - share - self.one_probability };
        bit
    }
}

/// The probabilities of the symbols of one block.
#[derive(Debug)]
pub(super) struct SymbolTable {
    precision_bits: u32,
    /// For each symbol its probability and the sum of those before it.
    ranges: Vec<(u32, u32)>,
    /// The symbol for each value of the state's low bits.
    symbol_of: Vec<u32>,
}

impl SymbolTable {
    /// Reads a table whose probabilities sum to two to the `precision_bits`.
    pub(super) fn read(
        bytes: &mut Bytes<'_>,
        precision_bits: u32,
        budget: &mut DracoBudget,
    ) -> Result<Self, DracoError> {
        let count = bytes.varint_u32()? as usize;
        // One byte describes at most 64 symbols, all of probability zero.
        let limit = bytes.remaining().saturating_mul(64);
        if count == 0 || count > limit {
            return Err(DracoError::Count {
                what: "symbol table size",
                value: count as u64,
                limit: limit as u64,
            });
        }
        let probabilities = read_probabilities(bytes, count, budget)?;
        Self::from_probabilities(&probabilities, precision_bits, budget)
    }

    fn from_probabilities(
        probabilities: &[u32],
        precision_bits: u32,
        budget: &mut DracoBudget,
    ) -> Result<Self, DracoError> {
        let total = 1u32 << precision_bits;
        let mut ranges = budget.room(probabilities.len())?;
        let mut symbol_of = budget.room(total as usize)?;
        let mut sum = 0u32;
        for (symbol, &probability) in probabilities.iter().enumerate() {
            ranges.push((probability, sum));
            sum = sum.saturating_add(probability);
            if sum > total {
                break;
            }
            symbol_of.resize(sum as usize, symbol as u32);
        }
        if sum != total {
            return Err(DracoError::Count {
                what: "sum of the symbol probabilities",
                value: sum.into(),
                limit: total.into(),
            });
        }
        Ok(Self { precision_bits, ranges, symbol_of })
    }
}

fn read_probabilities(
    bytes: &mut Bytes<'_>,
    count: usize,
    budget: &mut DracoBudget,
) -> Result<Vec<u32>, DracoError> {
    let mut probabilities = budget.room(count)?;
    while probabilities.len() < count {
        let first = bytes.u8()?;
        let high = u32::from(first >> 2);
        match first & 3 {
            3 => {
                let run = probabilities.len() + high as usize + 1;
                if run > count {
                    return Err(DracoError::Count {
                        what: "run of unused symbols",
                        value: run as u64,
                        limit: count as u64,
                    });
                }
                probabilities.resize(run, 0);
            }
            extra => {
                let mut probability = high;
                for i in 0..u32::from(extra) {
                    probability |= u32::from(bytes.u8()?) << (8 * i + 6);
                }
                probabilities.push(probability);
            }
        }
    }
    Ok(probabilities)
}

/// Decodes symbols with the probabilities of a [`SymbolTable`].
#[derive(Debug)]
pub(super) struct AnsSymbols<'a> {
    table: &'a SymbolTable,
    state: u32,
    rest: &'a [u8],
}

impl<'a> AnsSymbols<'a> {
    pub(super) fn new(table: &'a SymbolTable, block: &'a [u8]) -> Result<Self, DracoError> {
        let (state, rest) = open(block, 4 << table.precision_bits)?;
        Ok(Self { table, state, rest })
    }

    /// The next symbol. A used-up block goes on giving symbols, as in the reference decoder.
    pub(super) fn next_symbol(&mut self) -> u32 {
        let bits = self.table.precision_bits;
        while self.state < 4 << bits
            && let Some((&byte, rest)) = self.rest.split_last()
        {
            self.state = self.state * 256 + u32::from(byte);
            self.rest = rest;
        }
        let low = self.state & ((1 << bits) - 1);
        // The table covers all low bits and names only symbols that have a range, so neither look-up can miss.
        let symbol = self.table.symbol_of[low as usize];
        let (probability, before) = self.table.ranges[symbol as usize];
        self.state = (self.state >> bits) * probability + low - before;
        symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_probabilities_that_do_not_fill_the_range() {
        let mut budget = DracoBudget::new(1 << 20);
        for probabilities in [&[4095][..], &[4096, 1], &[u32::MAX, 1]] {
            assert!(SymbolTable::from_probabilities(probabilities, 12, &mut budget).is_err());
        }
        assert!(SymbolTable::from_probabilities(&[0, 4096, 0], 12, &mut budget).is_ok());
    }

    #[test]
    fn refuses_a_block_too_short_for_its_state() {
        assert!(open(&[], 4096).is_err());
        assert!(open(&[0x80], 4096).is_err());
        assert!(open(&[0, 0, 0, 0xff], 4096).is_err());
        assert_eq!(open(&[7, 0x01], 4096), Ok((4097, &[7][..])));
    }
}
