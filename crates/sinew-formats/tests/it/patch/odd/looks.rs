//! Materials, textures, samplers and images.

use super::{OddCase, OddDocument};
use crate::hostile::document::push;
use serde_json::json;

pub(super) const CASES: &[OddCase] = &[
    ("names and data of samplers and textures", named),
    ("textures without an image or a sampler", |it| {
        push(&mut it.json["textures"], json!({}));
        push(&mut it.json["textures"], json!({ "sampler": 0, "name": "bare" }));
        it.json["materials"][0]["occlusionTexture"] = json!({ "index": 1 });
    }),
    ("images of every extension", image_extensions),
    ("an image in the text", |it| {
        let uri = super::data_uri(b"\x89PNG\r\n\x1a\nin the text");
        it.json["images"][0] = json!({ "uri": uri, "name": "inline" });
    }),
    ("images without users", |it| {
        let view = it.view(b"\xFF\xD8\xFF\xE0spare");
        push(&mut it.json["images"], json!({ "bufferView": view, "mimeType": "image/jpeg" }));
        let view = it.view(b"neither a picture nor known");
        push(
            &mut it.json["images"],
            json!({ "bufferView": view, "mimeType": "image/x-acme", "name": "odd" }),
        );
    }),
    ("textures of one image", |it| {
        push(&mut it.json["textures"], json!({ "source": 0, "name": "second" }));
        it.json["materials"][0]["emissiveTexture"] = json!({ "index": 1, "texCoord": 0 });
    }),
    ("materials without users", |it| {
        push(&mut it.json["materials"], json!({}));
        push(
            &mut it.json["materials"],
            json!({ "name": "spare", "emissiveFactor": [1.50, 0, 0], "alphaMode": "BLEND" }),
        );
    }),
    ("extensions of looks", looks),
    ("a default material", |it| it.remove("/meshes/0/primitives/0/material")),
];

fn named(it: &mut OddDocument) {
    it.json["samplers"][0]["name"] = "smooth".into();
    it.json["samplers"][0]["minFilter"] = 9987.into();
    push(&mut it.json["samplers"], json!({ "name": "unused", "extras": { "a": 1 } }));
    it.json["textures"][0]["name"] = "skin".into();
    it.json["textures"][0]["extras"] = json!({ "srgb": true });
    it.json["images"][0]["name"] = "skin.png".into();
}

/// Textures whose images only extensions name.
fn image_extensions(it: &mut OddDocument) {
    let kinds: [(&str, &str, &[u8]); 3] = [
        ("EXT_texture_webp", "image/webp", b"RIFF\x10\0\0\0WEBPVP8 picture"),
        ("KHR_texture_basisu", "image/ktx2", b"\xABKTX 20\xBB\r\n\x1a\nbasis"),
        ("EXT_texture_avif", "image/avif", b"\0\0\0\x1cftypavif\0\0\0\0"),
    ];
    for (extension, media_type, bytes) in kinds {
        let view = it.view(bytes);
        let image = push(&mut it.json["images"], json!({ "bufferView": view, "mimeType": media_type }));
        let texture = json!({ "extensions": { extension: { "source": image } }, "name": extension });
        let texture = push(&mut it.json["textures"], texture);
        push(
            &mut it.json["materials"],
            json!({ "name": extension, "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } }),
        );
    }
    it.json["textures"][0]["extensions"] = json!({ "KHR_texture_basisu": { "source": 2 } });
    it.declare(&kinds.map(|kind| kind.0));
    it.json["extensionsRequired"] = json!(["KHR_texture_basisu", "EXT_texture_avif"]);
}

fn looks(it: &mut OddDocument) {
    let material = &mut it.json["materials"][0];
    material["extensions"] = json!({
        "KHR_materials_clearcoat": { "clearcoatFactor": 0.70, "clearcoatTexture": { "index": 0 } },
        "KHR_materials_emissive_strength": { "emissiveStrength": 5.0 }, "KHR_materials_unlit": {}
    });
    material["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
        json!({ "KHR_texture_transform": { "offset": [0.10, 0], "texCoord": 0 } });
    it.json["extensions"]["KHR_materials_variants"] = json!({ "variants": [{ "name": "day" }] });
    it.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_materials_variants": { "mappings": [{ "material": 0, "variants": [0] }] } });
    it.declare(&[
        "KHR_materials_clearcoat",
        "KHR_materials_emissive_strength",
        "KHR_materials_unlit",
        "KHR_texture_transform",
        "KHR_materials_variants",
    ]);
}
