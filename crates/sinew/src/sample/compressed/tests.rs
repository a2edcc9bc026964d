use super::*;
use crate::{
    ClipParts, CompressedParts, JointId, Transform,
    asset::compressed::{
        CompressedFrames, GROUP_TRACKS, MorphTrack, PADDING_BYTES, RotationTrack, VectorProperty,
        VectorTrack, profile_bits,
    },
};
use glam::Vec3;
use proptest::prelude::*;

/// A clip of random bytes: rotations, vectors, morph weights.
fn random_clip(counts: [usize; 3], frame_count: usize, is_loop: bool, bytes: &[u8]) -> CompressedClip {
    let mut bytes = bytes.iter().copied().cycle();
    let mut word = || u32::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap()));
    let [rotations, vectors, morphs] = counts;
    let joint = |index: usize| JointId(index as u16);
    let property =
        |n: usize| if n.is_multiple_of(2) { VectorProperty::Translation } else { VectorProperty::Scale };
    let mut frames = CompressedFrames {
        rate_hz: 30.0,
        frame_count,
        is_loop,
        segment_blocks: 2,
        rotations: (0..rotations)
            .map(|n| RotationTrack { joint: joint(n), mean: word(), axes: word() })
            .collect(),
        vectors: (0..vectors)
            .map(|n| VectorTrack { joint: joint(n), property: property(n), mean: Vec3::X, base_exponent: -2 })
            .collect(),
        morphs: (0..morphs).map(|slot| MorphTrack { slot, mean: 0.25, base_exponent: 0 }).collect(),
        data: Vec::new(),
    };
    for first in (0..frame_count).step_by(frames.segment_frames()) {
        let mut bits = 0;
        for (numbers, tracks) in frames.groups() {
            frames.data.extend((0..tracks).map(|_| (word() % 160) as u8));
            for _ in 0..numbers * tracks {
                // The widest profiles are rare, so that both paths run.
                let profile = if word() % 499 == 0 { 255 } else { (word() % 250) as u8 };
                bits += profile_bits(profile);
                frames.data.push(profile);
            }
        }
        let blocks = (frame_count - first).div_ceil(BLOCK_FRAMES).min(2);
        frames.data.extend((0..blocks * bits.div_ceil(8) as usize).map(|_| word() as u8));
    }
    frames.data.extend([0; PADDING_BYTES]);
    let duration_secs = frame_count as f32 / 30.0;
    CompressedClip::new(CompressedParts { keyed: ClipParts::default(), frames, duration_secs }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_simd_level_gives_the_bits_of_the_reference(
        counts in [0_usize..20, 0_usize..11, 0_usize..18], frame_count in 1_usize..40, is_loop in any::<bool>(),
        bytes in prop::collection::vec(any::<u8>(), 400..401), time in 0.0_f32..1.4,
    ) {
        prop_assume!(counts.iter().sum::<usize>() > 0);
        let clip = random_clip(counts, frame_count, is_loop, &bytes);
        let pair = FramePair::at(&clip, time.min(clip.duration_secs()));
        let pose = LocalPose { joints: vec![Transform::IDENTITY; 24], morphs: vec![0.0; 18] };
        let mut want = pose.clone();
        reference::sample(&clip, &pair, &mut want);
        prop_assert!(want.joints.iter().all(|joint| joint.rotation.is_normalized()));
        let bits = |pose: &LocalPose| {
            let joint = |j: &Transform| (j.rotation.to_array(), j.translation.to_array(), j.scale.to_array());
            format!("{:?} {:?}", pose.joints.iter().map(joint).collect::<Vec<_>>(), pose.morphs)
        };
        for level in simd::available() {
            let mut got = pose.clone();
            sample_compressed_at(level, &clip, time, &mut ClipCursor::default(), &mut got);
            prop_assert_eq!(bits(&got), bits(&want), "{}", level);
            if !pair.is_wide {
                let mut got = pose.clone();
                dispatch!(level, simd => kernel::sample(simd, &clip, &pair, &mut got));
                prop_assert_eq!(bits(&got), bits(&want), "the kernel on {}", level);
            }
        }
    }
}

#[test]
fn the_levels_of_this_machine_are_compared() {
    let names: Vec<&str> = simd::available().map(Level::name).collect();
    println!("compared with the reference: {}", names.join(", "));
    assert!(names.contains(&"scalar") && GROUP_TRACKS == 8);
}

#[test]
fn a_frame_between_two_blocks_reads_both() {
    let bytes: Vec<u8> = (0..400_u32).map(|n| (n * 97 % 251) as u8).collect();
    let clip = random_clip([9, 2, 3], 24, false, &bytes);
    let place = |frame: f32| FramePair::at(&clip, frame / 30.0);
    assert!(place(3.5).is_one_block() && !place(7.5).is_one_block() && !place(15.5).is_one_block());
    assert_eq!(place(15.5).places[1].header, clip.segments()[1].start as usize);
}
