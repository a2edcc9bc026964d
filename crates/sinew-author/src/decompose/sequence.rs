//! One mesh in many frames.

use super::DecomposeError;
use sinew::glam::Vec3;

/// A mesh at rest and in every frame: the vertices keep their order and triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshSequence {
    pub(super) rest: Vec<Vec3>,
    pub(super) frames: Vec<Vec<Vec3>>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl MeshSequence {
    /// A sequence of `frames`, each with as many vertices as `rest`, in meters. Without triangles, points have no neighbors.
    ///
    /// # Errors
    /// If there are no vertices or frames, a frame has another number of vertices, a triangle names a vertex that does not exist, or
    /// a number is not finite.
    pub fn new(
        rest: Vec<Vec3>,
        frames: Vec<Vec<Vec3>>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, DecomposeError> {
        if rest.is_empty() || frames.is_empty() {
            return Err(DecomposeError::Empty { vertices: rest.len(), frames: frames.len() });
        }
        if let Some(frame) = frames.iter().position(|frame| frame.len() != rest.len()) {
            return Err(DecomposeError::OtherCount {
                frame,
                vertices: frames[frame].len(),
                wanted: rest.len(),
            });
        }
        let largest = triangles.iter().flatten().max().copied().unwrap_or(0);
        if largest as usize >= rest.len() {
            return Err(DecomposeError::BadTriangle { vertex: largest, vertices: rest.len() });
        }
        let is_bad = |places: &[Vec3]| {
            places.iter().position(|p| !p.is_finite() || p.abs().max_element() > sinew::MAX_VALUE)
        };
        if let Some(vertex) = is_bad(&rest) {
            return Err(DecomposeError::NotFinite { frame: None, vertex });
        }
        for (frame, places) in frames.iter().enumerate() {
            if let Some(vertex) = is_bad(places) {
                return Err(DecomposeError::NotFinite { frame: Some(frame), vertex });
            }
        }
        Ok(Self { rest, frames, triangles })
    }

    /// The vertices at rest, in meters.
    #[must_use]
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// The vertices in each frame, in meters.
    #[must_use]
    pub fn frames(&self) -> &[Vec<Vec3>] {
        &self.frames
    }

    /// The corners of each triangle.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}
