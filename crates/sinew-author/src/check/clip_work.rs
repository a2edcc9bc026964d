//! A bound on the work of measuring clips.

use super::{Finding, FindingCode, FindingPlace, bound::bound_meshes};
use sinew::{Character, measure::BoneSegments};
use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

/// The number of vertices and joints that are moved, and of bones that are looked at, in all. A character of a million
/// vertices with a few influences gets some thousand moments, which take about a minute.
const MAX_MOVES: u64 = 20_000_000_000;

/// Counts what measuring clips costs: files can have any number of clips for any number of vertices.
pub(super) struct ClipWork {
    left: Cell<u64>,
    skipped: Cell<BTreeSet<usize>>,
}

impl ClipWork {
    pub(super) fn new() -> Self {
        Self { left: Cell::new(MAX_MOVES), skipped: Cell::default() }
    }

    /// True if the clip at `index` may be measured at that many moments, each of which moves `size` vertices and joints.
    pub(super) fn allows(&self, index: usize, moments: usize, size: usize) -> bool {
        let moves = (moments as u64).saturating_mul(size as u64);
        let left = self.left.get().checked_sub(moves);
        match left {
            Some(left) => self.left.set(left),
            None => {
                let mut skipped = self.skipped.take();
                skipped.insert(index);
                self.skipped.set(skipped);
            }
        }
        left.is_some()
    }

    /// Adds a finding if clips were left out.
    pub(super) fn finding(self, character: &Character, out: &mut Vec<Finding>) {
        let skipped = self.skipped.into_inner();
        let Some(&first) = skipped.first() else { return };
        let place = FindingPlace { clip: Some(first), ..FindingPlace::named("clips") };
        let message = format!(
            "{} of {} clips were not tested for collapse, volume and sliding feet, which would take too long",
            skipped.len(),
            character.clips().len()
        );
        let finding = Finding::new(FindingCode::ClipsNotMeasured, place, message);
        out.push(finding.with("clips", skipped.len() as f64));
    }
}

/// The number of vertices and joints that a pose moves, and of the bones that vertices are compared with.
pub(super) fn size_of(character: &Character) -> usize {
    let vertices = character.instances().iter().map(|instance| character.mesh_of(instance).vertex_count());
    let mut of_skins: BTreeMap<usize, BoneSegments> = BTreeMap::new();
    let bones = bound_meshes(character).into_iter().map(|bound| {
        let new = || BoneSegments::new(bound.skeleton(), bound.skin);
        let bones = of_skins.entry(bound.skin_index).or_insert_with(new);
        let of = |&slot: &u16| bones.tails()[usize::from(slot)].len();
        (0..bound.weights.vertex_count()).flat_map(|v| bound.weights.of(v).0).map(of).sum()
    });
    vertices.chain(bones).fold(character.skeleton().len() + 1, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_beyond_the_limit_are_skipped_and_told_once() {
        let figure = sinew_samples::figure();
        let work = ClipWork::new();
        assert!(work.allows(0, 90, 1_000_000));
        assert!(!work.allows(1, 90, 1_000_000_000) && !work.allows(1, usize::MAX, usize::MAX));
        assert!(work.allows(2, 90, 1000));
        let mut out = Vec::new();
        work.finding(&figure, &mut out);
        assert_eq!(out.len(), 1);
        assert!(out[0].message.starts_with("1 of "), "{}", out[0].message);
    }
}
