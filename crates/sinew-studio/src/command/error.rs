//! Why commands are refused.

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

/// Why a command changed nothing.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The command names a part that is not there.
    #[error("there is no {kind} {index}; there are {count}")]
    Missing {
        /// What kind of part.
        kind: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A number is not finite or out of range.
    #[error("{what} is {value}, which must be {wanted}")]
    BadValue {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f32,
        /// What is allowed.
        wanted: &'static str,
    },
    /// A pose is of another character.
    #[error(
        "the pose has {joints} joints and {morphs} shapes, the character {wanted_joints} and {wanted_morphs}"
    )]
    OtherPose {
        /// Its joints.
        joints: usize,
        /// Its morph weights.
        morphs: usize,
        /// The character's joints.
        wanted_joints: usize,
        /// The character's morph weights.
        wanted_morphs: usize,
    },
    /// The instance is not deformed by a skin.
    #[error("instance {instance} has no skin, so it has no weights")]
    NoSkin {
        /// The instance.
        instance: usize,
    },
    /// The joint does not move the instance.
    #[error("joint {joint} is not in the skin of instance {instance}")]
    NotInSkin {
        /// The joint.
        joint: usize,
        /// The instance.
        instance: usize,
    },
    /// The command works on selected vertices.
    #[error("no vertex of the mesh is selected")]
    NothingSelected,
    /// Weights that were written down are not whole, or of another mesh.
    #[error("the weights are not whole, or of another mesh")]
    BadWeights,
    /// No such target.
    #[error("{0}")]
    Target(String),
    /// The doctor has no such code.
    #[error("there is no code {code:?}")]
    NoSuchCode {
        /// The text.
        code: String,
    },
    /// Nothing of that kind is wrong, or nothing that can be mended.
    #[error("there is nothing to mend")]
    NothingToMend,
    /// There is no joint above that could turn.
    #[error("joint {joint} has no joint above it that could turn to bring it somewhere")]
    NothingAbove {
        /// The joint.
        joint: usize,
    },
    /// The numbers are no limit.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The joints make no chain.
    #[error(transparent)]
    Chain(#[from] IkError),
    /// There is no clip to go through.
    #[error("no clip is chosen")]
    NoClip,
    /// There is no second clip to mix in.
    #[error("no clip is mixed in")]
    NoMix,
    /// The text is no graph.
    #[error("{name}: {source}")]
    GraphText {
        /// The graph's file.
        name: String,
        /// Where and why not.
        source: GraphTextError,
    },
    /// The graph does not fit the character or makes no sense.
    #[error("{name}: {source}")]
    Graph {
        /// The graph's file.
        name: String,
        /// Which node and field, and why not.
        source: Box<GraphError>,
    },
    /// No graph is open.
    #[error("no graph is open")]
    NoGraph,
    /// The graph has no such parameter that can be set.
    #[error("{graph} has no parameter {name:?} that can be set")]
    NoParameter {
        /// The parameter.
        name: String,
        /// The graph's file.
        graph: String,
    },
    /// No method has that name.
    #[error(transparent)]
    Method(#[from] UnknownMethod),
    /// What the method needs cannot be made.
    #[error(transparent)]
    Prepare(#[from] AuthorError),
    /// The source cannot be opened.
    #[error(transparent)]
    Open(#[from] DocumentOpenError),
    /// The weights cannot be changed so.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// Joints or binds cannot be changed so.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// There is no way to help there.
    #[error(transparent)]
    Helper(#[from] HelperJointError),
    /// The curve of a driver makes no function.
    #[error(transparent)]
    Drive(#[from] DriverError),
    /// It cannot be mended.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// The weights are not valid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The pose cannot be mirrored or keyed.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The curves make no clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The edited part does not fit the character.
    #[error(transparent)]
    Edit(#[from] EditError),
}
