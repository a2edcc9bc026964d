//! What reading a file may cost: bytes read, bytes unpacked, work and time.

use std::time::Instant;

/// The limits for reading one document and the files that it names.
///
/// The default suits files from strangers. What is unpacked is bounded in proportion to what was read, so that a small
/// file cannot ask for much: 64 MiB plus 256 times the bytes read, at most 1 GiB. Work is bounded in the same proportion.
///
/// ```
/// use sinew_formats::{Limits, ReadOptions};
/// use std::time::{Duration, Instant};
///
/// let limits = Limits::default()
///     .with_max_memory(4 << 30)
///     .with_deadline(Instant::now() + Duration::from_secs(30));
/// let options = ReadOptions::default().with_limits(limits);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum number of bytes that are read: of the document and of all files that it names, each counted once.
    pub max_read_bytes: usize,
    /// The maximum number of bytes that may be unpacked. `None` allows 64 MiB plus 256 times the bytes read, at most 1 GiB.
    pub max_unpacked_bytes: Option<usize>,
    /// The moment after which reading stops with an error. `None` sets no time.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// The default for bytes read, and the ceiling for bytes unpacked: 1 GiB.
    pub const DEFAULT_MAX_BYTES: usize = 1 << 30;

    /// These limits with `bytes` as the limit for bytes read and for bytes unpacked, whatever the size of the file.
    #[must_use]
    pub fn with_max_memory(self, bytes: usize) -> Self {
        Self { max_read_bytes: bytes, max_unpacked_bytes: Some(bytes), ..self }
    }

    /// These limits with another value of [`Limits::max_read_bytes`].
    #[must_use]
    pub fn with_max_read_bytes(self, bytes: usize) -> Self {
        Self { max_read_bytes: bytes, ..self }
    }

    /// These limits with another value of [`Limits::max_unpacked_bytes`].
    #[must_use]
    pub fn with_max_unpacked_bytes(self, bytes: usize) -> Self {
        Self { max_unpacked_bytes: Some(bytes), ..self }
    }

    /// These limits with another value of [`Limits::deadline`].
    #[must_use]
    pub fn with_deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// The bytes that may be unpacked after `read` bytes were read.
    pub(crate) fn unpacked_bytes(&self, read: usize) -> usize {
        let allowed = || in_proportion(read).min(Self::DEFAULT_MAX_BYTES as u64) as usize;
        self.max_unpacked_bytes.unwrap_or_else(allowed)
    }

    /// The work that is allowed after `read` bytes were read, in units of about a byte unpacked. Evaluating animation
    /// takes work and little memory, so this goes further than memory does.
    pub(crate) fn work(&self, read: usize) -> u64 {
        /// The work for each byte of the highest limit on memory.
        const PER_BYTE: u64 = 8;
        match self.max_unpacked_bytes {
            Some(bytes) => (bytes as u64).saturating_mul(PER_BYTE),
            None => in_proportion(read).min(Self::DEFAULT_MAX_BYTES as u64 * PER_BYTE),
        }
    }

    /// True if the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        // Without a deadline the clock is not asked: browsers have none here.
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_read_bytes: Self::DEFAULT_MAX_BYTES, max_unpacked_bytes: None, deadline: None }
    }
}

/// Generous for real files, which unpack to a few times their size, and small for small files.
fn in_proportion(read: usize) -> u64 {
    const FLOOR: u64 = 64 << 20;
    const PER_BYTE: u64 = 256;
    (read as u64).saturating_mul(PER_BYTE).saturating_add(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_unpack_little_and_large_ones_a_gibibyte() {
        let limits = Limits::default();
        assert_eq!(limits.unpacked_bytes(0), 64 << 20);
        assert_eq!(limits.unpacked_bytes(1000), (64 << 20) + 256_000);
        assert_eq!(limits.unpacked_bytes(usize::MAX), 1 << 30);
        assert_eq!(limits.with_max_memory(3 << 30).unpacked_bytes(0), 3 << 30);
        assert_eq!(limits.work(usize::MAX), 8 << 30);
    }
}
