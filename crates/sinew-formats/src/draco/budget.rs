//! The memory that one decode may still allocate.

use super::DracoError;

/// Counts every allocation against the caller's limit.
///
/// Nothing is given back: scratch counts like results, which keeps the bound simple and on the safe side.
#[derive(Debug)]
pub(super) struct DracoBudget {
    max_bytes: usize,
    left: usize,
}

impl DracoBudget {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, left: max_bytes }
    }

    /// Charges `count` items of `size` bytes that the caller is about to allocate.
    pub(super) fn charge(&mut self, count: usize, size: usize) -> Result<(), DracoError> {
        let left = count
            .checked_mul(size)
            .and_then(|bytes| self.left.checked_sub(bytes))
            .ok_or(DracoError::TooLarge { max_bytes: self.max_bytes })?;
        self.left = left;
        Ok(())
    }

    /// A vector of `count` copies of `value`, charged.
    pub(super) fn filled<T: Clone>(&mut self, count: usize, value: T) -> Result<Vec<T>, DracoError> {
        self.charge(count, size_of::<T>())?;
        Ok(vec![value; count])
    }

    /// An empty vector with room for `count` items, charged.
    pub(super) fn room<T>(&mut self, count: usize) -> Result<Vec<T>, DracoError> {
        self.charge(count, size_of::<T>())?;
        Ok(Vec::with_capacity(count))
    }
}
