//! A graph as written: plain data, names instead of numbers, nothing checked yet.

use crate::{blend::Easing, sample::Wrap};

/// A graph as a person or a file writes it; [`Graph::new`](super::Graph::new) checks it and makes it ready to run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct GraphDef {
    /// What the game sets, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub parameters: Vec<(String, ParameterDef)>,
    /// Parts of the skeleton, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub masks: Vec<(String, MaskDef)>,
    /// Groups of clips that keep in step, by name: the events that mark their steps, in order.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub sync: Vec<(String, Vec<String>)>,
    /// Graphs that nodes of this one may contain, by name. Theirs are found here, too.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub graphs: Vec<(String, InnerDef)>,
    /// What makes poses, by name.
    #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
    pub nodes: Vec<(String, NodeDef)>,
    /// The node whose pose comes out.
    pub output: String,
    /// Events of clips that count less than this do not fire, 0 to 1.
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
    /// What the graph around it sets, by name.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub parameters: Vec<(String, ParameterDef)>,
    /// What makes poses, by name.
    #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
    pub nodes: Vec<(String, NodeDef)>,
    /// The node whose pose comes out.
    pub output: String,
}

/// A parameter and its value at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ParameterDef {
    /// A number.
    Float(f32),
    /// On or off.
    Bool(bool),
    /// Off until set; the transition that it causes switches it off again.
    Trigger,
}

/// Joints that take part.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct MaskDef {
    /// Joints with all that hang on them, by name.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub below: Vec<String>,
    /// Joints with a share of their own, 0 to 1, after `below`.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
    )]
    pub joints: Vec<(String, f32)>,
    /// The share of all morph weights, 0 to 1.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    pub morphs: f32,
    /// Everything but that.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub inverted: bool,
}

/// A number that is fixed or that a parameter gives. In a file: `0.5`, or `"speed"`.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueDef {
    /// Fixed.
    Constant(f32),
    /// The parameter of that name; on and off count as 1 and 0.
    Parameter(String),
}

impl Default for ValueDef {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

/// What makes a pose.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum NodeDef {
    /// The rest pose.
    Rest,
    /// A clip that runs.
    Clip {
        /// Its name in the graph.
        clip: String,
        /// Seconds of the clip a second.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        speed: ValueDef,
        /// How it goes on at its end.
        #[cfg_attr(feature = "serde", serde(default = "looped", with = "super::wrap"))]
        wrap: Wrap,
        /// The part that is played, in seconds; all of it where there is none.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        range: Option<(f32, f32)>,
        /// The group that it keeps in step with.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        sync: Option<String>,
    },
    /// The weighted mean of nodes.
    Blend {
        /// At most [`MAX_INPUTS`](super::MAX_INPUTS).
        inputs: Vec<InputDef>,
    },
    /// One node over another.
    Layer {
        /// What lies below.
        base: String,
        /// What covers it.
        over: String,
        /// How much it covers, 0 to 1.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Where it covers.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// A difference laid on a node.
    Add {
        /// What it is laid on.
        base: String,
        /// A clip of differences or a [`NodeDef::Difference`].
        delta: String,
        /// How much of it.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Where.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// A difference taken off a node.
    Subtract {
        /// What it is taken off.
        base: String,
        /// A clip of differences or a [`NodeDef::Difference`].
        delta: String,
        /// How much of it.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
        weight: ValueDef,
        /// Where.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        mask: Option<String>,
    },
    /// What leads from one node's pose to another's.
    Difference {
        /// Where it leads.
        of: String,
        /// Where it begins.
        from: String,
    },
    /// Nodes along a parameter.
    #[cfg_attr(feature = "serde", serde(alias = "Line"))]
    BlendSpace1d {
        /// Where between them.
        x: ValueDef,
        /// Coordinates and nodes.
        points: Vec<(f32, String)>,
    },
    /// Nodes in a plane of two parameters.
    #[cfg_attr(feature = "serde", serde(alias = "Plane"))]
    BlendSpace2d {
        /// Where between them, in the first direction.
        x: ValueDef,
        /// Where between them, in the second.
        y: ValueDef,
        /// Coordinates and nodes.
        points: Vec<(f32, f32, String)>,
    },
    /// One of several nodes at a time.
    #[cfg_attr(feature = "serde", serde(alias = "Machine"))]
    StateMachine {
        /// The state at the start.
        initial: String,
        /// States and their nodes, by name.
        #[cfg_attr(feature = "serde", serde(with = "super::named_list"))]
        states: Vec<(String, String)>,
        /// The ways between states; the first that can be taken is.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
        transitions: Vec<TransitionDef>,
    },
    /// Another graph.
    Graph {
        /// Which.
        graph: String,
        /// What its parameters are. Those that are not named become parameters of this graph, as `node/parameter`.
        #[cfg_attr(
            feature = "serde",
            serde(default, with = "super::named_list", skip_serializing_if = "Vec::is_empty")
        )]
        parameters: Vec<(String, ValueDef)>,
    },
}

/// One of the nodes of a mean.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct InputDef {
    /// The node.
    pub node: String,
    /// How much it counts beside the others.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_one"))]
    pub weight: ValueDef,
    /// Where it counts.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub mask: Option<String>,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct TransitionDef {
    /// The states it leaves; any other than `to` where there are none.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub from: Vec<String>,
    /// The state it leads to.
    pub to: String,
    /// All must hold.
    pub when: Vec<ConditionDef>,
    /// How the poses change.
    #[cfg_attr(feature = "serde", serde(default))]
    pub by: TransitionKind,
    /// How long that takes.
    pub secs: f32,
    /// How it sets in and ends; of no meaning for [`TransitionKind::Inertial`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub easing: Easing,
}

/// How one state takes over from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TransitionKind {
    /// Both run while one fades into the other.
    #[default]
    Smooth,
    /// The pose of the moment fades into the new state.
    Frozen,
    /// The old state ends at once; its momentum runs out over the new one.
    Inertial,
}

/// What must hold for a transition.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ConditionDef {
    /// A number is larger than another.
    Above(String, f32),
    /// A number is smaller than another.
    Below(String, f32),
    /// A parameter is on.
    On(String),
    /// A parameter is off.
    Off(String),
    /// A trigger is set.
    Fired(String),
    /// The state has been entered at least so many seconds ago.
    After(f32),
    /// The state's clips that do not repeat have at most so many seconds left.
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
