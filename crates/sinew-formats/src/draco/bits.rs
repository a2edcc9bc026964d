//! Single bits packed from the lowest of each byte upward.

use super::DracoError;

/// A cursor over packed bits.
#[derive(Debug)]
pub(super) struct Bits<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// The next `count` bits, at most 32, the first one lowest.
    pub(super) fn take(&mut self, count: u32) -> Result<u32, DracoError> {
        let mut value = 0u64;
        let mut have = 0;
        while have < count {
            let byte = self.at / 8;
            let Some(&packed) = self.data.get(byte) else {
                return Err(DracoError::Truncated { offset: byte, needed: 1 });
            };
            let skip = self.at % 8;
            let part = (8 - skip as u32).min(count - have);
            let bits = (u64::from(packed) >> skip) & ((1 << part) - 1);
            value |= bits << have;
            have += part;
            self.at += part as usize;
        }
        Ok(value as u32)
    }

    /// The bytes touched so far.
    pub(super) fn bytes_used(&self) -> usize {
        self.at.div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_bits_from_the_lowest_upward_across_bytes() {
        let mut bits = Bits::new(&[0b1010_0110, 0b0000_0011]);
        assert_eq!(bits.take(1), Ok(0));
        assert_eq!(bits.take(2), Ok(0b11));
        assert_eq!(bits.take(7), Ok(0b11_10100));
        assert_eq!(bits.bytes_used(), 2);
        assert!(bits.take(7).is_err());
    }
}
