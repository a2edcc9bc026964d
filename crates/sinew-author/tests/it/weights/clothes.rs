//! Weights of clothes that are known, and bodies in other poses: what transfer is measured on.

use sinew::{
    Character, Frame, Influence, LocalPose, Mesh, MeshParts, Method, MorphTargets, Precomputed, Primitive,
    Skin, Topology, Weights,
    glam::{Quat, Vec3},
};
use std::{collections::BTreeMap, sync::Arc};

/// A loose part of a mesh as a mesh of its own, with its weights.
pub(crate) fn part_of(mesh: &Mesh, points: &[u32]) -> Mesh {
    let of_vertex = mesh.points().of_vertex();
    let is_in = |v: u32| points.binary_search(&of_vertex[v as usize]).is_ok();
    let kept: Vec<u32> = (0..mesh.vertex_count() as u32).filter(|&v| is_in(v)).collect();
    let new: BTreeMap<u32, u32> = kept.iter().enumerate().map(|(at, &v)| (v, at as u32)).collect();
    let corners = mesh.triangles().filter(|t| t.iter().all(|v| new.contains_key(v)));
    let indices: Vec<u32> = corners.flatten().map(|v| new[&v]).collect();
    let weights = mesh.weights().unwrap();
    let of = kept.iter().map(|&v| weights.influences(v as usize).collect::<Vec<_>>());
    let primitive = Primitive {
        vertices: 0..kept.len() as u32,
        indices: 0..indices.len() as u32,
        topology: Topology::Triangles,
        material: None,
    };
    let parts = MeshParts {
        name: "part".into(),
        positions: kept.iter().map(|&v| mesh.positions()[v as usize]).collect(),
        indices,
        primitives: vec![primitive],
        weights: Some(Arc::new(Weights::new(weights.slot_count(), of).unwrap().0)),
        ..MeshParts::default()
    };
    Mesh::new(parts).unwrap()
}

/// The connected parts of a mesh as sorted lists of points, the largest first.
pub(crate) fn loose_parts(mesh: &Mesh) -> Vec<Vec<u32>> {
    let of_vertex = mesh.points().of_vertex();
    let mut parent: Vec<u32> = (0..mesh.points().len() as u32).collect();
    fn top(parent: &mut [u32], mut point: u32) -> u32 {
        while parent[point as usize] != point {
            parent[point as usize] = parent[parent[point as usize] as usize];
            point = parent[point as usize];
        }
        point
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| of_vertex[v as usize]);
        for (one, other) in [(a, b), (b, c)] {
            let (one, other) = (top(&mut parent, one), top(&mut parent, other));
            parent[one.max(other) as usize] = one.min(other);
        }
    }
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for point in 0..parent.len() as u32 {
        parts.entry(top(&mut parent, point)).or_default().push(point);
    }
    let mut parts: Vec<Vec<u32>> = parts.into_values().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

/// The mean over vertices of the sum of absolute differences of weights.
pub(crate) fn mean_l1(one: &Weights, other: &Weights) -> f64 {
    let of = |v: usize| -> f64 {
        let slots = one.of(v).0.iter().chain(other.of(v).0);
        let mut slots: Vec<u16> = slots.copied().collect();
        slots.sort_unstable();
        slots.dedup();
        slots.iter().map(|&s| f64::from((one.weight_of(v, s) - other.weight_of(v, s)).abs())).sum()
    };
    (0..one.vertex_count()).map(of).sum::<f64>() / one.vertex_count().max(1) as f64
}

/// `mesh` without weights of its own: everything on the first joint.
pub(crate) fn unweighted(mesh: &Mesh, slots: usize) -> Mesh {
    let first = [Influence { slot: 0, weight: 1.0 }];
    let weights = Weights::new(slots, std::iter::repeat_n(first, mesh.vertex_count())).unwrap().0;
    let parts = MeshParts { weights: Some(Arc::new(weights)), ..Mesh::clone(mesh).into_parts() };
    Mesh::new(parts).unwrap()
}

/// A pose far from rest: every joint of the skin turned a little, limbs more.
pub(crate) fn another_pose(character: &Character) -> LocalPose {
    let mut pose = character.rest_pose();
    let skeleton = character.skeleton();
    for joint in skeleton.joints() {
        let depth = skeleton.depth(joint) as f32;
        let turn = Quat::from_rotation_z(0.12 * (depth * 1.7).sin())
            * Quat::from_rotation_x(0.2 * (depth * 2.3).cos());
        let own = &mut pose.joints[joint.index()].rotation;
        *own = (*own * turn).normalize();
    }
    pose
}

/// The character with its first mesh bound in `pose`: the mesh is where the pose shows it, in units of `scale` meters.
pub(crate) fn bound_in(character: &Character, pose: &LocalPose, scale: f32) -> (Mesh, Skin) {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(Method::Linear).unwrap();
    let instance = &character.instances()[0];
    let mesh = character.mesh_of(instance);
    let positions: Vec<Vec3> = frame.deformed()[0].positions.iter().map(|p| *p / scale).collect();
    let old = Mesh::clone(mesh).into_parts();
    let parts = MeshParts {
        positions,
        normals: Vec::new(),
        tangents: Vec::new(),
        morphs: MorphTargets::default(),
        precomputed: Precomputed::NONE,
        ..old
    };
    let skin = character.skin_of(instance).unwrap();
    let to_meters = sinew::glam::Affine3A::from_scale(Vec3::splat(scale));
    let binds = skin.joints().iter().map(|j| frame.model().joint(*j).inverse() * to_meters).collect();
    let skin = Skin::new("posed", character.skeleton(), skin.joints().to_vec(), binds).unwrap();
    (Mesh::new(parts).unwrap(), skin)
}
