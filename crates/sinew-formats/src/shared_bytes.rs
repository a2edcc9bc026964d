//! Bytes that several owners share, so that a file is in memory once.

use std::{ops::Deref, sync::Arc};

/// A part of shared bytes, such as the buffer in a binary file. A clone copies nothing.
#[derive(Clone, Debug)]
pub(crate) struct SharedBytes {
    owner: BytesOwner,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug)]
enum BytesOwner {
    /// A list as it was read or made, which is taken without a copy.
    List(Arc<Vec<u8>>),
    /// An array, as images have it.
    Array(Arc<[u8]>),
}

impl SharedBytes {
    /// The part from `start` of at most `length` bytes.
    #[must_use]
    pub(crate) fn part(&self, start: usize, length: usize) -> Self {
        let start = self.start.saturating_add(start).min(self.end);
        let end = start.saturating_add(length).min(self.end);
        Self { owner: self.owner.clone(), start, end }
    }

    /// True if both are the same part of the same bytes in memory.
    pub(crate) fn is_same_part(&self, other: &Self) -> bool {
        self.as_ptr() == other.as_ptr() && self.len() == other.len()
    }

    /// Changes the bytes. They are copied unless this is their only owner.
    pub(crate) fn edit<R>(&mut self, change: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let mut list = std::mem::take(self).into_vec();
        let out = change(&mut list);
        *self = list.into();
        out
    }

    /// The bytes as a list of their own. They are copied unless this is their only owner.
    pub(crate) fn into_vec(self) -> Vec<u8> {
        let Self { owner, start, end } = self;
        match owner {
            BytesOwner::List(list) if start == 0 && end == list.len() => Arc::unwrap_or_clone(list),
            BytesOwner::List(list) => list[start..end].to_vec(),
            BytesOwner::Array(array) => array[start..end].to_vec(),
        }
    }
}

impl Default for SharedBytes {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(list: Vec<u8>) -> Self {
        let end = list.len();
        Self { owner: BytesOwner::List(Arc::new(list)), start: 0, end }
    }
}

impl From<Arc<[u8]>> for SharedBytes {
    fn from(array: Arc<[u8]>) -> Self {
        let end = array.len();
        Self { owner: BytesOwner::Array(array), start: 0, end }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.owner {
            BytesOwner::List(list) => &list[self.start..self.end],
            BytesOwner::Array(array) => &array[self.start..self.end],
        }
    }
}

/// The bytes of a file while it is read.
#[derive(Clone, Debug)]
pub(crate) enum SourceBytes<'a> {
    /// The caller owns the bytes; what is kept of them is copied.
    Borrowed(&'a [u8]),
    /// The bytes can be kept without a copy.
    Shared(SharedBytes),
}

impl SourceBytes<'_> {
    /// The part from `start` of at most `length` bytes.
    #[must_use]
    pub(crate) fn part(&self, start: usize, length: usize) -> Self {
        match self {
            Self::Borrowed(bytes) => {
                let start = start.min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                Self::Borrowed(&bytes[start..end])
            }
            Self::Shared(bytes) => Self::Shared(bytes.part(start, length)),
        }
    }

    /// The bytes without their caller.
    pub(crate) fn into_shared(self) -> SharedBytes {
        match self {
            Self::Borrowed(bytes) => bytes.to_vec().into(),
            Self::Shared(bytes) => bytes,
        }
    }
}

impl Deref for SourceBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// The content of a file in pieces, which are joined only for callers that need one list.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilePieces(Vec<SharedBytes>);

impl FilePieces {
    /// The pieces in their order; empty ones are left out.
    pub(crate) fn new(pieces: impl IntoIterator<Item = SharedBytes>) -> Self {
        Self(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|piece| &**piece)
    }

    /// The whole content. A single piece without other owners is not copied.
    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        match self.0.len() {
            1 => self.0.pop().unwrap_or_default().into_vec(),
            _ => self.0.iter().map(|piece| &**piece).collect::<Vec<_>>().concat(),
        }
    }
}

impl<T: Into<SharedBytes>> From<T> for FilePieces {
    fn from(bytes: T) -> Self {
        Self::new([bytes.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts_stay_within_them() {
        let whole = SharedBytes::from(b"abcdefgh".to_vec());
        let middle = whole.part(2, 4);
        assert_eq!(&*middle, b"cdef");
        assert_eq!(&*middle.part(1, 2), b"de");
        assert_eq!(&*middle.part(3, 9), b"f");
        assert_eq!(&*middle.part(9, usize::MAX), b"");
        let borrowed = SourceBytes::Borrowed(b"abcdefgh").part(2, 4);
        assert_eq!(&*borrowed.part(3, usize::MAX), b"f");
        assert_eq!(&*borrowed.part(usize::MAX, 1), b"");
    }

    #[test]
    fn an_edit_leaves_other_owners_as_they_are_and_copies_only_for_them() {
        let mut one = SharedBytes::from(b"abcd".to_vec());
        let address = one.as_ptr();
        one.edit(|bytes| bytes[0] = b'x');
        assert_eq!((&*one, one.as_ptr()), (&b"xbcd"[..], address), "the only owner edits in place");
        let mut other = one.part(1, 2);
        other.edit(|bytes| bytes.push(b'!'));
        assert_eq!((&*one, &*other), (&b"xbcd"[..], &b"bc!"[..]));
        let array: Arc<[u8]> = Arc::from(&b"abcd"[..]);
        let mut shared = SharedBytes::from(Arc::clone(&array));
        assert_eq!(shared.as_ptr(), array.as_ptr());
        shared.edit(Vec::clear);
        assert_eq!((&*array, shared.len()), (&b"abcd"[..], 0));
    }

    #[test]
    fn pieces_are_joined_in_order_and_one_is_not_copied() {
        let list = b"abc".to_vec();
        let address = list.as_ptr();
        let one = FilePieces::from(list).into_vec();
        assert_eq!((&one[..], one.as_ptr()), (&b"abc"[..], address));
        let pieces = [&b"ab"[..], b"", b"c"].map(|piece| SharedBytes::from(piece.to_vec()));
        let pieces = FilePieces::new(pieces);
        assert_eq!(pieces.iter().count(), 2);
        assert_eq!(pieces.into_vec(), b"abc");
        assert!(FilePieces::default().into_vec().is_empty());
    }
}
