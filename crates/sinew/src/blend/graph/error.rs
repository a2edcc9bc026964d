//! Why a graph cannot run.

use crate::blend::{SpaceError, SyncError};
use crate::sample::TimeRangeError;
use thiserror::Error;

/// What is wrong with a graph, and where.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{place}: {field}: {fault}")]
pub struct GraphError {
    /// Which part: `node "walk"`, `mask "arm"`, `graph`.
    pub place: String,
    /// Which of its fields.
    pub field: String,
    /// What is wrong with it.
    pub fault: GraphFault,
}

/// What is wrong with a field.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GraphFault {
    /// Nothing of the kind has that name.
    #[error("there is no {kind} {name:?}{}", hint(.known))]
    Unknown {
        /// What was looked for: `clip`, `node`, `parameter`…
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// Some names that there are.
        known: Vec<String>,
    },
    /// Two things of one kind share a name.
    #[error("the name {name:?} is used twice")]
    Repeated {
        /// The name that is repeated.
        name: String,
    },
    /// A parameter is of another kind than the place needs.
    #[error("parameter {name:?} is a {is}, and a {wanted} is needed")]
    ParameterKind {
        /// Name of the parameter.
        name: String,
        /// The type that it has.
        is: &'static str,
        /// What the field needs.
        wanted: &'static str,
    },
    /// A number is not finite or out of its range.
    #[error("must be between {min} and {max}, got {value}")]
    OutOfRange {
        /// The number that was given.
        value: f32,
        /// The least that makes sense.
        min: f32,
        /// The most that makes sense.
        max: f32,
    },
    /// A list that must hold something is empty.
    #[error("must not be empty")]
    Empty,
    /// More of something than a graph holds.
    #[error("at most {max} are supported, got {count}")]
    TooMany {
        /// How many exist.
        count: usize,
        /// How many there may be.
        max: usize,
    },
    /// A node or graph contains itself.
    #[error("{name:?} contains itself: {}", .way.join(" > "))]
    Cycle {
        /// Its name in the graph.
        name: String,
        /// The way back to it.
        way: Vec<String>,
    },
    /// A pose where a difference must be, or the other way round.
    #[error("node {name:?} gives {is}, and {wanted} is needed")]
    PoseKind {
        /// The node.
        name: String,
        /// What the node produces.
        is: &'static str,
        /// What the field needs.
        wanted: &'static str,
    },
    /// Clips disagree on what a meta-channel holds.
    #[error("meta-channel {name:?} is a {is} in this clip and a {other} in another")]
    MetaKind {
        /// Name of the meta-channel.
        name: String,
        /// What it is here.
        is: &'static str,
        /// What it is elsewhere.
        other: &'static str,
    },
    /// The clip moves more joints or morph weights than the character has.
    #[error(
        "the clip moves {joints} joints and {morphs} morph weights, the character has {has_joints} and {has_morphs}"
    )]
    OtherSkeleton {
        /// Joints that the clip needs.
        joints: usize,
        /// Morph weights that it needs.
        morphs: usize,
        /// Joints that there are.
        has_joints: usize,
        /// Morph weights that there are.
        has_morphs: usize,
    },
    /// A state without a clip that ends is asked when it ends.
    #[error("state {state:?} has no clip that ends (wrap: Clamp), so this never holds")]
    NeverEnds {
        /// The state.
        state: String,
    },
    /// Only clips that loop can keep in step.
    #[error("only a clip with wrap: Loop can keep in step")]
    NotLooped,
    /// The points make no blend space.
    #[error("{0}")]
    Space(#[from] SpaceError),
    /// The clip cannot keep in step.
    #[error("{0}")]
    Sync(#[from] SyncError),
    /// The times are no range.
    #[error("{0}")]
    Range(#[from] TimeRangeError),
}

/// A hint at the names that there are.
fn hint(names: &[String]) -> String {
    if names.is_empty() {
        return ", there is none at all".into();
    }
    let list: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    format!("; there is {}", list.join(", "))
}

impl GraphError {
    pub(super) fn new(
        place: impl Into<String>,
        field: impl Into<String>,
        fault: impl Into<GraphFault>,
    ) -> Self {
        Self { place: place.into(), field: field.into(), fault: fault.into() }
    }
}
