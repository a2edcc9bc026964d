//! Graph definitions: plain data that refers to everything by name and is not checked yet.

use crate::{blend::Easing, sample::Wrap};

/// The definition of a graph; [`Graph::new`](super::Graph::new) checks it and builds a graph from it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct GraphDef {
    /// Parameters that the application sets, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub parameters: Vec<(String, ParameterDef)>,
    /// Joint masks, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub masks: Vec<(String, MaskDef)>,
    /// Sync groups, by name: the events that are the markers of their clips, in order.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub sync: Vec<(String, Vec<String>)>,
    /// Graphs that nodes of this one, and of each other, may contain, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub graphs: Vec<(String, InnerDef)>,
    /// The nodes, by name.
    #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
    pub nodes: Vec<(String, NodeDef)>,
    /// Name of the output node.
    pub output: String,
    /// Events of clips with a smaller weight do not fire; 0 to 1.
    #[cfg_attr(
        feature = "serde",
        serde(
            default = "min_event_weight",
            alias = "quiet_below",
            skip_serializing_if = "is_default_min_event_weight"
        )
    )]
    pub min_event_weight: f32,
}

impl Default for GraphDef {
    /// An empty graph with the defaults of a graph file.
    fn default() -> Self {
        Self {
            parameters: Vec::new(),
            masks: Vec::new(),
            sync: Vec::new(),
            graphs: Vec::new(),
            nodes: Vec::new(),
            output: String::new(),
            min_event_weight: super::DEFAULT_MIN_EVENT_WEIGHT,
        }
    }
}

/// A graph that nodes of another graph can contain.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct InnerDef {
    /// Parameters that the enclosing graph sets, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub parameters: Vec<(String, ParameterDef)>,
    /// The nodes, by name.
    #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
    pub nodes: Vec<(String, NodeDef)>,
    /// Name of the output node.
    pub output: String,
}

/// A parameter with its initial value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ParameterDef {
    /// A number with its initial value.
    Float(f32),
    /// A boolean with its initial value.
    Bool(bool),
    /// A trigger: off until it is set, and consumed by the transition that it causes.
    Trigger,
}

/// The definition of a joint mask.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct MaskDef {
    /// Names of joints that take part with all their descendants.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub below: Vec<String>,
    /// Weights of single joints, 0 to 1, applied after `below`.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub joints: Vec<(String, f32)>,
    /// The weight of all morph weights, 0 to 1.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    pub morphs: f32,
    /// True to invert the mask.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub inverted: bool,
}

/// A constant or the value of a parameter. In a file: `0.5` or `"speed"`.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueDef {
    /// A constant number, in the unit of the field.
    Constant(f32),
    /// The value of the named parameter; booleans are 1 and 0.
    Parameter(String),
}

impl Default for ValueDef {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

/// A node: one operation that produces a pose.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum NodeDef {
    /// The rest pose of the character.
    Rest,
    /// A clip that plays.
    Clip {
        /// Name of the clip.
        clip: String,
        /// Playback speed; 1 is normal.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        speed: ValueDef,
        /// Wrap mode at the end of the range.
        #[cfg_attr(feature = "serde", serde(default = "looped", with = "super::wrap"))]
        wrap: Wrap,
        /// The range to play, in seconds; `None` for the whole clip.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        range: Option<(f32, f32)>,
        /// Name of its sync group.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        sync: Option<String>,
    },
    /// The weighted mean of several nodes.
    Blend {
        /// The inputs; at most [`MAX_INPUTS`](super::MAX_INPUTS).
        inputs: Vec<InputDef>,
    },
    /// One node layered over another.
    Layer {
        /// Name of the node below.
        base: String,
        /// Name of the node that covers it.
        over: String,
        /// Weight of the covering node, 0 to 1.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Name of the mask of the covering node.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// An additive node added to another.
    Add {
        /// Name of the node that is changed.
        base: String,
        /// Name of the additive node: an additive clip or a [`NodeDef::Difference`].
        delta: String,
        /// Weight of the additive node.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Name of the mask of the additive node.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// An additive node subtracted from another.
    Subtract {
        /// Name of the node that is changed.
        base: String,
        /// Name of the additive node: an additive clip or a [`NodeDef::Difference`].
        delta: String,
        /// Weight of the additive node.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Name of the mask of the additive node.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// The additive pose that leads from one node to another.
    Difference {
        /// Name of the target node.
        of: String,
        /// Name of the reference node.
        from: String,
    },
    /// A blend space over one parameter.
    #[cfg_attr(feature = "serde", serde(alias = "Line"))]
    BlendSpace1d {
        /// The position in the space.
        x: ValueDef,
        /// Coordinates and names of the nodes.
        points: Vec<(f32, String)>,
    },
    /// A blend space over two parameters.
    #[cfg_attr(feature = "serde", serde(alias = "Plane"))]
    BlendSpace2d {
        /// The position along the first axis.
        x: ValueDef,
        /// The position along the second axis.
        y: ValueDef,
        /// Coordinates and names of the nodes.
        points: Vec<(f32, f32, String)>,
    },
    /// A state machine: one of several nodes at a time, with transitions between them.
    #[cfg_attr(feature = "serde", serde(alias = "Machine"))]
    StateMachine {
        /// Name of the initial state.
        initial: String,
        /// Names of the states and their nodes.
        #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
        states: Vec<(String, String)>,
        /// Transitions in order of priority.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        transitions: Vec<TransitionDef>,
    },
    /// An inner graph with its own nodes.
    Graph {
        /// Name of the inner graph.
        graph: String,
        /// Values of its parameters. Parameters without a value become parameters of this graph, as `node/parameter`.
        #[cfg_attr(
            feature = "serde",
            serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
        )]
        parameters: Vec<(String, ValueDef)>,
    },
}

/// One input of a [`NodeDef::Blend`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct InputDef {
    /// Name of the node.
    pub node: String,
    /// Weight relative to the other inputs.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
    pub weight: ValueDef,
    /// Name of the mask of this input.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub mask: Option<String>,
}

/// A transition between states.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct TransitionDef {
    /// Names of the source states; if empty, every state but `to`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub from: Vec<String>,
    /// Name of the target state.
    pub to: String,
    /// Conditions that must all hold.
    pub when: Vec<ConditionDef>,
    /// How the pose changes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub by: TransitionKind,
    /// Duration of the transition in seconds.
    pub secs: f32,
    /// Easing of the crossfade; ignored by [`TransitionKind::Inertial`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub easing: Easing,
}

/// How the pose changes from one state to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TransitionKind {
    /// Crossfade: both states run while one fades into the other.
    #[default]
    Smooth,
    /// Frozen crossfade: the last pose of the old state fades into the new state.
    Frozen,
    /// Inertialization: the old state stops at once, and its remaining offset decays over the new state.
    Inertial,
}

/// A condition of a transition.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ConditionDef {
    /// A parameter is above a value.
    Above(String, f32),
    /// A parameter is below a value.
    Below(String, f32),
    /// A boolean parameter is on.
    On(String),
    /// A boolean parameter is off.
    Off(String),
    /// A trigger is set.
    Fired(String),
    /// The state was entered at least this many seconds ago.
    After(f32),
    /// The clips of the state that do not loop have at most this many seconds left.
    Ending(f32),
}

#[cfg(feature = "serde")]
mod defaults {
    use super::ValueDef;
    use crate::sample::Wrap;

    pub(super) fn min_event_weight() -> f32 {
        super::super::DEFAULT_MIN_EVENT_WEIGHT
    }
    pub(super) fn is_default_min_event_weight(value: &f32) -> bool {
        value.to_bits() == min_event_weight().to_bits()
    }
    pub(super) fn is_zero(value: &f32) -> bool {
        value.to_bits() == 0
    }
    pub(super) fn is_false(value: &bool) -> bool {
        !*value
    }
    pub(super) fn is_one(value: &ValueDef) -> bool {
        *value == ValueDef::Constant(1.0)
    }
    pub(super) fn looped() -> Wrap {
        Wrap::Loop
    }
}
#[cfg(feature = "serde")]
use defaults::{is_default_min_event_weight, is_false, is_one, is_zero, looped, min_event_weight};
