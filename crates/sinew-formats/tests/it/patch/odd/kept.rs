//! What an edit, compression and both together keep, kind by kind.

use super::{Document, EDITS, documents, read};
use serde_json::Value;
use sinew_formats::{Compression, WriteOptions, to_glb_with};

/// The odd document of this name as it was, and as it is after every edit by itself, after all edits together, and after
/// these with both kinds of compression.
fn written(name: &str) -> (Document, Vec<(String, Document)>) {
    let (_, document) = documents().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{name}"));
    let character = read(name, &document);
    let mut characters: Vec<_> =
        EDITS.iter().filter_map(|edit| Some((edit.name.to_owned(), (edit.apply)(&character)?))).collect();
    let all = EDITS.iter().fold(character.clone(), |all, edit| (edit.apply)(&all).unwrap_or(all));
    characters.extend([("no edit".to_owned(), character), ("all edits".to_owned(), all)]);
    let mut out = Vec::new();
    for (edit, character) in characters {
        let kinds = Compression::ALL.into_iter().map(Some).chain([None]);
        for compression in kinds {
            let options = WriteOptions::default().with_compression(compression);
            let (bytes, report) = to_glb_with(&character, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!report.has_losses(), "{name}, {edit}, {compression:?}: {report:?}");
            out.push((format!("{name}, {edit}, {compression:?}"), Document::parse(&bytes)));
        }
    }
    (Document::parse(&document.binary()), out)
}

/// Checks that the values at JSON pointers are the same in every written document.
fn assert_kept(name: &str, pointers: &[&str]) {
    let (before, written) = written(name);
    for (what, after) in written {
        for pointer in pointers {
            let was = before.json.pointer(pointer);
            assert!(was.is_some(), "{name} has no {pointer}");
            assert_eq!(after.json.pointer(pointer), was, "{what}: {pointer}");
        }
    }
}

#[test]
fn the_root_of_a_skin_stays_where_it_was() {
    // The edits remove no node before it.
    assert_kept("a skeleton beside its joints", &["/nodes/4/name"]);
    let (_, written) = written("a skeleton beside its joints");
    for (what, after) in written {
        let root = after.json["skins"][0]["skeleton"].as_u64().unwrap() as usize;
        assert_eq!(after.json["nodes"][root]["name"], "prop", "{what}");
    }
}

#[test]
fn names_and_data_of_samplers_and_textures_stay() {
    assert_kept("names and data of samplers and textures", &["/samplers", "/textures", "/images/0/name"]);
}

#[test]
fn several_scenes_stay_with_their_data_and_the_one_that_is_shown() {
    assert_kept("several scenes", &["/scenes", "/scene"]);
}

#[test]
fn morph_targets_keep_their_texture_coordinates_and_colors() {
    let (before, written) = written("morph targets of colors and coordinates");
    let target = |document: &Document, index: usize| -> Value {
        document.json["meshes"][0]["primitives"][0]["targets"][index].clone()
    };
    for (what, after) in written {
        for (index, names) in [(0, &["TEXCOORD_0", "COLOR_0"][..]), (1, &["TEXCOORD_0", "_WIND"])] {
            for name in names {
                let [was, is] = [&before, &after].map(|document| {
                    let accessor =
                        target(document, index)[name].as_u64().unwrap_or_else(|| panic!("{what}: {name}"));
                    (accessor, document.elements(accessor).unwrap())
                });
                assert_eq!(was.0, is.0, "{what}: {name} keeps its accessor");
                // Compressed streams are compared by the test that reads them back.
                assert!(was.1 == is.1 || what.contains("Meshopt"), "{what}: {name} of target {index}");
            }
        }
    }
}

#[test]
fn images_of_every_kind_keep_their_bytes_and_the_extension_that_names_them() {
    let name = "images of every extension";
    assert_kept(name, &["/textures", "/extensionsRequired/0", "/extensionsRequired/1"]);
    let (before, written) = written(name);
    let count = before.json["images"].as_array().unwrap().len();
    assert_eq!(count, 4);
    for (what, after) in written {
        for image in 0..count {
            let [was, is] = [&before, &after].map(|document| {
                let image = &document.json["images"][image];
                (image["mimeType"].clone(), document.view(image["bufferView"].as_u64().unwrap()))
            });
            assert!(was.1.is_some() && was == is, "{what}: image {image}");
        }
    }
}
