//! Streams inside a valid document.

use super::gltf;
use crate::{
    HostileDocument,
    seed::{FILTERS, MODES, draco_document},
    subject::Verdict,
};
use serde_json::json;

/// Any bytes as a primitive compressed by Draco.
pub fn draco(bytes: &[u8]) -> Verdict {
    gltf(&draco_document(bytes))
}

/// Any bytes as a buffer view compressed by meshopt.
///
/// The input is a byte for mode and filter, one for the stride, two for the count, and the stream.
pub fn meshopt(bytes: &[u8]) -> Verdict {
    let Some((&[kind, stride, low, high], stream)) = bytes.split_first_chunk::<4>() else {
        return Verdict::Refused;
    };
    let mode = MODES[usize::from(kind) % 3];
    // Indices have two strides; attributes any multiple of four.
    let stride =
        if mode == "ATTRIBUTES" { usize::from(stride % 64 + 1) * 4 } else { usize::from(stride % 2 + 1) * 2 };
    let count = u16::from_le_bytes([low, high]);
    let mut document = HostileDocument::empty();
    let view = document.view(stream);
    document.json["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": {
        "buffer": 0, "byteOffset": 0, "byteLength": stream.len(), "byteStride": stride, "count": count,
        "mode": mode, "filter": FILTERS[usize::from(kind / 3) % 5]
    } });
    // An image takes the view as it is, whatever its content.
    document.json["images"] = json!([{ "bufferView": view }]);
    gltf(&document.glb())
}
