//! Retargeting: transfers motion from one skeleton to another.
//!
//! ```
//! use sinew_author::retarget::{JointMap, RetargetOptions, retarget};
//!
//! let (from, onto) = (sinew_samples::figure(), sinew_samples::figure());
//! let map = JointMap::guess(from.skeleton(), onto.skeleton());
//! let walk = from.find_clip("walk").unwrap();
//! let (clip, report) = retarget(from.skeleton(), walk, &onto, &map, &RetargetOptions::default())?;
//! assert_eq!(report.root_scale, 1.0);
//! assert_eq!(clip.duration_secs(), walk.duration_secs());
//! # Ok::<(), sinew_author::retarget::RetargetError>(())
//! ```
//!
//! First the rest poses are aligned, so that arms, legs and feet point the same way. Then every mapped joint rotates in model
//! space as its source rotates from its rest pose. Root translation is scaled by the ratio of leg lengths, and planted feet are
//! pinned with two-bone IK to prevent foot sliding.

mod align;
pub(crate) mod anatomy;
mod contact;
mod feet;
mod map;
mod name;
mod report;
mod rest;
mod shape;
mod stance;
mod take;
mod transfer;

pub use map::{JointMap, JointMapError, JointPair};
pub use report::{FootReport, FootSlide, RetargetReport};

use crate::motion::{MotionError, baked};
use align::AlignedBody;
use anatomy::Anatomy;
use contact::{ContactThresholds, contacts};
use feet::{Foot, GroundPlane, keep};
use rest::{model_rest, model_turns};
use sinew::{
    BodySide, Character, Clip, ClipError, ClipEvent, LocalPose, ModelPose, Skeleton, Wrap,
    constrain::IkError, glam::Vec3, sample_clip,
};
use stance::Stance;
use std::ops::Range;
use take::{ContactSteps, SampledTake};
use thiserror::Error;
use transfer::Transfer;

/// How motion is retargeted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetargetOptions {
    /// True to pin planted feet.
    pub feet: bool,
    /// The number of poses per second; `None` uses the key times of the clip.
    pub rate_hz: Option<f32>,
    /// The time in the clip whose pose is used as the rest pose of the source, in seconds; `None` uses the rest frame before the
    /// motion if it was dropped, and otherwise the skeleton's own rest pose.
    ///
    /// Use it for skeletons whose rest pose is not a natural pose.
    pub rest_secs: Option<f32>,
    /// True to drop the first frame if it is near the rest pose and the second is far from it, as in many motion captures.
    pub drop_rest_frame: bool,
    /// The scale of root translation; `None` uses the ratio of leg lengths.
    pub root_scale: Option<f32>,
    /// A foot is planted while it is lower than this above the ground, as a fraction of the leg length.
    pub standing_height: f32,
    /// A planted foot is also slower than this, in leg lengths per second, or than a tenth of its swing speed.
    pub standing_speed: f32,
    /// The time over which pinning fades in before and out after a contact, in seconds.
    pub fade_secs: f32,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self {
            feet: true,
            rate_hz: None,
            rest_secs: None,
            drop_rest_frame: true,
            root_scale: None,
            standing_height: 0.06,
            standing_speed: 0.4,
            fade_secs: 0.12,
        }
    }
}

impl RetargetOptions {
    /// The same options with foot pinning on or off.
    #[must_use]
    pub fn with_feet(self, feet: bool) -> Self {
        Self { feet, ..self }
    }

    /// The same options with a fixed rate of poses per second.
    #[must_use]
    pub fn with_rate_hz(self, rate_hz: f32) -> Self {
        Self { rate_hz: Some(rate_hz), ..self }
    }

    /// The same options with the rest pose of the source taken from a time in the clip.
    #[must_use]
    pub fn with_rest_secs(self, rest_secs: f32) -> Self {
        Self { rest_secs: Some(rest_secs), ..self }
    }

    /// The same options with a fixed scale of root translation.
    #[must_use]
    pub fn with_root_scale(self, root_scale: f32) -> Self {
        Self { root_scale: Some(root_scale), ..self }
    }

    fn check(&self) -> Result<(), RetargetError> {
        let numbers = [
            ("standing_height", Some(self.standing_height), 0.0),
            ("standing_speed", Some(self.standing_speed), 0.0),
            ("fade_secs", Some(self.fade_secs), 0.0),
            ("rest_secs", self.rest_secs, f32::MIN),
            ("rate_hz", self.rate_hz, f32::MIN_POSITIVE),
            ("root_scale", self.root_scale, f32::MIN_POSITIVE),
        ];
        for (option, value, min) in numbers {
            if let Some(value) = value.filter(|v| !v.is_finite() || *v < min) {
                return Err(RetargetError::BadOption { option, value });
            }
        }
        Ok(())
    }
}

/// Why motion cannot be retargeted.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RetargetError {
    /// No joint of the source is mapped to a joint of the target.
    #[error("no joint is mapped: write a joint map")]
    NothingMapped,
    /// The clip is additive, so it defines no poses.
    #[error("clip {clip:?} must not be additive")]
    Additive {
        /// The name of the clip.
        clip: String,
    },
    /// The clip or the map does not fit the skeletons.
    #[error("{what} uses joint {joint}, but the skeleton has {joints} joints")]
    WrongSkeleton {
        /// The input that does not fit.
        what: &'static str,
        /// The index of the joint.
        joint: usize,
        /// The number of joints of the skeleton.
        joints: usize,
    },
    /// An option is not finite or out of range.
    #[error("{option} is out of range, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f32,
    },
    /// There are too many poses.
    #[error("the result must have at most 1,000,000 poses, got {frames}")]
    TooLong {
        /// The number of poses that the options ask for.
        frames: f64,
    },
    /// IK of a leg failed.
    #[error(transparent)]
    Ik(#[from] IkError),
    /// The poses could not be baked to a clip.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The events are not valid for the clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Retargets `clip` from `source` to `target`. The result has the same name and events.
///
/// Rotations and root translation are retargeted; morph weights, scales and other translations are not. Meta-channels are kept
/// if no frame was dropped at the start.
///
/// # Errors
/// If the clip or the map does not fit the skeletons, nothing is mapped, or an option is out of range.
pub fn retarget(
    source: &Skeleton,
    clip: &Clip,
    target: &Character,
    map: &JointMap,
    options: &RetargetOptions,
) -> Result<(Clip, RetargetReport), RetargetError> {
    options.check()?;
    check_map(source, clip, target.skeleton(), map)?;
    let take = SampledTake::new(source, clip, options)?;
    let onto: &Skeleton = target.skeleton();
    let source_rest_pose = rest_of(source, clip, options.rest_secs.or(take.left_out_secs));
    let mut source_rest = ModelPose::new(source);
    source_rest.update(source, &source_rest_pose);
    let (source_anatomy, target_anatomy) = (Anatomy::of(source), Anatomy::of(onto));
    let target_rest = model_rest(onto);
    let source_stance = Stance::new(source, &source_anatomy, &source_rest);
    let target_stance = Stance::new(onto, &target_anatomy, &target_rest);
    let from = AlignedBody {
        skeleton: source,
        anatomy: &source_anatomy,
        rest: &source_rest,
        stance: &source_stance,
    };
    let to =
        AlignedBody { skeleton: onto, anatomy: &target_anatomy, rest: &target_rest, stance: &target_stance };

    let mut source_turns = Vec::new();
    model_turns(source, &source_rest_pose, &mut source_turns);
    let mut transfer = Transfer::new(&from, &to, map, &source_turns);
    if let Some(scale) = options.root_scale {
        transfer.scale = scale;
    }
    let steps = take.steps(&from);
    let ground = target_ground(&target_stance);
    let contacts = contacts_of(&to, &steps, &transfer, &take, options);
    if let Some(lowest) = steps.ground {
        let source_ankle = lowest + steps.usual_height(&contacts) + source_stance.ankle_height;
        let target_ankle = target_stance.lowest_foot + target_stance.ankle_height;
        transfer.stand(target_stance.up, source_ankle, target_ankle);
    }
    let mut poses = take.poses(target, &mut transfer);
    let feet = feet_of(&to, ground, contacts)?;
    let carrier = transfer.carrier().filter(|_| !feet.is_empty());
    let feet = carrier.map_or(Vec::new(), |carrier| {
        let ground = GroundPlane { height: ground, fade_secs: options.fade_secs, carrier };
        keep(&to, &feet, ground, &take.times_secs, &mut poses, options.feet)
    });
    let clip = finished(clip, target, &take, &poses)?;
    let report = report(source, onto, map, &take, transfer.scale, feet);
    Ok((clip, report))
}

fn check_map(source: &Skeleton, clip: &Clip, target: &Skeleton, map: &JointMap) -> Result<(), RetargetError> {
    if clip.kind() == sinew::ClipKind::Additive {
        return Err(RetargetError::Additive { clip: clip.name().to_owned() });
    }
    let last = |what, joint: Option<usize>, joints| match joint {
        Some(joint) if joint >= joints => Err(RetargetError::WrongSkeleton { what, joint, joints }),
        _ => Ok(()),
    };
    last("the clip", clip.joint_count().checked_sub(1), source.len())?;
    last("the map", map.pairs().iter().map(|p| p.source.index()).max(), source.len())?;
    last("the map", map.pairs().iter().map(|p| p.target.index()).max(), target.len())?;
    if map.pairs().is_empty() { Err(RetargetError::NothingMapped) } else { Ok(()) }
}

fn rest_of(source: &Skeleton, clip: &Clip, rest_secs: Option<f32>) -> LocalPose {
    let mut pose = source.rest_pose();
    // Slots for morph weights that the clip may animate; they are not used.
    pose.morphs.resize(clip.morph_slot_count(), 0.0);
    if let Some(time) = rest_secs {
        sample_clip(clip, time, Wrap::Clamp, &mut pose);
    }
    pose
}

/// The ground height of the target at rest: 0 if its feet are slightly above it, otherwise the height of its lowest joint.
fn target_ground(stance: &Stance) -> f32 {
    let leg = stance.leg_length.unwrap_or(0.0);
    if (0.0..=0.25 * leg).contains(&stance.lowest_foot) { 0.0 } else { stance.lowest_foot }
}

/// The contact ranges of the left and the right foot; `None` if unknown.
type Contacts = [Option<Vec<Range<usize>>>; 2];

fn contacts_of(
    target: &AlignedBody<'_>,
    steps: &ContactSteps,
    transfer: &Transfer<'_>,
    take: &SampledTake<'_>,
    options: &RetargetOptions,
) -> Contacts {
    let Some(leg) = target.stance.leg_length else { return [None, None] };
    let standing = ContactThresholds {
        height: options.standing_height * leg,
        speed: options.standing_speed * leg,
        shortest_secs: 0.03,
        shortest_gap_secs: 0.05,
    };
    steps.sides.each_ref().map(|step| {
        let step = step.as_ref()?;
        let points: Vec<Vec3> = step.points.iter().map(|&p| transfer.place(p)).collect();
        let heights: Vec<f32> = step.heights.iter().map(|h| h * transfer.scale).collect();
        Some(contacts(&take.times_secs, &points, &heights, standing))
    })
}

fn feet_of(target: &AlignedBody<'_>, ground: f32, contacts: Contacts) -> Result<Vec<Foot>, RetargetError> {
    let mut out = Vec::new();
    for (side, contacts) in BodySide::BOTH.into_iter().zip(contacts) {
        if let Some(contacts) = contacts {
            out.extend(Foot::new(target, side, ground, contacts)?);
        }
    }
    Ok(out)
}

fn finished(
    clip: &Clip,
    target: &Character,
    take: &SampledTake<'_>,
    poses: &[LocalPose],
) -> Result<Clip, RetargetError> {
    let times: Vec<f32> = take.times_secs.iter().map(|t| t - take.start_secs).collect();
    let mut parts = baked(clip.name(), target, &times, poses)?.into_parts();
    let moved =
        |e: &ClipEvent| ClipEvent { time_secs: (e.time_secs - take.start_secs).max(0.0), ..e.clone() };
    parts.events = clip.events().iter().map(moved).collect();
    if let Some(duration) = clip.parts().duration_secs {
        parts.duration_secs = Some((duration - take.start_secs).max(0.0));
    }
    if take.start_secs <= 0.0 {
        parts.metas = clip.metas().to_vec();
    }
    Ok(Clip::from_parts(parts)?)
}

fn report(
    source: &Skeleton,
    target: &Skeleton,
    map: &JointMap,
    take: &SampledTake<'_>,
    root_scale: f32,
    feet: Vec<FootReport>,
) -> RetargetReport {
    let names = |p: &JointPair| (source.name(p.source).to_owned(), target.name(p.target).to_owned());
    let free = source.joints().filter(|&j| take.moves(j) && !map.moves(j));
    let still = target.joints().filter(|&j| map.source_of(j).is_none());
    RetargetReport {
        mapped: map.pairs().iter().map(names).collect(),
        unmapped_source: free.map(|j| source.name(j).to_owned()).collect(),
        unmapped_target: still.map(|j| target.name(j).to_owned()).collect(),
        root_scale,
        frames: take.times_secs.len(),
        dropped_rest_frame: take.left_out_secs.is_some(),
        feet,
    }
}

#[cfg(test)]
mod tests;
