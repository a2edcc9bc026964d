//! Writes application data together with Sinew's own.

use super::unrepresentable;
use crate::WriteError;
use serde_json::{Map, Value};
use sinew::{Extras, ExtrasOwner};
use std::collections::BTreeMap;

/// Parsed application data, removed owner by owner.
#[derive(Debug)]
pub(in crate::gltf) struct ExtrasValues(BTreeMap<ExtrasOwner, Value>);

impl ExtrasValues {
    pub(in crate::gltf) fn parse(extras: &Extras) -> Result<Self, WriteError> {
        let mut values = BTreeMap::new();
        for (&owner, text) in extras {
            let value = serde_json::from_str(text);
            let value = value.map_err(|e| unrepresentable(place(owner), format!("not valid JSON: {e}")))?;
            values.insert(owner, value);
        }
        Ok(Self(values))
    }

    /// The data of `owner`; `None` the second time.
    pub(in crate::gltf) fn take(&mut self, owner: ExtrasOwner) -> Option<Value> {
        self.0.remove(&owner)
    }

    /// The data of `owner` with `value` inserted at `key`.
    pub(in crate::gltf) fn take_with(
        &mut self,
        owner: ExtrasOwner,
        key: &str,
        value: Value,
    ) -> Result<Option<Value>, WriteError> {
        put(self.take(owner), owner, key, value)
    }
}

/// The `extras` of `owner` with `value` inserted at `key`.
pub(in crate::gltf) fn put(
    extras: Option<Value>,
    owner: ExtrasOwner,
    key: &str,
    value: Value,
) -> Result<Option<Value>, WriteError> {
    let mut object = match extras {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(object)) => object,
        Some(other) => {
            let what = format!("must be an object to hold {key}, got {other}");
            return Err(unrepresentable(place(owner), what));
        }
    };
    object.insert(key.to_owned(), value);
    Ok(Some(Value::Object(object)))
}

fn place(owner: ExtrasOwner) -> String {
    format!("extras of {owner:?}")
}
