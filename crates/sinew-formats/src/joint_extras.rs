//! Sinew's data in a joint's application data: the object at `sinew`.

use serde_json::{Map, Value};
use sinew::{Extras, ExtrasOwner};

/// The key of a joint's scale inheritance.
pub(crate) const SCALE: &str = "scale";

/// The value at `key`; `None` if it is missing or the text is not an object.
pub(crate) fn get(text: &str, key: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.get("sinew")?.get(key).cloned()
}

/// Sets or removes the value at `key`; everything else stays. Returns false if the joint's application data is not an
/// object, which has no keys.
pub(crate) fn put(extras: &mut Extras, joint: usize, key: &str, value: Option<Value>) -> bool {
    let owner = ExtrasOwner::Joint(joint);
    let had = extras.get(&owner).map_or(Some(Value::Null), |text| serde_json::from_str(text).ok());
    let Some(mut object) = had.and_then(as_object) else { return false };
    let Some(mut ours) = as_object(object.remove("sinew").unwrap_or_default()) else { return false };
    match value {
        Some(value) => ours.insert(key.into(), value),
        None => ours.remove(key),
    };
    if !ours.is_empty() {
        object.insert("sinew".into(), Value::Object(ours));
    }
    if object.is_empty() {
        extras.remove(&owner);
    } else {
        extras.insert(owner, Value::Object(object).to_string().into());
    }
    true
}

fn as_object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Null => Some(Map::new()),
        Value::Object(object) => Some(object),
        _ => None,
    }
}
