//! Where a surface passes through itself.

use crate::weights::TriangleTree;
use rayon::prelude::*;
use sinew::{
    Mesh,
    glam::{DVec3, Vec3},
};

/// The edges of a mesh that pass through one of its triangles, in any pose.
///
/// Copies of a vertex are one point. An edge does not count against the triangles that share a point with it.
///
/// ```
/// use sinew_author::SelfIntersections;
///
/// let tube = sinew_samples::tube();
/// let mesh = &tube.meshes()[0];
/// assert_eq!(SelfIntersections::new(mesh).edges(mesh.positions()).len(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct SelfIntersections {
    first_vertex: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl SelfIntersections {
    /// Collects the edges and triangles of `mesh`.
    #[must_use]
    pub fn new(mesh: &Mesh) -> Self {
        Self::of_part(mesh, |_| true)
    }

    /// Collects the edges and triangles of `mesh` whose vertices are all part of something, such as a limb.
    #[must_use]
    pub fn of_part(mesh: &Mesh, is_part: impl Fn(usize) -> bool) -> Self {
        let points = mesh.points();
        let of_points = |t: [u32; 3]| t.map(|v| points.of_vertex()[v as usize]);
        let is_within = |t: &[u32; 3]| t.iter().all(|&v| is_part(v as usize));
        let triangles: Vec<[u32; 3]> = mesh
            .triangles()
            .filter(is_within)
            .map(of_points)
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        Self { first_vertex: points.first_vertex().to_vec(), edges, triangles }
    }

    /// The edges that pass through a triangle while the vertices are at `positions`, as ascending numbers of edges.
    ///
    /// # Panics
    /// If `positions` has fewer entries than the mesh has vertices.
    #[must_use]
    pub fn edges(&self, positions: &[Vec3]) -> Vec<u32> {
        let places: Vec<DVec3> =
            self.first_vertex.iter().map(|&v| positions[v as usize].as_dvec3()).collect();
        let found = crossing_edges(&places, &self.triangles, &self.edges);
        (0_u32..).zip(found).filter(|(_, passes)| *passes).map(|(edge, _)| edge).collect()
    }

    /// The number of edges that pass through a triangle at `positions`, but not at `rest`.
    ///
    /// # Panics
    /// As [`SelfIntersections::edges`].
    #[must_use]
    pub fn new_edges(&self, rest: &[Vec3], positions: &[Vec3]) -> usize {
        let before = self.edges(rest);
        self.edges(positions).iter().filter(|edge| before.binary_search(edge).is_err()).count()
    }
}

/// For each edge whether it passes through a triangle that does not share a point with it.
pub(crate) fn crossing_edges(places: &[DVec3], triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> Vec<bool> {
    let tree = TriangleTree::new(places, triangles);
    let passes = |&[a, b]: &[u32; 2]| {
        let is_apart = |t: u32| triangles[t as usize].iter().all(|p| *p != a && *p != b);
        tree.meets(places[a as usize], places[b as usize], is_apart)
    };
    edges.par_iter().map(passes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tube_pressed_through_itself_intersects_and_at_rest_does_not() {
        let tube = sinew_samples::tube();
        let mesh = &tube.meshes()[0];
        let intersections = SelfIntersections::new(mesh);
        assert!(intersections.edges(mesh.positions()).is_empty());
        // Its right half is laid across its left half.
        let folded = |p: &Vec3| if p.x > 0.0 { Vec3::new(-p.x, p.y + 0.31, p.z + 0.17) } else { *p };
        let folded: Vec<Vec3> = mesh.positions().iter().map(folded).collect();
        assert!(intersections.new_edges(mesh.positions(), &folded) > 10);
        assert_eq!(intersections.new_edges(&folded, &folded), 0);
    }
}
