//! Encodes the frames of a clip, parents first.
//!
//! A joint's target makes up for what its decoded ancestors did wrong: the rotation that brings its children and a shell
//! around it closest to their true places, by least squares. Then the largest step is taken whose decoded error stays within
//! the bound.

mod rotation;
mod segments;
mod step;
mod vector;

use super::{
    blocks::{TrackSegment, widths_needed},
    source::{LocalTransform, SourceFrames},
};
use segments::packed;
use sinew::{
    ClipKind, JointId, Skeleton,
    asset::compressed::{BLOCK_FRAMES, CompressedFrames, RotationTrack, VectorTrack},
    glam::{DAffine3, DQuat},
};
use vector::morph;

/// What the encoder is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodeBounds<'a> {
    /// The largest error of a point, in meters.
    pub(super) meters: f64,
    /// The radius of the shell around each joint, in meters.
    pub(super) shells: &'a [f64],
    /// The largest error of a morph weight.
    pub(super) morph_weight: f64,
    /// The number of blocks of a segment.
    pub(super) segment_blocks: usize,
}

impl EncodeBounds<'_> {
    fn segment_frames(&self) -> usize {
        self.segment_blocks * BLOCK_FRAMES
    }
}

/// One encoded track: what it animates and its segments.
struct EncodedTrack<T> {
    track: T,
    segments: Vec<TrackSegment>,
}

/// The state of the encoder.
struct ClipEncoder<'a> {
    source: &'a SourceFrames,
    skeleton: &'a Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'a>,
    /// `model_from_joint` of the source, by joint and frame.
    wanted: Vec<Vec<DAffine3>>,
    /// The products of rotations of the source.
    wanted_turns: Vec<Vec<DQuat>>,
    /// The decoded `model_from_joint`, by joint and frame.
    got: Vec<Vec<DAffine3>>,
    got_turns: Vec<Vec<DQuat>>,
    rotations: Vec<EncodedTrack<RotationTrack>>,
    vectors: Vec<EncodedTrack<VectorTrack>>,
}

/// Stores the frames of `source` within `bounds`.
pub(super) fn encode(
    source: &SourceFrames,
    skeleton: &Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'_>,
) -> CompressedFrames {
    let mut encoder = ClipEncoder::new(source, skeleton, kind, bounds);
    for joint in skeleton.joints() {
        encoder.joint(joint);
    }
    let morphs = source.morphs.iter().map(|(slot, weights)| morph(*slot, weights, bounds)).collect();
    packed(source, bounds.segment_blocks, encoder.rotations, encoder.vectors, morphs)
}

/// The widths that every number of every segment of `source` needs.
pub(super) fn widths(
    source: &SourceFrames,
    skeleton: &Skeleton,
    kind: ClipKind,
    bounds: EncodeBounds<'_>,
) -> Vec<[u8; BLOCK_FRAMES]> {
    let mut encoder = ClipEncoder::new(source, skeleton, kind, bounds);
    skeleton.joints().for_each(|joint| encoder.joint(joint));
    let rotations = encoder.rotations.iter().flat_map(|track| &track.segments);
    let segments = rotations.chain(encoder.vectors.iter().flat_map(|track| &track.segments));
    segments.flat_map(|segment| segment.numbers.iter().map(|blocks| widths_needed(blocks))).collect()
}

impl<'a> ClipEncoder<'a> {
    fn new(
        source: &'a SourceFrames,
        skeleton: &'a Skeleton,
        kind: ClipKind,
        bounds: EncodeBounds<'a>,
    ) -> Self {
        let (mut wanted, mut wanted_turns): (Vec<Vec<DAffine3>>, Vec<Vec<DQuat>>) = Default::default();
        for joint in skeleton.joints() {
            let locals = &source.locals[joint.index()];
            let parent = skeleton.parent(joint).map(JointId::index);
            let model = |frame: usize| parent.map_or(DAffine3::IDENTITY, |p| wanted[p][frame]);
            let turn = |frame: usize| parent.map_or(DQuat::IDENTITY, |p| wanted_turns[p][frame]);
            let models = locals.iter().enumerate().map(|(f, local)| model(f) * local.affine()).collect();
            let turns = locals.iter().enumerate().map(|(f, local)| turn(f) * local.rotation).collect();
            wanted.push(models);
            wanted_turns.push(turns);
        }
        Self {
            source,
            skeleton,
            kind,
            bounds,
            wanted,
            wanted_turns,
            got: Vec::new(),
            got_turns: Vec::new(),
            rotations: Vec::new(),
            vectors: Vec::new(),
        }
    }

    fn parent_got(&self, joint: JointId, frame: usize) -> (DAffine3, DQuat) {
        self.skeleton.parent(joint).map_or((DAffine3::IDENTITY, DQuat::IDENTITY), |p| {
            (self.got[p.index()][frame], self.got_turns[p.index()][frame])
        })
    }

    /// Encodes what moves of one joint, and decodes it.
    fn joint(&mut self, joint: JointId) {
        let framed = self.source.framed[joint.index()];
        let mut locals = self.source.locals[joint.index()].clone();
        if framed.translation {
            self.translation(joint, &mut locals);
        }
        if framed.scale {
            self.scale(joint, &mut locals);
        }
        if framed.rotation {
            self.rotation(joint, &mut locals);
        }
        let frames = 0..locals.len();
        let models = frames.clone().map(|f| self.parent_got(joint, f).0 * locals[f].affine()).collect();
        let turns = frames.map(|f| self.parent_got(joint, f).1 * locals[f].rotation).collect();
        self.got.push(models);
        self.got_turns.push(turns);
    }

    fn rest(&self, joint: JointId) -> LocalTransform {
        LocalTransform::of(&self.skeleton.rest(joint))
    }
}
