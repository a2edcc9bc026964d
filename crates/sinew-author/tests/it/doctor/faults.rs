//! Plants faults of each kind into characters, by a seed.

#[path = "faults/clips.rs"]
mod clips;
#[path = "faults/rigs.rs"]
mod rigs;
#[path = "faults/weights.rs"]
mod weights;

use clips::{dragged, flip, folded, jitter, jump, pop, wrung};
use rigs::{bad_root, flat, idle, rebound, scaled};
use sinew::{Character, Influence, JointId, Mesh, MeshParts, Precomputed, Skin, Weights, glam::Vec3};
use sinew_author::{
    check::{CheckOptions, CheckTarget, FindingCode, TargetLimits},
    weights::BoneSet,
};
use std::{collections::BTreeSet, sync::Arc};
use weights::{all_on_root, asymmetric, crowded, frozen, loose, stray, swapped, torn, without_skin};

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
