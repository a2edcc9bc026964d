//! Bones: the segments that the joints of a skin stand for.

mod joint_use;

use super::MuscleSlots;
use crate::retarget::name::{BodyPart, ParsedName};
use joint_use::{JointUse, joint_uses};
use sinew::{
    Character, JointId, ModelPose, Skeleton, Skin,
    glam::{Affine3A, DVec3, Mat3A, Vec3, Vec3A},
    transform::inverse_affine,
};

/// A segment that belongs to a joint, in mesh space in the bind pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinBone {
    /// The joint's slot in the skin.
    pub slot: u16,
    /// The position of the joint, in mesh space.
    pub head: Vec3,
    /// The end of the segment, in mesh space; equal to the head for a joint without length.
    pub tail: Vec3,
    /// True if the joint is the last of its limb: the tail is a guess or a mere tip. The bone then extends to the end of the body.
    pub is_open: bool,
}

impl SkinBone {
    /// The position on the segment that is nearest to `place`.
    pub(crate) fn nearest(head: DVec3, tail: DVec3, place: DVec3) -> DVec3 {
        let way = tail - head;
        let length = way.length_squared();
        let fraction = if length > 0.0 { ((place - head).dot(way) / length).clamp(0.0, 1.0) } else { 0.0 };
        head + way * fraction
    }
}

/// The bones of all joints of a skin: several for a joint that branches, none for some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneSet {
    bones: Vec<SkinBone>,
    slot_count: usize,
    guessed_tails: usize,
    /// True for bones derived from a skin, which may be useless; given bones are always wanted.
    may_be_useless: bool,
    /// The nearest joint of the skin above each slot.
    parents: Vec<Option<u16>>,
    /// Slots at the ends of limbs, which must carry skin if there is any near them.
    required: Vec<u16>,
}

impl BoneSet {
    /// The given bones, for a skin of `slot_count` joints. Bones that are not finite or not in the skin are left out.
    #[must_use]
    pub fn new(slot_count: usize, bones: impl IntoIterator<Item = SkinBone>) -> Self {
        let is_usable =
            |b: &SkinBone| usize::from(b.slot) < slot_count && b.head.is_finite() && b.tail.is_finite();
        Self { bones: bones.into_iter().filter(is_usable).collect(), slot_count, ..Self::default() }
    }

    /// The bones of `skin` in the bind pose.
    ///
    /// A joint has a bone to each of its children, skipping joints that are not in the skin. Files store no tail for a joint
    /// without children; it gets one of the length of its parent's bone, along the axis that most joints of the rig use, or away
    /// from its parent. Joints that control others, that are the mere tip of a bone, or whose children are all in their own place
    /// have none.
    #[must_use]
    pub fn of_skin(skeleton: &Skeleton, skin: &Skin) -> Self {
        Self::without_muscles(skeleton, skin, &MuscleSlots::default())
    }

    /// The bones of the skin of `character` at index `skin`, as [`BoneSet::of_skin`]. Muscles have none: they displace skin
    /// that the bones around them carry. Empty if there is no such skin.
    #[must_use]
    pub fn of_character(character: &Character, skin: usize) -> Self {
        let Some(of) = character.skins().get(skin) else { return Self::default() };
        Self::without_muscles(character.skeleton(), of, &MuscleSlots::of_character(character, skin))
    }

    fn without_muscles(skeleton: &Skeleton, skin: &Skin, muscles: &MuscleSlots) -> Self {
        let mut rig = BindPose::new(skeleton, skin, muscles);
        let uses = joint_uses(&rig, skeleton, skin);
        rig.children.iter_mut().for_each(|of| of.retain(|&child| uses[child] != JointUse::Control));
        let axis = rig.usual_axis();
        let mut out = Self { slot_count: skin.joints().len(), ..Self::default() };
        let is_bone = |slot: &usize| !muscles.holds(*slot as u16) && !rig.repeats(*slot);
        for slot in (0..out.slot_count).filter(is_bone) {
            if uses[slot] == JointUse::Skin {
                out.add_bones_of(slot, &rig, &uses, axis);
            }
        }
        let slot_count = out.slot_count;
        let name = |slot: u16| skeleton.name(skin.joints()[usize::from(slot)]);
        let open = out.bones.iter().filter(|bone| bone.is_open).map(|bone| bone.slot);
        let required =
            open.filter(|&slot| rig.ends_a_limb(usize::from(slot)) || is_extremity(name(slot))).collect();
        Self {
            guessed_tails: out.guessed_tails,
            may_be_useless: true,
            parents: rig.parents.iter().map(|parent| parent.map(|slot| slot as u16)).collect(),
            required,
            ..Self::new(slot_count, out.bones)
        }
    }

    fn add_bones_of(&mut self, slot: usize, rig: &BindPose, uses: &[JointUse], axis: Option<Vec3A>) {
        let head = rig.head(slot);
        let mut add = |tail, is_open| self.bones.push(SkinBone { slot: slot as u16, head, tail, is_open });
        let children = &rig.children[slot];
        let mut apart = children.iter().filter(|&&child| rig.head(child) != head).peekable();
        if apart.peek().is_some() {
            apart.for_each(|&child| add(rig.head(child), uses[child] == JointUse::Tip));
        } else if children.iter().all(|&child| uses[child] == JointUse::Tip) {
            add(rig.guessed_tail(slot, axis), true);
            self.guessed_tails += 1;
        }
        // Where all children are in the place of the joint, they carry its skin.
    }

    /// All bones of the skin.
    #[must_use]
    pub fn bones(&self) -> &[SkinBone] {
        &self.bones
    }

    /// The number of joints in the skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The nearest joint of the skin above the joint at `slot`; `None` for roots and for bones that were given.
    pub(super) fn parent(&self, slot: u16) -> Option<u16> {
        self.parents.get(usize::from(slot)).copied().flatten()
    }

    /// The slots at the ends of limbs: heads, hands, feet and the last joints of chains.
    pub(super) fn required(&self) -> &[u16] {
        &self.required
    }

    pub(super) fn may_be_useless(&self) -> bool {
        self.may_be_useless
    }

    /// The number of joints without a child, whose tails are guesses.
    #[must_use]
    pub fn guessed_tails(&self) -> usize {
        self.guessed_tails
    }
}

/// The joints of a skin in the bind pose.
struct BindPose {
    /// `mesh_from_joint` of every slot.
    places: Vec<Affine3A>,
    /// The slot of the nearest ancestor of each slot.
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// The first slot with the joint of each slot.
    first: Vec<usize>,
}

impl BindPose {
    /// Muscles are nobody's children.
    fn new(skeleton: &Skeleton, skin: &Skin, muscles: &MuscleSlots) -> Self {
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        let place = |(joint, joint_from_mesh): (&JointId, &Affine3A)| {
            inverse_affine(joint_from_mesh).unwrap_or_else(|| rest.joint(*joint))
        };
        let places: Vec<Affine3A> = skin.joints().iter().zip(skin.joint_from_mesh()).map(place).collect();
        let parents = nearest_slots_above(skeleton, skin);
        let mut slot_of = vec![0; skeleton.len()];
        (0..places.len()).rev().for_each(|slot| slot_of[skin.joints()[slot].index()] = slot);
        let first = skin.joints().iter().map(|joint| slot_of[joint.index()]).collect();
        let children = vec![Vec::new(); places.len()];
        let mut out = Self { places, parents, children, first };
        for slot in (0..out.places.len()).filter(|&slot| !muscles.holds(slot as u16)) {
            if let Some(parent) = out.parents[slot].filter(|_| !out.repeats(slot)) {
                out.children[parent].push(slot);
            }
        }
        out
    }

    /// True if an earlier slot has the same joint in the same place. Files may repeat a joint any number of times.
    fn repeats(&self, slot: usize) -> bool {
        let first = self.first[slot];
        first != slot && self.places[first] == self.places[slot]
    }

    fn head(&self, slot: usize) -> Vec3 {
        self.places[slot].translation.into()
    }

    /// The heads of the children that do not coincide with the joint.
    fn tails(&self, slot: usize) -> impl Iterator<Item = Vec3> + '_ {
        let head = self.head(slot);
        self.children[slot].iter().map(|&child| self.head(child)).filter(move |tail| *tail != head)
    }

    /// True for the last joint of a chain of at least two joints without branches.
    fn ends_a_limb(&self, slot: usize) -> bool {
        let parent = self.parents[slot].filter(|&parent| self.children[parent].len() == 1);
        parent.is_some_and(|parent| self.head(parent) != self.head(slot) && self.parents[parent].is_some())
    }

    /// The local axis along which most joints have their only child, if most agree.
    fn usual_axis(&self) -> Option<Vec3A> {
        let mut votes = [0_usize; 6];
        let mut count = 0;
        for slot in 0..self.places.len() {
            let mut tails = self.tails(slot);
            let (Some(tail), None) = (tails.next(), tails.next()) else { continue };
            let direction = Vec3A::from(tail - self.head(slot)).normalize_or_zero();
            let along = |axis: &Vec3A| self.direction(slot, *axis).dot(direction) > 0.9;
            count += 1;
            if let Some(axis) = AXES.iter().position(along) {
                votes[axis] += 1;
            }
        }
        let best = (0..AXES.len()).max_by_key(|&axis| (votes[axis], std::cmp::Reverse(axis)))?;
        (votes[best] * 5 >= count * 3 && count >= 3).then_some(AXES[best])
    }

    fn direction(&self, slot: usize, axis: Vec3A) -> Vec3A {
        let linear: Mat3A = self.places[slot].matrix3;
        (linear * axis).normalize_or_zero()
    }

    fn guessed_tail(&self, slot: usize, axis: Option<Vec3A>) -> Vec3 {
        let head = self.head(slot);
        // Coincident joints in between are skipped because they have no length.
        let above = std::iter::successors(self.parents[slot], |&p| self.parents[p]).take(64);
        let Some(reach) = above.map(|p| head - self.head(p)).find(|reach| *reach != Vec3::ZERO) else {
            return head;
        };
        let own = axis.map(|axis| Vec3::from(self.direction(slot, axis))).filter(|d| *d != Vec3::ZERO);
        let length = reach.length();
        head + own.unwrap_or_else(|| reach.normalize_or_zero()) * length
    }
}

/// True for the names of heads, hands and feet.
fn is_extremity(name: &str) -> bool {
    matches!(ParsedName::of(name).part, Some(BodyPart::Head | BodyPart::Hand | BodyPart::Foot))
}

const AXES: [Vec3A; 6] = [Vec3A::X, Vec3A::Y, Vec3A::Z, Vec3A::NEG_X, Vec3A::NEG_Y, Vec3A::NEG_Z];

/// The slot of the nearest ancestor of each slot, found in one pass down the skeleton.
pub(crate) fn nearest_slots_above(skeleton: &Skeleton, skin: &Skin) -> Vec<Option<usize>> {
    let mut slot_of = vec![None; skeleton.len()];
    for (slot, joint) in skin.joints().iter().enumerate().rev() {
        slot_of[joint.index()] = Some(slot);
    }
    let mut nearest: Vec<Option<usize>> = vec![None; skeleton.len()];
    let mut above = vec![None; skeleton.len()];
    for joint in skeleton.joints() {
        above[joint.index()] = skeleton.parent(joint).and_then(|p| nearest[p.index()]);
        nearest[joint.index()] = slot_of[joint.index()].or(above[joint.index()]);
    }
    skin.joints().iter().map(|j| above[j.index()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform, glam::Quat};

    fn bones(joints: &[(Option<u16>, Vec3)]) -> BoneSet {
        let joint = |(n, &(parent, at)): (usize, &(Option<u16>, Vec3))| Joint {
            name: n.to_string(),
            parent: parent.map(JointId),
            rest: Transform::from_translation(at),
        };
        let skeleton = Skeleton::new(joints.iter().enumerate().map(joint)).unwrap();
        let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
        BoneSet::of_skin(&skeleton, &skin)
    }

    #[test]
    fn a_joint_reaches_to_each_child_and_the_last_goes_on_as_far() {
        let made = bones(&[(None, Vec3::ZERO), (Some(0), Vec3::Y), (Some(0), Vec3::X), (Some(1), Vec3::Y)]);
        let segments: Vec<(u16, Vec3, bool)> =
            made.bones().iter().map(|b| (b.slot, b.tail, b.is_open)).collect();
        let want = [
            (0, Vec3::Y, false),
            (0, Vec3::X, false),
            (1, Vec3::Y * 2.0, false),
            (2, Vec3::X * 2.0, true),
            (3, Vec3::Y * 3.0, true),
        ];
        assert_eq!(segments, want);
        assert_eq!(made.guessed_tails(), 2);
    }

    #[test]
    fn a_muscle_has_no_bone_and_changes_none() {
        use crate::helper_joints::{MuscleOptions, add_muscle};
        let figure = sinew_samples::figure();
        let find = |name: &str| figure.skeleton().find(name).unwrap();
        let options = MuscleOptions::default();
        let muscled =
            add_muscle(&figure, find("upper_arm.L"), find("forearm.L"), &options).unwrap().character;
        let (without, with) = (BoneSet::of_character(&figure, 0), BoneSet::of_character(&muscled, 0));
        assert_eq!(with.bones(), without.bones());
        assert_eq!(with.guessed_tails(), without.guessed_tails());
        assert_eq!(without, BoneSet::of_skin(figure.skeleton(), &figure.skins()[0]));
        assert_eq!(BoneSet::of_character(&figure, 9), BoneSet::default());
    }

    #[test]
    fn a_joint_that_a_skin_repeats_in_the_same_place_has_bones_once() {
        let figure = sinew_samples::figure();
        let (skeleton, skin) = (figure.skeleton(), &figure.skins()[0]);
        let mut joints = skin.joints().to_vec();
        let mut binds = skin.joint_from_mesh().to_vec();
        joints.extend(std::iter::repeat_n(joints[3], 40_000));
        binds.extend(std::iter::repeat_n(binds[3], 40_000));
        // The last one is bound elsewhere, as in meshes that a program has joined.
        binds[40_000] *= Affine3A::from_translation(Vec3::X);
        let repeated = Skin::new("s", skeleton, joints, binds).unwrap();
        let (own, made) = (BoneSet::of_skin(skeleton, skin), BoneSet::of_skin(skeleton, &repeated));
        // That one has a bone of its own, and its parent has one that leads to it.
        assert_eq!(made.bones().len(), own.bones().len() + 2);
        assert_eq!(made.slot_count(), own.slot_count() + 40_000);
    }

    #[test]
    fn coincident_and_lone_joints_are_points_or_take_a_length_from_further_up() {
        let alone = bones(&[(None, Vec3::ZERO)]);
        assert_eq!(alone.bones(), [SkinBone { slot: 0, head: Vec3::ZERO, tail: Vec3::ZERO, is_open: true }]);
        let made =
            bones(&[(None, Vec3::ZERO), (Some(0), Vec3::ZERO), (Some(1), Vec3::Y), (Some(2), Vec3::ZERO)]);
        assert!(made.bones().iter().all(|bone| bone.slot != 0), "its child in the same place has its skin");
        assert_eq!(made.bones().last().map(|b| b.tail), Some(Vec3::Y * 2.0));
    }

    #[test]
    fn a_last_joint_points_along_the_axis_that_the_rig_uses() {
        // Four joints along their own y axis, each rotated against its parent; the last is rotated once more.
        let turn = Quat::from_rotation_z(0.3);
        let joint = |n: u16| Joint {
            name: n.to_string(),
            parent: n.checked_sub(1).map(JointId),
            rest: Transform::from_rotation_translation(turn, if n == 0 { Vec3::ZERO } else { Vec3::Y }),
        };
        let skeleton = Skeleton::new((0..5).map(joint)).unwrap();
        let skin = Skin::bound_at_rest("s", &skeleton, skeleton.joints().collect()).unwrap();
        let made = BoneSet::of_skin(&skeleton, &skin);
        let last = made.bones().last().unwrap();
        let want = Quat::from_rotation_z(1.5) * Vec3::Y;
        assert!((last.tail - last.head).distance(want) < 1e-5, "{}", last.tail - last.head);
    }
}
