//! Scenes, nodes, names, extensions and application data.

use super::{OddCase, OddDocument};
use serde_json::{Value, json};

pub(super) const CASES: &[OddCase] = &[
    ("empty lists", empty_lists),
    ("several scenes", several_scenes),
    ("no default scene", |it| it.remove("/scene")),
    ("no scene", no_scene),
    ("a scene without nodes", |it| it.json["scenes"][0] = json!({ "name": "empty" })),
    ("scenes with a common root", |it| it.json["scenes"] = json!([{ "nodes": [0, 4] }, { "nodes": [4, 0] }])),
    ("joints outside of the scene", |it| it.json["scenes"] = json!([{ "nodes": [4] }])),
    ("children before their parents", children_first),
    ("names that repeat", |it| it.each_node(|node| node["name"] = "Bone".into())),
    ("no names", |it| it.each_node(|node| drop(node.as_object_mut().unwrap().remove("name")))),
    ("empty and odd names", odd_names),
    ("matrices", matrices),
    ("application data everywhere", extras_everywhere),
    ("application data of every type", extras_of_every_type),
    ("extensions at every level", |it| extensions_everywhere(it, true)),
    ("extensions that are not declared", |it| extensions_everywhere(it, false)),
    ("members that no specification has", unknown_members),
    ("cameras and lights", cameras_and_lights),
    ("levels of detail", levels_of_detail),
    ("a humanoid with springs", humanoid),
    ("a minimum version", |it| {
        it.json["asset"] = json!({ "version": "2.0", "minVersion": "2.0", "copyright": "©", "generator": "x", "extras": [1] });
    }),
    ("nodes alone", |it| {
        it.json = json!({ "asset": { "version": "2.0" }, "nodes": [{}, { "children": [0] }] });
    }),
    ("an asset alone", |it| it.json = json!({ "asset": { "version": "2.0" } })),
];

fn empty_lists(it: &mut OddDocument) {
    for list in ["cameras", "extensionsUsed", "extensionsRequired"] {
        it.json[list] = json!([]);
    }
    it.json["nodes"][2]["children"] = json!([]);
    it.json["nodes"][4]["weights"] = json!([]);
    it.json["extensions"] = json!({});
    it.json["extras"] = json!({});
    it.json["nodes"][1]["extensions"] = json!({});
}

fn several_scenes(it: &mut OddDocument) {
    it.json["scenes"] = json!([
        { "nodes": [4], "extras": { "day": 1 }, "extensions": { "EXT_lights_image_based": { "light": 0 } } },
        { "nodes": [0], "name": "second" },
        { "name": "third", "extras": "note" }
    ]);
    it.json["scene"] = 1.into();
    it.declare(&["EXT_lights_image_based"]);
}

fn no_scene(it: &mut OddDocument) {
    it.remove("/scene");
    it.remove("/scenes");
}

/// The nodes in reverse order.
fn children_first(it: &mut OddDocument) {
    let last = it.json["nodes"].as_array().unwrap().len() - 1;
    let turned = |list: &mut Value| {
        for node in list.as_array_mut().into_iter().flatten() {
            *node = (last - node.as_u64().unwrap() as usize).into();
        }
    };
    it.each_node(|node| node.get_mut("children").into_iter().for_each(turned));
    it.json["nodes"].as_array_mut().unwrap().reverse();
    turned(&mut it.json["scenes"][0]["nodes"]);
    turned(&mut it.json["skins"][0]["joints"]);
    it.json["skins"][0]["skeleton"] = last.into();
    for channel in it.json["animations"][0]["channels"].as_array_mut().unwrap() {
        let node = &mut channel["target"]["node"];
        *node = (last - node.as_u64().unwrap() as usize).into();
    }
}

fn odd_names(it: &mut OddDocument) {
    let names = ["", " ", "a/b\\c\"d", "骨\u{1F9B4}\u{0}", "/nodes/0"];
    for (index, name) in names.into_iter().enumerate() {
        it.json["nodes"][index]["name"] = name.into();
    }
    it.json["meshes"][0]["name"] = "".into();
    it.json["skins"][0]["name"] = "\t".into();
    it.json["scenes"][0]["name"] = "".into();
}

fn matrices(it: &mut OddDocument) {
    it.json["nodes"][0]["matrix"] = json!([0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1]);
    it.json["nodes"][4]["matrix"] = json!([-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1.0]);
}

/// The elements that may have `extras` and `extensions`.
const ELEMENTS: [&str; 26] = [
    "",
    "/asset",
    "/scenes/0",
    "/nodes/0",
    "/nodes/1",
    "/nodes/3",
    "/meshes/0",
    "/meshes/0/primitives/0",
    "/skins/0",
    "/animations/0",
    "/animations/0/channels/0",
    "/animations/0/channels/0/target",
    "/animations/0/samplers/0",
    "/materials/0",
    "/materials/0/pbrMetallicRoughness",
    "/materials/0/pbrMetallicRoughness/baseColorTexture",
    "/materials/0/normalTexture",
    "/textures/0",
    "/samplers/0",
    "/images/0",
    "/accessors/0",
    "/accessors/10",
    "/accessors/10/sparse",
    "/accessors/10/sparse/indices",
    "/bufferViews/0",
    "/buffers/0",
];

fn extras_everywhere(it: &mut OddDocument) {
    it.own_buffer();
    for (number, path) in ELEMENTS.into_iter().enumerate() {
        let element = it.json.pointer_mut(path).unwrap_or_else(|| panic!("{path}"));
        if element.get("extras").is_none() {
            element["extras"] = json!({ "number": number, "list": [1.5, null, "x"], "nodes": [3, 2, 1] });
        }
    }
}

fn extras_of_every_type(it: &mut OddDocument) {
    let values = [json!(null), json!(false), json!(7.25), json!("text"), json!([1, [2]]), json!({})];
    let paths = ["/nodes/1", "/nodes/3", "/nodes/4", "/skins/0", "/materials/0", "/images/0"];
    for (path, value) in paths.into_iter().zip(values) {
        it.json.pointer_mut(path).unwrap()["extras"] = value;
    }
    it.json["scenes"][0]["extras"] = json!([]);
    it.json["asset"]["extras"] = json!("by somebody");
    it.json["extras"] = json!(["a", 1]);
}

/// Data of another program at every level, with the indices of elements.
fn extensions_everywhere(it: &mut OddDocument, is_declared: bool) {
    it.own_buffer();
    for path in ELEMENTS {
        let element = it.json.pointer_mut(path).unwrap_or_else(|| panic!("{path}"));
        element["extensions"]["ACME_everything"] =
            json!({ "accessor": 0, "node": 3, "mesh": 0, "skin": 0, "index": 1, "text": path });
    }
    if is_declared {
        it.declare(&["ACME_everything"]);
    }
}

fn unknown_members(it: &mut OddDocument) {
    it.own_buffer();
    for path in ELEMENTS {
        it.json.pointer_mut(path).unwrap()["future"] = json!({ "of": [path, 1e-3] });
    }
    it.json["futures"] = json!([{ "node": 0 }]);
}

fn cameras_and_lights(it: &mut OddDocument) {
    it.json["cameras"] = json!([
        { "type": "perspective", "name": "eye", "perspective": { "yfov": 0.80, "znear": 0.10 }, "extras": { "lens": 35 } },
        { "type": "orthographic", "orthographic": { "xmag": 1, "ymag": 1, "zfar": 10, "znear": 0 } }
    ]);
    it.json["nodes"][0]["camera"] = 1.into();
    it.json["nodes"][2]["camera"] = 0.into();
    it.json["extensions"]["KHR_lights_punctual"] =
        json!({ "lights": [{ "type": "spot", "spot": { "innerConeAngle": 0.1 }, "name": "sun" }] });
    it.json["nodes"][4]["extensions"]["KHR_lights_punctual"] = json!({ "light": 0 });
    it.declare(&["KHR_lights_punctual"]);
}

fn levels_of_detail(it: &mut OddDocument) {
    it.json["nodes"][3]["extensions"]["MSFT_lod"] = json!({ "ids": [4, 2] });
    it.json["nodes"][3]["extras"] = json!({ "MSFT_screencoverage": [0.5, 0.1] });
    it.json["nodes"][4]["extensions"]["KHR_node_visibility"] = json!({ "visible": false });
    it.declare(&["MSFT_lod", "KHR_node_visibility"]);
    it.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
}

fn humanoid(it: &mut OddDocument) {
    it.json["extensions"] = json!({
        "VRMC_vrm": {
            "specVersion": "1.0", "meta": { "name": "x", "authors": ["y"], "thumbnailImage": 0 },
            "humanoid": { "humanBones": { "hips": { "node": 1, "extras": 1 }, "leftUpperLeg": { "node": 2 } } },
            "expressions": { "preset": { "aa": { "morphTargetBinds": [{ "node": 3, "index": 1, "weight": 0.50 }] } } },
            "firstPerson": { "meshAnnotations": [{ "node": 3, "type": "auto" }] }
        },
        "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [{ "node": 0, "shape": { "sphere": { "offset": [0, 0, 0], "radius": 0.10 } } }],
            "colliderGroups": [{ "name": "body", "colliders": [0] }],
            "springs": [{ "name": "tail", "joints": [{ "node": 1, "hitRadius": 0.020, "x": 1 }, { "node": 2 }], "colliderGroups": [0] }]
        }
    });
    it.declare(&["VRMC_vrm", "VRMC_springBone"]);
}
