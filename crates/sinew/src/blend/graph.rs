//! Animation graphs: clips, blends, masks, blend spaces and state machines, driven by parameters.
//!
//! A [`GraphDef`] is plain data, as stored in a file. [`Graph::new`] checks every name and number against a character and
//! flattens the nodes, inputs first. A [`Graph`] is shared by all instances that play it; each owns a [`GraphState`], and
//! a [`GraphScratch`] serves any number of states, one at a time. An evaluation allocates nothing.
//!
//! ```
//! use sinew::{blend::graph::{Graph, GraphDef, NodeDef, ParameterDef, ValueDef, GraphScratch}};
//!
//! let clip = |name: &str| NodeDef::Clip {
//!     clip: name.into(),
//!     speed: ValueDef::default(),
//!     wrap: sinew::Wrap::Loop,
//!     range: None,
//!     sync: Some("gait".into()),
//! };
//! let def = GraphDef {
//!     parameters: vec![("speed".into(), ParameterDef::Float(1.3))],
//!     sync: vec![("gait".into(), vec!["footfall.left".into(), "footfall.right".into()])],
//!     nodes: vec![
//!         ("walk".into(), clip("walk")),
//!         ("run".into(), clip("run")),
//!         ("go".into(), NodeDef::BlendSpace1d {
//!             x: ValueDef::Parameter("speed".into()),
//!             points: vec![(1.3, "walk".into()), (3.5, "run".into())],
//!         }),
//!     ],
//!     output: "go".into(),
//!     ..GraphDef::default()
//! };
//! let figure = sinew_samples::figure();
//! let graph = Graph::of_character(&def, &figure).unwrap();
//! let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
//! state.set(graph.find_parameter("speed").unwrap(), 2.4);   // between a walk and a run
//! let now = graph.evaluate(&mut state, &mut workspace, 1.0 / 60.0);
//! assert_eq!(now.pose().joints.len(), figure.skeleton().len());
//! ```

mod advance;
mod build;
mod clip_blend;
mod def;
mod error;
mod flat;
mod machine;
mod mix;
mod motion;
#[cfg(feature = "serde")]
mod named_list;
mod output;
mod pool;
mod range;
mod rebind;
mod script;
mod state;
#[cfg(feature = "serde")]
mod value;
#[cfg(feature = "serde")]
mod wrap;

pub use def::{
    ConditionDef, GraphDef, InnerDef, InputDef, MaskDef, NodeDef, ParameterDef, TransitionDef,
    TransitionKind, ValueDef,
};
pub use error::{GraphError, GraphFault};
pub use motion::Motion;
pub use output::{GraphEvent, GraphOutput};
pub use pool::GraphScratch;
pub use script::{GraphRun, ParameterChange, ParameterValue, ScriptError};
pub use state::GraphState;

use super::{Mask, additive_identity};
use crate::{
    asset::{character::Character, skeleton::Skeleton},
    identity::{Identity, IdentityHasher},
    pose::LocalPose,
};
use flat::{ClipNode, GraphNode, Parameter, StateMachine, SyncGroup};

/// The largest number of inputs of a [`NodeDef::Blend`].
pub const MAX_INPUTS: usize = 16;
/// The largest number of nodes of a graph; the nodes of inner graphs count once per use.
pub const MAX_NODES: usize = 1024;
/// The default of [`GraphDef::min_event_weight`].
pub const DEFAULT_MIN_EVENT_WEIGHT: f32 = 0.1;

/// A parameter of a [`Graph`]. It carries the identity of its graph, so that the state of another graph refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterId {
    index: u16,
    graph: Identity,
}

/// A checked animation graph, with nodes in the order of evaluation.
#[doc(alias = "animation tree")]
#[doc(alias = "blend tree")]
#[doc(alias = "animator controller")]
#[doc(alias = "anim blueprint")]
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    nodes: Vec<GraphNode>,
    clips: Vec<ClipNode>,
    machines: Vec<StateMachine>,
    groups: Vec<SyncGroup>,
    masks: Vec<Mask>,
    parameters: Vec<Parameter>,
    metas: Vec<(String, &'static str)>,
    min_event_weight: f32,
    rest: LocalPose,
    no_change: LocalPose,
    /// The largest number of poses that an evaluation needs at once.
    slots: usize,
    /// A hash of everything that a state refers to.
    identity: Identity,
}

impl Graph {
    /// A graph over `motions` for poses like `rest`.
    ///
    /// # Errors
    /// If a name is unknown, a number is out of range, or nodes contain themselves; the error names the node and the field.
    pub fn new(
        def: &GraphDef,
        skeleton: &Skeleton,
        rest: LocalPose,
        motions: &[Motion],
    ) -> Result<Self, GraphError> {
        let parts = build::build(def, skeleton, &rest, motions)?;
        let graph = Self { no_change: additive_identity(&rest), rest, ..parts };
        Ok(Self { identity: graph.content_identity(), ..graph })
    }

    /// A graph over the clips of `character`.
    ///
    /// # Errors
    /// As [`Graph::new`].
    pub fn of_character(def: &GraphDef, character: &Character) -> Result<Self, GraphError> {
        let motions: Vec<Motion> = character.clips().iter().map(Motion::of_clip).collect();
        Self::new(def, character.skeleton(), character.rest_pose(), &motions)
    }

    /// A new state, at the start of the graph.
    pub fn new_state(&self) -> GraphState {
        GraphState::new(self)
    }

    /// Name and initial value of all parameters.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, ParameterDef)> {
        self.parameters.iter().map(|p| (p.name.as_str(), p.def))
    }

    /// The parameter called `name`; one of an inner graph is called `node/parameter`.
    pub fn find_parameter(&self, name: &str) -> Option<ParameterId> {
        self.parameters
            .iter()
            .position(|p| p.name == name)
            .map(|index| ParameterId { index: index as u16, graph: self.identity })
    }

    /// The names of all nodes in the order of evaluation; those of inner graphs are called `node/inner`.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.nodes.iter().map(|node| node.name.as_str())
    }

    /// Name and type of the meta-channels of all clips.
    pub fn metas(&self) -> impl ExactSizeIterator<Item = (&str, &'static str)> {
        self.metas.iter().map(|(name, kind)| (name.as_str(), *kind))
    }

    /// The rest pose that the graph was built with.
    pub fn rest(&self) -> &LocalPose {
        &self.rest
    }

    /// Advances `state` by `dt_secs` and computes its pose, root motion, events and meta-channels.
    ///
    /// A negative or non-finite `dt_secs` is 0. Nodes with zero weight do not advance. Nothing is allocated if the scratch has
    /// room for this graph.
    ///
    /// # Panics
    /// If `state` was made for another graph.
    #[track_caller]
    pub fn evaluate<'a>(
        &'a self,
        state: &'a mut GraphState,
        workspace: &'a mut GraphScratch,
        dt_secs: f32,
    ) -> GraphOutput<'a> {
        state.check(self);
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        workspace.prepare(self);
        self.weigh(state, workspace, dt_secs);
        self.advance_clips(state, workspace, dt_secs);
        self.mix(state, workspace, dt_secs);
        GraphOutput { graph: self, state, workspace }
    }

    /// The same graph over other versions of its clips, for which the same states are valid.
    pub(crate) fn with_motions(&self, version: impl Fn(&Motion) -> Motion) -> Self {
        let clips = self.clips.iter().map(|clip| ClipNode { motion: version(&clip.motion), ..clip.clone() });
        Self { clips: clips.collect(), ..self.clone() }
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Parameters, nodes, state machines and clips by name: what the numbers in a state refer to.
    fn content_identity(&self) -> Identity {
        let mut hasher = IdentityHasher::new();
        hasher.debug(&self.parameters);
        hasher.debug(&self.nodes);
        hasher.debug(&self.machines);
        hasher.debug(&self.groups);
        for clip in &self.clips {
            hasher.text(clip.motion.name());
            hasher.floats(&[clip.motion.duration_secs()]);
            hasher.debug(&(clip.node, clip.speed, clip.wrap, clip.range));
        }
        hasher.number(self.rest.joints.len() as u64);
        hasher.number(self.rest.morphs.len() as u64);
        hasher.finish()
    }

    /// The pose of `node` before anything moves it.
    fn still(&self, node: usize) -> &LocalPose {
        if self.nodes[node].is_delta { &self.no_change } else { &self.rest }
    }
}

#[cfg(test)]
mod tests;
