//! Why something could not be made.

use sinew::{CharacterError, MeshError, PrecomputedError};
use thiserror::Error;

/// Why data could not be made for a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum AuthorError {
    /// Only a skinned mesh can be prepared.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The mesh's name.
        mesh: String,
    },
    /// An option is outside its range.
    #[error("{option} is {value}, which is not {wanted}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// The caller stopped the work.
    #[error("stopped by the caller")]
    Stopped,
    /// The smoothing system could not be factored.
    #[error("the smoothing system of {points} points cannot be factored: {reason}")]
    NotSolvable {
        /// How many unknowns there are.
        points: usize,
        /// What the solver says.
        reason: String,
    },
    /// The result is not usable: a number in it is not finite.
    #[error(transparent)]
    BadResult(#[from] PrecomputedError),
    /// The result does not fit the mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The prepared meshes do not fit the character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}
