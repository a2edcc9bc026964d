//! Takes against ufbx's own evaluation of the scene, at frames and between them.

use super::document::{Up, tube};
use sinew::glam::Vec3;
use sinew::{Aabb, Frame, Method, Wrap};
use sinew_formats::{
    FindingCode, Import, Limits, Outcome, ReadError, ReadOptions, WriteOptions,
    fbx::{FbxOptions, read_fbx},
    read_bytes, read_bytes_with, to_glb_with,
};
use std::time::{Duration, Instant};

/// FBX's unit of time.
pub(super) const TICKS: f64 = 46_186_158_000.0;

pub(super) fn list(values: &[String]) -> String {
    format!("*{} {{\na: {}\n}}", values.len(), values.join(","))
}

/// A curve: times in seconds with values, the flags of all keys, and extrapolation of `Post` or `Pre`.
pub(super) fn curve(id: u32, keys: &[(f64, f64)], flags: u32, extrapolation: &str) -> String {
    let times: Vec<String> = keys.iter().map(|k| format!("{:.0}", k.0 * TICKS)).collect();
    let values: Vec<String> = keys.iter().map(|k| k.1.to_string()).collect();
    format!(
        "AnimationCurve: {id}, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4008\nKeyTime: {}\nKeyValueFloat: {}\n\
         KeyAttrFlags: *1 {{\na: {flags}\n}}\nKeyAttrDataFloat: *4 {{\na: 0,0,0,0\n}}\nKeyAttrRefCount: *1 {{\na: {}\n}}\n{extrapolation}}}\n",
        list(&times),
        list(&values),
        keys.len()
    )
}

pub(super) const CONSTANT: u32 = 2;
pub(super) const LINEAR: u32 = 4;
pub(super) const CUBIC_AUTO: u32 = 8 | 256;

fn extrapolated(side: &str, kind: char, count: i32) -> String {
    format!("{side}-Extrapolation: {{\nType: \"{kind}\"\nRepetition: {count}\n}}\n")
}

/// The tube with other keys of its bend, and a take from `range.0` to `range.1` seconds.
pub(super) fn bent(curve_text: &str, range: (f64, f64)) -> String {
    let text = tube(Up::Y);
    let start = text.find("AnimationCurve: 511").unwrap();
    let end = start + text[start..].find("AnimationCurveNode: 520").unwrap();
    let text = format!("{}{curve_text}{}", &text[..start], &text[end..]);
    let ticks = |secs: f64| format!("{:.0}", secs * TICKS);
    let stop = "P: \"LocalStop\", \"KTime\", \"Time\", \"\",46186158000\n";
    let start = format!("P: \"LocalStart\", \"KTime\", \"Time\", \"\",{}\n", ticks(range.0));
    text.replace(stop, &format!("{start}{}", stop.replace("46186158000", &ticks(range.1))))
}

/// The largest distance from what ufbx evaluates, relative to the diagonal, at all frames and at four times between each.
fn worst(text: &str, import: &Import) -> f32 {
    let axes = ufbx::CoordinateAxes {
        right: ufbx::CoordinateAxis::PositiveX,
        up: ufbx::CoordinateAxis::PositiveY,
        front: ufbx::CoordinateAxis::PositiveZ,
    };
    let space_conversion = ufbx::SpaceConversion::ModifyGeometry;
    let options =
        ufbx::LoadOpts { target_axes: axes, target_unit_meters: 1.0, space_conversion, ..Default::default() };
    let scene = ufbx::load_memory(text.as_bytes(), options).unwrap();
    let stack = &scene.anim_stacks[0];
    let clip = &import.character.clips()[0];
    assert!((f64::from(clip.duration_secs()) - (stack.time_end - stack.time_begin)).abs() < 1e-5);
    assert!(clip.channels().iter().all(|c| c.times_secs()[0] >= 0.0));
    let mut frame = Frame::new(&import.character);
    let (mut off, mut all) = (0.0_f32, Vec::new());
    let steps = ((stack.time_end - stack.time_begin) * 120.0) as usize;
    for step in 0..=steps {
        let time = step as f64 / 120.0;
        let opts = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
        let at = ufbx::evaluate_scene(&scene, &stack.anim, stack.time_begin + time, opts).unwrap();
        let point = |v: &ufbx::Vec3| Vec3::new(v.x as f32, v.y as f32, v.z as f32);
        let want: Vec<Vec3> = at.meshes[0].skinned_position.values.iter().map(point).collect();
        frame.sample(clip, time as f32, Wrap::Clamp);
        frame.deform(Method::Linear).unwrap();
        for got in &frame.deformed()[0].positions {
            off = off.max(want.iter().map(|w| w.distance(*got)).fold(f32::INFINITY, f32::min));
        }
        all.extend(want);
    }
    off / Aabb::of_points(&all).diagonal()
}

pub(super) fn check(what: &str, text: &str) -> Import {
    let import = read_bytes(text.as_bytes(), "tube").unwrap_or_else(|e| panic!("{what}: {e}"));
    let off = worst(text, &import);
    println!("{what}: off by {off:.2e}");
    assert!(off < 1e-5, "{what}: off by {off:.2e}");
    import
}

#[test]
fn takes_that_begin_anywhere_follow_their_curves_between_frames_too() {
    let keys = [(-2.0, 0.0), (0.5, 40.0), (1.25, -30.0), (4.0, 90.0)];
    for range in [(0.0, 1.0), (1.0, 2.0), (-1.0, 0.5), (-3.0, 5.0)] {
        for flags in [LINEAR, CUBIC_AUTO] {
            let import = check(&format!("{range:?} {flags}"), &bent(&curve(511, &keys, flags, ""), range));
            assert_eq!(import.report.of(FindingCode::CurveRefined).next().is_some(), flags == CUBIC_AUTO);
        }
    }
}

#[test]
fn curves_go_on_outside_their_keys_as_they_say() {
    let keys = [(0.25, 0.0), (0.5, 40.0), (1.0, 15.0)];
    for kind in ['C', 'R', 'M', 'K', 'A'] {
        for count in [-1, 0, 2] {
            let sides = extrapolated("Pre", kind, count) + &extrapolated("Post", kind, count);
            let text = bent(&curve(511, &keys, CUBIC_AUTO, &sides), (-2.0, 3.1));
            check(&format!("{kind} {count}"), &text);
        }
    }
}

#[test]
fn layers_are_mixed_by_their_weights() {
    let keys = [(0.0, 0.0), (1.0, 90.0)];
    let added = [(0.0, 10.0), (0.4, -50.0), (1.0, 20.0)];
    for mode in [0, 1, 2] {
        let text = bent(&curve(511, &keys, CUBIC_AUTO, ""), (0.0, 1.0));
        let layer = format!(
            "AnimationLayer: 601, \"AnimLayer::more\", \"\" {{\nProperties70:  {{\nP: \"Weight\", \"Number\", \"\", \"A\",40\n\
             P: \"BlendMode\", \"enum\", \"\", \"\",{mode}\n}}\n}}\n\
             AnimationCurveNode: 610, \"AnimCurveNode::R\", \"\" {{\nProperties70:  {{\nP: \"d|X\", \"Number\", \"\", \"A\",0\n\
             P: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n}}\n}}\n{}AnimationLayer: 501",
            curve(611, &added, CUBIC_AUTO, "")
        );
        let text = text.replace("AnimationLayer: 501", &layer);
        let links = "C: \"OO\",501,500\nC: \"OO\",601,500\nC: \"OO\",610,601\nC: \"OP\",610,202, \"Lcl Rotation\"\n\
                     C: \"OP\",611,610, \"d|X\"\n";
        check(&format!("mode {mode}"), &text.replace("C: \"OO\",501,500\n", links));
    }
}

#[test]
fn steps_stay_steps_and_one_at_the_very_end_is_left_out() {
    let keys = [(1.0, 0.0), (1.5, 40.0), (1.75, 10.0), (2.0, 90.0)];
    let text = bent(&curve(511, &keys, CONSTANT, ""), (1.0, 2.0));
    let import = read_bytes(text.as_bytes(), "tube").unwrap();
    let notes: Vec<_> = import.report.of(FindingCode::EndJumpIgnored).collect();
    assert_eq!(notes.len(), 1);
    let (_, report) = to_glb_with(&import.character, &WriteOptions::default()).unwrap();
    let dropped: Vec<&str> = report.of(Outcome::Dropped).map(|entry| entry.code.as_str()).collect();
    assert_eq!(dropped, ["end-jump-ignored"], "nothing is dropped without an entry");
    let turns = import.character.clips()[0].channels().iter().find(|c| c.property() == "rotation").unwrap();
    assert_eq!(turns.times_secs(), [0.0, 0.5, 0.5, 0.75, 0.75, 1.0]);
}

#[test]
fn a_forced_rate_has_keys_at_its_frames_alone() {
    let text = bent(&curve(511, &[(1.0, 0.0), (1.3, 50.0), (2.0, 90.0)], CUBIC_AUTO, ""), (1.0, 2.0));
    let options = ReadOptions::default().with_fbx(FbxOptions::default().with_frames_per_sec(Some(10.0)));
    let import = read_fbx(text.as_bytes(), "tube", &options).unwrap();
    let turns = import.character.clips()[0].channels().iter().find(|c| c.property() == "rotation").unwrap();
    let frames: Vec<f32> = (0..=10_u8).map(|k| (f64::from(k) / 10.0) as f32).collect();
    assert!(turns.times_secs().iter().all(|t| frames.iter().any(|f| (t - f).abs() < 1e-6)));
    assert!(turns.key_count() > 5);
}

#[test]
fn a_take_equal_to_rest_is_a_clip_without_channels() {
    let text = bent(&curve(511, &[(0.0, 0.0), (1.0, 0.0)], LINEAR, ""), (0.5, 3.0));
    let text = text.replace("C: \"OP\",521,520, \"d|DeformPercent\"\n", "");
    let import = read_bytes(text.as_bytes(), "tube").unwrap();
    let clip = &import.character.clips()[0];
    assert!((clip.duration_secs() - 2.5).abs() < 1e-6);
    assert!(clip.channels().iter().all(|c| c.property() == "weights"), "{clip:?}");
}

#[test]
fn keys_that_are_not_finite_are_refused_with_their_curve() {
    for value in ["nan", "inf", "-inf", "1e39", "-1e300"] {
        let text = bent(&curve(511, &[(0.0, 0.0), (1.0, 9.0)], LINEAR, ""), (0.0, 1.0));
        let text = text.replace("0,9\n", &format!("0,{value}\n"));
        let error = read_bytes(text.as_bytes(), "tube").unwrap_err().to_string();
        // A finite value may have a tangent that is not.
        let has_place = error.contains("Lcl Rotation") && error.contains("key ");
        assert!(has_place && error.contains("finite"), "{value}: {error}");
    }
}

#[test]
fn keys_at_the_ends_of_time_and_endless_cycles_are_read_or_refused_in_bounded_work() {
    let far = i64::MAX as f64 / TICKS * 0.99;
    let cycles = |count| extrapolated("Post", 'R', count) + &extrapolated("Pre", 'M', count);
    for (keys, flags, extrapolation, range) in [
        ([(-far, 0.0), (far, 9.0)], CUBIC_AUTO, String::new(), (-far, far)),
        ([(0.0, 0.0), (1e-8, 9.0)], LINEAR, cycles(-1), (-far, far)),
        ([(0.0, 0.0), (1e-10, 9.0)], CONSTANT, cycles(i32::MAX), (0.0, far)),
        ([(0.0, 0.0), (0.01, 9.0)], CUBIC_AUTO, cycles(-1), (0.0, 1e5)),
    ] {
        let text = bent(&curve(511, &keys, flags, &extrapolation), range);
        match read_bytes(text.as_bytes(), "tube") {
            Ok(import) => assert_eq!(import.character.clips().len(), 1),
            Err(error) => assert!(error.is_limit(), "{error}"),
        }
    }
}

#[test]
fn evaluation_stops_at_the_deadline() {
    let keys: Vec<(f64, f64)> = (0..8000).map(|k| (f64::from(k) * 0.05, f64::from(k % 7) * 30.0)).collect();
    let text = bent(&curve(511, &keys, CUBIC_AUTO, ""), (0.0, 400.0));
    // A million keys are added between frames, which takes more than half a second.
    let deadline = Instant::now() + Duration::from_millis(20);
    let limits = Limits::default().with_max_memory(usize::MAX >> 12).with_deadline(deadline);
    let error =
        read_bytes_with(text.as_bytes(), "tube", &ReadOptions::default().with_limits(limits)).unwrap_err();
    assert!(matches!(error, ReadError::TimedOut { .. }), "{error}");
}

#[test]
fn in_between_shapes_are_targets_with_keys_where_the_weight_passes_them() {
    let text = bent(&curve(511, &[(0.0, 0.0), (1.0, 30.0)], LINEAR, ""), (0.0, 1.0));
    let middle = text[text.find("Geometry: 101").unwrap()..text.find("Model: 200").unwrap()]
        .replace("Geometry: 101", "Geometry: 102")
        .replace("Geometry::bulge", "Geometry::middle")
        .replace("a: -10,0,0", "a: 0,0,7");
    let text = text.replace("Model: 200", &format!("{middle}Model: 200"));
    let text = text.replace("FullWeights: *1 {\na: 100\n}", "FullWeights: *2 {\na: 30,100\n}");
    let text = text.replace("C: \"OO\",101,411\n", "C: \"OO\",102,411\nC: \"OO\",101,411\n");
    let import = check("in-between", &text);
    let character = &import.character;
    let names: Vec<&str> = character.meshes()[0].morphs().targets().iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["bulge.middle", "bulge"]);
    let weights = character.clips()[0].channels().iter().find(|c| c.property() == "weights").unwrap();
    assert_eq!(weights.key_count(), 3, "{weights:?}");
    assert!((weights.times_secs()[1] - 0.3).abs() < 1e-6);
}

#[test]
fn skinning_by_dual_quaternions_is_recommended_and_survives_gltf() {
    let text = tube(Up::Y)
        .replace("Link_DeformAcuracy: 50", "Link_DeformAcuracy: 50\nSkinningType: \"DualQuaternion\"");
    let import = read_bytes(text.as_bytes(), "tube").unwrap();
    assert_eq!(import.character.recommended_method(), Some(Method::DualQuat));
    let again = read_bytes(&sinew_formats::to_glb(&import.character).unwrap(), "tube").unwrap();
    assert_eq!(again.character.recommended_method(), Some(Method::DualQuat));
    assert!(again.character.extras().is_empty());
    assert_eq!(read_bytes(tube(Up::Y).as_bytes(), "tube").unwrap().character.recommended_method(), None);
}

/// The tube with a texture called `skin.png`, embedded if it has bytes.
fn textured(embedded: Option<&str>) -> String {
    let content = embedded.map(|c| format!("Content: ,\n\"{c}\"\n")).unwrap_or_default();
    let objects = format!(
        "Video: 700, \"Video::skin\", \"Clip\" {{\nType: \"Clip\"\nFilename: \"C:\\work\\skin.png\"\n\
         RelativeFilename: \"maps\\skin.png\"\n{content}}}\n\
         Texture: 701, \"Texture::skin\", \"\" {{\nType: \"TextureVideoClip\"\nMedia: \"Video::skin\"\n\
         FileName: \"C:\\work\\skin.png\"\nRelativeFilename: \"maps\\skin.png\"\nProperties70:  {{\n\
         P: \"WrapModeU\", \"enum\", \"\", \"\",1\n}}\n}}\nModel: 200"
    );
    let links = "C: \"OO\",200,0\nC: \"OO\",700,701\nC: \"OP\",701,300, \"DiffuseColor\"\n";
    tube(Up::Y).replacen("Model: 200", &objects, 1).replacen("C: \"OO\",200,0\n", links, 1)
}

#[test]
fn textures_are_read_from_the_file_or_from_next_to_it_and_missing_ones_are_reported() {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";
    let embedded = read_bytes(textured(Some("iVBORw0KGgpyZXN0")).as_bytes(), "tube").unwrap();
    let material = &embedded.character.materials()[0];
    let texture = material.base_color_texture.unwrap();
    assert_eq!(texture.wrap, [sinew::TextureWrap::ClampToEdge, sinew::TextureWrap::Repeat]);
    assert_eq!(&*embedded.character.images()[0].bytes, PNG);
    assert_eq!(material.base_color, sinew::glam::Vec4::ONE, "the texture replaces the color");
    let missing = read_bytes(textured(None).as_bytes(), "tube").unwrap();
    assert_eq!(missing.character.materials()[0].base_color_texture, None);
    let found: Vec<_> = missing.report.of(FindingCode::ImageMissing).collect();
    assert!(found.len() == 1 && found[0].message.contains("skin.png"), "{found:?}");
    for place in ["maps/skin.png", "skin.png"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("maps")).unwrap();
        std::fs::write(folder.path().join(place), PNG).unwrap();
        std::fs::write(folder.path().join("tube.fbx"), textured(None)).unwrap();
        let import = sinew_formats::read_file(folder.path().join("tube.fbx")).unwrap();
        assert_eq!(&*import.character.images()[0].bytes, PNG, "{place}");
        assert_eq!(import.character.images()[0].mime_type, "image/png");
    }
}
