//! Maps the joints of one skin to those of another.

use crate::weights::{MuscleSlots, table::SlotWeights};
use sinew::{JointId, Skeleton, Skin, Weights, glam::Affine3A, transform::inverse_affine};
use std::collections::HashMap;

/// A skin with the skeleton that its joints belong to.
#[derive(Clone, Copy, Debug)]
pub struct SkinAndSkeleton<'a> {
    /// The skeleton of the joints.
    pub skeleton: &'a Skeleton,
    /// The skin with its slots.
    pub skin: &'a Skin,
}

/// For each slot of one skin, its slot in another skin, if it has one, and where the other skin has bound its joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlotMap {
    to: Vec<Option<u16>>,
    /// True for joints that map to a namesake, not to that of an ancestor.
    is_exact: Vec<bool>,
    slot_count: usize,
    /// For each slot, the motion of its joint from the bind pose of the one skin to that of the other, from mesh space to mesh
    /// space.
    motions: Vec<Affine3A>,
}

impl SlotMap {
    /// The identity map, for skins of `slot_count` joints.
    #[must_use]
    pub fn same(slot_count: usize) -> Self {
        let to = (0..slot_count).map(|slot| u16::try_from(slot).ok()).collect();
        Self {
            to,
            is_exact: vec![true; slot_count],
            slot_count,
            motions: vec![Affine3A::IDENTITY; slot_count],
        }
    }

    /// Maps joints by name. A joint of `from` without a namesake in `to` maps like its nearest ancestor with one.
    #[must_use]
    pub fn by_name(from: SkinAndSkeleton<'_>, to: SkinAndSkeleton<'_>) -> Self {
        let mut by_name: HashMap<&str, u16> = HashMap::new();
        for (slot, joint) in to.skin.joints().iter().enumerate().rev() {
            by_name.insert(to.skeleton.name(*joint), slot as u16);
        }
        let mut nearest: Vec<Option<u16>> = vec![None; from.skeleton.len()];
        for joint in from.skeleton.joints() {
            let above = || from.skeleton.parent(joint).and_then(|p| nearest[p.index()]);
            nearest[joint.index()] = by_name.get(from.skeleton.name(joint)).copied().or_else(above);
        }
        let slots: Vec<Option<u16>> = from.skin.joints().iter().map(|j| nearest[j.index()]).collect();
        let has_namesake = |j: &JointId| by_name.contains_key(from.skeleton.name(*j));
        let is_exact = from.skin.joints().iter().map(has_namesake).collect();
        let motions = bind_motions(from, to, &slots);
        Self { to: slots, is_exact, slot_count: to.skin.joints().len(), motions }
    }

    /// The motion of each joint from the bind pose of the one skin to the bind pose of the other, from mesh space to mesh
    /// space; the identity for all joints if both skins are bound alike.
    ///
    /// A surface that moves with them, by its weights, is where the other mesh was bound, whatever pose either character rests
    /// in.
    #[must_use]
    pub fn bind_motions(&self) -> &[Affine3A] {
        &self.motions
    }

    /// The slot in the other skin of the joint at `slot`.
    #[must_use]
    pub fn get(&self, slot: u16) -> Option<u16> {
        self.to.get(usize::from(slot)).copied().flatten()
    }

    /// The slot in the other skin of the muscle at `slot`. A muscle without a namesake has none: an ancestor moves otherwise.
    #[must_use]
    pub fn muscle(&self, slot: u16) -> Option<u16> {
        self.get(slot).filter(|_| self.is_exact.get(usize::from(slot)) == Some(&true))
    }

    /// The number of joints of the other skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The number of joints without a slot in the other skin. Their weights are lost.
    #[must_use]
    pub fn unmatched(&self) -> usize {
        self.to.iter().filter(|t| t.is_none()).count()
    }

    /// The slots in the other skin of the muscles that `weights` have in the one skin.
    pub(super) fn muscles_of(&self, weights: &Weights) -> MuscleSlots {
        MuscleSlots::of(weights.muscle_slots().into_iter().filter_map(|slot| self.muscle(slot)))
    }

    /// Converts muscle weights of one skin to those of the other.
    pub(super) fn apply_to_muscles(&self, slot_weights: &[(u16, f64)]) -> SlotWeights {
        slot_weights.iter().filter_map(|&(slot, weight)| Some((self.muscle(slot)?, weight))).collect()
    }

    /// Converts weights of one skin to weights of the other.
    pub(super) fn apply(&self, slot_weights: impl Iterator<Item = (u16, f64)>) -> SlotWeights {
        let mut out: SlotWeights = Vec::new();
        for (slot, fraction) in slot_weights {
            let Some(slot) = self.get(slot) else { continue };
            match out.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += fraction,
                None => out.push((slot, fraction)),
            }
        }
        out
    }
}

/// How much of a skin's size two bind matrices may differ by and still be called equal.
const SAME: f32 = 1e-5;

/// The motions of [`SlotMap::bind_motions`]. A joint without a namesake moves with its ancestor that has one, and a joint whose
/// bind matrix cannot be inverted moves like most others.
fn bind_motions(from: SkinAndSkeleton<'_>, to: SkinAndSkeleton<'_>, slots: &[Option<u16>]) -> Vec<Affine3A> {
    let mut of_joint: HashMap<JointId, Affine3A> = HashMap::new();
    for (slot, (&joint, joint_from_mesh)) in
        from.skin.joints().iter().zip(from.skin.joint_from_mesh()).enumerate()
    {
        let onto = slots[slot].map(usize::from);
        let is_namesake =
            |&onto: &usize| to.skeleton.name(to.skin.joints()[onto]) == from.skeleton.name(joint);
        let motion = onto.filter(is_namesake).and_then(|onto| {
            let mesh_from_joint = inverse_affine(&to.skin.joint_from_mesh()[onto])?;
            inverse_affine(joint_from_mesh)?;
            Some(mesh_from_joint * *joint_from_mesh)
        });
        if let Some(motion) = motion.filter(Affine3A::is_finite) {
            of_joint.entry(joint).or_insert(motion);
        }
    }
    let usual = usual_motion(from.skin, &of_joint);
    let of = |&joint: &JointId| {
        let above = from.skeleton.ancestors(joint).find_map(|j| of_joint.get(&j).copied());
        let motion = above.unwrap_or(usual);
        // Rounding does not count as motion: a mesh that is bound alike stays where it is, to the bit.
        if motion.abs_diff_eq(Affine3A::IDENTITY, SAME) { Affine3A::IDENTITY } else { motion }
    };
    from.skin.joints().iter().map(of).collect()
}

/// The motion that most joints share, or that of the first joint.
fn usual_motion(skin: &Skin, of_joint: &HashMap<JointId, Affine3A>) -> Affine3A {
    let known: Vec<Affine3A> = skin.joints().iter().filter_map(|j| of_joint.get(j).copied()).collect();
    let step = (known.len() / 24).max(1);
    let votes = |one: &Affine3A| known.iter().filter(|other| one.abs_diff_eq(**other, 1e-3)).count();
    let best = known.iter().step_by(step).max_by_key(|one| votes(one));
    best.copied().unwrap_or(Affine3A::IDENTITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::{Quat, Vec3};

    #[test]
    fn a_skin_that_is_bound_elsewhere_moves_by_the_difference_of_the_binds() {
        let figure = sinew_samples::figure();
        let (skeleton, skin) = (figure.skeleton(), &figure.skins()[0]);
        let moved =
            Affine3A::from_rotation_translation(Quat::from_rotation_y(0.7), Vec3::new(1.0, -2.0, 0.5));
        let binds = skin.joint_from_mesh().iter().map(|bind| *bind * moved.inverse()).collect();
        let other = Skin::new("moved", skeleton, skin.joints().to_vec(), binds).unwrap();
        let rig = |skin| SkinAndSkeleton { skeleton, skin };
        let map = SlotMap::by_name(rig(skin), rig(&other));
        assert!(map.bind_motions().iter().all(|motion| motion.abs_diff_eq(moved, 1e-5)));
        let same = SlotMap::by_name(rig(skin), rig(skin));
        assert!(same.bind_motions().iter().all(|motion| *motion == Affine3A::IDENTITY));
    }
}
