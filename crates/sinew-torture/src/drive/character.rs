//! A character that was read.

use super::{motion, weights};
use crate::{
    exercise::{self, exercise},
    random::Random,
    target::{compress_and_read_back, reread},
};
use sinew::{Character, Frame, Method, NormalSource, Wrap};
use sinew_author::{
    PrepareOptions,
    check::{CheckOptions, check, fix},
    compare::MethodComparison,
    prepare_character, uninterrupted,
};
use sinew_formats::{
    Compression, Import,
    bake::BakeMotion,
    export::{ExportFormat, ExportSource, export},
    read_bytes,
};
use sinew_view::{
    camera::{CameraLens, Orbit},
    encode::encode_png,
    raster::{RenderError, RenderOptions, render},
    stage::{BoneLook, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
};

/// Uses the character as an application would, and runs a few of the slower stages on it.
pub(super) fn drive(import: &Import, random: &mut Random) {
    exercise(import);
    write_and_read_back(import);
    for _ in 0..2 {
        stage(import, random);
    }
}

fn stage(import: &Import, random: &mut Random) {
    let character = &import.character;
    match random.below(10) {
        0 => check_and_fix(import),
        1 => deform_by_all(character),
        2 => draw(character, random),
        3 => compare(character),
        4 => motion::retarget_both_ways(character),
        5 => motion::edit(character),
        6 => weights::auto(character, random),
        7 => weights::edit(character),
        8 => compress(character, random),
        _ => bake(import),
    }
}

/// Every format of characters. What is written must read.
fn write_and_read_back(import: &Import) {
    let character = &import.character;
    for format in ExportFormat::OF_CHARACTERS {
        let motion = BakeMotion::from_clip(character.clips().first().map(|clip| &**clip));
        let source = ExportSource {
            motion,
            node_of_joint: &import.node_of_joint,
            ..ExportSource::new(character, Method::Linear)
        };
        let Ok(files) = export(format, &source, &mut |_| {}) else { continue };
        if let Some(main) = files.first().filter(|_| files.len() == 1) {
            reread(read_bytes(&main.bytes, "again"));
        }
    }
}

/// The skin doctor, and the character that it leaves.
fn check_and_fix(import: &Import) {
    let options = CheckOptions::default();
    let findings = check(&import.character, import.report.findings(), &options);
    assert!(findings.iter().all(|finding| !finding.to_string().is_empty()));
    let fixed = fix(&import.character, &findings, &options).expect("a fix leaves a valid character");
    let mut frame = Frame::new(&fixed.character);
    exercise::deform(&mut frame, Method::Linear);
}

/// Every method, with what it needs computed first.
fn deform_by_all(character: &Character) {
    let options = PrepareOptions::for_methods(&Method::ALL);
    let Ok((prepared, _)) = prepare_character(character, &options, &mut uninterrupted) else { return };
    let mut frame = Frame::new(&prepared);
    for method in Method::ALL {
        if let Some(clip) = prepared.clips().first() {
            frame.sample(clip, 0.2, Wrap::Loop);
        }
        _ = frame.deform(method);
    }
}

fn draw(character: &Character, random: &mut Random) {
    let mut frame = Frame::new(character);
    if let Some(clip) = character.clips().first() {
        frame.sample(clip, 0.1, Wrap::Clamp);
    }
    if !exercise::deform(&mut frame, Method::Linear) {
        return;
    }
    let textures = StageTextures::decode(character, TextureLimits::default());
    let looks = [SkinLook::Material, SkinLook::Influences, SkinLook::JointColors, SkinLook::Normals];
    let options = StageOptions {
        skin: looks[random.below(looks.len())].clone(),
        bones: BoneLook::Plain,
        axes: random.one_in(2),
        bounds: random.one_in(2),
        bone_boxes: random.one_in(2),
        normals: random.one_in(2),
        ..StageOptions::default()
    };
    let stage = Stage::new(character, &textures, options);
    let camera = stage.camera(&frame, Orbit::THREE_QUARTER, CameraLens::default());
    let Ok(scene) = stage.scene(&frame, camera) else { return };
    match render(&scene, &RenderOptions::new(48, 48)) {
        Ok(picture) => assert!(encode_png(&picture).is_ok_and(|png| !png.is_empty())),
        Err(error) => assert_eq!(error, RenderError::TooManySurfaces),
    }
}

fn compress(character: &Character, random: &mut Random) {
    let bound = [None, Some(0.0), Some(1.0)][random.below(3)];
    compress_and_read_back(character, Compression::ALL[random.below(2)], bound);
}

fn compare(character: &Character) {
    let clip = character.clips().first().map(|clip| &**clip);
    let methods = [Method::Linear, Method::DualQuat];
    let normals = NormalSource::Surface;
    let compared = MethodComparison::new(character, clip, &[0.0, 0.3], &methods, normals, &mut uninterrupted);
    if let Ok(compared) = compared {
        _ = (compared.worst_frames(3), compared.hardest_time_secs());
    }
}

/// Every format of vertices, and the joints.
fn bake(import: &Import) {
    let character = &import.character;
    let motion = BakeMotion::from_clip(character.clips().first().map(|clip| &**clip));
    for format in ExportFormat::OF_VERTICES.into_iter().chain([ExportFormat::Joints]) {
        let times_secs: &[f32] = if format == ExportFormat::MeshGlb { &[0.1] } else { &[0.0, 0.1, 1e9] };
        let source = ExportSource {
            motion,
            times_secs,
            node_of_joint: &import.node_of_joint,
            ..ExportSource::new(character, Method::Linear)
        };
        _ = export(format, &source, &mut |_| {});
    }
}
