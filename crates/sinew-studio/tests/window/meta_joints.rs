//! The sliders of meta-joints in the window.

use super::harness::{difference, picture, steps, studio, view};
use egui::accesskit::Role;
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew::{
    Channel, Character,
    constrain::{MetaJoint, MetaJointPart},
};
use sinew_formats::meta_joints::put_meta_joints;
use sinew_studio::{app::Studio, document::Document};

/// The arm with a limited elbow of two axes.
fn arm_with_elbow() -> Character {
    let arm = sinew_samples::arm();
    let lower = arm.skeleton().find("lower").unwrap();
    let part = MetaJointPart {
        ranges_radians: vec![[-20.0, 120.0], [-90.0, 90.0]]
            .into_iter()
            .map(|range: [f32; 2]| range.map(f32::to_radians))
            .collect(),
        ..MetaJointPart::new(lower, "zy".parse().unwrap())
    };
    let elbow = MetaJoint::new(arm.skeleton(), "elbow", vec![part]).unwrap();
    let mut parts = arm.parts().clone();
    put_meta_joints(&mut parts.extras, arm.skeleton(), &[elbow]).unwrap();
    Character::new(parts).unwrap()
}

fn document<'a>(harness: &'a Harness<'_, Studio>) -> &'a Document {
    harness.state().session().document()
}

fn degrees(harness: &Harness<'_, Studio>) -> [f32; 3] {
    let document = document(harness);
    document.meta_joints()[0].angles(document.pose()).radians.map(f32::to_degrees)
}

fn slide(harness: &mut Harness<'_, Studio>, label: &str, value: f64) {
    harness.get_by_role_and_label(Role::Slider, label).set_value_accesskit(value);
    harness.run();
}

#[test]
fn sliders_pose_a_meta_joint_within_its_limits_and_key_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elbow.glb");
    sinew_formats::write_file(&path, &arm_with_elbow()).unwrap();
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    assert!(harness.query_by_label("Meta-joints (1)").is_some());
    let straight = picture(&mut harness, "meta-joint-rest");
    slide(&mut harness, "elbow.z", 70.0);
    slide(&mut harness, "elbow.y", -30.0);
    let [bent, turned, _] = degrees(&harness);
    assert!((bent - 70.0).abs() < 0.1 && (turned + 30.0).abs() < 0.1, "{bent} {turned}");
    let posed = picture(&mut harness, "meta-joint-posed");
    assert!(difference(&straight, &posed, view(&harness)) > 3000, "the arm bends");
    slide(&mut harness, "elbow.z", 170.0);
    assert!((degrees(&harness)[0] - 120.0).abs() < 0.1, "{:?}", degrees(&harness));
    assert_eq!(steps(&harness), ["Rotate meta-joint elbow"; 3]);
    harness.get_by_label("Undo").click();
    harness.run();
    assert!((degrees(&harness)[0] - 70.0).abs() < 0.1, "{:?}", degrees(&harness));
    harness.get_by_label("Key angles").click();
    harness.run();
    let channels = document(&harness).clip().unwrap().channels();
    assert!(matches!(channels, [Channel::Rotation { .. }]), "the elbow alone is keyed");
    assert_eq!(steps(&harness).last().map(String::as_str), Some("Key meta-joint elbow"));
    harness.get_by_label("Reset angles").click();
    harness.run();
    assert!(degrees(&harness).iter().all(|angle| angle.abs() < 1e-3), "{:?}", degrees(&harness));
}

#[test]
fn a_rotation_about_another_axis_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elbow.glb");
    sinew_formats::write_file(&path, &arm_with_elbow()).unwrap();
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    harness.get_by_label("lower").click();
    harness.run();
    harness.get_by_label("Limits").click();
    harness.run();
    harness.get_by_label("Enforce limits").click();
    harness.run();
    slide(&mut harness, "Rotate X", 25.0);
    assert!(harness.query_by_label_contains("25.0° outside its axes").is_some());
    picture(&mut harness, "meta-joint-residual");
    slide(&mut harness, "elbow.z", 10.0);
    assert!(harness.query_by_label_contains("outside its axes").is_none(), "a slider removes it");
}

#[test]
fn a_character_without_meta_joints_has_no_such_section() {
    let Some(harness) = studio("arm") else { return };
    assert!(harness.query_by_label_contains("Meta-joints").is_none());
}
