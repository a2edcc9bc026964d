//! Compressed clips: the bound holds through what is played, and clips are smaller than those of other programs.

use proptest::prelude::*;
use sinew::{
    Channel, Clip, ClipCursor, ClipKind, ClipParts, CompressedClip, Curve, Interpolation, Joint, JointId,
    LocalPose, ModelPose, Skeleton, Transform, Wrap,
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
    assert!(slow >= 1.7 && fast >= 1.85, "{slow} {fast}");
}

/// A chain of joints, each half a meter from its parent.
fn chain(count: usize) -> Skeleton {
    let joint = |k: usize| Joint {
        name: format!("joint {k}"),
        parent: k.checked_sub(1).map(|parent| JointId(parent as u16)),
        rest: Transform { translation: Vec3::Y * 0.5, ..Transform::IDENTITY },
    };
    Skeleton::new((0..count).map(joint)).unwrap()
}

/// What a made-up joint does.
#[derive(Clone, Copy, Debug)]
enum MadeUp {
    Sway(f32),
    Spin(f32),
    Still,
    Tiny,
    Steps,
    Swell(f32),
    Slide(f32),
}

fn made_up() -> impl Strategy<Value = MadeUp> {
    prop_oneof![
        (0.1_f32..3.0).prop_map(MadeUp::Sway),
        (1.0_f32..7.0).prop_map(MadeUp::Spin),
        Just(MadeUp::Still),
        Just(MadeUp::Tiny),
        Just(MadeUp::Steps),
        (0.05_f32..0.6).prop_map(MadeUp::Swell),
        (0.1_f32..4.0).prop_map(MadeUp::Slide),
    ]
}

fn channel(joint: JointId, what: MadeUp, frames: usize, rate: f32) -> Channel {
    let times: Vec<f32> = (0..frames).map(|f| f as f32 / rate).collect();
    let axis = Vec3::new(0.3, 1.0 + f32::from(joint.0), -0.4).normalize();
    let turns = |angle: &dyn Fn(f32) -> f32| {
        let keys = times.iter().map(|t| Quat::from_axis_angle(axis, angle(*t)).normalize()).collect();
        Curve::new(times.clone(), keys, Interpolation::Linear).unwrap()
    };
    let vectors = |value: &dyn Fn(f32) -> Vec3| {
        Curve::new(times.clone(), times.iter().map(|t| value(*t)).collect(), Interpolation::Linear).unwrap()
    };
    match what {
        MadeUp::Sway(size) => Channel::Rotation { joint, curve: turns(&|t| size * (3.0 * t).sin()) },
        MadeUp::Spin(speed) => Channel::Rotation { joint, curve: turns(&|t| speed * rate * 0.5 * t) },
        MadeUp::Still => Channel::Rotation { joint, curve: turns(&|_| 0.7) },
        MadeUp::Tiny => Channel::Rotation { joint, curve: turns(&|t| 1e-5 * (9.0 * t).sin()) },
        MadeUp::Steps => {
            let keys =
                times.iter().map(|t| Quat::from_rotation_z(if *t > 0.2 { 1.0 } else { -1.0 })).collect();
            Channel::Rotation { joint, curve: Curve::new(times, keys, Interpolation::Step).unwrap() }
        }
        MadeUp::Swell(size) => Channel::Scale {
            joint,
            curve: vectors(&|t| Vec3::ONE + Vec3::new(1.0, 0.5, -0.3) * size * (4.0 * t).sin()),
        },
        MadeUp::Slide(size) => {
            Channel::Translation { joint, curve: vectors(&|t| Vec3::new(size * t, 0.5, (2.0 * t).cos())) }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_bound_holds_on_made_up_clips(
        moves in prop::collection::vec(made_up(), 1..6), frames in 2_usize..70, error in prop_oneof![Just(1e-4), Just(1e-3)],
        additive in any::<bool>(),
    ) {
        let (skeleton, rate) = (chain(moves.len()), 30.0);
        let joints = skeleton.joints().zip(&moves);
        let mut channels: Vec<Channel> = joints.map(|(joint, what)| channel(joint, *what, frames, rate)).collect();
        let times: Vec<f32> = (0..frames).map(|f| f as f32 / rate).collect();
        let weights = times.iter().flat_map(|t| [t.sin(), 0.25]).collect();
        channels.push(Channel::Morphs { first_slot: 1, curve: Curve::with_width(2, times, weights, Interpolation::Linear).unwrap() });
        let kind = if additive { ClipKind::Additive } else { ClipKind::Absolute };
        let clip = Clip::from_parts(ClipParts { name: "made up".into(), channels, kind, ..ClipParts::default() }).unwrap();
        let options = CompressOptions { max_error_meters: error, rate_hz: Some(rate), ..Default::default() };
        let (made, report) = compress_clip(&clip, &skeleton, &options).unwrap();
        // A clip that would grow, or that frames cannot hold, stays raw.
        if let Some(made) = made {
            let off = error_meters(&clip, &made, &skeleton, 0.03, &moments(&clip, f64::from(rate)));
            prop_assert!(f64::from(off) <= error * 1.0001, "{moves:?}: {off} of {error}");
            prop_assert!(report.bytes < report.key_bytes && report.max_morph_error <= options.max_morph_error);
            for time in [0.0, 0.013, 0.21, 1.3, 99.0] {
                let sampled = |level| {
                    let mut pose = LocalPose { joints: skeleton.rest_transforms().to_vec(), morphs: vec![0.0; 3] };
                    sample_compressed_at(level, &made, time, &mut ClipCursor::default(), &mut pose);
                    pose
                };
                let scalar = sampled(simd::Level::scalar());
                prop_assert!(simd::available().all(|level| sampled(level) == scalar));
            }
        }
    }
}

#[test]
fn a_loop_has_no_seam() {
    let skeleton = chain(3);
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
    let error = compress_clip(clip, &chain(1), &CompressOptions::default()).unwrap_err().to_string();
    assert!(error.contains("the skeleton has 1"), "{error}");
}
