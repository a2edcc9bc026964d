//! Assigns the joints of a skeleton to parts of a body.

use super::{
    name::{BodyPart, NameStyle, ParsedName},
    shape,
};
use sinew::{BodySide, Character, HumanBone, Humanoid, JointId, Skeleton};

/// The joints of one side of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Limbs {
    pub(crate) clavicle: Option<JointId>,
    pub(crate) upper_arm: Option<JointId>,
    pub(crate) forearm: Option<JointId>,
    pub(crate) hand: Option<JointId>,
    pub(crate) thigh: Option<JointId>,
    pub(crate) shin: Option<JointId>,
    pub(crate) foot: Option<JointId>,
    pub(crate) toes: Option<JointId>,
    pub(crate) eye: Option<JointId>,
    /// The fingers from thumb to little finger, each from the palm outwards.
    pub(crate) fingers: [Vec<JointId>; 5],
}

impl Limbs {
    /// The joints that a side has at most once, always in the same order.
    pub(crate) fn single(&self) -> [Option<JointId>; 9] {
        [
            self.clavicle,
            self.upper_arm,
            self.forearm,
            self.hand,
            self.thigh,
            self.shin,
            self.foot,
            self.toes,
            self.eye,
        ]
    }

    /// Thigh, shin and foot, if all are known.
    pub(crate) fn leg(&self) -> Option<[JointId; 3]> {
        Some([self.thigh?, self.shin?, self.foot?])
    }

    /// Upper arm, forearm and hand, if all are known.
    pub(crate) fn arm(&self) -> Option<[JointId; 3]> {
        Some([self.upper_arm?, self.forearm?, self.hand?])
    }

    /// The foot and the shin that it belongs to, if the foot is not below the shin, as in rigs whose feet are IK targets.
    pub(crate) fn detached_foot(&self, skeleton: &Skeleton) -> Option<(JointId, JointId)> {
        let [_, shin, foot] = self.leg()?;
        (!skeleton.is_within(foot, shin)).then_some((foot, shin))
    }

    /// The side of a humanoid, completed from `guess` by joints that it does not name.
    fn of_humanoid(humanoid: &Humanoid, side: BodySide, guess: &Self) -> Self {
        let on_side = |left: HumanBone| match side {
            BodySide::Left => left,
            BodySide::Right => left.mirror(),
        };
        let joint = |left: HumanBone, guess: Option<JointId>| {
            humanoid.joint(on_side(left)).or(guess.filter(|&j| humanoid.bone(j).is_none()))
        };
        let finger = |finger: usize| {
            let part = |bone: &HumanBone| {
                bone.side() == Some(side) && BodyPart::of_bone(*bone) == BodyPart::Finger(finger)
            };
            HumanBone::ALL.into_iter().filter(part).filter_map(|bone| humanoid.joint(bone)).collect()
        };
        Self {
            clavicle: joint(HumanBone::LeftShoulder, guess.clavicle),
            upper_arm: joint(HumanBone::LeftUpperArm, guess.upper_arm),
            forearm: joint(HumanBone::LeftLowerArm, guess.forearm),
            hand: joint(HumanBone::LeftHand, guess.hand),
            thigh: joint(HumanBone::LeftUpperLeg, guess.thigh),
            shin: joint(HumanBone::LeftLowerLeg, guess.shin),
            foot: joint(HumanBone::LeftFoot, guess.foot),
            toes: joint(HumanBone::LeftToes, guess.toes),
            eye: joint(HumanBone::LeftEye, guess.eye),
            fingers: std::array::from_fn(finger),
        }
    }
}

/// The body parts of a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Anatomy {
    /// The joint that carries legs and spine.
    pub(crate) pelvis: Option<JointId>,
    /// The joints from above the pelvis up to and including the chest.
    pub(crate) spine: Vec<JointId>,
    pub(crate) neck: Vec<JointId>,
    pub(crate) head: Option<JointId>,
    pub(crate) jaw: Option<JointId>,
    /// The left and the right side.
    pub(crate) sides: [Limbs; 2],
}

impl Anatomy {
    /// The body parts of `skeleton`, from the names of its joints and their hierarchy; from shape alone if the names contain no legs.
    pub(crate) fn of(skeleton: &Skeleton) -> Self {
        let by_name = Labels::new(skeleton).anatomy();
        let has_legs = by_name.sides.iter().all(|side| side.leg().is_some());
        if has_legs { by_name } else { shape::anatomy(skeleton).unwrap_or(by_name) }
    }

    /// The body parts of `character`: its humanoid first, then as [`Anatomy::of`].
    pub(crate) fn of_character(character: &Character) -> Self {
        let guess = Self::of(character.skeleton());
        match character.humanoid().filter(|humanoid| !humanoid.is_empty()) {
            Some(humanoid) => Self::of_humanoid(humanoid, &guess),
            None => guess,
        }
    }

    fn of_humanoid(humanoid: &Humanoid, guess: &Self) -> Self {
        use HumanBone::{Chest, Head, Hips, Jaw, Neck, Spine, UpperChest};
        let known = |bones: &[HumanBone], guess: &[JointId]| -> Vec<JointId> {
            let known: Vec<JointId> = bones.iter().filter_map(|&bone| humanoid.joint(bone)).collect();
            let free = guess.iter().copied().filter(|&j| humanoid.bone(j).is_none());
            if known.is_empty() { free.collect() } else { known }
        };
        let one = |bone: HumanBone, guess: Option<JointId>| known(&[bone], guess.as_slice()).first().copied();
        Self {
            pelvis: one(Hips, guess.pelvis),
            spine: known(&[Spine, Chest, UpperChest], &guess.spine),
            neck: known(&[Neck], &guess.neck),
            head: one(Head, guess.head),
            jaw: one(Jaw, guess.jaw),
            sides: BodySide::BOTH.map(|side| Limbs::of_humanoid(humanoid, side, guess.side(side))),
        }
    }

    pub(crate) fn side(&self, side: BodySide) -> &Limbs {
        &self.sides[side as usize]
    }

    /// The joint that carries the arms.
    pub(crate) fn chest(&self) -> Option<JointId> {
        self.spine.last().copied()
    }

    /// The same body in a skeleton with other joint numbers.
    pub(super) fn renumbered(&self, new_of: impl Fn(JointId) -> JointId) -> Self {
        let all = |joints: &[JointId]| joints.iter().map(|&j| new_of(j)).collect();
        let limbs = |limbs: &Limbs| {
            let [clavicle, upper_arm, forearm, hand, thigh, shin, foot, toes, eye] =
                limbs.single().map(|joint| joint.map(&new_of));
            let fingers = limbs.fingers.each_ref().map(|finger| all(finger));
            Limbs { clavicle, upper_arm, forearm, hand, thigh, shin, foot, toes, eye, fingers }
        };
        Self {
            pelvis: self.pelvis.map(&new_of),
            spine: all(&self.spine),
            neck: all(&self.neck),
            head: self.head.map(&new_of),
            jaw: self.jaw.map(&new_of),
            sides: self.sides.each_ref().map(limbs),
        }
    }
}

/// The parsed names of all joints.
struct Labels<'a> {
    skeleton: &'a Skeleton,
    names: Vec<ParsedName>,
}

impl<'a> Labels<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let style = NameStyle::of(skeleton);
        let names = skeleton.joints().map(|j| ParsedName::with_style(skeleton.name(j), &style)).collect();
        let mut out = Self { skeleton, names };
        BodySide::BOTH.into_iter().for_each(|side| out.name_fingers(side));
        out
    }

    /// Turns numbers of fingers into fingers: numbers begin at the index finger where a thumb has a name of its own.
    fn name_fingers(&mut self, side: BodySide) {
        let on_side = |name: &&mut ParsedName| name.side == Some(side);
        let parts = || self.names.iter().filter(|n| n.side == Some(side)).filter_map(|n| n.part);
        let number = |part: BodyPart| match part {
            BodyPart::NumberedFinger(number) => Some(number),
            _ => None,
        };
        let mut numbers: Vec<u32> = parts().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let Some(&lowest) = numbers.first() else { return };
        let has_thumb = numbers.len() >= 4 && !parts().any(|part| part == BodyPart::Finger(0));
        let first = usize::from(lowest > 0 && !has_thumb);
        for name in self.names.iter_mut().filter(on_side) {
            if let Some(number) = name.part.and_then(number) {
                name.part = Some(BodyPart::Finger(((number - lowest) as usize + first).min(4)));
            }
        }
    }

    fn is(&self, joint: JointId, side: Option<BodySide>, parts: &[BodyPart]) -> bool {
        let name = &self.names[joint.index()];
        name.side == side && name.part.is_some_and(|p| parts.contains(&p))
    }

    /// The first such joint, which is the nearest to a root.
    fn first(&self, side: Option<BodySide>, parts: &[BodyPart]) -> Option<JointId> {
        self.skeleton.joints().find(|&j| self.is(j, side, parts))
    }

    fn first_below(&self, top: JointId, side: Option<BodySide>, parts: &[BodyPart]) -> Option<JointId> {
        let below = |j: &JointId| *j != top && self.skeleton.is_within(*j, top);
        self.skeleton.joints().filter(below).find(|&j| self.is(j, side, parts))
    }

    /// The nearest such ancestor of `joint`.
    fn above(&self, joint: JointId, side: Option<BodySide>, parts: &[BodyPart]) -> Option<JointId> {
        self.skeleton.ancestors(joint).skip(1).find(|&j| self.is(j, side, parts))
    }

    /// The first of a row of joints that all are the part of `joint`: the others distribute its twist.
    fn first_of_part(&self, joint: JointId) -> JointId {
        let name = &self.names[joint.index()];
        let Some(part) = name.part.filter(|&part| part != BodyPart::Leg) else { return joint };
        // A hip above a thigh is part of the pelvis.
        let same = |j: &JointId| self.is(*j, name.side, &[part]) && self.names[j.index()].key != "hip";
        self.skeleton.ancestors(joint).take_while(same).last().unwrap_or(joint)
    }

    fn anatomy(&self) -> Anatomy {
        let sides = BodySide::BOTH.map(|side| self.limbs(side));
        let head = self.first(None, &[BodyPart::Head]);
        let arms = sides.each_ref().map(|s| s.clavicle.or(s.upper_arm));
        let thighs = sides.each_ref().map(|s| s.thigh);
        let tops = arms.into_iter().chain([head]).flatten();
        let pelvis = match thighs {
            // Some rigs attach the legs to a separate joint next to the spine: the joint that carries both moves the body.
            [Some(a), Some(b)] => tops.fold(common(self.skeleton, a, b), |at, top| {
                at.and_then(|at| common(self.skeleton, at, top)).or(at)
            }),
            _ => self.first(None, &[BodyPart::Hips]),
        };
        let chest = match arms {
            [Some(a), Some(b)] => common(self.skeleton, a, b),
            _ => self.skeleton.joints().rev().find(|&j| self.is(j, None, &[BodyPart::Spine])),
        };
        let spine = pelvis.zip(chest).and_then(|(p, c)| path(self.skeleton, p, c)).unwrap_or_default();
        let neck = chest.zip(head).and_then(|(c, h)| path(self.skeleton, c, h));
        let neck = neck.map(|mut n| {
            n.pop();
            n
        });
        let jaw = self.first(None, &[BodyPart::Jaw]);
        Anatomy { pelvis, spine, neck: neck.unwrap_or_default(), head, jaw, sides }
    }

    fn limbs(&self, side: BodySide) -> Limbs {
        let at = Some(side);
        let [thigh, shin, foot] = self.leg(at);
        let [clavicle, upper_arm, forearm, hand] = self.arm(at);
        let toes = foot.and_then(|foot| self.first_below(foot, at, &[BodyPart::Toes, BodyPart::Foot]));
        let eye = self.first(at, &[BodyPart::Eye]);
        let fingers = std::array::from_fn(|finger| self.finger(side, finger));
        Limbs { clavicle, upper_arm, forearm, hand, thigh, shin, foot, toes, eye, fingers }
    }

    /// Thigh, shin and foot. The foot need not be below the shin.
    fn leg(&self, at: Option<BodySide>) -> [Option<JointId>; 3] {
        let upper = [BodyPart::Thigh, BodyPart::Leg];
        let lower = [BodyPart::Shin, BodyPart::Leg];
        let foot = self.first(at, &[BodyPart::Foot]);
        let attached = foot.and_then(|foot| self.above(foot, at, &lower));
        let shin = attached.map(|shin| self.first_of_part(shin)).or_else(|| {
            let has_thigh = |j: &JointId| self.is(*j, at, &lower) && self.above(*j, at, &upper).is_some();
            self.skeleton.joints().find(has_thigh).or_else(|| self.first(at, &[BodyPart::Shin]))
        });
        let thigh = match shin {
            Some(shin) => {
                let named = self.above(shin, at, &upper).map(|thigh| self.first_of_part(thigh));
                named.or_else(|| self.skeleton.parent(shin).filter(|_| attached.is_some()))
            }
            None => self.first(at, &[BodyPart::Thigh]),
        };
        let foot = foot.or_else(|| thigh.and(shin).and_then(|shin| self.end_of(shin)));
        [thigh, shin, foot]
    }

    /// The joint at the end of a bone that has no name: the farthest child.
    fn end_of(&self, joint: JointId) -> Option<JointId> {
        let length = |j: &JointId| self.skeleton.rest(*j).translation.length();
        let far = self.skeleton.children(joint).max_by(|a, b| length(a).total_cmp(&length(b)));
        far.filter(|j| length(j) > 0.0 && self.names[j.index()].part.is_none())
    }

    /// Clavicle, upper arm, forearm and hand.
    fn arm(&self, at: Option<BodySide>) -> [Option<JointId>; 4] {
        let hand = self.first(at, &[BodyPart::Hand]);
        let named = match hand {
            Some(hand) => self.above(hand, at, &[BodyPart::Forearm]),
            None => self.first(at, &[BodyPart::Forearm]),
        };
        // Of two arms in a row above the hand, the lower one is the forearm.
        let numbered = || {
            let lower = self.above(hand?, at, &[BodyPart::UpperArm])?;
            self.above(lower, at, &[BodyPart::UpperArm]).map(|_| lower)
        };
        let forearm = named.map(|forearm| self.first_of_part(forearm)).or_else(numbered);
        let upper_arm = match forearm.or(hand) {
            Some(below) => self.above(below, at, &[BodyPart::UpperArm, BodyPart::Shoulder]),
            None => self.first(at, &[BodyPart::UpperArm]),
        };
        let upper_arm = upper_arm.map(|arm| self.first_of_part(arm));
        let clavicle = upper_arm.and_then(|arm| {
            self.above(arm, at, &[BodyPart::Clavicle]).or_else(|| self.above(arm, at, &[BodyPart::Shoulder]))
        });
        [clavicle, upper_arm, forearm, hand]
    }

    fn finger(&self, side: BodySide, finger: usize) -> Vec<JointId> {
        self.skeleton.joints().filter(|&j| self.is(j, Some(side), &[BodyPart::Finger(finger)])).collect()
    }
}

/// The lowest common ancestor of both, which may be one of them.
pub(crate) fn common(skeleton: &Skeleton, a: JointId, b: JointId) -> Option<JointId> {
    skeleton.ancestors(a).find(|&j| skeleton.is_within(b, j))
}

/// The joints below `upper` down to and including `lower`; `None` if `lower` is not a descendant.
pub(crate) fn path(skeleton: &Skeleton, upper: JointId, lower: JointId) -> Option<Vec<JointId>> {
    let mut out: Vec<JointId> = skeleton.ancestors(lower).take_while(|&j| j != upper).collect();
    let is_below = out.last().map_or(upper == lower, |&top| skeleton.parent(top) == Some(upper));
    out.reverse();
    is_below.then_some(out)
}
