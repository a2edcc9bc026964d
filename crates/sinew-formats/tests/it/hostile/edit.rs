//! Random edits of JSON documents.

use serde_json::{Value, json};

/// Changes one place of `json`; `next` gives the numbers that decide which and how.
pub fn edit(json: &mut Value, next: &mut dyn FnMut() -> u64) {
    let places = count(json);
    let donor = place(json, below(next(), places)).map(|v| v.clone());
    let Some(target) = place(json, below(next(), places)) else { return };
    match (below(next(), 4), target) {
        (0, Value::Array(list)) if !list.is_empty() => {
            let at = below(next(), list.len());
            match below(next(), 3) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => list.swap(0, at),
            }
        }
        (0, Value::Object(object)) if !object.is_empty() => {
            let key = object.keys().nth(below(next(), object.len())).cloned().unwrap_or_default();
            object.remove(&key);
        }
        // Another part of the document in the wrong place.
        (1, target) => *target = donor.unwrap_or_default(),
        (_, target) => *target = replacement(target, next),
    }
}

/// A number below `limit`, or zero.
fn below(number: u64, limit: usize) -> usize {
    number.checked_rem(limit as u64).unwrap_or(0) as usize
}

/// Edge cases: ends of ranges, other kinds of numbers, other kinds of values.
fn replacement(old: &Value, next: &mut dyn FnMut() -> u64) -> Value {
    let near = old.as_i64().unwrap_or(0);
    let values = [
        json!(near.saturating_add(1)),
        json!(near.saturating_sub(1)),
        json!(0),
        json!(1),
        json!(-1),
        json!(255),
        json!(65_535),
        json!(65_536),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(-0.0),
        json!(1e-40),
        json!(3.4e38),
        json!(1e39),
        json!(-1e300),
        json!([5120, 5121, 5122, 5123, 5125, 5126, 5130][below(next(), 7)]),
        json!(["SCALAR", "VEC2", "VEC3", "VEC4", "MAT4", "VEC9"][below(next(), 6)]),
        json!(["LINEAR", "STEP", "CUBICSPLINE", "weights", "scale", "data:;base64,AAAA"][below(next(), 6)]),
        Value::Null,
        json!([]),
        json!({}),
        json!(next()),
        json!(f32::from_bits(next() as u32)),
    ];
    values[below(next(), values.len())].clone()
}

/// The number of values, including `json` itself.
fn count(json: &Value) -> usize {
    1 + match json {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(object) => object.values().map(count).sum(),
        _ => 0,
    }
}

/// The value at `index` in the order of reading.
fn place(json: &mut Value, index: usize) -> Option<&mut Value> {
    fn walk<'a>(json: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
        if *left == 0 {
            return Some(json);
        }
        *left -= 1;
        match json {
            Value::Array(list) => list.iter_mut().find_map(|v| walk(v, left)),
            Value::Object(object) => object.values_mut().find_map(|v| walk(v, left)),
            _ => None,
        }
    }
    walk(json, &mut { index })
}
