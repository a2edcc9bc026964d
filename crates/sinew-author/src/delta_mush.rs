//! What delta mush needs: neighbours, frames and the smoothed rest surface.

use crate::{AuthorError, Progress, progress::tell, topology::WeldedTopology};
use sinew::{
    DeltaMushData, Mesh, MushParts,
    glam::{DMat2, DVec2, DVec3},
};

/// How delta mush smooths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MushOptions {
    /// How often the surface is smoothed, at most 1000.
    pub iterations: u32,
    /// How far each smoothing moves a point towards the mean of its neighbours: 0 to 1.
    pub step: f32,
}

impl Default for MushOptions {
    fn default() -> Self {
        Self { iterations: 20, step: 0.5 }
    }
}

/// What was measured while delta mush data was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MushReport {
    /// Points, that is vertices without their copies.
    pub points: usize,
    /// Points of no triangle: they are not smoothed.
    pub loose: usize,
    /// Neighbours of a point on average.
    pub mean_neighbors: f64,
    /// The largest detail that smoothing takes away, in metres.
    pub largest_delta: f32,
    /// Bytes that the data takes, for each vertex.
    pub bytes_per_vertex: f64,
}

/// Prepares `mesh` for delta mush: uniform smoothing over the points that share an edge.
///
/// All vertices at one place are one point, so that seams stay closed. Frames come from the edges around each point of
/// the smoothed rest surface, by least squares in its tangent plane.
///
/// # Errors
/// Where the mesh has no weights, an option is out of range, or `progress` says to stop.
pub fn delta_mush(
    mesh: &Mesh,
    options: &MushOptions,
    progress: Progress<'_>,
) -> Result<(DeltaMushData, MushReport), AuthorError> {
    let topology = WeldedTopology::new(mesh)?;
    let (first, neighbors) = topology.rings();
    let ring = |point: usize| &neighbors[first[point] as usize..first[point + 1] as usize];
    let mut smoothed = topology.positions.clone();
    for iteration in 0..options.iterations {
        tell(progress, iteration as usize, options.iterations as usize)?;
        let step = f64::from(options.step);
        let next = |point: usize| {
            let here = smoothed[point];
            let sum: DVec3 = ring(point).iter().map(|&n| smoothed[n as usize]).sum();
            let count = ring(point).len();
            if count == 0 { here } else { here.lerp(sum / count as f64, step) }
        };
        smoothed = (0..topology.len()).map(next).collect();
    }
    let normals = point_normals(&topology, &smoothed);
    let mut parts = MushParts {
        iterations: options.iterations,
        step: options.step,
        point_of_vertex: mesh.points().of_vertex().to_vec(),
        vertex_of_point: mesh.points().first_vertex().to_vec(),
        rest: topology.positions.iter().map(|p| p.as_vec3()).collect(),
        smoothed: smoothed.iter().map(|p| p.as_vec3()).collect(),
        ..MushParts::default()
    };
    for (point, &here) in smoothed.iter().enumerate() {
        let edges: Vec<DVec3> = ring(point).iter().map(|&n| smoothed[n as usize] - here).collect();
        let shares = edge_weights(&edges, normals[point]);
        let tangent =
            |axis: fn(DVec2) -> f64| shares.iter().zip(&edges).map(|(s, e)| *e * axis(*s)).sum::<DVec3>();
        parts.rest_tangents.push([tangent(|s| s.x).as_vec3(), tangent(|s| s.y).as_vec3()]);
        parts.edge_weights.extend(shares.iter().map(|s| s.as_vec2()));
    }
    let report = report(&topology, &smoothed, &first, neighbors.len());
    (parts.first, parts.neighbors) = (first, neighbors);
    tell(progress, 1, 1)?;
    Ok((DeltaMushData::new(parts)?, report))
}

/// The direction of the area around each point.
fn point_normals(topology: &WeldedTopology<'_>, positions: &[DVec3]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for &triangle in &topology.triangles {
        let area = WeldedTopology::area_vector(positions, triangle);
        triangle.iter().for_each(|&p| normals[p as usize] += area);
    }
    normals.into_iter().map(|n| n.normalize_or(DVec3::Y)).collect()
}

/// How much of each edge is in the point's two tangents.
///
/// With the edges' coordinates `u` in the tangent plane, `(Σ u uᵀ)⁻¹ u`: whatever linear map moves the edges, the sums
/// of edges times shares are where it takes two perpendicular unit vectors.
fn edge_weights(edges: &[DVec3], normal: DVec3) -> Vec<DVec2> {
    let (x, y) = normal.any_orthonormal_pair();
    let flat: Vec<DVec2> = edges.iter().map(|e| DVec2::new(e.dot(x), e.dot(y))).collect();
    let mut spread = flat.iter().fold(DMat2::ZERO, |m, u| m + DMat2::from_cols(*u * u.x, *u * u.y));
    // A ring that is nearly a line keeps finite shares; what then has no direction falls back to the joint's.
    let ridge = 1e-6 * (spread.x_axis.x + spread.y_axis.y);
    spread += DMat2::from_diagonal(DVec2::splat(ridge));
    let inverse = spread.inverse();
    let share = |u: &DVec2| {
        let share = inverse * *u;
        if share.is_finite() { share } else { DVec2::ZERO }
    };
    flat.iter().map(share).collect()
}

fn report(topology: &WeldedTopology<'_>, smoothed: &[DVec3], first: &[u32], neighbors: usize) -> MushReport {
    let points = topology.len();
    let deltas = topology.positions.iter().zip(smoothed).map(|(a, b)| a.distance(*b));
    // Per neighbour an index and two shares; per point rest, smoothed, two tangents, a range and a vertex.
    let bytes = neighbors * 12 + points * (12 * 4 + 8) + topology.mesh.vertex_count() * 4;
    MushReport {
        points,
        loose: first.windows(2).filter(|range| range[0] == range[1]).count(),
        mean_neighbors: neighbors as f64 / points.max(1) as f64,
        largest_delta: deltas.fold(0.0, f64::max) as f32,
        bytes_per_vertex: bytes as f64 / topology.mesh.vertex_count().max(1) as f64,
    }
}
