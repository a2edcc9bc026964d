//! Errors of decomposing sequences.

use crate::AuthorError;
use sinew::{CharacterError, ClipError, CurveError, MeshError, SkeletonError, SkinError, WeightsError};
use std::collections::TryReserveError;
use thiserror::Error;

/// Why a sequence cannot be decomposed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DecomposeError {
    /// There is nothing to decompose.
    #[error("a sequence must have vertices and frames, got {vertices} vertices in {frames} frames")]
    Empty {
        /// The number of vertices.
        vertices: usize,
        /// The number of frames.
        frames: usize,
    },
    /// A frame does not belong to the mesh.
    #[error("frame {frame} has {vertices} vertices, the mesh has {wanted}")]
    OtherCount {
        /// The number of the frame, from 0.
        frame: usize,
        /// Its number of vertices.
        vertices: usize,
        /// The number of vertices of the mesh.
        wanted: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("a triangle names vertex {vertex}, the mesh has {vertices}")]
    BadTriangle {
        /// The index in the triangle.
        vertex: u32,
        /// The number of vertices of the mesh.
        vertices: usize,
    },
    /// A coordinate is not finite or too large.
    #[error("vertex {vertex} must have finite coordinates up to 1e12{}", frame.map_or(String::new(), |f| format!(" in frame {f}")))]
    NotFinite {
        /// The number of the frame, from 0; `None` for the mesh at rest.
        frame: Option<usize>,
        /// The index of the vertex.
        vertex: usize,
    },
    /// The skeleton that is to be kept does not fit the mesh.
    #[error("{0}")]
    WrongSkeleton(String),
    /// The trajectories do not fit into memory.
    #[error("not enough memory for the trajectories of all vertices: {0}")]
    Memory(#[from] TryReserveError),
    /// An option is out of range, or the caller stopped the work.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// The joints do not form a skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The bones do not form a skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The weights are not valid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The motion does not form a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The keys do not form a curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The weights do not fit the mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The parts do not form a character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}
