//! VRM, the format of avatars: glTF with an extension that says which nodes are the bones of a human.
//!
//! Versions 0.x (`VRM`) and 1.0 (`VRMC_vrm`) are read, and animations (`VRMC_vrm_animation`). A character that was read from
//! a version stays in it. A humanoid of any other glTF file is stored in the document's extras. Spring bones and node
//! constraints are read from both versions, and from any glTF file with the extensions of version 1.0.

mod fields;
pub(super) mod node_constraints;
mod secondary_animation;
pub(super) mod springs;

pub(super) use fields::Faults;

use super::{
    json::{Root, extras::SINEW},
    raw::RawObject,
};
use crate::WriteError;
use serde_json::{Map, Value, json};
use sinew::{
    Character, HumanBone, Humanoid, JointId, Skeleton,
    constrain::{NodeConstraint, SpringParts},
};
use std::collections::BTreeMap;

/// The extension of version 0.x.
const VRM_0: &str = "VRM";
/// The extension of version 1.0.
pub(super) const VRM_1: &str = "VRMC_vrm";
/// The extension of animations.
const VRM_ANIMATION: &str = "VRMC_vrm_animation";
/// The key in the document's extras.
const KEY: &str = "humanoid";

/// The nodes of human bones.
pub(super) type BoneNodes = BTreeMap<HumanBone, usize>;

/// The bones that a document names, with the place of each and what is wrong with those that are left out.
#[derive(Debug, Default)]
pub(super) struct ReadBones {
    pub(super) place: String,
    pub(super) bones: Vec<(HumanBone, usize)>,
    pub(super) unknown: Vec<String>,
}

/// The human bones of a document; `None` if it has none.
pub(super) fn read_bones(root: &Root) -> Option<ReadBones> {
    let bones = |value: &Value| value.get("humanoid").and_then(|h| h.get("humanBones")).cloned();
    for name in [VRM_1, VRM_ANIMATION] {
        if let Some(Value::Object(map)) = root.extensions.get(name).and_then(bones) {
            return Some(named_bones(format!("extensions.{name}.humanoid"), &map));
        }
    }
    if let Some(Value::Array(list)) = root.extensions.get(VRM_0).and_then(bones) {
        return Some(listed_bones(format!("extensions.{VRM_0}.humanoid"), &list));
    }
    let own = root.extras.as_ref()?.get(SINEW)?.get(KEY)?.as_object()?;
    Some(named_bones(format!("extras.{SINEW}.{KEY}"), own))
}

fn named_bones(place: String, map: &Map<String, Value>) -> ReadBones {
    let mut out = ReadBones { place, ..ReadBones::default() };
    for (name, value) in map {
        match (HumanBone::from_name(name), node_of(value.get("node").unwrap_or(value))) {
            (Some(bone), Some(node)) => out.bones.push((bone, node)),
            _ => out.unknown.push(name.clone()),
        }
    }
    out
}

fn listed_bones(place: String, list: &[Value]) -> ReadBones {
    let mut out = ReadBones { place, ..ReadBones::default() };
    for value in list {
        let name = value.get("bone").and_then(Value::as_str).unwrap_or_default();
        let node = value.get("node");
        // Some exporters list every bone, with node -1 for those that are absent.
        if node.and_then(Value::as_i64).is_some_and(|node| node < 0) {
            continue;
        }
        match (HumanBone::from_vrm0_name(name), node.and_then(node_of)) {
            (Some(bone), Some(node)) => out.bones.push((bone, node)),
            _ => out.unknown.push(name.to_owned()),
        }
    }
    out
}

fn node_of(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|node| usize::try_from(node).ok())
}

/// The spring bones and node constraints of a document, and what of them was left out.
#[derive(Debug, Default)]
pub(super) struct ReadConstraints {
    pub(super) springs: SpringParts,
    pub(super) node_constraints: Vec<NodeConstraint>,
    pub(super) faults: Faults,
}

/// Reads spring bones and node constraints. Springs of version 1.0 come before those of 0.x, which some files have too.
pub(super) fn read_constraints(
    root: &Root,
    skeleton: &Skeleton,
    joint_of: &dyn Fn(usize) -> Option<JointId>,
) -> ReadConstraints {
    let mut out = ReadConstraints::default();
    let older = || root.extensions.get(VRM_0).and_then(|vrm| vrm.get("secondaryAnimation"));
    if let Some(extension) = root.extensions.get(springs::SPRINGS) {
        out.springs = springs::read(extension, skeleton, joint_of, &mut out.faults);
    } else if let Some(animation) = older() {
        out.springs = secondary_animation::read(animation, root, skeleton, joint_of, &mut out.faults);
    }
    out.node_constraints = node_constraints::read(root, skeleton, joint_of, &mut out.faults);
    out
}

/// True if the document keeps its spring bones in the form of version 0.x.
pub(super) fn has_secondary_animation(root: &Root) -> bool {
    let has = |vrm: &Value| vrm.get("secondaryAnimation").is_some();
    !root.extensions.contains_key(springs::SPRINGS) && root.extensions.get(VRM_0).is_some_and(has)
}

/// The nodes of a character's bones.
pub(super) fn bone_nodes(humanoid: Option<&Humanoid>, node_of: impl Fn(JointId) -> usize) -> BoneNodes {
    humanoid.into_iter().flat_map(Humanoid::iter).map(|(bone, joint)| (bone, node_of(joint))).collect()
}

/// Where a document keeps the bones of its humanoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BonePlace {
    Version0,
    Named(&'static str),
    Extras,
}

impl BonePlace {
    fn of(root: &Root) -> Self {
        let named = [VRM_1, VRM_ANIMATION].into_iter().find(|name| root.extensions.contains_key(*name));
        match named {
            Some(name) => Self::Named(name),
            None if root.extensions.contains_key(VRM_0) => Self::Version0,
            None => Self::Extras,
        }
    }
}

/// Applies the difference between two states of the bones to the root object of a document. Returns whether there is one.
pub(super) fn edit_bones(raw: &mut RawObject, root: &Root, old: &BoneNodes, new: &BoneNodes) -> bool {
    if old == new {
        return false;
    }
    match BonePlace::of(root) {
        BonePlace::Extras => {
            let mut extras: Value = raw.read("extras").unwrap_or_default();
            set_extras(&mut extras, new);
            let is_empty = extras.as_object().is_some_and(Map::is_empty);
            raw.set_or_remove("extras", Some(&extras).filter(|_| !is_empty));
        }
        BonePlace::Named(name) => edit_extension(raw, name, |bones| {
            let mut map = bones.as_object().cloned().unwrap_or_default();
            for bone in old.keys().filter(|bone| !new.contains_key(*bone)) {
                map.remove(bone.name());
            }
            for (bone, node) in new.iter().filter(|(bone, node)| old.get(*bone) != Some(*node)) {
                let entry = map.entry(bone.name()).or_insert_with(|| json!({}));
                match entry.as_object_mut() {
                    Some(entry) => drop(entry.insert("node".into(), json!(node))),
                    None => *entry = json!({ "node": node }),
                }
            }
            Value::Object(map)
        }),
        BonePlace::Version0 => edit_extension(raw, VRM_0, |bones| {
            let mut list = bones.as_array().cloned().unwrap_or_default();
            let bone_of =
                |value: &Value| value.get("bone").and_then(Value::as_str).and_then(HumanBone::from_vrm0_name);
            list.retain(|value| {
                bone_of(value).is_none_or(|bone| new.contains_key(&bone) || !old.contains_key(&bone))
            });
            for (bone, node) in new.iter().filter(|(bone, node)| old.get(*bone) != Some(*node)) {
                match list.iter_mut().find(|value| bone_of(value) == Some(*bone)) {
                    Some(value) => value["node"] = json!(node),
                    None => {
                        list.push(
                            json!({ "bone": bone.vrm0_name(), "node": node, "useDefaultValues": true }),
                        );
                    }
                }
            }
            Value::Array(list)
        }),
    }
    true
}

/// Changes the bones in an extension of the document.
fn edit_extension(raw: &mut RawObject, name: &str, change: impl FnOnce(Value) -> Value) {
    let mut extensions = raw.object("extensions");
    let mut extension = extensions.object(name);
    let mut humanoid = extension.object("humanoid");
    let bones = change(humanoid.read("humanBones").unwrap_or_default());
    humanoid.set("humanBones", &bones);
    extension.set("humanoid", &humanoid);
    extensions.set(name, &extension);
    raw.set("extensions", &extensions);
}

/// Puts the bones into the extras of a document.
pub(super) fn set_extras(extras: &mut Value, bones: &BoneNodes) {
    if extras.is_null() {
        *extras = json!({});
    }
    let Some(object) = extras.as_object_mut() else { return };
    let own = object.entry(SINEW).or_insert_with(|| json!({}));
    if let Some(own) = own.as_object_mut() {
        own.remove(KEY);
        if !bones.is_empty() {
            let map: Map<String, Value> =
                bones.iter().map(|(b, node)| (b.name().into(), json!(node))).collect();
            own.insert(KEY.into(), Value::Object(map));
        }
        if own.is_empty() {
            object.remove(SINEW);
        }
    }
}

/// The extension of a new VRM 1.0 file.
///
/// # Errors
/// When the character has no humanoid, or the humanoid lacks a bone that VRM requires.
pub(super) fn new_extension(character: &Character, bones: &BoneNodes) -> Result<Value, WriteError> {
    let refuse = |what: String| WriteError::Unrepresentable { place: "the humanoid".into(), what };
    let Some(humanoid) = character.humanoid() else {
        return Err(refuse("a VRM file needs one, and the character has none".into()));
    };
    let missing: Vec<&str> = humanoid.missing().map(HumanBone::name).collect();
    if !missing.is_empty() {
        return Err(refuse(format!("VRM requires bones that are missing: {}", missing.join(", "))));
    }
    let author = Some(character.copyright()).filter(|c| !c.is_empty()).unwrap_or("unknown");
    let bones: Map<String, Value> =
        bones.iter().map(|(bone, node)| (bone.name().into(), json!({ "node": node }))).collect();
    Ok(json!({
        "specVersion": "1.0",
        "meta": {
            "name": character.name(),
            "authors": [author],
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
        },
        "humanoid": { "humanBones": bones },
    }))
}

/// The application data of a document without the bones.
pub(super) fn foreign_extras(root: &Root) -> Option<Value> {
    let mut extras = root.extras.clone()?;
    if extras.get(SINEW).is_some() {
        set_extras(&mut extras, &BoneNodes::new());
    }
    Some(extras)
}

/// True if the document is a VRM file of any version.
pub(super) fn is_vrm(root: &Root) -> bool {
    root.extensions.contains_key(VRM_0) || root.extensions.contains_key(VRM_1)
}
