//! Retargeting: transfers motion from one skeleton to another.
//!
//! ```
//! use sinew_author::retarget::{JointMap, MapConfidence, RetargetOptions, retarget};
//!
//! let (from, onto) = (sinew_samples::figure(), sinew_samples::figure());
//! let map = JointMap::guess(&from, &onto);
//! MapConfidence::of(&map, &from, &onto).accept()?;
//! let walk = from.find_clip("walk").unwrap();
//! let (clip, report) = retarget(&from, walk, &onto, &map, &RetargetOptions::default())?;
//! assert_eq!(report.root_scale, 1.0);
//! assert_eq!(clip.duration_secs(), walk.duration_secs());
//! # Ok::<(), sinew_author::retarget::RetargetError>(())
//! ```
//!
//! First the rest poses are aligned, so that arms, legs and feet point the same way. Then every mapped joint rotates in model
//! space as its source rotates from its rest pose. Root translation is scaled by the ratio of leg lengths, and planted feet and
//! hands are pinned with two-bone IK, so that their vertices stand on the ground and do not slide.

mod align;
pub(crate) mod anatomy;
mod body;
mod confidence;
mod contact;
mod contacts;
mod limb;
mod limits;
mod losses;
mod map;
pub(crate) mod name;
mod options;
mod plant;
mod report;
mod rest;
mod shape;
mod skin_points;
mod slide;
mod sole;
mod stance;
mod steps;
mod take;
mod transfer;
mod working_target;

pub use confidence::{
    BodyRegion, DOUBTFUL_PAIR, HOPELESS_MAP, MapConfidence, MapVerdict, POOR_MAP, PairConfidence,
    PairEvidence, RegionConfidence,
};
pub use losses::ClipLosses;
pub use map::{JointMap, JointMapError, JointPair};
pub use options::RetargetOptions;
pub use report::{ContactPart, ContactReport, GroundFigures, LimitReport, RetargetReport};
pub use slide::ContactSlide;

use crate::motion::{MotionError, baked};
use body::Body;
use contacts::Contacts;
use limb::GroundPlane;
use plant::{Planted, Planting};
use rest::model_turns;
use sinew::{Character, Clip, ClipError, ClipEvent, LocalPose, ModelPose, Skeleton, Wrap, sample_clip};
use sole::RestSoles;
use steps::ContactSteps;
use take::SampledTake;
use thiserror::Error;
use transfer::Transfer;
use working_target::WorkingTarget;

/// Why motion cannot be retargeted.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RetargetError {
    /// No joint of the source is mapped to a joint of the target.
    #[error("no joint is mapped: write a joint map")]
    NothingMapped,
    /// The map makes no sense: the bodies are different.
    #[error("the bodies do not match, confidence {percent} %: {reasons}")]
    HopelessMap {
        /// The confidence in the map, in percent.
        percent: f32,
        /// The confidence in the parts of the body, and what speaks against the worst pairs.
        reasons: String,
    },
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
/// if no frame was dropped at the start. Any map is used as it is: [`MapConfidence::accept`] refuses those that make no sense.
///
/// # Errors
/// If the clip or the map does not fit the skeletons, nothing is mapped, or an option is out of range.
pub fn retarget(
    source: &Character,
    clip: &Clip,
    target: &Character,
    map: &JointMap,
    options: &RetargetOptions,
) -> Result<(Clip, RetargetReport), RetargetError> {
    options.check()?;
    check_map(source.skeleton(), clip, target.skeleton(), map)?;
    let take = SampledTake::new(source.skeleton(), clip, options)?;
    let source_rest_pose = rest_of(source.skeleton(), clip, options.rest_secs.or(take.left_out_secs));
    let mut source_rest = ModelPose::new(source.skeleton());
    source_rest.update(source.skeleton(), &source_rest_pose);
    let source_body = Body::with_rest(source, source_rest);
    let working = WorkingTarget::new(Body::new(target));
    let (from, to) = (source_body.aligned(), working.aligned());

    let mut source_turns = Vec::new();
    model_turns(source.skeleton(), &source_rest_pose, &mut source_turns);
    let mut transfer = Transfer::new(&from, &to, &working.map(map), &source_turns);
    if let Some(scale) = options.root_scale {
        transfer.scale = scale;
    }
    let steps = ContactSteps::of(&take, &from);
    let soles = RestSoles::new(&working);
    let contacts = Contacts::new(&to, &steps, &transfer, &take, options);
    if let Some(lowest) = steps.ground {
        let source_ankle = lowest + steps.usual_height(&contacts.feet) + from.stance.ankle_height;
        transfer.stand(to.stance.up, source_ankle, soles.ground + soles.ankle_height);
    }
    let mut poses = take.poses(&working, &mut transfer);
    let ground = GroundPlane {
        up: to.stance.up,
        height: soles.ground,
        body_height: soles.body_height,
        fade_secs: options.fade_secs,
    };
    let limbs = contacts.limbs(&working, soles.ground);
    let planted = transfer.carrier().map_or_else(Planted::default, |carrier| {
        let times_secs = &take.times_secs;
        let planting = Planting { target: &working, limbs: &limbs, ground, carrier, times_secs };
        planting.apply(&mut poses, options.feet)
    });
    let body_penetration_meters = body_penetration(&working, &poses, &ground);
    let poses = working.original(poses);
    let result = finished(clip, target, &take, &poses)?;
    let mut report = report(source, target, map, &take, planted);
    report.losses =
        ClipLosses::of_retargeting(clip, &source_body, transfer.anchors(), report.unmapped_source.clone());
    if take.start_secs > 0.0 {
        report.losses.metas = clip.metas().iter().map(|meta| meta.name.clone()).collect();
    }
    report.root_scale = transfer.scale;
    (report.height_meters, report.ground_meters) = (soles.body_height, soles.ground);
    report.body_penetration_meters = body_penetration_meters;
    report.limits = limits::beyond(target, &poses, &options.limits);
    Ok((result, report))
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

/// How many vertices in all poses are measured to find the depth of the whole character below the ground.
const MEASURED_PLACES: usize = 30_000_000;

/// The largest depth of a vertex below the ground.
fn body_penetration(target: &WorkingTarget<'_>, poses: &[LocalPose], ground: &GroundPlane) -> f32 {
    let vertices = target.all_vertices();
    let mut model = ModelPose::new(&target.skeleton);
    let mut deepest = 0.0_f32;
    let count = (MEASURED_PLACES / vertices.len().max(1)).max(12);
    for pose in poses.iter().step_by(poses.len().div_ceil(count).max(1)) {
        model.update(&target.skeleton, pose);
        let lowest = vertices.lowest(&model, ground.up).unwrap_or(ground.height);
        deepest = deepest.max(ground.height - lowest);
    }
    deepest
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
    source: &Character,
    target: &Character,
    map: &JointMap,
    take: &SampledTake<'_>,
    planted: Planted,
) -> RetargetReport {
    let (from, to) = (source.skeleton(), target.skeleton());
    let names = |p: &JointPair| (from.name(p.source).to_owned(), to.name(p.target).to_owned());
    let free = from.joints().filter(|&j| take.moves(j) && !map.moves(j));
    let still = to.joints().filter(|&j| map.source_of(j).is_none());
    RetargetReport {
        mapped: map.pairs().iter().map(names).collect(),
        confidence: MapConfidence::of(map, source, target),
        unmapped_source: free.map(|j| from.name(j).to_owned()).collect(),
        unmapped_target: still.map(|j| to.name(j).to_owned()).collect(),
        root_scale: 1.0,
        frames: take.times_secs.len(),
        dropped_rest_frame: take.left_out_secs.is_some(),
        height_meters: 0.0,
        ground_meters: 0.0,
        contacts: planted.reports,
        body_penetration_meters: 0.0,
        worst_sink_meters: planted.worst_sink_meters,
        limits: Vec::new(),
        losses: ClipLosses::default(),
    }
}

#[cfg(test)]
mod tests;
