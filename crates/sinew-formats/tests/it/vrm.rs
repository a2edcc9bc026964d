//! VRM files of both versions: the humanoid is read, follows the joints, and is written where it was.

use serde_json::{Value, json};
use sinew::{Character, HumanBone, Humanoid, Joint, JointId, Skeleton};
use sinew_formats::{
    FindingCode, embedded, prepare_file, read_bytes, read_file, to_glb, to_gltf, write_file,
};
use std::sync::Arc;

/// The bones of the built-in figure that VRM requires.
const BONES: [(&str, &str); 15] = [
    ("hips", "hips"),
    ("spine", "spine_lower"),
    ("head", "head"),
    ("leftUpperLeg", "thigh.L"),
    ("leftLowerLeg", "shin.L"),
    ("leftFoot", "foot.L"),
    ("rightUpperLeg", "thigh.R"),
    ("rightLowerLeg", "shin.R"),
    ("rightFoot", "foot.R"),
    ("leftUpperArm", "upper_arm.L"),
    ("leftLowerArm", "forearm.L"),
    ("leftHand", "hand.L"),
    ("rightUpperArm", "upper_arm.R"),
    ("rightLowerArm", "forearm.R"),
    ("rightHand", "hand.R"),
];

fn figure() -> Value {
    let files = to_gltf(&sinew_samples::figure(), "figure.bin").unwrap();
    serde_json::from_slice(&embedded(&files.json, |_| Some(files.buffer.clone())).unwrap()).unwrap()
}

fn node(root: &Value, name: &str) -> usize {
    let nodes = root["nodes"].as_array().unwrap();
    nodes.iter().position(|node| node["name"] == name).unwrap_or_else(|| panic!("no node {name}"))
}

fn version_1() -> Value {
    let mut root = figure();
    let bones: serde_json::Map<String, Value> =
        BONES.iter().map(|(bone, name)| ((*bone).into(), json!({ "node": node(&root, name) }))).collect();
    root["extensionsUsed"] = json!(["VRMC_vrm", "VRMC_springBone"]);
    let head = node(&root, "head");
    root["extensions"] = json!({
        "VRMC_vrm": { "specVersion": "1.0", "meta": { "name": "a" }, "humanoid": { "humanBones": bones }, "lookAt": { "type": "bone" } },
        "VRMC_springBone": { "specVersion": "1.0", "springs": [{ "joints": [{ "node": head }] }] }
    });
    root
}

fn version_0() -> Value {
    let mut root = figure();
    let bone = |(bone, name): &(&str, &str)| json!({ "bone": bone, "node": node(&root, name), "useDefaultValues": false });
    let mut bones: Vec<Value> = BONES.iter().map(bone).collect();
    bones.push(json!({ "bone": "jaw", "node": -1 }));
    root["extensionsUsed"] = json!(["VRM"]);
    root["extensions"] = json!({ "VRM": { "humanoid": { "humanBones": bones, "armStretch": 0.05 } } });
    root
}

fn read(root: &Value) -> Character {
    read_bytes(&serde_json::to_vec(root).unwrap(), "figure").unwrap().character
}

fn json_of(glb: &[u8]) -> Value {
    let size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + size]).unwrap()
}

fn names(character: &Character) -> Vec<(String, String)> {
    let humanoid = character.humanoid().unwrap();
    let name = |joint: JointId| character.skeleton().name(joint).to_owned();
    humanoid.iter().map(|(bone, joint)| (bone.name().to_owned(), name(joint))).collect()
}

#[test]
fn both_versions_give_the_same_humanoid() {
    let mut expected: Vec<(String, String)> = BONES.iter().map(|(b, n)| ((*b).into(), (*n).into())).collect();
    expected.sort();
    for root in [version_0(), version_1()] {
        let mut found = names(&read(&root));
        found.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn bones_that_do_not_fit_are_reported_and_the_others_are_read() {
    let mut root = version_1();
    let bones = &mut root["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
    bones["jaw"] = json!({ "node": 9999 });
    bones["neck"] = bones["head"].clone();
    bones["tail"] = json!({ "node": 0 });
    let import = read_bytes(&serde_json::to_vec(&root).unwrap(), "figure").unwrap();
    assert_eq!(import.report.of(FindingCode::JointDataIgnored).count(), 3, "{:?}", import.report);
    assert_eq!(import.character.humanoid().unwrap().len(), BONES.len());
}

/// The character without its last leaf that is a bone, and with joints renumbered.
fn without_joint(character: &Character, name: &str) -> Character {
    let gone = character.skeleton().find(name).unwrap();
    let mut parts = sinew_samples::figure().into_parts();
    parts.source = character.source().clone();
    parts.extras = character.extras().clone();
    let moved = |joint: JointId| match joint {
        joint if joint == gone => None,
        joint if joint > gone => Some(JointId(joint.0 - 1)),
        joint => Some(joint),
    };
    let skeleton = character.skeleton();
    let joint = |joint: JointId| Joint {
        name: skeleton.name(joint).into(),
        parent: skeleton.parent(joint).and_then(moved),
        rest: skeleton.rest(joint),
    };
    let kept = skeleton.joints().filter(|joint| moved(*joint).is_some());
    let bare = Arc::new(Skeleton::new(kept.map(joint)).unwrap());
    let mut out = sinew::CharacterParts::new(character.name(), bare);
    out.source = parts.source;
    out.humanoid = character.humanoid().map(|humanoid| humanoid.remapped(moved));
    // Meshes and skins stay, so that the document can be edited in place; nothing shows them.
    out.meshes = character.meshes().to_vec();
    out.materials = character.materials().to_vec();
    out.images = character.images().to_vec();
    let skin = |skin: &Arc<sinew::Skin>| {
        let pairs = skin.joints().iter().zip(skin.joint_from_mesh());
        let (joints, binds) = pairs.filter_map(|(joint, bind)| Some((moved(*joint)?, *bind))).unzip();
        Arc::new(sinew::Skin::new(skin.name(), &out.skeleton, joints, binds).unwrap())
    };
    out.skins = character.skins().iter().map(skin).collect();
    Character::new(out).unwrap()
}

#[test]
fn the_humanoid_and_springs_follow_the_joints_when_one_is_removed() {
    for root in [version_0(), version_1()] {
        let character = read(&root);
        let edited = without_joint(&character, "hand.L");
        let glb = to_glb(&edited).unwrap();
        let back = read_bytes(&glb, "figure").unwrap().character;
        assert_eq!(names(&back), names(&edited));
        assert!(back.humanoid().unwrap().joint(HumanBone::LeftHand).is_none());
        let after = json_of(&glb);
        if let Some(springs) = after["extensions"].get("VRMC_springBone") {
            assert_eq!(springs["springs"][0]["joints"][0]["node"], node(&after, "head"));
        }
    }
}

#[test]
fn a_vrm_file_stays_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (root, extension) in [(version_0(), "VRM"), (version_1(), "VRMC_vrm")] {
        let character = read(&root);
        let path = folder.path().join("avatar.vrm");
        write_file(&path, &character).unwrap();
        let after = json_of(&std::fs::read(&path).unwrap());
        assert_eq!(after["extensions"], root["extensions"], "{extension}");
        assert_eq!(names(&read_file(&path).unwrap().character), names(&character));
    }
}

#[test]
fn a_humanoid_made_by_code_is_written_as_vrm_or_kept_in_the_extras() {
    let mut parts = sinew_samples::figure().into_parts();
    let bones =
        BONES.map(|(bone, name)| (HumanBone::from_name(bone).unwrap(), parts.skeleton.find(name).unwrap()));
    parts.humanoid = Some(Humanoid::new(&parts.skeleton, bones).unwrap());
    let character = Character::new(parts).unwrap();
    let back = read_bytes(&to_glb(&character).unwrap(), "figure").unwrap().character;
    assert_eq!(back.humanoid(), character.humanoid());
    assert_eq!(back.extras(), character.extras(), "the bones are not application data");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.vrm");
    for character in [character, back] {
        write_file(&path, &character).unwrap();
        let after = json_of(&std::fs::read(&path).unwrap());
        assert_eq!(after["extensionsUsed"], json!(["VRMC_vrm"]));
        assert_eq!(after["extensions"]["VRMC_vrm"]["specVersion"], "1.0");
        assert_eq!(read_file(&path).unwrap().character.humanoid(), character.humanoid());
    }
}

#[test]
fn a_character_without_the_required_bones_is_not_written_as_vrm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.vrm");
    let arm = sinew_samples::arm();
    let error = prepare_file(&path, &arm, &Default::default()).unwrap_err().to_string();
    assert!(error.contains("the humanoid") && error.contains("has none"), "{error}");
    let mut parts = arm.into_parts();
    parts.humanoid = Some(Humanoid::new(&parts.skeleton, [(HumanBone::Hips, JointId(0))]).unwrap());
    let error =
        prepare_file(&path, &Character::new(parts).unwrap(), &Default::default()).unwrap_err().to_string();
    assert!(error.contains("missing: spine"), "{error}");
}

#[test]
fn a_vrm_animation_is_a_clip_on_a_humanoid() {
    let mut root = version_1();
    let bones = root["extensions"]["VRMC_vrm"]["humanoid"].clone();
    root["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
    root["extensions"] = json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": bones } });
    let character = read(&root);
    assert_eq!(character.humanoid().unwrap().len(), BONES.len());
    assert!(!character.clips().is_empty());
}
