//! Bones as sources of weight: which of them count, and how far they extend.

use super::{bone_radius::cut_ends_in_thicker_parts, voxels::Voxels};
use crate::weights::{BoneSet, SkinBone, surface::WeldedSurface, tree::TriangleTree};
use sinew::glam::{DVec3, Vec3};

/// A bone, in unit-box space.
pub(super) struct HeatSource {
    /// The index of its joint in [`HeatSources::slots`].
    pub(super) column: u32,
    pub(super) head: DVec3,
    pub(super) tail: DVec3,
}

impl HeatSource {
    /// The points along the bone that lie in solid cells, at least two per cell.
    pub(super) fn places_in<'a>(&self, voxels: &'a Voxels) -> impl Iterator<Item = DVec3> + use<'a> {
        let (head, tail) = (self.head, self.tail);
        let steps = (head.distance(tail) / voxels.size * 2.0).ceil().clamp(1.0, 1e4);
        // A bone that is much longer than the body has most of its points outside the grid.
        let [start, end] = voxels.part_within(head, tail).unwrap_or([1.0, 0.0]);
        let (first, last) = ((start * steps).floor().max(0.0), (end * steps).ceil().min(steps));
        let range = if first <= last { first as u32..last as u32 + 1 } else { 0..0 };
        let place = move |step: u32| head.lerp(tail, f64::from(step) / steps);
        range.map(place).filter(|place| voxels.holds(*place))
    }
}

/// The bones that give weight; there is always at least one.
pub(super) struct HeatSources {
    pub(super) bones: Vec<HeatSource>,
    /// The slot of each column.
    pub(super) slots: Vec<u16>,
    /// Slots whose bones all lie mostly outside the mesh.
    pub(super) outside: Vec<u16>,
    /// Finds near bones if there are more than [`NEAR`].
    tree: Option<TriangleTree>,
}

/// How many bones a point is compared with, the nearest ones. A human skeleton has fewer, a file may have any number.
pub(super) const NEAR: usize = 128;

/// A bone with a guessed tail extends to at most this many times its guessed length.
const LONGEST: f64 = 4.0;

impl HeatSources {
    /// The bones of a body that give weight. Those of `kept` slots do, wherever they are.
    pub(super) fn new(
        surface: &WeldedSurface,
        bones: &BoneSet,
        voxels: &Voxels,
        gap: f64,
        kept: &[u16],
    ) -> Self {
        let mut placed: Vec<PlacedBone> =
            bones.bones().iter().map(|b| PlacedBone::new(b, surface, voxels, gap)).collect();
        let is_inside: Vec<bool> = placed.iter().map(|b| is_mostly_inside(voxels, b.head, b.tail)).collect();
        let drops_outside = bones.may_be_useless() && is_inside.contains(&true);
        cut_ends_in_thicker_parts(&mut placed, voxels);
        let mut out = Self { bones: Vec::new(), slots: Vec::new(), outside: Vec::new(), tree: None };
        let mut column_of: Vec<Option<u32>> = vec![None; bones.slot_count()];
        for (bone, is_inside) in placed.into_iter().zip(is_inside) {
            let PlacedBone { head, tail, .. } = bone;
            // A bone from the floor to the hips moves everything but has no skin of its own. The end of a limb may leave the body.
            let is_needed = || bone.is_open && starts_inside(voxels, head, tail) || kept.contains(&bone.slot);
            if drops_outside && !is_inside && !is_needed() {
                out.outside.push(bone.slot);
                continue;
            }
            let column = *column_of[usize::from(bone.slot)].get_or_insert(out.slots.len() as u32);
            if column as usize == out.slots.len() {
                out.slots.push(bone.slot);
            }
            out.bones.push(HeatSource { column, head, tail });
        }
        if out.bones.is_empty() {
            out.slots.push(0);
            out.bones.push(HeatSource { column: 0, head: DVec3::ZERO, tail: DVec3::ZERO });
        }
        out.outside.dedup();
        out.outside.retain(|slot| column_of[usize::from(*slot)].is_none());
        out.tree = (out.bones.len() > NEAR).then(|| {
            TriangleTree::of_segments(&out.bones.iter().map(|b| [b.head, b.tail]).collect::<Vec<_>>())
        });
        out
    }

    /// The [`NEAR`] bones nearest to `place`, or all if there are no more.
    pub(super) fn near(&self, place: DVec3) -> impl Iterator<Item = &HeatSource> {
        let near = self.tree.as_ref().map(|tree| tree.nearest_many(place, NEAR));
        let count = near.as_ref().map_or(self.bones.len(), Vec::len);
        (0..count).map(move |n| &self.bones[near.as_ref().map_or(n, |near| near[n] as usize)])
    }

    /// The distance from `place` to the nearest bone of each column that is near.
    pub(super) fn distances(&self, place: DVec3) -> Vec<(u32, f64)> {
        let mut out: Vec<(u32, f64)> = Vec::new();
        for bone in self.near(place) {
            let far = SkinBone::nearest(bone.head, bone.tail, place).distance(place);
            match out.iter_mut().find(|d| d.0 == bone.column) {
                Some(same) => same.1 = same.1.min(far),
                None => out.push((bone.column, far)),
            }
        }
        out
    }

    /// The distance from `place` to the nearest bone of `column`, or infinity.
    pub(super) fn distance_to(&self, column: u32, place: DVec3) -> f64 {
        let own = self.bones.iter().filter(|bone| bone.column == column);
        own.map(|bone| SkinBone::nearest(bone.head, bone.tail, place).distance(place))
            .fold(f64::INFINITY, f64::min)
    }

    /// The column of the bone nearest to `place`.
    pub(super) fn nearest_column(&self, place: DVec3) -> u32 {
        let far = |s: &&HeatSource| SkinBone::nearest(s.head, s.tail, place).distance_squared(place);
        self.near(place).min_by(|a, b| far(a).total_cmp(&far(b))).map_or(0, |s| s.column)
    }
}

/// A bone of the skin with the part of it that gives weight.
pub(super) struct PlacedBone {
    pub(super) slot: u16,
    /// The position of the joint, in mesh space.
    pub(super) joint: Vec3,
    /// The position at which the whole bone ends, in mesh space.
    pub(super) end: Vec3,
    /// Whether the joint is the last of its limb.
    pub(super) is_open: bool,
    pub(super) head: DVec3,
    pub(super) tail: DVec3,
}

impl PlacedBone {
    fn new(bone: &SkinBone, surface: &WeldedSurface, voxels: &Voxels, gap: f64) -> Self {
        let [head, tail] = [bone.head, bone.tail].map(|p| surface.unit_from_mesh(p.as_dvec3()));
        let tail = if bone.is_open { end_of_body(voxels, head, tail) } else { tail.lerp(head, gap) };
        let &SkinBone { slot, is_open, head: joint, tail: end } = bone;
        Self { slot, joint, end, is_open, head, tail }
    }
}

/// The point at which the body ends in the direction of a guessed tail.
fn end_of_body(voxels: &Voxels, head: DVec3, tail: DVec3) -> DVec3 {
    let length = head.distance(tail);
    let step = (tail - head).normalize_or_zero() * voxels.size * 0.5;
    let max_steps = (length * LONGEST / (voxels.size * 0.5)).ceil().clamp(0.0, 1e4) as u32;
    if step == DVec3::ZERO {
        return tail;
    }
    let inside = (1..=max_steps).take_while(|&n| voxels.holds(head + step * f64::from(n))).count();
    // A bone that never leaves the body runs along a part that is not its limb.
    if inside == max_steps as usize || inside == 0 {
        tail
    } else {
        head + step * (inside as f64 - 1.0).max(1.0)
    }
}

/// True if the first half of a bone meets the body.
fn starts_inside(voxels: &Voxels, head: DVec3, tail: DVec3) -> bool {
    const PLACES: u32 = 16;
    (0..=PLACES).any(|n| voxels.holds(head.lerp(tail, 0.5 * f64::from(n) / f64::from(PLACES))))
}

fn is_mostly_inside(voxels: &Voxels, head: DVec3, tail: DVec3) -> bool {
    const PLACES: u32 = 32;
    let inside =
        (0..=PLACES).filter(|&n| voxels.holds(head.lerp(tail, f64::from(n) / f64::from(PLACES)))).count();
    inside * 2 > PLACES as usize
}
