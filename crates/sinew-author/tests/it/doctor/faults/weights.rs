//! Faults that are planted in weights.

use super::{Body, Seeded, rigs::joints_of};
use sinew::{
    Character, Clip, Influence, Joint, JointId, Mesh, MeshInstance, MeshParts, ModelPose, Skeleton,
    Transform, Weights, Wrap, glam::Vec3, sample_clip,
};
use sinew_author::motion::other_side;
use std::{collections::BTreeSet, sync::Arc};

pub(super) fn crowded(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let slots = body.loaded(1.0);
    (slots.len() >= 7).then_some(())?;
    let every = 2 + random.index(6)? as u32;
    body.reweighted(|vertex, of| {
        if vertex % every != 0 {
            return of;
        }
        let start = vertex as usize;
        let more = (0..7).map(|k| Influence { slot: slots[(start + k) % slots.len()], weight: 0.1 });
        of.into_iter().chain(more).collect()
    })
}

/// Gives `count` neighboring points of one joint weight of a joint at the other end of the body.
pub(super) fn stray(character: &Character, random: &mut Seeded, count: usize) -> Option<Character> {
    let body = Body::of(character)?;
    let slots = body.loaded(12.0);
    let near = random.pick(&slots)?;
    let far = slots.iter().copied().max_by(|&a, &b| {
        let distance = |s: u16| body.head(s).zip(body.head(near)).map_or(0.0, |(p, q)| p.distance(q));
        distance(a).total_cmp(&distance(b))
    })?;
    let apart = body.head(far)?.distance(body.head(near)?);
    (apart > 0.35 * body.size()).then_some(())?;
    let first = body.mesh.points().first_vertex();
    let strongest = |p: &u32| body.weights.weight_of(first[*p as usize] as usize, near);
    let mut points: Vec<u32> = (0..first.len() as u32).filter(|p| strongest(p) > 0.5).collect();
    let start = body.mesh.positions()[first[random.pick(&points)? as usize] as usize];
    let apart = |p: &u32| body.mesh.positions()[first[*p as usize] as usize].distance(start);
    points.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
    let vertices = body.copies(&points.into_iter().take(count).collect());
    let weight = random.between(0.1, 0.8);
    body.reweighted(|vertex, mut of| {
        if vertices.contains(&vertex) {
            of.retain(|i| i.slot != far);
            of.iter_mut().for_each(|i| i.weight *= 1.0 - weight);
            of.push(Influence { slot: far, weight });
        }
        of
    })
}

/// A small pyramid on the skin that follows a far joint, in the mesh or as a mesh of its own.
pub(super) fn loose(character: &Character, random: &mut Seeded, is_own_mesh: bool) -> Option<Character> {
    let body = Body::of(character)?;
    let slots = body.loaded(12.0);
    let near = random.pick(&slots)?;
    let apart = |s: u16| body.head(s).zip(body.head(near)).map_or(0.0, |(p, q)| p.distance(q));
    let far = slots.iter().copied().max_by(|&a, &b| apart(a).total_cmp(&apart(b)))?;
    (apart(far) > 0.35 * body.size()).then_some(())?;
    let on: Vec<usize> =
        (0..body.weights.vertex_count()).filter(|&v| body.weights.weight_of(v, near) > 0.7).collect();
    let vertex = random.pick(&on)?;
    let size = body.size() * 0.02;
    let out = body.mesh.normals().get(vertex).copied().unwrap_or(Vec3::Y);
    let center = body.mesh.positions()[vertex] + out * size;
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|c| center + (c - 0.25) * size);
    let old = if is_own_mesh { MeshParts::default() } else { Mesh::clone(body.mesh).into_parts() };
    let first = old.positions.len() as u32;
    let mut parts = MeshParts {
        name: old.name.clone(),
        positions: old.positions.iter().copied().chain(corners).collect(),
        indices: old
            .indices
            .iter()
            .copied()
            .chain([0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3].map(|i| i + first))
            .collect(),
        ..MeshParts::default()
    };
    let start = old.indices.len() as u32;
    parts.primitives = old.primitives.clone();
    parts.primitives.push(sinew::Primitive {
        vertices: first..first + 4,
        indices: start..start + 12,
        topology: sinew::Topology::Triangles,
        material: None,
    });
    let own = |v: usize| body.weights.influences(v).collect::<Vec<_>>();
    let lone = std::iter::repeat_n(vec![Influence { slot: far, weight: 1.0 }], 4);
    let all = (0..first as usize).map(own).chain(lone);
    parts.weights = Some(Arc::new(Weights::new(body.skin.joints().len(), all).ok()?.0));
    let mesh = Arc::new(Mesh::new(parts).ok()?);
    let mut parts = character.parts().clone();
    if is_own_mesh {
        let joint = character.instances().iter().find(|i| i.mesh == body.mesh_index)?.joint;
        parts.meshes.push(mesh);
        let index = parts.meshes.len() - 1;
        let skin = Some(body.skin_index);
        parts.instances.push(MeshInstance { joint, mesh: index, skin, morph_weights: Vec::new() });
    } else {
        parts.meshes[body.mesh_index] = mesh;
        parts.instances.iter_mut().for_each(|i| i.morph_weights.clear());
        parts.clips.retain(|c| c.channels().iter().all(|c| c.joint().is_some()));
    }
    Character::new(parts).ok()
}

/// The joints of both sides of a body, left to right.
pub(super) fn sides(body: &Body<'_>) -> Vec<(u16, u16)> {
    let skeleton = body.character.skeleton();
    let partner = |slot: u16| {
        let other = other_side(skeleton.name(body.joint(slot)))?;
        body.skin.slot_of(skeleton.find(&other)?)
    };
    body.slots().filter_map(|s| Some((s, partner(s)?))).collect()
}

pub(super) fn swapped(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let (pairs, loads, size) = (sides(&body), body.loads(), body.size());
    let is_apart = |&(one, other): &(u16, u16)| {
        let apart = body.head(one).zip(body.head(other)).map_or(0.0, |(p, q)| p.distance(q));
        loads[usize::from(one)] > 8.0 && apart > 0.1 * size
    };
    let usable: Vec<(u16, u16)> = pairs.into_iter().filter(is_apart).collect();
    let (slot, partner) = random.pick(&usable)?;
    body.reweighted(|_, mut of| {
        of.iter_mut().filter(|i| i.slot == slot).for_each(|i| i.slot = partner);
        of
    })
}

pub(super) fn frozen(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let top = random.pick(&body.limbs())?;
    let (below, above) = (body.below(top), body.above(top)?);
    body.reweighted(|_, mut of| {
        of.iter_mut().filter(|i| below.contains(&i.slot)).for_each(|i| i.slot = above);
        of
    })
}

pub(super) fn all_on_root(character: &Character, _: &mut Seeded) -> Option<Character> {
    (character.instances().iter().filter(|i| i.skin.is_some()).count() == 1).then_some(())?;
    (character.instances().len() == 1).then_some(())?;
    let body = Body::of(character)?;
    (body.loaded(4.0).len() >= 5 && has_motion(character)).then_some(())?;
    body.reweighted(|_, _| vec![Influence { slot: 0, weight: 1.0 }])
}

pub(super) fn has_motion(character: &Character) -> bool {
    let skeleton = character.skeleton();
    let place = |clip: &Clip, time: f32| {
        let mut local = character.rest_pose();
        sample_clip(clip, time, Wrap::Clamp, &mut local);
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &local);
        model.joints().iter().map(|m| Vec3::from(m.translation)).collect::<Vec<_>>()
    };
    let size = Body::of(character).map_or(1.0, |b| b.size());
    character.clips().iter().any(|clip| {
        let (one, other) = (place(clip, 0.0), place(clip, clip.duration_secs() * 0.4));
        one.iter().zip(&other).filter(|(a, b)| a.distance(**b) > 0.04 * size).count() >= 4
    })
}

pub(super) fn without_skin(character: &Character, _: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    (body.skin.joints().len() >= 5 && has_motion(character)).then_some(())?;
    // A node of its own, which no clip moves.
    let mut joints = joints_of(character.skeleton());
    let node = JointId(u16::try_from(joints.len()).ok()?);
    joints.push(Joint { name: "planted".into(), parent: None, rest: Transform::IDENTITY });
    let mut parts = character.parts().clone();
    parts.skeleton = Arc::new(Skeleton::new(joints).ok()?);
    for instance in &mut parts.instances {
        (instance.skin, instance.joint) = (None, node);
    }
    (parts.skins, parts.scenes) = (Vec::new(), Vec::new());
    Character::new(parts).ok()
}

pub(super) fn asymmetric(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let loads = body.loads();
    let usable: Vec<(u16, u16)> =
        sides(&body).into_iter().filter(|p| loads[usize::from(p.0)] > 8.0).collect();
    // A mesh whose sides have different vertices has no partners to compare.
    let positions = body.mesh.positions();
    let size = body.size();
    let first = body.mesh.points().first_vertex();
    let places: Vec<Vec3> = first.iter().map(|&v| positions[v as usize]).collect();
    let key = |p: Vec3| (p / (size * 2e-4)).round().as_ivec3();
    let keys: BTreeSet<[i32; 3]> = places.iter().map(|p| key(*p).to_array()).collect();
    let has_partner = |p: &&Vec3| {
        let mirrored = key(Vec3::new(-p.x, p.y, p.z));
        (-1..=1).any(|dx| {
            (-1..=1).any(|dy| {
                (-1..=1).any(|dz| keys.contains(&[mirrored.x + dx, mirrored.y + dy, mirrored.z + dz]))
            })
        })
    };
    (places.iter().filter(has_partner).count() as f32 > 0.985 * places.len() as f32).then_some(())?;
    let (slot, _) = random.pick(&usable)?;
    let above = body.above(slot)?;
    let weight = random.between(0.2, 0.5);
    body.reweighted(|_, mut of| {
        let own = of.iter().find(|i| i.slot == slot).map_or(0.0, |i| i.weight);
        of.iter_mut().filter(|i| i.slot == slot).for_each(|i| i.weight *= 1.0 - weight);
        of.push(Influence { slot: above, weight: own * weight });
        of
    })
}

pub(super) fn torn(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let points = body.mesh.points();
    let of_vertex = points.of_vertex();
    let is_copy = |v: &u32| points.first_vertex()[of_vertex[*v as usize] as usize] != *v;
    let copies: Vec<u32> = (0..of_vertex.len() as u32).filter(is_copy).collect();
    let start = random.index(copies.len())?;
    let some: BTreeSet<u32> = copies.iter().copied().cycle().skip(start).take(copies.len().min(20)).collect();
    let slots = body.loaded(2.0);
    let weight = random.between(0.3, 0.7);
    (slots.len() >= 2).then_some(())?;
    body.reweighted(|vertex, mut of| {
        if some.contains(&vertex) {
            let other = slots.iter().copied().find(|s| of.iter().all(|i| i.slot != *s)).unwrap_or(0);
            of.iter_mut().for_each(|i| i.weight *= 1.0 - weight);
            of.push(Influence { slot: other, weight });
        }
        of
    })
}
