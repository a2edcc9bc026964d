//! Plants faults of each kind into characters, by a seed.

use sinew::{
    Channel, Character, Clip, ClipKind, Curve, Frame, Influence, Interpolation, Joint, JointId, Mesh,
    MeshInstance, MeshParts, Method, ModelPose, Precomputed, Skeleton, Skin, Transform, Weights, Wrap,
    glam::{Affine3A, Mat3A, Quat, Vec3},
    sample_clip,
};
use sinew_author::{
    check::{CheckOptions, CheckTarget, FindingCode, TargetLimits},
    motion::other_side,
    weights::BoneSet,
};
use std::{collections::BTreeSet, sync::Arc};

/// Random numbers that follow from a seed.
#[derive(Clone, Copy)]
pub(crate) struct Seeded(u64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    fn index(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| (self.next() % count as u64) as usize)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        Some(from[self.index(from.len())?])
    }
}

/// A fault of a kind that the documentation lists, with a name for its variant.
#[derive(Clone, Copy)]
pub(crate) struct FaultKind {
    pub(crate) code: FindingCode,
    pub(crate) name: &'static str,
    plant: fn(&Character, &mut Seeded) -> Option<Character>,
}

impl FaultKind {
    /// `character` with the fault; `None` if it has no place for it.
    pub(crate) fn plant(&self, character: &Character, seed: u64) -> Option<Character> {
        (self.plant)(character, &mut Seeded::new(seed))
    }

    /// The options that the fault needs to show.
    pub(crate) fn options(&self, character: &Character) -> CheckOptions {
        let of = |influences, joints| Some(CheckTarget::Custom(TargetLimits { influences, joints }));
        let joints = character.skins().first().map_or(1, |s| s.joints().len());
        let target = match self.code {
            FindingCode::InfluencesOverTarget => of(4, usize::from(u16::MAX)),
            FindingCode::JointsOverTarget => of(64, (joints * 2 / 3).max(1)),
            _ => None,
        };
        CheckOptions { target, ..CheckOptions::default() }
    }
}

/// Every kind of fault that is planted into characters. What only a file can have is planted into files by the tests of the
/// command line.
pub(crate) const KINDS: [FaultKind; 28] = {
    use FindingCode as C;
    const fn kind(
        code: FindingCode,
        name: &'static str,
        plant: fn(&Character, &mut Seeded) -> Option<Character>,
    ) -> FaultKind {
        FaultKind { code, name, plant }
    }
    [
        kind(C::InfluencesOverTarget, "every few vertices follow seven joints", crowded),
        kind(C::JointsOverTarget, "a target with fewer joints", |c, _| has_skin(c, 4)),
        kind(C::StrayWeights, "one point follows a far joint", |c, r| stray(c, r, 1)),
        kind(C::StrayWeights, "a few points follow a far joint", |c, r| stray(c, r, 5)),
        kind(C::LooseIsland, "a loose part on a far joint", |c, r| loose(c, r, false)),
        kind(C::LooseIsland, "a mesh of its own on a far joint", |c, r| loose(c, r, true)),
        kind(C::SideSwapped, "a limb on the joints of the other side", swapped),
        kind(C::LimbFrozen, "a limb frozen to the joint above it", frozen),
        kind(C::BodyNotMoved, "all weight on the root", all_on_root),
        kind(C::BodyNotMoved, "meshes without a skin", without_skin),
        kind(C::AsymmetricWeights, "one side smoothed", asymmetric),
        kind(C::SeamOpens, "copies of points with other weights", torn),
        kind(C::BindMismatch, "a moved bind", |c, r| rebound(c, r, false)),
        kind(C::BindMismatch, "a turned bind", |c, r| rebound(c, r, true)),
        kind(C::BindSingular, "a flat bind", flat),
        kind(C::ScaleNegative, "a mirrored joint", |c, r| scaled(c, r, Vec3::new(-1.0, 1.0, 1.0), false)),
        kind(C::ScaleNonUniform, "a stretched joint above others", |c, r| {
            let scale = Vec3::new(1.0, r.between(1.2, 1.8), 1.0);
            scaled(c, r, scale, true)
        }),
        kind(C::UnusedJoint, "joints without weight", idle),
        kind(C::RootUnreachable, "a root beside its joints", bad_root),
        kind(C::ClipJitter, "a trembling joint", jitter),
        kind(C::ClipPop, "one frame off in one joint", |c, r| pop(c, r, false)),
        kind(C::ClipPop, "one frame off in translation", |c, r| pop(c, r, true)),
        kind(C::ClipJump, "a translation that jumps", jump),
        kind(C::ClipFlip, "keys of the other sign", flip),
        kind(C::CandyWrap, "a wrung limb", wrung),
        kind(C::VolumeLoss, "a folded body", folded),
        kind(C::FootSlide, "planted feet that are dragged", |c, r| dragged(c, r, 0.12, 0.25)),
        kind(C::FootSlide, "planted feet that drift steadily", |c, r| dragged(c, r, 0.025, 0.04)),
    ]
};

fn has_skin(character: &Character, joints: usize) -> Option<Character> {
    (character.skins().first()?.joints().len() >= joints).then(|| character.clone())
}

/// The first skinned instance: its mesh, skin and weights.
struct Body<'a> {
    character: &'a Character,
    mesh_index: usize,
    skin_index: usize,
    mesh: &'a Mesh,
    skin: &'a Skin,
    weights: &'a Weights,
}

impl<'a> Body<'a> {
    /// The skinned mesh with the most vertices.
    fn of(character: &'a Character) -> Option<Self> {
        let bodies = character.instances().iter().filter_map(|i| {
            let mesh = character.mesh_of(i);
            let (skin, weights) = (character.skin_of(i)?, mesh.weights()?);
            Some(Self { character, mesh_index: i.mesh, skin_index: i.skin?, mesh, skin, weights })
        });
        bodies.max_by_key(|b| b.mesh.vertex_count())
    }

    fn joint(&self, slot: u16) -> JointId {
        self.skin.joints()[usize::from(slot)]
    }

    fn slots(&self) -> std::ops::Range<u16> {
        0..self.skin.joints().len() as u16
    }

    /// The sum of the weights of each slot.
    fn loads(&self) -> Vec<f32> {
        let mut loads = vec![0.0; self.skin.joints().len()];
        for vertex in 0..self.weights.vertex_count() {
            self.weights.influences(vertex).for_each(|i| loads[usize::from(i.slot)] += i.weight);
        }
        loads
    }

    /// Slots that carry at least `points` vertices' worth of weight.
    fn loaded(&self, points: f32) -> Vec<u16> {
        let loads = self.loads();
        self.slots().filter(|&s| loads[usize::from(s)] >= points).collect()
    }

    fn head(&self, slot: u16) -> Option<Vec3> {
        let matrix = sinew::transform::inverse_affine(&self.skin.joint_from_mesh()[usize::from(slot)])?;
        Some(matrix.translation.into())
    }

    fn size(&self) -> f32 {
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = self.mesh.positions().iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
        low.distance(high)
    }

    /// Vertices by their points: copies change together.
    fn copies(&self, points: &BTreeSet<u32>) -> BTreeSet<u32> {
        let of_vertex = self.mesh.points().of_vertex().iter().enumerate();
        of_vertex.filter(|(_, p)| points.contains(p)).map(|(v, _)| v as u32).collect()
    }

    /// The character with other weights of its body.
    fn reweighted(&self, of: impl Fn(u32, Vec<Influence>) -> Vec<Influence>) -> Option<Character> {
        let count = self.skin.joints().len();
        let vertices =
            (0..self.weights.vertex_count()).map(|v| of(v as u32, self.weights.influences(v).collect()));
        let (weights, _) = Weights::new(count, vertices).ok()?;
        let old = Mesh::clone(self.mesh).into_parts();
        let new = MeshParts { weights: Some(Arc::new(weights)), precomputed: Precomputed::NONE, ..old };
        let mut parts = self.character.parts().clone();
        parts.meshes[self.mesh_index] = Arc::new(Mesh::new(new).ok()?);
        Character::new(parts).ok()
    }

    /// The slots of joints at and below `slot`.
    fn below(&self, slot: u16) -> BTreeSet<u16> {
        let skeleton = self.character.skeleton();
        self.slots().filter(|&s| skeleton.is_within(self.joint(s), self.joint(slot))).collect()
    }

    /// The slot of the joint above.
    fn above(&self, slot: u16) -> Option<u16> {
        let skeleton = self.character.skeleton();
        skeleton.ancestors(self.joint(slot)).skip(1).find_map(|j| self.skin.slot_of(j))
    }

    /// The length of the longest chain of joints from `slot` down.
    fn reach(&self, slot: u16) -> f32 {
        let Some(head) = self.head(slot) else { return 0.0 };
        self.below(slot)
            .into_iter()
            .filter_map(|s| self.head(s))
            .map(|p| p.distance(head))
            .fold(0.0, f32::max)
    }

    /// Limbs: slots whose chain is long, carries skin, and is at most a third of all of it.
    fn limbs(&self) -> Vec<u16> {
        let loads = self.loads();
        let total: f32 = loads.iter().sum();
        let bones = BoneSet::of_character(self.character, self.skin_index);
        let size = self.size();
        let is_limb = |&slot: &u16| {
            let below = self.below(slot);
            let load: f32 = below.iter().map(|&s| loads[usize::from(s)]).sum();
            let has_bone = bones.bones().iter().any(|b| b.slot == slot && !b.is_open);
            self.above(slot).is_some_and(|a| self.above(a).is_some())
                && has_bone
                && load > 24.0
                && load < total / 3.0
                && self.reach(slot) > 0.12 * size
        };
        self.slots().filter(is_limb).collect()
    }
}

fn crowded(character: &Character, random: &mut Seeded) -> Option<Character> {
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
fn stray(character: &Character, random: &mut Seeded, count: usize) -> Option<Character> {
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
fn loose(character: &Character, random: &mut Seeded, is_own_mesh: bool) -> Option<Character> {
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
fn sides(body: &Body<'_>) -> Vec<(u16, u16)> {
    let skeleton = body.character.skeleton();
    let partner = |slot: u16| {
        let other = other_side(skeleton.name(body.joint(slot)))?;
        body.skin.slot_of(skeleton.find(&other)?)
    };
    body.slots().filter_map(|s| Some((s, partner(s)?))).collect()
}

fn swapped(character: &Character, random: &mut Seeded) -> Option<Character> {
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

fn frozen(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let top = random.pick(&body.limbs())?;
    let (below, above) = (body.below(top), body.above(top)?);
    body.reweighted(|_, mut of| {
        of.iter_mut().filter(|i| below.contains(&i.slot)).for_each(|i| i.slot = above);
        of
    })
}

fn all_on_root(character: &Character, _: &mut Seeded) -> Option<Character> {
    (character.instances().iter().filter(|i| i.skin.is_some()).count() == 1).then_some(())?;
    (character.instances().len() == 1).then_some(())?;
    let body = Body::of(character)?;
    (body.loaded(4.0).len() >= 5 && has_motion(character)).then_some(())?;
    body.reweighted(|_, _| vec![Influence { slot: 0, weight: 1.0 }])
}

fn has_motion(character: &Character) -> bool {
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

fn without_skin(character: &Character, _: &mut Seeded) -> Option<Character> {
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

fn asymmetric(character: &Character, random: &mut Seeded) -> Option<Character> {
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

fn torn(character: &Character, random: &mut Seeded) -> Option<Character> {
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

fn with_skin(character: &Character, index: usize, skin: Skin) -> Option<Character> {
    let mut parts = character.parts().clone();
    parts.skins[index] = Arc::new(skin);
    Character::new(parts).ok()
}

fn with_bind(body: &Body<'_>, slot: u16, of: impl Fn(Affine3A) -> Affine3A) -> Option<Character> {
    let mut binds = body.skin.joint_from_mesh().to_vec();
    binds[usize::from(slot)] = of(binds[usize::from(slot)]);
    let skeleton = body.character.skeleton();
    let skin = Skin::new(body.skin.name(), skeleton, body.skin.joints().to_vec(), binds).ok()?;
    with_skin(body.character, body.skin_index, skin.with_root(skeleton, body.skin.root()).ok()?)
}

/// True if the character rests as it was bound.
fn rests_bound(body: &Body<'_>) -> bool {
    let mut rest = ModelPose::new(body.character.skeleton());
    rest.update(body.character.skeleton(), &body.character.skeleton().rest_pose());
    let matrix = |slot: u16| rest.joint(body.joint(slot)) * body.skin.joint_from_mesh()[usize::from(slot)];
    let first = matrix(0);
    let same = |slot: &u16| matrix(*slot).abs_diff_eq(first, 1e-3 * first.matrix3.x_axis.length().max(1.0));
    body.slots().filter(same).count() * 10 > body.slots().len() * 8
}

fn rebound(character: &Character, random: &mut Seeded, is_turned: bool) -> Option<Character> {
    let body = Body::of(character)?;
    (body.slots().len() >= 5 && rests_bound(&body)).then_some(())?;
    let slot = random.pick(&body.loaded(8.0))?;
    let far = body.size() * random.between(0.04, 0.2);
    let turn = Quat::from_rotation_x(random.between(0.3, 1.2));
    with_bind(&body, slot, |bind| {
        let scale = bind.matrix3.determinant().abs().cbrt();
        let moved = Affine3A::from_translation(Vec3::new(far * scale, 0.0, 0.0));
        if is_turned { Affine3A::from_quat(turn) * bind } else { moved * bind }
    })
}

fn flat(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let slot = random.pick(&body.loaded(8.0))?;
    let flat = Mat3A::from_diagonal(Vec3::new(1.0, 0.0, 1.0));
    with_bind(&body, slot, |bind| Affine3A::from_mat3(flat.into()) * bind)
}

fn joints_of(skeleton: &Skeleton) -> Vec<Joint> {
    let joint = |j: JointId| Joint {
        name: skeleton.name(j).into(),
        parent: skeleton.parent(j),
        rest: skeleton.rest(j),
    };
    skeleton.joints().map(joint).collect()
}

/// `character` with other joints, whose skins keep their meshes where they were at rest.
fn rerigged(character: &Character, joints: Vec<Joint>) -> Option<Character> {
    let old = character.skeleton();
    let skeleton = Arc::new(Skeleton::new(joints).ok()?);
    let rest = |skeleton: &Skeleton| {
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &skeleton.rest_pose());
        model
    };
    let (before, after) = (rest(old), rest(&skeleton));
    let mut parts = character.parts().clone();
    for skin in &mut parts.skins {
        let bind = |(joint, bind): (&JointId, &Affine3A)| {
            after.joint(*joint).inverse() * before.joint(*joint) * *bind
        };
        let binds = skin.joints().iter().zip(skin.joint_from_mesh()).map(bind).collect();
        let new = Skin::new(skin.name(), &skeleton, skin.joints().to_vec(), binds).ok()?;
        *skin = Arc::new(new.with_root(&skeleton, skin.root()).ok()?);
    }
    parts.skeleton = skeleton;
    Character::new(parts).ok()
}

fn scaled(character: &Character, random: &mut Seeded, scale: Vec3, above_others: bool) -> Option<Character> {
    let body = Body::of(character)?;
    let skeleton = character.skeleton();
    let loads = body.loads();
    let size = body.size();
    let is_usable = |&slot: &u16| {
        let joint = body.joint(slot);
        let below: f32 =
            body.below(slot).iter().filter(|s| **s != slot).map(|&s| loads[usize::from(s)]).sum();
        let is_even = (skeleton.rest(joint).scale - Vec3::ONE).abs().max_element() < 1e-3;
        let hangs = character.instances().iter().any(|i| skeleton.is_within(i.joint, joint));
        is_even
            && !hangs
            && (!above_others || (below > 8.0 && body.reach(slot) > 0.08 * size))
            && loads[usize::from(slot)] > 4.0
    };
    let usable: Vec<u16> = body.slots().filter(is_usable).collect();
    let joint = body.joint(random.pick(&usable)?);
    let mut joints = joints_of(skeleton);
    joints[joint.index()].rest.scale = scale;
    let mut out = rerigged(character, joints)?.into_parts();
    // Clips that scale the joint would undo it.
    for clip in &mut out.clips {
        let mut of = Clip::clone(clip).into_parts();
        of.channels.retain(|c| !matches!(c, Channel::Scale { joint: j, .. } if *j == joint));
        *clip = Arc::new(Clip::from_parts(of).ok()?);
    }
    Character::new(out).ok()
}

fn idle(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let parent = body.joint(random.pick(&body.loaded(4.0))?);
    let count = 2 + random.index(4)? as u16;
    let old = character.skeleton();
    let mut joints = joints_of(old);
    let step = body.size() * 0.02;
    joints.extend((0..count).map(|k| Joint {
        name: format!("planted {k}"),
        parent: Some(parent),
        rest: Transform::from_translation(Vec3::new(step * f32::from(k), step, 0.0)),
    }));
    let skeleton = Arc::new(Skeleton::new(joints).ok()?);
    let mut model = ModelPose::new(&skeleton);
    model.update(&skeleton, &skeleton.rest_pose());
    let mut parts = character.parts().clone();
    for (index, skin) in parts.skins.iter_mut().enumerate() {
        let mut of = skin.joints().to_vec();
        let mut binds = skin.joint_from_mesh().to_vec();
        if index == body.skin_index {
            let slot = usize::from(skin.slot_of(parent)?);
            let more: Vec<JointId> = skeleton.joints().skip(old.len()).collect();
            let rest = model.joint(parent) * binds[slot];
            binds.extend(more.iter().map(|j| model.joint(*j).inverse() * rest));
            of.extend(more);
        }
        let new = Skin::new(skin.name(), &skeleton, of, binds).ok()?;
        *skin = Arc::new(new.with_root(&skeleton, skin.root()).ok()?);
    }
    parts.skeleton = skeleton;
    Character::new(parts).ok()
}

fn bad_root(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let skeleton = character.skeleton();
    let is_leaf = |&j: &JointId| skeleton.children(j).next().is_none();
    let leaves: Vec<JointId> = body.skin.joints().iter().copied().filter(is_leaf).collect();
    (body.skin.joints().len() > 1).then_some(())?;
    let root = random.pick(&leaves)?;
    with_skin(character, body.skin_index, body.skin.clone().with_root(skeleton, Some(root)).ok()?)
}

/// A clip of dense keys: one of the character, sampled at 30 Hz.
fn dense_clip(character: &Character, random: &mut Seeded) -> Option<Clip> {
    let usable: Vec<usize> = (0..character.clips().len())
        .filter(|&c| {
            let clip = &character.clips()[c];
            clip.kind() == ClipKind::Absolute && clip.duration_secs() > 0.6
        })
        .collect();
    sinew_author::motion::resampled(&character.clips()[random.pick(&usable)?], 30.0).ok()
}

fn with_clip(character: &Character, channels: Vec<Channel>) -> Option<Character> {
    let mut parts = character.parts().clone();
    parts.clips.push(Arc::new(Clip::new("planted", channels, Vec::new()).ok()?));
    Character::new(parts).ok()
}

/// A joint with skin that is not at the end of a limb, and a dense clip with its rotation sampled.
fn clip_and_joint(character: &Character, random: &mut Seeded) -> Option<(Vec<Channel>, JointId, Vec<f32>)> {
    let body = Body::of(character)?;
    let clip = dense_clip(character, random)?;
    let size = body.size();
    let joints: Vec<u16> = body.loaded(12.0).into_iter().filter(|&s| body.reach(s) > 0.1 * size).collect();
    let joint = body.joint(random.pick(&joints)?);
    let frames = (clip.duration_secs() * 30.0) as usize;
    let times: Vec<f32> = (0..=frames).map(|f| f as f32 / 30.0).collect();
    Some((clip.channels().to_vec(), joint, times))
}

/// Replaces the rotation of a joint by one sampled from `channels` and changed by frame.
fn rerotated(
    character: &Character,
    channels: &[Channel],
    joint: JointId,
    times: &[f32],
    of: impl Fn(usize, Quat) -> Quat,
) -> Option<Vec<Channel>> {
    let clip = Clip::new("", channels.to_vec(), Vec::new()).ok()?;
    let at = |(frame, &time): (usize, &f32)| {
        let mut local = character.rest_pose();
        sample_clip(&clip, time, Wrap::Clamp, &mut local);
        of(frame, local.joints[joint.index()].rotation)
    };
    let values = times.iter().enumerate().map(at).collect();
    let curve = Curve::new(times.to_vec(), values, Interpolation::Linear).ok()?;
    let mut out: Vec<Channel> = channels.to_vec();
    out.retain(|c| !matches!(c, Channel::Rotation { joint: j, .. } if *j == joint));
    out.push(Channel::Rotation { joint, curve });
    Some(out)
}

/// Replaces the translation of a joint by one sampled from `channels` and changed by frame.
fn moved(
    character: &Character,
    channels: &[Channel],
    joint: JointId,
    times: &[f32],
    of: impl Fn(usize, Vec3) -> Vec3,
) -> Option<Vec<Channel>> {
    let clip = Clip::new("", channels.to_vec(), Vec::new()).ok()?;
    let at = |(frame, &time): (usize, &f32)| {
        let mut local = character.rest_pose();
        sample_clip(&clip, time, Wrap::Clamp, &mut local);
        of(frame, local.joints[joint.index()].translation)
    };
    let values = times.iter().enumerate().map(at).collect();
    let curve = Curve::new(times.to_vec(), values, Interpolation::Linear).ok()?;
    let mut out: Vec<Channel> = channels.to_vec();
    out.retain(|c| !matches!(c, Channel::Translation { joint: j, .. } if *j == joint));
    out.push(Channel::Translation { joint, curve });
    Some(out)
}

fn jitter(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let amount = random.between(0.03, 0.2);
    let sign = |frame: usize| if frame % 2 == 0 { 1.0 } else { -1.0 };
    with_clip(
        character,
        rerotated(character, &channels, joint, &times, |f, q| q * Quat::from_rotation_x(amount * sign(f)))?,
    )
}

/// The size of the body in the units of a joint's translation.
fn local_size(character: &Character, joint: JointId) -> Option<f32> {
    let skeleton = character.skeleton();
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear).ok()?;
    let size = frame.bounds().size().max_element();
    let parent = skeleton.parent(joint).map_or(Affine3A::IDENTITY, |p| frame.model().joint(p));
    Some(size / parent.matrix3.determinant().abs().cbrt())
}

fn pop(character: &Character, random: &mut Seeded, is_translation: bool) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let at = 3 + random.index(times.len().checked_sub(6)?)?;
    let angle = random.between(0.4, 1.5);
    let far = random.between(0.1, 0.4) * local_size(character, joint)?;
    let channels = if is_translation {
        moved(character, &channels, joint, &times, |f, t| if f == at { t + Vec3::Y * far } else { t })?
    } else {
        rerotated(character, &channels, joint, &times, |f, q| {
            if f == at { q * Quat::from_rotation_z(angle) } else { q }
        })?
    };
    with_clip(character, channels)
}

fn jump(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let at = 4 + random.index(times.len().checked_sub(8)?)?;
    let far = random.between(0.2, 0.6) * local_size(character, joint)?;
    with_clip(
        character,
        moved(character, &channels, joint, &times, |f, t| if f >= at { t + Vec3::X * far } else { t })?,
    )
}

fn flip(character: &Character, random: &mut Seeded) -> Option<Character> {
    let (channels, joint, times) = clip_and_joint(character, random)?;
    let every = 2 + random.index(4)?;
    with_clip(
        character,
        rerotated(character, &channels, joint, &times, |f, q| if f % every == 0 { -q } else { q })?,
    )
}

/// A clip that only turns one joint about its own bone, by a full half turn.
fn wrung(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let bones = BoneSet::of_character(character, body.skin_index);
    // Joints whose skin blends with that of the joint above, all around the bone.
    let is_blended = |slot: &u16| {
        let Some(above) = body.above(*slot) else { return false };
        let half = |v: usize| {
            let (one, other) = (body.weights.weight_of(v, *slot), body.weights.weight_of(v, above));
            one > 0.3 && other > 0.3
        };
        let blended: Vec<Vec3> =
            (0..body.weights.vertex_count()).filter(|&v| half(v)).map(|v| body.mesh.positions()[v]).collect();
        let Some(head) = body.head(*slot) else { return false };
        let Some(axis) = direction(&bones, *slot) else { return false };
        goes_around(&blended, head, axis)
    };
    let slots: Vec<u16> = body.loaded(12.0).into_iter().filter(is_blended).collect();
    let slot = random.pick(&slots)?;
    let joint = body.joint(slot);
    let axis = body.skin.joint_from_mesh()[usize::from(slot)]
        .transform_vector3(direction(&bones, slot)?)
        .normalize();
    let rest = character.rest_pose().joints[joint.index()].rotation;
    let angle = std::f32::consts::PI * random.between(0.95, 1.0);
    let turn = |part: f32| rest * Quat::from_axis_angle(axis, angle * part);
    let curve = Curve::new(
        vec![0.0, 0.5, 1.0, 1.5],
        vec![turn(0.0), turn(0.5), turn(1.0), turn(0.0)],
        Interpolation::Linear,
    );
    with_clip(character, vec![Channel::Rotation { joint, curve: curve.ok()? }])
}

fn direction(bones: &BoneSet, slot: u16) -> Option<Vec3> {
    let own = bones.bones().iter().filter(|b| b.slot == slot);
    own.map(|b| b.tail - b.head).max_by(|a, b| a.length().total_cmp(&b.length()))?.try_normalize()
}

/// True if places are on all sides of an axis.
fn goes_around(places: &[Vec3], head: Vec3, axis: Vec3) -> bool {
    let (right, up) = axis.any_orthonormal_pair();
    let mut angles: Vec<f32> =
        places.iter().map(|p| (*p - head).dot(up).atan2((*p - head).dot(right))).collect();
    angles.sort_by(f32::total_cmp);
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return false };
    let wrapped = first + std::f32::consts::TAU - last;
    angles.len() >= 6 && angles.windows(2).map(|p| p[1] - p[0]).fold(wrapped, f32::max) < 1.2
}

/// The tube with weights spread over all of its length, wrung.
fn folded(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    (body.skin.joints().len() == 2).then_some(())?;
    let length = body.mesh.positions().iter().map(|p| p.y).fold(0.0, f32::max);
    let soft = body.reweighted(|vertex, _| {
        let weight = (body.mesh.positions()[vertex as usize].y / length).clamp(0.0, 1.0);
        vec![Influence { slot: 0, weight: 1.0 - weight }, Influence { slot: 1, weight }]
    })?;
    let joint = body.joint(1);
    let rest = character.rest_pose().joints[joint.index()].rotation;
    let end = rest * Quat::from_rotation_y(random.between(2.6, 3.1));
    let curve = Curve::new(vec![0.0, 1.0], vec![rest, end], Interpolation::Linear).ok()?;
    with_clip(&soft, vec![Channel::Rotation { joint, curve }])
}

/// A clip in which the root moves, as a fraction of the height, and the feet with it.
fn dragged(character: &Character, random: &mut Seeded, least: f32, most: f32) -> Option<Character> {
    let skeleton = character.skeleton();
    let is_foot = |j: &JointId| {
        let name = skeleton.name(*j).to_lowercase();
        name.contains("foot") && other_side(skeleton.name(*j)).is_some()
    };
    let body = Body::of(character)?;
    let loads = body.loads();
    let is_skinned = |j: &JointId| body.skin.slot_of(*j).is_some_and(|s| loads[usize::from(s)] > 1.0);
    let foot = skeleton.joints().filter(is_foot).find(is_skinned)?;
    let root = skeleton.ancestors(foot).last()?;
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &skeleton.rest_pose());
    let heights = model.joints().iter().map(|m| m.translation.y);
    let height = heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min);
    let far = random.between(least, most) * height;
    let angle = random.between(0.0, std::f32::consts::TAU);
    let way = Vec3::new(angle.cos(), 0.0, angle.sin()) * far;
    let rest = skeleton.rest(root).translation;
    let times: Vec<f32> = (0..=60).map(|f| f as f32 / 30.0).collect();
    let values = times.iter().map(|t| rest + way * (t / 2.0)).collect();
    let curve = Curve::new(times, values, Interpolation::Linear).ok()?;
    with_clip(character, vec![Channel::Translation { joint: root, curve }])
}
