//! The frames of a clip, and which of its tracks they hold.

use sinew::{
    Channel, Clip, ClipCursor, ClipKind, Interpolation, JointId, LocalPose, Skeleton, Transform, Wrap,
    glam::{DAffine3, DQuat, DVec3},
    sample_clip_from,
};
use std::collections::HashSet;

/// The tracks of a joint that are stored in frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FramedTracks {
    pub(super) translation: bool,
    pub(super) rotation: bool,
    pub(super) scale: bool,
}

impl FramedTracks {
    pub(super) fn any(self) -> bool {
        self.translation || self.rotation || self.scale
    }
}

/// A local transform in double precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalTransform {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl LocalTransform {
    pub(super) fn of(transform: &Transform) -> Self {
        Self {
            translation: transform.translation.as_dvec3(),
            rotation: transform.rotation.as_dquat().normalize(),
            scale: transform.scale.as_dvec3(),
        }
    }

    pub(super) fn affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// A clip at even times.
#[derive(Debug)]
pub(super) struct SourceFrames {
    pub(super) rate_hz: f64,
    /// True if the frame after the last stored one is the first again.
    pub(super) is_loop: bool,
    /// The local transforms of every joint in every frame: of joint `j`, `frames[j][frame]`. Additive clips are added to
    /// the rest pose.
    pub(super) locals: Vec<Vec<LocalTransform>>,
    /// The weights of every morph slot that frames hold.
    pub(super) morphs: Vec<(usize, Vec<f64>)>,
    pub(super) framed: Vec<FramedTracks>,
    /// The channels that keep their keys.
    pub(super) keyed: Vec<Channel>,
}

impl SourceFrames {
    pub(super) fn frame_count(&self) -> usize {
        self.locals.first().map_or_else(|| self.morphs.first().map_or(0, |m| m.1.len()), Vec::len)
    }
}

/// The largest number of numbers that frames may hold.
const MAX_NUMBERS: usize = 1 << 28;

/// Samples `clip` at `rate_hz`; `None` if that needs too many frames.
pub(super) fn source_frames(clip: &Clip, skeleton: &Skeleton, rate_hz: f64) -> Option<SourceFrames> {
    let last = (f64::from(clip.duration_secs()) * rate_hz - 1e-3).max(0.0).ceil();
    let numbers = last * (skeleton.len() * 10 + clip.morph_slot_count()) as f64;
    if numbers > MAX_NUMBERS as f64 {
        return None;
    }
    let played = last as usize + 1;
    let (mut framed, mut keyed) = (vec![FramedTracks::default(); skeleton.len()], Vec::new());
    let mut morph_slots = Vec::new();
    for channel in used_channels(clip) {
        let is_framed = played > 1 && is_smooth(channel) && !is_constant(channel);
        match channel {
            Channel::Translation { joint, .. } if is_framed => framed[joint.index()].translation = true,
            Channel::Rotation { joint, .. } if is_framed => framed[joint.index()].rotation = true,
            Channel::Scale { joint, .. } if is_framed => framed[joint.index()].scale = true,
            Channel::Morphs { first_slot, curve } if is_framed => {
                morph_slots.extend(*first_slot..first_slot + curve.width());
            }
            channel => keyed.push(if is_constant(channel) { single_key(channel) } else { channel.clone() }),
        }
    }
    let mut locals = vec![Vec::with_capacity(played); skeleton.len()];
    let mut morphs: Vec<(usize, Vec<f64>)> = morph_slots.into_iter().map(|slot| (slot, Vec::new())).collect();
    let mut cursor = ClipCursor::default();
    let rest = rest_of(clip, skeleton);
    let mut pose = rest.clone();
    for frame in 0..played {
        pose.copy_from(&rest);
        let time = ((frame as f64 / rate_hz) as f32).min(clip.duration_secs());
        sample_clip_from(clip, time, Wrap::Clamp, &mut cursor, &mut pose);
        morphs.iter_mut().for_each(|(slot, weights)| weights.push(f64::from(pose.morphs[*slot])));
        onto_rest(clip, skeleton, &mut pose);
        for (of_joint, joint) in locals.iter_mut().zip(&pose.joints) {
            of_joint.push(LocalTransform::of(joint));
        }
    }
    let mut source = SourceFrames { rate_hz, is_loop: false, locals, morphs, framed, keyed };
    source.find_loop(last / rate_hz, clip);
    Some(source)
}

impl SourceFrames {
    /// Drops the last frame if it is the first again, so that the loop has no seam.
    fn find_loop(&mut self, last_secs: f64, clip: &Clip) {
        let count = self.frame_count();
        let is_end = (last_secs - f64::from(clip.duration_secs())).abs() < 1e-4;
        let same = |of_joint: &Vec<LocalTransform>| {
            let (a, b) = (&of_joint[0], &of_joint[count - 1]);
            (a.translation - b.translation).length() <= 1e-6 * (1.0 + a.translation.length())
                && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-12
                && (a.scale - b.scale).length() <= 1e-6
        };
        let same_weight = |weights: &Vec<f64>| (weights[0] - weights[count - 1]).abs() <= 1e-6;
        if count > 8
            && is_end
            && self.locals.iter().all(same)
            && self.morphs.iter().all(|m| same_weight(&m.1))
        {
            self.is_loop = true;
            self.locals.iter_mut().for_each(|l| _ = l.pop());
            self.morphs.iter_mut().for_each(|m| _ = m.1.pop());
        }
    }
}

/// The pose that a clip starts from: rest, or no difference from it.
pub(super) fn rest_of(clip: &Clip, skeleton: &Skeleton) -> LocalPose {
    let joints = match clip.kind() {
        ClipKind::Absolute => skeleton.rest_transforms().to_vec(),
        ClipKind::Additive => vec![Transform::IDENTITY; skeleton.len()],
    };
    LocalPose { joints, morphs: vec![0.0; clip.morph_slot_count()] }
}

/// Adds the pose of an additive clip to the rest pose, in place.
pub(super) fn onto_rest(clip: &Clip, skeleton: &Skeleton, pose: &mut LocalPose) {
    if clip.kind() == ClipKind::Additive {
        for (joint, rest) in pose.joints.iter_mut().zip(skeleton.rest_transforms()) {
            joint.translation += rest.translation;
            joint.rotation = rest.rotation * joint.rotation;
            joint.scale *= rest.scale;
        }
    }
}

/// The channels that take effect: of several for one property the last, and all morph channels.
fn used_channels(clip: &Clip) -> Vec<&Channel> {
    let mut taken: HashSet<(JointId, &str)> = HashSet::new();
    let mut used: Vec<&Channel> = clip
        .channels()
        .iter()
        .rev()
        .filter(|c| c.joint().is_none_or(|joint| taken.insert((joint, c.property()))))
        .collect();
    used.reverse();
    used
}

/// True if a channel has no steps or jumps.
fn is_smooth(channel: &Channel) -> bool {
    channel.interpolation() != Interpolation::Step
        && channel.times_secs().windows(2).all(|pair| pair[0] < pair[1])
}

fn is_constant(channel: &Channel) -> bool {
    fn same<T: PartialEq>(elements: &[T], width: usize, is_cubic: bool) -> bool {
        // Tangents of a still curve would have to be zero; curves with tangents are not worth the test.
        !is_cubic && elements.chunks(width).all(|key| *key == elements[..width])
    }
    let is_cubic = channel.interpolation() == Interpolation::Cubic && channel.key_count() > 1;
    match channel {
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
            same(curve.elements(), 1, is_cubic)
        }
        Channel::Rotation { curve, .. } => same(curve.elements(), 1, is_cubic),
        Channel::Morphs { curve, .. } => same(curve.elements(), curve.width(), is_cubic),
    }
}

/// A constant channel with its first key alone.
fn single_key(channel: &Channel) -> Channel {
    use sinew::Curve;
    let time = vec![0.0];
    let key = match channel {
        Channel::Translation { joint, curve } => {
            Curve::new(time, curve.key(0).to_vec(), Interpolation::Linear)
                .map(|curve| Channel::Translation { joint: *joint, curve })
        }
        Channel::Rotation { joint, curve } => Curve::new(time, curve.key(0).to_vec(), Interpolation::Linear)
            .map(|curve| Channel::Rotation { joint: *joint, curve }),
        Channel::Scale { joint, curve } => Curve::new(time, curve.key(0).to_vec(), Interpolation::Linear)
            .map(|curve| Channel::Scale { joint: *joint, curve }),
        Channel::Morphs { first_slot, curve } => {
            Curve::with_width(curve.width(), time, curve.key(0).to_vec(), Interpolation::Linear)
                .map(|curve| Channel::Morphs { first_slot: *first_slot, curve })
        }
    };
    key.unwrap_or_else(|_| channel.clone())
}
