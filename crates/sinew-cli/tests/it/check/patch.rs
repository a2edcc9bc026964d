//! Faults that only a file can have, written into its bytes.

use super::{Bad, tube};
use serde_json::{Value, json};
use sinew_author::check::FindingCode;
use sinew_formats::to_gltf;

/// A document with its buffer, to be patched.
struct PatchedDocument {
    root: Value,
    buffer: Vec<u8>,
}

impl PatchedDocument {
    fn tube() -> Self {
        let files = to_gltf(&tube(), "tube.bin").unwrap();
        Self { root: serde_json::from_slice(&files.json).unwrap(), buffer: files.buffer }
    }

    /// The first byte of an accessor, and its stride if elements are `size` bytes wide.
    fn place(&self, accessor: usize, size: usize) -> (usize, usize) {
        let accessor = &self.root["accessors"][accessor];
        let view = &self.root["bufferViews"][number(&accessor["bufferView"])];
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        (start, view["byteStride"].as_u64().map_or(size, |s| usize::try_from(s).unwrap()))
    }

    fn attribute(&self, name: &str) -> usize {
        number(&self.root["meshes"][0]["primitives"][0]["attributes"][name])
    }

    fn set_floats(&mut self, accessor: usize, element: usize, values: &[f32]) {
        let (start, stride) = self.place(accessor, values.len() * 4);
        for (k, value) in values.iter().enumerate() {
            let at = start + element * stride + k * 4;
            self.buffer[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Sets the four weights of each vertex.
    fn weights(mut self, vertices: std::ops::Range<usize>, weights: [f32; 4]) -> Self {
        let accessor = self.attribute("WEIGHTS_0");
        vertices.for_each(|v| self.set_floats(accessor, v, &weights));
        self
    }

    /// Sets the four joints of each vertex.
    fn joints(mut self, vertices: std::ops::Range<usize>, slots: [u8; 4]) -> Self {
        let accessor = self.attribute("JOINTS_0");
        assert_eq!(self.root["accessors"][accessor]["componentType"], 5121, "joints are bytes");
        let (start, stride) = self.place(accessor, 4);
        for vertex in vertices {
            let at = start + vertex * stride;
            self.buffer[at..at + 4].copy_from_slice(&slots);
        }
        self
    }

    fn glb(self) -> Vec<u8> {
        let mut root = self.root;
        root["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        let mut text = serde_json::to_vec(&root).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut buffer = self.buffer;
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + buffer.len();
        let length = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
        let mut out = [b"glTF".as_slice(), &2_u32.to_le_bytes(), &length(total)].concat();
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &buffer)] {
            out.extend([&length(chunk.len()), kind.as_slice(), chunk].concat());
        }
        out
    }
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or(0)).unwrap()
}

fn file(name: &str, code: FindingCode, patch: impl Fn(PatchedDocument) -> PatchedDocument) -> Bad {
    Bad::of_bytes(name, code, patch(PatchedDocument::tube()).glb())
}

pub(super) fn bad() -> Vec<Bad> {
    let mut out = vec![
        file("half of everything", FindingCode::WeightsSum, |d| d.weights(0..4000, [0.5, 0.0, 0.0, 0.0])),
        file("one vertex too heavy", FindingCode::WeightsSum, |d| d.weights(7..8, [0.9, 0.4, 0.0, 0.0])),
        file("almost one", FindingCode::WeightsSum, |d| d.weights(0..50, [0.9, 0.09, 0.0, 0.0])),
        file("a ring without", FindingCode::WeightsMissing, |d| d.weights(0..48, [0.0; 4])),
        file("one vertex without", FindingCode::WeightsMissing, |d| d.weights(3000..3001, [0.0; 4])),
        file("below zero", FindingCode::WeightsNegative, |d| {
            d.joints(20..30, [0, 1, 0, 0]).weights(20..30, [1.2, -0.2, 0.0, 0.0])
        }),
        file("the same joint twice", FindingCode::DuplicateJoint, |d| {
            d.joints(9..10, [1, 1, 0, 0]).weights(9..10, [0.5, 0.5, 0.0, 0.0])
        }),
        file("the same joint four times", FindingCode::DuplicateJoint, |d| {
            d.joints(0..100, [0; 4]).weights(0..100, [0.25; 4])
        }),
        file("at zero weight", FindingCode::JointOutOfRange, |d| {
            d.joints(5..9, [0, 200, 0, 0]).weights(5..9, [1.0, 0.0, 0.0, 0.0])
        }),
        file("with weight", FindingCode::JointOutOfRange, |d| {
            d.joints(5..6, [77, 0, 0, 0]).weights(5..6, [1.0, 0.0, 0.0, 0.0])
        })
        .unfixable(),
    ];
    out.push(file("joints without weights", FindingCode::InfluenceSetIncomplete, |mut d| {
        let joints = d.attribute("JOINTS_0");
        d.root["meshes"][0]["primitives"][0]["attributes"]["JOINTS_1"] = json!(joints);
        d
    }));
    out.push(file("a gap between sets", FindingCode::InfluenceSetIncomplete, |mut d| {
        let (joints, weights) = (d.attribute("JOINTS_0"), d.attribute("WEIGHTS_0"));
        let attributes = &mut d.root["meshes"][0]["primitives"][0]["attributes"];
        (attributes["JOINTS_2"], attributes["WEIGHTS_2"]) = (json!(joints), json!(weights));
        d
    }));
    out.push(file("a long key", FindingCode::QuaternionNotUnit, |mut d| {
        let samplers = d.root["animations"][0]["samplers"].clone();
        let output = number(&samplers[0]["output"]);
        d.set_floats(output, 0, &[0.0, 0.0, 0.0, 1.25]);
        d
    }));
    out.push(file("a long rest rotation", FindingCode::QuaternionNotUnit, |mut d| {
        let joint = number(&d.root["skins"][0]["joints"][1]);
        d.root["nodes"][joint]["rotation"] = json!([0.0, 0.0, 0.0, 0.9]);
        d
    }));
    out.push(file("a root beside its joints", FindingCode::RootUnreachable, |mut d| {
        d.root["skins"][0]["skeleton"] = d.root["skins"][0]["joints"][1].clone();
        d
    }));
    out.push(file("two trees", FindingCode::RootUnreachable, |mut d| {
        let joints = d.root["skins"][0]["joints"].clone();
        let (base, middle) = (number(&joints[0]), joints[1].clone());
        d.root["nodes"][base]["children"].as_array_mut().unwrap().retain(|c| *c != middle);
        if d.root["nodes"][base]["children"].as_array().unwrap().is_empty() {
            d.root["nodes"][base].as_object_mut().unwrap().remove("children");
        }
        d.root["skins"][0].as_object_mut().unwrap().remove("skeleton");
        d.root["scenes"][0]["nodes"].as_array_mut().unwrap().push(middle);
        d
    }));
    out.push(file("a last row", FindingCode::BindNotAffine, |mut d| {
        let binds = number(&d.root["skins"][0]["inverseBindMatrices"]);
        let identity_with_row =
            [1.0, 0.0, 0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        d.set_floats(binds, 0, &identity_with_row);
        d
    }));
    out.push(file("a leaning joint", FindingCode::MatrixSheared, |mut d| {
        let joint = number(&d.root["skins"][0]["joints"][2]);
        let node = &mut d.root["nodes"][joint];
        ["translation", "rotation", "scale"].iter().for_each(|k| {
            node.as_object_mut().unwrap().remove(*k);
        });
        node["matrix"] = json!([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 5, 0, 1]);
        d
    }));
    out
}
