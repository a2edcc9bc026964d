//! FBX: a generated file against closed forms, and malformed files.

#[expect(unreachable_pub, reason = "the fuzz targets include this file")]
mod document;
mod kinds;
mod looks;
mod takes;

use crate::hostile::{exercise::exercise, random::HostileRandom};
use document::{RINGS, Up, tube};
use sinew::glam::{Mat3A, Quat, Vec3, Vec4};
use sinew::{Frame, Method, ModelPose, ScaleInheritance, Wrap, sample_clip};
use sinew_formats::{
    FindingCode, Import, Outcome, ReadError, ReadOptions, WriteOptions, fbx::read_fbx, read_bytes, to_glb,
    to_glb_with,
};

/// The same tube, read from glTF and written by Blender 5.0.
const BY_BLENDER: &[u8] = include_bytes!("../fbx/tube_blender.fbx");

fn import(up: Up) -> Import {
    read_bytes(tube(up).as_bytes(), "tube").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_test_file_of_the_studio_page_is_this_tube() {
    assert_eq!(tube(Up::Y), include_str!("../fbx/tube.fbx"));
}

/// The tube with a scaled lower bone, whose child inherits scale as FBX's `InheritType` says.
fn scaled_tube(inherit_type: u8) -> Import {
    let text = tube(Up::Y);
    let insert = |text: String, model: &str, line: &str| {
        let start = text.find(model).unwrap();
        let place = start + text[start..].find("Properties70:  {\n").unwrap() + "Properties70:  {\n".len();
        format!("{}{line}\n{}", &text[..place], &text[place..])
    };
    let text = insert(text, "Model::lower", r#"P: "Lcl Scaling", "Lcl Scaling", "", "A",2,3,1"#);
    let text = insert(text, "Model::upper", &format!(r#"P: "InheritType", "enum", "", "",{inherit_type}"#));
    read_bytes(text.as_bytes(), "tube").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_node_that_ignores_its_parents_scale_is_a_compensated_joint() {
    let character = scaled_tube(2).character;
    let skeleton = character.skeleton();
    let upper = skeleton.find("upper").unwrap();
    assert_eq!(skeleton.scale_inheritance(upper), ScaleInheritance::Compensated);
    assert_eq!(skeleton.len(), 3, "no helper nodes");
    let mut pose = character.rest_pose();
    sample_clip(&character.clips()[0], 0.5, Wrap::Clamp, &mut pose);
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &pose);
    let placed = model.joint(upper);
    assert!(Vec3::from(placed.translation).distance(Vec3::Y * 3.0) < 1e-5, "the scale moves it");
    let turned = Mat3A::from_rotation_z(45_f32.to_radians());
    assert!(placed.matrix3.abs_diff_eq(turned, 1e-5), "and does not scale it: {placed:?}");
}

#[test]
fn scale_by_component_keeps_its_helper_nodes() {
    let skeleton = scaled_tube(0).character.skeleton().clone();
    assert_eq!(skeleton.compensated().count(), 0);
    assert!(skeleton.len() > 3, "helper nodes");
    let plain = scaled_tube(1).character.skeleton().clone();
    assert_eq!((plain.compensated().count(), plain.len()), (0, 3));
}

/// The position of a corner of the tube at a time, in meters, in closed form: the blend shape, then linear blend skinning.
fn closed_form(rest: Vec3, time_secs: f32) -> Vec3 {
    let bulges = (rest - Vec3::new(-0.2, 1.0, -0.2)).length() < 1e-5;
    let shaped = rest + if bulges { Vec3::X * -0.1 * time_secs } else { Vec3::ZERO };
    let elbow = Vec3::Y;
    let turned = elbow + Quat::from_rotation_z(90_f32.to_radians() * time_secs) * (shaped - elbow);
    let weight = (rest.y * 0.5).clamp(0.0, 1.0);
    shaped.lerp(turned, weight)
}

#[test]
fn the_tube_deforms_as_the_closed_form_with_y_or_z_up() {
    for up in [Up::Y, Up::Z] {
        let import = import(up);
        assert_eq!(import.report.findings(), [], "{up:?}");
        let character = &import.character;
        let clip = character.find_clip("bend").unwrap();
        assert!((clip.duration_secs() - 1.0).abs() < 1e-6);
        let mut frame = Frame::new(character);
        frame.deform(Method::Linear).unwrap();
        let rest = frame.deformed()[0].positions.clone();
        assert!(rest.len() >= 12 && rest.len() <= 32, "{} vertices", rest.len());
        let is_corner = |p: &Vec3| {
            let height = RINGS.iter().any(|&y| (p.y - y as f32 * 0.01).abs() < 1e-6);
            height && (p.x.abs() - 0.2).abs() < 1e-6 && (p.z.abs() - 0.2).abs() < 1e-6
        };
        assert!(rest.iter().all(is_corner), "{rest:?}");
        let mut worst = 0.0_f32;
        for time in [0.0, 0.25, 0.3123, 0.5, 1.0] {
            frame.sample(clip, time, Wrap::Clamp);
            frame.deform(Method::Linear).unwrap();
            for (got, &rest) in frame.deformed()[0].positions.iter().zip(&rest) {
                worst = worst.max(got.distance(closed_form(rest, time)));
            }
        }
        println!("{up:?} up: furthest off by {worst:.2e} m");
        assert!(worst < 2e-6, "{up:?}: off by {worst}");
    }
}

#[test]
fn a_binary_file_of_blender_deforms_as_the_closed_form() {
    let import = read_bytes(BY_BLENDER, "tube").unwrap_or_else(|e| panic!("{e}"));
    let character = &import.character;
    let clip = &character.clips()[0];
    assert!((clip.duration_secs() - 1.0).abs() < 1e-6);
    let mut frame = Frame::new(character);
    let mut at = |time: f32| {
        frame.sample(clip, time, Wrap::Clamp);
        frame.deform(Method::Linear).unwrap();
        frame.deformed()[0].positions.clone()
    };
    let straight = at(0.0);
    assert!(straight.len() >= 12 && straight.len() <= 32, "{} vertices", straight.len());
    // Blender has a key every thirtieth of a second.
    for key in [0_u8, 1, 7, 15, 30] {
        let time = f32::from(key) / 30.0;
        let bent = at(time);
        let off = bent.iter().zip(&straight).map(|(got, &rest)| got.distance(closed_form(rest, time)));
        let worst = off.fold(0.0_f32, f32::max);
        assert!(worst < 2e-6, "at {time}: off by {worst}");
    }
}

#[test]
fn every_element_of_the_file_is_in_the_character() {
    let character = import(Up::Y).character;
    let skeleton = character.skeleton();
    let names: Vec<&str> = skeleton.joints().map(|j| skeleton.name(j)).collect();
    assert_eq!(names, ["tube", "lower", "upper"]);
    assert_eq!(skeleton.parent(skeleton.find("upper").unwrap()), skeleton.find("lower"));
    assert_eq!(skeleton.rest(skeleton.find("upper").unwrap()).translation, Vec3::Y);
    let mesh = &character.meshes()[0];
    assert_eq!(mesh.triangles().count(), 16);
    assert_eq!(mesh.morphs().targets()[0].name, "bulge");
    assert_eq!(character.skins()[0].joints().len(), 2);
    assert_eq!(character.materials()[0].name, "clay");
    let off = character.materials()[0].base_color - Vec4::new(0.8, 0.4, 0.2, 1.0);
    assert!(off.length() < 1e-6, "{off}");
    let faces_out = |t: [u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions()[v as usize]);
        let middle = (a + b + c) / 3.0;
        (b - a).cross(c - a).dot(middle * Vec3::new(1.0, 0.0, 1.0)) > 0.0
    };
    assert!(mesh.triangles().all(faces_out));
    assert!(to_glb(&character).is_ok());
}

#[test]
fn points_without_a_cluster_stay_with_the_mesh() {
    // The upper cluster loses its weights on the topmost ring.
    let file = tube(Up::Y).replace("a: 4,5,6,7,8,9,10,11", "a: 4,5,6,7,4,5,6,7");
    let import = read_bytes(file.as_bytes(), "loose").unwrap();
    let character = &import.character;
    assert_eq!(character.skins()[0].joints().len(), 3);
    let mut frame = Frame::new(character);
    frame.sample(&character.clips()[0], 1.0, Wrap::Clamp);
    frame.deform(Method::Linear).unwrap();
    let rest = character.meshes()[0].positions();
    for (got, rest) in frame.deformed()[0].positions.iter().zip(rest).filter(|(_, r)| r.y > 1.5) {
        assert!(got.distance(*rest) < 1e-6, "{rest} went to {got}");
    }
    assert!(import.report.of(FindingCode::WeightsMissing).next().is_none());
}

#[test]
fn malformed_files_and_files_beyond_the_limit_are_refused() {
    let error = read_fbx(b"; FBX and nothing else", "x", &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Invalid { .. }), "{error}");
    let file = tube(Up::Y);
    let small = ReadOptions::default().with_max_unpacked_bytes(10_000);
    let error = read_fbx(file.as_bytes(), "x", &small).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 10_000, .. }), "{error}");
}

fn try_bytes(bytes: &[u8]) -> bool {
    read_fbx(bytes, "mutant", &ReadOptions::default()).map(|import| exercise(&import)).is_ok()
}

#[test]
fn every_truncation_is_refused_or_valid() {
    let file = tube(Up::Y);
    let lengths = (0..file.len()).step_by(7);
    let read = lengths.clone().filter(|&length| try_bytes(&file.as_bytes()[..length])).count();
    // ufbx reads a text that ends between two objects.
    println!("{read} of {} truncations were read", lengths.len());
    assert!(read < lengths.len() / 4);
    let whole = (0..BY_BLENDER.len()).step_by(97).filter(|&length| try_bytes(&BY_BLENDER[..length])).count();
    println!("{whole} truncations of a binary file were read");
}

#[test]
fn no_flipped_bits_of_a_binary_file_cause_a_panic() {
    let mut read = 0;
    for number in 0..1_000 {
        let mut random = HostileRandom::new(number);
        let mut mutant = BY_BLENDER.to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(mutant.len());
            mutant[at] ^= 1 << random.below(8);
        }
        read += usize::from(try_bytes(&mutant));
    }
    println!("{read} of 1000 mutants were read");
    assert!(read > 100, "only {read} mutants were read: the test reaches little");
}

#[test]
fn no_mutant_causes_a_panic() {
    let file = tube(Up::Z);
    let numbers: [&[u8]; 8] = [b"-1", b"1e39", b"nan", b"99999999999", b"0", b"{", b"}", b"\""];
    let mut read = 0;
    for number in 0..3_000 {
        let mut random = HostileRandom::new(number);
        let mut mutant = file.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(mutant.len());
            match random.below(4) {
                0 => mutant[at] ^= 1 << random.below(8),
                1 => drop(mutant.splice(at..=at, numbers[random.below(numbers.len())].iter().copied())),
                2 => drop(mutant.drain(at..(at + random.below(30)).min(mutant.len()))),
                _ => {
                    let piece = mutant[at..(at + random.below(200)).min(mutant.len())].to_vec();
                    let to = random.below(mutant.len());
                    drop(mutant.splice(to..to, piece));
                }
            }
        }
        read += usize::from(try_bytes(&mutant));
    }
    println!("{read} of 3000 mutants were read");
    assert!(read > 300, "only {read} mutants were read: the test reaches little");
}

#[test]
fn elements_that_are_not_part_of_a_character_are_reported() {
    let constraint = "Constraint: 9001, \"Constraint::look\", \"Aim\" {\nType: \"Aim\"\n}\n";
    let text = tube(Up::Y);
    assert!(
        read_bytes(text.as_bytes(), "tube").unwrap().report.of(FindingCode::ElementIgnored).next().is_none()
    );
    let text = text.replacen("Geometry: 100,", &format!("{constraint}Geometry: 100,"), 1);
    let import = read_bytes(text.as_bytes(), "tube").unwrap();
    let found: Vec<&str> =
        import.report.of(FindingCode::ElementIgnored).map(|f| f.message.as_str()).collect();
    assert_eq!(found, ["1 constraints were ignored"]);
    let (_, report) = to_glb_with(&import.character, &WriteOptions::default()).unwrap();
    let dropped: Vec<&str> = report.of(Outcome::Dropped).map(|entry| entry.code.as_str()).collect();
    assert_eq!(dropped, ["element-ignored"], "a new file lacks it too");
}
