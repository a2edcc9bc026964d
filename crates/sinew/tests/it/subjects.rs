//! Meshes with the simplest valid data for every method, and poses as palettes of given matrices.
//!
//! The data is valid but not good: `sinew-author` computes good data, which its own tests measure.

use sinew::{
    Binding, CentersOfRotation, Character, ContactBone, ContactData, ContactParts, ContactVertex,
    DeformError, DeformScratch, DeltaMushData, DirectMushData, DirectMushParts, DualQuatPalette, Mesh,
    Method, MushDetail, MushParts, Palette, Precomputed, Streams, Surface, SurfaceMut, Weights, WeldedPoints,
    deform,
    glam::{Affine3A, DMat3, DVec3, Vec2, Vec3},
};
use std::sync::Arc;

/// A pose in every form that methods read.
pub(crate) struct PosedMesh {
    pub(crate) palette: Palette,
    pub(crate) dual_quats: DualQuatPalette,
}

impl PosedMesh {
    pub(crate) fn new(matrices: &[Affine3A]) -> Self {
        Self::about(matrices, &[])
    }

    /// A pose of joints that were bound at `pivots`.
    pub(crate) fn about(matrices: &[Affine3A], pivots: &[Vec3]) -> Self {
        let dual_quats = DualQuatPalette::from_matrices(matrices, pivots);
        Self { palette: Palette::from_matrices(matrices.to_vec()), dual_quats }
    }

    pub(crate) fn deform(
        &self,
        method: Method,
        surface: Surface<'_>,
        weights: &Weights,
        precomputed: &Precomputed,
        out: SurfaceMut<'_>,
    ) -> Result<(), DeformError> {
        let binding = Binding::new(weights, &self.palette)
            .with_dual_quats(&self.dual_quats)
            .with_precomputed(precomputed);
        deform::reference::deform(method, surface, &binding, &mut DeformScratch::default(), out)
    }
}

/// Data for every method, with every vertex's neighbors being the next few of the list.
pub(crate) fn precomputed(streams: &Streams, weights: &Weights) -> Precomputed {
    Precomputed {
        centers: Some(Arc::new(centers(&streams.positions))),
        mush: Some(Arc::new(mush(&streams.positions))),
        direct_mush: Some(Arc::new(direct_mush(&streams.positions, weights, MushDetail::Full))),
        blend_map: None,
        contact: Some(Arc::new(contact(weights))),
    }
}

/// `character` with data for every method in each mesh.
pub(crate) fn prepared(character: &Character) -> Character {
    let prepare = |mesh: &Arc<Mesh>| match mesh.weights() {
        Some(weights) => {
            let mush = Arc::new(mush_over(mesh.positions(), &rings_of(mesh)));
            let data = Precomputed { mush: Some(mush), ..precomputed(&Streams::of_mesh(mesh), weights) };
            Arc::new(Mesh::clone(mesh).with_precomputed(data).expect("the data is of this mesh"))
        }
        None => mesh.clone(),
    };
    let mut parts = character.parts().clone();
    parts.meshes = parts.meshes.iter().map(prepare).collect();
    Character::new(parts).expect("only the data changed")
}

/// A chain of bones that folds at every joint, and masks that differ from vertex to vertex.
pub(crate) fn contact(weights: &Weights) -> ContactData {
    let count = weights.slot_count() as u16;
    let place = |slot: u16| {
        let turn = 0.7 * f32::from(slot);
        Vec3::new(turn.cos(), turn.sin(), 0.2 * (3.0 * turn).sin()) * 0.5
    };
    let bone = |slot: u16| ContactBone {
        head: place(slot),
        tail: place(slot + 1),
        before: slot.checked_sub(1).unwrap_or(ContactBone::NONE),
        after: if slot + 1 < count { slot + 1 } else { ContactBone::NONE },
        gates: [1.0, 0.7],
    };
    let vertex = |vertex: usize| {
        let (slots, slot_weights) = weights.of(vertex);
        let beyond = slot_weights.get(1).copied().unwrap_or(0.0);
        let number = |step: usize| ContactVertex::stored((1 + vertex * step % 7) as f32 / 7.0);
        ContactVertex {
            bone: slots[0],
            mask: number(3),
            radius: number(5),
            beyond: [0, ContactVertex::stored(beyond)],
        }
    };
    let bones = (0..count).map(bone).collect();
    let vertices = (0..weights.vertex_count()).map(vertex).collect();
    ContactData::new(ContactParts { bones, vertices }).expect("everything fits")
}

/// A point halfway to the center of the mesh.
pub(crate) fn centers(positions: &[Vec3]) -> CentersOfRotation {
    let middle = positions.iter().sum::<Vec3>() / positions.len().max(1) as f32;
    CentersOfRotation::new(positions.iter().map(|p| p.midpoint(middle)).collect()).expect("finite")
}

/// The neighbors of a point: the next three indices, wrapping around.
fn neighbors(point: usize, count: usize) -> impl Iterator<Item = usize> {
    (1..4.min(count)).map(move |step| (point + step) % count)
}

/// The indices of a vertex and its neighbors.
pub(crate) fn neighborhood(vertex: usize, count: usize) -> Vec<usize> {
    [vertex].into_iter().chain(neighbors(vertex, count)).collect()
}

/// The two edges whose directions differ most from parallel.
fn widest(edges: &[DVec3]) -> [usize; 2] {
    let pairs = (0..edges.len()).flat_map(|a| (a + 1..edges.len()).map(move |b| [a, b]));
    let width =
        |[a, b]: &[usize; 2]| edges[*a].normalize_or_zero().cross(edges[*b].normalize_or_zero()).length();
    pairs.max_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or([0, 0])
}

/// Two smoothing passes over an artificial neighborhood.
pub(crate) fn mush(positions: &[Vec3]) -> DeltaMushData {
    let count = WeldedPoints::by_position(positions).len();
    let rings: Vec<Vec<usize>> = (0..count).map(|p| neighbors(p, count).collect()).collect();
    mush_over(positions, &rings)
}

/// The points that share a triangle with each point.
fn rings_of(mesh: &Mesh) -> Vec<Vec<usize>> {
    let mut rings = vec![vec![]; mesh.points().len()];
    for triangle in mesh.triangles() {
        let corners = triangle.map(|v| mesh.points().of_vertex()[v as usize] as usize);
        for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(a, b)| (corners[a], corners[b])) {
            for (from, to) in [(a, b), (b, a)] {
                if from != to && !rings[from].contains(&to) {
                    rings[from].push(to);
                }
            }
        }
    }
    rings
}

fn mush_over(positions: &[Vec3], rings: &[Vec<usize>]) -> DeltaMushData {
    let points = WeldedPoints::by_position(positions);
    let rest: Vec<Vec3> = points.first_vertex().iter().map(|&v| positions[v as usize]).collect();
    let mean = |from: &[DVec3], p: usize| {
        let ring: Vec<DVec3> = rings[p].iter().map(|&n| from[n]).collect();
        if ring.is_empty() { from[p] } else { ring.iter().sum::<DVec3>() / ring.len() as f64 }
    };
    let mut smoothed: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
    for _ in 0..2 {
        smoothed = (0..rest.len()).map(|p| smoothed[p].midpoint(mean(&smoothed, p))).collect();
    }
    let mut parts = MushParts {
        iterations: 2,
        step: 0.5,
        point_of_vertex: points.of_vertex().to_vec(),
        vertex_of_point: points.first_vertex().to_vec(),
        first: vec![0],
        rest_tangents: vec![],
        neighbors: vec![],
        edge_weights: vec![],
        smoothed: smoothed.iter().map(|p| p.as_vec3()).collect(),
        rest,
    };
    for (p, &here) in smoothed.iter().enumerate() {
        let edges: Vec<DVec3> = rings[p].iter().map(|&n| smoothed[n] - here).collect();
        let [a, b] = widest(&edges);
        let mut tangents = [DVec3::ZERO; 2];
        for (k, &n) in rings[p].iter().enumerate() {
            // A small weight for every edge, and a large one for the two that span the plane best.
            let edge_weights =
                Vec2::new(if k == a { 1.0 } else { 0.0625 }, if k == b { 1.0 } else { 0.0625 });
            parts.neighbors.push(n as u32);
            parts.edge_weights.push(edge_weights);
            tangents[0] += edges[k] * f64::from(edge_weights.x);
            tangents[1] += edges[k] * f64::from(edge_weights.y);
        }
        parts.first.push(parts.neighbors.len() as u32);
        parts.rest_tangents.push(tangents.map(DVec3::as_vec3));
    }
    DeltaMushData::new(parts).expect("everything fits")
}

/// Moments over each vertex and its neighbors, with equal weights.
pub(crate) fn direct_mush(positions: &[Vec3], weights: &Weights, detail: MushDetail) -> DirectMushData {
    let count = positions.len();
    let mut parts = DirectMushParts { detail, first: vec![0], ..DirectMushParts::default() };
    for vertex in 0..count {
        let near = neighborhood(vertex, count);
        let place = |v: usize| positions[v].as_dvec3();
        let pivot = near.iter().map(|&v| place(v)).sum::<DVec3>() / near.len() as f64;
        parts.pivots.push(pivot.as_vec3());
        let mut slots: Vec<u16> = near.iter().flat_map(|&v| weights.of(v).0.to_vec()).collect();
        slots.sort_unstable();
        slots.dedup();
        let (mut influences, pivot) = (vec![], parts.pivots[vertex].as_dvec3());
        for slot in slots {
            let (mut weight, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
            for &v in &near {
                let w = f64::from(weights.weight_of(v, slot)) / near.len() as f64;
                let d = place(v) - pivot;
                weight += w;
                first += d * w;
                second += DMat3::from_cols(d * d.x, d * d.y, d * d.z) * w;
            }
            let [x, y, z] = [second.x_axis, second.y_axis, second.z_axis];
            let all = [weight, first.x, first.y, first.z, x.x, y.y, z.z, x.y, y.z, z.x];
            influences.push((slot, all.map(|n| n as f32)));
        }
        influences.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
        for (slot, numbers) in influences {
            parts.slots.push(slot);
            parts.numbers.extend(&numbers[..detail.numbers()]);
        }
        parts.first.push(parts.slots.len() as u32);
    }
    DirectMushData::new(parts).expect("everything fits")
}
