//! BVH: against independent programs, round trips, and malformed files.

use crate::{corpus_folder::corpus, hostile::random::HostileRandom};
use serde_json::Value;
use sinew::glam::{DVec3, Vec3};
use sinew::{
    Channel, Character, Clip, ClipKind, Curve, Interpolation, JointId, ModelPose, Wrap, sample_clip,
};
use sinew_formats::bvh::{Bvh, BvhAxis, BvhExport, BvhJoint, BvhOptions, BvhPose, PositionChannels};
use sinew_formats::{read_bytes, read_file, write_file};
use std::{fs, path::Path};

/// The tolerance for every joint in every frame, relative to the extent of the motion.
const BAR: f64 = 1e-5;

const MODES: [(&str, PositionChannels); 2] =
    [("replace", PositionChannels::Replace), ("add", PositionChannels::Add)];

fn motions(corpus: &Path) -> Vec<(String, Bvh)> {
    let mut out: Vec<(String, Bvh)> = fs::read_dir(corpus.join("bvh"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "bvh"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let bvh = Bvh::parse(&fs::read(&path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
            (name, bvh)
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(out.len() >= 8, "only {} files", out.len());
    out
}

/// The world positions of every joint in every frame by an independent program, and their extent.
fn expected(corpus: &Path, name: &str, mode: &str) -> (Value, Vec<DVec3>, f64) {
    let stem = corpus.join(format!("expected/bvh_{name}.{mode}"));
    let beside = |ending: &str| fs::read(format!("{}.{ending}", stem.display())).unwrap();
    let bytes = beside("f32");
    let floats: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let positions: Vec<DVec3> = floats.as_chunks::<3>().0.iter().map(|&v| Vec3::from(v).as_dvec3()).collect();
    let low = positions.iter().copied().reduce(DVec3::min).unwrap();
    let high = positions.iter().copied().reduce(DVec3::max).unwrap();
    (serde_json::from_slice(&beside("json")).unwrap(), positions, low.distance(high))
}

fn furthest(got: impl Iterator<Item = DVec3>, want: &[DVec3]) -> f64 {
    got.zip(want).map(|(g, w)| g.distance(*w)).fold(0.0, f64::max)
}

/// The joint positions of a character's first clip at the time of a frame.
fn sampled(character: &Character, time_secs: f32) -> Vec<DVec3> {
    let mut local = character.rest_pose();
    sample_clip(&character.clips()[0], time_secs, Wrap::Clamp, &mut local);
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &local);
    model.joints().iter().map(|j| Vec3::from(j.translation).as_dvec3()).collect()
}

#[test]
fn every_joint_agrees_with_independent_programs_in_every_frame() {
    let Some(corpus) = corpus() else { return };
    let mut worst = Vec::new();
    for (name, bvh) in motions(&corpus) {
        for (mode, positions) in MODES {
            let (json, want, extent) = expected(&corpus, &name, mode);
            let names: Vec<&str> =
                json["joints"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
            assert_eq!(bvh.joints().iter().map(|j| &*j.name).collect::<Vec<_>>(), names, "{name}");
            assert_eq!(want.len(), bvh.frame_count() * names.len(), "{name}");
            assert!((bvh.frame_secs() - json["dt"].as_f64().unwrap()).abs() < 1e-12, "{name}");
            let character =
                bvh.to_character(&name, &BvhOptions::default().with_positions(positions)).unwrap();
            let mut pose = BvhPose::new(&bvh);
            let (mut direct, mut through_clip) = (0.0_f64, 0.0_f64);
            for (frame, want) in want.chunks(names.len()).enumerate() {
                pose.update(&bvh, frame, positions);
                direct = direct.max(furthest(pose.positions(), want) / extent);
                let time_secs = (frame as f64 * bvh.frame_secs()) as f32;
                let got = sampled(&character, time_secs);
                through_clip = through_clip.max(furthest(got.into_iter(), want) / extent);
            }
            worst.push((direct.max(through_clip), format!("{name}.{mode}"), direct, through_clip));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, name, direct, through_clip) in &worst {
        println!("{name}: off by {direct:.2e} of the extent, as a clip {through_clip:.2e}");
    }
    assert!(worst.len() >= 16 && worst[0].0 <= BAR, "{:?}", worst[0]);
}

#[test]
fn written_files_read_back_bit_identical() {
    let Some(corpus) = corpus() else { return };
    for (name, bvh) in motions(&corpus) {
        let again = Bvh::parse(bvh.to_text().as_bytes()).unwrap();
        assert_eq!(again, bvh, "{name}");
    }
}

/// The maximum distance of a joint between a motion and a clip, relative to the extent of the motion.
fn off_by(bvh: &Bvh, character: &Character) -> f64 {
    let mut pose = BvhPose::new(bvh);
    let (mut off, mut low, mut high) = (0.0_f64, DVec3::INFINITY, DVec3::NEG_INFINITY);
    for frame in 0..bvh.frame_count() {
        pose.update(bvh, frame, PositionChannels::Replace);
        let want = sampled(character, (frame as f64 * bvh.frame_secs()) as f32);
        let skeleton = character.skeleton();
        for (joint, got) in bvh.joints().iter().zip(pose.positions()) {
            let want = want[skeleton.find(&joint.name).unwrap().index()];
            (low, high, off) = (low.min(want), high.max(want), off.max(got.distance(want)));
        }
    }
    off / low.distance(high)
}

#[test]
fn a_clip_and_its_motion_agree_in_every_order_of_axes() {
    let figure = sinew_samples::figure();
    let [x, y, z] = BvhAxis::ALL;
    for clip in figure.clips() {
        let mut parts = figure.parts().clone();
        parts.clips = vec![clip.clone()];
        let one = Character::new(parts).unwrap();
        for order in [[x, y, z], [y, z, x], [z, x, y], [x, z, y], [z, y, x], [y, x, z]] {
            let bvh = Bvh::from_clip(&one, clip, &BvhExport::default().with_order(order)).unwrap();
            assert!(bvh.frame_count() > 10, "{}", clip.name());
            let off = off_by(&bvh, &one);
            assert!(off < 2e-6, "{} in {order:?}: off by {off:.2e}", clip.name());
            let still = bvh.joints().iter().filter(|j| j.channels.len() == 3).count();
            assert!(still > 10, "only {still} joints have no positions");
        }
    }
}

#[test]
fn captured_motion_survives_a_clip_within_a_ten_thousandth_of_a_degree() {
    let Some(corpus) = corpus() else { return };
    let mut worst = (0.0_f64, String::new());
    for (name, bvh) in motions(&corpus).into_iter().filter(|(name, _)| name != "Boxing_Toes") {
        let character = bvh.to_character(&name, &BvhOptions::default()).unwrap();
        let order = [BvhAxis::Z, BvhAxis::Y, BvhAxis::X];
        let again =
            Bvh::from_clip(&character, &character.clips()[0], &BvhExport::default().with_order(order))
                .unwrap();
        assert_eq!(again.frame_count(), bvh.frame_count(), "{name}");
        assert!((again.frame_secs() - bvh.frame_secs()).abs() < 1e-6 || bvh.frame_count() == 1, "{name}");
        for frame in 0..bvh.frame_count() {
            for joint in 0..bvh.joints().len() {
                let (_, want) = bvh.local(joint, frame, PositionChannels::Replace);
                let (_, got) = again.local(joint, frame, PositionChannels::Replace);
                // The sine of half the angle; the cosine would lose half the digits.
                let half = (got.inverse() * want).xyz().length();
                let degrees = 2.0 * half.min(1.0).asin().to_degrees();
                if degrees > worst.0 {
                    worst = (degrees, format!("{name}, frame {frame}, joint {joint}"));
                }
            }
        }
    }
    println!("furthest off: {worst:?} degrees");
    assert!(worst.0 < 1e-4, "{worst:?}");
}

#[test]
fn invalid_export_options_and_clips_are_refused() {
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").unwrap();
    let refused = |clip: &Clip, options: &BvhExport, says: &str| {
        let error = Bvh::from_clip(&figure, clip, options).unwrap_err().to_string();
        assert!(error.contains("\"walk\"") && error.contains(says), "{error}");
    };
    let plain = BvhExport::default();
    refused(&(**walk).clone().with_kind(ClipKind::Additive), &plain, "additive");
    refused(walk, &plain.clone().with_order([BvhAxis::X, BvhAxis::Y, BvhAxis::X]), "three different axes");
    refused(walk, &plain.clone().with_root(JointId(60_000)), "does not exist");
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(walk, &plain.clone().with_frames_per_sec(rate), "must be positive and finite");
    }
    refused(walk, &plain.with_frames_per_sec(1e12), "there must be at most");
    let arm = sinew_samples::arm();
    assert!(Bvh::from_clip(&arm, walk, &BvhExport::default()).is_err());
}

#[test]
fn two_keys_hours_apart_do_not_become_a_motion_of_hundreds_of_megabytes() {
    let figure = sinew_samples::figure();
    let curve = Curve::new(vec![0.0, 36_000.0], vec![Vec3::ZERO, Vec3::Y], Interpolation::Linear).unwrap();
    let long = Clip::new("long", vec![Channel::Translation { joint: JointId(0), curve }], vec![]).unwrap();
    // Ten hours from two keys are evenly spaced; a third key in between asks for 30 frames per second.
    assert_eq!(Bvh::from_clip(&figure, &long, &BvhExport::default()).unwrap().frame_count(), 2);
    let at_30 = BvhExport::default().with_frames_per_sec(30.0);
    let error = Bvh::from_clip(&figure, &long, &at_30).unwrap_err().to_string();
    assert!(error.contains("1080000") && error.contains("--fps"), "{error}");
    assert!(Bvh::from_clip(&figure, &long, &at_30.with_frames_per_sec(0.1)).is_ok());
}

#[test]
fn files_are_recognized_by_content_and_written_by_extension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    let figure = sinew_samples::figure();
    assert!(write_file(&path, &figure).unwrap_err().to_string().contains("a .bvh holds one clip"));
    let mut parts = figure.parts().clone();
    parts.clips = vec![figure.find_clip("walk").unwrap().clone()];
    let walk = Character::new(parts).unwrap();
    write_file(&path, &walk).unwrap();
    let import = read_file(&path).unwrap();
    assert_eq!((import.character.name(), import.character.clips()[0].name()), ("walk", "walk"));
    assert_eq!(import.character.skeleton().len(), walk.skeleton().len());
    let mut parts = walk.into_parts();
    parts.clips.clear();
    write_file(&path, &Character::new(parts).unwrap()).unwrap();
    assert_eq!(read_file(&path).unwrap().character.clips()[0].duration_secs(), 0.0);
}

#[test]
fn end_sites_become_joints_on_request_and_lengths_are_scaled() {
    let bvh = Bvh::parse(SMALL.as_bytes()).unwrap();
    let options = BvhOptions::default().with_end_sites(true).with_scale(0.01);
    let character = bvh.to_character("small", &options).unwrap();
    let skeleton = character.skeleton();
    let names: Vec<&str> = skeleton.joints().map(|j| skeleton.name(j)).collect();
    assert_eq!(names, ["hip", "left leg", "left leg_end", "left leg", "left leg_end", "prop"]);
    assert_eq!(skeleton.rest(skeleton.find("left leg_end").unwrap()).translation, Vec3::new(0.0, -0.04, 0.0));
    let last = character.clips()[0].duration_secs();
    let got = sampled(&character, last);
    // The hip is at (1, 2, 3) and rotated by 90° about Z, so its child is at its side.
    assert!((got[1] - DVec3::new(0.06, 0.02, 0.03)).length() < 1e-6, "{got:?}");
}

/// A file with every deviation that is found in practice.
const SMALL: &str = "\u{FEFF}hierarchy\r\nROOT hip {\r\n\tOFFSET 0 10. -0\r\n\
    \tCHANNELS 6 Xposition YPOSITION Zposition Zrotation Yrotation Xrotation \r\n\
    \tJOINT left leg\n\t{\n\t\tOFFSET\t0 -5 0\n\t\tCHANNELS 3 Yrotation Xrotation Zrotation\n\
    \t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -4 0\n\t\t}\n\t}\n\
    \tJOINT left leg\n\t{\n\t\tOFFSET 0 -5 1e0\n\t\tCHANNELS 1 Yposition\n\t\tEnd Site toe\n{ OFFSET 0 0 +1 CHANNELS 0 } }\n}\n\
    ROOT prop\n{\nOFFSET 0 0 0\n}\n\
    MOTION\nFrames:2\nFrame Time: .0083333\n\
    0 10 0   0.0   0 0   0 0 0  -5\n\n 1 2 3 90 0\n0 0 0 0 -5\u{1A}";

#[test]
fn common_deviations_from_the_format_are_read() {
    let bvh = Bvh::parse(SMALL.as_bytes()).unwrap();
    assert_eq!((bvh.joints().len(), bvh.frame_count(), bvh.channel_count()), (4, 2, 10));
    assert_eq!(bvh.frame_secs(), 0.0083333);
    assert_eq!(bvh.frame(1), [1.0, 2.0, 3.0, 90.0, 0.0, 0.0, 0.0, 0.0, 0.0, -5.0]);
    assert_eq!(Bvh::parse(bvh.to_text().as_bytes()).unwrap(), bvh);
    let fewer = SMALL.replace("Frames:2", "Frames:1");
    let (bvh, notes) = Bvh::parse_noting(fewer.as_bytes()).unwrap();
    assert_eq!((bvh.frame_count(), notes.surplus_numbers), (1, 10));
    assert_eq!(read_bytes(SMALL.as_bytes(), "small").unwrap().character.skeleton().len(), 4);
}

#[test]
fn a_malformed_file_is_refused_with_the_line_and_the_word() {
    let cases = [
        ("OFFSET 0 10. -0", "OFFSET 0 ten 0", "line 3: expected a number of an OFFSET, got \"ten\""),
        ("OFFSET 0 10. -0", "OFFSET 0 inf 0", "line 3: expected a number of an OFFSET, got \"inf\""),
        ("OFFSET 0 10. -0", "OFFSET 0 1e999 0", "line 3: expected a number of an OFFSET, got \"1e999\""),
        ("CHANNELS 6", "CHANNELS 7", "line 4: the number of channels must be 0 to 6, got \"7\""),
        ("YPOSITION", "Xposition", "line 4: the channel Xposition is duplicate"),
        ("Zrotation Yrotation Xrotation \r", "Wrotation", "line 4: expected a channel"),
        ("JOINT left leg\n\t{", "BONE left leg\n\t{", "line 5: expected OFFSET, CHANNELS, JOINT"),
        ("ROOT prop\n{", "ROOT prop\n", "line 23: expected {, got \"OFFSET\""),
        ("ROOT prop\n{\nOFFSET 0 0 0\n", "ROOT prop\n{\n", "line 23: a joint must have an OFFSET"),
        ("Frames:2", "Frames:many", "line 26: expected a number of frames, got \"many\""),
        ("Frames:2", "Frames:99999999999999999", "the file ends in frame 3 of 99999999999999999"),
        ("-5\u{1A}", "-5 end", "line 31: expected nothing but numbers, got \"end\""),
        (".0083333", "-1", "the time between frames must not be negative, got -1 s"),
        (
            "0 0 0 0 -5\u{1A}",
            "0 0 0",
            "the file ends in frame 2 of 2 after 8 of 10 numbers; line 30 has 5 numbers",
        ),
        ("MOTION", "", "line 26: expected ROOT, got \"Frames\""),
        ("hierarchy", "hier", "line 1: expected HIERARCHY, got \"hier\""),
    ];
    for (from, to, says) in cases {
        assert!(SMALL.contains(from), "{from:?}");
        let error = Bvh::parse(SMALL.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(says), "{to:?}: {error:?} does not say {says:?}");
    }
}

#[test]
fn a_hierarchy_is_read_up_to_the_maximum_number_of_joints() {
    let deep = |count: usize| {
        let open = "JOINT j { OFFSET 0 1 0 CHANNELS 1 Xrotation ".repeat(count - 1);
        let close = "}".repeat(count);
        format!("HIERARCHY ROOT r {{ OFFSET 0 0 0 {open}{close} MOTION Frames: 0 Frame Time: 1")
    };
    let bvh = Bvh::parse(deep(65_535).as_bytes()).unwrap();
    assert_eq!(bvh.joints().len(), 65_535);
    assert_eq!(Bvh::parse(bvh.to_text().as_bytes()).unwrap(), bvh);
    let character = bvh.to_character("deep", &BvhOptions::default()).unwrap();
    assert!(character.clips().is_empty());
    let error = Bvh::parse(deep(65_536).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("at most 65535 joints"), "{error}");
}

#[test]
fn a_time_between_frames_that_cannot_be_read_back_is_refused() {
    let joint = || BvhJoint {
        name: "root".into(),
        parent: None,
        offset: DVec3::ZERO,
        channels: vec![],
        end_sites: vec![],
    };
    assert!(Bvh::new(vec![joint()], Bvh::LARGEST, vec![]).is_ok());
    let error = Bvh::new(vec![joint()], 6.7e22, vec![]).unwrap_err().to_string();
    assert!(error.contains("between 0 and 1e11 s"), "{error}");
}

/// Reads bytes and uses the motion as a user would.
fn exercise(bytes: &[u8]) -> bool {
    let Ok(bvh) = Bvh::parse(bytes) else { return false };
    assert_eq!(Bvh::parse(bvh.to_text().as_bytes()).unwrap(), bvh);
    let mut pose = BvhPose::new(&bvh);
    if bvh.frame_count() > 0 {
        pose.update(&bvh, bvh.frame_count() - 1, PositionChannels::Add);
        assert!(pose.positions().all(DVec3::is_finite));
    }
    let character = bvh.to_character("mutant", &BvhOptions::default().with_end_sites(true)).unwrap();
    if let Some(clip) = character.clips().first() {
        // A clip of years has too many frames and is refused.
        _ = Bvh::from_clip(&character, clip, &BvhExport::default());
    }
    true
}

#[test]
fn every_truncation_is_refused_or_complete() {
    let text = SMALL.as_bytes();
    let whole = (0..=text.len()).filter(|&length| exercise(&text[..length])).count();
    // Only truncations in or after the last number can be complete: `-`, `-5` and the end-of-file character.
    assert!((1..=3).contains(&whole), "{whole} truncations were read");
}

#[test]
fn no_mutant_causes_a_panic() {
    let words: [&[u8]; 12] = [
        b"JOINT",
        b"{",
        b"}",
        b"End Site",
        b"1e30",
        b"-1e-300",
        b"Frames:",
        b"CHANNELS 6",
        b"\r",
        b"\0",
        b"nan",
        b"\xFF",
    ];
    let mut read = 0;
    for number in 0..20_000 {
        let mut random = HostileRandom::new(number);
        let mut mutant = SMALL.as_bytes().to_vec();
        for _ in 0..=random.below(2) {
            let at = random.below(mutant.len());
            match random.below(4) {
                0 => mutant[at] ^= 1 << random.below(8),
                1 => mutant[at] = random.next() as u8,
                2 => drop(mutant.splice(at..at, words[random.below(words.len())].iter().copied())),
                _ => drop(mutant.drain(at..(at + random.below(20)).min(mutant.len()))),
            }
            if mutant.is_empty() {
                break;
            }
        }
        read += usize::from(exercise(&mutant));
    }
    println!("{read} of 20000 mutants were read");
    assert!(read > 1000, "only {read} mutants were read: the test reaches little");
}
