//! Assigns the joints of a skeleton to parts of a body.

use super::{
    name::{BodyPart, ParsedName},
    shape,
};
use sinew::{BodySide, JointId, Skeleton};

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
    /// The fingers from thumb to little finger, each from the palm outwards.
    pub(crate) fingers: [Vec<JointId>; 5],
}

impl Limbs {
    /// The joints that a side has at most once, always in the same order.
    pub(crate) fn single(&self) -> [Option<JointId>; 8] {
        [self.clavicle, self.upper_arm, self.forearm, self.hand, self.thigh, self.shin, self.foot, self.toes]
    }

    /// Thigh, shin and foot, if all are known.
    pub(crate) fn leg(&self) -> Option<[JointId; 3]> {
        Some([self.thigh?, self.shin?, self.foot?])
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

    pub(crate) fn side(&self, side: BodySide) -> &Limbs {
        &self.sides[side as usize]
    }

    /// The joint that carries the arms.
    pub(crate) fn chest(&self) -> Option<JointId> {
        self.spine.last().copied()
    }
}

/// The parsed names of all joints.
struct Labels<'a> {
    skeleton: &'a Skeleton,
    names: Vec<ParsedName>,
}

impl<'a> Labels<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let names = skeleton.joints().map(|j| ParsedName::of(skeleton.name(j))).collect();
        Self { skeleton, names }
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
        Anatomy { pelvis, spine, neck: neck.unwrap_or_default(), head, sides }
    }

    fn limbs(&self, side: BodySide) -> Limbs {
        let at = Some(side);
        let foot = self.first(at, &[BodyPart::Foot]);
        let shin = match foot {
            Some(foot) => self.above(foot, at, &[BodyPart::Shin, BodyPart::Leg]),
            None => self.first(at, &[BodyPart::Shin]),
        };
        let thigh = match shin {
            Some(shin) => self
                .above(shin, at, &[BodyPart::Thigh, BodyPart::Leg])
                .or_else(|| self.skeleton.parent(shin).filter(|_| foot.is_some())),
            None => self.first(at, &[BodyPart::Thigh]),
        };
        let hand = self.first(at, &[BodyPart::Hand]);
        let forearm = match hand {
            Some(hand) => self.above(hand, at, &[BodyPart::Forearm]),
            None => self.first(at, &[BodyPart::Forearm]),
        };
        let upper = [BodyPart::UpperArm, BodyPart::Shoulder];
        let upper_arm = match forearm.or(hand) {
            Some(below) => self.above(below, at, &upper),
            None => self.first(at, &[BodyPart::UpperArm]),
        };
        let clavicle =
            upper_arm.and_then(|arm| self.above(arm, at, &[BodyPart::Clavicle, BodyPart::Shoulder]));
        let toes = foot.and_then(|foot| self.first_below(foot, at, &[BodyPart::Toes, BodyPart::Foot]));
        let fingers = std::array::from_fn(|finger| self.finger(side, finger));
        Limbs { clavicle, upper_arm, forearm, hand, thigh, shin, foot, toes, fingers }
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
