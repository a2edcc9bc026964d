//! BVH files, read, written and converted.

use super::reread;
use crate::subject::Verdict;
use sinew_formats::bvh::{Bvh, BvhExport, BvhOptions, BvhPose, PositionChannels};

/// Any bytes as a BVH file. A motion that reads is written and read back bit-identical, and converts without a panic.
pub fn bvh(bytes: &[u8]) -> Verdict {
    let Ok(bvh) = Bvh::parse(bytes) else { return Verdict::Refused };
    assert_eq!(reread(Bvh::parse(bvh.to_text().as_bytes())), bvh);
    let mut pose = BvhPose::new(&bvh);
    for frame in 0..bvh.frame_count().min(4) {
        pose.update(&bvh, frame, PositionChannels::Add);
        assert!(pose.positions().all(sinew::glam::DVec3::is_finite));
    }
    let options = BvhOptions::default().with_end_sites(true);
    let Ok(character) = bvh.to_character("fuzz", &options) else { return Verdict::Refused };
    for clip in character.clips() {
        // At the rate of the keys: at another rate a clip of years would take too long.
        if bvh.frame_secs() > 0.0 {
            let rate = BvhExport::default().with_frames_per_sec(bvh.frame_secs().recip());
            _ = Bvh::from_clip(&character, clip, &rate);
        }
    }
    Verdict::Accepted
}
