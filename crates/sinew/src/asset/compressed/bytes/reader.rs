//! Reads numbers, texts and bytes in a row, and trusts none of them.

use crate::asset::compressed::CompressedError;

/// Bytes with a place in them.
#[derive(Debug)]
pub(super) struct VarintReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> VarintReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The error of a value that ends here and cannot be.
    pub(super) fn bad(&self, what: &'static str) -> CompressedError {
        CompressedError::BadBytes { what, end: self.at }
    }

    /// Checks that nothing is left.
    pub(super) fn end(&self) -> Result<(), CompressedError> {
        let extra = self.bytes.len() - self.at;
        if extra == 0 { Ok(()) } else { Err(CompressedError::ExtraBytes { end: self.at, extra }) }
    }

    pub(super) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], CompressedError> {
        let rest = &self.bytes[self.at..];
        let Some(bytes) = rest.get(..count) else {
            return Err(CompressedError::TooFewBytes { what, at: self.at, needed: count, left: rest.len() });
        };
        self.at += count;
        Ok(bytes)
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Checks that `count` more bytes follow.
    pub(super) fn has(&self, count: usize, what: &'static str) -> Result<(), CompressedError> {
        let left = self.bytes.len() - self.at;
        if count <= left {
            return Ok(());
        }
        Err(CompressedError::TooFewBytes { what, at: self.at, needed: count, left })
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], CompressedError> {
        let bytes = self.bytes(N, what)?;
        bytes.try_into().map_err(|_| self.bad(what))
    }

    pub(super) fn byte(&mut self, what: &'static str) -> Result<u8, CompressedError> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(super) fn word(&mut self, what: &'static str) -> Result<u32, CompressedError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn float(&mut self, what: &'static str) -> Result<f32, CompressedError> {
        self.array(what).map(f32::from_le_bytes)
    }

    pub(super) fn double(&mut self, what: &'static str) -> Result<f64, CompressedError> {
        self.array(what).map(f64::from_le_bytes)
    }

    fn long(&mut self, what: &'static str) -> Result<u64, CompressedError> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte(what)?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.bad(what))
    }

    /// A whole number of at most 32 bits.
    pub(super) fn count(&mut self, what: &'static str) -> Result<usize, CompressedError> {
        let value = self.long(what)?;
        u32::try_from(value).map(|value| value as usize).map_err(|_| self.bad(what))
    }

    /// The number of things that follow and have at least `size` bytes each: never more than can be there.
    pub(super) fn count_of(&mut self, size: usize, what: &'static str) -> Result<usize, CompressedError> {
        let count = self.count(what)?;
        self.has(count.saturating_mul(size), what)?;
        Ok(count)
    }

    /// A number that was stored as its difference to `before`.
    pub(super) fn difference(&mut self, before: i64, what: &'static str) -> Result<i64, CompressedError> {
        let value = self.long(what)?;
        let difference = (value >> 1).cast_signed() ^ -(value & 1).cast_signed();
        before.checked_add(difference).ok_or_else(|| self.bad(what))
    }

    pub(super) fn text(&mut self, what: &'static str) -> Result<String, CompressedError> {
        let count = self.count_of(1, what)?;
        let bytes = self.bytes(count, what)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| self.bad(what))
    }
}
