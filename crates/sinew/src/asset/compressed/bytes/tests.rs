use crate::{
    Channel, Clip, ClipEvent, ClipKind, ClipParts, CompressedClip, CompressedError, CompressedParts, Curve,
    Interpolation, JointId, MetaChannel, MetaCurve,
    asset::compressed::{
        CompressedFrames, MorphTrack, PADDING_BYTES, RotationTrack, VectorProperty, VectorTrack, profile_bits,
    },
};
use glam::{Quat, Vec3};
use proptest::prelude::*;

/// A clip with one of everything, in two segments.
fn everything() -> CompressedClip {
    let key = |value: Quat| Curve::new(vec![0.0], vec![value], Interpolation::Linear).unwrap();
    let steps = Curve::with_width(2, vec![0.0, 0.5], vec![0.0, 1.0, 1.0, 0.5], Interpolation::Step).unwrap();
    let cubic = Curve::new(vec![0.1], vec![0.0, 2.0, 0.0], Interpolation::Cubic).unwrap();
    let keyed = ClipParts {
        name: "everything".into(),
        channels: vec![
            Channel::Rotation { joint: JointId(3), curve: key(Quat::IDENTITY) },
            Channel::Rotation { joint: JointId(4), curve: key(Quat::from_rotation_x(1.0)) },
            Channel::Morphs { first_slot: 5, curve: steps },
        ],
        events: vec![
            ClipEvent { time_secs: 0.2, name: "step".into(), payload: Some("left".into()) },
            ClipEvent { time_secs: 0.3, name: "end".into(), payload: None },
        ],
        metas: vec![MetaChannel { name: "phase".into(), curve: MetaCurve::Scalar(cubic) }],
        kind: ClipKind::Additive,
        duration_secs: None,
    };
    let rotation = |joint| RotationTrack { joint: JointId(joint), mean: 0xC0FF_EE00, axes: 0x8000_0000 };
    let vector = |property| VectorTrack { joint: JointId(1), property, mean: Vec3::Y, base_exponent: -3 };
    let mut frames = CompressedFrames {
        rate_hz: 30.0,
        frame_count: 20,
        segment_blocks: 1,
        rotations: vec![rotation(0), rotation(2)],
        vectors: vec![vector(VectorProperty::Translation), vector(VectorProperty::Scale)],
        morphs: vec![MorphTrack { slot: 9, mean: 0.5, base_exponent: 1 }],
        ..CompressedFrames::default()
    };
    for _ in (0..20).step_by(frames.segment_frames()) {
        let (mut bits, mut next) = (0, 0_u8);
        for (numbers, tracks) in frames.groups() {
            frames.data.extend((0..tracks).map(|_| 9));
            for _ in 0..numbers * tracks {
                next += 7;
                bits += profile_bits(next);
                frames.data.push(next);
            }
        }
        frames.data.extend((0..bits.div_ceil(8)).map(|n| (n * 37) as u8));
    }
    frames.data.extend([0; PADDING_BYTES]);
    CompressedClip::new(CompressedParts { keyed, frames, duration_secs: 1.5 }).unwrap()
}

#[test]
fn clips_come_back_from_their_bytes() {
    let clip = everything();
    assert_eq!(CompressedClip::from_bytes(&clip.to_bytes()), Ok(clip));
    let keyed = ClipParts { name: "still".into(), ..ClipParts::default() };
    let still = CompressedClip::new(CompressedParts { keyed, ..CompressedParts::default() }).unwrap();
    assert_eq!(CompressedClip::from_bytes(&still.to_bytes()), Ok(still));
}

#[test]
fn every_truncation_and_every_extra_byte_is_an_error() {
    let bytes = everything().to_bytes();
    for length in 0..bytes.len() {
        let error = CompressedClip::from_bytes(&bytes[..length]).unwrap_err();
        assert!(!error.to_string().is_empty(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = CompressedClip::from_bytes(&longer).unwrap_err();
    assert_eq!(error, CompressedError::ExtraBytes { end: bytes.len(), extra: 1 });
    let other = [&[9], &bytes[1..]].concat();
    let error = CompressedClip::from_bytes(&other).unwrap_err();
    assert_eq!(error.to_string(), "compressed clip: version 9 is unsupported, the supported one is 1");
}

/// Samples a clip at a few times, if a pose for it is not too large.
fn play(clip: &CompressedClip) {
    if clip.joint_count() + clip.morph_slot_count() > 1 << 17 {
        return;
    }
    let mut pose = crate::LocalPose {
        joints: vec![crate::Transform::IDENTITY; clip.joint_count()],
        morphs: vec![0.0; clip.morph_slot_count()],
    };
    for time in [0.0, 0.3, clip.duration_secs() * 0.7, clip.duration_secs()] {
        for level in crate::simd::available() {
            crate::sample_compressed_at(level, clip, time, &mut crate::ClipCursor::default(), &mut pose);
        }
    }
}

#[test]
fn every_changed_byte_gives_an_error_or_a_clip_that_plays() {
    let bytes = everything().to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xFF] {
            let mut mutant = bytes.clone();
            mutant[at] ^= change;
            if let Ok(clip) = CompressedClip::from_bytes(&mutant) {
                play(&clip);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_give_an_error_or_a_clip_that_plays(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[1, 4][..], &bytes].concat();
        if let Ok(clip) = CompressedClip::from_bytes(&bytes) {
            play(&clip);
        }
    }
}

/// A clip keeps its meaning as a raw clip with the same keys has it.
#[test]
fn keys_events_and_meta_channels_are_those_of_the_clip() {
    let clip = CompressedClip::from_bytes(&everything().to_bytes()).unwrap();
    assert_eq!((clip.name(), clip.kind(), clip.duration_secs()), ("everything", ClipKind::Additive, 1.5));
    assert_eq!((clip.events().len(), clip.metas().len(), clip.keyed_channels().len()), (2, 1, 3));
    let raw = Clip::from_parts(clip.parts().keyed.clone()).unwrap();
    assert_eq!(raw.channels(), clip.keyed_channels());
}
