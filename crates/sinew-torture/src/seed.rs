//! Small valid inputs of every format, made by code.

mod compressed;
#[cfg(feature = "fbx")]
mod fbx;
mod humanoid;
#[cfg(feature = "studio")]
mod studio;

pub use compressed::{FILTERS, MODES, draco_streams, meshopt_streams};
#[cfg(feature = "fbx")]
pub use fbx::fbx;
pub use humanoid::{humanoid, vrm, vrma};
#[cfg(feature = "studio")]
pub use studio::{journals, page_messages};

use crate::{HostileDocument, document::glb as glb_of, mutate::json::halves};
use serde_json::Value;
use sinew::{Character, CharacterGraph, Influence, MarkerCapture, UpAxis, Weights, glam::Vec3};
use sinew_author::{
    compress::CompressOptions, cook::cook_clips, markers::MarkerAttachments, retarget::JointMap,
    uninterrupted, weights,
};
use sinew_formats::{
    bvh::{Bvh, BvhExport},
    clip_text,
    cooked::{CookedOptions, to_cooked},
    graph, markers, pose_text, read_bytes, to_glb,
};

/// GLB files: one of everything, a humanoid, and a mesh compressed by Draco.
#[must_use]
pub fn glb() -> Vec<Vec<u8>> {
    let draco = draco_streams().first().map(|stream| draco_document(stream));
    [HostileDocument::everything().glb(), written(&humanoid())].into_iter().chain(draco).collect()
}

/// A GLB whose only mesh is the Draco stream `bytes`.
#[must_use]
pub fn draco_document(bytes: &[u8]) -> Vec<u8> {
    let mut document = HostileDocument::empty();
    let view = document.view(bytes);
    document.json["meshes"] = serde_json::json!([{ "primitives": [{ "extensions": { "KHR_draco_mesh_compression": {
        "bufferView": view, "attributes": { "POSITION": 0 }
    } } }] }]);
    document.json["nodes"] = serde_json::json!([{ "mesh": 0 }]);
    document.glb()
}

/// Documents with embedded buffers.
#[must_use]
pub fn gltf() -> Vec<Vec<u8>> {
    vec![HostileDocument::everything().gltf()]
}

/// Documents that name their buffer `data.bin` and their image `skin.png`: JSON, a zero byte, the buffer.
#[must_use]
pub fn gltf_with_files() -> Vec<Vec<u8>> {
    [HostileDocument::everything().glb(), written(&humanoid())].iter().map(|glb| with_files(glb)).collect()
}

fn with_files(glb: &[u8]) -> Vec<u8> {
    let (json, bin) = halves(glb).expect("a written GLB has its chunks");
    let mut json: Value = serde_json::from_slice(json).expect("a written GLB has a document");
    json["buffers"][0]["uri"] = "data.bin".into();
    for image in json.get_mut("images").and_then(Value::as_array_mut).into_iter().flatten() {
        *image = serde_json::json!({ "uri": "skin.png" });
    }
    [json.to_string().as_bytes(), &[0], bin].concat()
}

/// A GLB as JSON, a zero byte, and its buffer.
#[must_use]
pub fn glb_halves() -> Vec<Vec<u8>> {
    let halves_of = |glb: &Vec<u8>| halves(glb).map(|(json, bin)| [json, &[0], bin].concat());
    glb().iter().filter_map(halves_of).collect()
}

fn written(character: &Character) -> Vec<u8> {
    to_glb(character).expect("a small character can be written")
}

/// The same GLB with another document.
fn with_json(glb: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (json, bin) = halves(glb).expect("a written GLB has its chunks");
    let mut json: Value = serde_json::from_slice(json).expect("a written GLB has a document");
    change(&mut json);
    glb_of(json.to_string().as_bytes(), bin)
}

/// VRM files and animations.
#[must_use]
pub fn avatars() -> Vec<Vec<u8>> {
    [vrm(), vrma()].concat()
}

/// Cooked files: the humanoid with compressed clips and a graph, and one of everything that glTF has.
#[must_use]
pub fn cooked() -> Vec<Vec<u8>> {
    let humanoid = humanoid();
    let (cooked, _) = cook_clips(&humanoid, &CompressOptions::default(), &mut uninterrupted)
        .expect("the options are positive");
    let mut parts = cooked.into_parts();
    let text = r#"(nodes: {"move": Clip(clip: "move")}, output: "move")"#;
    let def = graph::parse(text).expect("the graph is well-formed");
    parts.graphs = vec![CharacterGraph { name: "move".into(), def }];
    let humanoid = Character::new(parts).expect("the graph changes nothing else");
    let everything = read_bytes(&HostileDocument::everything().glb(), "everything").expect("it is valid");
    let file = |character: &Character| to_cooked(character, &CookedOptions::default()).expect("it is finite");
    vec![file(&humanoid), file(&everything.character)]
}

/// Motions of the humanoid and of the arm.
#[must_use]
pub fn bvh() -> Vec<Vec<u8>> {
    let motion = |character: &Character| {
        let options = BvhExport::default().with_frames_per_sec(4.0);
        Bvh::from_clip(character, &character.clips()[0], &options).expect("the clip is short").to_text()
    };
    vec![motion(&humanoid()).into_bytes(), motion(&sinew_samples::arm()).into_bytes()]
}

/// Six markers, of which one is missing at times.
fn capture() -> MarkerCapture {
    let at = |frame: u8, marker: u8| {
        let place =
            Vec3::new(0.1 * f32::from(frame), 0.3 * f32::from(marker), -0.5 + 0.2 * f32::from(marker % 2));
        Some(place).filter(|_| marker != 1 || frame.is_multiple_of(2))
    };
    let labels = ["LKNE", "LANK", "RKNE", "RANK", "LWRA", "RWRA"].map(String::from);
    let positions = (0..6).flat_map(|frame| (0..6).map(move |marker| at(frame, marker))).collect();
    MarkerCapture::new(labels.to_vec(), 120.0, positions).expect("there is one position per label")
}

/// C3D files that name no axis or that have Z up.
#[must_use]
pub fn c3d() -> Vec<Vec<u8>> {
    let file = |up| markers::to_c3d(&capture(), up).expect("a small capture can be written");
    vec![file(None), file(Some(UpAxis::Z))]
}

/// TRC files, in columns of text.
#[must_use]
pub fn trc() -> Vec<Vec<u8>> {
    vec![markers::to_trc(&capture()).expect("a small capture can be written").into_bytes()]
}

/// PC2 and NumPy files of eight vertices in three frames.
#[must_use]
pub fn vertex_caches() -> Vec<Vec<u8>> {
    let floats: Vec<u8> = (0..3_u8 * 8 * 3).flat_map(|n| (f32::from(n) / 8.0).to_le_bytes()).collect();
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend([1_i32, 8].map(i32::to_le_bytes).concat());
    cache.extend([0.0_f32, 1.0].map(f32::to_le_bytes).concat());
    cache.extend(3_i32.to_le_bytes());
    let header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8, 3), }\n";
    let mut array = b"\x93NUMPY\x01\0".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header);
    vec![[cache, floats.clone()].concat(), [array, floats].concat()]
}

/// An OBJ file with polygons, texture seams and negative indices.
#[must_use]
pub fn objs() -> Vec<Vec<u8>> {
    let text = "# a prism\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 0 1 1\nv 0 1 1\nvt 0 0\nvt 1 0\nvt .5 1e0\n\
        vn 0 0 1\no prism\ns 1\nf 1/1/1 3/3/1 2/2/1\nf -3/1 -2/2 -1/3\nf 1//1 2//1 5//1 4//1\nf 2 3 6 5\nf 3 1 \\\n4 6\n";
    vec![text.as_bytes().to_vec()]
}

/// Blend graphs for the built-in figure.
#[must_use]
pub fn graphs() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../examples/figure.graph.ron").to_vec()]
}

/// Clips of the humanoid as text, in quaternions and in degrees.
#[must_use]
pub fn clip_texts() -> Vec<Vec<u8>> {
    let humanoid = humanoid();
    let text = |degrees| {
        let options = clip_text::ClipTextOptions::default().with_degrees(degrees);
        clip_text::to_text(humanoid.clips(), &humanoid, &options).into_bytes()
    };
    vec![text(false), text(true)]
}

/// Poses of the humanoid as text.
#[must_use]
pub fn pose_texts() -> Vec<Vec<u8>> {
    let humanoid = humanoid();
    let mut pose = humanoid.rest_pose();
    for (k, joint) in (0_u8..).zip(&mut pose.joints) {
        joint.rotation = sinew::glam::Quat::from_rotation_x(0.1 * f32::from(k));
    }
    vec![
        pose_text::to_text(&pose, &humanoid).into_bytes(),
        b"head:rx=10,ry=-5,rz=2.5, leftHand:tx=0.1,s=2 # a comment\n\"hips\":sx=1.5,sy=0.5".to_vec(),
    ]
}

/// Weights of the humanoid as text, without and with muscles.
#[must_use]
pub fn weights_texts() -> Vec<Vec<u8>> {
    let humanoid = humanoid();
    let (mesh, skin) = (&humanoid.meshes()[0], &humanoid.skins()[0]);
    let bound = mesh.weights().expect("the humanoid is skinned");
    let plain = weights::text::to_text(mesh.name(), bound, humanoid.skeleton(), skin);
    let muscle = Influence { slot: 4, weight: 0.5 };
    let muscles =
        Weights::clone(bound).with_muscle_weights(skin.joints().len(), vec![[muscle]; bound.vertex_count()]);
    let muscles = muscles.expect("the slot is there");
    let muscles = weights::text::to_text(mesh.name(), &muscles, humanoid.skeleton(), skin);
    vec![plain.into_bytes(), muscles.into_bytes()]
}

/// Joint maps from the humanoid to the built-in figure.
#[must_use]
pub fn joint_maps() -> Vec<Vec<u8>> {
    let (source, target) = (humanoid(), sinew_samples::figure());
    let map = JointMap::guess(&source, &target);
    vec![map.to_text(source.skeleton(), target.skeleton()).into_bytes()]
}

/// Places of markers on the humanoid.
#[must_use]
pub fn marker_texts() -> Vec<Vec<u8>> {
    let (humanoid, text) =
        (humanoid(), "LKNE leftLowerLeg 0 0.1 0\nRKNE rightLowerLeg\n\"R WRA\" rightHand 0 1 2 # wrist\n");
    let attachments = MarkerAttachments::parse(text, humanoid.skeleton()).expect("the joints are there");
    vec![text.into(), attachments.to_text(humanoid.skeleton()).into_bytes()]
}

/// Numbers that decide about edits of the document with one of everything.
#[must_use]
pub fn decisions() -> Vec<Vec<u8>> {
    // Any bytes will do, as long as there are enough for several changes.
    let bytes = |number: u32| (0..128_u32).map(|k| ((k.pow(3) * (2 * number + 1)) >> 5) as u8).collect();
    (0..8).map(bytes).collect()
}

/// How to compress, and decisions about edits.
#[must_use]
pub fn compressions() -> Vec<Vec<u8>> {
    (0_u8..).zip(decisions()).map(|(how, decisions)| [&[how][..], &decisions].concat()).collect()
}

#[cfg(test)]
mod tests {
    use crate::{
        random::Random,
        subject::{FORMATS, TARGETS, Verdict},
    };

    #[test]
    fn every_seed_is_valid_and_small() {
        for subject in FORMATS.iter().chain(TARGETS) {
            let seeds = (subject.seeds)();
            assert!(!seeds.is_empty(), "{} has no seeds", subject.name);
            let mut accepted = 0;
            for (number, seed) in seeds.iter().enumerate() {
                assert!(seed.len() <= 24_000, "seed {number} of {} has {} bytes", subject.name, seed.len());
                let verdict = (subject.run)(seed, &mut Random::of_case(0, 0));
                accepted += usize::from(verdict == Verdict::Accepted);
                // Decisions about edits may lead anywhere.
                let is_edited = ["gltf_structured", "round_trip", "compress"].contains(&subject.name);
                assert!(is_edited || accepted == number + 1, "seed {number} of {} is refused", subject.name);
            }
            assert!(accepted * 2 >= seeds.len(), "{accepted} of {} seeds of {}", seeds.len(), subject.name);
        }
    }
}
