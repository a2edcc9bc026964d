//! Vertices that are copies of one point.

use glam::Vec3;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

/// Which vertices are copies of one point, split for a seam in normals, colors or texture coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeldedPoints {
    of_vertex: Vec<u32>,
    first_vertex: Vec<u32>,
}

/// The welded points of a mesh, found when they are first needed and shared by meshes that differ only in weights.
#[derive(Clone, Default)]
pub(super) struct LazyPoints(Arc<OnceLock<WeldedPoints>>);

/// The same text whether the points are found or not.
impl fmt::Debug for LazyPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyPoints")
    }
}

impl LazyPoints {
    /// The points of these positions, which are always the same.
    pub(super) fn get(&self, positions: &[Vec3]) -> &WeldedPoints {
        self.0.get_or_init(|| WeldedPoints::by_position(positions))
    }

    /// True if both belong to the same positions.
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Points follow from positions, which are compared themselves.
impl PartialEq for LazyPoints {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl WeldedPoints {
    /// Groups vertices with bit-identical positions (−0 equals 0).
    pub fn by_position(positions: &[Vec3]) -> Self {
        let mut seen: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
        let mut out = Self { of_vertex: Vec::with_capacity(positions.len()), first_vertex: Vec::new() };
        for (vertex, position) in positions.iter().enumerate() {
            let key = (*position + Vec3::ZERO).to_array().map(f32::to_bits);
            let point = *seen.entry(key).or_insert_with(|| {
                out.first_vertex.push(vertex as u32);
                out.first_vertex.len() as u32 - 1
            });
            out.of_vertex.push(point);
        }
        out
    }

    /// Number of distinct points.
    pub fn len(&self) -> usize {
        self.first_vertex.len()
    }

    /// True for a mesh without vertices.
    pub fn is_empty(&self) -> bool {
        self.first_vertex.is_empty()
    }

    /// The point of every vertex.
    pub fn of_vertex(&self) -> &[u32] {
        &self.of_vertex
    }

    /// The first vertex of every point.
    pub fn first_vertex(&self) -> &[u32] {
        &self.first_vertex
    }
}
