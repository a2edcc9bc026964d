//! Finds every extension in a document, also those that it does not declare.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{collections::BTreeSet, fmt};

/// The names of the members of every `extensions` object in a JSON text. Application data is not searched.
pub(in crate::gltf) fn extension_names(json: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // Texts come from documents that were parsed before.
    let _ = Element { names: &mut names, is_extensions: false }
        .deserialize(&mut serde_json::Deserializer::from_str(json));
    names
}

/// A JSON value that is searched.
struct Element<'a> {
    names: &'a mut BTreeSet<String>,
    /// True for an object whose members are extensions.
    is_extensions: bool,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "extras" && !self.is_extensions {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let is_extensions = key == "extensions" && !self.is_extensions;
            if self.is_extensions {
                self.names.insert(key);
            }
            map.next_value_seed(Element { names: self.names, is_extensions })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Element { names: self.names, is_extensions: false })?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_found_at_every_level_and_application_data_is_left_out() {
        let text = r#"{
            "extensions": { "A": { "list": [{ "extensions": { "B": 1 } }] } },
            "nodes": [1.5, -2, true, null, "x", { "extras": { "extensions": { "NOT": 1 } }, "extensions": { "C": {} } }],
            "other": { "deep": { "extensions": { "extras": { "extensions": { "D": [] } } } } }
        }"#;
        assert_eq!(extension_names(text).into_iter().collect::<Vec<_>>(), ["A", "B", "C", "D", "extras"]);
        assert!(extension_names("not json").is_empty());
    }
}
