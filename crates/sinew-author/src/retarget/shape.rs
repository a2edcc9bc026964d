//! Finds the parts of a body by shape alone: two legs, a spine, two arms, a head.

use super::{
    anatomy::{Anatomy, Limbs, path},
    name::ParsedName,
    rest::model_rest,
};
use sinew::{BodySide, JointId, Skeleton, glam::Vec3};

/// Limbs whose lengths differ by more than this fraction are not a pair.
const UNLIKE: f32 = 0.15;

/// A body whose pelvis carries two chains of similar length, and a chain that carries two more; `None` if there is none.
pub(super) fn anatomy(skeleton: &Skeleton) -> Option<Anatomy> {
    let shape = SkeletonShape::new(skeleton);
    skeleton.joints().find_map(|joint| shape.body(joint))
}

struct SkeletonShape<'a> {
    skeleton: &'a Skeleton,
    positions: Vec<Vec3>,
    /// The child on the longest path down from each joint, and the length of the path.
    longest: Vec<(Option<JointId>, f32)>,
}

impl<'a> SkeletonShape<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let rest = model_rest(skeleton);
        let positions: Vec<Vec3> = skeleton.joints().map(|j| rest.joint(j).translation.into()).collect();
        let mut longest = vec![(None, 0.0); skeleton.len()];
        for joint in skeleton.joints().rev() {
            let Some(parent) = skeleton.parent(joint) else { continue };
            let bone = positions[joint.index()].distance(positions[parent.index()]);
            let length = longest[joint.index()].1 + bone;
            if length > longest[parent.index()].1 || longest[parent.index()].0.is_none() {
                longest[parent.index()] = (Some(joint), length);
            }
        }
        Self { skeleton, positions, longest }
    }

    fn at(&self, joint: JointId) -> Vec3 {
        self.positions[joint.index()]
    }

    /// The longest path down from `joint`, without joints that coincide with the one before.
    fn chain(&self, joint: JointId) -> Vec<JointId> {
        let whole = std::iter::successors(Some(joint), |j| self.longest[j.index()].0);
        let mut out: Vec<JointId> = whole.collect();
        // Of coincident joints the last one moves the bone.
        out.dedup_by(|next, before| {
            let same = self.at(*next).distance(self.at(*before)) < 1e-4 * self.longest[joint.index()].1;
            if same {
                *before = *next;
            }
            same
        });
        out
    }

    /// Two children of `joint` with chains of similar length, and the other children.
    fn pair(&self, joint: JointId) -> Option<([JointId; 2], Vec<JointId>)> {
        let children: Vec<JointId> = self.skeleton.children(joint).collect();
        for (at, &a) in children.iter().enumerate() {
            for &b in &children[at + 1..] {
                let [length_a, length_b] = [a, b].map(|j| self.longest[j.index()].1);
                let joints = [a, b].map(|j| self.chain(j).len());
                let alike = (length_a - length_b).abs() <= UNLIKE * length_a.max(length_b);
                let apart = self.at(a).distance(self.at(b)) > 1e-3 * length_a;
                if alike && apart && joints[0] == joints[1] && joints[0] >= 3 {
                    let others = children.iter().copied().filter(|&c| c != a && c != b).collect();
                    return Some(([a, b], others));
                }
            }
        }
        None
    }

    fn body(&self, pelvis: JointId) -> Option<Anatomy> {
        let (legs, others) = self.pair(pelvis)?;
        let below = |top: JointId| self.skeleton.joints().filter(move |&j| self.skeleton.is_within(j, top));
        let (chest, (arms, rest)) =
            others.iter().flat_map(|&o| below(o)).find_map(|j| Some((j, self.pair(j)?)))?;
        let spine = path(self.skeleton, pelvis, chest)?;
        let mut neck = rest.first().map(|&top| self.chain(top)).unwrap_or_default();
        let head = neck.pop();
        let up = self.at(chest) - self.at(pelvis);
        let legs = legs.map(|top| self.chain(top));
        let arms = arms.map(|top| self.chain(top));
        let ahead = legs[0].get(3).map_or(Vec3::ZERO, |&toe| self.at(toe) - self.at(legs[0][2]));
        let left = up.cross(ahead);
        let mut sides = [Limbs::default(), Limbs::default()];
        for (leg, is_second) in legs.iter().zip([false, true]) {
            let side = self.side_of(&legs, is_second, left);
            let limbs = &mut sides[side as usize];
            (limbs.thigh, limbs.shin) = (leg.first().copied(), leg.get(1).copied());
            (limbs.foot, limbs.toes) = (leg.get(2).copied(), leg.get(3).copied());
        }
        for (arm, is_second) in arms.iter().zip([false, true]) {
            let side = self.side_of(&arms, is_second, left);
            self.put_arm(arm, &mut sides[side as usize]);
        }
        Some(Anatomy { pelvis: Some(pelvis), spine, neck, head, jaw: None, sides })
    }

    fn put_arm(&self, arm: &[JointId], limbs: &mut Limbs) {
        let bone = |at: usize| Some(self.at(*arm.get(at)?).distance(self.at(*arm.get(at + 1)?)));
        let has_clavicle = arm.len() > 3 && bone(0) < bone(1).map(|b| b * 0.75);
        let arm = if has_clavicle { &arm[1..] } else { arm };
        limbs.clavicle = has_clavicle.then(|| self.skeleton.parent(arm[0])).flatten();
        (limbs.upper_arm, limbs.forearm, limbs.hand) =
            (arm.first().copied(), arm.get(1).copied(), arm.get(2).copied());
    }

    /// The side of the first or second chain of a pair: by name if both names have a side, otherwise by position.
    fn side_of(&self, pair: &[Vec<JointId>; 2], is_second: bool, left: Vec3) -> BodySide {
        let named =
            pair.each_ref().map(|c| c.first().and_then(|&j| ParsedName::of(self.skeleton.name(j)).side));
        let place = |c: &Vec<JointId>| c.first().map_or(Vec3::ZERO, |&j| self.at(j));
        let first = match named {
            [Some(a), Some(b)] if a != b => a,
            // Without toes that show the forward direction, x points to the left, as in most files.
            _ if left.length() > 1e-6 => {
                if (place(&pair[0]) - place(&pair[1])).dot(left) > 0.0 {
                    BodySide::Left
                } else {
                    BodySide::Right
                }
            }
            _ => {
                if place(&pair[0]).x > place(&pair[1]).x {
                    BodySide::Left
                } else {
                    BodySide::Right
                }
            }
        };
        if is_second { BodySide::BOTH[1 - first as usize] } else { first }
    }
}
