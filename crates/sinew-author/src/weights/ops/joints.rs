//! Adds, splits, merges and removes joints of a skin.

use crate::weights::{
    Edit, EditOutcome, MuscleSlots, WeightError, WeightTable, muscle_slots::muscle_weights,
    table::SlotWeights,
};
use sinew::{
    Joint, JointId, Skeleton, Skin, Transform, Weights,
    glam::{Affine3A, Vec3},
};

/// The segment along which weight moves from one joint to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitAlong {
    /// All weight stays before this position, in mesh space.
    pub start: Vec3,
    /// All weight moves beyond this position, in mesh space.
    pub end: Vec3,
}

/// Moves weight from joint `from` to joint `to`: none at the start of the segment, all at its end, smoothly in between.
///
/// Use it to distribute the weights of an arm over a twist joint from [`add_joint`]. The joint `to` must be in the skin; it may
/// be without weight.
///
/// # Errors
/// If a joint is not in the skin.
pub fn split_joint(
    edit: &Edit<'_>,
    from: u16,
    to: u16,
    along: SplitAlong,
) -> Result<EditOutcome, WeightError> {
    check_slots(edit, &[from, to])?;
    let way = along.end - along.start;
    let length = way.length_squared();
    edit.for_each_point(|point, slot_weights| {
        let own = slot_weights.iter().find(|s| s.0 == from)?.1;
        let place = edit.mesh().positions()[edit.vertex(point)];
        let fraction = if length > 0.0 { (place - along.start).dot(way) / length } else { 1.0 };
        let fraction = f64::from(fraction).clamp(0.0, 1.0);
        let moved = own * fraction * fraction * (3.0 - 2.0 * fraction);
        // Weight cannot move if either joint is locked.
        if edit.locks().holds(from) || edit.locks().holds(to) || moved == 0.0 {
            return None;
        }
        let mut out: SlotWeights = slot_weights.iter().copied().filter(|s| s.0 != to).collect();
        out.iter_mut().filter(|s| s.0 == from).for_each(|s| s.1 -= moved);
        let before = slot_weights.iter().find(|s| s.0 == to).map_or(0.0, |s| s.1);
        out.push((to, before + moved));
        Some(out)
    })
}

/// A skeleton and a skin with one more joint.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedJoint {
    /// The skeleton. The new joint is its last, so that clips and other skins still fit.
    pub skeleton: Skeleton,
    /// The skin. The new joint is its last.
    pub skin: Skin,
    /// The slot of the new joint in the skin.
    pub slot: u16,
}

/// Adds a joint called `name` as a child of the joint at slot `under`, at `head` in mesh space.
///
/// It moves with its parent until it is animated, so neither adding it nor splitting weights moves a vertex.
///
/// # Errors
/// If the joint `under` is not in the skin, or skeleton or skin are full.
pub fn add_joint(
    skeleton: &Skeleton,
    skin: &Skin,
    under: u16,
    name: &str,
    head: Vec3,
) -> Result<AddedJoint, WeightError> {
    let slot_count = skin.joints().len();
    let no_such = WeightError::NoSuchSlot { slot: under, slot_count };
    let parent = *skin.joints().get(usize::from(under)).ok_or(no_such)?;
    let parent_from_mesh = skin.joint_from_mesh()[usize::from(under)];
    let rest = Transform::from_translation(parent_from_mesh.transform_point3(head));
    let old = skeleton.joints().map(|j| Joint {
        name: skeleton.name(j).to_owned(),
        parent: skeleton.parent(j),
        rest: skeleton.rest(j),
    });
    let added = Joint { name: name.to_owned(), parent: Some(parent), rest };
    let new = Skeleton::new(old.chain([added]))?.with_scale_inheritance_of(skeleton, Some);
    let joints = skin.joints().iter().copied().chain([JointId(skeleton.len() as u16)]).collect();
    let bind = Affine3A::from_translation(-rest.translation) * parent_from_mesh;
    let binds = skin.joint_from_mesh().iter().copied().chain([bind]).collect();
    let skin = Skin::new(skin.name(), &new, joints, binds)?.with_root(&new, skin.root())?;
    Ok(AddedJoint { skeleton: new, skin, slot: slot_count as u16 })
}

/// Moves all weight of the joints `from` to the joint `into`. Muscle weights move only from muscle to muscle.
///
/// # Errors
/// If a joint is not in the skin.
pub fn merge_joints(edit: &Edit<'_>, from: &[u16], into: u16) -> Result<EditOutcome, WeightError> {
    check_slots(edit, from)?;
    check_slots(edit, &[into])?;
    let is_merged = |slot: u16| slot != into && from.contains(&slot) && !edit.locks().holds(slot);
    let outcome = edit.for_each_point(|_, slot_weights| {
        if edit.locks().holds(into) || !slot_weights.iter().any(|s| is_merged(s.0)) {
            return None;
        }
        let sum: f64 = slot_weights.iter().filter(|s| s.0 == into || is_merged(s.0)).map(|s| s.1).sum();
        let others = slot_weights.iter().copied().filter(|s| s.0 != into && !is_merged(s.0));
        Some(others.chain([(into, sum)]).collect())
    })?;
    let is_muscle = MuscleSlots::of_weights(edit.weights()).holds(into) && !edit.locks().holds(into);
    let weights = edit.with_muscles(outcome.weights, |point| {
        let own = muscle_weights(edit.weights(), edit.vertex(point));
        let merged = |&(slot, weight): &(u16, f64)| (if is_merged(slot) { into } else { slot }, weight);
        (is_muscle && own.iter().any(|w| is_merged(w.0))).then(|| own.iter().map(merged).collect())
    })?;
    Ok(edit.outcome_of(weights))
}

pub(super) fn check_slots(edit: &Edit<'_>, slots: &[u16]) -> Result<(), WeightError> {
    let slot_count = edit.slot_count();
    match slots.iter().find(|s| usize::from(**s) >= slot_count) {
        Some(&slot) => Err(WeightError::NoSuchSlot { slot, slot_count }),
        None => Ok(()),
    }
}

/// A skin without unused joints, and the weights for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedSkin {
    /// The skin without the unused joints.
    pub skin: Skin,
    /// The weights of each mesh, in the order given.
    pub weights: Vec<Weights>,
    /// The slots of the old skin that were removed.
    pub removed: Vec<u16>,
}

/// Removes the joints from `skin` that no mesh uses; `weights` are those of all meshes that it deforms.
///
/// No vertex moves: the remaining joints keep their inverse bind matrices, and weights only get new slots. The joints in `keep`
/// stay as well. The skeleton is not changed.
///
/// # Errors
/// Only in case of a bug; no data causes one.
pub fn remove_unused_joints(
    skeleton: &Skeleton,
    skin: &Skin,
    weights: &[&Weights],
    keep: &[u16],
) -> Result<ReducedSkin, WeightError> {
    let mut is_used = vec![false; skin.joints().len()];
    let mut mark = |slot: u16| {
        if let Some(used) = is_used.get_mut(usize::from(slot)) {
            *used = true;
        }
    };
    for weights in weights {
        for vertex in 0..weights.vertex_count() {
            weights.of(vertex).0.iter().chain(weights.muscle_of(vertex).0).for_each(|&slot| mark(slot));
        }
    }
    keep.iter().for_each(|&slot| mark(slot));
    if !is_used.contains(&true) {
        is_used[0] = true;
    }
    let kept: Vec<usize> = (0..is_used.len()).filter(|&slot| is_used[slot]).collect();
    let new_slot = |slot: u16| kept.binary_search(&usize::from(slot)).ok().map(|new| new as u16);
    let joints: Vec<JointId> = kept.iter().map(|&slot| skin.joints()[slot]).collect();
    let binds: Vec<Affine3A> = kept.iter().map(|&slot| skin.joint_from_mesh()[slot]).collect();
    let renumber = |w: &&Weights| WeightTable::new(w, w.slot_count()).renumbered(kept.len(), new_slot);
    Ok(ReducedSkin {
        skin: Skin::new(skin.name(), skeleton, joints, binds)?.with_root(skeleton, skin.root())?,
        weights: weights.iter().map(renumber).collect::<Result<_, _>>()?,
        removed: (0..is_used.len()).filter(|&slot| !is_used[slot]).map(|slot| slot as u16).collect(),
    })
}
