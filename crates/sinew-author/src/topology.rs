//! A mesh as welded points and triangles, without the seams of textures and normals.

use crate::AuthorError;
use sinew::{Mesh, Weights, glam::DVec3};
use std::sync::Arc;

/// The points of a mesh, its triangles between points, and the representative vertex of each point.
pub(crate) struct WeldedTopology<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) weights: &'a Arc<Weights>,
    pub(crate) positions: Vec<DVec3>,
    /// Triangles with three distinct corners.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl<'a> WeldedTopology<'a> {
    pub(crate) fn new(mesh: &'a Mesh) -> Result<Self, AuthorError> {
        let no_weights = || AuthorError::NoWeights { mesh: mesh.name().into() };
        let weights = mesh.weights().ok_or_else(no_weights)?;
        let points = mesh.points();
        let place = |&v: &u32| mesh.positions()[v as usize].as_dvec3();
        let of_points = |t: [u32; 3]| t.map(|v| points.of_vertex()[v as usize]);
        let triangles = mesh.triangles().map(of_points).filter(|[a, b, c]| a != b && b != c && c != a);
        Ok(Self {
            mesh,
            weights,
            positions: points.first_vertex().iter().map(place).collect(),
            triangles: triangles.collect(),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The vertex that represents `point`.
    pub(crate) fn vertex(&self, point: usize) -> usize {
        self.mesh.points().first_vertex()[point] as usize
    }

    /// The slots and weights of `point`.
    pub(crate) fn weights_of(&self, point: usize) -> (&[u16], &[f32]) {
        self.weights.of(self.vertex(point))
    }

    /// Expands values of points to vertices.
    pub(crate) fn to_vertices<T: Clone>(&self, of_points: &[T]) -> Vec<T> {
        self.mesh.points().of_vertex().iter().map(|&p| of_points[p as usize].clone()).collect()
    }

    /// The sorted neighbors of each point, as ranges into one list.
    pub(crate) fn rings(&self) -> (Vec<u32>, Vec<u32>) {
        let edges =
            self.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)]);
        let mut edges: Vec<(u32, u32)> = edges.collect();
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0_u32; self.len() + 1];
        edges.iter().for_each(|&(from, _)| first[from as usize + 1] += 1);
        for point in 0..self.len() {
            first[point + 1] += first[point];
        }
        (first, edges.into_iter().map(|(_, to)| to).collect())
    }

    /// The normal of a triangle, with its area as length.
    pub(crate) fn area_vector(positions: &[DVec3], [a, b, c]: [u32; 3]) -> DVec3 {
        let [a, b, c] = [a, b, c].map(|p| positions[p as usize]);
        (b - a).cross(c - a) * 0.5
    }
}
