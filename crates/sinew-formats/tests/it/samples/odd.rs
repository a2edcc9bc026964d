//! A character with one of everything that is hard to write.

use sinew::glam::{Quat, Vec2, Vec3, Vec4};
use sinew::{
    AlphaMode, Channel, Character, CharacterParts, CharacterScene, Clip, ClipEvent, Curve, ExtrasOwner,
    Image, Influence, Interpolation, Joint, JointId, Material, Mesh, MeshInstance, MeshParts, MorphTarget,
    MorphTargets, Primitive, Skeleton, Skin, Texture, TextureWrap, Topology, Transform, Weights,
};
use std::{ops::Range, sync::Arc};

/// One orange pixel as PNG.
const PNG: [u8; 69] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 144,
    119, 83, 222, 0, 0, 0, 12, 73, 68, 65, 84, 120, 218, 99, 248, 223, 192, 0, 0, 4, 1, 1, 128, 251, 215,
    203, 241, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

/// The number of joints in the skin, above the range of a byte.
const SKIN_JOINTS: u16 = 300;

/// The joint after those of the skin, with three instances on it.
const CROWDED: JointId = JointId(SKIN_JOINTS);

/// A character with one of everything that is hard to write.
pub(crate) fn odd() -> Character {
    let skeleton = Arc::new(Skeleton::new(joints()).unwrap());
    let skin_joints = (0..SKIN_JOINTS).map(JointId).collect();
    let skin = Skin::bound_at_rest("skin", &skeleton, skin_joints).unwrap();
    let skin = skin.with_root(&skeleton, Some(JointId(0))).unwrap();
    let instance = |joint, mesh, skin| MeshInstance { joint, mesh, skin, morph_weights: vec![] };
    let overridden = MeshInstance { morph_weights: vec![0.25, 0.75], ..instance(CROWDED, 0, None) };
    let scene = |name: &str, root: u16| CharacterScene { name: name.into(), roots: vec![JointId(root)] };
    let parts = CharacterParts {
        meshes: vec![Arc::new(mesh()), Arc::new(Mesh::new(MeshParts::default()).unwrap())],
        skins: vec![Arc::new(skin)],
        // The last has nothing to draw; the mesh of the last but one has a skin but no weights.
        instances: vec![
            instance(CROWDED, 0, Some(0)),
            overridden,
            instance(CROWDED, 1, Some(0)),
            instance(JointId(5), 1, None),
        ],
        materials: vec![material(), Material { name: "plain".into(), ..Material::default() }],
        images: vec![picture("gone", &[]), picture("orange", &PNG)],
        clips: clips().map(Arc::new).into(),
        scenes: vec![scene("shown never", 0), scene("shown", 0)],
        default_scene: 1,
        extras: extras(),
        ..CharacterParts::new("odd", skeleton)
    };
    Character::new(parts).unwrap()
}

fn joints() -> impl Iterator<Item = Joint> {
    (0..=SKIN_JOINTS).map(|index| Joint {
        name: if index % 7 == 0 { String::new() } else { format!("joint {}", index / 2) },
        parent: index.checked_sub(1).map(JointId),
        rest: Transform {
            translation: Vec3::new(0.1, -0.0, 1.0e-7),
            rotation: Quat::from_rotation_y(0.01 * f32::from(index)),
            scale: Vec3::ONE,
        },
    })
}

/// Twenty-four vertices in primitives of every topology and an empty one.
fn mesh() -> Mesh {
    let primitive = |vertices: Range<u32>, indices: Range<u32>, topology, material| Primitive {
        vertices,
        indices,
        topology,
        material,
    };
    let count = 24;
    let number = |v: usize| v as f32;
    let directions = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.0)];
    let normals = (0..count).map(|v| directions[v % 3]).collect();
    let handed = |v: usize| if v < 12 { Vec4::new(0.0, 0.0, 1.0, -1.0) } else { Vec4::W };
    Mesh::new(MeshParts {
        name: "mesh".into(),
        positions: (0..count).map(|v| Vec3::new(number(v), number(v * v), -1.0)).collect(),
        normals,
        tangents: (0..count).map(handed).collect(),
        uv_sets: vec![vec![], vec![Vec2::new(0.5, -3.0); count], vec![]],
        colors: vec![Vec4::new(0.5, 2.0, -1.0, 1.0); count],
        indices: vec![2, 1, 0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 23],
        primitives: vec![
            primitive(0..12, 0..6, Topology::Triangles, Some(0)),
            primitive(12..16, 6..10, Topology::Lines, None),
            primitive(16..20, 10..12, Topology::Points, Some(1)),
            primitive(20..22, 12..12, Topology::Triangles, None),
            primitive(22..24, 12..13, Topology::Points, None),
        ],
        morphs: morphs(count),
        weights: Some(Arc::new(weights(count))),
        ..MeshParts::default()
    })
    .unwrap()
}

/// One morph target for one vertex of the first primitive, one for all of it and half of the second.
fn morphs(count: usize) -> MorphTargets {
    let mut one = vec![Vec3::ZERO; count];
    one[7] = Vec3::new(0.1, -0.2, 0.3);
    let size = |v: usize| if v < 14 { 1.0 / (v + 1) as f32 } else { 0.0 };
    let all: Vec<Vec3> = (0..count).map(|v| Vec3::splat(size(v))).collect();
    let targets =
        vec![MorphTarget::from_dense("one", &one, &[], &[]), MorphTarget::from_dense("", &all, &one, &one)];
    MorphTargets::new(count, targets, vec![0.5, 0.0]).unwrap()
}

/// One to nine influences per vertex.
fn weights(count: usize) -> Weights {
    let influences =
        |v: usize| (0..=(v % 9)).map(move |k| Influence { slot: (v * 11 + k) as u16, weight: 0.3 });
    Weights::new(usize::from(SKIN_JOINTS), (0..count).map(influences)).unwrap().0
}

fn material() -> Material {
    let texture =
        |image, wrap| Texture { image, uv_set: 1, wrap: [TextureWrap::Repeat, wrap], nearest: false };
    let orange = texture(1, TextureWrap::MirroredRepeat);
    Material {
        name: "everything".into(),
        base_color: Vec4::new(0.1, 0.2, 0.3, 0.4),
        base_color_texture: Some(orange),
        metallic: 0.25,
        roughness: 0.75,
        metallic_roughness_texture: Some(texture(0, TextureWrap::Repeat)),
        normal_texture: Some((Texture { nearest: true, ..orange }, -2.5)),
        occlusion_texture: Some((texture(1, TextureWrap::ClampToEdge), 0.5)),
        emissive: Vec3::new(0.0, 0.5, 1.0),
        emissive_texture: Some(orange),
        alpha: AlphaMode::Mask { cutoff: 0.1 },
        double_sided: true,
    }
}

fn picture(name: &str, bytes: &[u8]) -> Image {
    Image { name: name.into(), mime_type: "image/jpeg".into(), bytes: Arc::from(bytes) }
}

fn clips() -> [Clip; 2] {
    let line = |times: &[f32], first: Vec3, interpolation: Interpolation| {
        let count = times.len() * interpolation.elements_per_key();
        Curve::new(times.to_vec(), vec![first; count], interpolation).unwrap()
    };
    let joint = JointId(3);
    let turn = Curve::new(vec![0.1, 0.7], vec![Quat::from_rotation_x(1.0); 6], Interpolation::Cubic).unwrap();
    let morphs =
        Curve::with_width(2, vec![0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0], Interpolation::Linear).unwrap();
    let channels = vec![
        // The same property twice: the later channel takes precedence.
        Channel::Translation { joint, curve: line(&[0.0], Vec3::X, Interpolation::Linear) },
        Channel::Translation { joint, curve: line(&[0.5, 0.5, 0.5, 1.0], Vec3::Y, Interpolation::Step) },
        Channel::Rotation { joint, curve: turn },
        Channel::Scale { joint, curve: line(&[0.25], Vec3::ONE, Interpolation::Cubic) },
        // The second instance gets its own node.
        Channel::Morphs { first_slot: 2, curve: morphs },
    ];
    let event = |time_secs, name: &str, payload: Option<&str>| ClipEvent {
        time_secs,
        name: name.into(),
        payload: payload.map(str::to_owned),
    };
    let events = || vec![event(0.1, "left", None), event(0.3, "right", Some("\"heel\""))];
    [Clip::new("moves", channels, events()).unwrap(), Clip::new("only events", vec![], events()).unwrap()]
}

/// Extras on every kind of owner.
fn extras() -> sinew::Extras {
    let owners = [
        ExtrasOwner::Asset,
        ExtrasOwner::Scene(1),
        ExtrasOwner::Joint(2),
        ExtrasOwner::Mesh(0),
        ExtrasOwner::Primitive(0, 1),
        ExtrasOwner::Skin(0),
        ExtrasOwner::Clip(0),
        ExtrasOwner::Material(1),
    ];
    let text = |owner: ExtrasOwner| format!("{{\"of\":\"{owner:?}\",\"pi\":3.141592653589793}}").into();
    let mut extras: sinew::Extras = owners.into_iter().map(|owner| (owner, text(owner))).collect();
    extras.insert(ExtrasOwner::Image(1), "[1,null,\"text\"]".into());
    extras
}
