use super::*;
use sinew::{Joint, Transform, glam::Vec3};

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
    let map = JointMap::guess(&boxer, figure.skeleton());
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
    let map = JointMap::guess(&cmu, figure.skeleton());
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
    let map = JointMap::guess(figure.skeleton(), figure.skeleton());
    assert_eq!(map.pairs().len(), figure.skeleton().len());
    assert!(map.pairs().iter().all(|p| p.source == p.target));
}

#[test]
fn without_names_the_shape_decides() {
    let figure = sinew_samples::figure();
    let figure = figure.skeleton();
    let nameless = figure.joints().map(|j| Joint {
        name: format!("n{}", j.0),
        parent: figure.parent(j),
        rest: figure.rest(j),
    });
    let nameless = Skeleton::new(nameless).unwrap();
    let map = JointMap::guess(&nameless, figure);
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
    let map = JointMap::guess(&boxer, figure.skeleton());
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
