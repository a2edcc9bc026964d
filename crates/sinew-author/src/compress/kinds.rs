//! What the bytes of a compressed clip are for.

use sinew::{
    CompressedClip, CompressedParts,
    asset::compressed::{BLOCK_FRAMES, VectorProperty, profile_bits},
};

/// The size of a compressed clip by what the bytes are for. The sum is the size of the clip in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompressedSizes {
    /// Name, rate, counts, and the means of tracks; and what fills the last byte of every block.
    pub header: usize,
    /// The steps and profiles of all segments.
    pub profiles: usize,
    /// The blocks of rotations.
    pub rotations: usize,
    /// The blocks of translations.
    pub translations: usize,
    /// The blocks of scales.
    pub scales: usize,
    /// The blocks of morph weights.
    pub morphs: usize,
    /// Constants, keys, events and meta-channels.
    pub keys: usize,
}

/// The sizes of `clip`, which takes `bytes` in a file.
pub(super) fn sizes(clip: &CompressedClip, bytes: usize) -> CompressedSizes {
    let frames = &clip.parts().frames;
    let mut out = CompressedSizes::default();
    // Rotations, translations, scales, morph weights.
    let mut bits = [0; 4];
    let (mut start, mut first) = (0, 0);
    while first < frames.frame_count && start < frames.data.len() {
        let stored = (frames.frame_count - first).min(frames.segment_frames());
        let blocks = stored.div_ceil(BLOCK_FRAMES);
        let (mut at, mut track, mut block_bits) = (start, 0, 0);
        for (numbers, tracks) in frames.groups() {
            for (n, profile) in frames.data[at + tracks..at + (1 + numbers) * tracks].iter().enumerate() {
                let size = profile_bits(*profile) as usize;
                bits[kind(clip, track + n % tracks)] += size * blocks;
                block_bits += size;
            }
            (at, track) = (at + (1 + numbers) * tracks, track + tracks);
        }
        out.profiles += frames.header_bytes();
        start += frames.header_bytes() + blocks * block_bits.div_ceil(8);
        first += frames.segment_frames();
    }
    [out.rotations, out.translations, out.scales, out.morphs] = bits.map(|bits: usize| bits / 8);
    let mut without_keys = clip.parts().clone();
    without_keys.keyed.channels.clear();
    without_keys.keyed.events.clear();
    without_keys.keyed.metas.clear();
    let CompressedParts { keyed, frames, duration_secs } = without_keys;
    let without_keys = CompressedClip::new(CompressedParts { keyed, frames, duration_secs });
    out.keys = without_keys.map_or(0, |clip| bytes.saturating_sub(clip.stored_bytes()));
    let others = out.profiles + out.rotations + out.translations + out.scales + out.morphs + out.keys;
    out.header = bytes.saturating_sub(others);
    out
}

/// Which of the sizes the track with this index counts for.
fn kind(clip: &CompressedClip, track: usize) -> usize {
    let frames = &clip.parts().frames;
    match track.checked_sub(frames.rotations.len()) {
        None => 0,
        Some(vector) => match frames.vectors.get(vector).map(|track| track.property) {
            Some(VectorProperty::Translation) => 1,
            Some(VectorProperty::Scale) => 2,
            None => 3,
        },
    }
}
