//! FBX files, read as characters and as motions.

use super::{reread, used};
use crate::subject::Verdict;
use sinew_formats::{
    ReadOptions,
    bvh::{Bvh, BvhExport},
    fbx::{FbxOptions, read_fbx},
};

fn options() -> ReadOptions {
    ReadOptions::default().with_max_unpacked_bytes(64 << 20)
}

/// Any bytes as an FBX file.
pub fn fbx(bytes: &[u8]) -> Verdict {
    used(&read_fbx(bytes, "fuzz", &options()))
}

/// Any bytes as an FBX file whose takes are evaluated at a fixed rate and between their keys, and written as BVH.
pub fn fbx_motion(bytes: &[u8]) -> Verdict {
    let fixed = options().with_fbx(FbxOptions::default().with_frames_per_sec(Some(30.0)));
    _ = read_fbx(bytes, "fuzz", &fixed);
    let Ok(import) = read_fbx(bytes, "fuzz", &options()) else { return Verdict::Refused };
    for clip in import.character.clips().iter().take(4) {
        if let Ok(bvh) = Bvh::from_clip(&import.character, clip, &BvhExport::default()) {
            let again = reread(Bvh::parse(bvh.to_text().as_bytes()));
            assert_eq!(again.frame_count(), bvh.frame_count());
        }
    }
    Verdict::Accepted
}
