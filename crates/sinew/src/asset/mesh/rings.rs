//! The triangles around each vertex, in the form in which normals are summed over them.

use super::Mesh;
use glam::{Vec3, Vec3A, Vec4};
use std::{
    collections::HashMap,
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

/// The triangles around each vertex of a mesh, and how its rest normal and tangent lie on them.
///
/// Vertices of one point with the same rest normal have one ring: it is summed across the seams of texture coordinates, and
/// ends at hard edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexRings {
    /// The ring of each vertex.
    ring_of_vertex: Vec<u32>,
    /// Ring r has the entries from `first[r]` to `first[r + 1]`.
    first: Vec<u32>,
    entries: Vec<u32>,
    frames: Vec<RingFrame>,
}

/// How the rest normal and tangent of a vertex lie on its ring.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct RingFrame {
    /// The rest normal: its parts along the normal of the ring, along the first edge, and across both.
    pub normal: [f32; 3],
    /// The rest tangent: its parts along the first and the second edge, both flattened onto the triangles, and along the normal
    /// of the ring.
    pub tangent: [f32; 3],
    /// The vertex at which the second edge ends.
    pub second: u32,
}

/// A ring has at most this many triangles, so that a mesh with thousands of copies of one vertex among thousands of triangles
/// takes no quadratic time.
const MAX_TRIANGLES: usize = 128;

/// The bit of an entry that begins a fan of triangles.
const FAN: u32 = 1 << 31;

/// The rings of a mesh, found when they are first needed and shared by meshes that differ only in weights.
#[derive(Clone, Default)]
pub(super) struct LazyRings(Arc<OnceLock<VertexRings>>);

/// The same text whether the rings are found or not.
impl fmt::Debug for LazyRings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyRings")
    }
}

/// Rings follow from streams and triangles, which are compared themselves.
impl PartialEq for LazyRings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl LazyRings {
    pub(super) fn get(&self, mesh: &Mesh) -> &VertexRings {
        self.0.get_or_init(|| VertexRings::new(mesh))
    }
}

impl VertexRings {
    fn new(mesh: &Mesh) -> Self {
        let ring_of_vertex = rings_of_vertices(mesh);
        let count = ring_of_vertex.iter().map(|ring| ring + 1).max().unwrap_or(0) as usize;
        let points = mesh.points();
        let mut corners = vec![Vec::new(); count];
        for triangle in mesh.triangles() {
            // Every vertex of a point has the same position, so one of them stands for all.
            let [a, b, c] = triangle.map(|v| points.first_vertex()[points.of_vertex()[v as usize] as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            for (corner, ends) in triangle.into_iter().zip([[b, c], [c, a], [a, b]]) {
                let corners = &mut corners[ring_of_vertex[corner as usize] as usize];
                if corners.len() < MAX_TRIANGLES {
                    corners.push(ends);
                }
            }
        }
        let mut out = Self { ring_of_vertex, first: vec![0], entries: Vec::new(), frames: Vec::new() };
        for corners in corners {
            push_fans(corners, &mut out.entries);
            out.first.push(out.entries.len() as u32);
        }
        let frame = |vertex| RingFrame::at_rest(mesh, &out, vertex);
        out.frames = (0..mesh.vertex_count()).map(frame).collect();
        out
    }

    /// The entries of a vertex's ring: vertices around it, `FAN` set at those that begin a fan.
    pub(crate) fn entries(&self, vertex: usize) -> &[u32] {
        &self.entries[self.range(vertex)]
    }

    /// The vertex at which the first edge of a vertex's ring ends.
    pub(crate) fn first_entry(&self, vertex: usize) -> Option<usize> {
        self.entries(vertex).first().map(|entry| (entry & !FAN) as usize)
    }

    /// The numbers of the entries of a vertex's ring, in the list of all.
    pub fn range(&self, vertex: usize) -> Range<usize> {
        let ring = self.ring_of_vertex[vertex] as usize;
        self.first[ring] as usize..self.first[ring + 1] as usize
    }

    /// The vertices around each ring, one after the other. The highest bit is set at vertices that begin a fan.
    pub fn list(&self) -> &[u32] {
        &self.entries
    }

    /// How rest normals and tangents lie on the rings, by vertex.
    pub fn frames(&self) -> &[RingFrame] {
        &self.frames
    }

    /// The memory that the rings take, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.ring_of_vertex)
            + size_of_val(&*self.first)
            + size_of_val(&*self.entries)
            + size_of_val(&*self.frames)
    }

    /// The normals of the triangles around `vertex` while the vertices are at `positions`, summed by area. Not of unit
    /// length; zero without triangles.
    ///
    /// # Panics
    /// If there are fewer positions or vertices than in the mesh.
    pub fn surface_normal(&self, positions: &[Vec3], vertex: usize) -> Vec3 {
        let center = Vec3A::from(positions[vertex]);
        let (mut sum, mut before) = (Vec3A::ZERO, Vec3A::ZERO);
        for &entry in self.entries(vertex) {
            let edge = Vec3A::from(positions[(entry & !FAN) as usize]) - center;
            if entry & FAN == 0 {
                sum += before.cross(edge);
            }
            before = edge;
        }
        sum.into()
    }
}

impl RingFrame {
    /// The frame of a vertex whose normal and tangent do not follow the surface.
    const NONE: Self = Self { normal: [0.0; 3], tangent: [0.0; 3], second: 0 };

    fn at_rest(mesh: &Mesh, rings: &VertexRings, vertex: usize) -> Self {
        let positions = mesh.positions();
        let edge = |entry: u32| positions[(entry & !FAN) as usize] - positions[vertex];
        let entries = rings.entries(vertex);
        let Some(&first) = entries.first() else { return Self::NONE };
        let up = rings.surface_normal(positions, vertex).normalize_or_zero();
        let flat = |edge: Vec3| edge - up * edge.dot(up);
        let along = flat(edge(first)).normalize_or_zero();
        // The edge that is most across the first one.
        let across = |entry: &u32| along.cross(flat(edge(*entry)).normalize_or_zero()).length();
        let second = entries.iter().max_by(|a, b| across(a).total_cmp(&across(b))).copied().unwrap_or(first);
        let rest = mesh.normals().get(vertex).copied().unwrap_or(Vec3::ZERO);
        let tangent = mesh.tangents().get(vertex).copied().unwrap_or(Vec4::ZERO).truncate();
        let [first_part, second_part] = in_edges(flat(edge(first)), flat(edge(second)), tangent, up);
        Self {
            normal: [rest.dot(up), rest.dot(along), rest.dot(up.cross(along))],
            tangent: [first_part, second_part, tangent.dot(up)],
            second: second & !FAN,
        }
    }
}

/// The parts of `tangent` along two edges of the plane with normal `up`; zero if the edges are parallel.
fn in_edges(first: Vec3, second: Vec3, tangent: Vec3, up: Vec3) -> [f32; 2] {
    let area = first.cross(second).dot(up);
    if area.abs() <= f32::MIN_POSITIVE {
        return [0.0; 2];
    }
    [tangent.cross(second).dot(up) / area, first.cross(tangent).dot(up) / area]
}

/// The ring of each vertex: vertices of one point with the same normal share one.
fn rings_of_vertices(mesh: &Mesh) -> Vec<u32> {
    let mut seen: HashMap<(u32, [u32; 3]), u32> = HashMap::with_capacity(mesh.vertex_count());
    let points = mesh.points().of_vertex();
    let ring = |(vertex, &point): (usize, &u32)| {
        let normal = mesh.normals().get(vertex).copied().unwrap_or(Vec3::ZERO) + Vec3::ZERO;
        let count = seen.len() as u32;
        *seen.entry((point, normal.to_array().map(f32::to_bits))).or_insert(count)
    };
    points.iter().enumerate().map(ring).collect()
}

/// Appends the edges opposite a vertex as fans: chains in which each edge begins where the one before ends.
fn push_fans(mut corners: Vec<[u32; 2]>, out: &mut Vec<u32>) {
    while let Some(at) = beginning(&corners) {
        let [from, mut to] = corners.swap_remove(at);
        out.extend([from | FAN, to]);
        while let Some(next) = corners.iter().position(|[from, _]| *from == to) {
            [_, to] = corners.swap_remove(next);
            out.push(to);
        }
    }
}

/// An edge that no other leads to, if there is one, else any.
fn beginning(corners: &[[u32; 2]]) -> Option<usize> {
    let leads_to = |at: u32| corners.iter().any(|[_, to]| *to == at);
    corners.iter().position(|[from, _]| !leads_to(*from)).or_else(|| corners.len().checked_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    #[test]
    fn fans_follow_the_edges_around_a_vertex_and_close_where_these_do() {
        let mut entries = Vec::new();
        push_fans(vec![[3, 4], [1, 2], [2, 3]], &mut entries);
        assert_eq!(entries, [1 | FAN, 2, 3, 4]);
        entries.clear();
        push_fans(vec![[1, 2], [2, 3], [3, 1]], &mut entries);
        assert_eq!(entries.len(), 4);
        assert_eq!(entries[0] & !FAN, entries[3]);
        entries.clear();
        push_fans(vec![[1, 2], [5, 6]], &mut entries);
        assert_eq!(entries.iter().filter(|e| **e & FAN != 0).count(), 2);
    }

    #[test]
    fn every_triangle_is_in_the_rings_of_its_corners_once() {
        for name in sinew_samples::NAMES {
            let character = sinew_samples::find(name).unwrap();
            for mesh in character.meshes() {
                let rings = mesh.rings();
                let fans: usize = rings.list().iter().filter(|e| **e & FAN == 0).count();
                assert_eq!(fans, 3 * mesh.triangles().count(), "{name}");
            }
        }
    }

    #[test]
    fn a_ring_sums_the_normals_of_its_triangles_and_hard_edges_divide_it() {
        let arm = sinew_samples::rigid_arm();
        let mesh = &arm.meshes()[0];
        let mut sums: HashMap<u32, Vec3> = HashMap::new();
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|v| mesh.positions()[v as usize]);
            for v in triangle {
                *sums.entry(mesh.rings().ring_of_vertex[v as usize]).or_default() += (b - a).cross(c - a);
            }
        }
        for vertex in 0..mesh.vertex_count() {
            let (got, want) = (
                mesh.rings().surface_normal(mesh.positions(), vertex),
                sums[&mesh.rings().ring_of_vertex[vertex]],
            );
            assert!(got.distance(want) < 1e-5 * want.length(), "vertex {vertex}: {got}, not {want}");
        }
    }
}
