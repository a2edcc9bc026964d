use super::*;
use sinew::{Character, CharacterParts, HumanBone, Humanoid, Joint, Transform, glam::Vec3};
use std::sync::Arc;

/// A skeleton of joints with their names and the indices of their parents.
fn skeleton(joints: &[(&str, Option<u16>)]) -> Skeleton {
    let rest = Transform::from_translation(Vec3::Y);
    let joint = |&(name, parent): &(&str, Option<u16>)| Joint {
        name: name.to_owned(),
        parent: parent.map(JointId),
        rest,
    };
    Skeleton::new(joints.iter().map(joint)).unwrap()
}

/// A character without a mesh.
fn bare(skeleton: &Skeleton) -> Character {
    Character::new(CharacterParts::new("bare", Arc::new(skeleton.clone()))).unwrap()
}

fn boxer() -> Skeleton {
    let mut joints =
        vec![("Hips", None), ("Ab", Some(0)), ("Chest", Some(1)), ("Neck", Some(2)), ("Head", Some(3))];
    for (collar, names) in [
        ("LeftCollar", ["LeftShoulder", "LeftElbow", "LeftWrist"]),
        ("RightCollar", ["RightShoulder", "RightElbow", "RightWrist"]),
    ] {
        joints.push((collar, Some(2)));
        for name in names {
            joints.push((name, Some(joints.len() as u16 - 1)));
        }
    }
    for names in [
        ["LeftHip", "LeftKnee", "LeftAnkle", "LeftToes"],
        ["RightHip", "RightKnee", "RightAnkle", "RightToes"],
    ] {
        joints.push((names[0], Some(0)));
        for name in &names[1..] {
            joints.push((name, Some(joints.len() as u16 - 1)));
        }
    }
    skeleton(&joints)
}

fn source_name<'a>(map: &JointMap, source: &'a Skeleton, target: &Skeleton, name: &str) -> Option<&'a str> {
    map.source_of(target.find(name).unwrap()).map(|j| source.name(j))
}

#[test]
fn a_shoulder_is_the_upper_arm_where_a_collar_is_above_it() {
    let (boxer, figure) = (boxer(), sinew_samples::figure());
    let map = JointMap::guess(&bare(&boxer), &figure);
    let from = |name: &str| source_name(&map, &boxer, figure.skeleton(), name);
    assert_eq!(from("upper_arm.L"), Some("LeftShoulder"));
    assert_eq!(from("clavicle.L"), Some("LeftCollar"));
    assert_eq!(from("thigh.R"), Some("RightHip"));
    assert_eq!(from("hips"), Some("Hips"));
    assert_eq!(from("spine_lower"), Some("Ab"));
    assert_eq!(from("spine_upper"), Some("Chest"));
    assert_eq!(from("toe.R"), Some("RightToes"));
    assert_eq!(from("root"), None);
}

#[test]
fn a_leg_is_the_shin_where_an_upper_leg_is_above_it() {
    let cmu = skeleton(&[
        ("Hips", None),
        ("LHipJoint", Some(0)),
        ("LeftUpLeg", Some(1)),
        ("LeftLeg", Some(2)),
        ("LeftFoot", Some(3)),
        ("RHipJoint", Some(0)),
        ("RightUpLeg", Some(5)),
        ("RightLeg", Some(6)),
        ("RightFoot", Some(7)),
        ("Spine", Some(0)),
        ("LeftShoulder", Some(9)),
        ("LeftArm", Some(10)),
        ("LeftForeArm", Some(11)),
        ("LeftHand", Some(12)),
    ]);
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&bare(&cmu), &figure);
    let from = |name: &str| source_name(&map, &cmu, figure.skeleton(), name);
    assert_eq!(from("thigh.L"), Some("LeftUpLeg"));
    assert_eq!(from("shin.R"), Some("RightLeg"));
    assert_eq!(from("clavicle.L"), Some("LeftShoulder"));
    assert_eq!(from("upper_arm.L"), Some("LeftArm"));
    assert_eq!(from("upper_arm.R"), None);
}

#[test]
fn a_skeleton_maps_onto_itself_joint_by_joint() {
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&figure, &figure);
    assert_eq!(map.pairs().len(), figure.skeleton().len());
    assert!(map.pairs().iter().all(|p| p.source == p.target));
}

fn nameless(skeleton: &Skeleton) -> Skeleton {
    let joint =
        |j: JointId| Joint { name: format!("n{}", j.0), parent: skeleton.parent(j), rest: skeleton.rest(j) };
    Skeleton::new(skeleton.joints().map(joint)).unwrap()
}

#[test]
fn a_humanoid_decides_before_names() {
    let figure = sinew_samples::figure();
    let find = |name: &str| figure.skeleton().find(name).unwrap();
    let bones = [
        (HumanBone::Hips, find("hips")),
        (HumanBone::Spine, find("spine_lower")),
        (HumanBone::Head, find("head")),
        (HumanBone::LeftUpperLeg, find("thigh.L")),
        (HumanBone::LeftLowerLeg, find("shin.L")),
        (HumanBone::LeftFoot, find("foot.L")),
        (HumanBone::LeftIndexProximal, find("index_1.L")),
        (HumanBone::RightUpperLeg, find("thigh.R")),
        (HumanBone::RightLowerLeg, find("shin.R")),
        (HumanBone::RightFoot, find("foot.R")),
        (HumanBone::RightHand, find("hand.R")),
    ];
    let mut parts = CharacterParts::new("nameless", Arc::new(nameless(figure.skeleton())));
    parts.humanoid = Some(Humanoid::new(&parts.skeleton, bones).unwrap());
    let humanoid = Character::new(parts).unwrap();
    let map = JointMap::guess(&humanoid, &figure);
    for (bone, joint) in bones {
        assert_eq!(map.source_of(joint), Some(joint), "{}", bone.name());
    }
    // The left and the right leg are swapped by the names, but not by the humanoid.
    let swapped = figure.skeleton().joints().map(|j| {
        let name = figure.skeleton().name(j);
        let name = match name.strip_suffix(".L") {
            Some(stem) => format!("{stem}.R"),
            None => name.strip_suffix(".R").map_or(name.to_owned(), |stem| format!("{stem}.L")),
        };
        Joint { name, parent: figure.skeleton().parent(j), rest: figure.skeleton().rest(j) }
    });
    let mut parts = CharacterParts::new("swapped", Arc::new(Skeleton::new(swapped).unwrap()));
    assert_eq!(
        JointMap::guess(&bare(&parts.skeleton), &figure).source_of(find("thigh.L")),
        Some(find("thigh.R"))
    );
    parts.humanoid = Some(Humanoid::new(&parts.skeleton, bones).unwrap());
    let map = JointMap::guess(&Character::new(parts).unwrap(), &figure);
    assert_eq!(map.source_of(find("thigh.L")), Some(find("thigh.L")));
}

#[test]
fn names_with_any_prefix_and_suffix_are_found() {
    let rig = skeleton(&[
        ("C_hips0001_bind_JNT", None),
        ("C_spine0001_bind_JNT", Some(0)),
        ("C_neck0001_bind_JNT", Some(1)),
        ("C_head0001_bind_JNT", Some(2)),
        ("Leftshoulder", Some(1)),
        ("Leftarm", Some(4)),
        ("Leftforearm", Some(5)),
        ("Lefthand", Some(6)),
        ("L_upLeg0001_bind_JNT", Some(0)),
        ("L_lowLeg0001_bind_JNT", Some(8)),
        ("L_foot0001_bind_JNT", Some(9)),
        ("R_upLeg0001_bind_JNT", Some(0)),
        ("R_lowLeg0001_bind_JNT", Some(11)),
        ("R_foot0001_bind_JNT", Some(12)),
    ]);
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&bare(&rig), &figure);
    let from = |name: &str| source_name(&map, &rig, figure.skeleton(), name);
    assert_eq!(from("head"), Some("C_head0001_bind_JNT"));
    assert_eq!(from("hand.L"), Some("Lefthand"));
    assert_eq!(from("upper_arm.L"), Some("Leftarm"));
    assert_eq!(from("shin.R"), Some("R_lowLeg0001_bind_JNT"));
    assert_eq!(from("hips"), Some("C_hips0001_bind_JNT"));
}

/// A left arm with fingers of these names.
fn hand(fingers: &[&'static str]) -> Skeleton {
    let mut joints = vec![
        ("Hips", None),
        ("Spine", Some(0)),
        ("LeftArm", Some(1)),
        ("LeftForeArm", Some(2)),
        ("LeftHand", Some(3)),
    ];
    joints.extend(fingers.iter().map(|&finger| (finger, Some(4))));
    skeleton(&joints)
}

#[test]
fn thumbs_and_merged_fingers_find_their_partners() {
    let five = hand(&["thumb_01_l", "index_01_l", "middle_01_l", "ring_01_l", "pinky_01_l"]);
    let three = hand(&["LThumb", "LeftIndex", "LeftRingPinky"]);
    let map = JointMap::guess(&bare(&three), &bare(&five));
    let from = |name: &str| source_name(&map, &three, &five, name);
    assert_eq!(from("thumb_01_l"), Some("LThumb"));
    assert_eq!(from("index_01_l"), Some("LeftIndex"));
    assert_eq!(from("ring_01_l"), Some("LeftRingPinky"));
    assert_eq!(from("pinky_01_l"), Some("LeftRingPinky"), "one source drives both");
    assert!(from("middle_01_l").is_some());
    let map = JointMap::guess(&bare(&five), &bare(&three));
    let from = |name: &str| source_name(&map, &five, &three, name);
    assert_eq!(from("LeftRingPinky"), Some("ring_01_l"));
    assert_eq!(from("LThumb"), Some("thumb_01_l"));
}

#[test]
fn numbered_fingers_begin_at_the_thumb_or_after_it() {
    let named = hand(&["thumb_01_l", "index_01_l", "middle_01_l", "ring_01_l", "pinky_01_l"]);
    let biped = hand(&[
        "Bip01 L Finger0",
        "Bip01 L Finger1",
        "Bip01 L Finger2",
        "Bip01 L Finger3",
        "Bip01 L Finger4",
    ]);
    let five = hand(&["finger1-1.L", "finger2-1.L", "finger3-1.L", "finger4-1.L", "finger5-1.L"]);
    let four = hand(&["thumb_1.L", "finger_1_1.L", "finger_2_1.L", "finger_3_1.L", "finger_4_1.L"]);
    for numbered in [biped, five, four] {
        let map = JointMap::guess(&bare(&numbered), &bare(&named));
        assert!(map.pairs().iter().all(|p| p.source == p.target), "{}", map.to_text(&numbered, &named));
        assert_eq!(map.pairs().len(), named.len());
    }
}

#[test]
fn twist_joints_do_not_take_the_place_of_their_limb() {
    let rig = skeleton(&[
        ("root", None),
        ("upperleg01.L", Some(0)),
        ("upperleg02.L", Some(1)),
        ("lowerleg01.L", Some(2)),
        ("lowerleg02.L", Some(3)),
        ("foot.L", Some(4)),
        ("upperleg01.R", Some(0)),
        ("upperleg02.R", Some(6)),
        ("lowerleg01.R", Some(7)),
        ("lowerleg02.R", Some(8)),
        ("foot.R", Some(9)),
        ("spine", Some(0)),
        ("arm.001.L", Some(11)),
        ("arm.002.L", Some(12)),
        ("hand.L", Some(13)),
    ]);
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&bare(&rig), &figure);
    let from = |name: &str| source_name(&map, &rig, figure.skeleton(), name);
    assert_eq!(from("thigh.L"), Some("upperleg01.L"));
    assert_eq!(from("shin.R"), Some("lowerleg01.R"));
    assert_eq!(from("upper_arm.L"), Some("arm.001.L"));
    assert_eq!(from("forearm.L"), Some("arm.002.L"));
}

#[test]
fn without_names_the_shape_decides() {
    let whole = sinew_samples::figure();
    let figure = whole.skeleton();
    let map = JointMap::guess(&bare(&nameless(figure)), &whole);
    for name in [
        "hips",
        "spine_lower",
        "head",
        "thigh.L",
        "shin.R",
        "foot.L",
        "toe.R",
        "upper_arm.R",
        "forearm.L",
        "hand.R",
    ] {
        let joint = figure.find(name).unwrap();
        assert_eq!(map.source_of(joint), Some(joint), "{name}");
    }
}

#[test]
fn a_map_reads_back_as_it_was_written() {
    let odd = skeleton(&[
        ("Hips", None),
        ("a # b", Some(0)),
        ("x -> y", Some(0)),
        ("\"q\\", Some(0)),
        ("-", Some(0)),
    ]);
    let pairs = odd.joints().map(|j| JointPair { source: j, target: j });
    let map = JointMap::new(&odd, &odd, pairs).unwrap();
    assert_eq!(JointMap::parse(&map.to_text(&odd, &odd), &odd, &odd).unwrap(), map);
    let (boxer, figure) = (boxer(), sinew_samples::figure());
    let map = JointMap::guess(&bare(&boxer), &figure);
    let text = map.to_text(&boxer, figure.skeleton());
    assert!(text.contains("LeftHip -> thigh.L\n") && text.contains("- -> root\n"), "{text}");
    assert_eq!(JointMap::parse(&text, &boxer, figure.skeleton()).unwrap(), map);
}

#[test]
fn errors_name_the_line() {
    let (boxer, figure) = (boxer(), sinew_samples::figure());
    let parse = |text: &str| JointMap::parse(text, &boxer, figure.skeleton()).unwrap_err().to_string();
    assert_eq!(parse("# head\n\nHips hips"), "line 3: \"Hips hips\" is not `source -> target`");
    assert_eq!(parse("Hips -> hips\nHip -> root"), "line 2: the source has no joint \"Hip\"");
    assert_eq!(
        parse("Hips -> Upper-Arm L"),
        "line 1: the target has no joint \"Upper-Arm L\"; is it \"upper_arm.L\"?"
    );
    assert_eq!(parse("Hips -> hips\n\nAb -> hips"), "line 3: \"hips\" is already driven by line 1");
    assert_eq!(parse("Hips ->  # nothing"), "line 1: the target has no name; write - for no joint");
    assert_eq!(parse("\"Hips -> hips"), "line 1: \"\\\"Hips -> hips\" is not `source -> target`");
    assert_eq!(parse("\"Hips\" x -> hips"), "line 1: the quotes of \"Hips\" x do not close at its end");
}
