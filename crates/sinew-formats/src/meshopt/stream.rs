//! Checked reading of a stream, and the allocation of what it unpacks to.

use super::{MeshoptError, MeshoptMode};

/// The version in a stream's first byte, 0 or 1.
///
/// # Errors
/// When the stream is empty, belongs to another mode or has a later version.
pub(super) fn version(data: &[u8], mode: MeshoptMode) -> Result<u8, MeshoptError> {
    let found = *data.first().ok_or(MeshoptError::Truncated { at: 0, want: 1, left: 0 })?;
    match found ^ mode.header() {
        version @ 0..=1 => Ok(version),
        _ => Err(MeshoptError::BadHeader { mode, found }),
    }
}

/// Zeroed output for `count * stride` bytes, if the stream has the `min_len` bytes that so many
/// elements take; the product was checked with the layout.
pub(super) fn allocate(
    data: &[u8],
    min_len: usize,
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, MeshoptError> {
    if data.len() < min_len {
        return Err(MeshoptError::TooShort { len: data.len(), min_len, count, stride });
    }
    let bytes = count * stride;
    let mut out = Vec::new();
    out.try_reserve_exact(bytes).map_err(|_| MeshoptError::OutOfMemory { bytes })?;
    out.resize(bytes, 0);
    Ok(out)
}

/// A position in a stream that never passes its end.
#[derive(Debug)]
pub(super) struct StreamCursor<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> StreamCursor<'a> {
    /// Starts at byte `at` of `data`, at most its length.
    pub(super) fn new(data: &'a [u8], at: usize) -> Self {
        debug_assert!(at <= data.len(), "the minimum length was checked");
        Self { data, at }
    }

    /// The next `want` bytes, passed over.
    pub(super) fn take(&mut self, want: usize) -> Result<&'a [u8], MeshoptError> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let taken = rest.get(..want).ok_or_else(|| self.truncated(want))?;
        self.at += want;
        Ok(taken)
    }

    /// The next `N` bytes, not passed over: follow with [`Self::skip`].
    pub(super) fn peek<const N: usize>(&self) -> Result<&'a [u8; N], MeshoptError> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        rest.first_chunk().ok_or_else(|| self.truncated(N))
    }

    /// Passes over bytes that were peeked at.
    pub(super) fn skip(&mut self, peeked: usize) {
        self.at += peeked;
    }

    /// Reads the next byte of the stream.
    pub(super) fn byte(&mut self) -> Result<u8, MeshoptError> {
        let byte = *self.data.get(self.at).ok_or_else(|| self.truncated(1))?;
        self.at += 1;
        Ok(byte)
    }

    /// The next integer of one to five bytes, seven bits each, the lowest first; bits beyond 32 are dropped.
    pub(super) fn integer(&mut self) -> Result<u32, MeshoptError> {
        let at = self.at;
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(MeshoptError::LongInteger { at })
    }

    /// Checks that reading stopped exactly at byte `end`, where the tail begins.
    pub(super) fn finish(&self, end: usize) -> Result<(), MeshoptError> {
        let at = self.at;
        match at.cmp(&end) {
            std::cmp::Ordering::Less => Err(MeshoptError::Trailing { at, unread: end - at }),
            std::cmp::Ordering::Equal => Ok(()),
            // Attributes peek into the tail, so an element that ends in it is found here.
            std::cmp::Ordering::Greater => Err(MeshoptError::Truncated { at: end, want: at - end, left: 0 }),
        }
    }

    #[cold]
    fn truncated(&self, want: usize) -> MeshoptError {
        MeshoptError::Truncated { at: self.at, want, left: self.data.len().saturating_sub(self.at) }
    }
}

/// The signed difference behind an unsigned one whose lowest bit is the sign, in two's complement.
pub(super) fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_follow_the_examples_of_the_specification() {
        let mut cursor = StreamCursor::new(&[0x7f, 0x81, 0x04, 0xff, 0xa0, 0x05], 0);
        assert_eq!([cursor.integer(), cursor.integer()], [Ok(0x7f), Ok(0x201)]);
        // Its third example prints 0x1fd005, which is not what its own rule gives: seven bits a byte.
        assert_eq!(cursor.integer(), Ok(0x7f | 0x20 << 7 | 0x05 << 14));
        assert_eq!(cursor.finish(6), Ok(()));
    }

    #[test]
    fn integers_end_with_their_fifth_byte() {
        assert_eq!(StreamCursor::new(&[0xff, 0xff, 0xff, 0xff, 0x7f], 0).integer(), Ok(u32::MAX));
        let endless = StreamCursor::new(&[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 1).integer();
        assert_eq!(endless, Err(MeshoptError::LongInteger { at: 1 }));
        let cut = StreamCursor::new(&[0x80], 0).integer();
        assert_eq!(cut, Err(MeshoptError::Truncated { at: 1, want: 1, left: 0 }));
    }

    #[test]
    fn finishing_tells_too_little_from_too_much() {
        let at_3 = StreamCursor::new(&[0; 8], 3);
        assert_eq!(at_3.finish(5), Err(MeshoptError::Trailing { at: 3, unread: 2 }));
        assert_eq!(at_3.finish(2), Err(MeshoptError::Truncated { at: 2, want: 1, left: 0 }));
    }

    #[test]
    fn differences_alternate_in_sign() {
        assert_eq!([0, 1, 2, 3, u32::MAX].map(|v| unzigzag(v).cast_signed()), [0, -1, 1, -2, i32::MIN]);
    }
}
