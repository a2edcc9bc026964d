//! A character with every kind of part.

use sinew::{
    AlphaMode, BlendMap, Channel, Character, CharacterParts, CharacterScene, Clip, ClipEvent, ClipKind,
    ClipParts, Curve, ExtrasOwner, HumanBone, Humanoid, Image, Influence, Interpolation, JointId, Material,
    Mesh, MetaChannel, MetaCurve, MorphTarget, MorphTargets, Precomputed, Texture, TextureWrap, Weights,
    constrain::{
        ColliderShape, DrivenProperty, Driver, DriverCurve, DriverMeasure, HelperJoint, HelperKind,
        JointAxis, NodeConstraint, NodeConstraintKind, Roll, SpringChain, SpringCollider,
        SpringColliderGroup, SpringJoint, SpringLimit, SpringLimitShape, SpringParts,
    },
    glam::{Quat, Vec3},
};
use sinew_author::{
    CorOptions, DirectMushOptions, MushOptions, centers_of_rotation, delta_mush, direct_mush, uninterrupted,
};
use std::sync::Arc;

/// The tube with roll joints and one of everything that it lacks.
pub(super) fn everything() -> Character {
    let mut parts = sinew_samples::tube_with_rolls(4).0.into_parts();
    parts.meshes = vec![Arc::new(mesh(&parts))];
    parts.instances[0].morph_weights = vec![0.25];
    parts.clips = vec![Arc::new(clip())];
    parts.copyright = "Nobody".into();
    let png = Image { name: "i".into(), mime_type: "image/png".into(), bytes: Arc::new([0, 128, 255]) };
    parts.images = vec![png];
    parts.materials = vec![material()];
    parts.scenes = vec![CharacterScene { name: "s".into(), roots: vec![JointId(0)] }];
    parts.helpers = helpers();
    let kind = NodeConstraintKind::Aim { axis: JointAxis::Z, is_negative: true };
    parts.node_constraints =
        vec![NodeConstraint { joint: JointId(3), source: JointId(2), weight: 0.25, kind }];
    parts.springs = springs();
    parts.humanoid = Some(Humanoid::new(&parts.skeleton, [(HumanBone::LeftUpperArm, JointId(1))]).unwrap());
    parts.extras = [
        (ExtrasOwner::Asset, r#"{"a": "\u00e9"}"#.into()),
        (ExtrasOwner::Primitive(0, 0), "[1, 2]".into()),
        (ExtrasOwner::Joint(1), "null".into()),
    ]
    .into();
    Character::new(parts).unwrap()
}

/// The mesh with a morph target, muscle weights and all precomputed data.
fn mesh(parts: &CharacterParts) -> Mesh {
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let vertices = mesh.positions.len();
    let target = MorphTarget {
        name: "smile".into(),
        vertices: vec![0, 3],
        positions: vec![Vec3::new(0.1, -0.0, 1e-40), Vec3::Y],
        normals: vec![Vec3::X; 2],
        tangents: vec![],
    };
    mesh.morphs = MorphTargets::new(vertices, vec![target], vec![0.7]).unwrap();
    mesh.primitives[0].material = Some(0);
    let slots = parts.skins[0].joints().len();
    let muscle =
        |v: usize| v.is_multiple_of(3).then_some(Influence { slot: 1, weight: -0.1 * v as f32 - 0.3 });
    let weights = Weights::clone(mesh.weights.as_ref().unwrap());
    let weights = Arc::new(weights.with_muscle_weights(slots, (0..vertices).map(muscle)).unwrap());
    let mesh = Mesh::new(mesh).unwrap();
    let precomputed = Precomputed {
        centers: Some(Arc::new(
            centers_of_rotation(&mesh, &CorOptions::default(), &mut uninterrupted).unwrap().0,
        )),
        mush: Some(Arc::new(delta_mush(&mesh, &MushOptions::default(), &mut uninterrupted).unwrap().0)),
        direct_mush: Some(Arc::new(
            direct_mush(&mesh, &DirectMushOptions::default(), &mut uninterrupted).unwrap().0,
        )),
        blend_map: Some(Arc::new(
            BlendMap::new((0..vertices).map(|v| 1.0 / (v + 1) as f32).collect()).unwrap(),
        )),
        contact: Some(Arc::new(crate::subjects::contact(mesh.weights().unwrap()))),
    };
    mesh.with_weights(weights, precomputed).unwrap()
}

fn clip() -> Clip {
    let turns = vec![Quat::IDENTITY, Quat::from_rotation_x(0.3)];
    let cubic = Curve::new(vec![0.5], vec![Vec3::ZERO, Vec3::splat(0.1), Vec3::ONE], Interpolation::Cubic);
    let weights = Curve::new(vec![0.0, 0.4], vec![0.1, 0.9], Interpolation::Step).unwrap();
    let event = |time_secs, payload: Option<&str>| ClipEvent {
        time_secs,
        name: "e".into(),
        payload: payload.map(Into::into),
    };
    let rotation = Curve::new(vec![0.0, 0.1], turns, Interpolation::Linear).unwrap();
    Clip::from_parts(ClipParts {
        name: "c".into(),
        channels: vec![
            Channel::Rotation { joint: JointId(1), curve: rotation.clone() },
            Channel::Morphs { first_slot: 0, curve: weights.clone() },
            Channel::Translation { joint: JointId(0), curve: cubic.clone().unwrap() },
            Channel::Scale { joint: JointId(0), curve: cubic.clone().unwrap() },
        ],
        events: vec![event(0.9, None), event(0.2, Some("loud"))],
        metas: vec![
            MetaChannel { name: "glow".into(), curve: MetaCurve::Scalar(weights) },
            MetaChannel { name: "color".into(), curve: MetaCurve::Vector(cubic.unwrap()) },
            MetaChannel { name: "view".into(), curve: MetaCurve::Rotation(rotation) },
        ],
        kind: ClipKind::Additive,
        duration_secs: Some(1.5),
    })
    .unwrap()
}

fn material() -> Material {
    let wrap = [TextureWrap::ClampToEdge, TextureWrap::MirroredRepeat];
    let texture = Texture { image: 0, uv_set: 1, wrap, nearest: true };
    Material {
        name: "m".into(),
        base_color_texture: Some(texture),
        normal_texture: Some((texture, 0.3)),
        alpha: AlphaMode::Mask { cutoff: 0.4 },
        ..Material::default()
    }
}

fn springs() -> SpringParts {
    let shape = SpringLimitShape::Spherical { pitch_radians: 0.5, yaw_radians: 0.25 };
    let limit = Some(SpringLimit { shape, rotation: Quat::IDENTITY });
    let chain = SpringChain {
        tip: Some(Vec3::Y),
        center: Some(JointId(0)),
        collider_groups: vec![0],
        ..SpringChain::new("hair", [SpringJoint { limit, radius: 0.02, ..SpringJoint::new(JointId(1)) }])
    };
    let shapes = [
        ColliderShape::Sphere { center: Vec3::X, radius: 0.1, is_inside: true },
        ColliderShape::Capsule { start: Vec3::X, end: Vec3::Z, radius: 0.1, is_inside: false },
        ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::Y },
    ];
    SpringParts {
        chains: vec![chain],
        colliders: shapes.map(|shape| SpringCollider { joint: JointId(0), shape }).into(),
        collider_groups: vec![SpringColliderGroup { name: "body".into(), colliders: vec![2, 0, 1] }],
    }
}

fn helpers() -> Vec<HelperJoint> {
    let rolls = vec![Roll { joint: JointId(2), fraction: 1.0 / 3.0 }];
    let driver = |property, curve| Driver {
        source: JointId(1),
        measure: DriverMeasure::Swing { axis: Vec3::Y },
        target: JointId(3),
        property,
        curve,
    };
    let points = [[0.0, 1.0], [0.7, 1.2], [2.4, 1.3]];
    let drivers = vec![
        driver(DrivenProperty::Scale { axes: [true, false, true] }, DriverCurve::smooth(points).unwrap()),
        driver(DrivenProperty::Rotation { axis: Vec3::X }, DriverCurve::linear(points).unwrap()),
    ];
    let twist = HelperKind::Twist { source: JointId(1), axis: Vec3::Y, rolls };
    vec![
        HelperJoint { name: "twist".into(), is_enabled: true, kind: twist },
        HelperJoint { name: "muscle".into(), is_enabled: false, kind: HelperKind::Drive(drivers) },
    ]
}
