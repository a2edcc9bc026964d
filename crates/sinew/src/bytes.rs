//! Little-endian numbers in bytes: how cooked assets are stored.
//!
//! A list is its length, padding up to a multiple of [`LIST_ALIGNMENT`] from the start of the bytes, and the numbers. So a
//! list is copied as a whole, and nothing is converted number by number.
//!
//! ```
//! use sinew::bytes::{ByteReader, ByteWriter};
//!
//! let mut out = ByteWriter::new();
//! out.text("spine");
//! out.list(&[1.5_f32, -2.0]);
//! let bytes = out.into_bytes();
//! let mut from = ByteReader::new(&bytes);
//! assert_eq!(from.text()?, "spine");
//! assert_eq!(from.list::<f32>()?, [1.5, -2.0]);
//! from.end()?;
//! # Ok::<(), sinew::bytes::BytesError>(())
//! ```

use bytemuck::Pod;
use glam::{Quat, Vec2, Vec3, Vec4};
use thiserror::Error;

/// The alignment of the numbers of a list, in bytes from the start.
pub const LIST_ALIGNMENT: usize = 16;

/// Why bytes do not hold what is read from them.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesError {
    /// The bytes end too early.
    #[error("byte {at}: {needed} bytes are needed, {left} are left")]
    TooShort {
        /// Where they are needed.
        at: usize,
        /// How many are needed.
        needed: usize,
        /// How many are left.
        left: usize,
    },
    /// Bytes are left when all is read.
    #[error("byte {at}: {left} bytes are left over")]
    LeftOver {
        /// Where reading ended, in bytes from the start.
        at: usize,
        /// How many bytes follow.
        left: usize,
    },
    /// A text is not valid UTF-8.
    #[error("byte {at}: the text is not valid UTF-8")]
    BadText {
        /// Where the text begins.
        at: usize,
    },
    /// A number is none of those that are allowed.
    #[error("byte {at}: {what} {value} is not valid")]
    BadValue {
        /// Where the number is.
        at: usize,
        /// What the number stands for.
        what: &'static str,
        /// The number that is not allowed.
        value: u64,
    },
}

/// Numbers that are stored in bytes as they are in memory, on a little-endian machine.
pub trait StoredNumber: Pod + private::Sealed {
    /// The size of each of its scalars, in bytes.
    const SCALAR_BYTES: usize;
}

mod private {
    /// Keeps other crates from adding types whose bytes have another order.
    pub trait Sealed {}
}

macro_rules! stored {
    ($($number:ty: $bytes:literal),*) => {$(
        impl private::Sealed for $number {}
        impl StoredNumber for $number {
            const SCALAR_BYTES: usize = $bytes;
        }
    )*};
}

stored!(u8: 1, u16: 2, u32: 4, f32: 4, f64: 8, Vec2: 4, Vec3: 4, Vec4: 4, Quat: 4, [u32; 2]: 4);
stored!([u16; 2]: 2, [Vec3; 2]: 4, [f32; 12]: 4, [f32; 16]: 4, [[f32; 16]; 3]: 4, [[f32; 16]; 4]: 4);

/// Appends numbers, texts and lists to bytes.
#[derive(Clone, Debug, Default)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

impl ByteWriter {
    /// A writer without bytes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes that were written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a number of one byte.
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// Appends a number of two bytes.
    pub fn u16(&mut self, number: u16) {
        self.raw(&number.to_le_bytes());
    }

    /// Appends a number of four bytes.
    pub fn u32(&mut self, number: u32) {
        self.raw(&number.to_le_bytes());
    }

    /// Appends a number of eight bytes.
    pub fn u64(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// Appends a count or an index as a number of eight bytes.
    pub fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }

    /// Appends a number in single precision.
    pub fn f32(&mut self, number: f32) {
        self.raw(&number.to_le_bytes());
    }

    /// Appends a number in double precision.
    pub fn f64(&mut self, number: f64) {
        self.raw(&number.to_le_bytes());
    }

    /// Appends the length of a text in bytes, and the text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    /// Appends zeros up to a multiple of `bytes` from the start.
    pub fn align(&mut self, bytes: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(bytes), 0);
    }

    /// Appends the length of a list and its numbers, aligned.
    pub fn list<T: StoredNumber>(&mut self, numbers: &[T]) {
        self.count(numbers.len());
        self.align(LIST_ALIGNMENT);
        let start = self.bytes.len();
        self.raw(bytemuck::cast_slice(numbers));
        if cfg!(target_endian = "big") {
            self.bytes[start..].chunks_exact_mut(T::SCALAR_BYTES).for_each(<[u8]>::reverse);
        }
    }
}

/// Reads what a [`ByteWriter`] wrote. No list is allocated before its bytes are known to exist.
#[derive(Clone, Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    /// A reader at the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The number of bytes that were read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The number of bytes that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `needed` bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn raw(&mut self, needed: usize) -> Result<&'a [u8], BytesError> {
        let rest = &self.bytes[self.at..];
        let taken =
            rest.get(..needed).ok_or(BytesError::TooShort { at: self.at, needed, left: rest.len() })?;
        self.at += needed;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let (mut out, taken) = ([0; N], self.raw(N)?);
        out.copy_from_slice(taken);
        Ok(out)
    }

    /// The next byte.
    ///
    /// # Errors
    /// If no byte is left.
    pub fn u8(&mut self) -> Result<u8, BytesError> {
        Ok(self.array::<1>()?[0])
    }

    /// The next number of two bytes.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn u16(&mut self) -> Result<u16, BytesError> {
        self.array().map(u16::from_le_bytes)
    }

    /// The next number of four bytes.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn u32(&mut self) -> Result<u32, BytesError> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next number of eight bytes.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn u64(&mut self) -> Result<u64, BytesError> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next count or index. A count of things that are in the bytes is bounded by [`ByteReader::count_of`].
    ///
    /// # Errors
    /// If fewer than eight bytes are left, or the number does not fit this machine.
    pub fn count(&mut self) -> Result<usize, BytesError> {
        let (at, value) = (self.at, self.u64()?);
        usize::try_from(value).map_err(|_| BytesError::BadValue { at, what: "count", value })
    }

    /// The next count, of things that take at least `bytes` bytes each.
    ///
    /// # Errors
    /// If the things would not fit into the bytes that are left.
    pub fn count_of(&mut self, bytes: usize) -> Result<usize, BytesError> {
        let at = self.at;
        let count = self.count()?;
        let needed = count.saturating_mul(bytes);
        if needed > self.left() {
            return Err(BytesError::TooShort { at, needed, left: self.left() });
        }
        Ok(count)
    }

    /// The next number in single precision.
    ///
    /// # Errors
    /// If fewer than four bytes are left.
    pub fn f32(&mut self) -> Result<f32, BytesError> {
        self.array().map(f32::from_le_bytes)
    }

    /// The next number in double precision.
    ///
    /// # Errors
    /// If fewer than eight bytes are left.
    pub fn f64(&mut self) -> Result<f64, BytesError> {
        self.array().map(f64::from_le_bytes)
    }

    /// The next byte as an index below `count` of choices called `what`.
    ///
    /// # Errors
    /// If no byte is left, or it is too large.
    pub fn choice(&mut self, what: &'static str, count: usize) -> Result<usize, BytesError> {
        let (at, value) = (self.at, self.u8()?);
        match usize::from(value) {
            choice if choice < count => Ok(choice),
            _ => Err(BytesError::BadValue { at, what, value: value.into() }),
        }
    }

    /// The next byte as a choice between false and true.
    ///
    /// # Errors
    /// If no byte is left, or it is neither 0 nor 1.
    pub fn flag(&mut self, what: &'static str) -> Result<bool, BytesError> {
        Ok(self.choice(what, 2)? == 1)
    }

    /// The next text.
    ///
    /// # Errors
    /// If the bytes end too early, or are not valid UTF-8.
    pub fn text(&mut self) -> Result<&'a str, BytesError> {
        let length = self.count()?;
        let at = self.at;
        std::str::from_utf8(self.raw(length)?).map_err(|_| BytesError::BadText { at })
    }

    /// Skips the zeros of [`ByteWriter::align`].
    ///
    /// # Errors
    /// If the bytes end too early.
    pub fn align(&mut self, bytes: usize) -> Result<(), BytesError> {
        self.raw(self.at.next_multiple_of(bytes) - self.at).map(|_| ())
    }

    /// The next list, in one copy.
    ///
    /// # Errors
    /// If the bytes end too early.
    pub fn list<T: StoredNumber>(&mut self) -> Result<Vec<T>, BytesError> {
        self.list_of(|number: &T| *number)
    }

    /// The next list, each number as `of` gives it.
    ///
    /// # Errors
    /// If the bytes end too early.
    pub fn list_of<T: StoredNumber, U>(&mut self, of: impl Fn(&T) -> U) -> Result<Vec<U>, BytesError> {
        let count = self.count()?;
        self.align(LIST_ALIGNMENT)?;
        let bytes = self.raw(count.saturating_mul(size_of::<T>()))?;
        if cfg!(target_endian = "big") {
            let mut swapped = bytes.to_vec();
            swapped.chunks_exact_mut(T::SCALAR_BYTES).for_each(<[u8]>::reverse);
            return Ok(unaligned(&swapped, of));
        }
        Ok(match bytemuck::try_cast_slice(bytes) {
            Ok(numbers) => numbers.iter().map(of).collect(),
            // The caller's bytes begin at an odd address.
            Err(_) => unaligned(bytes, of),
        })
    }

    /// The next list of bytes, without a copy.
    ///
    /// # Errors
    /// If the bytes end too early.
    pub fn byte_list(&mut self) -> Result<&'a [u8], BytesError> {
        let count = self.count()?;
        self.align(LIST_ALIGNMENT)?;
        self.raw(count)
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// If bytes are left.
    pub fn end(&self) -> Result<(), BytesError> {
        match self.left() {
            0 => Ok(()),
            left => Err(BytesError::LeftOver { at: self.at, left }),
        }
    }
}

fn unaligned<T: StoredNumber, U>(bytes: &[u8], of: impl Fn(&T) -> U) -> Vec<U> {
    bytes.chunks_exact(size_of::<T>()).map(|chunk| of(&bytemuck::pod_read_unaligned(chunk))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.u8(1);
        out.u16(0x0302);
        out.u32(7);
        out.u64(1 << 40);
        out.f32(0.5);
        out.f64(-0.25);
        out.text("Ärmel");
        out.list(&[Vec3::X, Vec3::Y]);
        out.list::<u16>(&[]);
        out.list(&[[1_u32, 2], [3, 4]]);
        out.into_bytes()
    }

    fn read(bytes: &[u8]) -> Result<(), BytesError> {
        let mut from = ByteReader::new(bytes);
        assert_eq!((from.u8()?, from.u16()?, from.u32()?, from.u64()?), (1, 0x0302, 7, 1 << 40));
        assert_eq!((from.f32()?, from.f64()?, from.text()?), (0.5, -0.25, "Ärmel"));
        assert_eq!(from.list::<Vec3>()?, [Vec3::X, Vec3::Y]);
        assert_eq!(from.list::<u16>()?, [0_u16; 0]);
        assert_eq!(from.list::<[u32; 2]>()?, [[1, 2], [3, 4]]);
        from.end()
    }

    #[test]
    fn what_was_written_is_read_from_any_address() {
        let bytes = written();
        read(&bytes).unwrap();
        for shift in 1..17 {
            let moved: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
            read(&moved[shift..]).unwrap();
        }
    }

    #[test]
    fn every_truncation_is_an_error_that_names_the_byte() {
        let bytes = written();
        for length in 0..bytes.len() {
            assert!(matches!(read(&bytes[..length]), Err(BytesError::TooShort { .. })), "{length}");
        }
        let more = [bytes, vec![0]].concat();
        assert!(matches!(read(&more), Err(BytesError::LeftOver { left: 1, .. })));
    }

    #[test]
    fn counts_that_no_file_can_hold_allocate_nothing() {
        let mut out = ByteWriter::new();
        out.u64(u64::MAX);
        let bytes = out.into_bytes();
        assert!(ByteReader::new(&bytes).list::<Vec3>().is_err());
        assert!(ByteReader::new(&bytes).text().is_err());
        assert!(ByteReader::new(&bytes).count_of(1).is_err());
        assert!(ByteReader::new(&[2]).flag("switch").is_err());
    }
}
