//! Whole clips, converted when they are loaded.

use super::{HumanoidRetarget, RetargetScratch};
use crate::{
    asset::{
        clip::{Channel, Clip, ClipError, ClipKind, ClipParts, MetaChannel, MetaCurve},
        curve::{Curve, CurveError, Interpolation},
        skeleton::JointId,
    },
    sample::{ClipCursor, RootTrack, Wrap, sample_clip_from},
};
use glam::{Quat, Vec3};
use thiserror::Error;

/// The most frames of a clip.
const MAX_FRAMES: f64 = 1e6;

/// Why a clip cannot be retargeted.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RetargetClipError {
    /// The clip stores differences, not poses.
    #[error("clip {clip:?} is additive and has no poses of its own")]
    Additive {
        /// The name of the clip.
        clip: String,
    },
    /// The clip animates joints that the source does not have.
    #[error("clip {clip:?} animates {joints} joints, the source has {source_joints}")]
    ForeignClip {
        /// The name of the clip.
        clip: String,
        /// How many joints a pose must have for the clip.
        joints: usize,
        /// How many joints the source has.
        source_joints: usize,
    },
    /// The rate is not positive and finite, or the clip would have too many frames.
    #[error("clip {clip:?} of {duration_secs} s cannot be sampled {rate_hz} times a second")]
    BadRate {
        /// The name of the clip.
        clip: String,
        /// The duration of the clip in seconds.
        duration_secs: f32,
        /// The rate that was given.
        rate_hz: f32,
    },
    /// A pose of the clip leads to numbers that no curve can hold.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// As [`RetargetClipError::Curve`], for the whole clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

impl HumanoidRetarget {
    /// `clip` of the source as a clip of the target with `rate_hz` keys per second. Playing it costs nothing more than any
    /// other clip: in graphs, montages and [`Archetype::add_motion`](crate::instance::Archetype::add_motion).
    ///
    /// Name, events and meta-channels stay; root motion is scaled. Morph weights and joints that are not bones are left out.
    ///
    /// # Errors
    /// If the clip is additive or of another skeleton, the rate is not positive and finite, or a number leaves its range.
    pub fn bind(&self, clip: &Clip, rate_hz: f32) -> Result<Clip, RetargetClipError> {
        let name = || clip.name().to_owned();
        let source_joints = self.source.len();
        if clip.kind() == ClipKind::Additive {
            return Err(RetargetClipError::Additive { clip: name() });
        }
        if clip.joint_count() > source_joints {
            let joints = clip.joint_count();
            return Err(RetargetClipError::ForeignClip { clip: name(), joints, source_joints });
        }
        let times_secs = times(clip, rate_hz)?;
        let tracks = self.tracks(clip, &times_secs);
        let curve = |values| Curve::new(times_secs.clone(), values, Interpolation::Linear);
        let mut channels = Vec::with_capacity(tracks.rotations.len() + 1);
        for (joint, rotations) in tracks.rotations {
            channels.push(Channel::Rotation { joint, curve: curve(rotations)? });
        }
        let hips = Curve::new(times_secs.clone(), tracks.hips, Interpolation::Linear)?;
        channels.push(Channel::Translation { joint: self.hips, curve: hips });
        let metas = clip.metas().iter().map(|meta| self.scaled(meta)).collect::<Result<_, _>>()?;
        Ok(Clip::from_parts(ClipParts { channels, metas, ..clip.parts().clone() })?)
    }

    fn tracks(&self, clip: &Clip, times_secs: &[f32]) -> BoneTracks {
        let linked = self.target.joints().filter(|joint| self.source_of(*joint).is_some());
        let empty = |joint| (joint, Vec::with_capacity(times_secs.len()));
        let mut tracks = BoneTracks { rotations: linked.map(empty).collect(), hips: Vec::new() };
        let (mut source, rest) = (self.source.rest_pose(), self.target.rest_pose());
        source.morphs.resize(clip.morph_slot_count(), 0.0);
        let (mut pose, mut scratch) = (rest.clone(), RetargetScratch::new(self));
        let mut cursor = ClipCursor::default();
        for &time_secs in times_secs {
            sample_clip_from(clip, time_secs, Wrap::Clamp, &mut cursor, &mut source);
            pose.copy_from(&rest);
            self.apply(&source, &mut scratch, &mut pose);
            for (joint, rotations) in &mut tracks.rotations {
                let now = pose.joints[joint.index()].rotation;
                // Neighboring keys lie on the same half of the sphere, so that interpolation takes the short way.
                let is_far = rotations.last().is_some_and(|last: &Quat| last.dot(now) < 0.0);
                rotations.push(if is_far { -now } else { now });
            }
            tracks.hips.push(pose.joints[self.hips.index()].translation);
        }
        tracks
    }

    /// Root motion in the axes and the size of the target; other meta-channels as they are.
    fn scaled(&self, meta: &MetaChannel) -> Result<MetaChannel, CurveError> {
        let turn = self.target_from_source;
        let curve = match (&*meta.name, &meta.curve) {
            (RootTrack::TRANSLATION, MetaCurve::Vector(curve)) => {
                MetaCurve::Vector(mapped(curve, |v: Vec3| turn * v * self.scale)?)
            }
            (RootTrack::ROTATION, MetaCurve::Rotation(curve)) => {
                MetaCurve::Rotation(mapped(curve, |q: Quat| turn * q * turn.conjugate())?)
            }
            (_, other) => other.clone(),
        };
        Ok(MetaChannel { name: meta.name.clone(), curve })
    }
}

/// A curve with other values, tangents included: `map` is linear.
fn mapped<T: Copy>(curve: &Curve<T>, map: impl Fn(T) -> T) -> Result<Curve<T>, CurveError> {
    let values = curve.elements().iter().map(|value| map(*value)).collect();
    Curve::with_width(curve.width(), curve.times_secs().to_vec(), values, curve.interpolation())
}

/// The keys of every bone.
struct BoneTracks {
    rotations: Vec<(JointId, Vec<Quat>)>,
    hips: Vec<Vec3>,
}

/// Even times from the start of `clip` to its end.
fn times(clip: &Clip, rate_hz: f32) -> Result<Vec<f32>, RetargetClipError> {
    let duration_secs = clip.duration_secs();
    let steps = (f64::from(duration_secs) * f64::from(rate_hz) - 1e-3).ceil().max(0.0);
    if !(rate_hz > 0.0 && rate_hz.is_finite() && steps < MAX_FRAMES) {
        return Err(RetargetClipError::BadRate { clip: clip.name().into(), duration_secs, rate_hz });
    }
    let time = |step: f64| (f64::from(duration_secs) * (step / steps.max(1.0))) as f32;
    Ok((0..=steps as u32).map(|step| time(f64::from(step))).collect())
}
