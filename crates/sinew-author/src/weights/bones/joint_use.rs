//! What each joint of a skin is for: most carry skin, some control other joints or mark the end of a bone.

use super::BindPose;
use crate::retarget::name::RigPurpose;
use sinew::{JointId, Skeleton, Skin, glam::Vec3};
use std::collections::HashMap;

/// What a joint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointUse {
    /// The joint carries skin, as most do.
    Skin,
    /// It is the tip of its parent's bone, and carries nothing.
    Tip,
    /// It controls other joints, for example as a target of inverse kinematics, and carries nothing.
    Control,
}

/// Joints that are nearer to each other than this fraction of the size of the skeleton are in the same place.
const SAME_PLACE: f32 = 1e-3;
/// If more than this fraction of all joints are controls by name, the names mean something else.
const MAX_NAMED: f32 = 0.75;
/// How many joints in one place are compared.
const KEPT: usize = 8;

/// Finds the joints that carry no skin, from the leaves up.
///
/// Only a joint without children that carry skin can be a control or a tip. It is a control if its name says so, or if it lies
/// in the place of a joint of another branch that is deeper in the tree: a target lies where the end of a limb is.
pub(super) fn joint_uses(rig: &BindPose, skeleton: &Skeleton, skin: &Skin) -> Vec<JointUse> {
    let count = rig.places.len();
    let depths = depths(rig);
    // A file may repeat a joint in thousands of slots, and names may be long.
    let mut of_joints: HashMap<JointId, Option<RigPurpose>> = HashMap::new();
    let purpose = |&joint| *of_joints.entry(joint).or_insert_with(|| RigPurpose::of(skeleton.name(joint)));
    let mut purposes: Vec<Option<RigPurpose>> = skin.joints().iter().map(purpose).collect();
    let controls = purposes.iter().filter(|p| **p == Some(RigPurpose::Control)).count();
    if controls as f32 > MAX_NAMED * count as f32 {
        purposes.fill(None);
    }
    let places = SharedPlaces::of(rig);
    let mut uses = vec![JointUse::Skin; count];
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&slot| std::cmp::Reverse(depths[slot]));
    for slot in order {
        let carries = |other: usize| uses[other] == JointUse::Skin;
        if rig.children[slot].iter().any(|&child| uses[child] != JointUse::Control) || rig.repeats(slot) {
            continue;
        }
        let had_controls = !rig.children[slot].is_empty();
        let is_target = |other: usize| {
            let is_related = rig.parents[other] == Some(slot) || rig.parents[slot] == Some(other);
            let is_sibling = rig.parents[other] == rig.parents[slot];
            let has_children = rig.children[other].iter().any(|&child| carries(child));
            let is_deeper = depths[other] > depths[slot] || has_children;
            carries(other) && !is_related && is_deeper && (!is_sibling || had_controls && has_children)
        };
        uses[slot] = match purposes[slot] {
            Some(RigPurpose::Control) => JointUse::Control,
            _ if places.near(rig, slot).any(is_target) => JointUse::Control,
            Some(RigPurpose::Tip) if rig.parents[slot].is_some() => JointUse::Tip,
            Some(RigPurpose::Tip) | None => JointUse::Skin,
        };
    }
    // Someone must carry the skin.
    if !uses.contains(&JointUse::Skin) {
        uses.fill(JointUse::Skin);
    }
    uses
}

/// How many joints of the skin are above each.
fn depths(rig: &BindPose) -> Vec<usize> {
    let mut depths = vec![0; rig.places.len()];
    let mut work: Vec<usize> = (0..rig.places.len()).filter(|&slot| rig.parents[slot].is_none()).collect();
    while let Some(slot) = work.pop() {
        for &child in &rig.children[slot] {
            depths[child] = depths[slot] + 1;
            work.push(child);
        }
    }
    depths
}

/// Joints by place, in cells of a grid.
struct SharedPlaces {
    cells: HashMap<[i64; 3], Vec<usize>>,
    reach: f32,
}

impl SharedPlaces {
    fn of(rig: &BindPose) -> Self {
        let heads = (0..rig.places.len()).map(|slot| rig.head(slot)).filter(|head| head.is_finite());
        let (low, high) = heads.fold((Vec3::MAX, Vec3::MIN), |(l, h), head| (l.min(head), h.max(head)));
        let extent = (high - low).max(Vec3::ZERO).length();
        let mut out = Self { cells: HashMap::new(), reach: extent * SAME_PLACE };
        if out.reach > 0.0 && out.reach.is_finite() {
            for slot in (0..rig.places.len()).filter(|&slot| !rig.repeats(slot)) {
                let of_cell = out.cells.entry(out.cell(rig.head(slot))).or_default();
                if of_cell.len() < KEPT {
                    of_cell.push(slot);
                }
            }
        }
        out
    }

    fn cell(&self, place: Vec3) -> [i64; 3] {
        place.to_array().map(|n| (n / self.reach).floor() as i64)
    }

    /// The other joints in the place of `slot`.
    fn near<'a>(&'a self, rig: &'a BindPose, slot: usize) -> impl Iterator<Item = usize> + 'a {
        let (place, reach) = (rig.head(slot), self.reach);
        let cell = self.cell(place);
        let steps = (0..27_i64).map(move |n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1]);
        let around = steps.map(move |step| std::array::from_fn(|axis| cell[axis].saturating_add(step[axis])));
        let in_cells = around.filter_map(|cell: [i64; 3]| self.cells.get(&cell)).flatten().copied();
        in_cells.filter(move |&other| other != slot && rig.head(other).distance(place) <= reach)
    }
}
