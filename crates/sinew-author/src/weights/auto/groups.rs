//! Groups of meshes that touch, which are solved together.

use crate::weights::{surface::WeldedSurface, tree::TriangleTree};
use sinew::{
    Mesh,
    glam::{DVec3, Vec3},
};

/// Meshes that are closer than this touch, in lengths of the diagonal of all: some centimeter on a person.
const TOUCH: f64 = 0.005;

/// The meshes of a skin in groups that touch, each by its indices in `meshes`.
///
/// A body that is cut into head, torso and limbs has its joints across the cuts, and clothes follow the body that they touch.
/// Meshes that stand apart do not affect each other.
pub(super) fn touching_groups(meshes: &[&Mesh]) -> Vec<Vec<usize>> {
    if meshes.len() <= 1 {
        return (0..meshes.len()).map(|n| vec![n]).collect();
    }
    let surface = WeldedSurface::of_meshes(meshes);
    let mut group: Vec<usize> = (0..meshes.len()).collect();
    let mut mesh_of_point: Vec<Option<usize>> = vec![None; surface.len()];
    let mut vertex = 0;
    for (index, mesh) in meshes.iter().enumerate() {
        for &point in &surface.of_vertex[vertex..vertex + mesh.vertex_count()] {
            match mesh_of_point[point as usize] {
                Some(other) => join(&mut group, other, index),
                None => mesh_of_point[point as usize] = Some(index),
            }
        }
        vertex += mesh.vertex_count();
    }
    let owner = |point: u32| mesh_of_point[point as usize].unwrap_or(0);
    let tree: TriangleTree = surface.tree();
    for point in 0..surface.len() as u32 {
        let own = top(&mut group, owner(point));
        let is_of_another = |triangle: u32| {
            let mut other = owner(surface.triangles[triangle as usize][0]);
            while group[other] != other {
                other = group[other];
            }
            other != own
        };
        let near = tree.nearest(surface.positions[point as usize], TOUCH, is_of_another);
        if let Some(near) = near {
            let other = owner(surface.triangles[near.triangle as usize][0]);
            join(&mut group, own, other);
        }
    }
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); meshes.len()];
    (0..meshes.len()).for_each(|mesh| out[top(&mut group, mesh)].push(mesh));
    out.retain(|members| !members.is_empty());
    out
}

/// The length of the diagonal of the box around meshes in the same space.
pub(super) fn diagonal(meshes: &[&Mesh]) -> f64 {
    let positions = meshes.iter().flat_map(|mesh| mesh.positions());
    let (low, high) = positions.fold((Vec3::MAX, Vec3::MIN), |(l, h), &p| (l.min(p), h.max(p)));
    (high - low).as_dvec3().max(DVec3::ZERO).length()
}

fn join(group: &mut [usize], one: usize, other: usize) {
    let (one, other) = (top(group, one), top(group, other));
    group[one.max(other)] = one.min(other);
}

/// The first mesh of the group of `mesh`.
fn top(group: &mut [usize], mut mesh: usize) -> usize {
    while group[mesh] != mesh {
        group[mesh] = group[group[mesh]];
        mesh = group[mesh];
    }
    mesh
}
