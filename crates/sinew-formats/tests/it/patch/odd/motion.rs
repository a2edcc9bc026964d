//! Odd animations: shared samplers, channels of extensions, keys of every form.

use super::{OddCase, OddDocument};
use crate::hostile::document::push;
use serde_json::{Value, json};

pub(super) const CASES: &[OddCase] = &[
    ("channels with one sampler", shared_sampler),
    ("channels without a node", |it| {
        push(it.channels(), json!({ "sampler": 0, "target": { "path": "rotation" } }));
    }),
    ("a sampler without channels", |it| {
        let times = it.json["animations"][0]["samplers"][0]["input"].clone();
        push(
            &mut it.json["animations"][0]["samplers"],
            json!({ "input": times, "output": times, "name": "spare" }),
        );
    }),
    ("animations without channels", empty_animations),
    ("animations with common keys", common_keys),
    ("one key", one_key),
    ("keys that begin late", |it| {
        let times = it.floats("SCALAR", 1, &[3.0, 4.5]);
        it.json["animations"][0]["samplers"][0]["input"] = times.into();
    }),
    ("a property that is animated twice", |it| {
        push(
            it.channels(),
            json!({ "sampler": 0, "target": { "node": 1, "path": "rotation" }, "extras": 2 }),
        );
    }),
    ("a path that is not known", |it| {
        push(it.channels(), json!({ "sampler": 0, "target": { "node": 1, "path": "visibility" } }));
    }),
    ("weights of a node without morph targets", |it| {
        push(it.channels(), json!({ "sampler": 3, "target": { "node": 4, "path": "weights" } }));
    }),
    ("rotations in integers", integer_rotations),
    ("an interpolation that is written out", |it| {
        it.json["animations"][0]["samplers"][0]["interpolation"] = "LINEAR".into();
    }),
    ("pointers", pointers),
    ("a plain node that moves", |it| {
        push(it.channels(), json!({ "sampler": 0, "target": { "node": 4, "path": "rotation" } }));
    }),
    ("a skinned node that moves", |it| {
        push(it.channels(), json!({ "sampler": 0, "target": { "node": 3, "path": "rotation" } }));
    }),
    ("times that are values too", |it| {
        let ramp = it.floats("SCALAR", 1, &[0.0, 0.5, 0.75, 1.0]);
        let pairs = it.floats("SCALAR", 1, &[0.0, 0.5]);
        it.json["animations"][0]["samplers"][3] = json!({ "input": pairs, "output": ramp });
        it.json["animations"][0]["samplers"][0]["input"] = pairs.into();
    }),
];

impl OddDocument {
    fn channels(&mut self) -> &mut Value {
        &mut self.json["animations"][0]["channels"]
    }
}

fn shared_sampler(it: &mut OddDocument) {
    for node in [0, 2] {
        push(it.channels(), json!({ "sampler": 0, "target": { "node": node, "path": "rotation" } }));
        push(it.channels(), json!({ "sampler": 2, "target": { "node": node, "path": "scale" } }));
    }
    it.remove("/animations/0/extras");
}

/// Clips between animations that animate nothing.
fn empty_animations(it: &mut OddDocument) {
    let clip = it.json["animations"][0].clone();
    let pointer = json!({ "name": "looks", "samplers": clip["samplers"], "channels": [{ "sampler": 0, "target": {
        "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/materials/0/alphaCutoff" } }
    } }] });
    let empty = json!({ "name": "empty", "channels": [], "samplers": [] });
    it.json["animations"] = json!([empty, clip, pointer, clip, empty]);
    it.json["animations"][3]["name"] = "second".into();
    it.declare(&["KHR_animation_pointer"]);
}

fn common_keys(it: &mut OddDocument) {
    let clip = it.json["animations"][0].clone();
    it.json["animations"] = json!([clip, clip, clip]);
    it.json["animations"][2].as_object_mut().unwrap().remove("name");
}

fn one_key(it: &mut OddDocument) {
    let (time, turn) = (it.floats("SCALAR", 1, &[0.25]), it.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0]));
    let spline = it.floats("VEC3", 3, &[0.5; 9]);
    it.json["animations"][0]["samplers"][0] =
        json!({ "input": time, "output": turn, "interpolation": "STEP" });
    it.json["animations"][0]["samplers"][1] =
        json!({ "input": time, "output": spline, "interpolation": "CUBICSPLINE" });
}

fn integer_rotations(it: &mut OddDocument) {
    let keys = [0_i16, 0, 0, 32767, 0, 23170, 0, 23170];
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    let turn = it.accessor("VEC4", 5122, 2, &bytes);
    it.json["accessors"][turn]["normalized"] = true.into();
    it.json["animations"][0]["samplers"][0]["output"] = turn.into();
}

fn pointers(it: &mut OddDocument) {
    let paths =
        ["/nodes/2/rotation", "/nodes/4/extensions/KHR_node_visibility/visible", "/materials/0/alphaCutoff"];
    for path in paths {
        let target =
            json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": path } } });
        push(it.channels(), json!({ "sampler": 0, "target": target }));
    }
    it.declare(&["KHR_animation_pointer"]);
}
