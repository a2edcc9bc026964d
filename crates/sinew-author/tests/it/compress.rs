//! Compressed clips: the bound holds through what is played, and clips are smaller than those of other programs.

use sinew::{
    Channel, Clip, ClipCursor, ClipEvent, ClipKind, ClipParts, CompressedClip, Curve, Interpolation, Joint,
    JointId, LocalPose, MetaChannel, MetaCurve, ModelPose, Skeleton, Transform, Wrap,
    glam::{Affine3A, Quat, Vec3},
    sample_clip, sample_compressed, sample_compressed_at, simd,
};
use sinew_author::compress::{CompressOptions, compress_clip};
use sinew_formats::bvh::{Bvh, BvhOptions};
use std::{fs, path::PathBuf};

fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/clips");
    if folder.exists() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is missing", folder.display());
    println!("skipped: {} is missing", folder.display());
    None
}

/// The largest distance of six points around every joint, measured apart from the encoder.
fn error_meters(clip: &Clip, made: &CompressedClip, skeleton: &Skeleton, shell: f32, times: &[f32]) -> f32 {
    let rest = match clip.kind() {
        ClipKind::Absolute => skeleton.rest_transforms().to_vec(),
        ClipKind::Additive => vec![Transform::IDENTITY; skeleton.len()],
    };
    let start = LocalPose { joints: rest, morphs: vec![0.0; clip.morph_slot_count()] };
    let onto_rest = |pose: &mut LocalPose| {
        for (joint, rest) in pose.joints.iter_mut().zip(skeleton.rest_transforms()) {
            if clip.kind() == ClipKind::Additive {
                joint.translation += rest.translation;
                joint.rotation = rest.rotation * joint.rotation;
                joint.scale *= rest.scale;
            }
        }
    };
    let model = |mut pose: LocalPose| {
        onto_rest(&mut pose);
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &pose);
        model
    };
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis * shell, -axis * shell]);
    let apart = |a: &Affine3A, b: &Affine3A| {
        axes.clone().map(|p| a.transform_point3(p).distance(b.transform_point3(p))).fold(0.0, f32::max)
    };
    let mut worst = 0.0_f32;
    for &time in times {
        let (mut want, mut got) = (start.clone(), start.clone());
        // A jump has two values at its time.
        if clip.channels().iter().any(|c| c.times_secs().windows(2).any(|pair| pair == [time, time])) {
            continue;
        }
        sample_clip(clip, time, Wrap::Clamp, &mut want);
        sample_compressed(made, time, &mut ClipCursor::default(), &mut got);
        let (want, got) = (model(want), model(got));
        let pairs = want.joints().iter().zip(got.joints());
        worst = pairs.map(|(a, b)| apart(a, b)).fold(worst, f32::max);
    }
    worst
}

/// Frames and half frames of a clip.
fn moments(clip: &Clip, rate_hz: f64) -> Vec<f32> {
    let halves = (f64::from(clip.duration_secs()) * rate_hz * 2.0) as usize;
    (0..=halves).map(|half| (half as f64 * 0.5 / rate_hz) as f32).collect()
}

#[test]
fn captures_are_smaller_than_acl_makes_them_at_the_same_error() {
    let Some(folder) = corpus() else { return };
    let mut totals = [(0, 0); 2];
    for line in fs::read_to_string(folder.join("acl.tsv")).unwrap().lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |column: usize| columns[column].parse::<f64>().unwrap();
        let is_fast = number(1) > 60.0;
        let bvh = Bvh::parse(&fs::read(folder.join(format!("{}.bvh", columns[0]))).unwrap()).unwrap();
        // The first frame is a T-pose.
        let frames = (1..bvh.frame_count()).step_by(if is_fast { 1 } else { 4 });
        let values = frames.flat_map(|frame| bvh.frame(frame).to_vec()).collect();
        let bvh = Bvh::new(bvh.joints().to_vec(), 1.0 / number(1), values).unwrap();
        let character =
            bvh.to_character("capture", &BvhOptions::default().with_scale(0.0254 / 0.45)).unwrap();
        let (clip, skeleton) = (&character.clips()[0], character.skeleton());
        let options = CompressOptions { max_error_meters: number(6) * 0.01, ..Default::default() };
        let (made, report) = compress_clip(clip, skeleton, &options).unwrap();
        let made = made.unwrap();
        assert_eq!((report.frames as f64, report.joints as f64), (number(2), number(3)), "{line}");
        assert_eq!(report.raw_bytes as f64, number(4));
        let error = error_meters(clip, &made, skeleton, 0.03, &moments(clip, number(1)));
        assert!(f64::from(error) <= options.max_error_meters, "{line}: {error}");
        assert!(f64::from(error) <= report.max_error_meters * 1.001 && report.bytes == made.stored_bytes());
        let total = &mut totals[usize::from(is_fast)];
        *total = (total.0 + columns[5].parse::<usize>().unwrap(), total.1 + report.bytes);
    }
    let ratio = |(acl, own): (usize, usize)| acl as f64 / own as f64;
    let [slow, fast] = totals.map(ratio);
    println!("{slow:.3} times smaller at 30 Hz, {fast:.3} at 120 Hz");
    assert!(slow >= 1.7 && fast >= 1.9, "{slow} {fast}");
}

/// Clips of other origins than the captures: of artists, exporters and test scenes, with morph weights, cubic curves, steps
/// and fingers. Errors are measured apart from the encoder.
#[test]
fn the_bound_holds_on_clips_of_artists_and_exporters() {
    let Some(folder) = corpus() else { return };
    let folder = folder.parent().unwrap();
    let files = [
        "Fox.glb",
        "CesiumMan.glb",
        "RobotExpressive.glb",
        "InterpolationTest.glb",
        "AnimatedMorphCube.glb",
        "KayKit_Knight.glb",
        "characters/Owl.glb",
        "characters/037_Octospider_Art.glb",
        "bvh/alien.bvh",
        "bvh/sinusoidal.bvh",
    ];
    let (mut clips, mut plain, mut stored) = (0, 0, 0);
    for file in files {
        let character = sinew_formats::read_file(folder.join(file)).unwrap().character;
        let skeleton = character.skeleton();
        // The bound is a part of the size, since units differ.
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        let size = rest.joints().iter().map(|joint| joint.translation.length()).fold(0.1, f32::max);
        let (bound, shell) = (f64::from(size) * 1e-4, size * 0.02);
        let options =
            CompressOptions { max_error_meters: bound, shell_meters: shell.into(), ..Default::default() };
        for clip in character.clips().iter().take(6) {
            let (made, report) = compress_clip(clip, skeleton, &options).unwrap();
            // A clip that would grow stays raw.
            let Some(made) = made else { continue };
            let off = error_meters(clip, &made, skeleton, shell, &moments(clip, report.rate_hz.max(1.0)));
            assert!(f64::from(off) <= bound * 1.0001, "{file}, {}: {off} of {bound}", clip.name());
            assert!(report.bytes < report.key_bytes && report.max_morph_error <= options.max_morph_error);
            same_on_all_levels(&character.rest_pose(), &made);
            (clips, plain, stored) = (clips + 1, plain + report.raw_bytes, stored + report.bytes);
        }
    }
    println!("{clips} clips: {:.1} times smaller than plain frames", plain as f64 / stored as f64);
    assert!(clips >= 20 && plain > 5 * stored, "{clips} clips, {plain} bytes became {stored}");
}

/// A chain of joints with bones of one length.
fn chain(count: usize, bone_meters: f32) -> Skeleton {
    let joint = |k: usize| Joint {
        name: format!("joint {k}"),
        parent: k.checked_sub(1).map(|parent| JointId(parent as u16)),
        rest: Transform { translation: Vec3::Y * bone_meters, ..Transform::IDENTITY },
    };
    Skeleton::new((0..count).map(joint)).unwrap()
}

/// Random numbers from a fixed seed.
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f32) as usize % count
    }
}

/// What a made-up joint does: kinds from 0 to 9, and `size` from 0 to 1.
fn channels(joint: JointId, kind: usize, size: f32, unit: f32, times: &[f32]) -> Vec<Channel> {
    let axis = Vec3::new(0.3, 1.0 + f32::from(joint.0), -0.4).normalize();
    let rate = 30.0;
    let curve = |keys: Vec<Quat>, interpolation| Curve::new(times.to_vec(), keys, interpolation).unwrap();
    let turns = |angle: &dyn Fn(f32) -> f32| {
        let keys = times.iter().map(|t| Quat::from_axis_angle(axis, angle(*t)).normalize()).collect();
        vec![Channel::Rotation { joint, curve: curve(keys, Interpolation::Linear) }]
    };
    let vectors = |value: &dyn Fn(f32) -> Vec3| {
        Curve::new(times.to_vec(), times.iter().map(|t| value(*t)).collect(), Interpolation::Linear).unwrap()
    };
    match kind {
        0 | 1 => turns(&|t| 3.0 * size * (3.0 * t).sin()),
        // Up to 200° a frame.
        2 => turns(&|t| 3.5 * size * rate * t),
        3 => turns(&|_| size),
        4 => turns(&|t| 1e-5 * size * (9.0 * t).sin()),
        5 => {
            let angle = |t: f32| if t > 0.2 { 1.0 } else { -size };
            let keys = times.iter().map(|t| Quat::from_rotation_z(angle(*t))).collect();
            vec![Channel::Rotation { joint, curve: curve(keys, Interpolation::Step) }]
        }
        6 => {
            let value = |t: f32| Vec3::ONE + Vec3::new(1.0, 0.5, -0.3) * 0.6 * size * (4.0 * t).sin();
            vec![Channel::Scale { joint, curve: vectors(&value) }]
        }
        7 => {
            let value = |t: f32| Vec3::new(4.0 * size * t, 0.5, (2.0 * t).cos()) * unit;
            vec![Channel::Translation { joint, curve: vectors(&value) }]
        }
        8 => {
            // A jump: two keys at one time.
            let last = times[times.len() - 1];
            let keys = vec![Quat::IDENTITY, Quat::from_rotation_x(0.3), Quat::from_rotation_x(2.0 * size)];
            let keys = Curve::new(vec![0.0, last * 0.5, last * 0.5], keys, Interpolation::Linear).unwrap();
            vec![Channel::Rotation { joint, curve: keys }]
        }
        _ => [0, 6, 7].into_iter().flat_map(|kind| channels(joint, kind, size, unit, times)).collect(),
    }
}

/// A clip on a chain: joints of any kind, and a face with up to 60 morph weights.
fn made_up(random: &mut Random, unit: f32) -> (Skeleton, Clip) {
    let skeleton = chain(1 + random.below(6), 0.5 * unit);
    let frames = [1, 2, 5, 17, 40, 64][random.below(6)];
    let times: Vec<f32> = (0..frames).map(|f| f as f32 / 30.0).collect();
    let mut all = Vec::new();
    for joint in skeleton.joints() {
        all.extend(channels(joint, random.below(10), random.next(), unit, &times));
    }
    let width = [1, 3, 60][random.below(3)];
    let speeds: Vec<f32> = (0..width).map(|_| random.between(-0.5, 6.0).max(0.0)).collect();
    let weights = times.iter().flat_map(|t| speeds.iter().map(move |speed| (speed * t).sin())).collect();
    let curve = Curve::with_width(width, times, weights, Interpolation::Linear).unwrap();
    all.push(Channel::Morphs { first_slot: 1, curve });
    let kind = if random.below(3) == 0 { ClipKind::Additive } else { ClipKind::Absolute };
    let parts = ClipParts { name: "made up".into(), channels: all, kind, ..ClipParts::default() };
    (skeleton, Clip::from_parts(parts).unwrap())
}

#[test]
fn the_bound_holds_on_200_made_up_clips_at_frames_and_half_frames() {
    let mut random = Random(7);
    let mut compressed = 0;
    for number in 0..200 {
        let unit = [1.0, 1.0, 1e-3, 1e3][random.below(4)];
        let (skeleton, clip) = made_up(&mut random, unit);
        let bound = f64::from(unit) * [1e-4, 1e-3][random.below(2)];
        let options = CompressOptions {
            max_error_meters: bound,
            shell_meters: f64::from(unit) * 0.03,
            rate_hz: Some(30.0),
            ..Default::default()
        };
        let (made, report) = compress_clip(&clip, &skeleton, &options).unwrap();
        // A clip that would grow stays raw.
        let Some(made) = made else { continue };
        compressed += 1;
        let off = error_meters(&clip, &made, &skeleton, 0.03 * unit, &moments(&clip, 30.0));
        assert!(f64::from(off) <= bound * 1.0001, "clip {number}: {off} of {bound}");
        assert!(report.max_error_meters <= bound && report.max_morph_error <= options.max_morph_error);
        assert!(report.at_frames.max_meters.max(report.at_half_frames.max_meters) <= report.max_error_meters);
        let sizes = report.sizes;
        let parts = [sizes.header, sizes.profiles, sizes.rotations, sizes.translations, sizes.scales];
        assert_eq!(parts.iter().sum::<usize>() + sizes.morphs + sizes.keys, report.bytes, "clip {number}");
        assert!(report.bytes < report.key_bytes);
        let bytes = made.to_bytes();
        assert_eq!(CompressedClip::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        let rest = LocalPose { joints: skeleton.rest_transforms().to_vec(), morphs: vec![0.0; 61] };
        same_on_all_levels(&rest, &made);
    }
    println!("{compressed} of 200 clips were compressed, the others stay raw");
    assert!(compressed >= 90, "{compressed}");
}

fn same_on_all_levels(rest: &LocalPose, made: &CompressedClip) {
    for time in [0.0, 0.013, 0.21, 1.3, 99.0] {
        let sampled = |level| {
            let mut pose = rest.clone();
            sample_compressed_at(level, made, time, &mut ClipCursor::default(), &mut pose);
            pose
        };
        let scalar = sampled(simd::Level::scalar());
        assert!(simd::available().all(|level| sampled(level) == scalar), "at {time} s");
    }
}

#[test]
fn steps_jumps_events_and_meta_channels_stay_as_they_are() {
    let skeleton = chain(4, 0.5);
    let times: Vec<f32> = (0..90).map(|f| f as f32 / 30.0).collect();
    let steps: Vec<f32> = (0..9).map(|k| k as f32 * 0.317).collect();
    let turns = |times: &[f32], speed: f32| {
        times.iter().map(|t| Quat::from_rotation_x((speed * t).sin())).collect::<Vec<Quat>>()
    };
    let rotation = |joint: u16, times: &[f32], keys: Vec<Quat>, interpolation| Channel::Rotation {
        joint: JointId(joint),
        curve: Curve::new(times.to_vec(), keys, interpolation).unwrap(),
    };
    // At 1.5 s there are two keys: 0.2 rad before, 2 rad from there on.
    let (jump, angles) = ([0.0, 1.5, 1.5, 2.9], [0.1, 0.2, 2.0, 2.5]);
    let channels = vec![
        rotation(0, &times, turns(&times, 2.0), Interpolation::Linear),
        rotation(1, &times, turns(&times, 3.0), Interpolation::Linear),
        rotation(2, &steps, turns(&steps, 9.0), Interpolation::Step),
        rotation(3, &jump, angles.map(Quat::from_rotation_z).to_vec(), Interpolation::Linear),
    ];
    let event = |time_secs: f32| ClipEvent { time_secs, name: "hit".into(), payload: Some("hard".into()) };
    let curve = Curve::new(vec![0.0, 1.0], vec![0.25, 4.0], Interpolation::Linear).unwrap();
    let clip = Clip::from_parts(ClipParts {
        name: "steps".into(),
        channels,
        events: vec![event(0.3), event(1.5)],
        metas: vec![MetaChannel { name: "light".into(), curve: MetaCurve::Scalar(curve) }],
        ..ClipParts::default()
    });
    let clip = clip.unwrap();
    let made = compress_clip(&clip, &skeleton, &CompressOptions::default()).unwrap().0.unwrap();
    assert!(!made.parts().frames.rotations.is_empty());
    assert_eq!((made.events(), made.metas()), (clip.events(), clip.metas()));
    let evenly = (0..300).map(|k| k as f32 * 0.01);
    for key in evenly.chain(steps).chain(jump) {
        for time in [key, key.next_up(), key.next_down().max(0.0)] {
            let (mut want, mut got) = (skeleton.rest_pose(), skeleton.rest_pose());
            sample_clip(&clip, time, Wrap::Clamp, &mut want);
            sample_compressed(&made, time, &mut ClipCursor::default(), &mut got);
            assert_eq!(got.joints[2..], want.joints[2..], "at {time} s");
        }
    }
}

#[test]
fn a_loop_has_no_seam() {
    let skeleton = chain(3, 0.5);
    let times: Vec<f32> = (0..=40).map(|f| f as f32 / 30.0).collect();
    let turn = |k: usize| Quat::from_rotation_x(0.8 * (std::f32::consts::TAU * (k % 40) as f32 / 40.0).sin());
    let keys: Vec<Quat> = (0..=40).map(turn).collect();
    let channels = (0..3).map(|joint| Channel::Rotation {
        joint: JointId(joint),
        curve: Curve::new(times.clone(), keys.clone(), Interpolation::Linear).unwrap(),
    });
    let clip = Clip::new("loop", channels.collect(), vec![]).unwrap();
    let made = compress_clip(&clip, &skeleton, &CompressOptions::default()).unwrap().0.unwrap();
    let at = |time: f32| {
        let mut pose = skeleton.rest_pose();
        sample_compressed(&made, time, &mut ClipCursor::default(), &mut pose);
        pose
    };
    assert!(made.parts().frames.is_loop);
    assert_eq!(at(0.0), at(clip.duration_secs()));
}

#[test]
fn options_and_clips_that_do_not_fit_are_errors() {
    let arm = sinew_samples::arm();
    let clip = &arm.clips()[0];
    let bad = CompressOptions { shell_meters: 0.0, ..CompressOptions::default() };
    let error = compress_clip(clip, arm.skeleton(), &bad).unwrap_err().to_string();
    assert_eq!(error, "shell_meters must be positive, got 0");
    let error = compress_clip(clip, &chain(1, 0.5), &CompressOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the skeleton has 1"), "{error}");
}
