//! The kernel against plain code, on every level, and compact clips against the clips they were made from.

use super::*;
use crate::sinew_samples;
use crate::{
    Channel, Character, Clip, ClipKind, CompactError, CompactOptions, Curve, Interpolation, Joint, JointId,
    Skeleton, Wrap,
    sample::{Deviation, sample_clip},
};

fn bits(pose: &LocalPose) -> Vec<u32> {
    let joint = |t: &Transform| [t.translation.to_array(), t.scale.to_array()].concat();
    let rotations = pose.joints.iter().flat_map(|t| t.rotation.to_array());
    pose.joints
        .iter()
        .flat_map(joint)
        .chain(rotations)
        .chain(pose.morphs.iter().copied())
        .map(f32::to_bits)
        .collect()
}

/// The definition: one number after the other.
fn plain(clip: &CompactClip, time_secs: f32, pose: &mut LocalPose) {
    write_constants(&clip.constants, pose);
    let frames = &clip.frames;
    if frames.count > 1 {
        let at = f64::from(time_secs.clamp(0.0, clip.duration_secs())) * frames.rate_hz;
        let first = (at as usize).min(frames.count - 2);
        let fraction = ((at - first as f64) as f32).min(1.0);
        let mut place = first * frames.stride;
        for block in &frames.rotations {
            for lane in 0..LANES {
                let [x, y, z, w] = plain_numbers(frames, block, place, lane, fraction);
                let scale = 1.0 / ((x * x + y * y) + (z * z + w * w)).sqrt();
                pose.joints[block.targets[lane] as usize].rotation =
                    Quat::from_array([x * scale, y * scale, z * scale, w * scale]);
            }
            place += TrackBlock::<4>::STRIDE;
        }
        for (block, is_scale) in
            frames.translations.iter().map(|b| (b, false)).chain(frames.scales.iter().map(|b| (b, true)))
        {
            for lane in 0..LANES {
                let value = Vec3::from(plain_numbers(frames, block, place, lane, fraction));
                let joint = &mut pose.joints[block.targets[lane] as usize];
                *(if is_scale { &mut joint.scale } else { &mut joint.translation }) = value;
            }
            place += TrackBlock::<3>::STRIDE;
        }
        for block in &frames.morphs {
            for lane in 0..LANES {
                let [weight] = plain_numbers(frames, block, place, lane, fraction);
                pose.morphs[block.targets[lane] as usize] = weight;
            }
            place += TrackBlock::<1>::STRIDE;
        }
    }
    for channel in &clip.keyed {
        sample_channel(channel, time_secs, &mut 0, pose);
    }
}

fn plain_numbers<const N: usize>(
    frames: &Frames,
    block: &TrackBlock<N>,
    place: usize,
    lane: usize,
    fraction: f32,
) -> [f32; N] {
    std::array::from_fn(|n| {
        let at = place + n * LANES + lane;
        let (a, b) = (f32::from(frames.data[at]), f32::from(frames.data[at + frames.stride]));
        (a + (b - a) * fraction) * block.step[n][lane] + block.min[n][lane]
    })
}

fn curve<T>(times: Vec<f32>, value: impl Fn(f32) -> T) -> Curve<T> {
    let values = times.iter().map(|&t| value(t)).collect();
    Curve::new(times, values, Interpolation::Linear).unwrap()
}

/// Fingers on a palm: 19 joints that turn, move and scale, morphs, and channels of every odd kind.
fn odd_subject() -> (Skeleton, Clip) {
    let joint = |index: u16| Joint {
        name: format!("j{index}"),
        parent: (index > 0).then(|| JointId(if index % 3 == 1 { 0 } else { index - 1 })),
        rest: Transform::from_translation(Vec3::Y * 0.1),
    };
    let skeleton = Skeleton::new((0..19).map(joint)).unwrap();
    let steady = || (0..49).map(|k| k as f32 / 24.0).collect::<Vec<f32>>();
    let mut channels = Vec::new();
    for index in 0..19_u16 {
        let (joint, phase) = (JointId(index), f32::from(index));
        let turn = move |t: f32| {
            Quat::from_rotation_x((t * 2.0 + phase).sin()) * Quat::from_rotation_z(t * phase * 0.3)
        };
        channels.push(Channel::Rotation { joint, curve: curve(steady(), turn) });
        if index % 2 == 0 {
            let place = move |t: f32| Vec3::new(0.1 * (t + phase).sin(), 0.1, 0.02 * t);
            channels.push(Channel::Translation { joint, curve: curve(steady(), place) });
        }
        if index % 5 == 0 {
            channels
                .push(Channel::Scale { joint, curve: curve(steady(), |t| Vec3::splat(1.0 + 0.1 * t.sin())) });
        }
    }
    let weights = steady().iter().flat_map(|t| [t.sin() * 0.5 + 0.5, 0.25, t * 0.4]).collect();
    let weights = Curve::with_width(3, steady(), weights, Interpolation::Linear).unwrap();
    channels.push(Channel::Morphs { first_slot: 1, curve: weights });
    let steps =
        Curve::new(vec![0.0, 0.7, 1.3], vec![Vec3::X, Vec3::Y, Vec3::Z], Interpolation::Step).unwrap();
    channels.push(Channel::Scale { joint: JointId(3), curve: steps });
    let still = Curve::new(vec![0.0, 1.0], vec![Vec3::ONE * 0.1; 2], Interpolation::Linear).unwrap();
    channels.push(Channel::Translation { joint: JointId(1), curve: still });
    (skeleton, Clip::new("odd", channels, vec![]).unwrap())
}

fn made(clip: &Clip, skeleton: &Skeleton) -> (CompactClip, crate::CompactReport) {
    CompactClip::new(clip, skeleton, &CompactOptions::default()).unwrap()
}

fn start(skeleton: &Skeleton) -> LocalPose {
    LocalPose { morphs: vec![9.0; 6], ..skeleton.rest_pose() }
}

#[test]
fn every_level_gives_the_bits_of_plain_code() {
    let (skeleton, clip) = odd_subject();
    let (compact, report) = made(&clip, &skeleton);
    assert!(report.framed > 20 && report.keyed >= 1 && report.constant >= 1, "{report:?}");
    let mut ran = Vec::new();
    for level in simd::available() {
        let mut cursor = ClipCursor::default();
        for step in -3..90_i8 {
            let time = f32::from(step) * 0.0271;
            let (mut want, mut got) = (start(&skeleton), start(&skeleton));
            plain(&compact, time.clamp(0.0, compact.duration_secs()), &mut want);
            sample_compact_at(level, &compact, time, &mut cursor, &mut got);
            assert_eq!(bits(&got), bits(&want), "{} at {time}", level.name());
        }
        ran.push(level.name());
    }
    println!("levels compared: {}", ran.join(", "));
}

#[test]
fn jumps_give_the_bits_of_a_fresh_cursor() {
    let (skeleton, clip) = odd_subject();
    let (compact, _) = made(&clip, &skeleton);
    let mut cursor = ClipCursor::with_room(compact.keyed_channel_count());
    for time in [0.0, 1.9, 0.3, f32::NAN, 0.7, f32::INFINITY, 1.3, -4.0] {
        let (mut want, mut got) = (start(&skeleton), start(&skeleton));
        sample_compact(&compact, time, &mut ClipCursor::default(), &mut want);
        sample_compact(&compact, time, &mut cursor, &mut got);
        assert_eq!(bits(&got), bits(&want), "at {time}");
        assert!(got.joints.iter().all(Transform::is_finite));
    }
}

/// The error at many times that are neither keys nor frames.
fn dense_error(character: &Character, clip: &Clip, compact: &CompactClip, distance: f32) -> f32 {
    let skeleton = character.skeleton();
    let mut deviation = Deviation::new(skeleton, distance);
    let (mut want, mut got) = (character.rest_pose(), character.rest_pose());
    let mut cursor = ClipCursor::default();
    let mut worst = 0.0_f32;
    for step in 0..1009_u16 {
        let time = clip.duration_secs() * f32::from(step) / 1008.0;
        sample_clip(clip, time, Wrap::Clamp, &mut want);
        sample_compact(compact, time, &mut cursor, &mut got);
        worst = worst.max(deviation.between(&want, &got));
    }
    worst
}

#[test]
fn the_figures_clips_fit_into_frames_within_the_tolerance_and_become_small() {
    let figure = sinew_samples::figure();
    for clip in figure.clips() {
        let options = CompactOptions { vertex_distance_meters: Some(0.05), ..CompactOptions::default() };
        let (compact, report) = CompactClip::new(clip, figure.skeleton(), &options).unwrap();
        let dense = dense_error(&figure, clip, &compact, 0.05);
        println!("{}: {report:?}, dense {dense}", clip.name());
        assert!(report.error_meters <= report.tolerance_meters);
        assert!(dense <= report.error_meters + 1e-7, "{dense} of {report:?}");
        assert!(report.error_meters > 0.0 && report.keyed == 0, "{report:?}");
        assert!(report.compact_bytes * 2 < report.raw_bytes + 30_000, "{report:?}");
        assert_eq!(compact.events(), clip.events());
    }
}

#[test]
fn steady_keys_are_hit_within_half_a_step_of_sixteen_bits() {
    let (skeleton, clip) = odd_subject();
    let (compact, report) = made(&clip, &skeleton);
    assert!((report.rate_hz - 24.0).abs() < 1e-3, "{report:?}");
    let (mut want, mut got) = (start(&skeleton), start(&skeleton));
    for frame in 0..49_u8 {
        let time = f32::from(frame) / 24.0;
        sample_clip(&clip, time, Wrap::Clamp, &mut want);
        sample_compact(&compact, time, &mut ClipCursor::default(), &mut got);
        for (a, b) in want.joints.iter().zip(&got.joints) {
            assert!((a.translation - b.translation).abs().max_element() < 2e-6, "{a:?} {b:?}");
            assert!(1.0 - a.rotation.dot(b.rotation).abs() < 1e-8_f32.max(f32::EPSILON * 4.0), "{a:?} {b:?}");
        }
        for (a, b) in want.morphs.iter().zip(&got.morphs) {
            assert!((a - b).abs() < 2e-5, "{a} {b}");
        }
    }
}

#[test]
fn cubic_and_irregular_channels_keep_the_tolerance_one_way_or_the_other() {
    let figure = sinew_samples::figure();
    let forearm = figure.skeleton().find("forearm.L").unwrap();
    let zero = Quat::from_array([0.0; 4]);
    let keys = [0.0, 1.4, 0.2].map(Quat::from_rotation_x);
    let cubic = keys.iter().flat_map(|&q| [zero, q, zero]).collect();
    let cubic = Curve::new(vec![0.0, 0.513, 1.77], cubic, Interpolation::Cubic).unwrap();
    let jerky = Curve::new(
        vec![0.0, 0.511, 0.512, 1.3],
        [0.0, 0.0, 1.0, 1.0].map(Quat::from_rotation_z).to_vec(),
        Interpolation::Linear,
    )
    .unwrap();
    let hand = figure.skeleton().find("hand.R").unwrap();
    let channels = vec![
        Channel::Rotation { joint: forearm, curve: cubic },
        Channel::Rotation { joint: hand, curve: jerky },
    ];
    let clip = Clip::new("odd", channels, vec![]).unwrap();
    let (compact, report) = made(&clip, figure.skeleton());
    assert_eq!((report.framed, report.keyed), (1, 1), "{report:?}");
    assert!(dense_error(&figure, &clip, &compact, 0.05) <= report.error_meters + 1e-7);
}

#[test]
fn two_keys_a_year_apart_do_not_become_a_year_of_frames() {
    let turn =
        Curve::new(vec![0.0, 3e7], vec![Quat::IDENTITY, Quat::from_rotation_x(1.0)], Interpolation::Linear);
    let clip = Clip::new("year", vec![Channel::Rotation { joint: JointId(0), curve: turn.unwrap() }], vec![])
        .unwrap();
    let (compact, report) = made(&clip, sinew_samples::figure().skeleton());
    assert_eq!((compact.frame_count(), report.keyed), (0, 1));
    let empty = Clip::new("empty", vec![], vec![]).unwrap();
    assert_eq!(made(&empty, sinew_samples::figure().skeleton()).1.compact_bytes, 0);
}

#[test]
fn of_two_channels_for_one_property_the_last_counts() {
    let at = |place: Vec3, end: Vec3| Channel::Translation {
        joint: JointId(0),
        curve: Curve::new(vec![0.0, 1.0], vec![place, end], Interpolation::Linear).unwrap(),
    };
    let clip = Clip::new("twice", vec![at(Vec3::X, Vec3::Y), at(Vec3::Z, Vec3::Z)], vec![]).unwrap();
    let skeleton = odd_subject().0;
    let (compact, _) = made(&clip, &skeleton);
    let mut pose = start(&skeleton);
    sample_compact(&compact, 0.4, &mut ClipCursor::default(), &mut pose);
    assert_eq!(pose.joints[0].translation, Vec3::Z);
}

#[test]
fn additive_clips_stay_additive_and_bad_options_are_refused() {
    let (skeleton, clip) = odd_subject();
    let (compact, report) = made(&clip.clone().with_kind(ClipKind::Additive), &skeleton);
    assert_eq!(compact.kind(), ClipKind::Additive);
    assert!(report.error_meters <= report.tolerance_meters);
    for bad in [0.0, -1.0, f32::NAN] {
        let options = CompactOptions { rate_hz: Some(bad), ..CompactOptions::default() };
        let error = CompactClip::new(&clip, &skeleton, &options).unwrap_err();
        assert!(matches!(error, CompactError::BadOption { option: "rate_hz", .. }));
    }
    let small = Skeleton::new([]).unwrap();
    let error = CompactClip::new(&clip, &small, &CompactOptions::default()).unwrap_err();
    assert!(matches!(error, CompactError::TooFewJoints { joints: 19, skeleton: 0, .. }), "{error}");
}
