//! Lists of named items as maps in files: order is kept, names are unique.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
};
use std::{fmt, marker::PhantomData};

pub(super) fn serialize<T: Serialize, S: Serializer>(
    entries: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, value)| (name, value)))
}

pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, T)>, D::Error> {
    deserializer.deserialize_map(NamedListVisitor(PhantomData))
}

struct NamedListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NamedListVisitor<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with quoted names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out: Self::Value = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if out.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format_args!("the name {name:?} stands here twice")));
            }
            out.push((name, map.next_value()?));
        }
        Ok(out)
    }
}
