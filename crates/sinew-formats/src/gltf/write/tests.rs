use super::*;
use crate::{
    ReadOptions,
    gltf::json::{Accessor, Node, component},
    shared_bytes::{SharedBytes, SourceBytes},
};
use sinew::glam::{Quat, Vec3};
use sinew::{
    Channel, CharacterParts, CharacterScene, Clip, Curve, Influence, Interpolation, Joint, JointId, Mesh,
    MeshInstance, MeshParts, MorphTarget, MorphTargets, Primitive, Skeleton, Skin, Topology, Transform,
    Weights,
};
use std::sync::Arc;

fn skeleton(parents: &[Option<u16>]) -> Arc<Skeleton> {
    let joint = |parent: &Option<u16>| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::IDENTITY,
    };
    Arc::new(Skeleton::new(parents.iter().map(joint)).unwrap())
}

/// `count` vertices as triangles in order.
fn soup(count: usize) -> MeshParts {
    MeshParts {
        positions: (0..count).map(|v| Vec3::new(v as f32, 0.0, 0.0)).collect(),
        indices: (0..count as u32).collect(),
        primitives: vec![Primitive {
            vertices: 0..count as u32,
            indices: 0..count as u32,
            topology: Topology::Triangles,
            material: None,
        }],
        ..MeshParts::default()
    }
}

fn on_first_joint(skeleton: Arc<Skeleton>, mesh: MeshParts) -> CharacterParts {
    CharacterParts {
        meshes: vec![Arc::new(Mesh::new(mesh).unwrap())],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: None, morph_weights: vec![] }],
        ..CharacterParts::new("test", skeleton)
    }
}

fn write(parts: CharacterParts) -> (Root, Vec<u8>) {
    document(&Character::new(parts).unwrap(), None).unwrap()
}

fn attribute<'a>(root: &'a Root, name: &str) -> &'a Accessor {
    &root.accessors[root.meshes[0].primitives[0].attributes[name]]
}

#[test]
fn an_empty_character_is_a_document_with_an_asset_and_no_buffer() {
    let files = to_gltf(&Character::new(CharacterParts::new("", skeleton(&[]))).unwrap(), "a.bin").unwrap();
    let json: Value = serde_json::from_slice(&files.json).unwrap();
    let generator = concat!("sinew ", env!("CARGO_PKG_VERSION"));
    assert_eq!(json, serde_json::json!({ "asset": { "version": "2.0", "generator": generator } }));
    assert!(files.buffer.is_empty());
}

#[test]
fn defaults_are_not_written() {
    let (root, _) = write(on_first_joint(skeleton(&[None]), soup(3)));
    assert_eq!(root.nodes, [Node { mesh: Some(0), ..Node::default() }]);
    let primitive = &root.meshes[0].primitives[0];
    assert_eq!((primitive.indices, primitive.mode, primitive.material), (None, None, None));
    assert_eq!(root.scenes.len(), 1);
    assert_eq!((root.scene, root.scenes[0].nodes.as_slice()), (Some(0), &[0][..]));
}

#[test]
fn positions_have_bounds_and_their_bytes_are_at_the_accessors_offset() {
    let (root, buffer) = write(on_first_joint(skeleton(&[None]), soup(3)));
    let accessor = attribute(&root, "POSITION");
    assert_eq!(
        (accessor.min.as_deref(), accessor.max.as_deref()),
        (Some(&[0.0; 3][..]), Some(&[2.0, 0.0, 0.0][..]))
    );
    let view = &root.buffer_views[accessor.buffer_view.unwrap()];
    let start = view.byte_offset + accessor.byte_offset + 2 * view.byte_stride.unwrap();
    assert_eq!(buffer[start..start + 4], 2.0_f32.to_le_bytes());
    assert_eq!(root.buffers[0].byte_length, buffer.len());
}

#[test]
fn joints_are_bytes_up_to_256_joints_of_a_skin() {
    for (slot, wanted) in [(255, component::U8), (256, component::U16)] {
        let weights = Weights::new(300, vec![[Influence { slot, weight: 1.0 }]; 3]).unwrap().0;
        let mesh = MeshParts { weights: Some(Arc::new(weights)), ..soup(3) };
        let (root, _) = write(on_first_joint(skeleton(&[None]), mesh));
        assert_eq!(attribute(&root, "JOINTS_0").component_type, wanted);
        assert!(!root.meshes[0].primitives[0].attributes.contains_key("JOINTS_1"));
    }
}

#[test]
fn quantized_weights_are_written_as_integers() {
    let kinds = [
        (255.0, [51.0, 101.0, 103.0], component::U8, true),
        (65535.0, [1.0, 20000.0, 45534.0], component::U16, true),
        (1.0, [0.3, 0.3, 0.4], component::F32, false),
    ];
    for (one, parts, wanted, is_normalized) in kinds {
        let influence = |(slot, part): (u16, f32)| Influence { slot, weight: part / one };
        let blended: Vec<Influence> = (0..).zip(parts).map(influence).collect();
        let alone = vec![Influence { slot: 1, weight: 1.0 }];
        let weights = Weights::new(3, vec![blended.clone(), alone, blended]).unwrap().0;
        let mesh = MeshParts { weights: Some(Arc::new(weights.clone())), ..soup(3) };
        let mut parts = on_first_joint(skeleton(&[None, Some(0), Some(0)]), mesh);
        let joints = [0, 1, 2].map(JointId);
        let binds = vec![sinew::glam::Affine3A::IDENTITY; 3];
        parts.skins = vec![Arc::new(Skin::new("skin", &parts.skeleton, joints.to_vec(), binds).unwrap())];
        parts.instances[0].skin = Some(0);
        let character = Character::new(parts).unwrap();
        let (root, _) = document(&character, None).unwrap();
        let accessor = attribute(&root, "WEIGHTS_0");
        assert_eq!((accessor.component_type, accessor.normalized), (wanted, is_normalized));

        let again = crate::read_bytes(&to_glb(&character).unwrap(), "again.glb").unwrap().character;
        let read = again.meshes()[0].weights().unwrap();
        for vertex in 0..3 {
            for (slot, weight) in weights.of(vertex).0.iter().zip(weights.of(vertex).1) {
                assert!((read.weight_of(vertex, *slot) - weight).abs() < 1.5e-7, "{wanted} {vertex} {slot}");
            }
        }
    }
}

#[test]
fn weights_without_blended_vertices_stay_floats() {
    let weights = Weights::new(1, vec![[Influence { slot: 0, weight: 1.0 }]; 3]).unwrap().0;
    let mesh = MeshParts { weights: Some(Arc::new(weights)), ..soup(3) };
    let (root, _) = write(on_first_joint(skeleton(&[None]), mesh));
    assert_eq!(attribute(&root, "WEIGHTS_0").component_type, component::F32);
}

#[test]
fn the_primitive_restart_index_is_not_used() {
    for (count, wanted) in [(65_535, component::U16), (65_538, component::U32)] {
        let mut mesh = soup(count);
        mesh.indices.reverse();
        let (root, _) = write(on_first_joint(skeleton(&[None]), mesh));
        let indices = root.meshes[0].primitives[0].indices.unwrap();
        assert_eq!(root.accessors[indices].component_type, wanted);
    }
}

#[test]
fn a_morph_target_of_few_vertices_is_sparse_and_an_empty_one_takes_no_bytes() {
    let shape = |moved: usize| {
        let differences: Vec<Vec3> = (0..12).map(|v| if v < moved { Vec3::X } else { Vec3::ZERO }).collect();
        MorphTarget::from_dense("", &differences, &[], &[])
    };
    let morphs = MorphTargets::new(12, vec![shape(0), shape(4), shape(5)], vec![]).unwrap();
    let (root, _) = write(on_first_joint(skeleton(&[None]), MeshParts { morphs, ..soup(12) }));
    let targets = &root.meshes[0].primitives[0].targets;
    let accessor = |target: usize| &root.accessors[targets[target]["POSITION"]];
    let stored = |a: &Accessor| (a.buffer_view.is_some(), a.sparse.as_ref().map(|s| s.count));
    assert_eq!([0, 1, 2].map(|t| stored(accessor(t))), [(false, None), (false, Some(4)), (true, None)]);
    assert_eq!(accessor(0).max.as_deref(), Some(&[0.0; 3][..]));
    assert_eq!(accessor(1).min.as_deref(), Some(&[0.0; 3][..]));
    assert_eq!(accessor(1).max.as_deref(), Some(&[1.0, 0.0, 0.0][..]));
}

fn turn(joint: u16, times: &[f32]) -> Channel {
    let keys = vec![Quat::from_rotation_x(f32::from(joint)); times.len()];
    Channel::Rotation {
        joint: JointId(joint),
        curve: Curve::new(times.to_vec(), keys, Interpolation::Linear).unwrap(),
    }
}

#[test]
fn channels_with_equal_times_share_them() {
    let mut parts = CharacterParts::new("", skeleton(&[None, Some(0), Some(1)]));
    let channels = vec![turn(0, &[0.0, 1.0]), turn(1, &[0.0, 1.0]), turn(2, &[0.0, 2.0])];
    parts.clips = vec![Arc::new(Clip::new("", channels, vec![]).unwrap())];
    let (root, _) = write(parts);
    let inputs: Vec<usize> = root.animations[0].samplers.iter().map(|s| s.input).collect();
    assert_eq!(inputs[0], inputs[1]);
    assert_ne!(inputs[0], inputs[2]);
    assert_eq!(root.accessors[inputs[2]].max.as_deref(), Some(&[2.0][..]));
}

#[test]
fn refuses_a_key_before_time_zero() {
    let mut parts = CharacterParts::new("", skeleton(&[None]));
    parts.clips = vec![Arc::new(Clip::new("back", vec![turn(0, &[-1.0, 0.0])], vec![]).unwrap())];
    let error = to_glb(&Character::new(parts).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("clip \"back\", channel 0:"), "{error}");
}

#[test]
fn refuses_a_morph_channel_over_several_instances() {
    let target = || MorphTarget::from_dense("", &[Vec3::X; 3], &[], &[]);
    let morphs = MorphTargets::new(3, vec![target(), target()], vec![]).unwrap();
    let mut parts = on_first_joint(skeleton(&[None]), MeshParts { morphs, ..soup(3) });
    let curve = Curve::new(vec![0.0], vec![1.0], Interpolation::Linear).unwrap();
    parts.clips =
        vec![Arc::new(Clip::new("", vec![Channel::Morphs { first_slot: 1, curve }], vec![]).unwrap())];
    let error = to_glb(&Character::new(parts).unwrap()).unwrap_err().to_string();
    assert!(error.contains("morph slots 1..2"), "{error}");
}

#[test]
fn refuses_a_scene_that_starts_below_a_root() {
    let mut parts = CharacterParts::new("", skeleton(&[None, Some(0)]));
    parts.scenes = vec![CharacterScene { name: String::new(), roots: vec![JointId(1)] }];
    let error = to_glb(&Character::new(parts).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("scene 0:"), "{error}");
}

#[test]
fn refuses_extras_that_are_not_json_or_not_an_object() {
    let extras = |text: &str| {
        let target = MorphTarget::from_dense("smile", &[Vec3::X; 3], &[], &[]);
        let morphs = MorphTargets::new(3, vec![target], vec![]).unwrap();
        let mut parts = on_first_joint(skeleton(&[None]), MeshParts { morphs, ..soup(3) });
        parts.extras.insert(ExtrasOwner::Mesh(0), text.into());
        document(&Character::new(parts).unwrap(), None)
    };
    assert!(extras("{").unwrap_err().to_string().contains("not valid JSON"));
    assert!(extras("[1]").unwrap_err().to_string().contains("targetNames"));
    let merged = extras(r#"{"a":1}"#).unwrap().0.meshes[0].extras.clone().unwrap();
    assert_eq!(merged, serde_json::json!({ "a": 1, "targetNames": ["smile"] }));
}

#[test]
fn refuses_a_material_factor_that_is_not_finite() {
    let mut parts = sinew_samples::arm().into_parts();
    parts.materials.push(sinew::Material { name: "bad".into(), roughness: f32::NAN, ..Default::default() });
    let error = to_glb(&Character::new(parts).unwrap()).unwrap_err().to_string();
    assert!(error.contains("\"bad\""), "{error}");
}

#[test]
fn a_skeleton_root_that_is_not_above_the_joints_is_left_out() {
    let skeleton = skeleton(&[None, Some(0), Some(0)]);
    for (root, wanted) in [(0, Some(0)), (1, None)] {
        let skin = Skin::bound_at_rest("", &skeleton, vec![JointId(1), JointId(2)]).unwrap();
        let skin = skin.with_root(&skeleton, Some(JointId(root))).unwrap();
        let parts =
            CharacterParts { skins: vec![Arc::new(skin)], ..CharacterParts::new("", skeleton.clone()) };
        assert_eq!(write(parts).0.skins[0].skeleton, wanted);
    }
}

#[test]
fn trees_that_share_a_skin_get_a_common_root_and_others_do_not() {
    let skeleton = skeleton(&[None, None, None]);
    let skin = Skin::bound_at_rest("", &skeleton, vec![JointId(0), JointId(2)]).unwrap();
    let parts = CharacterParts { skins: vec![Arc::new(skin)], ..CharacterParts::new("", skeleton) };
    let (root, _) = write(parts);
    assert_eq!(root.nodes[0].children, [1, 3]);
    assert_eq!(root.skins[0].joints, [1, 3]);
    assert_eq!(root.scenes[0].nodes, [0, 2]);
}

#[test]
fn images_of_other_formats_are_named_through_their_extension() {
    let mut parts = sinew_samples::arm().into_parts();
    let webp: Arc<[u8]> = Arc::from(&b"RIFF\x04\0\0\0WEBP"[..]);
    parts.images = vec![sinew::Image { name: "skin".into(), mime_type: String::new(), bytes: webp }];
    let texture = sinew::Texture { image: 0, uv_set: 0, wrap: Default::default(), nearest: false };
    parts.materials[0].base_color_texture = Some(texture);
    let (root, _) = write(parts);
    assert_eq!(root.textures[0].source, None);
    assert_eq!(root.textures[0].extensions["EXT_texture_webp"], serde_json::json!({ "source": 0 }));
    assert_eq!(root.extensions_used, ["EXT_texture_webp"]);
    assert_eq!(root.images[0].mime_type.as_deref(), Some("image/webp"));
}

#[test]
fn a_file_that_is_read_and_saved_is_in_memory_once() {
    let file = SharedBytes::from(to_glb(&sinew_samples::arm()).unwrap());
    let source = SourceBytes::Shared(file.clone());
    let nothing = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let import = super::super::read_document(&source, "arm", &nothing, &ReadOptions::default()).unwrap();
    let target = PackageTarget::Glb { path: None };
    let files = packed(&import.character, target, &WriteOptions::default()).unwrap();
    let longest = files.main.iter().max_by_key(|piece| piece.len()).unwrap();
    assert!(file.as_ptr_range().contains(&longest.as_ptr()), "the buffer is that of the file");
    assert_eq!(files.main.into_vec(), *file);
}
