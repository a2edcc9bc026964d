//! The bones of a skin as line segments, and which of them continue each other.

use crate::topology::WeldedTopology;
use sinew::{
    Skeleton, Skin,
    deform::reference::{BoneSegment, bone_segments},
    glam::DVec3,
};
use std::ops::Range;

/// The bone of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbBone {
    pub(super) head: DVec3,
    pub(super) tail: DVec3,
    /// The slot whose bone ends where this one begins, and has no other bone there.
    pub(super) before: Option<u16>,
    /// The only slot whose bone begins where this one ends.
    pub(super) after: Option<u16>,
    /// True if no bone that moves the mesh is above it.
    pub(super) is_root: bool,
}

impl LimbBone {
    pub(super) fn length(&self) -> f64 {
        self.head.distance(self.tail)
    }

    /// The unit direction; zero for a bone without length.
    pub(super) fn axis(&self) -> DVec3 {
        (self.tail - self.head).normalize_or_zero()
    }

    fn distance(&self, point: DVec3) -> f64 {
        let (length, axis) = (self.length(), self.axis());
        let along = (point - self.head).dot(axis).clamp(0.0, length);
        point.distance(self.head + axis * along)
    }
}

/// The bones of a skin, by slot.
pub(super) struct LimbBones {
    pub(super) list: Vec<LimbBone>,
    /// The slot that each slot is a part of: itself, or for a roll joint the bone along which it lies.
    pub(super) owner: Vec<u16>,
    parents: Vec<Option<u16>>,
    /// The places of each slot and of all below it, when every slot is followed by those below it.
    below: Vec<Range<u32>>,
}

/// A vertex is not on the bone of a joint with a smaller weight.
const MIN_WEIGHT: f32 = 0.02;
/// A joint is a roll joint of a bone if it is at most this far from it, in lengths of the bone.
const ROLL_DISTANCE: f64 = 0.1;

impl LimbBones {
    pub(super) fn new(skeleton: &Skeleton, skin: &Skin, topology: &WeldedTopology<'_>) -> Self {
        let segments = bone_segments(skeleton, skin);
        let parents = skin.parent_slots(skeleton);
        let bone = |s: &BoneSegment| LimbBone {
            head: s.head.as_dvec3(),
            tail: s.tail.as_dvec3(),
            before: None,
            after: None,
            is_root: false,
        };
        let mut out = Self {
            list: segments.iter().map(bone).collect(),
            owner: (0..segments.len() as u16).collect(),
            below: places_below(&parents),
            parents,
        };
        let used = out.used(topology);
        let weighted = out.weighted(topology);
        for slot in 0..out.list.len() {
            let is_root = !out.ancestors(slot).any(|above| weighted[above]);
            out.list[slot].is_root = is_root;
            out.connect(slot, &used);
        }
        out
    }

    /// The slots above `slot`.
    fn ancestors(&self, slot: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[slot], |&above| self.parents[usize::from(above)]).map(usize::from)
    }

    /// Which slots move the mesh themselves.
    fn weighted(&self, topology: &WeldedTopology<'_>) -> Vec<bool> {
        let mut weighted = vec![false; self.list.len()];
        for point in 0..topology.len() {
            topology.weights_of(point).0.iter().for_each(|&slot| weighted[usize::from(slot)] = true);
        }
        weighted
    }

    /// Which slots move the mesh, themselves or by a slot below them.
    fn used(&self, topology: &WeldedTopology<'_>) -> Vec<bool> {
        let mut used = vec![false; self.list.len()];
        for point in 0..topology.len() {
            for &slot in topology.weights_of(point).0 {
                let mut at = Some(slot);
                while let Some(slot) = at.filter(|&slot| !used[usize::from(slot)]) {
                    used[usize::from(slot)] = true;
                    at = self.parents[usize::from(slot)];
                }
            }
        }
        used
    }

    /// Finds the bone that continues the one of `slot`.
    fn connect(&mut self, slot: usize, used: &[bool]) {
        let below = |of: usize| {
            let is_child = move |parent: &Option<u16>| *parent == u16::try_from(of).ok();
            self.parents.iter().enumerate().filter(move |(_, p)| is_child(p)).map(|(child, _)| child)
        };
        let head = self.list[slot].head;
        let children: Vec<usize> = below(slot).filter(|&child| used[child]).collect();
        let farthest = |a: &&usize, b: &&usize| {
            self.list[**a].head.distance(head).total_cmp(&self.list[**b].head.distance(head))
        };
        let Some(&main) = children.iter().max_by(farthest) else { return };
        let bone = LimbBone { tail: self.list[main].head, ..self.list[slot] };
        let is_roll = |child: usize| {
            let joint = self.list[child].head;
            let is_leaf = below(child).all(|below| !used[below]);
            is_leaf && bone.distance(joint) <= ROLL_DISTANCE * bone.length()
        };
        let rolls: Vec<usize> = children.iter().copied().filter(|&c| c != main && is_roll(c)).collect();
        // With several bones at its end, the bone ends in their middle and nothing folds there.
        if children.len() != rolls.len() + 1 || bone.length() <= 0.0 {
            return;
        }
        self.list[slot].tail = bone.tail;
        self.list[slot].after = u16::try_from(main).ok();
        self.list[main].before = u16::try_from(slot).ok();
        let owner = self.owner[slot];
        rolls.iter().for_each(|&roll| self.owner[roll] = owner);
    }

    /// The bone on which a point lies: the nearest of those that move it.
    pub(super) fn nearest(&self, topology: &WeldedTopology<'_>, point: usize) -> u16 {
        let (slots, weights) = topology.weights_of(point);
        let place = topology.positions[point];
        let candidates = slots.iter().zip(weights).filter(|(_, w)| **w > MIN_WEIGHT).map(|(s, _)| *s);
        let owners = candidates.map(|slot| self.owner[usize::from(slot)]);
        let distance = |slot: &u16| self.list[usize::from(*slot)].distance(place);
        let nearest = owners.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.or(slots.first().copied()).unwrap_or(0)
    }

    /// The weights of a point that lie beyond the head and beyond the tail of `bone`.
    pub(super) fn beyond(&self, topology: &WeldedTopology<'_>, point: usize, bone: u16) -> [f32; 2] {
        let after = self.list[usize::from(bone)].after;
        let (slots, weights) = topology.weights_of(point);
        let mut out = [0.0; 2];
        for (&slot, &weight) in slots.iter().zip(weights) {
            if !self.is_below(slot, bone) {
                out[0] += weight;
            } else if after.is_some_and(|after| self.is_below(slot, after)) {
                out[1] += weight;
            }
        }
        out
    }

    /// True if `slot` is `ancestor` or below it.
    pub(super) fn is_below(&self, slot: u16, ancestor: u16) -> bool {
        self.below[usize::from(ancestor)].contains(&self.below[usize::from(slot)].start)
    }

    /// The weight of a point on `bones` and their roll joints.
    pub(super) fn weight_on(&self, topology: &WeldedTopology<'_>, point: usize, bones: &[u16]) -> f64 {
        let (slots, weights) = topology.weights_of(point);
        let parts = slots.iter().zip(weights);
        let on = parts.filter(|(slot, _)| bones.contains(&self.owner[usize::from(**slot)]));
        on.map(|(_, &w)| f64::from(w)).sum()
    }

    /// `bone`, and those that it continues and that continue it.
    pub(super) fn neighbors(&self, bone: u16) -> Vec<u16> {
        let own = &self.list[usize::from(bone)];
        [Some(bone), own.before, own.after].into_iter().flatten().collect()
    }
}

/// The places of each slot and of all below it, in an order in which every slot is followed by those below it.
fn places_below(parents: &[Option<u16>]) -> Vec<Range<u32>> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut open = Vec::new();
    for (slot, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[usize::from(*parent)].push(slot),
            None => open.push((slot, false)),
        }
    }
    let (mut out, mut place) = (vec![0..0; parents.len()], 0);
    while let Some((slot, is_done)) = open.pop() {
        if is_done {
            out[slot].end = place;
            continue;
        }
        out[slot].start = place;
        place += 1;
        open.push((slot, true));
        open.extend(children[slot].iter().map(|&child| (child, false)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_below_a_slot_are_those_of_its_descendants() {
        let parents = [None, Some(0), Some(1), Some(0), None, Some(4), Some(2)];
        let below = places_below(&parents);
        let is_below = |slot: usize, above: usize| below[above].contains(&below[slot].start);
        for slot in 0..parents.len() {
            let mut above = vec![slot];
            while let Some(parent) = parents[above[above.len() - 1]] {
                above.push(usize::from(parent));
            }
            for other in 0..parents.len() {
                assert_eq!(is_below(slot, other), above.contains(&other), "{slot} below {other}");
            }
        }
    }
}
