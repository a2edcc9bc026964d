use super::*;
use sinew::glam::Vec4;
use sinew::{
    CharacterParts, Joint, Mesh, MeshInstance, MeshParts, MorphTarget, MorphTargets, Primitive, Skeleton,
    Topology, Transform,
};
use std::sync::Arc;

fn fault(text: &str, character: &Character) -> PoseTextFault {
    PoseOffsets::parse(text, character).unwrap_err().fault
}

fn posed(text: &str, character: &Character) -> LocalPose {
    let mut pose = character.rest_pose();
    PoseOffsets::parse(text, character).unwrap().apply(&mut pose);
    pose
}

/// A character of joints with these names, each a child of the one before.
fn chain(names: &[&str]) -> Character {
    let joint = |(at, name): (usize, &&str)| Joint {
        name: (*name).to_owned(),
        parent: at.checked_sub(1).map(|parent| JointId(parent as u16)),
        rest: Transform { translation: Vec3::Y, ..Transform::IDENTITY },
    };
    let skeleton = Skeleton::new(names.iter().enumerate().map(joint)).unwrap();
    Character::new(CharacterParts::new("chain", skeleton.into())).unwrap()
}

#[test]
fn angles_are_degrees_about_local_axes_in_the_given_order() {
    let arm = sinew_samples::arm();
    let lower = arm.skeleton().find("lower").unwrap().index();
    let rest = arm.rest_pose().joints[lower].rotation;
    let turned = posed("lower:rx=30,rz=-90", &arm).joints[lower].rotation;
    let want =
        rest * Quat::from_rotation_x(30.0_f32.to_radians()) * Quat::from_rotation_z(-90.0_f32.to_radians());
    assert!(turned.angle_between(want) < 1e-5);
    let other = posed("lower:rz=-90,rx=30", &arm).joints[lower].rotation;
    assert!(turned.angle_between(other) > 0.3, "the order matters");
    let zxz = posed("lower:rz=20,rx=30,rz=40", &arm).joints[lower].rotation;
    assert!(zxz.angle_between(turned) > 0.1, "an axis may be used twice");
}

#[test]
fn entries_continue_a_joint_and_lines_and_comments_separate() {
    let arm = sinew_samples::arm();
    let one = posed("upper:ry=40,tx=0.1 , lower : rz = -90,s=2", &arm);
    let lines = posed("# a pose\nupper:ry=40,tx=0.1 # turn\n\n  lower:rz=-90\nlower:s=2\n", &arm);
    assert_eq!(one, lines);
    let upper = arm.skeleton().find("upper").unwrap().index();
    assert_eq!(one.joints[upper].translation, arm.rest_pose().joints[upper].translation + Vec3::X * 0.1);
    assert_eq!(posed("", &arm), arm.rest_pose());
    assert_eq!(posed("0:ry=40", &arm).joints[0], posed("upper:ry=40", &arm).joints[0], "by number");
}

#[test]
fn names_with_colons_are_plain_and_others_are_quoted() {
    let names = ["mixamorig:Hips", "a,b=c #1", "twin", "twin", "two words"];
    let character = chain(&names);
    let pose = posed(
        "mixamorig:Hips:rx=10, \"a,b=c #1\":ry=20,\"twin#3\":rz=30, two words:rx=40,twin:ry=50",
        &character,
    );
    let rest = character.rest_pose();
    let moved: Vec<usize> =
        (0..names.len()).filter(|&j| pose.joints[j].rotation != rest.joints[j].rotation).collect();
    assert_eq!(moved, [0, 1, 2, 3, 4]);
    let again = posed(&to_text(&pose, &character), &character);
    for (a, b) in again.joints.iter().zip(&pose.joints) {
        assert!(a.rotation.angle_between(b.rotation) < 1e-5, "{}", to_text(&pose, &character));
    }
}

#[test]
fn errors_name_the_joint_and_what_exists() {
    let arm = sinew_samples::arm();
    let message = |text: &str| PoseOffsets::parse(text, &arm).unwrap_err().to_string();
    assert_eq!(message("elbow:rz=1"), "there is no joint \"elbow\"; there are upper, lower, tip");
    assert_eq!(message("Lower:rz=1"), "there is no joint \"Lower\"; did you mean lower?");
    assert!(message("lower:rq=1").contains("joint \"lower\" has no channel \"rq\"; there are rx, ry"));
    assert_eq!(message("lower:rz=soon"), "lower:rz must be a number from -1000000 to 1000000, got \"soon\"");
    assert_eq!(
        message("upper:rx=1\nlower"),
        "line 2: \"lower\" is not JOINT:CHANNEL=VALUE, such as elbow:rz=-90"
    );
    assert_eq!(message("rz=5"), "\"rz=5\" names no joint; write JOINT:rz=5");
    assert!(matches!(fault("upper:rx=1\nrz=5", &arm), PoseTextFault::NoJoint { .. }), "a line starts afresh");
    assert_eq!(message("lower:tx=1,tx=2"), "lower:tx is given twice");
    assert_eq!(message("smile:w=1"), "there is no morph target \"smile\"; there are none");
    for value in ["nan", "inf", "1e7", ""] {
        let text = format!("lower:rz={value}");
        assert!(matches!(fault(&text, &arm), PoseTextFault::BadValue { .. }), "{text}");
    }
    for text in ["\"lower:rz=1", ":rz=1", "\"lower\"x:rz=1", "lower", "=", "lower:="] {
        assert!(PoseOffsets::parse(text, &arm).is_err(), "{text}");
    }
    assert!(matches!(fault(&"#".repeat(MAX_BYTES + 1), &arm), PoseTextFault::TooLong { .. }));
}

/// A character with two meshes that both have the targets `smile` and `blink`.
fn face() -> Character {
    let target = |name: &str| MorphTarget::from_dense(name, &[Vec3::Y; 3], &[], &[]);
    let mesh = || {
        let morphs = MorphTargets::new(3, vec![target("smile"), target("blink")], vec![0.0; 2]).unwrap();
        let parts = MeshParts {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            indices: vec![0, 1, 2],
            primitives: vec![Primitive {
                vertices: 0..3,
                indices: 0..3,
                topology: Topology::Triangles,
                material: None,
            }],
            morphs,
            ..MeshParts::default()
        };
        Arc::new(Mesh::new(parts).unwrap())
    };
    let mut parts = chain(&["head", "eye"]).into_parts();
    parts.meshes = vec![mesh(), mesh()];
    let instance = |mesh: u16| MeshInstance {
        joint: JointId(mesh),
        mesh: mesh.into(),
        skin: None,
        morph_weights: vec![],
    };
    parts.instances = vec![instance(0), instance(1)];
    Character::new(parts).unwrap()
}

#[test]
fn morph_weights_are_set_by_name_on_every_mesh_or_by_slot_on_one() {
    let face = face();
    assert_eq!(posed("smile:w=0.5", &face).morphs, [0.5, 0.0, 0.5, 0.0]);
    let pose = posed("\"smile#0\":w=1,\"blink#3\":w=0.25", &face);
    assert_eq!(pose.morphs, [1.0, 0.0, 0.0, 0.25]);
    assert_eq!(posed(&to_text(&pose, &face), &face).morphs, pose.morphs);
    assert!(matches!(fault("smile:w=1,\"smile#0\":w=0", &face), PoseTextFault::Repeated { .. }));
    assert!(fault("frown:w=1", &face).to_string().contains("there are smile#0, blink#1"));
}

#[test]
fn every_pose_of_a_clip_reads_back() {
    let figure = sinew_samples::figure();
    for clip in figure.clips() {
        let mut pose = figure.rest_pose();
        sinew::sample_clip(clip, 0.4, sinew::Wrap::Loop, &mut pose);
        let text = to_text(&pose, &figure);
        let again = posed(&text, &figure);
        for (a, b) in again.joints.iter().zip(&pose.joints) {
            // Nearly equal quaternions are half their angle apart.
            let apart = (Vec4::from(a.rotation) - Vec4::from(b.rotation)).length();
            assert!(apart < 1e-6, "{apart}: {text}");
            assert!(a.translation.distance(b.translation) < 1e-6 && (a.scale - b.scale).length() < 1e-6);
        }
    }
    assert_eq!(to_text(&figure.rest_pose(), &figure), "");
}

#[test]
fn truncated_and_mutated_texts_are_refused_or_give_finite_poses() {
    let figure = sinew_samples::figure();
    let mut pose = figure.rest_pose();
    sinew::sample_clip(&figure.clips()[0], 0.3, sinew::Wrap::Loop, &mut pose);
    let text = to_text(&pose, &figure) + "\"hips\":sx=1e6,s=1e6 # \"note";
    let mut bytes = text.clone().into_bytes();
    let mut seed = 7_u32;
    for end in 0..text.len() {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let place = seed as usize % bytes.len();
        let before = std::mem::replace(&mut bytes[place], b"\",:=#9e-\n\x80"[seed as usize % 10]);
        let mutated = String::from_utf8_lossy(&bytes).into_owned();
        for text in [&text[..end], &mutated] {
            let Ok(offsets) = PoseOffsets::parse(text, &figure) else { continue };
            let mut pose = figure.rest_pose();
            offsets.apply(&mut pose);
            assert!(pose.joints.iter().all(|t| t.translation.is_finite() && t.rotation.is_finite()));
            assert!(pose.joints.iter().all(|t| t.scale.is_finite()));
        }
        bytes[place] = before;
    }
}
