//! Triangle meshes to draw, checked once and shared by reference count.

use std::sync::Arc;

use thiserror::Error;

use crate::glam::{Vec2, Vec3};

/// Positions and triangles with optional normals and texture coordinates.
///
/// Every index is in range and all streams have equal length. Buffers are shared, so a new
/// frame of an animation replaces positions and normals and keeps the rest. Positions may be anything, even
/// NaN: triangles that touch such a vertex are not drawn.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    positions: Arc<[Vec3]>,
    normals: Option<Arc<[Vec3]>>,
    uvs: Option<Arc<[Vec2]>>,
    triangles: Arc<[[u32; 3]]>,
}

/// Why a geometry or a layer is invalid.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeometryError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {vertices}")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// Vertex index that the triangle contains.
        vertex: u32,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// A stream's length differs from what it accompanies.
    #[error("{stream} must have {want} entries, got {got}")]
    LengthMismatch {
        /// Name of the stream.
        stream: &'static str,
        /// Number of entries that were given.
        got: usize,
        /// Number of entries that are needed.
        want: usize,
    },
    /// A textured paint needs texture coordinates that the mesh lacks.
    #[error("a textured layer needs texture coordinates")]
    MissingUvs,
}

impl Geometry {
    /// A mesh without normals, which is flat-shaded, and without texture coordinates.
    ///
    /// # Errors
    /// [`GeometryError::IndexOutOfRange`] if a triangle refers to a vertex that does not exist.
    pub fn new(
        positions: impl Into<Arc<[Vec3]>>,
        triangles: impl Into<Arc<[[u32; 3]]>>,
    ) -> Result<Self, GeometryError> {
        let (positions, triangles) = (positions.into(), triangles.into());
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices) {
                return Err(GeometryError::IndexOutOfRange { triangle, vertex, vertices });
            }
        }
        Ok(Self { positions, normals: None, uvs: None, triangles })
    }

    /// The same mesh with normals, which are interpolated over triangles for smooth shading.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] unless there is one normal per vertex.
    pub fn with_normals(mut self, normals: impl Into<Arc<[Vec3]>>) -> Result<Self, GeometryError> {
        let normals = normals.into();
        same_length("normals", normals.len(), self.positions.len())?;
        self.normals = Some(normals);
        Ok(self)
    }

    /// The same mesh with texture coordinates, (0, 0) being the texture's upper left corner.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] unless there is one coordinate per vertex.
    pub fn with_uvs(mut self, uvs: impl Into<Arc<[Vec2]>>) -> Result<Self, GeometryError> {
        let uvs = uvs.into();
        same_length("uvs", uvs.len(), self.positions.len())?;
        self.uvs = Some(uvs);
        Ok(self)
    }

    /// The same triangles with moved vertices; normals are dropped, since they no longer fit.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] unless the number of vertices stays the same.
    pub fn moved(&self, positions: impl Into<Arc<[Vec3]>>) -> Result<Self, GeometryError> {
        let positions = positions.into();
        same_length("positions", positions.len(), self.positions.len())?;
        Ok(Self { positions, normals: None, uvs: self.uvs.clone(), triangles: Arc::clone(&self.triangles) })
    }

    /// The same mesh with normals averaged over the triangles around each vertex, weighted by area.
    #[must_use]
    pub fn smoothed(mut self) -> Self {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for face in self.triangles.iter() {
            let [a, b, c] = face.map(|vertex| self.positions[vertex as usize]);
            let normal = (b - a).cross(c - a);
            if normal.is_finite() {
                for &vertex in face {
                    normals[vertex as usize] += normal;
                }
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or_zero();
        }
        self.normals = Some(normals.into());
        self
    }

    /// World positions in meters, one per vertex.
    pub fn positions(&self) -> &Arc<[Vec3]> {
        &self.positions
    }

    /// Normals, one per vertex, if the mesh has them.
    pub fn normals(&self) -> Option<&Arc<[Vec3]>> {
        self.normals.as_ref()
    }

    /// Texture coordinates, one per vertex, if the mesh has them.
    pub fn uvs(&self) -> Option<&Arc<[Vec2]>> {
        self.uvs.as_ref()
    }

    /// Vertex indices, three per triangle, counter-clockwise viewed from outside.
    pub fn triangles(&self) -> &Arc<[[u32; 3]]> {
        &self.triangles
    }

    /// Minimum and maximum of all finite positions, or `None` without any.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.positions.iter().filter(|position| position.is_finite()).fold(None, |bounds, &position| {
            let (min, max) = bounds.unwrap_or((position, position));
            Some((min.min(position), max.max(position)))
        })
    }
}

pub(crate) fn same_length(stream: &'static str, got: usize, want: usize) -> Result<(), GeometryError> {
    if got == want { Ok(()) } else { Err(GeometryError::LengthMismatch { stream, got, want }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::Y]
    }

    #[test]
    fn rejects_an_index_past_the_last_vertex() {
        let error = Geometry::new(corner(), vec![[0, 1, 2], [0, 3, 1]]).unwrap_err();
        assert_eq!(error, GeometryError::IndexOutOfRange { triangle: 1, vertex: 3, vertices: 3 });
    }

    #[test]
    fn rejects_streams_of_another_length() {
        let geometry = Geometry::new(corner(), vec![[0, 1, 2]]).unwrap();
        assert!(geometry.clone().with_normals(vec![Vec3::Z]).is_err());
        assert!(geometry.clone().with_uvs(vec![Vec2::ZERO; 4]).is_err());
        assert!(geometry.moved(vec![Vec3::Z]).is_err());
    }

    #[test]
    fn smoothed_normals_point_out_of_a_counter_clockwise_triangle() {
        let geometry = Geometry::new(corner(), vec![[0, 1, 2]]).unwrap().smoothed();
        assert_eq!(geometry.normals().unwrap().as_ref(), &[Vec3::Z; 3]);
    }

    #[test]
    fn bounds_ignore_vertices_that_are_not_finite() {
        let positions = vec![Vec3::NAN, Vec3::ONE, Vec3::splat(3.0), Vec3::INFINITY];
        let geometry = Geometry::new(positions, Vec::new()).unwrap();
        assert_eq!(geometry.bounds(), Some((Vec3::ONE, Vec3::splat(3.0))));
    }
}
