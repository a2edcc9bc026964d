//! Errors of precomputing deformer data.

use sinew::{CharacterError, DeformError, MeshError, PrecomputedError};
use thiserror::Error;

/// Why data could not be precomputed for a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum AuthorError {
    /// The mesh is not skinned.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh.
        mesh: String,
    },
    /// The weights use joints that the skin does not have.
    #[error("the weights use {needed} joint slots, the skin has {joints}")]
    SkinTooSmall {
        /// The number of slots that the weights use.
        needed: usize,
        /// The number of joints of the skin.
        joints: usize,
    },
    /// An option is out of range.
    #[error("{option} must be {wanted}, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
    /// The caller stopped the work.
    #[error("stopped by the caller")]
    Stopped,
    /// More joints give weight than the method solves for.
    #[error(
        "the method {method} solves for at most {max} joints and {joints} joints have a bone in the body; use voxel, \
         which has no such limit"
    )]
    TooManyJoints {
        /// The name of the method.
        method: &'static str,
        /// The number of joints that give weight.
        joints: usize,
        /// How many joints the solver takes at most.
        max: usize,
    },
    /// The smoothing system could not be factored.
    #[error("the smoothing system of {points} points cannot be factored: {reason}")]
    NotSolvable {
        /// The number of unknowns.
        points: usize,
        /// The message of the solver.
        reason: String,
    },
    /// A part of the mesh could not be deformed while trying the data.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The result contains a number that is not finite.
    #[error(transparent)]
    BadResult(#[from] PrecomputedError),
    /// The result does not fit the mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The prepared meshes do not fit the character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}
