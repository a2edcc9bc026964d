//! Any bytes as a BVH file. A motion that reads is written and read back bit-identical, and converts without a panic.
#![no_main]

use sinew_formats::bvh::{Bvh, BvhExport, BvhOptions, BvhPose, PositionChannels};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(bvh) = Bvh::parse(bytes) else { return };
    let again = Bvh::parse(bvh.to_text().as_bytes());
    assert_eq!(again.unwrap_or_else(|error| panic!("what was written does not read: {error}")), bvh);
    let mut pose = BvhPose::new(&bvh);
    for frame in 0..bvh.frame_count().min(4) {
        pose.update(&bvh, frame, PositionChannels::Add);
        assert!(pose.positions().all(|p| p.is_finite()));
    }
    let options = BvhOptions::default().with_end_sites(true);
    let Ok(character) = bvh.to_character("fuzz", &options) else { return };
    for clip in character.clips() {
        // At the rate of the keys: at another rate a clip of years would take too long.
        if bvh.frame_secs() > 0.0 {
            _ = Bvh::from_clip(
                &character,
                clip,
                &BvhExport::default().with_frames_per_sec(bvh.frame_secs().recip()),
            );
        }
    }
});
