//! What is read, written and read again is the same character.

mod samples;

use sinew::{Channel, Character, CharacterParts, Clip, Frame, JointId, Method, Scene};
use sinew_formats::{read_bytes, read_file, to_glb, write_file};
use std::sync::Arc;

/// `character` as it must come back: without what glTF cannot say.
fn expected(character: &Character) -> Character {
    let mut parts = character.parts().clone();
    if parts.scenes.is_empty() {
        parts.scenes = vec![Scene { name: String::new(), roots: parts.skeleton.roots().collect() }];
    }
    drop_empty_images(&mut parts);
    order_instances(character, &mut parts);
    Character::new(parts).unwrap()
}

/// Pictures that could not be found when the file was read are not written.
fn drop_empty_images(parts: &mut CharacterParts) {
    let missing = |image: u16| parts.images[usize::from(image)].bytes.is_empty();
    if !parts.images.iter().any(|i| i.bytes.is_empty()) {
        return;
    }
    assert!(parts.images.iter().all(|i| i.bytes.is_empty()), "only whole sets of missing pictures are handled");
    for material in &mut parts.materials {
        material.base_color_texture = material.base_color_texture.filter(|t| !missing(t.image));
        assert_eq!(material.textures().count(), 0, "only base colours of missing pictures are handled");
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

/// Names the first part that differs, so that a failure can be read.
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

/// Writes `character` as a GLB and as a pair of files, and checks that both come back as `want`.
fn check_both_ways(name: &str, character: &Character, want: &Character) {
    let glb = to_glb(character).unwrap_or_else(|e| panic!("{name}: {e}"));
    let back = read_bytes(&glb, character.name()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(back.report.repair_count(), 0, "{name}: {:?}", back.report);
    assert_same(name, &back.character, want);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{}.gltf", character.name()));
    write_file(&path, character).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_same(name, &read_file(&path).unwrap_or_else(|e| panic!("{e}")).character, want);
}

/// True where a skin's joints stand in several trees, which glTF forbids and files do.
fn lacks_a_common_root(character: &Character) -> bool {
    let skeleton = character.skeleton();
    let top = |joint: &JointId| skeleton.ancestors(*joint).last();
    character.skins().iter().any(|skin| skin.joints().iter().any(|j| top(j) != top(&skin.joints()[0])))
}

fn deformed_at_rest(character: &Character) -> Frame {
    let mut frame = Frame::new(character);
    frame.deform(character, Method::Linear).unwrap();
    frame
}

#[test]
fn every_corpus_file_comes_back_as_it_was_read() {
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
        let second = read_bytes(&to_glb(&first).unwrap(), first.name()).unwrap().character;
        assert_eq!(second.skeleton().len(), first.skeleton().len() + 1);
        assert!(!lacks_a_common_root(&second));
        assert_eq!(deformed_at_rest(&second).deformed(), deformed_at_rest(&first).deformed());
        check_both_ways(first.name(), &second, &second);
    }
}

#[test]
fn every_built_in_character_comes_back_as_it_was_made() {
    for character in samples::built_ins() {
        check_both_ways(character.name(), &character, &expected(&character));
    }
}
