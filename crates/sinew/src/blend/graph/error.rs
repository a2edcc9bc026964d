//! Errors of graph definitions.

use crate::blend::{SpaceError, SyncError};
use crate::sample::TimeRangeError;
use thiserror::Error;

/// An error in a graph definition, with its location.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{place}: {field}: {fault}")]
pub struct GraphError {
    /// The part: `node "walk"`, `mask "arm"`, `graph`.
    pub place: String,
    /// The field of the part.
    pub field: String,
    /// What is wrong with it.
    pub fault: GraphFault,
}

/// What is wrong with a field of a graph definition.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GraphFault {
    /// A name is unknown.
    #[error("there is no {kind} {name:?}{}", hint(.known))]
    Unknown {
        /// The kind of item: `clip`, `node`, `parameter`…
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// Some of the known names.
        known: Vec<String>,
    },
    /// A name is used twice.
    #[error("the name {name:?} is used twice")]
    Repeated {
        /// The name that is repeated.
        name: String,
    },
    /// A parameter has the wrong type.
    #[error("parameter {name:?} is a {is}, but a {wanted} is needed")]
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
        /// The smallest valid value.
        min: f32,
        /// The largest valid value.
        max: f32,
    },
    /// A list is empty.
    #[error("must not be empty")]
    Empty,
    /// There are too many items.
    #[error("at most {max} are supported, got {count}")]
    TooMany {
        /// How many items were given.
        count: usize,
        /// The largest number that is supported.
        max: usize,
    },
    /// A node or graph contains itself.
    #[error("{name:?} contains itself: {}", .way.join(" > "))]
    Cycle {
        /// Its name in the graph.
        name: String,
        /// The path back to it.
        way: Vec<String>,
    },
    /// A pose is used as a difference, or a difference as a pose.
    #[error("node {name:?} gives {is}, but {wanted} is needed")]
    PoseKind {
        /// Name of the input node.
        name: String,
        /// What the node produces.
        is: &'static str,
        /// What the field needs.
        wanted: &'static str,
    },
    /// Clips disagree on the type of a meta-channel.
    #[error("meta-channel {name:?} is a {is} in this clip and a {other} in another")]
    MetaKind {
        /// Name of the meta-channel.
        name: String,
        /// The type in this clip.
        is: &'static str,
        /// The type in other clips.
        other: &'static str,
    },
    /// The clip animates more joints or morph weights than the character has.
    #[error(
        "the clip animates {joints} joints and {morphs} morph weights, the character has {has_joints} and {has_morphs}"
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
    /// A transition waits for the end of a state that does not end.
    #[error("state {state:?} has no clip that ends (wrap: Clamp), so this never holds")]
    NeverEnds {
        /// Name of the source state.
        state: String,
    },
    /// Only looping clips can be in a sync group.
    #[error("a clip in a sync group must have wrap: Loop")]
    NotLooped,
    /// The points do not form a blend space.
    #[error("{0}")]
    Space(#[from] SpaceError),
    /// The clip does not fit its sync group.
    #[error("{0}")]
    Sync(#[from] SyncError),
    /// The times do not form a range.
    #[error("{0}")]
    Range(#[from] TimeRangeError),
}

/// Lists the known names.
fn hint(names: &[String]) -> String {
    if names.is_empty() {
        return "; none exists".into();
    }
    let list: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    format!("; known: {}", list.join(", "))
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
