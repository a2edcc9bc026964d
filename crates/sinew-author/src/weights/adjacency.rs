//! Vertex adjacency: copies of a point, and points that share an edge.

use super::surface::{Rings, WeldedSurface};
use sinew::Mesh;
use std::collections::BTreeSet;

/// Copies and neighbors of the vertices of a mesh, computed once for painting and selecting. It is valid for every mesh that
/// [shares its shape](Mesh::shares_shape).
pub struct VertexAdjacency {
    pub(super) of_vertex: Vec<u32>,
    /// The vertices of each point.
    pub(super) vertices: Vec<Vec<u32>>,
    pub(super) rings: Rings,
}

impl VertexAdjacency {
    /// The adjacency of `mesh`.
    #[must_use]
    pub fn new(mesh: &Mesh) -> Self {
        let of_vertex = mesh.points().of_vertex().to_vec();
        let mut vertices = vec![Vec::new(); mesh.points().len()];
        of_vertex.iter().enumerate().for_each(|(v, &point)| vertices[point as usize].push(v as u32));
        Self { of_vertex, vertices, rings: WeldedSurface::new(mesh).rings() }
    }

    pub(super) fn first(&self, point: usize) -> usize {
        self.vertices[point].first().map_or(0, |&v| v as usize)
    }

    /// All vertices that are connected to any of `vertices`, across seams: whole loose parts.
    #[must_use]
    pub fn connected(&self, vertices: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut is_in = self.points_of(vertices);
        let mut waiting: Vec<usize> = (0..is_in.len()).filter(|&point| is_in[point]).collect();
        while let Some(point) = waiting.pop() {
            for &next in self.rings.of(point) {
                if !std::mem::replace(&mut is_in[next as usize], true) {
                    waiting.push(next as usize);
                }
            }
        }
        self.vertices_of(&is_in)
    }

    /// `vertices` with their direct neighbors.
    #[must_use]
    pub fn grown(&self, vertices: &BTreeSet<u32>) -> BTreeSet<u32> {
        let inner = self.points_of(vertices);
        let is_in = |point: usize| inner[point] || self.has_neighbor(point, |n| inner[n]);
        let grown: Vec<bool> = (0..inner.len()).map(is_in).collect();
        self.vertices_of(&grown)
    }

    /// `vertices` without those that have a neighbor outside the set.
    #[must_use]
    pub fn shrunk(&self, vertices: &BTreeSet<u32>) -> BTreeSet<u32> {
        let inner = self.points_of(vertices);
        let is_in = |point: usize| inner[point] && !self.has_neighbor(point, |n| !inner[n]);
        let shrunk: Vec<bool> = (0..inner.len()).map(is_in).collect();
        self.vertices_of(&shrunk)
    }

    fn has_neighbor(&self, point: usize, is_wanted: impl Fn(usize) -> bool) -> bool {
        self.rings.of(point).iter().any(|&next| is_wanted(next as usize))
    }

    /// For each point, whether any of its vertices is among `vertices`.
    fn points_of(&self, vertices: &BTreeSet<u32>) -> Vec<bool> {
        let mut is_in = vec![false; self.vertices.len()];
        let points = vertices.iter().filter_map(|&vertex| self.of_vertex.get(vertex as usize));
        points.for_each(|&point| is_in[point as usize] = true);
        is_in
    }

    fn vertices_of(&self, is_in: &[bool]) -> BTreeSet<u32> {
        let vertices = self.of_vertex.iter().enumerate().filter(|(_, point)| is_in[**point as usize]);
        vertices.map(|(vertex, _)| vertex as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{MeshParts, Primitive, Topology, glam::Vec3};

    /// Two strips of triangles along x, the second far from the first; vertex 8 is a copy of vertex 2.
    fn strips() -> VertexAdjacency {
        let strip = |y: f32| (0..4).map(move |x| Vec3::new(x as f32, y, 0.0));
        let first: Vec<Vec3> = strip(0.0).chain(strip(1.0)).collect();
        let second = first.iter().map(|p| *p + Vec3::Z * 9.0);
        let positions: Vec<Vec3> = first.iter().copied().chain([first[2]]).chain(second).collect();
        let quads = |base: u32, seam: u32| {
            [[base, base + 1, base + 4], [base + 1, base + 5, base + 4], [base + 1, base + 2, base + 5]]
                .into_iter()
                .chain([
                    [seam, base + 3, base + 6],
                    [base + 2, base + 6, base + 5],
                    [base + 3, base + 7, base + 6],
                ])
                .flatten()
        };
        let indices: Vec<u32> = quads(0, 8).chain(quads(9, 11)).collect();
        let part = Primitive {
            vertices: 0..positions.len() as u32,
            indices: 0..indices.len() as u32,
            topology: Topology::Triangles,
            material: None,
        };
        let parts = MeshParts { positions, indices, primitives: vec![part], ..MeshParts::default() };
        VertexAdjacency::new(&Mesh::new(parts).unwrap())
    }

    fn set(vertices: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
        vertices.into_iter().collect()
    }

    #[test]
    fn connected_selects_the_whole_part_across_its_seam_and_no_other() {
        assert_eq!(strips().connected(&set([0])), set(0..9));
        assert_eq!(strips().connected(&set([16])), set(9..17));
        assert_eq!(strips().connected(&set([0, 16])), set(0..17));
        assert_eq!(strips().connected(&set([])), set([]));
    }

    #[test]
    fn growing_adds_one_ring_and_shrinking_removes_it() {
        let adjacency = strips();
        let grown = adjacency.grown(&set([0]));
        assert_eq!(grown, set([0, 1, 4]));
        assert_eq!(adjacency.shrunk(&grown), set([0]));
        assert_eq!(adjacency.grown(&set([2])), adjacency.grown(&set([8])), "copies of a point grow the same");
        assert_eq!(adjacency.shrunk(&set(0..9)), set(0..9), "a whole part has no border");
        assert_eq!(adjacency.grown(&set([999])), set([]), "unknown vertices are ignored");
    }
}
