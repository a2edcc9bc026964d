//! A written document, taken apart without the reader.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) struct Document {
    pub(super) text: String,
    pub(super) json: Value,
    pub(super) bin: Vec<u8>,
}

impl Document {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        if !bytes.starts_with(b"glTF") {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let text = text.trim_start_matches('\u{feff}').to_owned();
            return Self { json: serde_json::from_str(&text).unwrap(), text, bin: Vec::new() };
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let json_size = word(12);
        let text = String::from_utf8(bytes[20..20 + json_size].to_vec()).unwrap();
        let bin_start = 20 + json_size;
        let bin = if bytes.len() > bin_start {
            bytes[bin_start + 8..bin_start + 8 + word(bin_start)].to_vec()
        } else {
            Vec::new()
        };
        let json: Value = serde_json::from_str(&text).unwrap();
        let length = json["buffers"][0]["byteLength"].as_u64().unwrap_or(0) as usize;
        let bin = bin[..length.min(bin.len())].to_vec();
        Self { text: text.trim_end().to_owned(), json, bin }
    }
}

/// A GLB with another document and the same buffer.
pub(super) fn with_json(glb: &[u8], json: &Value) -> Vec<u8> {
    let json_size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &glb[20 + json_size..];
    let mut out = glb[..8].to_vec();
    out.extend(((20 + text.len() + rest.len()) as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(&glb[16..20]);
    out.extend(text);
    out.extend(rest);
    out
}

/// The paths at which two values differ, for instance `nodes[2].name`.
pub(super) fn changed_paths(before: &Value, after: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    compare("", before, after, &mut out);
    out
}

fn compare(path: &str, before: &Value, after: &Value, out: &mut BTreeSet<String>) {
    let dotted = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                compare(
                    &dotted(key),
                    a.get(key).unwrap_or(&Value::Null),
                    b.get(key).unwrap_or(&Value::Null),
                    out,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let at = |list: &[Value]| list.get(index).cloned().unwrap_or_default();
                compare(&format!("{path}[{index}]"), &at(a), &at(b), out);
            }
        }
        _ if before != after => {
            out.insert(path.to_owned());
        }
        _ => {}
    }
}

/// Checks that every image, and every attribute of a mesh that was not touched, has the bytes that it had.
pub(super) fn assert_same_data(what: &str, before: &Document, after: &Document, touched: &[&str]) {
    for (index, image) in before.json["images"].as_array().into_iter().flatten().enumerate() {
        let (Some(old), Some(new)) =
            (image["bufferView"].as_u64(), after.json["images"][index]["bufferView"].as_u64())
        else {
            continue;
        };
        assert!(before.view(old) == after.view(new), "{what}: image {index} changed");
    }
    if touched.iter().any(|prefix| prefix.starts_with("meshes")) {
        return;
    }
    for (mesh, old) in before.json["meshes"].as_array().into_iter().flatten().enumerate() {
        for (primitive, old) in old["primitives"].as_array().into_iter().flatten().enumerate() {
            for (name, accessor) in old["attributes"].as_object().into_iter().flatten() {
                let new = &after.json["meshes"][mesh]["primitives"][primitive]["attributes"][name];
                assert_eq!(new, accessor, "{what}");
                let accessor = accessor.as_u64().unwrap();
                assert!(before.elements(accessor) == after.elements(accessor), "{what}: {name} changed");
            }
        }
    }
}

impl Document {
    /// The bytes of a view of the binary chunk, or of a buffer in the text.
    pub(super) fn view(&self, index: u64) -> Option<Vec<u8>> {
        let view = &self.json["bufferViews"][index as usize];
        // The data of a compressed view is where its extension says.
        let compressed = &view["extensions"]["EXT_meshopt_compression"];
        let view = if compressed.is_object() { compressed } else { view };
        let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let length = view["byteLength"].as_u64().unwrap() as usize;
        let buffer = view["buffer"].as_u64().unwrap() as usize;
        let uri = self.json["buffers"][buffer]["uri"].as_str().and_then(|uri| uri.split_once("base64,"));
        let bytes = uri.map_or_else(|| self.bin.clone(), |(_, data)| BASE64_STANDARD.decode(data).unwrap());
        bytes.get(start..start + length).map(<[u8]>::to_vec)
    }

    /// The stored elements of an accessor, and those that replace some of them.
    pub(super) fn elements(&self, index: u64) -> Option<Vec<Vec<u8>>> {
        let accessor = &self.json["accessors"][index as usize];
        let width = match accessor["type"].as_str()? {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT3" => 9,
            _ => 16,
        };
        let component = match accessor["componentType"].as_u64()? {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let (size, count) = (width * component, accessor["count"].as_u64()? as usize);
        let view = accessor["bufferView"].as_u64()?;
        // Compressed data is compared as it is stored.
        if self.json["bufferViews"][view as usize].get("extensions").is_some() {
            return Some(vec![self.view(view)?]);
        }
        let stride =
            self.json["bufferViews"][view as usize]["byteStride"].as_u64().map_or(size, |s| s as usize);
        let first = accessor["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = self.view(view)?;
        let element = |k: usize| bytes.get(first + k * stride..first + k * stride + size).map(<[u8]>::to_vec);
        let mut out: Vec<Vec<u8>> = (0..count).filter_map(element).collect();
        for part in ["indices", "values"] {
            let view = accessor["sparse"][part]["bufferView"].as_u64();
            out.extend(view.and_then(|view| self.view(view)));
        }
        Some(out)
    }
}
