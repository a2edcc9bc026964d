//! Materials with textures in every place that is read.

use super::document::{Up, tube};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use sinew::{Character, Texture};
use sinew_formats::{FindingCode, Import, read_bytes, to_glb};

/// The bytes of the image called `name`, as far as the reader looks at them.
fn picture(name: &str) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n", name.as_bytes()].concat()
}

/// The tube with a physical material of 3ds Max and embedded images, each connected to properties of the material.
fn physical(images: &[(&str, &[&str])]) -> Import {
    let (mut objects, mut links) = (String::new(), String::new());
    for (number, (name, properties)) in images.iter().enumerate() {
        let (video, texture) = (700 + 2 * number, 701 + 2 * number);
        let content = BASE64_STANDARD.encode(picture(name));
        objects += &format!(
            "Video: {video}, \"Video::{name}\", \"Clip\" {{\nType: \"Clip\"\nFilename: \"C:\\{name}.png\"\n\
             RelativeFilename: \"{name}.png\"\nContent: ,\n\"{content}\"\n}}\n\
             Texture: {texture}, \"Texture::{name}\", \"\" {{\nType: \"TextureVideoClip\"\nMedia: \"Video::{name}\"\n\
             FileName: \"C:\\{name}.png\"\nRelativeFilename: \"{name}.png\"\n}}\n"
        );
        links += &format!("C: \"OO\",{video},{texture}\n");
        for property in *properties {
            links += &format!("C: \"OP\",{texture},300, \"3dsMax|main|{property}\"\n");
        }
    }
    let class = "P: \"3dsMax|ClassIDa\", \"int\", \"Integer\", \"\",-804315648\n\
                 P: \"3dsMax|ClassIDb\", \"int\", \"Integer\", \"\",-1099438848\n\
                 P: \"3dsMax|main|roughness\", \"Float\", \"\", \"A\",0.25\n\
                 P: \"3dsMax|main|metalness\", \"Float\", \"\", \"A\",0.75\n";
    let text = tube(Up::Y)
        .replacen("ShadingModel: \"lambert\"", "ShadingModel: \"unknown\"", 1)
        .replacen("P: \"DiffuseColor\"", &format!("{class}P: \"DiffuseColor\""), 1)
        .replacen("Model: 200", &format!("{objects}Model: 200"), 1)
        .replacen("C: \"OO\",200,0\n", &format!("C: \"OO\",200,0\n{links}"), 1);
    read_bytes(text.as_bytes(), "tube").unwrap_or_else(|e| panic!("{e}"))
}

fn assert_shows(character: &Character, texture: Option<Texture>, name: &str) {
    let image = &character.images()[usize::from(texture.unwrap_or_else(|| panic!("no {name}")).image)];
    assert_eq!(&*image.bytes, picture(name));
    assert_eq!(image.mime_type, "image/png");
}

#[test]
fn textures_of_color_normals_emission_occlusion_and_metal_with_roughness_are_read_and_written() {
    let import = physical(&[
        ("color", &["base_color"]),
        ("bumps", &["norm"]),
        ("glow", &["emit_color"]),
        ("shade", &["ao"]),
        ("metal", &["roughness", "metalness"]),
    ]);
    let left_out: Vec<_> = import.report.of(FindingCode::AttributeIgnored).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
    let written = read_bytes(&to_glb(&import.character).unwrap(), "tube").unwrap().character;
    for character in [&import.character, &written] {
        let material = &character.materials()[0];
        assert_shows(character, material.base_color_texture, "color");
        assert_shows(character, material.normal_texture.map(|(texture, _)| texture), "bumps");
        assert_shows(character, material.emissive_texture, "glow");
        assert_shows(character, material.occlusion_texture.map(|(texture, _)| texture), "shade");
        assert_shows(character, material.metallic_roughness_texture, "metal");
        // The image has the values: its factors are one.
        assert_eq!([material.metallic, material.roughness], [1.0, 1.0]);
        assert_eq!(material.emissive, sinew::glam::Vec3::ONE);
        assert_eq!(character.images().len(), 5);
    }
}

#[test]
fn metal_and_roughness_in_two_images_keep_their_numbers_and_are_reported() {
    let import = physical(&[("metal", &["metalness"]), ("rough", &["roughness"])]);
    let material = &import.character.materials()[0];
    assert_eq!(material.metallic_roughness_texture, None);
    assert_eq!([material.metallic, material.roughness], [0.75, 0.25]);
    let left_out: Vec<_> = import.report.of(FindingCode::AttributeIgnored).collect();
    assert!(left_out.len() == 1 && left_out[0].message.starts_with("2 textures"), "{left_out:?}");
}
