//! Constants and parameter names in files.

use super::ValueDef;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use std::fmt;

impl Serialize for ValueDef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(number) => serializer.serialize_f32(*number),
            Self::Parameter(name) => serializer.serialize_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for ValueDef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrName)
    }
}

struct NumberOrName;

impl Visitor<'_> for NumberOrName {
    type Value = ValueDef;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or the name of a parameter in quotes")
    }

    fn visit_f32<E: Error>(self, number: f32) -> Result<ValueDef, E> {
        Ok(ValueDef::Constant(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<ValueDef, E> {
        Ok(ValueDef::Constant(number as f32))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ValueDef, E> {
        Ok(ValueDef::Constant(number as f32))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ValueDef, E> {
        Ok(ValueDef::Constant(number as f32))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ValueDef, E> {
        Ok(ValueDef::Parameter(name.into()))
    }
}
