//! The file that a character was read from.

use std::{any::Any, fmt, sync::Arc};

/// What a reader keeps of a file, so that saving can carry the parts that a character has no place for.
///
/// Its content is private to the crate that made it. Copies of a character share it. A character made by code has an empty
/// one, the default.
#[derive(Clone, Default)]
pub struct CharacterSource(Option<Arc<dyn Any + Send + Sync>>);

impl CharacterSource {
    /// Wraps the content of a reader.
    pub fn new(content: impl Any + Send + Sync) -> Self {
        Self(Some(Arc::new(content)))
    }

    /// True if a reader kept something.
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The content, if it is of type `T`.
    pub fn downcast<T: Any>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

/// All sources are equal: two characters are the same if their parts are, whatever files they come from.
impl PartialEq for CharacterSource {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for CharacterSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CharacterSource")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_type_that_went_in_comes_out() {
        let source = CharacterSource::new(String::from("a file"));
        assert_eq!(source.downcast::<String>().unwrap(), "a file");
        assert!(source.downcast::<u32>().is_none());
        assert_eq!(source, CharacterSource::default());
        assert!(CharacterSource::default().downcast::<String>().is_none());
    }
}
