//! The recommended deformation method in the `extras` of a document: `{"sinew": {"method": "dual-quat"}}`.

use super::json::extras::SINEW;
use serde_json::{Map, Value};
use sinew::Method;

const METHOD: &str = "method";

/// Takes the method out of the extras of a document. A name that is not one of a method stays there.
pub(super) fn take(extras: &mut Option<Value>) -> Option<Method> {
    let document = extras.as_mut()?.as_object_mut()?;
    let ours = document.get_mut(SINEW)?.as_object_mut()?;
    let method = ours.get(METHOD)?.as_str()?.parse().ok()?;
    ours.remove(METHOD);
    if ours.is_empty() {
        document.remove(SINEW);
    }
    Some(method)
}

/// The extras of a document with the method. Extras that are not an object have no place for it and stay as they are.
pub(super) fn put(extras: Option<Value>, method: Option<Method>) -> Option<Value> {
    let Some(method) = method else { return extras };
    let mut extras = extras.unwrap_or_else(|| Value::Object(Map::new()));
    if let Some(document) = extras.as_object_mut() {
        let ours = document.entry(SINEW).or_insert_with(|| Value::Object(Map::new()));
        if let Some(ours) = ours.as_object_mut() {
            ours.insert(METHOD.into(), method.name().into());
        }
    }
    Some(extras)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_put_is_taken_and_everything_else_stays() {
        for other in [None, Some(json!({"a": 1, "sinew": {"b": 2}})), Some(json!({"a": 1}))] {
            let mut extras = put(other.clone(), Some(Method::DualQuat));
            assert_eq!(take(&mut extras), Some(Method::DualQuat));
            assert_eq!(extras.filter(|e| e != &json!({})), other);
        }
        let mut unknown = Some(json!({"sinew": {"method": "none such"}}));
        assert_eq!(take(&mut unknown), None);
        assert_eq!(unknown, Some(json!({"sinew": {"method": "none such"}})));
    }
}
