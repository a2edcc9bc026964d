//! A character that is read, written and read again stays the same.

use crate::samples;
use sinew::glam::{Vec2, Vec4};
use sinew::{
    Channel, Character, CharacterParts, CharacterScene, Clip, ExtrasOwner, Frame, JointId, Method, Wrap,
    sample_clip,
};
use sinew_formats::{FindingCode, ImportReport, read_bytes, read_file, to_glb, write_file};
use std::sync::Arc;

/// The expected result of a round trip: `character` without what glTF cannot represent.
fn expected(character: &Character) -> Character {
    let mut parts = character.parts().clone();
    if parts.scenes.is_empty() {
        parts.scenes = vec![CharacterScene { name: String::new(), roots: parts.skeleton.roots().collect() }];
    }
    drop_empty_images(&mut parts);
    order_instances(character, &mut parts);
    Character::new(parts).unwrap()
}

/// Images that were missing when the file was read are not written.
fn drop_empty_images(parts: &mut CharacterParts) {
    let missing = |image: u16| parts.images[usize::from(image)].bytes.is_empty();
    if !parts.images.iter().any(|i| i.bytes.is_empty()) {
        return;
    }
    assert!(
        parts.images.iter().all(|i| i.bytes.is_empty()),
        "only whole sets of missing pictures are handled"
    );
    for material in &mut parts.materials {
        material.base_color_texture = material.base_color_texture.filter(|t| !missing(t.image));
        assert_eq!(material.textures().count(), 0, "only base colors of missing images are handled");
    }
    parts.images.clear();
}

/// A reader lists instances in node order, which after writing is joint order.
fn order_instances(character: &Character, parts: &mut CharacterParts) {
    let mut order: Vec<usize> = (0..parts.instances.len()).collect();
    order.sort_by_key(|&i| parts.instances[i].joint);
    let mut new_first_slot = vec![0; order.len()];
    let mut next = 0;
    for &old in &order {
        new_first_slot[old] = next;
        next += character.morph_slots(old).len();
    }
    parts.instances = order.iter().map(|&i| parts.instances[i].clone()).collect();
    let moved = |channel: &Channel| match channel {
        Channel::Morphs { first_slot, curve } => {
            let old = (0..order.len()).find(|&i| character.morph_slots(i).contains(first_slot)).unwrap();
            Channel::Morphs { first_slot: new_first_slot[old], curve: curve.clone() }
        }
        other => other.clone(),
    };
    let clip = |clip: &Arc<Clip>| {
        let channels = clip.channels().iter().map(moved).collect();
        Arc::new(Clip::new(clip.name(), channels, clip.events().to_vec()).unwrap())
    };
    parts.clips = parts.clips.iter().map(clip).collect();
}

/// Names the first part that differs, for a readable failure.
fn assert_same(name: &str, got: &Character, want: &Character) {
    let (got, want) = (got.parts(), want.parts());
    assert_eq!(got.skeleton, want.skeleton, "{name}: skeleton");
    assert_eq!(got.scenes, want.scenes, "{name}: scenes");
    assert_eq!(got.default_scene, want.default_scene, "{name}: default scene");
    assert_eq!(got.skins, want.skins, "{name}: skins");
    assert_eq!(got.instances, want.instances, "{name}: instances");
    assert_eq!(got.materials, want.materials, "{name}: materials");
    assert_eq!(got.extras, want.extras, "{name}: extras");
    assert!(got.images == want.images, "{name}: images");
    assert_eq!(got.meshes.len(), want.meshes.len(), "{name}: meshes");
    for (got, want) in got.meshes.iter().zip(&want.meshes) {
        let mesh = want.name();
        assert_eq!(got.primitives(), want.primitives(), "{name}: primitives of {mesh}");
        assert!(got.morphs() == want.morphs(), "{name}: morph targets of {mesh}");
        assert!(got.weights() == want.weights(), "{name}: weights of {mesh}");
        assert!(got == want, "{name}: streams of {mesh}");
    }
    assert_eq!(got.clips.len(), want.clips.len(), "{name}: clips");
    for (got, want) in got.clips.iter().zip(&want.clips) {
        assert!(got == want, "{name}: clip {}", want.name());
    }
    assert!(got == want, "{name}");
}

/// Checks that a written file needs no repair, except for streams that only some primitives have and that are filled.
fn assert_no_repairs(name: &str, report: &ImportReport) {
    let repairs = report.findings().iter().filter(|f| f.code.is_repair());
    let repairs: Vec<_> = repairs.filter(|f| f.code != FindingCode::AttributeFilled).collect();
    assert!(repairs.is_empty(), "{name}: {repairs:?}");
}

/// Writes `character` as a new GLB and as a new pair of files, and checks that both read back as `want`.
fn check_both_ways(name: &str, character: &Character, want: &Character) {
    let character = &character.clone().without_source();
    let glb = to_glb(character).unwrap_or_else(|e| panic!("{name}: {e}"));
    let back = read_bytes(&glb, character.name()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_no_repairs(name, &back.report);
    assert_same(name, &back.character, want);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{}.gltf", character.name()));
    write_file(&path, character).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_same(name, &read_file(&path).unwrap_or_else(|e| panic!("{e}")).character, want);
}

/// True when a skin's joints are in several trees, which glTF forbids but files have.
fn lacks_a_common_root(character: &Character) -> bool {
    let skeleton = character.skeleton();
    let top = |joint: &JointId| skeleton.ancestors(*joint).last();
    character.skins().iter().any(|skin| skin.joints().iter().any(|j| top(j) != top(&skin.joints()[0])))
}

fn deformed_at_rest(character: &Character) -> Frame {
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear).unwrap();
    frame
}

#[test]
fn every_corpus_file_survives_a_round_trip() {
    for path in samples::corpus_files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let first = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        if !lacks_a_common_root(&first) {
            check_both_ways(&name, &first, &expected(&first));
        }
    }
}

#[test]
fn a_skin_without_a_common_root_gets_one_and_moves_as_before() {
    let all = samples::corpus_files();
    let read = all.iter().map(|path| read_file(path).unwrap_or_else(|e| panic!("{e}")).character);
    let without: Vec<Character> = read.filter(lacks_a_common_root).collect();
    assert!(all.is_empty() || !without.is_empty(), "the corpus has no such file any more");
    for first in without {
        let first = first.without_source();
        let second = read_bytes(&to_glb(&first).unwrap(), first.name()).unwrap().character;
        assert_eq!(second.skeleton().len(), first.skeleton().len() + 1);
        assert!(!lacks_a_common_root(&second));
        assert_eq!(deformed_at_rest(&second).deformed(), deformed_at_rest(&first).deformed());
        check_both_ways(first.name(), &second, &second);
    }
}

#[test]
fn every_built_in_character_survives_a_round_trip() {
    for character in samples::built_ins() {
        check_both_ways(character.name(), &character, &expected(&character));
    }
}

#[test]
fn an_odd_character_survives_as_far_as_gltf_can_hold_it() {
    let odd = samples::odd();
    let back = read_bytes(&to_glb(&odd).unwrap(), "odd").unwrap();
    assert_no_repairs("odd", &back.report);
    let back = back.character;
    check_both_ways("odd, the second time", &back, &back);

    let (joints, first, second) = (odd.skeleton().len(), &back.instances()[0], &back.instances()[1]);
    assert_eq!(back.skeleton().len(), joints + 1, "a second instance on a joint has a node of its own");
    assert_eq!(back.skeleton().parent(second.joint), Some(first.joint));
    assert_eq!((first.skin, second.skin), (Some(0), None));
    assert_eq!(second.morph_weights, [0.25, 0.75]);
    assert_eq!(back.instances().len(), 2, "what draws nothing is left out");

    let (mesh, was) = (&back.meshes()[0], &odd.meshes()[0]);
    assert_eq!(mesh.primitives().len(), 4);
    assert_eq!(mesh.positions()[..20], was.positions()[..20]);
    assert_eq!(mesh.positions()[20..], was.positions()[22..]);
    assert_eq!(mesh.morphs().rest_weights(), [0.5, 0.0]);
    assert_eq!(mesh.morphs().targets(), was.morphs().targets());
    assert_eq!(mesh.tangents()[..20], was.tangents()[..20]);
    assert!(mesh.normals().iter().all(|n| (n.length() - 1.0).abs() < 1e-6));
    assert_eq!(mesh.colors()[0], Vec4::new(0.5, 1.0, 0.0, 1.0));
    assert_eq!(mesh.uv_sets(), [vec![Vec2::ZERO; 22], vec![Vec2::new(0.5, -3.0); 22]]);
    let same_weights = |v: usize| mesh.weights().unwrap().of(v) == was.weights().unwrap().of(v);
    assert!((0..20).all(same_weights));

    assert_eq!((back.scenes(), back.default_scene()), (odd.scenes(), 1));
    assert_eq!(back.skins(), odd.skins());
    assert_eq!(back.images()[0].mime_type, "image/png", "the bytes say so, whatever the name says");
    assert_eq!(back.materials()[0].metallic_roughness_texture, None, "its picture has no bytes");
    let looks = |c: &Character| (c.materials()[0].normal_texture, c.materials()[0].occlusion_texture);
    assert_eq!(looks(&back).0.map(|t| (t.0.nearest, t.1)), looks(&odd).0.map(|t| (t.0.nearest, t.1)));
    assert_eq!(looks(&back).1.map(|t| (t.0.wrap, t.1)), looks(&odd).1.map(|t| (t.0.wrap, t.1)));

    let mut extras = odd.extras().clone();
    let image = extras.remove(&ExtrasOwner::Image(1)).unwrap();
    extras.insert(ExtrasOwner::Image(0), image);
    assert_eq!(back.extras(), &extras);
}

#[test]
fn an_odd_clip_samples_alike_after_a_round_trip() {
    let odd = samples::odd();
    let back = read_bytes(&to_glb(&odd).unwrap(), "odd").unwrap().character;
    let names = |c: &Character| c.clips().iter().map(|c| c.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&back), names(&odd));
    for (got, want) in back.clips().iter().zip(odd.clips()) {
        assert_eq!(got.events(), want.events());
        for step in 0..=20 {
            let time_secs = step as f32 * 0.05;
            let (mut pose, mut expected) = (back.rest_pose(), odd.rest_pose());
            sample_clip(got, time_secs, Wrap::Clamp, &mut pose);
            sample_clip(want, time_secs, Wrap::Clamp, &mut expected);
            assert_eq!(pose.joints[..expected.joints.len()], expected.joints, "at {time_secs} s");
            // The instance with nothing to draw had no morph targets, so the slots are the same.
            assert_eq!(pose.morphs, expected.morphs, "at {time_secs} s");
        }
    }
}
