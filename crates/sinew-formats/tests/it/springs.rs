//! Spring bones and node constraints: read from both versions of VRM, written as new files, and edited in place.

use serde_json::{Value, json};
use sinew::{
    Character, JointId,
    constrain::{
        ColliderShape, JointAxis, NodeConstraint, NodeConstraintKind, SpringChain, SpringCollider,
        SpringColliderGroup, SpringJoint, SpringLimit, SpringLimitShape, SpringParts,
    },
    glam::{Quat, Vec3},
};
use sinew_formats::{FindingCode, Import, WriteOptions, embedded, read_bytes, to_glb, to_glb_with, to_gltf};

/// The figure as a document with its buffer inside.
fn figure() -> Value {
    let files = to_gltf(&sinew_samples::figure(), "figure.bin").unwrap();
    serde_json::from_slice(&embedded(&files.json, |_| Some(files.buffer.clone())).unwrap()).unwrap()
}

fn node(root: &Value, name: &str) -> usize {
    let nodes = root["nodes"].as_array().unwrap();
    nodes.iter().position(|node| node["name"] == name).unwrap_or_else(|| panic!("no node {name}"))
}

fn read(root: &Value) -> Import {
    read_bytes(&serde_json::to_vec(root).unwrap(), "figure").unwrap()
}

fn json_of(glb: &[u8]) -> Value {
    let size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + size]).unwrap()
}

/// A left arm of springs with every kind of collider.
fn version_1() -> Value {
    let mut root = figure();
    let at = |name: &str| node(&root, name);
    let (upper, fore, hand, hips, head) =
        (at("upper_arm.L"), at("forearm.L"), at("hand.L"), at("hips"), at("head"));
    let cone = json!({ "specVersion": "1.0-draft", "limit": { "cone": { "angle": 0.5 } } });
    let plane =
        json!({ "specVersion": "1.0", "shape": { "plane": { "offset": [0, 1, 0], "normal": [0, 1, 0] } } });
    let springs = json!({
        "specVersion": "1.0",
        "colliders": [
            { "node": hips, "shape": { "sphere": { "offset": [0, 0.5, 0.25], "radius": 0.125 } } },
            { "node": 9999, "shape": { "sphere": { "radius": 1 } } },
            { "node": hips, "shape": { "capsule": { "offset": [0, 0, 0], "radius": 0.25, "tail": [1, 0, 0] } } },
            { "node": hips, "shape": { "sphere": { "radius": 1000 } }, "extensions": { "VRMC_springBone_extended_collider": plane } },
        ],
        "colliderGroups": [{ "name": "body", "colliders": [3, 1, 2, 0, 77] }],
        "springs": [
            {
                "name": "arm", "center": hips, "colliderGroups": [0, 5],
                "joints": [
                    { "node": upper, "hitRadius": 0.5, "stiffness": 2, "gravityPower": 0.25, "gravityDir": [1, 0, 0], "dragForce": 0.75, "extensions": { "VRMC_springBone_limit": cone } },
                    { "node": fore }, { "node": hand }
                ]
            },
            { "name": "twice", "joints": [{ "node": fore }, { "node": hand }] },
            { "name": "short", "joints": [{ "node": head }] },
            { "name": "bad", "joints": [{ "node": at("neck"), "dragForce": "much" }, { "node": head }] }
        ]
    });
    let constraint = json!({ "specVersion": "1.0", "constraint": { "aim": { "source": head, "aimAxis": "NegativeY", "weight": 0.5 } } });
    let circle = |source: usize| json!({ "VRMC_node_constraint": { "specVersion": "1.0", "constraint": { "rotation": { "source": source } } } });
    let (right, other) = (at("hand.R"), at("forearm.R"));
    root["extensionsUsed"] = json!([
        "VRMC_springBone",
        "VRMC_springBone_extended_collider",
        "VRMC_springBone_limit",
        "VRMC_node_constraint"
    ]);
    root["extensions"] = json!({ "VRMC_springBone": springs });
    root["nodes"][hand]["extensions"] = json!({ "VRMC_node_constraint": constraint, "ACME_kept": {} });
    root["nodes"][right]["extensions"] = circle(other);
    root["nodes"][other]["extensions"] = circle(right);
    root
}

#[test]
fn springs_and_constraints_of_version_1_are_read_and_faults_are_reported() {
    let Import { character, report, .. } = read(&version_1());
    let find = |name: &str| character.skeleton().find(name).unwrap();
    let springs = &character.parts().springs;
    let [arm] = springs.chains.as_slice() else { panic!("{:?}", springs.chains) };
    assert_eq!(
        (arm.name.as_str(), arm.center, arm.collider_groups.as_slice()),
        ("arm", Some(find("hips")), &[0][..])
    );
    let shape = SpringLimitShape::Cone { angle_radians: 0.5 };
    let first = SpringJoint {
        joint: find("upper_arm.L"),
        stiffness: 2.0,
        gravity_power: 0.25,
        gravity_direction: Vec3::X,
        drag: 0.75,
        radius: 0.5,
        limit: Some(SpringLimit { shape, rotation: Quat::IDENTITY }),
    };
    assert_eq!(arm.joints, [first, SpringJoint::new(find("forearm.L")), SpringJoint::new(find("hand.L"))]);
    let shapes: Vec<ColliderShape> = springs.colliders.iter().map(|collider| collider.shape).collect();
    let center = Vec3::new(0.0, 0.5, 0.25);
    assert_eq!(
        shapes,
        [
            ColliderShape::Sphere { center, radius: 0.125, is_inside: false },
            ColliderShape::Capsule { start: Vec3::ZERO, end: Vec3::X, radius: 0.25, is_inside: false },
            ColliderShape::Plane { point: Vec3::Y, normal: Vec3::Y },
        ]
    );
    assert_eq!(
        springs.collider_groups,
        [SpringColliderGroup { name: "body".into(), colliders: vec![2, 1, 0] }]
    );
    let kind = NodeConstraintKind::Aim { axis: JointAxis::Y, is_negative: true };
    let aim = NodeConstraint { joint: find("hand.L"), source: find("head"), weight: 0.5, kind };
    assert!(character.node_constraints().contains(&aim) && character.node_constraints().len() == 2);
    let faults: Vec<String> =
        report.of(FindingCode::ConstraintIgnored).map(|f| format!("{} {}", f.place, f.message)).collect();
    let wanted = [
        "colliders[1] names node 9999",
        "springs[1] joint \"forearm.L\" swings in another spring",
        "springs[2] spring chain 1 needs two joints",
        "springs[3] spring chain 1, joint 0: the drag must be from 0 to 1, got NaN",
        "depends on itself",
    ];
    assert_eq!(faults.len(), wanted.len(), "{faults:?}");
    for want in wanted {
        assert!(faults.iter().any(|fault| fault.contains(want)), "{faults:?} lacks {want:?}");
    }
    assert_eq!(report.of(FindingCode::ExtensionIgnored).count(), 1, "the undeclared ACME_kept only");
}

#[test]
fn every_descendant_of_a_bone_of_version_0_swings() {
    let mut root = figure();
    let at = |name: &str| node(&root, name);
    let (hand, hips) = (at("hand.L"), at("hips"));
    root["extensionsUsed"] = json!(["VRM"]);
    root["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [
            { "comment": "fingers", "stiffiness": 0.5, "gravityPower": 0.25, "gravityDir": { "x": 0, "y": -1, "z": 0 }, "dragForce": 0.125, "center": -1, "hitRadius": 0.0625, "bones": [hand, 9999], "colliderGroups": [0] },
            { "comment": "again", "bones": [hand], "center": hips }
        ],
        "colliderGroups": [{ "node": hips, "colliders": [{ "offset": { "x": 1, "y": 2, "z": 3 }, "radius": 0.5 }] }]
    } } });
    let Import { character, report, .. } = read(&root);
    let skeleton = character.skeleton();
    let hand = skeleton.find("hand.L").unwrap();
    let below: Vec<JointId> = skeleton.joints().filter(|&joint| skeleton.is_within(joint, hand)).collect();
    let springs = &character.parts().springs;
    let mut swinging: Vec<JointId> =
        springs.chains.iter().flat_map(SpringChain::swinging).map(|j| j.joint).collect();
    swinging.sort_unstable();
    assert_eq!(swinging, below);
    let ends = below.iter().filter(|&&joint| skeleton.children(joint).next().is_none()).count();
    assert_eq!(springs.chains.len(), ends, "one chain for each joint without children");
    for chain in &springs.chains {
        assert_eq!((chain.name.as_str(), chain.center, chain.collider_groups.len()), ("fingers", None, 1));
        assert!((chain.tip.unwrap().length() - 0.07).abs() < 1e-6);
        let joint = SpringJoint {
            stiffness: 0.5,
            gravity_power: 0.25,
            drag: 0.125,
            radius: 0.0625,
            ..SpringJoint::new(chain.joints[0].joint)
        };
        assert_eq!(chain.joints[0], joint);
    }
    let center = Vec3::new(1.0, 2.0, -3.0);
    assert_eq!(springs.colliders[0].shape, ColliderShape::Sphere { center, radius: 0.5, is_inside: false });
    let faults = report.of(FindingCode::ConstraintIgnored).count();
    assert_eq!(faults, 2, "a missing bone, and the bone that is named again");
}

/// The figure with one of every kind of spring and constraint.
fn made_by_code() -> Character {
    let mut parts = sinew_samples::figure().into_parts();
    let find = |name: &str| parts.skeleton.find(name).unwrap();
    let limit = |shape| Some(SpringLimit { shape, rotation: Quat::from_rotation_y(0.5) });
    let hinge = limit(SpringLimitShape::Hinge { angle_radians: 0.3 });
    let spherical = limit(SpringLimitShape::Spherical { pitch_radians: 0.3, yaw_radians: 0.1 });
    let arm = [("upper_arm.L", hinge), ("forearm.L", spherical), ("hand.L", None)];
    let arm = arm.map(|(name, limit)| SpringJoint { limit, drag: 0.3, ..SpringJoint::new(find(name)) });
    let head =
        SpringChain { tip: Some(Vec3::Y * 0.1), ..SpringChain::new("", [SpringJoint::new(find("head"))]) };
    let shapes = [
        ColliderShape::Sphere { center: Vec3::X, radius: 0.1, is_inside: true },
        ColliderShape::Capsule { start: Vec3::X, end: Vec3::Z, radius: 0.1, is_inside: true },
        ColliderShape::Capsule { start: Vec3::X, end: Vec3::Z, radius: 0.1, is_inside: false },
        ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::Y },
    ];
    let joint = find("hips");
    let kinds = [
        NodeConstraintKind::Roll { axis: JointAxis::X },
        NodeConstraintKind::Aim { axis: JointAxis::Z, is_negative: false },
        NodeConstraintKind::Rotation,
    ];
    let held = ["foot.L", "foot.R", "hand.R"].map(find);
    let source = find("neck");
    let constraint = |(joint, kind)| NodeConstraint { joint, source, weight: 0.3, kind };
    let constraints = held.into_iter().zip(kinds).map(constraint).collect();
    let chain = SpringChain { center: Some(joint), collider_groups: vec![1], ..SpringChain::new("arm", arm) };
    parts.springs = SpringParts {
        chains: vec![chain, head],
        colliders: shapes.map(|shape| SpringCollider { joint, shape }).into(),
        collider_groups: vec![
            SpringColliderGroup::default(),
            SpringColliderGroup { name: "all".into(), colliders: vec![0, 3, 2, 1] },
        ],
    };
    parts.node_constraints = constraints;
    Character::new(parts).unwrap()
}

fn sorted(character: &Character) -> Vec<NodeConstraint> {
    let mut constraints = character.node_constraints().to_vec();
    constraints.sort_by_key(|constraint| constraint.joint);
    constraints
}

#[test]
fn springs_and_constraints_survive_a_new_file() {
    let character = made_by_code();
    let glb = to_glb(&character).unwrap();
    let back = read_bytes(&glb, "figure").unwrap();
    assert_eq!(back.report.findings(), []);
    assert_eq!(back.character.parts().springs, character.parts().springs);
    assert_eq!(sorted(&back.character), sorted(&character));
    let used = json_of(&glb)["extensionsUsed"].clone();
    assert_eq!(
        used,
        json!([
            "VRMC_springBone",
            "VRMC_springBone_extended_collider",
            "VRMC_springBone_limit",
            "VRMC_node_constraint"
        ])
    );
    assert_eq!(to_glb(&back.character).unwrap(), glb, "nothing was edited");
}

#[test]
fn edited_springs_and_constraints_are_written_into_the_document() {
    let root = version_1();
    let mut parts = read(&root).character.into_parts();
    parts.springs.chains[0].joints[0].stiffness = 3.0;
    parts.node_constraints.retain(|constraint| constraint.weight > 0.9);
    let edited = Character::new(parts).unwrap();
    let (glb, report) = to_glb_with(&edited, &WriteOptions::default()).unwrap();
    let changed: Vec<&str> = report.entries().iter().map(|entry| entry.code.as_str()).collect();
    assert!(changed.contains(&"springs") && changed.contains(&"node-constraint"), "{changed:?}");
    let after = json_of(&glb);
    assert_eq!(after["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]["stiffness"], 3.0);
    let hand = &after["nodes"][node(&after, "hand.L")];
    assert_eq!(hand["extensions"], json!({ "ACME_kept": {} }));
    let back = read_bytes(&glb, "figure").unwrap().character;
    assert_eq!(back.parts().springs, edited.parts().springs);
    assert_eq!(back.node_constraints(), edited.node_constraints());
}

#[test]
fn springs_added_to_a_plain_file_are_declared_and_those_of_version_0_cannot_be_edited() {
    let plain = read_bytes(&to_glb(&sinew_samples::figure()).unwrap(), "figure").unwrap().character;
    let mut parts = plain.into_parts();
    parts.springs = made_by_code().parts().springs.clone();
    let with = Character::new(parts).unwrap();
    let glb = to_glb(&with).unwrap();
    assert_eq!(read_bytes(&glb, "figure").unwrap().character.parts().springs, with.parts().springs);
    assert!(json_of(&glb)["extensionsUsed"].as_array().unwrap().contains(&json!("VRMC_springBone")));

    let mut root = figure();
    let hand = node(&root, "hand.L");
    root["extensions"] = json!({ "VRM": { "secondaryAnimation": { "boneGroups": [{ "bones": [hand] }] } } });
    let mut parts = read(&root).character.into_parts();
    parts.springs.chains[0].joints[0].stiffness = 3.0;
    let edited = Character::new(parts).unwrap();
    let (_, report) = to_glb_with(&edited, &WriteOptions::default()).unwrap();
    assert!(report.entries().iter().any(|entry| entry.code == "springs" && entry.detail.contains("VRM 0.x")));
}

/// The figure with a list of bone groups of VRM 0.x, made from the node of the hips and that of a hand.
fn with_bone_groups(groups: impl FnOnce(usize, usize) -> Value) -> Import {
    let mut root = figure();
    let (hips, hand) = (node(&root, "hips"), node(&root, "hand.L"));
    root["extensionsUsed"] = json!(["VRM"]);
    root["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": groups(hips, hand),
        "colliderGroups": [{ "node": hips, "colliders": [] }],
    } } });
    read(&root)
}

#[test]
fn bones_that_are_named_many_times_are_walked_once_and_reported_briefly() {
    let import = with_bone_groups(|hips, hand| {
        let bones: Vec<usize> = std::iter::once(hand).chain(vec![hips; 50_000]).collect();
        json!(vec![json!({ "bones": bones }); 4])
    });
    let skeleton = import.character.skeleton();
    let springs = &import.character.parts().springs;
    let swinging: usize = springs.chains.iter().map(|chain| chain.swinging().len()).sum();
    assert!(swinging <= skeleton.len() && springs.chains.len() > 10, "{swinging}");
    let faults: Vec<String> =
        import.report.of(FindingCode::ConstraintIgnored).map(|entry| entry.message.clone()).collect();
    assert!((2..=101).contains(&faults.len()), "{}", faults.len());
    assert!(faults.last().unwrap().contains("more are left out"), "{faults:?}");
}

#[test]
fn chains_do_not_multiply_long_lists_of_collider_groups() {
    let import = with_bone_groups(|_, hand| json!([{ "bones": [hand], "colliderGroups": vec![0; 300_000] }]));
    let groups: usize =
        import.character.parts().springs.chains.iter().map(|chain| chain.collider_groups.len()).sum();
    assert!(groups <= 1 << 20, "{groups}");
}
