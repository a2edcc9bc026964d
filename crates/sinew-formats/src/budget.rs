//! A bound on the memory that a file can make a reader take.

use crate::ReadError;
use std::cell::Cell;

/// Counts unpacked bytes against a limit.
///
/// A file of a few hundred bytes can name one accessor a million times, or declare four billion zeros without storing
/// one. Everything that is unpacked is charged here before memory is taken.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    left: Cell<usize>,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, left: Cell::new(limit) }
    }

    /// Generous for real files, which unpack to a few times their size, and small for small ones.
    pub(crate) fn default_limit(file_bytes: usize) -> usize {
        const FLOOR: usize = 64 << 20;
        const CEILING: u64 = 8 << 30;
        // WebAssembly has four of these in all.
        const CEILING_OF_32_BITS: usize = 1 << 30;
        let ceiling = usize::try_from(CEILING).unwrap_or(CEILING_OF_32_BITS);
        file_bytes.saturating_mul(256).saturating_add(FLOOR).min(ceiling)
    }

    /// Takes `count` elements of `size` bytes off the budget, and gives their total.
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

    /// Takes a fixed price off the budget, for steps that may unpack nothing but are repeated as often as a file likes.
    ///
    /// Two lists of ten thousand entries can ask for a hundred million steps. At this price a file gets some hundred
    /// thousand of them, and one more for every byte it has.
    pub(crate) fn charge_step(&self, place: &str) -> Result<(), ReadError> {
        const PRICE: usize = 256;
        self.charge(place, 1, PRICE).map(drop)
    }

    /// What may still be unpacked.
    pub(crate) fn left(&self) -> usize {
        self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_passes_the_limit_and_what_overflows() {
        let budget = Budget::new(100);
        assert_eq!(budget.charge("a", 10, 6).unwrap(), 60);
        assert!(budget.charge("a", 10, 6).is_err());
        assert!(budget.charge("a", usize::MAX, 2).is_err());
        assert_eq!(budget.charge("a", 4, 10).unwrap(), 40);
    }

    #[test]
    fn steps_that_unpack_nothing_run_out_too() {
        let budget = Budget::new(1000);
        assert_eq!((0..10).filter(|_| budget.charge_step("a").is_ok()).count(), 3);
    }
}
