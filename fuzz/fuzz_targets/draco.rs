//! Any bytes as a primitive compressed by Draco.
#![no_main]

use serde_json::json;
use sinew_fuzz::{HostileDocument, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut document = HostileDocument::empty();
    let view = document.view(bytes);
    document.json["meshes"] = json!([{ "primitives": [{ "extensions": { "KHR_draco_mesh_compression": {
        "bufferView": view, "attributes": { "POSITION": 0 }
    } } }] }]);
    document.json["nodes"] = json!([{ "mesh": 0 }]);
    read(&document.glb());
});
