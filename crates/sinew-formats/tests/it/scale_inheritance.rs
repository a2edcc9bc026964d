//! Scale that is not inherited survives glTF.

use serde_json::{Value, json};
use sinew::{Character, ExtrasOwner, JointId, ScaleInheritance};
use sinew_formats::{read_bytes, to_glb, to_gltf};

fn arm() -> Character {
    let mut parts = sinew_samples::arm().into_parts();
    parts.extras.insert(ExtrasOwner::Joint(1), r#"{"mine":3}"#.into());
    Character::new(parts).unwrap().with_scale_inheritance(JointId(1), ScaleInheritance::Compensated)
}

#[test]
fn a_compensated_joint_is_read_back() {
    let arm = arm();
    let again = read_bytes(&to_glb(&arm).unwrap(), "arm").unwrap();
    assert_eq!(again.report.findings(), []);
    assert_eq!(again.character.skeleton(), arm.skeleton());
    assert_eq!(again.character.extras(), arm.extras(), "the key is the skeleton's, not the application's");
}

#[test]
fn the_property_is_in_the_extras_of_its_node() {
    let files = to_gltf(&arm(), "arm.bin").unwrap();
    let root: Value = serde_json::from_slice(&files.json).unwrap();
    assert_eq!(root["nodes"][1]["extras"], json!({ "mine": 3, "sinew": { "scale": "compensated" } }));
    assert_eq!(root["nodes"][0].get("extras"), None);
}

#[test]
fn other_extras_than_objects_have_no_place_for_it() {
    let mut parts = arm().into_parts();
    parts.extras.insert(ExtrasOwner::Joint(1), "7".into());
    let error = to_glb(&Character::new(parts).unwrap()).unwrap_err().to_string();
    assert!(error.contains("scale inheritance"), "{error}");
}
