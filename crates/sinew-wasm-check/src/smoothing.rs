//! Data of the mush methods that is valid rather than good: any will do to compare two ways to apply it.

use sinew::{
    DeltaMushData, DirectMushData, DirectMushParts, MeshParts, MushDetail, MushParts, PrecomputedError,
    Weights,
    glam::{DMat3, DVec2, DVec3, Vec3},
};

/// The vertices that share a triangle with each vertex.
pub(crate) fn rings(parts: &MeshParts) -> Vec<Vec<usize>> {
    let mut rings = vec![Vec::new(); parts.positions.len()];
    for triangle in parts.indices.as_chunks::<3>().0 {
        let corners = triangle.map(|vertex| vertex as usize);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
            for (vertex, neighbor) in [(from, to), (to, from)] {
                if vertex != neighbor && !rings[vertex].contains(&neighbor) {
                    rings[vertex].push(neighbor);
                }
            }
        }
    }
    rings
}

/// Moments over each vertex and its ring, with equal weights.
pub(crate) fn direct_mush(
    positions: &[Vec3],
    weights: &Weights,
    rings: &[Vec<usize>],
) -> Result<DirectMushData, PrecomputedError> {
    let mut parts =
        DirectMushParts { detail: MushDetail::Full, first: vec![0], ..DirectMushParts::default() };
    for (vertex, ring) in rings.iter().enumerate() {
        let near: Vec<usize> = std::iter::once(vertex).chain(ring.iter().copied()).collect();
        let sum: DVec3 = near.iter().map(|&v| positions[v].as_dvec3()).sum();
        let pivot = (sum / near.len() as f64).as_vec3();
        let mut slots: Vec<u16> = near.iter().flat_map(|&v| weights.of(v).0.iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut influences: Vec<(u16, [f64; 10])> = slots
            .iter()
            .map(|&slot| {
                let mut sums = [0.0; 10];
                for &v in &near {
                    let weight = f64::from(weights.weight_of(v, slot)) / near.len() as f64;
                    let d = (positions[v] - pivot).as_dvec3();
                    let terms = [
                        1.0,
                        d.x,
                        d.y,
                        d.z,
                        d.x * d.x,
                        d.y * d.y,
                        d.z * d.z,
                        d.x * d.y,
                        d.y * d.z,
                        d.z * d.x,
                    ];
                    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
                }
                (slot, sums)
            })
            .collect();
        influences.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
        for (slot, sums) in influences {
            parts.slots.push(slot);
            parts.numbers.extend(sums.map(|sum| sum as f32));
        }
        parts.pivots.push(pivot);
        parts.first.push(parts.slots.len() as u32);
    }
    DirectMushData::new(parts)
}

/// Three iterations over the rings, with tangents in the plane of each normal.
pub(crate) fn mush(mesh: &MeshParts, rings: &[Vec<usize>]) -> Result<DeltaMushData, PrecomputedError> {
    let mut smoothed: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
    let iterations = 3;
    for _ in 0..iterations {
        let next = |v: usize| {
            let sum: DVec3 = rings[v].iter().map(|&n| smoothed[n]).sum();
            if rings[v].is_empty() { smoothed[v] } else { smoothed[v].midpoint(sum / rings[v].len() as f64) }
        };
        smoothed = (0..rings.len()).map(next).collect();
    }
    let all: Vec<u32> = (0..rings.len() as u32).collect();
    let mut parts = MushParts {
        iterations,
        step: 0.5,
        point_of_vertex: all.clone(),
        vertex_of_point: all,
        first: vec![0],
        rest: mesh.positions.clone(),
        smoothed: smoothed.iter().map(|p| p.as_vec3()).collect(),
        ..MushParts::default()
    };
    for (v, ring) in rings.iter().enumerate() {
        let (x, y) = mesh.normals[v].as_dvec3().normalize_or(DVec3::Y).any_orthonormal_pair();
        let edges: Vec<DVec3> = ring.iter().map(|&n| smoothed[n] - smoothed[v]).collect();
        let size = edges.iter().map(|e| e.length_squared()).sum::<f64>().max(1e-12);
        let coefficients: Vec<DVec2> = edges.iter().map(|e| DVec2::new(e.dot(x), e.dot(y)) / size).collect();
        let spread = edges
            .iter()
            .zip(&coefficients)
            .fold(DMat3::ZERO, |m, (e, c)| m + DMat3::from_cols(*e * c.x, *e * c.y, DVec3::ZERO));
        parts.rest_tangents.push([spread.x_axis.as_vec3(), spread.y_axis.as_vec3()]);
        parts.neighbors.extend(ring.iter().map(|&n| n as u32));
        parts.edge_weights.extend(coefficients.iter().map(|c| c.as_vec2()));
        parts.first.push(parts.neighbors.len() as u32);
    }
    DeltaMushData::new(parts)
}
