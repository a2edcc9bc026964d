//! Graph Laplacians of a welded mesh.

use crate::topology::WeldedTopology;
use sinew::glam::DVec3;
use std::collections::BTreeMap;

/// How the edges of a Laplacian are weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaplacianKind {
    /// All edges have the same weight, as in delta mush. It ignores the shape of triangles and is safe for any mesh.
    #[default]
    Uniform,
    /// Edges are weighted by the cotangents of the opposite angles, and points by their area, so that smoothing does not depend on
    /// the tessellation (Ulrich Pinkall and Konrad Polthier, 1993, "Computing Discrete Minimal Surfaces and Their Conjugates").
    /// Negative cotangents (beyond a right angle) count as zero, so that no point repels another.
    Cotangent,
}

/// A symmetric graph Laplacian `L` and the diagonal `D` for which `D⁻¹L` is a difference from a mean.
pub(crate) struct Laplacian {
    /// The entries of `−L` between two points, the smaller index first.
    pub(crate) edges: Vec<(u32, u32, f64)>,
    /// The diagonal `D`, positive for every point.
    pub(crate) mass: Vec<f64>,
}

impl Laplacian {
    pub(crate) fn new(topology: &WeldedTopology<'_>, kind: LaplacianKind) -> Self {
        match kind {
            LaplacianKind::Uniform => Self::uniform(topology),
            LaplacianKind::Cotangent => Self::cotangent(topology),
        }
    }

    fn uniform(topology: &WeldedTopology<'_>) -> Self {
        let (first, neighbors) = topology.rings();
        let mut edges = Vec::with_capacity(neighbors.len() / 2);
        for (point, range) in first.windows(2).enumerate() {
            let ring = &neighbors[range[0] as usize..range[1] as usize];
            let point = point as u32;
            edges.extend(ring.iter().filter(|&&to| point < to).map(|&to| (point, to, 1.0)));
        }
        // A point without neighbors does not move, whatever its mass.
        let mass = first.windows(2).map(|range| f64::from((range[1] - range[0]).max(1))).collect();
        Self { edges, mass }
    }

    fn cotangent(topology: &WeldedTopology<'_>) -> Self {
        let mut strengths: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        let mut degree = vec![0.0; topology.len()];
        for &[a, b, c] in &topology.triangles {
            for [apex, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                let at = |p: u32| topology.positions[p as usize];
                let half = 0.5 * cotangent(at(from) - at(apex), at(to) - at(apex)).clamp(0.0, STEEPEST);
                *strengths.entry((from.min(to), from.max(to))).or_default() += half;
                degree[from as usize] += half;
                degree[to as usize] += half;
            }
        }
        // Areas are scaled to the mean degree, so that λ smooths about as much as with uniform edges.
        let areas = point_areas(topology);
        let positive = |sum: f64| if sum > 0.0 { sum } else { 1.0 };
        let ratio = positive(degree.iter().sum()) / positive(areas.iter().sum());
        let min_area = positive(areas.iter().sum()) / positive(areas.len() as f64) * 1e-6;
        let mass = areas.iter().map(|area| area.max(min_area) * ratio).collect();
        Self { edges: strengths.into_iter().map(|((a, b), s)| (a, b, s)).collect(), mass }
    }
}

/// The maximum weight of an edge, relative to that between equilateral triangles.
const STEEPEST: f64 = 100.0;

fn cotangent(a: DVec3, b: DVec3) -> f64 {
    let cross = a.cross(b).length();
    if cross > 0.0 { a.dot(b) / cross } else { 0.0 }
}

/// A third of the area of every triangle around each point.
fn point_areas(topology: &WeldedTopology<'_>) -> Vec<f64> {
    let mut areas = vec![0.0; topology.len()];
    for &triangle in &topology.triangles {
        let third = WeldedTopology::area_vector(&topology.positions, triangle).length() / 3.0;
        triangle.iter().for_each(|&p| areas[p as usize] += third);
    }
    areas
}
