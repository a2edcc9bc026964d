use super::*;
use sinew::glam::{Mat4, Quat};
use sinew::{
    Character, CharacterParts, CharacterScene, Clip, Curve, Frame, Interpolation, Joint, JointId, Mesh,
    MeshInstance, MeshParts, Method, Primitive, Skeleton, Topology, Transform,
};
use std::sync::Arc;

/// A triangle at two times.
fn triangle() -> Bake {
    Bake {
        clip: Some(BakedClip { name: "c".into(), index: Some(2), duration_secs: 1.5 }),
        method: "linear".into(),
        times_secs: vec![0.0, 0.1],
        vertex_count: 3,
        parts: vec![BakePart {
            node: 4,
            mesh: 1,
            name: "left arm".into(),
            skinned: true,
            count: 3,
            ..BakePart::default()
        }],
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X, Vec3::new(0.1, -2.5, 1e-7)],
        triangles: vec![[0, 1, 2]],
        nodes: vec![4],
        node_matrices: vec![Affine3A::IDENTITY, Affine3A::from_translation(Vec3::new(1.0, 2.0, 3.0))],
        ..Bake::default()
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn written(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    out
}

#[test]
fn raw_json_keeps_its_documented_keys() {
    let text = written(|out| raw::write_json(&triangle(), out));
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let prims = serde_json::json!([{
        "node": 4, "mesh": 1, "prim": 0, "name": "left arm", "skinned": true, "first": 0, "count": 3
    }]);
    let wanted = serde_json::json!({
        "generator": concat!("sinew ", env!("CARGO_PKG_VERSION")), "method": "linear",
        "clip": "c", "clipIndex": 2, "duration": 1.5, "times": [0.0, 0.1], "verts": 3, "prims": prims, "nodes": [4]
    });
    assert_eq!(json, wanted);
    let rest = Bake { clip: None, ..triangle() };
    let json: serde_json::Value =
        serde_json::from_slice(&written(|out| raw::write_json(&rest, out))).unwrap();
    assert_eq!((&json["clip"], &json["clipIndex"]), (&serde_json::Value::Null, &serde_json::json!(-1)));
}

#[test]
fn raw_floats_are_positions_by_time_and_matrices_by_column() {
    let positions = floats(&written(|out| raw::write_positions(&triangle(), out)));
    assert_eq!(positions[9..], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.1, -2.5, 1e-7]);
    let nodes = floats(&written(|out| raw::write_nodes(&triangle(), out)));
    assert_eq!(nodes.len(), 32);
    assert_eq!(nodes[..16], Mat4::IDENTITY.to_cols_array());
    assert_eq!(nodes[28..], [1.0, 2.0, 3.0, 1.0]);
}

#[test]
fn npy_is_numpys_header_padded_to_64_bytes_and_the_floats() {
    let file = written(|out| npy::write(&triangle(), out));
    let mut header = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    header.extend_from_slice(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 3), }");
    header.resize(127, b' ');
    header.push(b'\n');
    assert_eq!(file[..128], header);
    assert_eq!(file[128..], written(|out| raw::write_positions(&triangle(), out)));
}

#[test]
fn pc2_is_a_header_of_32_bytes_and_the_floats() {
    let timeline = pc2::Pc2Times { start_frame: 1.0, frames_per_sample: 0.5 };
    let file = written(|out| pc2::write(&triangle(), timeline, out));
    let header = [
        80, 79, 73, 78, 84, 67, 65, 67, 72, 69, 50, 0, // POINTCACHE2
        1, 0, 0, 0, // version
        3, 0, 0, 0, // points
        0, 0, 128, 63, // start frame
        0, 0, 0, 63, // frames a sample
        2, 0, 0, 0, // samples
    ];
    assert_eq!(file[..32], header);
    assert_eq!(file[32..], written(|out| raw::write_positions(&triangle(), out)));
}

#[test]
fn obj_counts_from_one_and_flips_texture_coordinates() {
    let mut bake = triangle();
    let version = env!("CARGO_PKG_VERSION");
    let text = String::from_utf8(written(|out| obj::write(&bake, 1, out))).unwrap();
    let wanted = "v 0 0 1\nv 1 0 0\nv 0.1 -2.5 0.0000001\ng left_arm.4.0\nf 1 2 3\n";
    assert_eq!(text, format!("# sinew {version}, 0.1 s\n{wanted}"));
    bake.uvs = vec![Vec2::new(0.25, 0.25); 3];
    bake.normals = vec![Vec3::Z; 6];
    let text = String::from_utf8(written(|out| obj::write(&bake, 0, out))).unwrap();
    assert!(text.contains("\nvt 0.25 0.75\n") && text.contains("\nvn 0 0 1\n"), "{text}");
    assert!(text.ends_with("f 1/1/1 2/2/2 3/3/3\n"), "{text}");
}

#[test]
fn writers_refuse_a_bake_whose_lengths_do_not_match() {
    let breaks: [fn(&mut Bake); 5] = [
        |b| b.vertex_count = 4,
        |b| b.normals = vec![Vec3::X; 5],
        |b| b.uvs = vec![Vec2::ZERO; 2],
        |b| b.nodes.push(5),
        |b| b.triangles[0][2] = 3,
    ];
    for (index, make_bad) in breaks.iter().enumerate() {
        let mut bake = triangle();
        make_bad(&mut bake);
        assert_eq!(
            npy::write(&bake, &mut Vec::new()).unwrap_err().kind(),
            io::ErrorKind::InvalidInput,
            "break {index}"
        );
    }
    assert!(obj::write(&triangle(), 2, &mut Vec::new()).is_err());
}

/// One triangle on each of three joints. The last joint is in no scene; the clip mirrors the first along x.
fn three_triangles() -> Character {
    let joint = |name: &str| Joint { name: name.into(), parent: None, rest: Transform::IDENTITY };
    let skeleton = Arc::new(Skeleton::new(["a", "b", "c"].map(joint)).unwrap());
    let mesh = Mesh::new(MeshParts {
        name: "triangle".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        indices: vec![0, 1, 2],
        primitives: vec![Primitive {
            vertices: 0..3,
            indices: 0..3,
            topology: Topology::Triangles,
            material: None,
        }],
        ..MeshParts::default()
    });
    let scales = vec![Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0)];
    let mirror = sinew::Channel::Scale {
        joint: JointId(0),
        curve: Curve::new(vec![0.0, 1.0], scales, Interpolation::Step).unwrap(),
    };
    let instance = |joint| MeshInstance { joint: JointId(joint), mesh: 0, skin: None, morph_weights: vec![] };
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh.unwrap())],
        instances: vec![instance(0), instance(2), instance(1)],
        scenes: vec![CharacterScene { name: String::new(), roots: vec![JointId(0), JointId(1)] }],
        clips: vec![Arc::new(Clip::new("mirror", vec![mirror], vec![]).unwrap())],
        ..CharacterParts::new("three", skeleton)
    })
    .unwrap()
}

#[test]
fn a_bake_holds_visible_instances_in_the_order_of_the_files_nodes() {
    let character = three_triangles();
    let motion = BakeMotion::Clip(&character.clips()[0]);
    let take = BakeTake::new(motion, &[0.0, 1.0], Method::Linear).with_normals(true);
    let mut told = Vec::new();
    let bake = Bake::record(&character, &[7, 3, 5], &take, &mut |done| told.push(done)).unwrap();
    assert_eq!(told, [1, 2]);
    let parts: Vec<_> = bake.parts.iter().map(|p| (p.node, p.name.as_str(), p.first)).collect();
    assert_eq!(parts, [(3, "b", 0), (7, "a", 3)]);
    assert_eq!(bake.nodes, [3, 7]);
    assert_eq!(bake.clip, Some(BakedClip { name: "mirror".into(), index: Some(0), duration_secs: 1.0 }));
    assert_eq!(bake.positions_at(0)[4], Vec3::X);
    assert_eq!(bake.positions_at(1)[4], -Vec3::X);
    assert_eq!(bake.normals_at(1)[4], Vec3::Z);
    assert_eq!(bake.node_matrices[3], Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    assert_eq!(bake.triangles, [[0, 1, 2], [3, 4, 5]]);
    let late = Bake::record(&character, &[], &BakeTake { times_secs: &[1.0], ..take }, &mut |_| {}).unwrap();
    assert_eq!(late.triangles, [[0, 2, 1], [3, 4, 5]], "a mirrored triangle turns over");
    assert_eq!(late.nodes, [0, 1], "without a list joints are their own nodes");
}

/// The number of triangles whose winding agrees with their normals, and of those whose winding does not.
fn facing(character: &Character) -> (usize, usize) {
    let mut counts = (0, 0);
    for mesh in character.meshes() {
        for [a, b, c] in mesh.triangles().map(|t| t.map(|v| v as usize)) {
            let p = mesh.positions();
            let normal = mesh.normals()[a] + mesh.normals()[b] + mesh.normals()[c];
            let same = (p[b] - p[a]).cross(p[c] - p[a]).dot(normal) >= 0.0;
            if same { counts.0 += 1 } else { counts.1 += 1 }
        }
    }
    counts
}

#[test]
fn a_static_character_has_the_deformed_vertices_and_no_skeleton() {
    let arm = sinew_samples::arm();
    let mut frame = Frame::new(&arm);
    *frame.local_mut() = sinew_samples::arm_pose(1.0);
    frame.deform(Method::Linear).unwrap();
    let still = static_character(&arm, &frame).unwrap();
    assert!(still.skins().is_empty() && still.clips().is_empty());
    assert_eq!(still.materials(), arm.materials());
    assert_eq!(still.meshes()[0].positions(), frame.deformed()[0].positions);
    assert_eq!(still.meshes()[0].indices(), arm.meshes()[0].indices());
    assert!(still.meshes()[0].weights().is_none());
    let mut still_frame = Frame::new(&still);
    still_frame.deform(Method::Linear).unwrap();
    assert_eq!(still_frame.deformed()[0].positions, frame.deformed()[0].positions);
}

#[test]
fn a_static_character_of_a_mirrored_skin_keeps_its_winding() {
    let arm = sinew_samples::arm();
    let as_made = facing(&arm);
    let mut frame = Frame::new(&arm);
    // The root of the skin is mirrored, so every joint of the skin is.
    let root = arm.skeleton().roots().next().unwrap();
    frame.local_mut().joints[root.index()].scale = Vec3::new(1.0, -1.0, 1.0);
    frame.local_mut().joints[root.index()].rotation = Quat::from_rotation_y(0.3);
    frame.update();
    assert!(frame.palettes()[0].mirrored_count() > 0);
    frame.deform(Method::Linear).unwrap();
    let still = static_character(&arm, &frame).unwrap();
    assert_ne!(still.meshes()[0].indices(), arm.meshes()[0].indices());
    assert_eq!(facing(&still), as_made);
}
