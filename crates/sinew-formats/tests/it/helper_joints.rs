//! Helper joints survive glTF, and invalid ones are ignored.

use serde_json::{Value, json};
use sinew::{
    Channel, Character, Clip, ClipParts, Curve, Extras, ExtrasOwner, Interpolation, Joint, JointId, Skeleton,
    Transform,
    constrain::{
        CORRECTIVE_TERMS, Corrective, CorrectiveRow, DrivenProperty, Driver, DriverCurve, DriverMeasure,
        HelperJoint, HelperKind, Roll,
    },
    glam::{Quat, Vec3},
};
use sinew_formats::{
    FindingCode, Import,
    bake::Bake,
    bake::{BakeMotion, BakeTake},
    read_bytes, to_glb, to_gltf,
};
use std::sync::Arc;

/// The arm with two additional joints that follow the elbow.
fn arm() -> Character {
    let mut parts = sinew_samples::arm().into_parts();
    let old = &parts.skeleton;
    let mut joints: Vec<Joint> = old
        .joints()
        .map(|j| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) })
        .collect();
    let rest = Transform::from_translation(Vec3::Y * 0.1);
    // Two joints with the same name, so that one is referenced by number.
    joints.extend(["twin", "twin"].map(|name| Joint { name: name.into(), parent: Some(JointId(0)), rest }));
    let (first, second) = (JointId(old.len() as u16), JointId(old.len() as u16 + 1));
    let driver = |property, curve| Driver {
        source: first,
        measure: DriverMeasure::Twist { axis: Vec3::Y },
        target: second,
        property,
        curve,
    };
    let drivers = vec![
        driver(
            DrivenProperty::Scale { axes: [true, false, true] },
            DriverCurve::smooth([[0.0, 1.0], [2.0, 1.5]]).unwrap(),
        ),
        driver(
            DrivenProperty::Translation { axis: Vec3::X },
            DriverCurve::linear([[-1.0, 0.1], [1.0, 0.3]]).unwrap(),
        ),
    ];
    parts.helpers = vec![
        HelperJoint { name: "swell".into(), is_enabled: true, kind: HelperKind::Drive(drivers) },
        HelperJoint {
            name: "twist".into(),
            is_enabled: false,
            kind: HelperKind::Twist {
                source: JointId(1),
                axis: Vec3::Y,
                rolls: vec![Roll { joint: first, fraction: 0.25 }],
            },
        },
        HelperJoint {
            name: "correct".into(),
            is_enabled: true,
            kind: HelperKind::Correct(Box::new(corrective(first))),
        },
    ];
    parts.skeleton = Arc::new(Skeleton::new(joints).unwrap());
    parts.extras.insert(ExtrasOwner::Joint(1), r#"{"mine":3}"#.into());
    Character::new(parts).unwrap()
}

/// A joint that follows the elbow with other numbers in every row.
fn corrective(joint: JointId) -> Corrective {
    let row = |term: usize| {
        let number = term as f32 * 0.01;
        CorrectiveRow {
            translation: Vec3::new(number, 0.1, -number),
            rotation: Vec3::new(-0.2, number, 0.3),
            scale: Vec3::splat(number * number),
        }
    };
    Corrective {
        joint,
        base: JointId(0),
        source: JointId(1),
        base_from_source: Quat::from_rotation_z(0.2),
        max_radians: 2.0,
        rows: (0..CORRECTIVE_TERMS).map(row).collect(),
    }
}

fn read_back(character: &Character) -> Import {
    read_bytes(&to_glb(character).unwrap(), character.name()).unwrap()
}

#[test]
fn helpers_survive_in_their_order() {
    let arm = arm();
    let import = read_back(&arm);
    assert!(import.report.findings().is_empty(), "{:?}", import.report);
    assert_eq!(import.character.helpers(), arm.helpers());
    assert_eq!(import.character.extras(), arm.extras(), "nothing of them is left in the application data");
    assert_eq!(to_glb(&import.character).unwrap(), to_glb(&arm).unwrap());
}

#[test]
fn a_character_without_helpers_has_none_in_its_file() {
    let text = String::from_utf8(to_gltf(&sinew_samples::arm(), "arm.bin").unwrap().json).unwrap();
    assert!(!text.contains("helpers"));
}

/// The arm's file with its helpers replaced.
fn with_helpers_text(joint: usize, text: Value) -> Import {
    let mut parts = arm().into_parts();
    parts.helpers.clear();
    let extras = json!({ "sinew": { "helpers": text } });
    parts.extras = Extras::from([(ExtrasOwner::Joint(joint), extras.to_string().into())]);
    read_back(&Character::new(parts).unwrap())
}

#[test]
fn invalid_helpers_are_reported_and_stay_in_the_extras() {
    let twist =
        |axis: Value, rolls: Value| json!([{ "name": "t", "twist": { "axis": axis, "rolls": rolls } }]);
    let roll = json!([{ "joint": "lower", "share": 0.5 }]);
    let curve = |curve: Value| {
        json!([{ "drive": [{ "source": "upper", "measure": { "swing": [0, 1, 0] }, "target": "lower",
                 "property": { "scale": [true, true, true] }, "curve": curve }] }])
    };
    let broken = [
        json!(7),
        json!([7]),
        json!([{ "name": "nothing" }]),
        twist(json!([0, 0, 0]), roll.clone()),
        twist(json!([0, 1]), roll.clone()),
        twist(json!([0, 1, 0]), json!([{ "joint": "nobody", "share": 0.5 }])),
        twist(json!([0, 1, 0]), json!([{ "joint": 99, "share": 0.5 }])),
        twist(json!([0, 1, 0]), json!([{ "joint": "upper", "share": 0.5 }])),
        twist(json!([0, 1, 0]), json!(vec![roll[0].clone(); 2000])),
        curve(json!({ "smooth": [] })),
        curve(json!({ "linear": [[1, 0], [0, 0]] })),
        curve(json!({ "wavy": [[0, 0]] })),
    ];
    for text in broken {
        let import = with_helpers_text(0, text.clone());
        assert_eq!(import.report.of(FindingCode::HelperIgnored).count(), 1, "{text}");
        assert!(import.character.helpers().is_empty());
        let kept = &import.character.extras()[&ExtrasOwner::Joint(0)];
        assert!(kept.contains("helpers"), "{kept}");
        let again = read_back(&import.character);
        assert_eq!(again.character, import.character);
    }
    let good = with_helpers_text(0, curve(json!({ "smooth": [[0, 1], [1, 2]] })));
    assert_eq!((good.report.findings().len(), good.character.helpers().len()), (0, 1));
    assert!(good.character.helpers()[0].is_enabled);
}

#[test]
fn bakes_include_helper_joints() {
    let mut parts = arm().into_parts();
    parts.helpers.reverse();
    parts.helpers[0].is_enabled = true;
    let (roll, muscle) = (parts.skeleton.len() - 2, parts.skeleton.len() - 1);
    let rotation = parts.skeleton.rest(JointId(1)).rotation * Quat::from_rotation_y(2.0);
    let curve = Curve::new(vec![0.0], vec![rotation], Interpolation::Step).unwrap();
    let channels = vec![Channel::Rotation { joint: JointId(1), curve }];
    let clip =
        Clip::from_parts(ClipParts { name: "twist".into(), channels, ..ClipParts::default() }).unwrap();
    let arm = Character::new(parts).unwrap();
    let take = |motion| BakeTake::new(motion, &[0.0], sinew::Method::Linear);
    let [still, moved] = [BakeMotion::Rest, BakeMotion::Clip(&clip)]
        .map(|motion| Bake::record(&arm, &[], &take(motion), &mut |_| {}).unwrap());
    assert_ne!(still.node_matrices[roll], moved.node_matrices[roll], "the roll joint rotated");
    assert_ne!(still.node_matrices[muscle], moved.node_matrices[muscle], "and drove the other");
}
