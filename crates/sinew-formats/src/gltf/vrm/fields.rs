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

/// Everything that was left out: of many faults the first ones, and their number.
///
/// A file can name one joint a thousand times in a kilobyte, and every fault names it in full.
#[derive(Debug, Default)]
pub(in crate::gltf) struct Faults {
    list: Vec<Fault>,
    unlisted: usize,
}

/// The maximum number of faults that are listed.
const MAX_FAULTS: usize = 100;

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if self.list.len() < MAX_FAULTS {
            self.list.push(fault);
        } else {
            self.unlisted += 1;
        }
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(mut self) -> Self::IntoIter {
        if self.unlisted > 0 {
            self.list.push(Fault::new("extensions", format!("and {} more are left out", self.unlisted)));
        }
        self.list.into_iter()
    }
}

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
