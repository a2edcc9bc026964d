//! Checked reads of the stream's whole-byte fields, all little endian.

use super::DracoError;

/// A cursor over the stream.
#[derive(Debug, Clone)]
pub(super) struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// How many bytes are left.
    pub(super) fn remaining(&self) -> usize {
        self.data.len().saturating_sub(self.at)
    }

    /// All bytes that are left, without moving on.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], DracoError> {
        let taken =
            self.rest().get(..count).ok_or(DracoError::Truncated { offset: self.at, needed: count })?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DracoError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DracoError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn i8(&mut self) -> Result<i8, DracoError> {
        Ok(i8::from_le_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, DracoError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, DracoError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, DracoError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn f32(&mut self) -> Result<f32, DracoError> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// A variable-length number: seven bits a byte, the lowest first.
    fn varint(&mut self, max_bits: u32) -> Result<u64, DracoError> {
        let start = self.at;
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            let shifted = part << shift;
            if shifted >> shift != part || (max_bits < 64 && shifted >> max_bits != 0) {
                return Err(DracoError::Malformed {
                    what: "a variable-length number overflows",
                    index: start,
                });
            }
            value |= shifted;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
            if shift >= max_bits {
                return Err(DracoError::Malformed {
                    what: "a variable-length number does not end",
                    index: start,
                });
            }
        }
    }

    pub(super) fn varint_u32(&mut self) -> Result<u32, DracoError> {
        // The bit limit above keeps the value inside 32 bits.
        Ok(self.varint(32)? as u32)
    }

    /// A block preceded by its length.
    pub(super) fn sized_block(&mut self) -> Result<&'a [u8], DracoError> {
        let offset = self.at;
        let length = self.varint(64)?;
        let length =
            usize::try_from(length).map_err(|_| DracoError::Truncated { offset, needed: usize::MAX })?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_variable_length_numbers_lowest_bits_first() {
        let mut bytes = Bytes::new(&[0x7f, 0xa2, 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(bytes.varint_u32(), Ok(127));
        assert_eq!(bytes.varint_u32(), Ok(290));
        assert_eq!(bytes.varint_u32(), Ok(u32::MAX));
    }

    #[test]
    fn refuses_variable_length_numbers_beyond_their_width() {
        assert!(Bytes::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint_u32().is_err());
        assert!(Bytes::new(&[0x80; 12]).varint_u32().is_err());
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert!(Bytes::new(&huge).varint(64).is_err());
    }

    #[test]
    fn refuses_a_block_longer_than_the_stream() {
        let refused = Bytes::new(&[3, 1, 2]).sized_block();
        assert_eq!(refused, Err(DracoError::Truncated { offset: 1, needed: 3 }));
    }
}
