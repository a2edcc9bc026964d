//! A bound on the memory that a file can make a reader allocate.

use crate::ReadError;
use std::cell::Cell;

/// Counts unpacked bytes against a limit.
///
/// A file of a few hundred bytes can name one accessor a million times, or declare four billion zeros without storing
/// one. Everything that is unpacked is charged here before memory is allocated.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    left: Cell<usize>,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, left: Cell::new(limit) }
    }

    /// The default limit: generous for real files, which unpack to a few times their size, and small for small files.
    pub(crate) fn default_limit(file_bytes: usize) -> usize {
        const FLOOR: usize = 64 << 20;
        const CEILING: u64 = 8 << 30;
        // The address space of WebAssembly is four times this.
        const CEILING_OF_32_BITS: usize = 1 << 30;
        let ceiling = usize::try_from(CEILING).unwrap_or(CEILING_OF_32_BITS);
        file_bytes.saturating_mul(256).saturating_add(FLOOR).min(ceiling)
    }

    /// Charges `count` elements of `size` bytes and returns their total size.
    pub(crate) fn charge(&self, place: &str, count: usize, size: usize) -> Result<usize, ReadError> {
        let bytes = count.checked_mul(size);
        match bytes.and_then(|bytes| Some((bytes, self.left.get().checked_sub(bytes)?))) {
            Some((bytes, left)) => {
                self.left.set(left);
                Ok(bytes)
            }
            None => Err(ReadError::TooLarge { place: place.into(), limit: self.limit }),
        }
    }

    /// Charges a fixed price for a step that may unpack nothing, but that a file can repeat without limit.
    ///
    /// Two lists of ten thousand entries can ask for a hundred million steps. At this price a file gets some hundred
    /// thousand of them, and one more for every byte it has.
    pub(crate) fn charge_step(&self, place: &str) -> Result<(), ReadError> {
        const PRICE: usize = 256;
        self.charge(place, 1, PRICE).map(drop)
    }

    /// The number of bytes that may still be unpacked.
    pub(crate) fn left(&self) -> usize {
        self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_charges_that_exceed_the_limit_or_overflow() {
        let budget = Budget::new(100);
        assert_eq!(budget.charge("a", 10, 6).unwrap(), 60);
        assert!(budget.charge("a", 10, 6).is_err());
        assert!(budget.charge("a", usize::MAX, 2).is_err());
        assert_eq!(budget.charge("a", 4, 10).unwrap(), 40);
    }

    #[test]
    fn steps_that_unpack_nothing_exhaust_the_budget_too() {
        let budget = Budget::new(1000);
        assert_eq!((0..10).filter(|_| budget.charge_step("a").is_ok()).count(), 3);
    }
}
