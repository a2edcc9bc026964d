//! Compressed clips in cooked files: they are played from their frames everywhere, and become keys where keys are needed.

use sinew::{
    Character, CharacterParts, Clip, ClipCursor, Frame, LocalPose, Wrap, sample_clip, sample_compressed,
};
use sinew_author::{
    compress::CompressOptions,
    cook::{CookedClip, cook_clips},
    uninterrupted,
};
use sinew_formats::{
    Outcome,
    cooked::{CookedOptions, read_cooked, to_cooked, update_checksums},
    read_bytes, read_file, write_file,
};
use std::{ops::ControlFlow, sync::Arc};

fn cooked(character: &Character) -> Character {
    cook_clips(character, &CompressOptions::default(), &mut uninterrupted).unwrap().0
}

fn reread(character: &Character) -> Character {
    read_cooked(&to_cooked(character, &CookedOptions::default()).unwrap()).unwrap()
}

/// The largest distance of a joint of two poses in model space, in meters.
fn distance(character: &Character, one: &LocalPose, other: &LocalPose) -> f32 {
    let skeleton = character.skeleton();
    let [mut a, mut b] = [sinew::ModelPose::new(skeleton), sinew::ModelPose::new(skeleton)];
    a.update(skeleton, one);
    b.update(skeleton, other);
    let distances = a.joints().iter().zip(b.joints()).map(|(a, b)| a.translation.distance(b.translation));
    distances.fold(0.0, f32::max)
}

#[test]
fn a_cooked_clip_is_played_from_its_frames_and_stays_within_the_bound() {
    let figure = sinew_samples::figure();
    let loaded = reread(&cooked(&figure));
    assert_eq!(loaded, cooked(&figure));
    for (source, clip) in figure.clips().iter().zip(loaded.clips()) {
        let compressed = clip.compressed().expect("every clip of the figure becomes smaller");
        let (mut frame, mut cursor) = (Frame::new(&loaded), ClipCursor::default());
        for step in 0..50 {
            let time = clip.duration_secs() * step as f32 / 49.0;
            let [mut wanted, mut got, mut original] =
                [loaded.rest_pose(), loaded.rest_pose(), loaded.rest_pose()];
            sample_compressed(compressed, time, &mut cursor, &mut wanted);
            sample_clip(clip, time, Wrap::Clamp, &mut got);
            frame.sample(clip, time, Wrap::Clamp);
            assert_eq!((&wanted, &wanted), (&got, frame.local()), "{} at {time}", clip.name());
            sample_clip(source, time, Wrap::Clamp, &mut original);
            assert!(distance(&figure, &original, &got) <= 1.3e-4, "{} at {time}", clip.name());
        }
    }
}

#[test]
fn keys_of_a_compressed_clip_are_its_frames() {
    let figure = cooked(&sinew_samples::figure());
    for clip in figure.clips() {
        let keyed = Clip::clone(clip).with_keys();
        assert!(keyed.compressed().is_none() && Clip::from_parts(keyed.clone().into_parts()).is_ok());
        assert_eq!(keyed.duration_secs(), clip.duration_secs());
        assert_eq!((keyed.events(), keyed.metas()), (clip.events(), clip.metas()));
        let rate = clip.compressed().unwrap().parts().frames.rate_hz;
        for frame in 0..(f64::from(clip.duration_secs()) * rate) as usize {
            let time = (frame as f64 / rate) as f32;
            let [mut wanted, mut got] = [figure.rest_pose(), figure.rest_pose()];
            sample_clip(clip, time, Wrap::Clamp, &mut wanted);
            sample_clip(&keyed, time, Wrap::Clamp, &mut got);
            assert!(distance(&figure, &wanted, &got) < 2e-6, "{} at {time}", clip.name());
        }
    }
}

#[test]
fn another_format_gets_keys_and_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (figure, path) = (cooked(&sinew_samples::figure()), folder.path().join("figure.glb"));
    let report = write_file(&path, &figure).unwrap();
    let decoded: Vec<_> = report.of(Outcome::Decoded).collect();
    assert_eq!(decoded.len(), figure.clips().len());
    assert!(decoded.iter().all(|entry| entry.code == "clip" && entry.detail.contains("keys")), "{decoded:?}");
    let back = read_file(&path).unwrap().character;
    let time = 0.4;
    for (one, other) in figure.clips().iter().zip(back.clips()) {
        let [mut wanted, mut got] = [figure.rest_pose(), back.rest_pose()];
        sample_clip(one, time, Wrap::Clamp, &mut wanted);
        sample_clip(other, time, Wrap::Clamp, &mut got);
        assert!(distance(&figure, &wanted, &got) < 1e-3, "{}", one.name());
    }
}

#[test]
fn a_clip_that_would_grow_keeps_its_keys_and_one_that_is_compressed_stays_as_it_is() {
    let parts = sinew_samples::arm().into_parts();
    let clips = [parts.clips.clone(), vec![Arc::new(Clip::empty("still", 1.0).unwrap())]].concat();
    let arm = Character::new(CharacterParts { clips, ..parts }).unwrap();
    let options = CompressOptions::default();
    let (once, reports) = cook_clips(&arm, &options, &mut uninterrupted).unwrap();
    let still = reports.last().unwrap();
    assert_eq!((still.name.as_str(), still.outcome), ("still", CookedClip::Raw));
    assert_eq!(reread(&once), once);
    let coarse = CompressOptions { max_error_meters: 0.05, ..options };
    let (twice, again) = cook_clips(&once, &coarse, &mut uninterrupted).unwrap();
    assert_eq!(twice, once);
    for (before, after) in
        reports.iter().zip(&again).filter(|(before, _)| before.outcome == CookedClip::Compressed)
    {
        assert_eq!(after.outcome, CookedClip::Kept);
        assert_eq!(after.stored_bytes(), before.stored_bytes());
    }
}

#[test]
fn the_work_can_be_stopped() {
    let stopped =
        cook_clips(&sinew_samples::figure(), &CompressOptions::default(), &mut |_| ControlFlow::Break(()));
    assert!(stopped.is_err());
}

#[test]
fn damaged_frames_give_an_error_or_a_clip_that_can_be_played_and_decoded() {
    let bytes =
        to_cooked(&without_meshes(&cooked(&sinew_samples::arm())), &CookedOptions::default()).unwrap();
    let mut read = 0;
    for at in 8..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= [0x01, 0x80, 0xff, 0x10][at % 4];
        update_checksums(&mut damaged);
        let Ok(import) = read_bytes(&damaged, "damaged") else { continue };
        read += 1;
        let mut frame = Frame::new(&import.character);
        for clip in import.character.clips() {
            frame.sample(clip, 0.37, Wrap::Loop);
            assert!(Clip::from_parts(Clip::clone(clip).into_parts()).is_ok(), "byte {at}");
        }
    }
    println!("{read} of {} can be read", bytes.len());
    assert!((bytes.len() / 20..bytes.len()).contains(&read));
}

fn without_meshes(character: &Character) -> Character {
    let parts = character.parts().clone();
    Character::new(CharacterParts { meshes: vec![], instances: vec![], skins: vec![], ..parts }).unwrap()
}

/// What a kept file holds, with numbers rounded to what every platform computes.
fn facts(character: &Character) -> String {
    let skeleton = character.skeleton();
    let names: Vec<&str> = skeleton.joints().map(|joint| skeleton.name(joint)).collect();
    let mut out = format!("{:?}: joints {names:?}\n", character.name());
    for mesh in character.meshes() {
        let sum: sinew::glam::Vec3 = mesh.positions().iter().sum();
        let weights = mesh.weights().map_or(0, |weights| weights.lists().slots.len());
        let precomputed = mesh.precomputed().centers.is_some();
        out += &format!(
            "mesh {:?}: {} vertices around {:.3}, {} indices, {weights} influences, centers {precomputed}\n",
            mesh.name(),
            mesh.vertex_count(),
            sum / mesh.vertex_count() as f32,
            mesh.indices().len()
        );
    }
    for clip in character.clips() {
        let mut pose = character.rest_pose();
        sample_clip(clip, 0.3, Wrap::Loop, &mut pose);
        let is_compressed = clip.compressed().is_some();
        out +=
            &format!("clip {:?}: {:.3} s, compressed {is_compressed}\n", clip.name(), clip.duration_secs());
        pose.joints.iter().for_each(|joint| out += &format!("  {:.3}\n", joint.rotation));
    }
    let graphs: Vec<&str> = character.graphs().iter().map(|graph| &*graph.name).collect();
    out + &format!("graphs {graphs:?}, materials {}\n", character.materials().len())
}

/// A small character with most kinds of sections.
fn kept() -> Character {
    let arm = cooked(&sinew_samples::arm());
    let options = sinew_author::PrepareOptions::for_methods(&[sinew::Method::Cor]);
    let (arm, _) = sinew_author::prepare_character(&arm, &options, &mut uninterrupted).unwrap();
    let mut parts = arm.into_parts();
    parts.clips.push(Arc::new(Clip::empty("still", 1.0).unwrap()));
    let name = parts.clips[0].name().to_owned();
    let text = format!("(nodes: {{\"a\": Clip(clip: {name:?})}}, output: \"a\")");
    let def = sinew_formats::graph::parse(&text).unwrap();
    parts.graphs = vec![sinew::CharacterGraph { name: "bend".into(), def }];
    Character::new(parts).unwrap()
}

#[test]
fn kept_files_of_every_version_stay_readable() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../sinew-formats/tests/cooked");
    for version in 1..=sinew_formats::cooked::VERSION {
        let file = folder.join(format!("version-{version}.sinew"));
        let about = file.with_extension("txt");
        // A kept file is written once, when its version is new, and never again.
        if std::env::var_os("SINEW_BLESS").is_some() && !file.exists() {
            std::fs::write(&file, to_cooked(&kept(), &CookedOptions::default()).unwrap()).unwrap();
            std::fs::write(&about, facts(&kept())).unwrap();
        }
        let character = read_file(&file).unwrap().character;
        assert_eq!(facts(&character), std::fs::read_to_string(&about).unwrap(), "version {version}");
        let mut frame = Frame::new(&character);
        assert!(frame.deform(sinew::Method::Cor).is_ok());
    }
}
