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

/// What an instance plays, and where it is in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// Nothing: it stands at rest.
    Still,
    /// One clip.
    Clip {
        /// Which.
        motion: MotionId,
        /// Where in it.
        playback: Playback,
        /// Where the latest sample was.
        cursor: ClipCursor,
    },
    /// A graph.
    Graph {
        /// Which.
        graph: GraphId,
        /// Its parameters, states and times.
        state: Box<GraphState>,
    },
}

/// Something that happened to an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceEvent<'a> {
    /// What happened.
    pub event: &'a ClipEvent,
    /// How much the clip counts that it happened in, 0 to 1.
    pub weight: f32,
}

/// Why an instance cannot play something.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InstanceError {
    /// An additive clip changes a pose and is none.
    #[error("clip {clip:?} is additive and cannot be played alone")]
    AdditiveAlone {
        /// The clip's name.
        clip: String,
    },
}

impl Controller {
    pub(super) fn clip(kind: &Archetype, motion: MotionId, wrap: Wrap) -> Result<Self, InstanceError> {
        let clip = kind.motion(motion);
        if clip.kind() == ClipKind::Additive {
            return Err(InstanceError::AdditiveAlone { clip: clip.name().into() });
        }
        let playback = Playback::new(TimeRange::whole(clip.duration_secs())).with_wrap(wrap);
        Ok(Self::Clip { motion, playback, cursor: clip.new_cursor() })
    }

    pub(super) fn graph(kind: &Archetype, graph: GraphId) -> Self {
        Self::Graph { graph, state: Box::new(kind.graph(graph).new_state()) }
    }

    /// Lets time pass, puts the pose of then into `pose`, and gives how the root moved: `before_from_after`.
    pub(super) fn advance(
        &mut self,
        kind: &Archetype,
        dt_secs: f32,
        workspace: &mut GraphScratch,
        pose: &mut LocalPose,
        mut on_event: impl FnMut(InstanceEvent<'_>),
    ) -> Transform {
        match self {
            Self::Still => {
                pose.copy_from(kind.rest());
                Transform::IDENTITY
            }
            Self::Clip { motion, playback, cursor } => {
                let clip = kind.motion(*motion);
                let passage = playback.advance(dt_secs);
                pose.copy_from(kind.rest());
                clip.sample(playback.clip_time_secs(), cursor, pose);
                let fired = passage.events(clip.events());
                fired.for_each(|fired| on_event(InstanceEvent { event: fired.event, weight: 1.0 }));
                kind.root(*motion).map_or(Transform::IDENTITY, |track| track.delta(&passage))
            }
            Self::Graph { graph, state } => {
                let now = kind.graph(*graph).evaluate(state, workspace, dt_secs);
                pose.copy_from(now.pose());
                now.events().for_each(|e| on_event(InstanceEvent { event: e.event, weight: e.weight }));
                now.root_motion()
            }
        }
    }
}
