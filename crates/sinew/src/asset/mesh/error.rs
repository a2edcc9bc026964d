//! Why streams, morph targets and points do not form a mesh.

use std::ops::Range;
use thiserror::Error;

/// Why streams do not form a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// A stream is neither empty nor as long as the positions.
    #[error("mesh {mesh:?}: {stream} has {count} entries for {vertices} vertices")]
    WrongCount {
        /// Name of the mesh.
        mesh: String,
        /// Name of the stream.
        stream: &'static str,
        /// Length of the stream.
        count: usize,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// A number is NaN or infinite.
    #[error("mesh {mesh:?}: {stream} of vertex {vertex} is not finite or exceeds 1e12")]
    OutOfRange {
        /// Name of the mesh.
        mesh: String,
        /// Name of the stream.
        stream: &'static str,
        /// Index of the vertex.
        vertex: usize,
    },
    /// An index points outside its primitive's vertices.
    #[error("mesh {mesh:?}, primitive {primitive}: index {index} is outside vertices {vertices:?}")]
    IndexOutOfRange {
        /// Name of the mesh.
        mesh: String,
        /// Index of the primitive in the mesh.
        primitive: usize,
        /// The index that is out of range.
        index: u32,
        /// The vertices of the primitive.
        vertices: Range<u32>,
    },
    /// A morph target moves a vertex that the mesh does not have.
    #[error("mesh {mesh:?}: morph target {target} moves vertex {vertex}, but there are {vertices} vertices")]
    MorphOutOfRange {
        /// Name of the mesh.
        mesh: String,
        /// Index of the morph target.
        target: usize,
        /// Index of the vertex that does not exist.
        vertex: u32,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// The primitives do not cover the vertices or the indices in order, or an index count does not fit the topology.
    #[error("mesh {mesh:?}, primitive {primitive}: {what}")]
    BadPrimitive {
        /// Name of the mesh.
        mesh: String,
        /// Index of the primitive in the mesh.
        primitive: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// There are more vertices or indices than `u32` can number.
    #[error("mesh {mesh:?}: at most {} vertices or indices are supported, got {count}", u32::MAX)]
    TooLarge {
        /// Name of the mesh.
        mesh: String,
        /// How many vertices or indices were given.
        count: usize,
    },
}
