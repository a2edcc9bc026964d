//! The flat form of a checked graph: indices instead of names.

use super::{Motion, ParameterDef, TransitionKind};
use crate::{
    blend::{BlendSpace1d, BlendSpace2d, Easing, SyncTrack},
    sample::{RootTrack, TimeRange, Wrap},
};

/// A constant or the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeValue {
    Constant(f32),
    Parameter(u16),
}

impl NodeValue {
    pub(super) fn get(self, parameters: &[f32]) -> f32 {
        match self {
            Self::Constant(number) => number,
            Self::Parameter(index) => parameters[usize::from(index)],
        }
    }

    pub(super) fn is_on(self, parameters: &[f32]) -> bool {
        self.get(parameters) > 0.5
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) def: ParameterDef,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct GraphNode {
    pub(super) name: String,
    pub(super) kind: NodeKind,
    /// True if it produces an additive pose.
    pub(super) is_delta: bool,
}

/// The operation of a node; nodes, clips, state machines and masks are indices.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    Rest,
    Clip(u16),
    Blend(Vec<NodeInput>),
    Layer { base: u16, over: NodeInput },
    Add { base: u16, delta: NodeInput, is_subtracted: bool },
    Difference { of: u16, from: u16 },
    BlendSpace1d { space: BlendSpace1d, x: NodeValue, nodes: Vec<u16> },
    BlendSpace2d { space: BlendSpace2d, at: [NodeValue; 2], nodes: Vec<u16> },
    StateMachine(u16),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeInput {
    pub(super) node: u16,
    pub(super) weight: NodeValue,
    pub(super) mask: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClipNode {
    pub(super) node: u16,
    pub(super) motion: Motion,
    pub(super) root: Option<RootTrack>,
    /// Index in the graph's list of each meta-channel of the clip.
    pub(super) metas: Vec<u16>,
    pub(super) speed: NodeValue,
    pub(super) wrap: Wrap,
    pub(super) range: TimeRange,
    pub(super) sync: Option<(u16, SyncTrack)>,
}

/// Clips that are synchronized by markers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SyncGroup {
    pub(super) markers: Vec<String>,
    pub(super) clips: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct StateMachine {
    pub(super) states: Vec<FlatState>,
    pub(super) initial: u16,
    pub(super) transitions: Vec<Transition>,
}

impl StateMachine {
    pub(super) fn has(&self, by: TransitionKind) -> bool {
        self.transitions.iter().any(|t| t.by == by)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FlatState {
    pub(super) name: String,
    pub(super) node: u16,
    /// Every node that the state's pose uses.
    pub(super) reach: Vec<u16>,
    /// The clips that decide when it ends.
    pub(super) ending: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transition {
    /// The source states; if empty, every state but `to`.
    pub(super) from: Vec<u16>,
    pub(super) to: u16,
    pub(super) when: Vec<Condition>,
    pub(super) by: TransitionKind,
    pub(super) secs: f32,
    pub(super) easing: Easing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Condition {
    Above(NodeValue, f32),
    Below(NodeValue, f32),
    On(NodeValue),
    Off(NodeValue),
    Fired(NodeValue),
    After(f32),
    Ending(f32),
}

impl NodeKind {
    /// Calls `visit` with every node that this one may use.
    pub(super) fn for_inputs(&self, machines: &[StateMachine], mut visit: impl FnMut(u16)) {
        match self {
            Self::Rest | Self::Clip(_) => {}
            Self::Blend(inputs) => inputs.iter().for_each(|input| visit(input.node)),
            Self::Layer { base, over } => [*base, over.node].into_iter().for_each(visit),
            Self::Add { base, delta, .. } => [*base, delta.node].into_iter().for_each(visit),
            Self::Difference { of, from } => [*of, *from].into_iter().for_each(visit),
            Self::BlendSpace1d { nodes, .. } | Self::BlendSpace2d { nodes, .. } => {
                nodes.iter().copied().for_each(visit);
            }
            Self::StateMachine(index) => {
                machines[usize::from(*index)].states.iter().for_each(|state| visit(state.node));
            }
        }
    }
}
