//! Removes nodes and corrects every reference to the nodes behind them.

use crate::{
    gltf::{
        json::extras::SINEW,
        raw::{RawDocument, RawObject},
    },
    write_report::{Outcome, WriteReport},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The new indices of nodes.
struct NodeNumbers {
    removed: BTreeSet<usize>,
}

impl NodeNumbers {
    /// The new index of a node; `None` if it is removed.
    fn of(&self, node: usize) -> Option<usize> {
        (!self.removed.contains(&node)).then(|| node - self.removed.range(..node).count())
    }

    fn list(&self, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().filter_map(|&node| self.of(node)).collect()
    }

    /// Corrects a member that is a list of nodes; an empty one is removed.
    fn correct_list(&self, raw: &mut RawObject, key: &str) {
        if let Some(nodes) = raw.read::<Vec<usize>>(key) {
            let list = self.list(&nodes);
            if list != nodes {
                raw.set_or_remove(key, Some(&list).filter(|list| !list.is_empty()));
            }
        }
    }

    /// Corrects a member that is a node.
    fn correct_one(&self, raw: &mut RawObject, key: &str) {
        if let Some(node) = raw.read::<usize>(key) {
            let new = self.of(node);
            if new != Some(node) {
                raw.set_or_remove(key, new.as_ref());
            }
        }
    }
}

/// Removes nodes from the document. References from extensions that are not known are reported.
pub(super) fn remove_nodes(document: &mut RawDocument, removed: BTreeSet<usize>, report: &mut WriteReport) {
    if removed.is_empty() {
        return;
    }
    report.add(Outcome::Changed, "node-removed", "nodes", removed.len(), "");
    let numbers = NodeNumbers { removed };
    let mut items = document.items("nodes");
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        !numbers.removed.contains(&(index - 1))
    });
    document.set_items("nodes", items);
    for node in 0..document.count("nodes") {
        let mut raw = document.item("nodes", node);
        numbers.correct_list(&mut raw, "children");
        correct_extensions(&mut raw, &numbers, report, || format!("nodes[{node}]"));
        document.set_item("nodes", node, &raw);
    }
    for scene in 0..document.count("scenes") {
        document.edit("scenes", scene, |raw| numbers.correct_list(raw, "nodes"));
    }
    for skin in 0..document.count("skins") {
        document.edit("skins", skin, |raw| {
            numbers.correct_list(raw, "joints");
            numbers.correct_one(raw, "skeleton");
        });
    }
    for animation in 0..document.count("animations") {
        document.edit("animations", animation, |raw| correct_channels(raw, &numbers));
    }
    let mut root = document.root().clone();
    let mut extras = root.object("extras");
    let mut own = extras.object(SINEW);
    if let Some(bones) = own.read::<BTreeMap<String, usize>>("humanoid") {
        let bones: BTreeMap<&String, usize> =
            bones.iter().filter_map(|(bone, &node)| Some((bone, numbers.of(node)?))).collect();
        own.set("humanoid", &bones);
        extras.set(SINEW, &own);
        document.root_mut().set("extras", &extras);
    }
    correct_extensions(&mut root, &numbers, report, || "the document".into());
    if let Some(extensions) = root.get("extensions") {
        document.root_mut().set("extensions", &extensions);
    }
}

/// Corrects the targets of channels; channels of removed nodes are removed.
fn correct_channels(animation: &mut RawObject, numbers: &NodeNumbers) {
    let channels: Vec<RawObject> = animation.read("channels").unwrap_or_default();
    let mut kept = Vec::with_capacity(channels.len());
    for mut channel in channels {
        let mut target = channel.object("target");
        if let Some(node) = target.read::<usize>("node") {
            let Some(new) = numbers.of(node) else { continue };
            target.set("node", &new);
        }
        let mut extensions = target.object("extensions");
        let mut pointer = extensions.object(POINTER);
        if let Some(path) = pointer.read::<String>("pointer").and_then(|path| moved_pointer(&path, numbers)) {
            let Some(path) = path else { continue };
            pointer.set("pointer", &path);
            extensions.set(POINTER, &pointer);
            target.set("extensions", &extensions);
        }
        channel.set("target", &target);
        kept.push(channel);
    }
    animation.set("channels", &kept);
}

const POINTER: &str = "KHR_animation_pointer";

/// The new path of a pointer to a node, `Some(None)` if the node is removed, `None` for other pointers.
fn moved_pointer(path: &str, numbers: &NodeNumbers) -> Option<Option<String>> {
    let rest = path.strip_prefix("/nodes/")?;
    let (node, tail) = rest.split_once('/').unwrap_or((rest, ""));
    let node = node.parse().ok()?;
    Some(numbers.of(node).map(|node| format!("/nodes/{node}/{tail}").trim_end_matches('/').to_owned()))
}

/// Extensions whose references to nodes are corrected.
fn names_nodes(extension: &str) -> bool {
    extension.starts_with("VRM") || extension == "MSFT_lod"
}

/// Extensions that do not name nodes.
fn names_no_nodes(extension: &str) -> bool {
    let prefixes =
        ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_node_", "KHR_draco_"];
    let names = ["EXT_mesh_gpu_instancing", "KHR_xmp_json_ld", "KHR_mesh_quantization", POINTER];
    prefixes.iter().any(|prefix| extension.starts_with(prefix)) || names.contains(&extension)
}

fn correct_extensions(
    raw: &mut RawObject,
    numbers: &NodeNumbers,
    report: &mut WriteReport,
    place: impl Fn() -> String,
) {
    let mut extensions = raw.object("extensions");
    let names: Vec<String> = extensions.keys().map(str::to_owned).collect();
    for name in names {
        if names_nodes(&name) {
            let mut value: Value = extensions.read(&name).unwrap_or_default();
            correct_value(&mut value, numbers);
            extensions.set(&name, &value);
        } else if !names_no_nodes(&name) {
            let detail = format!("{name} may name nodes by their old numbers");
            report.add(Outcome::Changed, "extension-references", place(), 1, detail);
        }
    }
    if !extensions.is_empty() {
        raw.set("extensions", &extensions);
    }
}

/// Corrects references to nodes in an extension. What describes a removed node is removed with it.
fn correct_value(value: &mut Value, numbers: &NodeNumbers) {
    const KEYS: [&str; 6] = ["node", "center", "firstPersonBone", "source", "bones", "ids"];
    let index = |value: &Value| value.as_u64().and_then(|index| usize::try_from(index).ok());
    match value {
        Value::Object(object) => {
            object.retain(|_, inner| !is_gone(inner, numbers));
            for (key, inner) in object.iter_mut() {
                match (KEYS.contains(&key.as_str()), &mut *inner) {
                    (true, Value::Array(list)) => {
                        let nodes: Vec<usize> = list.iter().filter_map(index).collect();
                        *inner = numbers.list(&nodes).into();
                    }
                    (true, Value::Number(_)) => {
                        if let Some(node) = index(inner) {
                            *inner = numbers.of(node).map_or(Value::from(-1), Value::from);
                        }
                    }
                    _ => correct_value(inner, numbers),
                }
            }
        }
        Value::Array(list) => {
            list.retain(|inner| !is_gone(inner, numbers));
            list.iter_mut().for_each(|inner| correct_value(inner, numbers));
        }
        _ => {}
    }
}

/// True for an object that describes a removed node.
fn is_gone(value: &Value, numbers: &NodeNumbers) -> bool {
    let node = value.get("node").and_then(Value::as_u64).and_then(|node| usize::try_from(node).ok());
    node.is_some_and(|node| numbers.of(node).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_follow_the_nodes_that_move_and_go_with_the_ones_that_are_removed() {
        let text = json!({
            "nodes": [
                { "children": [1, 2] }, {}, { "children": [3] },
                { "extensions": { "VRMC_node_constraint": { "constraint": { "roll": { "source": 2 } } } } }
            ],
            "scenes": [{ "nodes": [0] }],
            "skins": [{ "joints": [1, 2, 3], "skeleton": 2 }],
            "animations": [{ "channels": [
                { "target": { "node": 1, "path": "scale" } }, { "target": { "node": 3, "path": "scale" } },
                { "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/nodes/3/scale" } } } }
            ] }],
            "extensions": {
                "VRMC_vrm": { "humanoid": { "humanBones": { "hips": { "node": 1 }, "head": { "node": 3 } } } },
                "VRM": { "secondaryAnimation": { "boneGroups": [{ "bones": [1, 3], "center": 1 }] } },
                "ACME_other": { "node": 3 }
            }
        });
        let mut document = RawDocument::parse(&text.to_string()).unwrap();
        let mut report = WriteReport::default();
        remove_nodes(&mut document, BTreeSet::from([1]), &mut report);
        let after: Value = serde_json::from_str(&document.text().unwrap()).unwrap();
        assert_eq!(after["nodes"][0], json!({ "children": [1] }));
        assert_eq!(after["nodes"][1], json!({ "children": [2] }));
        assert_eq!(
            after["nodes"][2]["extensions"]["VRMC_node_constraint"]["constraint"]["roll"]["source"],
            1
        );
        assert_eq!(after["skins"][0], json!({ "joints": [1, 2], "skeleton": 1 }));
        let channels = after["animations"][0]["channels"].as_array().unwrap();
        assert_eq!(channels.len(), 2);
        assert_eq!(channels[0]["target"]["node"], 2);
        assert_eq!(channels[1]["target"]["extensions"]["KHR_animation_pointer"]["pointer"], "/nodes/2/scale");
        let extensions = &after["extensions"];
        assert_eq!(extensions["VRMC_vrm"]["humanoid"]["humanBones"], json!({ "head": { "node": 2 } }));
        let groups = &extensions["VRM"]["secondaryAnimation"]["boneGroups"];
        assert_eq!(*groups, json!([{ "bones": [2], "center": -1 }]));
        assert_eq!(extensions["ACME_other"]["node"], 3);
        assert!(report.entries().iter().any(|entry| entry.detail.contains("ACME_other")));
    }
}
