//! Joints at the ends of limbs that must have weight: a head, a hand or a foot without any is a failure, not a result.

use super::{AutoWeights, groups::diagonal};
use crate::weights::{BoneSet, SkinBone};
use sinew::{
    Mesh,
    glam::{DVec3, Vec3},
};
use std::collections::BTreeMap;

/// A joint must have weight only if the skin is this near to its bone, in lengths of the diagonal of all meshes.
const NEAR: f64 = 0.05;

/// The required slots without weight in any mesh, by the group of meshes that is nearest to their bones.
pub(super) fn unmet(
    meshes: &[&Mesh],
    groups: &[Vec<usize>],
    bones: &BoneSet,
    made: &[AutoWeights],
) -> BTreeMap<usize, Vec<u16>> {
    let mut out: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
    let is_bare = |slot: &u16| made.iter().all(|mesh| mesh.report.unused.contains(slot));
    let reach = diagonal(meshes) * NEAR;
    for &slot in bones.required().iter().filter(|slot| is_bare(slot)) {
        let distances = groups.iter().map(|group| {
            let positions = group.iter().flat_map(|&mesh| meshes[mesh].positions());
            positions.map(|p| distance(bones, slot, p.as_dvec3())).fold(f64::INFINITY, f64::min)
        });
        let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((group, _)) = nearest.filter(|(_, far)| *far <= reach) {
            out.entry(group).or_default().push(slot);
        }
    }
    out
}

fn distance(bones: &BoneSet, slot: u16, place: DVec3) -> f64 {
    let own = bones.bones().iter().filter(|bone| bone.slot == slot);
    let ends = own.map(|bone| [bone.head, bone.tail].map(Vec3::as_dvec3));
    ends.map(|[head, tail]| SkinBone::nearest(head, tail, place).distance(place))
        .fold(f64::INFINITY, f64::min)
}
