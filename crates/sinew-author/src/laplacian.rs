//! How strongly neighbours pull on each other.

use crate::topology::WeldedTopology;
use sinew::glam::DVec3;
use std::collections::BTreeMap;

/// What the strength of an edge comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaplacianKind {
    /// Every edge pulls alike: what delta mush's own smoothing does. Blind to the shape of triangles, safe for any mesh.
    #[default]
    Uniform,
    /// Edges pull by the cotangents of the angles that face them, points resist by their area: smoothing that does not
    /// depend on how finely the surface is cut. Negative cotangents (beyond a right angle) count as zero, so that
    /// no point pushes another away.
    Cotangent,
}

/// A symmetric graph Laplacian `L` and the diagonal `D` that makes `D⁻¹L` a mean.
pub(crate) struct Laplacian {
    /// `−L` between two points, the smaller number first.
    pub(crate) edges: Vec<(u32, u32, f64)>,
    /// `D`: positive for every point.
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
        // A point without neighbours stays; any mass will do.
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
        // Scaled to the mean degree, areas make the same λ mean about the same smoothing as with uniform edges.
        let areas = point_areas(topology);
        let positive = |sum: f64| if sum > 0.0 { sum } else { 1.0 };
        let ratio = positive(degree.iter().sum()) / positive(areas.iter().sum());
        let least = positive(areas.iter().sum()) / positive(areas.len() as f64) * 1e-6;
        let mass = areas.iter().map(|area| area.max(least) * ratio).collect();
        Self { edges: strengths.into_iter().map(|((a, b), s)| (a, b, s)).collect(), mass }
    }
}

/// A needle of a triangle may pull this many times as hard as an equilateral one, no more.
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
