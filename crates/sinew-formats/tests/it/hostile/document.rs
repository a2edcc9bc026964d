//! Small valid documents for tests to break.

use base64::Engine as _;
use serde_json::{Value, json};

/// A document and its only buffer.
#[derive(Clone, Debug)]
pub struct HostileDocument {
    /// The JSON, without the list of buffers.
    pub json: Value,
    /// The bytes of the buffer.
    pub bin: Vec<u8>,
}

/// The numbers of glTF's component types.
pub const U8: u32 = 5121;
/// The component type of unsigned 16-bit integers.
pub const U16: u32 = 5123;
/// The component type of 32-bit floats.
pub const F32: u32 = 5126;

impl HostileDocument {
    /// A document without elements.
    pub fn empty() -> Self {
        let json = json!({ "asset": { "version": "2.0" }, "accessors": [], "bufferViews": [] });
        Self { json, bin: Vec::new() }
    }

    /// Appends `bytes` as a buffer view and returns its index.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend_from_slice(bytes);
        push(&mut self.json["bufferViews"], view)
    }

    /// Appends an accessor over `bytes` and returns its index.
    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        push(&mut self.json["accessors"], accessor)
    }

    /// Appends an accessor over floats and returns its index.
    pub fn floats(&mut self, kind: &str, width: usize, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, F32, values.len() / width, &bytes)
    }

    /// The whole JSON, its buffer described by `buffer`.
    fn with_buffer(&self, buffer: Value) -> Vec<u8> {
        let mut json = self.json.clone();
        // A test that breaks the buffer itself has set its own list.
        if json.get("buffers").is_none() && json.is_object() && !self.bin.is_empty() {
            json["buffers"] = json!([buffer]);
        }
        json.to_string().into_bytes()
    }

    /// The document as GLB.
    pub fn glb(&self) -> Vec<u8> {
        glb(&self.with_buffer(json!({ "byteLength": self.bin.len() })), &self.bin)
    }

    /// The document as .gltf with its buffer embedded.
    pub fn gltf(&self) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bin);
        let uri = format!("data:application/octet-stream;base64,{data}");
        self.with_buffer(json!({ "uri": uri, "byteLength": self.bin.len() }))
    }

    /// A skinned quad with two morph targets, a strip on a node, four kinds of channels, and a material with an image.
    pub fn everything() -> Self {
        let mut it = Self::empty();
        let quad = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let attributes = json!({
            "POSITION": it.floats("VEC3", 3, &quad),
            "NORMAL": it.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4)),
            "TANGENT": it.floats("VEC4", 4, &[1.0, 0.0, 0.0, 1.0].repeat(4)),
            "TEXCOORD_0": it.floats("VEC2", 2, &[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]),
            "COLOR_0": it.floats("VEC3", 3, &[1.0; 12]),
            "JOINTS_0": it.accessor("VEC4", U8, 4, &[0, 1, 0, 0].repeat(4)),
            "WEIGHTS_0": it.floats("VEC4", 4, &[0.5, 0.25, 0.0, 0.0].repeat(4)),
            "JOINTS_1": it.accessor("VEC4", U16, 4, &[2, 0, 0, 0, 0, 0, 0, 0].repeat(4)),
            "WEIGHTS_1": it.floats("VEC4", 4, &[0.25, 0.0, 0.0, 0.0].repeat(4)),
        });
        let position = attributes["POSITION"].clone();
        let shape = it.floats("VEC3", 3, &[0.0, 0.0, 0.5].repeat(4));
        let sparse = it.sparse_shape();
        let indices = it.accessor("SCALAR", U16, 6, &[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0]);
        let binds = it.floats("MAT4", 16, &IDENTITY.repeat(3));
        let image = it.view(b"\x89PNG\r\n\x1a\nnot really a picture");
        let animation = it.animation();
        let parts = json!({
            "scene": 0,
            "scenes": [{ "name": "stage", "nodes": [0, 4] }],
            "nodes": [
                { "name": "root", "children": [1, 3], "extras": { "note": [1, "two"] } },
                { "name": "hip", "children": [2], "translation": [0, 1, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1] },
                { "name": "knee", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1], "extras": { "sinew": {
                    "scale": "compensated",
                    "meta_joints": [{ "name": "knee", "parts": [{ "joint": "knee", "axes": "x", "degrees": [[0, 140]] }] }]
                } } },
                { "name": "body", "mesh": 0, "skin": 0, "weights": [0.5, 0] },
                { "name": "prop", "mesh": 1 }
            ],
            "skins": [{ "joints": [0, 1, 2], "inverseBindMatrices": binds, "skeleton": 0 }],
            "meshes": [
                { "name": "quad", "weights": [0, 0], "extras": { "targetNames": ["up", "corner"] }, "primitives": [{
                    "attributes": attributes, "indices": indices, "material": 0,
                    "targets": [{ "POSITION": shape, "NORMAL": shape }, { "POSITION": sparse }]
                }] },
                { "primitives": [{ "attributes": { "POSITION": position }, "mode": 5 }] }
            ],
            "animations": [animation],
            "materials": [{
                "pbrMetallicRoughness": {
                    "baseColorFactor": [1, 0.5, 0, 1], "baseColorTexture": { "index": 0 }, "roughnessFactor": 0.5
                },
                "normalTexture": { "index": 0, "scale": 0.5 }, "alphaMode": "MASK", "alphaCutoff": 0.25
            }],
            "textures": [{ "source": 0, "sampler": 0 }],
            "samplers": [{ "magFilter": 9728, "wrapS": 33071 }],
            "images": [{ "bufferView": image, "mimeType": "image/png" }]
        });
        if let (Value::Object(json), Value::Object(parts)) = (&mut it.json, parts) {
            json.extend(parts);
        }
        it
    }

    /// One vertex of four moves; the others are not stored.
    fn sparse_shape(&mut self) -> usize {
        let indices = self.view(&[2]);
        let values = self.view(&[0.0_f32, 1.0, 0.0].map(f32::to_le_bytes).concat());
        let accessor = json!({
            "componentType": F32, "count": 4, "type": "VEC3",
            "sparse": {
                "count": 1,
                "indices": { "bufferView": indices, "componentType": U8 },
                "values": { "bufferView": values }
            }
        });
        push(&mut self.json["accessors"], accessor)
    }

    fn animation(&mut self) -> Value {
        let times = self.floats("SCALAR", 1, &[0.0, 1.0]);
        let turn = self.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        let splines = self.floats("VEC3", 3, &[0.5; 18]);
        let scales = self.floats("VEC3", 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let weights = self.floats("SCALAR", 1, &[0.0, 1.0, 1.0, 0.0]);
        json!({
            "name": "move",
            "samplers": [
                { "input": times, "output": turn },
                { "input": times, "output": splines, "interpolation": "CUBICSPLINE" },
                { "input": times, "output": scales, "interpolation": "STEP" },
                { "input": times, "output": weights }
            ],
            "channels": [
                { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 1, "target": { "node": 2, "path": "translation" } },
                { "sampler": 2, "target": { "node": 1, "path": "scale" } },
                { "sampler": 3, "target": { "node": 3, "path": "weights" } }
            ],
            "extras": { "sinew": { "events": [{ "time": 0.5, "name": "step" }], "duration": 2.5, "hold": 2 } }
        })
    }
}

/// The identity matrix, column by column.
pub const IDENTITY: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Appends to a JSON list and returns the index.
pub fn push(list: &mut Value, value: Value) -> usize {
    if !list.is_array() {
        *list = json!([]);
    }
    let Value::Array(list) = list else { return 0 };
    list.push(value);
    list.len() - 1
}

/// A GLB of one JSON and one binary chunk.
pub fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let mut chunks = chunk(b"JSON", json, b' ');
    if !bin.is_empty() {
        chunks.extend(chunk(b"BIN\0", bin, 0));
    }
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((chunks.len() as u32 + 12).to_le_bytes());
    out.extend(chunks);
    out
}

/// One chunk of a GLB, padded.
pub fn chunk(kind: &[u8; 4], data: &[u8], padding: u8) -> Vec<u8> {
    let padded = data.len().next_multiple_of(4);
    let mut out = (padded as u32).to_le_bytes().to_vec();
    out.extend(kind);
    out.extend(data);
    out.resize(padded + 8, padding);
    out
}
