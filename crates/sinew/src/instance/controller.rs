//! What an instance plays.

use super::{Archetype, GraphId, MotionId};
use crate::{
    asset::clip::{ClipEvent, ClipKind},
    blend::{GraphScratch, graph::GraphState},
    pose::LocalPose,
    sample::{ClipCursor, Playback, TimeRange, Wrap},
    transform::Transform,
};
use thiserror::Error;

/// What an instance plays, and its position in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// Nothing: the instance stays at rest.
    Still,
    /// The instance plays one clip.
    Clip {
        /// The clip that plays.
        motion: MotionId,
        /// The time in the clip, its speed and its wrap mode.
        playback: Playback,
        /// The keys of the latest sample.
        cursor: ClipCursor,
    },
    /// The instance plays an animation graph.
    Graph {
        /// The graph that plays.
        graph: GraphId,
        /// Its parameters, states and times.
        state: Box<GraphState>,
    },
}

/// A clip event that an instance passed.
#[doc(alias = "notify")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceEvent<'a> {
    /// The event of the clip.
    pub event: &'a ClipEvent,
    /// The weight of its clip in the pose, 0 to 1.
    pub weight: f32,
}

/// Why an instance refuses a call.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum InstanceError {
    /// An additive clip is a difference between poses and has no pose of its own.
    #[error("clip {clip:?} is additive and cannot be played alone")]
    AdditiveAlone {
        /// Name of the clip.
        clip: String,
    },
    /// The clip belongs to another archetype.
    #[error("the clip is not one of the {clips} clips of archetype {archetype:?}")]
    ForeignMotion {
        /// The name of the archetype's character.
        archetype: String,
        /// How many clips the archetype has.
        clips: usize,
    },
    /// The instance was made by another archetype.
    #[error(
        "the instance was made for {instance_joints} joints by another archetype than {archetype:?}, \
         which has {joints} joints"
    )]
    ForeignArchetype {
        /// The name of the character whose archetype was given.
        archetype: String,
        /// How many joints that archetype has.
        joints: usize,
        /// How many joints the instance has.
        instance_joints: usize,
    },
    /// A placement is not finite, or its rotation is not a unit quaternion.
    #[error("a placement must be finite with a unit rotation, got {world_from_model:?}")]
    BadPlacement {
        /// The value that was given.
        world_from_model: Transform,
    },
}

/// The result of one step of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControllerStep {
    /// How the root moved in the step: `before_from_after`.
    pub(super) root: Transform,
    /// True if the step passed more events than are reported.
    pub(super) is_truncated: bool,
}

impl ControllerStep {
    const STILL: Self = Self { root: Transform::IDENTITY, is_truncated: false };
}

impl Controller {
    pub(super) fn clip(archetype: &Archetype, motion: MotionId, wrap: Wrap) -> Result<Self, InstanceError> {
        if !archetype.owns(motion) {
            let (name, clips) = (archetype.character().name().to_owned(), archetype.motions().len());
            return Err(InstanceError::ForeignMotion { archetype: name, clips });
        }
        let clip = archetype.motion(motion);
        if clip.kind() == ClipKind::Additive {
            return Err(InstanceError::AdditiveAlone { clip: clip.name().into() });
        }
        let playback = Playback::new(TimeRange::whole(clip.duration_secs())).with_wrap(wrap);
        Ok(Self::Clip { motion, playback, cursor: clip.new_cursor() })
    }

    #[track_caller]
    pub(super) fn graph(archetype: &Archetype, graph: GraphId) -> Self {
        Self::Graph { graph, state: Box::new(archetype.graph(graph).new_state()) }
    }

    /// Advances by `dt_secs` and writes the pose at the new time.
    pub(super) fn advance(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        graphs: &mut GraphScratch,
        pose: &mut LocalPose,
        mut on_event: impl FnMut(InstanceEvent<'_>),
    ) -> ControllerStep {
        match self {
            Self::Still => {
                pose.copy_from(archetype.rest());
                ControllerStep::STILL
            }
            Self::Clip { motion, playback, cursor } => {
                let clip = archetype.motion(*motion);
                let step = playback.advance(dt_secs);
                pose.copy_from(archetype.rest());
                clip.sample(playback.clip_time_secs(), cursor, pose);
                let fired = step.events(clip.events());
                let is_truncated = fired.is_truncated();
                fired.for_each(|fired| on_event(InstanceEvent { event: fired.event, weight: 1.0 }));
                let root = archetype.root(*motion).map_or(Transform::IDENTITY, |track| track.delta(&step));
                ControllerStep { root, is_truncated }
            }
            Self::Graph { graph, state } => {
                let output = archetype.graph(*graph).evaluate(state, graphs, dt_secs);
                pose.copy_from(output.pose());
                output.events().for_each(|e| on_event(InstanceEvent { event: e.event, weight: e.weight }));
                ControllerStep { root: output.root_motion(), is_truncated: output.events_are_truncated() }
            }
        }
    }
}
