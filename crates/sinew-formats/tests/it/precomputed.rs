//! Precomputed data of a mesh survives glTF, or is refused.

use serde_json::{Value, json};
use sinew::{
    BlendMap, CentersOfRotation, Character, ContactBone, ContactData, ContactParts, ContactVertex,
    DeltaMushData, DirectMushData, DirectMushParts, Frame, Influence, Mesh, Method, MushDetail, MushParts,
    Precomputed, WeightSum, Weights,
    glam::{Vec2, Vec3},
};
use sinew_formats::{read_bytes, to_glb, to_gltf};
use std::sync::Arc;

/// Valid data of every kind, with different numbers.
fn precomputed(mesh: &Mesh, detail: MushDetail) -> Precomputed {
    let vertices = mesh.vertex_count();
    let points = mesh.points();
    let number = |i: usize| (i as f32 * 0.37).sin();
    let vector = |i: usize| Vec3::new(number(i), number(i + 1), number(i + 2));
    let count = points.len() as u32;
    let mush = MushParts {
        iterations: 3,
        step: 0.3,
        point_of_vertex: points.of_vertex().to_vec(),
        vertex_of_point: points.first_vertex().to_vec(),
        first: (0..=count).map(|p| 2 * p).collect(),
        neighbors: (0..count).flat_map(|p| [(p + 1) % count, (p + 2) % count]).collect(),
        edge_weights: (0..2 * points.len()).map(|i| Vec2::new(number(i), number(i + 5))).collect(),
        rest_tangents: (0..points.len()).map(|i| [vector(i), vector(i + 7)]).collect(),
        rest: points.first_vertex().iter().map(|&v| mesh.positions()[v as usize]).collect(),
        smoothed: (0..points.len()).map(|i| vector(i + 3)).collect(),
    };
    let direct = DirectMushParts {
        detail,
        pivots: (0..vertices).map(vector).collect(),
        first: (0..=vertices as u32).collect(),
        slots: (0..vertices).map(|v| (v % 2) as u16).collect(),
        numbers: (0..vertices * detail.numbers()).map(number).collect(),
    };
    let bone = |slot: u16, before, after| ContactBone {
        head: vector(slot.into()),
        tail: vector(usize::from(slot) + 3),
        before,
        after,
        gates: [0.25, 1.0],
    };
    let contact = ContactParts {
        bones: vec![bone(0, ContactBone::NONE, 1), bone(1, 0, ContactBone::NONE)],
        vertices: (0..vertices as u16)
            .map(|v| ContactVertex { bone: v % 2, mask: v, radius: u16::MAX - v, beyond: [3 * v % 999, 7] })
            .collect(),
    };
    Precomputed {
        centers: Some(Arc::new(
            CentersOfRotation::new((0..vertices).map(|i| vector(i + 11)).collect()).unwrap(),
        )),
        mush: Some(Arc::new(DeltaMushData::new(mush).unwrap())),
        direct_mush: Some(Arc::new(DirectMushData::new(direct).unwrap())),
        blend_map: Some(Arc::new(BlendMap::new((0..vertices).map(|i| number(i).abs()).collect()).unwrap())),
        contact: Some(Arc::new(ContactData::new(contact).unwrap())),
    }
}

fn with_mesh(character: &Character, change: impl Fn(Mesh) -> Mesh) -> Character {
    let mut parts = character.parts().clone();
    parts.meshes = parts.meshes.iter().map(|m| Arc::new(change(Mesh::clone(m)))).collect();
    Character::new(parts).unwrap()
}

fn prepared(character: &Character, detail: MushDetail) -> Character {
    with_mesh(character, |mesh| {
        let data = precomputed(&mesh, detail);
        mesh.with_precomputed(data).unwrap()
    })
}

#[test]
fn data_for_every_method_survives_and_deforms_alike() {
    for (character, detail) in [sinew_samples::tube(), sinew_samples::arm(), sinew_samples::figure()]
        .into_iter()
        .zip(MushDetail::ALL)
    {
        let before = prepared(&character, detail);
        let import = read_bytes(&to_glb(&before).unwrap(), before.name()).unwrap();
        assert!(import.report.findings().is_empty(), "{:?}", import.report);
        for (a, b) in before.meshes().iter().zip(import.character.meshes()) {
            assert!(a.precomputed() == b.precomputed(), "{}", a.name());
            assert_eq!(b.precomputed().direct_mush.as_ref().unwrap().parts().detail, detail);
        }
        assert_eq!(
            before.extras(),
            import.character.extras(),
            "nothing of it is left in the application data"
        );
        let mut frames = [Frame::new(&before), Frame::new(&import.character)];
        for method in Method::ALL {
            frames[0].deform(method).unwrap();
            frames[1].deform(method).unwrap();
            assert_eq!(frames[0].deformed()[0], frames[1].deformed()[0], "{method}");
        }
        let again = to_glb(&import.character).unwrap();
        assert_eq!(again, to_glb(&before).unwrap(), "writing what was read changes nothing");
    }
}

#[test]
fn muscle_weights_survive() {
    let arm = with_mesh(&sinew_samples::arm(), |mesh| {
        let weights = Weights::clone(mesh.weights().unwrap());
        let muscle = |v: usize| {
            if v.is_multiple_of(3) {
                vec![Influence { slot: 1, weight: 1.5 - v as f32 * 0.01 }]
            } else {
                vec![]
            }
        };
        let free = weights.with_muscle_weights(2, (0..mesh.vertex_count()).map(muscle)).unwrap();
        let mut parts = mesh.into_parts();
        parts.weights = Some(Arc::new(free));
        Mesh::new(parts).unwrap()
    });
    let import = read_bytes(&to_glb(&arm).unwrap(), "arm").unwrap();
    let (before, after) =
        (arm.meshes()[0].weights().unwrap(), import.character.meshes()[0].weights().unwrap());
    assert_eq!(after.sum_kind(), WeightSum::Muscle);
    assert!(before == after);
}

#[test]
fn a_mesh_without_data_has_none_in_its_file() {
    let files = to_gltf(&sinew_samples::arm(), "arm.bin").unwrap();
    let text = String::from_utf8(files.json).unwrap();
    assert!(!text.contains("SINEW") && !text.contains("mush"), "{text}");
}

/// The prepared arm as .gltf with its buffer embedded, changed by `damage` and read again.
fn damaged(damage: impl FnOnce(&mut Value, &mut Vec<u8>)) -> Result<Character, String> {
    let mut arm = prepared(&sinew_samples::arm(), MushDetail::Full);
    arm = with_mesh(&arm, |mesh| {
        let free = |v: usize| (v == 0).then_some(Influence { slot: 0, weight: 0.5 });
        let weights = Weights::clone(mesh.weights().unwrap());
        let weights = weights.with_muscle_weights(2, (0..mesh.vertex_count()).map(free)).unwrap();
        let mut parts = mesh.into_parts();
        parts.weights = Some(Arc::new(weights));
        Mesh::new(parts).unwrap()
    });
    let files = to_gltf(&arm, "x").unwrap();
    let mut root: Value = serde_json::from_slice(&files.json).unwrap();
    let mut buffer = files.buffer;
    damage(&mut root, &mut buffer);
    let glb = {
        root["buffers"][0].as_object_mut().unwrap().remove("uri");
        let mut json = serde_json::to_vec(&root).unwrap();
        json.resize(json.len().next_multiple_of(4), b' ');
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        let mut out = b"glTF".to_vec();
        out.extend(2_u32.to_le_bytes());
        out.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
        out.extend((json.len() as u32).to_le_bytes());
        out.extend(b"JSON");
        out.extend(&json);
        out.extend((buffer.len() as u32).to_le_bytes());
        out.extend(b"BIN\0");
        out.extend(&buffer);
        out
    };
    read_bytes(&glb, "arm").map(|i| i.character).map_err(|e| e.to_string())
}

/// The offset of an accessor's bytes.
fn start(root: &Value, accessor: &Value) -> usize {
    let accessor = &root["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    (accessor["byteOffset"].as_u64().unwrap_or(0) + view["byteOffset"].as_u64().unwrap_or(0)) as usize
}

#[test]
fn the_undamaged_file_is_read() {
    assert!(damaged(|_, _| {}).is_ok());
}

#[test]
fn numbers_that_do_not_fit_are_errors_that_name_the_place() {
    const OWN: &str = "/meshes/0/extras/sinew";
    type Poke = (&'static str, [u8; 4], &'static str);
    let nan = f32::NAN.to_le_bytes();
    let pokes: [Poke; 9] = [
        ("/mush/neighbors", u32::MAX.to_le_bytes(), "mush"),
        ("/mush/pointOfVertex", u32::MAX.to_le_bytes(), "mush"),
        ("/mush/vertexOfPoint", u32::MAX.to_le_bytes(), "mush"),
        ("/mush/first", 7_u32.to_le_bytes(), "mush"),
        ("/mush/smoothed", nan, "mush"),
        ("/directMush/first", 9_u32.to_le_bytes(), "directMush"),
        ("/directMush/slots", [0xff; 4], "directMush"),
        ("/directMush/numbers", nan, "directMush"),
        ("/freeWeights/weights", nan, "freeWeights"),
    ];
    for (list, bytes, named) in pokes {
        let error = damaged(|root, buffer| {
            let at = start(root, root.pointer(&format!("{OWN}{list}")).unwrap());
            buffer[at..at + 4].copy_from_slice(&bytes);
        });
        let error = error.err().unwrap_or_else(|| panic!("{list} was taken"));
        assert!(error.contains(named), "{list}: {error}");
    }
    for (attribute, bytes) in [("_SINEW_CENTER", nan), ("_SINEW_BLEND", 1.5_f32.to_le_bytes())] {
        let error = damaged(|root, buffer| {
            let at = start(root, &root["meshes"][0]["primitives"][0]["attributes"][attribute]);
            buffer[at..at + 4].copy_from_slice(&bytes);
        });
        assert!(error.unwrap_err().contains(attribute));
    }
}

#[test]
fn descriptions_that_do_not_fit_are_errors() {
    let changes = [
        ("/mush/iterations", json!(4_000_000_000_u32)),
        ("/mush/iterations", json!(-1)),
        ("/mush/step", json!(2.0)),
        ("/mush/rest", json!(100_000)),
        ("/mush/rest", json!(0)),
        ("/mush/restTangents", json!(null)),
        ("/mush/first", json!("none")),
        ("/directMush/detail", json!("most")),
        ("/directMush/pivots", json!(null)),
        ("/directMush/numbers", json!(null)),
        ("/freeWeights/slots", json!(null)),
        ("/freeWeights/first", json!(null)),
    ];
    for (field, value) in changes {
        let result = damaged(|root, _| {
            *root.pointer_mut(&format!("/meshes/0/extras/sinew{field}")).unwrap() = value.clone();
        });
        assert!(result.is_err(), "{field} = {value} was taken");
    }
    let unknown = damaged(|root, _| root["meshes"][0]["extras"]["sinew"]["else"] = json!(1));
    assert!(unknown.unwrap_err().contains("else"));
    let no_object = damaged(|root, _| root["meshes"][0]["extras"]["sinew"] = json!([1]));
    assert!(no_object.is_err());
}
