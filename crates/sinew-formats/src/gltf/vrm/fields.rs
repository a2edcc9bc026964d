//! Fields of JSON objects with their defaults. A value of another type becomes NaN, which the checks refuse.

use serde_json::Value;
use sinew::glam::Vec3;

/// What was left out, and why.
#[derive(Debug)]
pub(in crate::gltf) struct Fault {
    pub(in crate::gltf) place: String,
    pub(in crate::gltf) why: String,
}

impl Fault {
    pub(super) fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place: place.into(), why: why.into() }
    }
}

/// Everything that was left out.
pub(in crate::gltf) type Faults = Vec<Fault>;

/// The elements of a list; none if it is missing.
pub(super) fn array(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// An index of a list; `None` for another value.
pub(super) fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

pub(super) fn number(value: Option<&Value>, default: f32) -> f32 {
    value.map_or(default, |value| value.as_f64().map_or(f32::NAN, |number| number as f32))
}

/// A list of three numbers.
pub(super) fn vector(value: Option<&Value>, default: Vec3) -> Vec3 {
    let Some(value) = value else { return default };
    match array(Some(value)) {
        [x, y, z] => Vec3::new(number(Some(x), 0.0), number(Some(y), 0.0), number(Some(z), 0.0)),
        _ => Vec3::NAN,
    }
}

/// An object with the members x, y and z.
pub(super) fn vector_object(value: Option<&Value>, default: Vec3) -> Vec3 {
    value.map_or(default, |value| Vec3::from(["x", "y", "z"].map(|key| number(value.get(key), 0.0))))
}

pub(super) fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// True only for the value true.
pub(super) fn truth(value: Option<&Value>) -> bool {
    value.and_then(Value::as_bool).unwrap_or_default()
}
