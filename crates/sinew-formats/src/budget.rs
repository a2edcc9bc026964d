//! A bound on what a file can make a reader read, allocate and do.

use crate::{Limits, ReadError};
use std::cell::Cell;

/// Counts bytes read, bytes unpacked and work against the limits of one document.
///
/// A file of a few hundred bytes can name one accessor a million times, or declare four billion zeros without storing
/// one. Everything that is unpacked is charged here before memory is allocated, and every loop over a count that the
/// file controls charges its steps.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    read: Cell<usize>,
    unpacked: Cell<usize>,
    work: Cell<u64>,
}

impl Budget {
    /// The budget of a document of `bytes`.
    ///
    /// # Errors
    /// When the document alone exceeds the limits.
    pub(crate) fn new(limits: &Limits, bytes: usize) -> Result<Self, ReadError> {
        let budget = Self { limits: *limits, read: Cell::new(0), unpacked: Cell::new(0), work: Cell::new(0) };
        budget.charge_read("the file", bytes)?;
        Ok(budget)
    }

    /// A budget for documents that were read before.
    pub(crate) fn unlimited() -> Self {
        let limits = Limits::default().with_max_memory(usize::MAX);
        Self { limits, read: Cell::new(0), unpacked: Cell::new(0), work: Cell::new(0) }
    }

    /// Charges a file that the document names. What was read raises what may be unpacked.
    pub(crate) fn charge_read(&self, place: &str, bytes: usize) -> Result<(), ReadError> {
        let limit = self.limits.max_read_bytes;
        let read = self.read.get().checked_add(bytes).filter(|&read| read <= limit);
        self.read.set(read.ok_or_else(|| self.too_much_to_read(place))?);
        self.check_time(place)
    }

    /// The error for a file that exceeds what may be read.
    pub(crate) fn too_much_to_read(&self, place: &str) -> ReadError {
        ReadError::TooMuchToRead { place: place.into(), limit: self.limits.max_read_bytes }
    }

    /// Charges `count` elements of `size` bytes and returns their total size.
    pub(crate) fn charge(&self, place: &str, count: usize, size: usize) -> Result<usize, ReadError> {
        let limit = self.max_unpacked();
        let bytes = count.checked_mul(size);
        let total = |bytes: usize| self.unpacked.get().checked_add(bytes).filter(|&total| total <= limit);
        match bytes.and_then(|bytes| Some((bytes, total(bytes)?))) {
            Some((bytes, total)) => {
                self.unpacked.set(total);
                self.check_time(place)?;
                Ok(bytes)
            }
            None => Err(ReadError::TooLarge { place: place.into(), limit }),
        }
    }

    /// Charges work that allocates little, in units of about a byte unpacked.
    pub(crate) fn charge_work(&self, place: &str, units: usize) -> Result<(), ReadError> {
        let limit = self.limits.work(self.read.get());
        let work = self.work.get().saturating_add(units as u64);
        if work > limit {
            return Err(ReadError::TooMuchWork { place: place.into(), read_bytes: self.read.get() });
        }
        self.work.set(work);
        self.check_time(place)
    }

    /// Charges a fixed price for a step that may unpack nothing, but that a file can repeat without limit.
    ///
    /// Two lists of ten thousand entries can ask for a hundred million steps. At this price a file gets some hundred
    /// thousand of them, and one more for every byte it has.
    pub(crate) fn charge_step(&self, place: &str) -> Result<(), ReadError> {
        const PRICE: usize = 256;
        self.charge_work(place, PRICE)
    }

    /// The number of bytes that may still be unpacked.
    pub(crate) fn left(&self) -> usize {
        self.max_unpacked().saturating_sub(self.unpacked.get())
    }

    /// The number of bytes that may be unpacked in all.
    pub(crate) fn max_unpacked(&self) -> usize {
        self.limits.unpacked_bytes(self.read.get())
    }

    /// An error once the deadline has passed.
    pub(crate) fn check_time(&self, place: &str) -> Result<(), ReadError> {
        if self.limits.is_late() { Err(ReadError::TimedOut { place: place.into() }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn unpacking(bytes: usize) -> Budget {
        Budget::new(&Limits::default().with_max_unpacked_bytes(bytes), 0).unwrap()
    }

    #[test]
    fn refuses_charges_that_exceed_the_limit_or_overflow() {
        let budget = unpacking(100);
        assert_eq!(budget.charge("a", 10, 6).unwrap(), 60);
        assert!(budget.charge("a", 10, 6).is_err());
        assert!(budget.charge("a", usize::MAX, 2).is_err());
        assert_eq!(budget.charge("a", 4, 10).unwrap(), 40);
    }

    #[test]
    fn steps_that_unpack_nothing_exhaust_the_budget_too() {
        let budget = unpacking(100);
        assert_eq!((0..10).filter(|_| budget.charge_step("a").is_ok()).count(), 3);
        assert_eq!(budget.left(), 100);
    }

    #[test]
    fn files_are_charged_and_raise_what_may_be_unpacked() {
        let budget = Budget::new(&Limits::default().with_max_read_bytes(1000), 600).unwrap();
        let before = budget.left();
        budget.charge_read("a", 400).unwrap();
        assert_eq!(budget.left(), before + 400 * 256);
        assert!(matches!(budget.charge_read("a", 1), Err(ReadError::TooMuchToRead { limit: 1000, .. })));
        assert!(Budget::new(&Limits::default().with_max_read_bytes(10), 11).is_err());
    }

    #[test]
    fn after_the_deadline_every_charge_fails() {
        let late = Limits::default().with_deadline(Instant::now());
        assert!(matches!(Budget::new(&late, 0), Err(ReadError::TimedOut { .. })));
    }
}
