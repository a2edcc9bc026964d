//! Fewer joints, or more.

use crate::weights::{Edit, EditOutcome, WeightError, WeightTable, table::SlotWeights};
use sinew::{
    Joint, JointId, Skeleton, Skin, Transform, Weights,
    glam::{Affine3A, Vec3},
};

/// The stretch over which one joint's weight goes over to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitAlong {
    /// Up to here the weight stays, in mesh space.
    pub start: Vec3,
    /// From here on the other joint has all of it.
    pub end: Vec3,
}

/// Moves part of the weight of joint `from` to joint `to`: none at the start of the stretch, all at its end, smoothly between.
///
/// This is how an arm's weights are spread over a twist joint that [`add_joint`] put into it. The joint `to` must be in the
/// skin; it may be without weight.
///
/// # Errors
/// Where a joint is not in the skin.
pub fn split_joint(
    edit: &Edit<'_>,
    from: u16,
    to: u16,
    along: SplitAlong,
) -> Result<EditOutcome, WeightError> {
    check_slots(edit, &[from, to])?;
    let way = along.end - along.start;
    let length = way.length_squared();
    edit.for_each_point(|point, shares| {
        let own = shares.iter().find(|s| s.0 == from)?.1;
        let place = edit.mesh().positions()[edit.vertex(point)];
        let share = if length > 0.0 { (place - along.start).dot(way) / length } else { 1.0 };
        let share = f64::from(share).clamp(0.0, 1.0);
        let moved = own * share * share * (3.0 - 2.0 * share);
        // What is locked on either side cannot be exchanged.
        if edit.locks().holds(from) || edit.locks().holds(to) || moved == 0.0 {
            return None;
        }
        let mut out: SlotWeights = shares.iter().copied().filter(|s| s.0 != to).collect();
        out.iter_mut().filter(|s| s.0 == from).for_each(|s| s.1 -= moved);
        let before = shares.iter().find(|s| s.0 == to).map_or(0.0, |s| s.1);
        out.push((to, before + moved));
        Some(out)
    })
}

/// A skeleton and a skin with one joint more.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedJoint {
    /// The skeleton; the new joint is its last, so that clips and other skins still fit.
    pub skeleton: Skeleton,
    /// The skin; the new joint is its last.
    pub skin: Skin,
    /// The new joint's place in the skin.
    pub slot: u16,
}

/// Puts a joint called `name` under the joint at `under`, at `head` in mesh space, to split weights over.
///
/// It moves as its parent does until something animates it, so neither adding it nor splitting weights moves a vertex.
///
/// # Errors
/// Where the joint `under` is not in the skin, or skeleton or skin are full.
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
    let new = Skeleton::new(old.chain([added]))?;
    let joints = skin.joints().iter().copied().chain([JointId(skeleton.len() as u16)]).collect();
    let bind = Affine3A::from_translation(-rest.translation) * parent_from_mesh;
    let binds = skin.joint_from_mesh().iter().copied().chain([bind]).collect();
    let skin = Skin::new(skin.name(), &new, joints, binds)?.with_root(&new, skin.root())?;
    Ok(AddedJoint { skeleton: new, skin, slot: slot_count as u16 })
}

/// Gives the weight of the joints `from` to the joint `into`.
///
/// # Errors
/// Where a joint is not in the skin.
pub fn merge_joints(edit: &Edit<'_>, from: &[u16], into: u16) -> Result<EditOutcome, WeightError> {
    check_slots(edit, from)?;
    check_slots(edit, &[into])?;
    let is_merged = |slot: u16| slot != into && from.contains(&slot) && !edit.locks().holds(slot);
    edit.for_each_point(|_, shares| {
        if edit.locks().holds(into) || !shares.iter().any(|s| is_merged(s.0)) {
            return None;
        }
        let sum: f64 = shares.iter().filter(|s| s.0 == into || is_merged(s.0)).map(|s| s.1).sum();
        let others = shares.iter().copied().filter(|s| s.0 != into && !is_merged(s.0));
        Some(others.chain([(into, sum)]).collect())
    })
}

pub(super) fn check_slots(edit: &Edit<'_>, slots: &[u16]) -> Result<(), WeightError> {
    let slot_count = edit.slot_count();
    match slots.iter().find(|s| usize::from(**s) >= slot_count) {
        Some(&slot) => Err(WeightError::NoSuchSlot { slot, slot_count }),
        None => Ok(()),
    }
}

/// A skin without the joints that nobody uses, and the weights that fit it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The skin with fewer joints.
    pub skin: Skin,
    /// The weights of each mesh, in the order given.
    pub weights: Vec<Weights>,
    /// The slots of the old skin that are gone.
    pub removed: Vec<u16>,
}

/// Takes the joints that no mesh uses out of `skin`; `weights` are those of all meshes that it deforms.
///
/// No vertex moves: the joints that stay have the binds that they had, and weights only get new numbers. Joints that
/// `keep` names stay as well. The skeleton is not changed.
///
/// # Errors
/// None that come from data.
pub fn remove_unused_joints(
    skeleton: &Skeleton,
    skin: &Skin,
    weights: &[&Weights],
    keep: &[u16],
) -> Result<Reduced, WeightError> {
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
    Ok(Reduced {
        skin: Skin::new(skin.name(), skeleton, joints, binds)?.with_root(skeleton, skin.root())?,
        weights: weights.iter().map(renumber).collect::<Result<_, _>>()?,
        removed: (0..is_used.len()).filter(|&slot| !is_used[slot]).map(|slot| slot as u16).collect(),
    })
}
