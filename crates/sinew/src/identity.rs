//! Identities that are derived from content.
//!
//! An id that is handed out for one owner (an archetype, a graph) carries the owner's identity, so that another owner
//! refuses it instead of reading whatever it has at that index. No counter and no address is involved: the same content
//! has the same identity in every run, and owners of equal content can exchange ids, since these mean the same.

use std::fmt::{self, Debug, Display, Write};

/// A hash of an owner's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity(u32);

impl Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// Collects content by FNV-1a, which is short and has no key.
#[derive(Clone, Debug)]
pub(crate) struct IdentityHasher(u64);

impl IdentityHasher {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    pub(crate) fn floats(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|number| self.bytes(&number.to_bits().to_le_bytes()));
    }

    /// A text with its length, so that neighboring texts cannot run into each other.
    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// Everything that `Debug` shows of `value`.
    pub(crate) fn debug(&mut self, value: &impl Debug) {
        // Writing into a hash cannot fail.
        let _ = write!(self, "{value:?};");
    }

    pub(crate) fn finish(&self) -> Identity {
        Identity((self.0 ^ (self.0 >> 32)) as u32)
    }
}

impl Write for IdentityHasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Identity {
        let mut hasher = IdentityHasher::new();
        texts.iter().for_each(|text| hasher.text(text));
        hasher.finish()
    }

    #[test]
    fn equal_content_has_one_identity_and_other_content_another() {
        assert_eq!(of(&["walk", "run"]), of(&["walk", "run"]));
        assert_ne!(of(&["walk", "run"]), of(&["run", "walk"]));
        assert_ne!(of(&["walk", "run"]), of(&["wal", "krun"]));
    }
}
