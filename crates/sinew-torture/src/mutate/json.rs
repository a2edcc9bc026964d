//! Edits that keep JSON valid, and the structures of a glTF document that ask for a lot.

use crate::{document::glb, edit::edit, mutate::binary, random::Random};
use serde_json::{Map, Value, json};

/// A container with another JSON, or with another header.
pub(super) fn changed_glb(input: &[u8], random: &mut Random) -> Vec<u8> {
    let Some((json, bin)) = halves(input).filter(|_| !random.one_in(16)) else {
        return with_header(input, random);
    };
    if random.one_in(3) {
        return glb(json, &binary::changed(bin, bin, random));
    }
    glb(&changed_text(json, random), bin)
}

/// The JSON and the buffer of a container.
pub(crate) fn halves(glb: &[u8]) -> Option<(&[u8], &[u8])> {
    let (header, rest) = glb.split_first_chunk::<20>()?;
    let length = u32::from_le_bytes([header[12], header[13], header[14], header[15]]) as usize;
    let (json, rest) = rest.split_at_checked(length).filter(|_| header.starts_with(b"glTF"))?;
    Some((json, rest.get(8..).unwrap_or(&[])))
}

/// The header's length or version, a chunk's length or kind.
fn with_header(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = input.to_vec();
    let at = random.pick(&[4, 8, 12, 16]).unwrap_or(8);
    let value = random.pick(&[0, 1, 3, u32::MAX, 1 << 31, input.len() as u32]).unwrap_or_default();
    if out.len() >= at + 4 {
        out[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    out
}

/// A JSON text, a zero byte, and a buffer: with another JSON.
pub(super) fn changed_halves(input: &[u8], random: &mut Random) -> Vec<u8> {
    let end = input.iter().position(|&b| b == 0).unwrap_or(input.len());
    [&changed_text(&input[..end], random)[..], &input[end..]].concat()
}

/// One JSON value per line: with another value in one of them.
pub(super) fn changed_lines(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = input.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let at = random.below(lines.len());
    match random.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        _ => lines[at] = changed_text(&lines[at], random),
    }
    lines.join(&b'\n')
}

/// A JSON text with one to four other values in it.
pub(super) fn changed_text(input: &[u8], random: &mut Random) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(input) else {
        return binary::changed(input, input, random);
    };
    match random.below(8) {
        0 | 1 => inflate(&mut value, random),
        2..5 => nudge(&mut value, random),
        _ => (0..=random.below(3)).for_each(|_| edit(&mut value, &mut || random.next())),
    }
    value.to_string().into_bytes()
}

/// Other numbers of the same kind, which most readers take.
fn nudge(value: &mut Value, random: &mut Random) {
    let one_in = random.pick(&[4, 40, 400]).unwrap_or(40);
    for_each_number(value, &mut |number| {
        if !random.one_in(one_in) {
            return;
        }
        *number = match (number.as_u64(), random.below(4)) {
            (Some(whole), 0) => json!(whole.saturating_add(1)),
            (Some(whole), 1) => json!(whole.saturating_sub(1)),
            (Some(whole), 2) => json!(random.below((whole as usize).saturating_add(1))),
            _ => {
                let factors = [0.0, -1.0, 0.5, 2.0, 1e-30, 1e6, 1e20, 1e37];
                json!(number.as_f64().unwrap_or(1.0) * random.pick(&factors).unwrap_or(1.0))
            }
        };
    });
}

fn for_each_number(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Number(_) => change(value),
        Value::Array(list) => list.iter_mut().for_each(|value| for_each_number(value, change)),
        Value::Object(object) => object.values_mut().for_each(|value| for_each_number(value, change)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Asks for a lot in few bytes.
fn inflate(value: &mut Value, random: &mut Random) {
    let count = random.pick(&[3, 40, 600, 2500]).unwrap_or(3);
    match random.below(8) {
        0 => nest(value, random),
        1 => repeat_list(value, random, count),
        2 => chain(value, count),
        3 => instances(value, count),
        4 => rename(value, random),
        5 => addresses(value, random),
        _ => counts(value, random),
    }
}

/// A list of one of the document's lists, over and over.
fn repeat_list(value: &mut Value, random: &mut Random, count: usize) {
    let lists = ["nodes", "animations", "meshes", "skins", "accessors", "bufferViews", "materials", "images"];
    let Some(Value::Array(list)) = random.pick(&lists).and_then(|name| value.get_mut(name)) else { return };
    let whole: Vec<Value> = list.iter().cycle().take(count.max(list.len())).cloned().collect();
    *list = whole;
}

/// Every node the child of the one before.
fn chain(value: &mut Value, count: usize) {
    let Some(Value::Array(nodes)) = value.get_mut("nodes") else { return };
    let first = nodes.len();
    let node = |at: usize| if at + 1 < count { json!({ "children": [first + at + 1] }) } else { json!({}) };
    nodes.extend((0..count).map(node));
    value["scenes"] = json!([{ "nodes": [first] }]);
}

/// One mesh on very many nodes.
fn instances(value: &mut Value, count: usize) {
    let Some(Value::Array(nodes)) = value.get_mut("nodes") else { return };
    let first = nodes.len();
    nodes.extend(std::iter::repeat_n(json!({ "mesh": 0, "skin": 0 }), count));
    value["scenes"] = json!([{ "nodes": (0..first + count).collect::<Vec<_>>() }]);
}

/// A value deep inside lists.
fn nest(value: &mut Value, random: &mut Random) {
    let depth = random.pick(&[10, 100, 126, 127, 128, 1000]).unwrap_or(10);
    let nested = (0..depth).fold(json!(0), |inner, _| json!([inner]));
    let Value::Object(object) = value else { return };
    let key = key_of(object, random);
    object.insert(key, nested);
}

fn key_of(object: &Map<String, Value>, random: &mut Random) -> String {
    object.keys().nth(random.below(object.len())).cloned().unwrap_or_default()
}

/// Names that mean something to a terminal, a file system or a text format.
fn rename(value: &mut Value, random: &mut Random) {
    let names = ["", "\u{1b}[2J", "a\u{202e}b", "../x", "a\"b#c->d", "\n\r\t\0", "hip", "spine.L"];
    let name = random.pick(&names).unwrap_or_default();
    let long = "n".repeat(random.pick(&[0, 0, 300, 70_000]).unwrap_or(0));
    let name = Value::from(format!("{name}{long}"));
    for_each_key(value, &mut |key, value| {
        if key == "name" && random.one_in(2) {
            *value = name.clone();
        }
    });
}

/// Files that are not there, not files, or not beside the document.
fn addresses(value: &mut Value, random: &mut Random) {
    let uris = [
        "missing.bin",
        "../outside.bin",
        "/etc/hostname",
        "file:///etc/hostname",
        "%2e%2e/outside.bin",
        "a/../../outside.bin",
        "document.gltf",
        ".",
        "/dev/zero",
        "\0",
        "data:,",
        "data:;base64,====",
        "data:application/octet-stream;base64,AAAA",
    ];
    for_each_key(value, &mut |key, value| {
        if key == "uri" {
            *value = random.pick(&uris).unwrap_or_default().into();
        }
    });
}

/// Counts, lengths and offsets at the ends of their ranges.
fn counts(value: &mut Value, random: &mut Random) {
    let numbers = [0_u64, 1, 255, 65_536, 16_777_216, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 53, u64::MAX];
    for_each_key(value, &mut |key, value| {
        if ["count", "byteLength", "byteOffset", "byteStride"].contains(&key) && random.one_in(6) {
            *value = random.pick(&numbers).unwrap_or_default().into();
        }
    });
}

fn for_each_key(value: &mut Value, change: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                change(key, value);
                for_each_key(value, change);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| for_each_key(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
