//! Motion of one skeleton on another.
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
//! Every mapped joint turns in model space as its source turns away from its rest, after arms, legs and feet of both rests were
//! made to point the same way. The body's way is scaled by the ratio of leg lengths, and feet stay where they stand.

mod align;
mod anatomy;
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
pub use name::BodySide;
pub use report::{FootReport, RetargetReport, Slide};

use crate::motion::{MotionError, baked};
use align::AlignedBody;
use anatomy::Anatomy;
use contact::{Standing, contacts};
use feet::{Foot, GroundPlane, keep};
use rest::{model_rest, model_turns};
use sinew::{
    Character, Clip, ClipError, ClipEvent, LocalPose, ModelPose, Skeleton, Wrap, constrain::IkError,
    glam::Vec3, sample_clip,
};
use stance::Stance;
use std::ops::Range;
use take::{ContactSteps, SampledTake};
use thiserror::Error;
use transfer::Transfer;

/// How motion is taken over.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetargetOptions {
    /// True to keep feet where they stand.
    pub feet: bool,
    /// Poses a second; `None` takes the times of the clip's keys.
    pub rate_hz: Option<f32>,
    /// The moment of the clip whose pose is the source's rest; `None` takes the rest pose that stands in front of the
    /// motion, where one is left out, else the skeleton's own.
    ///
    /// For skeletons that rest in no pose that a body could take.
    pub rest_secs: Option<f32>,
    /// True to leave out the first frame where it is near the rest pose and the second is far from it, as in many captures.
    pub drop_rest_frame: bool,
    /// What the body's way is multiplied by; `None` takes the ratio of leg lengths.
    pub root_scale: Option<f32>,
    /// A foot stands while it is lower than this over the ground, in parts of the leg's length.
    pub standing_height: f32,
    /// And slower than this, in leg lengths a second, or than a tenth of its own speed when it swings.
    pub standing_speed: f32,
    /// How long before and after it stands a foot is led there and back.
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
    /// The same with feet kept in place or left alone.
    #[must_use]
    pub fn with_feet(self, feet: bool) -> Self {
        Self { feet, ..self }
    }

    /// The same at a rate of its own.
    #[must_use]
    pub fn with_rate_hz(self, rate_hz: f32) -> Self {
        Self { rate_hz: Some(rate_hz), ..self }
    }

    /// The same with a moment of the clip for the source's rest.
    #[must_use]
    pub fn with_rest_secs(self, rest_secs: f32) -> Self {
        Self { rest_secs: Some(rest_secs), ..self }
    }

    /// The same with a scale of the way that is not the ratio of leg lengths.
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
        for (option, value, least) in numbers {
            if let Some(value) = value.filter(|v| !v.is_finite() || *v < least) {
                return Err(RetargetError::BadOption { option, value });
            }
        }
        Ok(())
    }
}

/// Why motion cannot be taken over.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RetargetError {
    /// No joint of the source moves a joint of the target.
    #[error("no joint is mapped: write a joint map")]
    NothingMapped,
    /// The clip says what to add to a pose, not where joints are.
    #[error("clip {clip:?} is additive")]
    Additive {
        /// The clip's name.
        clip: String,
    },
    /// The clip or the map is not of the skeletons.
    #[error("{what} names joint {joint}, there are {joints}")]
    WrongSkeleton {
        /// Which of the two.
        what: &'static str,
        /// The joint's place.
        joint: usize,
        /// How many the skeleton has.
        joints: usize,
    },
    /// An option is not a number or out of its range.
    #[error("{option} cannot be {value}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What was given.
        value: f32,
    },
    /// More poses than can be held.
    #[error("{frames} poses are too many")]
    TooLong {
        /// How many were asked for.
        frames: f64,
    },
    /// A leg cannot be solved.
    #[error(transparent)]
    Ik(#[from] IkError),
    /// The poses make no clip.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The events make no clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// `clip`, made for `source`, as a clip of `target` with the same name and events.
///
/// Morph weights and scales are not taken over; neither are translations, but for the way of the body. Meta-channels are
/// taken over where no frame was left out at the start.
///
/// # Errors
/// Where the clip or the map is not of the skeletons, nothing is mapped, or an option is out of its range.
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
    // Slots for shapes that the clip may move; nobody looks at them.
    pose.morphs.resize(clip.morph_slot_count(), 0.0);
    if let Some(time) = rest_secs {
        sample_clip(clip, time, Wrap::Clamp, &mut pose);
    }
    pose
}

/// How high the ground is on which the target rests: 0 where its feet are a little above that, else its lowest joint.
fn target_ground(stance: &Stance) -> f32 {
    let leg = stance.leg_length.unwrap_or(0.0);
    if (0.0..=0.25 * leg).contains(&stance.lowest_foot) { 0.0 } else { stance.lowest_foot }
}

/// When each foot stands, left and right; `None` where it is not known.
type Contacts = [Option<Vec<Range<usize>>>; 2];

fn contacts_of(
    target: &AlignedBody<'_>,
    steps: &ContactSteps,
    transfer: &Transfer<'_>,
    take: &SampledTake<'_>,
    options: &RetargetOptions,
) -> Contacts {
    let Some(leg) = target.stance.leg_length else { return [None, None] };
    let standing = Standing {
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
