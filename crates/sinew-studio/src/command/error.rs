//! The reasons why a command is rejected.

use crate::document::{DocumentOpenError, EditError};
use sinew::{
    ClipError, WeightsError,
    blend::GraphError,
    constrain::{DriverError, IkError, LimitError},
    deform::UnknownMethod,
};
use sinew_author::{
    AuthorError,
    check::FixError,
    helper_joints::HelperJointError,
    motion::MotionError,
    weights::{WeightError, rig::RigError},
};
use sinew_formats::graph::GraphTextError;
use thiserror::Error;

/// Why a command was rejected. The document is unchanged.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The command refers to an index that does not exist.
    #[error("there is no {kind} {index}; the document has {count}")]
    Missing {
        /// The kind of item.
        kind: &'static str,
        /// The index that the command refers to.
        index: usize,
        /// The number of items.
        count: usize,
    },
    /// A number is not finite or out of range.
    #[error("{what} must be {wanted}, got {value}")]
    BadValue {
        /// The name of the number.
        what: &'static str,
        /// The value that was rejected.
        value: f32,
        /// The values that are accepted, such as "from 0 to 1".
        wanted: &'static str,
    },
    /// The pose belongs to another character.
    #[error(
        "the pose has {joints} joints and {morphs} morph weights, the character has {wanted_joints} and {wanted_morphs}"
    )]
    OtherPose {
        /// The number of joints in the pose.
        joints: usize,
        /// The number of morph weights in the pose.
        morphs: usize,
        /// The number of joints of the character.
        wanted_joints: usize,
        /// The number of morph weights of the character.
        wanted_morphs: usize,
    },
    /// The instance is not deformed by a skin.
    #[error("instance {instance} has no skin, so it has no weights")]
    NoSkin {
        /// The index of the instance.
        instance: usize,
    },
    /// The joint does not influence the instance.
    #[error("joint {joint} is not in the skin of instance {instance}")]
    NotInSkin {
        /// The index of the joint.
        joint: usize,
        /// The index of the instance.
        instance: usize,
    },
    /// The command needs selected vertices.
    #[error("no vertex of the mesh is selected")]
    NothingSelected,
    /// Recorded weights are malformed or belong to another mesh.
    #[error("the weights are malformed or belong to another mesh")]
    BadWeights,
    /// The check target is unknown.
    #[error("{0}")]
    Target(String),
    /// The finding code is unknown.
    #[error("unknown finding code {code:?}")]
    NoSuchCode {
        /// The code that no finding has.
        code: String,
    },
    /// The doctor reports nothing that can be fixed.
    #[error("there is nothing to fix")]
    NothingToFix,
    /// The joint has no ancestor that IK could rotate.
    #[error("joint {joint} has no ancestor that IK could rotate")]
    NothingAbove {
        /// The index of the joint.
        joint: usize,
    },
    /// The character has no meta-joint of that name.
    #[error("there is no meta-joint {name:?}")]
    NoMetaJoint {
        /// The name that no meta-joint has.
        name: String,
    },
    /// The number of angles differs from the number of axes.
    #[error("meta-joint {name:?} has {axes} axes, got {angles} angles")]
    WrongAngles {
        /// The name of the meta-joint.
        name: String,
        /// The number of its axes.
        axes: usize,
        /// The number of angles that were given.
        angles: usize,
    },
    /// The joint limit is invalid.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The joints do not form a chain.
    #[error(transparent)]
    Chain(#[from] IkError),
    /// The command needs a chosen clip.
    #[error("no clip is chosen")]
    NoClip,
    /// The command needs a blended clip.
    #[error("no clip is blended in")]
    NoMix,
    /// The graph file is malformed.
    #[error("{name}: {source}")]
    GraphText {
        /// The name of the graph file.
        name: String,
        /// The position and cause.
        source: GraphTextError,
    },
    /// The graph is invalid, or does not fit the character.
    #[error("{name}: {source}")]
    Graph {
        /// The name of the graph file.
        name: String,
        /// The node, the field and the cause.
        source: Box<GraphError>,
    },
    /// The command needs an open graph.
    #[error("no graph is open")]
    NoGraph,
    /// The graph has no settable parameter of that name.
    #[error("{graph} has no settable parameter {name:?}")]
    NoParameter {
        /// The name of the parameter.
        name: String,
        /// The name of the graph file.
        graph: String,
    },
    /// The deformation method is unknown.
    #[error(transparent)]
    Method(#[from] UnknownMethod),
    /// The method's data cannot be precomputed.
    #[error(transparent)]
    Precompute(#[from] AuthorError),
    /// The source cannot be opened.
    #[error(transparent)]
    Open(#[from] DocumentOpenError),
    /// The weight operation failed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The rig operation failed.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The helper joint cannot be added.
    #[error(transparent)]
    Helper(#[from] HelperJointError),
    /// The curve of a driver is invalid.
    #[error(transparent)]
    Drive(#[from] DriverError),
    /// The skin doctor could not fix the findings.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// The weights are invalid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The pose cannot be mirrored or keyed.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The clip is invalid.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The edit does not fit the character.
    #[error(transparent)]
    Edit(#[from] EditError),
}
