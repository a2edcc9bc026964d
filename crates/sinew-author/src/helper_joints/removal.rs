//! Removes a helper, and the joints that only it needed.

use super::{HelperJointError, skins::reweighted};
use crate::weights::{WeightTable, rig::meshes_of};
use sinew::{
    Channel, Character, CharacterParts, Clip, ExtrasOwner, Joint, JointId, Skeleton, Skin,
    constrain::HelperJoint,
};
use std::{collections::BTreeSet, sync::Arc};

/// The new indices of joints after some were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renumbering {
    gone: BTreeSet<JointId>,
}

impl Renumbering {
    /// The new index of `joint`; `None` if it was removed.
    #[must_use]
    pub fn new_of(&self, joint: JointId) -> Option<JointId> {
        let before = self.gone.range(..joint).count() as u16;
        (!self.gone.contains(&joint)).then(|| JointId(joint.0 - before))
    }

    /// The removed joints, by their old indices.
    pub fn gone(&self) -> impl ExactSizeIterator<Item = JointId> + '_ {
        self.gone.iter().copied()
    }
}

/// Removes the helper at index `helper`: the weights of its roll joints return to their parent, its muscle weights are dropped,
/// and its joints are removed unless something else depends on them.
///
/// Removing a helper right after adding it restores the character bit by bit, except for data that was precomputed for other
/// weights.
///
/// # Errors
/// If there is no such helper, or a mesh is deformed by another skin as well.
pub fn remove_helper(
    character: &Character,
    helper: usize,
) -> Result<(Character, Renumbering), HelperJointError> {
    let count = character.helpers().len();
    let it = character.helpers().get(helper).ok_or(HelperJointError::NoSuchHelper { helper, count })?;
    let moved = it.moved();
    let mut parts = character.parts().clone();
    parts.helpers.remove(helper);
    let numbers = Renumbering { gone: unneeded(&parts, &moved) };
    for skin in 0..parts.skins.len() {
        take_from_skin(character, &mut parts, skin, &moved, &numbers)?;
    }
    renumber(&mut parts, &numbers)?;
    Ok((Character::new(parts)?, numbers))
}

/// Those of `joints` that have no children and that no other helper reads or moves.
fn unneeded(parts: &CharacterParts, joints: &[JointId]) -> BTreeSet<JointId> {
    let needs = |helper: &HelperJoint, joint: JointId| {
        helper.clone().renumbered(|named| (named != joint).then_some(named)).is_none()
    };
    let is_needed = |&joint: &JointId| {
        parts.skeleton.children(joint).next().is_some()
            || parts.skeleton.parent(joint).is_none()
            || parts.instances.iter().any(|instance| instance.joint == joint)
            || parts.scenes.iter().any(|scene| scene.roots.contains(&joint))
            || parts.skins.iter().any(|skin| skin.root() == Some(joint) || skin.joints() == [joint])
            || parts.helpers.iter().any(|helper| needs(helper, joint))
            || parts.node_constraints.iter().any(|one| one.joint == joint || one.source == joint)
            || parts.springs.uses(joint)
            || parts.humanoid.as_ref().is_some_and(|humanoid| humanoid.bone(joint).is_some())
    };
    joints.iter().copied().filter(|joint| !is_needed(joint)).collect()
}

/// Moves the weights of the driven joints to their ancestors, and removes joints from the skin.
fn take_from_skin(
    character: &Character,
    parts: &mut CharacterParts,
    index: usize,
    moved: &[JointId],
    numbers: &Renumbering,
) -> Result<(), HelperJointError> {
    let skin = Arc::clone(&parts.skins[index]);
    if !skin.joints().iter().any(|joint| moved.contains(joint)) {
        return Ok(());
    }
    let kept: Vec<usize> =
        (0..skin.joints().len()).filter(|&slot| !numbers.gone.contains(&skin.joints()[slot])).collect();
    let place = |slot: u16| kept.binary_search(&usize::from(slot)).ok().map(|new| new as u16);
    let joint_at = |slot: u16| skin.joints()[usize::from(slot)];
    // The nearest ancestor that is not driven by the helper.
    let above = |joint: JointId| {
        let up = character.skeleton().ancestors(joint).skip(1);
        up.filter(|up| !moved.contains(up)).find_map(|up| skin.slot_of(up))
    };
    let carried = |slot: u16| match above(joint_at(slot)).filter(|_| moved.contains(&joint_at(slot))) {
        Some(above) => place(above),
        None => place(slot),
    };
    let free = |slot: u16| (!moved.contains(&joint_at(slot))).then(|| place(slot)).flatten();
    for mesh in meshes_of(character, index)? {
        let Some(weights) = parts.meshes[mesh].weights() else { continue };
        let table = WeightTable::new(weights, skin.joints().len());
        let weights = table.renumbered_separately(kept.len(), carried, free)?;
        parts.meshes[mesh] = reweighted(&parts.meshes[mesh], weights)?;
    }
    let joints = kept.iter().map(|&slot| skin.joints()[slot]).collect();
    let binds = kept.iter().map(|&slot| skin.joint_from_mesh()[slot]).collect();
    let reduced = Skin::new(skin.name(), &parts.skeleton, joints, binds)?;
    parts.skins[index] = Arc::new(reduced.with_root(&parts.skeleton, skin.root())?);
    Ok(())
}

/// Removes the joints from all other parts of the character.
fn renumber(parts: &mut CharacterParts, numbers: &Renumbering) -> Result<(), HelperJointError> {
    if numbers.gone.is_empty() {
        return Ok(());
    }
    let old = Arc::clone(&parts.skeleton);
    let kept = old.joints().filter(|joint| !numbers.gone.contains(joint));
    let joint = |joint: JointId| Joint {
        name: old.name(joint).to_owned(),
        parent: old.parent(joint).and_then(|parent| numbers.new_of(parent)),
        rest: old.rest(joint),
    };
    let new = Skeleton::new(kept.map(joint))?.with_scale_inheritance_of(&old, |j| numbers.new_of(j));
    let new = Arc::new(new);
    let new_of = |joint: JointId| numbers.new_of(joint).unwrap_or(joint);
    for skin in &mut parts.skins {
        let joints = skin.joints().iter().map(|&joint| new_of(joint)).collect();
        let renumbered = Skin::new(skin.name(), &new, joints, skin.joint_from_mesh().to_vec())?;
        *skin = Arc::new(renumbered.with_root(&new, skin.root().map(new_of))?);
    }
    parts.instances.iter_mut().for_each(|instance| instance.joint = new_of(instance.joint));
    parts.scenes.iter_mut().for_each(|scene| scene.roots.iter_mut().for_each(|root| *root = new_of(*root)));
    let names_moved = |clip: &Clip| {
        clip.channels().iter().filter_map(Channel::joint).any(|j| new_of(j) != j || numbers.gone.contains(&j))
    };
    for clip in parts.clips.iter_mut().filter(|clip| names_moved(clip)) {
        let mut of = Clip::clone(clip).into_parts();
        of.channels.retain_mut(|channel| renumber_channel(channel, numbers));
        *clip = Arc::new(Clip::from_parts(of)?);
    }
    let helpers = std::mem::take(&mut parts.helpers).into_iter();
    parts.helpers = helpers.filter_map(|helper| helper.renumbered(|joint| numbers.new_of(joint))).collect();
    let constraints = std::mem::take(&mut parts.node_constraints).into_iter();
    parts.node_constraints = constraints.filter_map(|one| one.renumbered(|j| numbers.new_of(j))).collect();
    parts.springs = parts.springs.remapped(|joint| numbers.new_of(joint));
    parts.humanoid = parts.humanoid.take().map(|humanoid| humanoid.remapped(|joint| numbers.new_of(joint)));
    let extras = std::mem::take(&mut parts.extras).into_iter();
    parts.extras = extras.filter_map(|(owner, text)| Some((renumber_owner(owner, numbers)?, text))).collect();
    parts.skeleton = new;
    Ok(())
}

/// Returns false for the channel of a removed joint.
fn renumber_channel(channel: &mut Channel, numbers: &Renumbering) -> bool {
    match channel {
        Channel::Translation { joint, .. }
        | Channel::Rotation { joint, .. }
        | Channel::Scale { joint, .. } => {
            let new = numbers.new_of(*joint);
            *joint = new.unwrap_or(*joint);
            new.is_some()
        }
        Channel::Morphs { .. } => true,
    }
}

fn renumber_owner(owner: ExtrasOwner, numbers: &Renumbering) -> Option<ExtrasOwner> {
    let ExtrasOwner::Joint(joint) = owner else { return Some(owner) };
    let Ok(number) = u16::try_from(joint) else { return Some(owner) };
    numbers.new_of(JointId(number)).map(|joint| ExtrasOwner::Joint(joint.index()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helper_joints::{MuscleOptions, RollOptions, add_muscle, add_rolls};
    use sinew::{HumanBone, Humanoid};

    #[test]
    fn removing_the_last_helper_restores_the_character() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let (upper, fore, hand) = (find("upper_arm.R"), find("forearm.R"), find("hand.R"));
        let rolled = add_rolls(&figure, fore, hand, &RollOptions::default()).unwrap().character;
        assert_eq!(remove_helper(&rolled, 0).unwrap().0, figure);
        let muscled = add_muscle(&figure, upper, fore, &MuscleOptions::default()).unwrap().character;
        assert_eq!(remove_helper(&muscled, 0).unwrap().0, figure);
        let missing = HelperJointError::NoSuchHelper { helper: 0, count: 0 };
        assert_eq!(remove_helper(&figure, 0).unwrap_err(), missing);
    }

    #[test]
    fn removing_helpers_in_any_order_restores_the_character() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let (upper, fore, hand) = (find("upper_arm.R"), find("forearm.R"), find("hand.R"));
        let rolled = add_rolls(&figure, fore, hand, &RollOptions::default()).unwrap();
        let both = add_muscle(&rolled.character, fore, hand, &MuscleOptions::default()).unwrap().character;
        let three = add_muscle(&both, upper, fore, &MuscleOptions::default()).unwrap().character;
        let (two, numbers) = remove_helper(&three, 0).unwrap();
        assert!(numbers.gone().eq(rolled.joints.iter().copied()));
        assert_eq!(two.skeleton().len(), figure.skeleton().len() + 2);
        assert_eq!(two.helpers()[1].moved(), [JointId(figure.skeleton().len() as u16 + 1)]);
        let (one, _) = remove_helper(&two, 1).unwrap();
        assert_eq!(remove_helper(&one, 0).unwrap().0, figure);
    }

    #[test]
    fn clips_and_extras_of_later_joints_are_renumbered() {
        let tube = sinew_samples::tube();
        let two = RollOptions { count: 2, ..RollOptions::default() };
        let rolled = add_rolls(&tube, JointId(0), JointId(1), &two).unwrap().character;
        let muscled = add_muscle(&rolled, JointId(1), JointId(0), &MuscleOptions::default()).unwrap();
        let mut parts = muscled.character.into_parts();
        for joint in 3..6 {
            parts.extras.insert(ExtrasOwner::Joint(joint), format!("{{\"n\":{joint}}}").into());
        }
        let mut clip = Clip::clone(&parts.clips[0]).into_parts();
        let Channel::Rotation { curve, .. } = clip.channels[0].clone() else { panic!("bend turns a joint") };
        clip.channels
            .extend((3..6).map(|joint| Channel::Rotation { joint: JointId(joint), curve: curve.clone() }));
        parts.clips[0] = Arc::new(Clip::from_parts(clip).unwrap());
        let (without, _) = remove_helper(&Character::new(parts).unwrap(), 0).unwrap();
        assert_eq!(without.extras().len(), 1);
        assert_eq!(&*without.extras()[&ExtrasOwner::Joint(3)], "{\"n\":5}");
        let joints: Vec<_> = without.clips()[0].channels().iter().filter_map(Channel::joint).collect();
        assert_eq!(joints, [JointId(1), JointId(3)]);
    }

    #[test]
    fn human_bones_stay_on_their_joints() {
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let (upper, fore, hand) = (find("upper_arm.R"), find("forearm.R"), find("hand.R"));
        let bones = [(HumanBone::Hips, find("hips")), (HumanBone::RightHand, hand)];
        let with = |character: &Character, bones: &[(HumanBone, JointId)]| {
            let mut parts = character.parts().clone();
            parts.humanoid = Some(Humanoid::new(&parts.skeleton, bones.iter().copied()).unwrap());
            Character::new(parts).unwrap()
        };
        let rolled = add_rolls(&with(&figure, &bones), fore, hand, &RollOptions::default()).unwrap();
        let muscled = add_muscle(&rolled.character, upper, fore, &MuscleOptions::default()).unwrap();
        assert_eq!(muscled.character.humanoid(), with(&figure, &bones).humanoid());
        // A bone on a joint that comes after the removed ones, and one on a joint that would be removed.
        let [last, roll] = [muscled.joints[0], rolled.joints[0]];
        let jaw = with(&muscled.character, &[(HumanBone::Jaw, last)]);
        let (without, numbers) = remove_helper(&jaw, 0).unwrap();
        assert!(numbers.new_of(last).is_some_and(|new| new != last));
        assert_eq!(without.humanoid().unwrap().joint(HumanBone::Jaw), numbers.new_of(last));
        let (kept, numbers) = remove_helper(&with(&jaw, &[(HumanBone::Jaw, roll)]), 0).unwrap();
        assert!(numbers.gone().all(|gone| gone != roll));
        assert_eq!(kept.humanoid().unwrap().joint(HumanBone::Jaw), numbers.new_of(roll));
    }

    #[test]
    fn springs_and_node_constraints_stay_on_their_joints() {
        use sinew::constrain::{NodeConstraint, NodeConstraintKind, SpringChain, SpringJoint};
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let (upper, fore, hand) = (find("upper_arm.R"), find("forearm.R"), find("hand.R"));
        let rolled = add_rolls(&figure, fore, hand, &RollOptions::default()).unwrap();
        let muscled = add_muscle(&rolled.character, upper, fore, &MuscleOptions::default()).unwrap();
        let [last, roll] = [muscled.joints[0], rolled.joints[0]];
        let swinging = |joint: JointId| {
            let mut parts = muscled.character.parts().clone();
            let chain = SpringChain {
                tip: Some(sinew::glam::Vec3::Y),
                ..SpringChain::new("hair", [SpringJoint::new(joint)])
            };
            let kind = NodeConstraintKind::Rotation;
            parts.springs.chains = vec![chain];
            parts.node_constraints = vec![NodeConstraint { joint, source: hand, weight: 1.0, kind }];
            Character::new(parts).unwrap()
        };
        for joint in [last, roll] {
            let (without, numbers) = remove_helper(&swinging(joint), 0).unwrap();
            let new = numbers.new_of(joint).unwrap();
            assert!(without.springs().joints().eq([new]));
            assert_eq!(without.node_constraints()[0].joint, new);
        }
    }
}
