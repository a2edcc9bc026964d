//! A human of seventeen joints and a tetrahedron on each.

use super::with_json;
use serde_json::{Map, Value, json};
use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, HumanBone, Humanoid, Influence, Interpolation, Joint,
    JointId, Material, Mesh, MeshInstance, MeshParts, Primitive, Skeleton, Skin, Topology, Transform,
    Weights,
    constrain::{
        ColliderShape, JointAxis, NodeConstraint, NodeConstraintKind, SpringChain, SpringCollider,
        SpringColliderGroup, SpringJoint, SpringLimit, SpringLimitShape, SpringParts,
    },
    glam::{Quat, Vec3},
};
use sinew_formats::export::{ExportFormat, ExportSource, export};
use std::sync::Arc;

/// Names as in VRM 1.0, the number of the parent, and the place relative to it in meters.
const JOINTS: [(&str, usize, [f32; 3]); 17] = [
    ("hips", 0, [0.0, 1.0, 0.0]),
    ("spine", 0, [0.0, 0.2, 0.0]),
    ("chest", 1, [0.0, 0.2, 0.0]),
    ("neck", 2, [0.0, 0.2, 0.0]),
    ("head", 3, [0.0, 0.1, 0.0]),
    ("leftUpperArm", 2, [0.2, 0.1, 0.0]),
    ("leftLowerArm", 5, [0.3, 0.0, 0.0]),
    ("leftHand", 6, [0.25, 0.0, 0.0]),
    ("rightUpperArm", 2, [-0.2, 0.1, 0.0]),
    ("rightLowerArm", 8, [-0.3, 0.0, 0.0]),
    ("rightHand", 9, [-0.25, 0.0, 0.0]),
    ("leftUpperLeg", 0, [0.1, 0.0, 0.0]),
    ("leftLowerLeg", 11, [0.0, -0.45, 0.0]),
    ("leftFoot", 12, [0.0, -0.45, 0.05]),
    ("rightUpperLeg", 0, [-0.1, 0.0, 0.0]),
    ("rightLowerLeg", 14, [0.0, -0.45, 0.0]),
    ("rightFoot", 15, [0.0, -0.45, 0.05]),
];

/// The character: skinned, with one clip of half a second.
#[must_use]
pub fn humanoid() -> Character {
    let skeleton = Arc::new(skeleton());
    let joints: Vec<JointId> = skeleton.joints().collect();
    let skin = Skin::bound_at_rest("body", &skeleton, joints).expect("every joint is there");
    let bones =
        skeleton.joints().filter_map(|joint| Some((HumanBone::from_name(skeleton.name(joint))?, joint)));
    let humanoid = Humanoid::new(&skeleton, bones).expect("every bone is there once");
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh())],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: Some(0), morph_weights: vec![] }],
        materials: vec![Material::default()],
        clips: vec![Arc::new(clip())],
        humanoid: Some(humanoid),
        ..CharacterParts::new("humanoid", skeleton)
    })
    .expect("every part names parts that are there")
}

fn skeleton() -> Skeleton {
    let joint = |(at, (name, parent, place)): (usize, &(&str, usize, [f32; 3]))| Joint {
        name: (*name).into(),
        parent: (at > 0).then_some(JointId(*parent as u16)),
        rest: Transform::from_translation(Vec3::from_array(*place)),
    };
    Skeleton::new(JOINTS.iter().enumerate().map(joint)).expect("parents come first")
}

fn mesh() -> Mesh {
    let mut places = [Vec3::ZERO; JOINTS.len()];
    for (at, (_, parent, place)) in JOINTS.iter().enumerate() {
        let above = if at > 0 { places[*parent] } else { Vec3::ZERO };
        places[at] = above + Vec3::from_array(*place);
    }
    let corners =
        [Vec3::Y, Vec3::new(0.9, -0.3, 0.0), Vec3::new(-0.5, -0.3, 0.8), Vec3::new(-0.5, -0.3, -0.8)];
    let positions: Vec<Vec3> =
        places.iter().flat_map(|place| corners.map(|corner| *place + corner * 0.1)).collect();
    let weights = (0..JOINTS.len()).flat_map(|at| {
        let parent = JOINTS[at].1 as u16;
        let own = |weight: f32| {
            [Influence { slot: at as u16, weight }, Influence { slot: parent, weight: 1.0 - weight }]
        };
        [own(1.0), own(0.75), own(0.75), own(0.5)]
    });
    let (weights, _) = Weights::new(JOINTS.len(), weights).expect("weights are finite");
    let faces = [0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3];
    let indices: Vec<u32> =
        (0..JOINTS.len() as u32).flat_map(|at| faces.map(|corner| 4 * at + corner)).collect();
    let (vertices, corners) = (0..positions.len() as u32, 0..indices.len() as u32);
    Mesh::new(MeshParts {
        name: "body".into(),
        normals: vec![Vec3::Y; positions.len()],
        positions,
        indices,
        primitives: vec![Primitive {
            vertices,
            indices: corners,
            topology: Topology::Triangles,
            material: Some(0),
        }],
        weights: Some(Arc::new(weights)),
        ..MeshParts::default()
    })
    .expect("streams are of one length")
}

fn clip() -> Clip {
    let times = || vec![0.0, 0.25, 0.5];
    let swing = |radians: f32| [0.0, radians, 0.0].map(Quat::from_rotation_x).to_vec();
    let rotation = |joint, radians| Channel::Rotation {
        joint: JointId(joint),
        curve: Curve::new(times(), swing(radians), Interpolation::Linear).expect("times rise"),
    };
    let hips = [1.0, 1.05, 1.0].map(|y| Vec3::new(0.0, y, 0.0)).to_vec();
    let hips = Curve::new(times(), hips, Interpolation::Linear).expect("times rise");
    let channels = vec![
        Channel::Translation { joint: JointId(0), curve: hips },
        rotation(5, 0.5),
        rotation(11, 0.7),
        rotation(12, -0.4),
        rotation(14, -0.7),
    ];
    Clip::new("walk", channels, vec![]).expect("rotations are units")
}

/// The humanoid with arms that swing, a head that limits them and collides, and hands that follow.
fn swinging() -> Character {
    let mut parts = humanoid().into_parts();
    let (head, tip) = (JointId(4), Some(Vec3::X * 0.1));
    let shape = SpringLimitShape::Spherical { pitch_radians: 0.5, yaw_radians: 0.4 };
    let limit = Some(SpringLimit { shape, rotation: Quat::IDENTITY });
    let joint = |at| SpringJoint { radius: 0.05, limit, ..SpringJoint::new(JointId(at)) };
    let chain = |name, at: u16| SpringChain {
        center: Some(JointId(0)),
        collider_groups: vec![0],
        tip,
        ..SpringChain::new(name, (at..at + 3).map(joint))
    };
    let shapes = [
        ColliderShape::Sphere { center: Vec3::ZERO, radius: 0.2, is_inside: false },
        ColliderShape::Capsule { start: Vec3::ZERO, end: Vec3::Y, radius: 2.0, is_inside: true },
        ColliderShape::Plane { point: Vec3::NEG_Y, normal: Vec3::Y },
    ];
    parts.springs = SpringParts {
        chains: vec![chain("left", 5), chain("right", 8)],
        colliders: shapes.map(|shape| SpringCollider { joint: head, shape }).into(),
        collider_groups: vec![SpringColliderGroup { name: "head".into(), colliders: vec![0, 1, 2] }],
    };
    let kinds = [
        NodeConstraintKind::Aim { axis: JointAxis::Z, is_negative: true },
        NodeConstraintKind::Roll { axis: JointAxis::Y },
        NodeConstraintKind::Rotation,
    ];
    let constraint =
        |(kind, joint)| NodeConstraint { joint: JointId(joint), source: head, weight: 0.5, kind };
    parts.node_constraints = kinds.into_iter().zip([13, 16, 12]).map(constraint).collect();
    Character::new(parts).expect("every joint is there")
}

fn vrm_1() -> Vec<u8> {
    let humanoid = swinging();
    let source = ExportSource::new(&humanoid, sinew::Method::Linear);
    let files = export(ExportFormat::Vrm, &source, &mut |_| {}).expect("a humanoid can be written");
    files.into_iter().next().map(|file| file.bytes).unwrap_or_default()
}

/// VRM files of both versions.
#[must_use]
pub fn vrm() -> Vec<Vec<u8>> {
    let version_0 = with_json(&super::written(&humanoid()), |json| {
        let nodes = nodes(json);
        let bones: Vec<Value> = nodes
            .iter()
            .map(|(bone, node)| json!({ "bone": bone, "node": node, "useDefaultValues": true }))
            .chain([json!({ "bone": "jaw", "node": -1 })])
            .collect();
        json["extensionsUsed"] = json!(["VRM"]);
        json["extensions"] = json!({ "VRM": {
            "humanoid": { "humanBones": bones },
            "secondaryAnimation": {
                "boneGroups": [{ "stiffiness": 0.5, "gravityPower": 0.1, "gravityDir": { "x": 0, "y": -1, "z": 0 },
                    "dragForce": 0.4, "center": -1, "hitRadius": 0.02, "bones": [5, 8], "colliderGroups": [0] }],
                "colliderGroups": [{ "node": 4, "colliders": [{ "offset": { "x": 0, "y": 0, "z": 0 }, "radius": 0.1 }] }]
            }
        } });
    });
    vec![vrm_1(), version_0]
}

/// Animations for VRM, which have joints and no meshes.
#[must_use]
pub fn vrma() -> Vec<Vec<u8>> {
    let animation = with_json(&super::written(&humanoid()), |json| {
        let bones: Map<String, Value> =
            nodes(json).into_iter().map(|(bone, node)| (bone, json!({ "node": node }))).collect();
        json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
        json["extensions"] =
            json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": { "humanBones": bones } } });
        for list in ["meshes", "skins", "materials"] {
            drop(json.as_object_mut().and_then(|object| object.remove(list)));
        }
        for node in json["nodes"].as_array_mut().into_iter().flatten() {
            for key in ["mesh", "skin"] {
                drop(node.as_object_mut().and_then(|object| object.remove(key)));
            }
        }
    });
    vec![animation]
}

/// The bones that nodes are named after, with the numbers of the nodes.
fn nodes(json: &Value) -> Vec<(String, usize)> {
    let names =
        json["nodes"].as_array().into_iter().flatten().map(|node| node["name"].as_str().unwrap_or_default());
    let is_bone = |name: &str| JOINTS.iter().any(|(bone, _, _)| *bone == name);
    names.enumerate().filter(|(_, name)| is_bone(name)).map(|(at, name)| (name.to_owned(), at)).collect()
}
