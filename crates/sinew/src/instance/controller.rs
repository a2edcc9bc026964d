//! What an instance plays.

use super::{Archetype, ClipPlayer, DetailId, GraphId};
use crate::{
    asset::clip::ClipEvent,
    blend::{GraphScratch, graph::GraphState},
    pose::LocalPose,
    sample::{EventEdge, EventWindow, MetaValue},
    transform::Transform,
};

/// What an instance plays, and its position in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// Nothing: the instance stays at rest.
    Still,
    /// The instance plays one clip.
    Clip(ClipPlayer),
    /// The instance plays an animation graph.
    Graph(Box<GraphPlayer>),
}

/// A graph that plays, and its state.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPlayer {
    graph: GraphId,
    pub(super) state: GraphState,
    /// The meta-channels of the latest evaluation, in the order of the graph.
    metas: Vec<Option<MetaValue>>,
}

impl GraphPlayer {
    /// The graph that plays.
    pub fn graph(&self) -> GraphId {
        self.graph
    }

    /// Its parameters, states and times.
    pub fn state(&self) -> &GraphState {
        &self.state
    }

    fn meta(&self, archetype: &Archetype, name: &str) -> Option<MetaValue> {
        let at = archetype.graph(self.graph).metas().position(|(other, _)| other == name)?;
        self.metas.get(at).copied().flatten()
    }
}

/// A clip event that an instance passed.
#[doc(alias = "notify")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstanceEvent<'a> {
    /// The event of the clip.
    pub event: &'a ClipEvent,
    /// The weight of its clip in the pose, 0 to 1.
    pub weight: f32,
    /// Whether it is a moment or opens or closes a window. The events of a graph are all moments.
    pub edge: EventEdge,
}

/// The result of one step of a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControllerStep {
    /// How the root moved in the step: `before_from_after`.
    pub(super) root: Transform,
    /// True if the step passed more events than are reported.
    pub(super) is_truncated: bool,
    /// True if the motion moves on, so that the pose may differ from that before the step.
    pub(super) is_changed: bool,
}

impl ControllerStep {
    pub(super) const STILL: Self = Self { root: Transform::IDENTITY, is_truncated: false, is_changed: false };

    /// This step with another one over it, by `weight`, 0 to 1.
    pub(super) fn blend(self, over: Self, weight: f32) -> Self {
        let root = match weight {
            0.0 => self.root,
            1.0 => over.root,
            _ => Transform::from_rotation_translation(
                crate::sample::slerp(self.root.rotation, over.root.rotation, weight),
                self.root.translation.lerp(over.root.translation, weight),
            ),
        };
        Self { root, is_truncated: self.is_truncated || over.is_truncated, is_changed: true }
    }
}

/// What an evaluation reads and writes besides the pose.
pub(super) struct Evaluation<'a> {
    pub(super) archetype: &'a Archetype,
    pub(super) detail: Option<DetailId>,
    pub(super) graphs: &'a mut GraphScratch,
    pub(super) on_event: &'a mut dyn FnMut(InstanceEvent<'_>),
}

impl Controller {
    #[track_caller]
    pub(super) fn graph(archetype: &Archetype, graph: GraphId) -> Self {
        let checked = archetype.graph(graph);
        let metas = vec![None; checked.metas().len()];
        Self::Graph(Box::new(GraphPlayer { graph, state: checked.new_state(), metas }))
    }

    /// Advances by `dt_secs` and writes the pose at the new time. Events have the weight `weight`.
    ///
    /// A pose that `is_current` already holds the pose of this controller at the time before the step; it is only sampled
    /// again if the time changes.
    pub(super) fn advance(
        &mut self,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        weight: f32,
        pose: &mut LocalPose,
        is_current: bool,
    ) -> ControllerStep {
        match self {
            Self::Still => {
                if !is_current {
                    pose.copy_from(with.archetype.rest());
                }
                ControllerStep::STILL
            }
            Self::Clip(player) => {
                let step = player.advance(with.archetype, dt_secs, weight, with.on_event);
                if !is_current {
                    pose.copy_from(with.archetype.rest());
                }
                if !is_current || step.is_changed {
                    player.sample(with.archetype, with.detail, pose);
                }
                step
            }
            Self::Graph(player) => {
                let GraphPlayer { graph, state, metas } = &mut **player;
                let output =
                    with.archetype.graph_in(*graph, with.detail).evaluate(state, with.graphs, dt_secs);
                pose.copy_from(output.pose());
                for fired in output.events() {
                    let (weight, edge) = (fired.weight * weight, EventEdge::Moment);
                    (with.on_event)(InstanceEvent { event: fired.event, weight, edge });
                }
                metas.iter_mut().zip(output.meta_slots()).for_each(|(slot, value)| *slot = value);
                let is_truncated = output.events_are_truncated();
                ControllerStep { root: output.root_motion(), is_truncated, is_changed: true }
            }
        }
    }

    /// The value of a meta-channel at the current time.
    pub(super) fn meta(&self, archetype: &Archetype, name: &str) -> Option<MetaValue> {
        match self {
            Self::Still => None,
            Self::Clip(player) => player.meta(archetype, name),
            Self::Graph(player) => player.meta(archetype, name),
        }
    }

    /// The clip that plays, if one does.
    pub fn clip(&self) -> Option<&ClipPlayer> {
        match self {
            Self::Clip(player) => Some(player),
            Self::Still | Self::Graph(_) => None,
        }
    }

    pub(super) fn clip_mut(&mut self) -> Option<&mut ClipPlayer> {
        match self {
            Self::Clip(player) => Some(player),
            Self::Still | Self::Graph(_) => None,
        }
    }

    pub(super) fn open_windows<'a>(
        &'a self,
        archetype: &'a Archetype,
    ) -> impl Iterator<Item = &'a EventWindow> {
        self.clip().into_iter().flat_map(move |player| player.open_windows(archetype))
    }

    /// Closes the windows of a clip that no longer plays.
    pub(super) fn close_windows(&mut self, with: &mut Evaluation<'_>) {
        if let Some(player) = self.clip_mut() {
            player.close_windows(with.archetype, with.on_event);
        }
    }
}
