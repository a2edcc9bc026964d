//! The keys of a clip that is stored in compressed frames, decoded when they are first needed.

use super::{Channel, Clip, ClipParts, HomeSkeleton};
use crate::{
    asset::{
        compressed::{CompressedClip, VectorProperty},
        curve::{Curve, Interpolation},
        skeleton::{JointId, Skeleton},
    },
    pose::LocalPose,
    range::{InRange as _, MAX_VALUE},
    sample::{ClipCursor, sample_compressed},
    transform::Transform,
};
use glam::{Quat, Vec3};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// The compressed form of a clip, and its keys once somebody asked for them. The keys follow from the frames, so the
/// comparison of clips and their debug output ignore them.
#[derive(Clone)]
pub(super) struct CompressedKeys {
    pub(super) clip: Arc<CompressedClip>,
    keys: OnceLock<ClipParts>,
}

impl fmt::Debug for CompressedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clip.fmt(f)
    }
}

impl PartialEq for CompressedKeys {
    fn eq(&self, other: &Self) -> bool {
        self.clip == other.clip
    }
}

impl CompressedKeys {
    pub(super) fn keys(&self) -> &ClipParts {
        self.keys.get_or_init(|| decode(&self.clip))
    }

    pub(super) fn into_keys(self) -> ClipParts {
        let Self { clip, keys } = self;
        keys.into_inner().unwrap_or_else(|| decode(&clip))
    }
}

impl Clip {
    /// A clip that is stored in the frames of `compressed`. It is played from them; keys are decoded from them when they are
    /// first asked for, one for each frame, and a clip that is changed is one of keys.
    #[must_use]
    pub fn of_compressed(compressed: impl Into<Arc<CompressedClip>>) -> Self {
        let clip = compressed.into();
        let (keyed, duration_secs, home) = (&clip.parts().keyed, clip.duration_secs(), clip.home());
        let parts = ClipParts {
            name: keyed.name.clone(),
            channels: Vec::new(),
            events: keyed.events.clone(),
            metas: keyed.metas.clone(),
            kind: keyed.kind,
            duration_secs: Some(duration_secs),
        };
        let compressed = Some(CompressedKeys { clip, keys: OnceLock::new() });
        Self { parts, duration_secs, home, compressed }
    }

    /// The compressed frames that the clip is stored in; `None` for a clip of keys.
    pub fn compressed(&self) -> Option<&Arc<CompressedClip>> {
        self.compressed.as_ref().map(|compressed| &compressed.clip)
    }

    /// The number of keys that decoding gives, tangents aside: the price of asking for them. 0 for a clip of keys.
    pub fn encoded_key_count(&self) -> usize {
        let frames = self.compressed().map(|clip| &clip.parts().frames);
        frames.map_or(0, |frames| {
            let tracks = frames.rotations.len() + frames.vectors.len() + frames.morphs.len();
            tracks.saturating_mul(frames.played_count())
        })
    }

    /// The same clip, owned by a character with `skeleton`.
    pub(crate) fn adopt(&mut self, skeleton: &Skeleton) {
        self.home = HomeSkeleton::of(skeleton, self.joint_count());
        if let Some(CompressedKeys { clip, keys }) = self.compressed.take() {
            let clip = Arc::new(Arc::unwrap_or_clone(clip).of_skeleton(skeleton));
            self.compressed = Some(CompressedKeys { clip, keys });
        }
    }
}

/// The clip with a key for every frame, clamped to the numbers that keys may have.
fn decode(clip: &CompressedClip) -> ClipParts {
    let (keyed, frames) = (&clip.parts().keyed, &clip.parts().frames);
    let tracks = frames.rotations.len() + frames.vectors.len() + frames.morphs.len();
    let count = if tracks == 0 { 0 } else { frames.played_count() };
    let last_secs = clip.duration_secs();
    let time = |frame: usize| ((frame as f64 / frames.rate_hz) as f32).clamp(0.0, last_secs);
    let times: Vec<f32> = (0..count).map(time).collect();
    let mut rotations = vec![Vec::with_capacity(count); frames.rotations.len()];
    let mut vectors = vec![Vec::with_capacity(count); frames.vectors.len()];
    let mut morphs = vec![Vec::with_capacity(count); frames.morphs.len()];
    let mut pose = LocalPose {
        joints: vec![Transform::IDENTITY; clip.joint_count()],
        morphs: vec![0.0; clip.morph_slot_count()],
    };
    let mut cursor = ClipCursor::with_room(clip.keyed_channels().len());
    for &time in &times {
        sample_compressed(clip, time, &mut cursor, &mut pose);
        for (track, out) in frames.rotations.iter().zip(&mut rotations) {
            out.push(pose.joints.get(track.joint.index()).map_or(Quat::IDENTITY, |j| unit(j.rotation)));
        }
        for (track, out) in frames.vectors.iter().zip(&mut vectors) {
            out.push(pose.joints.get(track.joint.index()).map_or(Vec3::ZERO, |j| match track.property {
                VectorProperty::Translation => in_range(j.translation),
                VectorProperty::Scale => in_range(j.scale),
            }));
        }
        for (track, out) in frames.morphs.iter().zip(&mut morphs) {
            out.push(pose.morphs.get(track.slot).map_or(0.0, |weight| in_range(Vec3::splat(*weight)).x));
        }
    }
    let mut channels = keyed.channels.clone();
    // Tracks of joints that are skipped have no keys.
    let is_kept = |joint: JointId| joint.index() < clip.joint_count();
    for (track, keys) in frames.rotations.iter().zip(rotations).filter(|(t, _)| is_kept(t.joint)) {
        channels.extend(curve(&times, keys).map(|curve| Channel::Rotation { joint: track.joint, curve }));
    }
    for (track, keys) in frames.vectors.iter().zip(vectors).filter(|(t, _)| is_kept(t.joint)) {
        let joint = track.joint;
        channels.extend(curve(&times, keys).map(|curve| match track.property {
            VectorProperty::Translation => Channel::Translation { joint, curve },
            VectorProperty::Scale => Channel::Scale { joint, curve },
        }));
    }
    let is_slot = |slot: usize| slot < clip.morph_slot_count();
    for (track, keys) in frames.morphs.iter().zip(morphs).filter(|(t, _)| is_slot(t.slot)) {
        channels.extend(curve(&times, keys).map(|curve| Channel::Morphs { first_slot: track.slot, curve }));
    }
    ClipParts { channels, duration_secs: Some(last_secs), ..keyed.clone() }
}

fn curve<T>(times: &[f32], keys: Vec<T>) -> Option<Curve<T>> {
    Curve::new(times.to_vec(), keys, Interpolation::Linear).ok()
}

fn unit(rotation: Quat) -> Quat {
    let unit = rotation.normalize();
    if unit.is_in_range() { unit } else { Quat::IDENTITY }
}

fn in_range(vector: Vec3) -> Vec3 {
    let number = |n: f32| if n.is_nan() { 0.0 } else { n.clamp(-MAX_VALUE, MAX_VALUE) };
    Vec3::from(vector.to_array().map(number))
}
