//! The welded surface that weight tools use: points without seams, each triangle once, scaled to a unit box.

use super::tree::TriangleTree;
use sinew::{
    Mesh, WeldedPoints,
    glam::{DVec3, Vec3},
};

/// Points and triangles of a mesh, moved and scaled so that the diagonal of its bounding box is 1.
///
/// Every mesh has one: repeated and degenerate triangles are left out.
pub(crate) struct WeldedSurface {
    pub(crate) positions: Vec<DVec3>,
    /// Area-weighted unit normals; zero for a point without area around it.
    pub(crate) normals: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The point of each vertex; the vertices of several meshes follow each other.
    pub(crate) of_vertex: Vec<u32>,
    /// The first vertex of each point.
    pub(crate) first_vertex: Vec<u32>,
    /// The center of the bounding box, in mesh space.
    center: DVec3,
    /// Unit-box lengths per meter of mesh space.
    pub(crate) scale: f64,
}

impl WeldedSurface {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        Self::with_points(&[mesh], mesh.positions(), mesh.points())
    }

    /// As [`Self::new`], with the vertices at other `positions`.
    pub(crate) fn posed(mesh: &Mesh, positions: &[Vec3]) -> Self {
        Self::with_points(&[mesh], positions, mesh.points())
    }

    /// The surface of several meshes in the same space. Vertices in the same place are one point, also of different meshes.
    pub(crate) fn of_meshes(meshes: &[&Mesh]) -> Self {
        if let [only] = meshes {
            return Self::new(only);
        }
        let positions: Vec<Vec3> = meshes.iter().flat_map(|mesh| mesh.positions()).copied().collect();
        Self::with_points(meshes, &positions, &WeldedPoints::by_position(&positions))
    }

    fn with_points(meshes: &[&Mesh], positions: &[Vec3], points: &WeldedPoints) -> Self {
        let place = |&v: &u32| positions.get(v as usize).map_or(DVec3::ZERO, |p| p.as_dvec3());
        let places: Vec<DVec3> = points.first_vertex().iter().map(place).collect();
        let (center, scale) = unit_box(&places);
        let mut out = Self {
            positions: places.iter().map(|&p| (p - center) * scale).collect(),
            normals: Vec::new(),
            triangles: distinct_triangles(meshes, points),
            of_vertex: points.of_vertex().to_vec(),
            first_vertex: points.first_vertex().to_vec(),
            center,
            scale,
        };
        out.normals = out.point_normals();
        out
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Transforms a position from mesh space to unit-box space.
    pub(crate) fn unit_from_mesh(&self, place: DVec3) -> DVec3 {
        (place - self.center) * self.scale
    }

    /// Transforms a position from unit-box space to mesh space.
    pub(crate) fn mesh_from_unit(&self, place: DVec3) -> DVec3 {
        place / self.scale + self.center
    }

    /// The normal of a triangle, with twice its area as length.
    pub(crate) fn area_vector(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        let [a, b, c] = [a, b, c].map(|p| self.positions[p as usize]);
        (b - a).cross(c - a)
    }

    fn point_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.len()];
        for &triangle in &self.triangles {
            let area = self.area_vector(triangle);
            triangle.iter().for_each(|&p| normals[p as usize] += area);
        }
        normals.into_iter().map(DVec3::normalize_or_zero).collect()
    }

    /// A tree over the triangles, for ray and nearest-point queries.
    pub(crate) fn tree(&self) -> TriangleTree {
        TriangleTree::new(&self.positions, &self.triangles)
    }

    /// A third of the area of the triangles around each point, at least a millionth of the mean.
    pub(crate) fn point_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.len()];
        for &triangle in &self.triangles {
            let third = self.area_vector(triangle).length() / 6.0;
            triangle.iter().for_each(|&p| areas[p as usize] += third);
        }
        let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
        let min_area = if mean > 0.0 { mean * 1e-6 } else { 1e-6 };
        areas.iter_mut().for_each(|a| *a = a.max(min_area));
        areas
    }

    /// Pairs of points that share an edge, the smaller index first, with half the sum of the cotangents of the opposite angles
    /// (Ulrich Pinkall and Konrad Polthier, 1993, "Computing Discrete Minimal Surfaces and Their Conjugates").
    ///
    /// Cotangents are clamped to [`WEAKEST`] and [`STEEPEST`]: no point repels another, no edge is cut, and no sliver ties two
    /// points together rigidly.
    pub(crate) fn cotangent_edges(&self) -> Vec<(u32, u32, f64)> {
        let mut edges = Vec::with_capacity(self.triangles.len() * 3);
        for &[a, b, c] in &self.triangles {
            for [apex, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                let at = |p: u32| self.positions[p as usize];
                let (u, v) = (at(from) - at(apex), at(to) - at(apex));
                let cross = u.cross(v).length();
                let cotangent = if cross > 0.0 { u.dot(v) / cross } else { 0.0 };
                edges.push((from.min(to), from.max(to), 0.5 * cotangent.clamp(WEAKEST, STEEPEST)));
            }
        }
        edges.sort_unstable_by_key(|e| (e.0, e.1));
        edges.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        edges
    }

    /// For each point, the sorted points that share an edge with it.
    pub(crate) fn rings(&self) -> Rings {
        let pairs = |&[a, b, c]: &[u32; 3]| [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)];
        let mut edges: Vec<(u32, u32)> = self.triangles.iter().flat_map(pairs).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0_u32; self.len() + 1];
        edges.iter().for_each(|&(from, _)| first[from as usize + 1] += 1);
        for point in 0..self.len() {
            first[point + 1] += first[point];
        }
        Rings { first, neighbors: edges.into_iter().map(|(_, to)| to).collect() }
    }

    /// The index of the connected part of each point, and the number of parts.
    pub(crate) fn components(&self) -> (Vec<u32>, usize) {
        let mut parent: Vec<u32> = (0..self.len() as u32).collect();
        for &[a, b, c] in &self.triangles {
            for (one, other) in [(a, b), (b, c)] {
                let (one, other) = (top(&mut parent, one), top(&mut parent, other));
                let (low, high) = (one.min(other), one.max(other));
                parent[high as usize] = low;
            }
        }
        let mut number = vec![u32::MAX; self.len()];
        let (mut component, mut count) = (vec![0; self.len()], 0);
        for point in 0..self.len() as u32 {
            let top = top(&mut parent, point) as usize;
            if number[top] == u32::MAX {
                number[top] = count;
                count += 1;
            }
            component[point as usize] = number[top];
        }
        (component, count as usize)
    }
}

/// The minimum weight of an edge, for example between right or obtuse angles.
const WEAKEST: f64 = 0.01;
/// The maximum weight of an edge, relative to that between equilateral triangles.
const STEEPEST: f64 = 100.0;

/// The neighbors of each point, as ranges into one list.
pub(crate) struct Rings {
    first: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Rings {
    pub(crate) fn of(&self, point: usize) -> &[u32] {
        &self.neighbors[self.first[point] as usize..self.first[point + 1] as usize]
    }
}

/// The representative of the part of `point` in a union-find forest, with path compression.
fn top(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[point as usize] != point {
        parent[point as usize] = parent[parent[point as usize] as usize];
        point = parent[point as usize];
    }
    point
}

/// The center of the box around `places`, and the factor that scales its diagonal to 1.
fn unit_box(places: &[DVec3]) -> (DVec3, f64) {
    let Some(&start) = places.first() else { return (DVec3::ZERO, 1.0) };
    let (low, high) = places.iter().fold((start, start), |(l, h), &p| (l.min(p), h.max(p)));
    let diagonal = (high - low).length();
    ((low + high) * 0.5, if diagonal > 0.0 { 1.0 / diagonal } else { 1.0 })
}

fn distinct_triangles(meshes: &[&Mesh], points: &WeldedPoints) -> Vec<[u32; 3]> {
    let mut seen = std::collections::HashSet::new();
    let mut is_new = |t: &[u32; 3]| {
        let mut sorted = *t;
        sorted.sort_unstable();
        sorted[0] != sorted[1] && sorted[1] != sorted[2] && seen.insert(sorted)
    };
    let (mut out, mut first) = (Vec::new(), 0);
    for mesh in meshes {
        let of_points = |t: [u32; 3]| t.map(|v| points.of_vertex()[first + v as usize]);
        out.extend(mesh.triangles().map(of_points).filter(&mut is_new));
        first += mesh.vertex_count();
    }
    out
}
