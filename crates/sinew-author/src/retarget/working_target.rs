//! The target while it is posed: feet that are joints of their own hang below their shins.

use super::{
    align::AlignedBody, anatomy::Anatomy, body::Body, map::JointMap, skin_points::SkinPoints, stance::Stance,
};
use sinew::{
    Character, Joint, JointId, LocalPose, ModelPose, Skeleton, Transform, transform::inverse_affine,
};
use std::{collections::BTreeMap, sync::Arc};

/// The skeleton that is posed.
///
/// Some rigs move their feet as IK targets beside the legs. Here such a foot is a child of its shin, so that rotations, IK
/// and the body carry it; poses are converted back afterwards.
#[derive(Debug)]
pub(super) struct WorkingTarget<'a> {
    character: &'a Character,
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) anatomy: Anatomy,
    pub(super) rest: ModelPose,
    pub(super) stance: Stance,
    /// The joint numbers here of the character's joints; `None` if they are the same.
    numbers: Option<Vec<JointId>>,
}

impl<'a> WorkingTarget<'a> {
    pub(super) fn new(body: Body<'a>) -> Self {
        let feet = detached_feet(&body);
        let Body { character, anatomy, rest, stance } = body;
        let skeleton = Arc::clone(character.skeleton());
        let plain = Self { character, skeleton, anatomy, rest, stance, numbers: None };
        if feet.is_empty() { plain } else { plain.with_feet_attached(&feet) }
    }

    fn with_feet_attached(self, shin_of: &BTreeMap<JointId, JointId>) -> Self {
        let old = &self.skeleton;
        let parent = |joint: JointId| shin_of.get(&joint).copied().or_else(|| old.parent(joint));
        let order = parents_first(old, parent);
        let mut numbers = vec![JointId(0); old.len()];
        for (new, old) in order.iter().enumerate() {
            numbers[old.index()] = JointId(new as u16);
        }
        let joint = |&joint: &JointId| Joint {
            name: old.name(joint).to_owned(),
            parent: parent(joint).map(|p| numbers[p.index()]),
            rest: match shin_of.get(&joint) {
                Some(&shin) => local(&self.rest, Some(shin), joint).unwrap_or(old.rest(joint)),
                None => old.rest(joint),
            },
        };
        let new_of = |j: JointId| numbers[j.index()];
        let Ok(skeleton) = Skeleton::new(order.iter().map(joint)) else { return self };
        let skeleton = skeleton.with_scale_inheritance_of(old, |j| Some(new_of(j)));
        let anatomy = self.anatomy.renumbered(new_of);
        let mut rest = ModelPose::new(&skeleton);
        rest.update(&skeleton, &skeleton.rest_pose());
        let stance = Stance::new(&skeleton, &anatomy, &rest);
        Self { skeleton: Arc::new(skeleton), anatomy, rest, stance, numbers: Some(numbers), ..self }
    }

    pub(super) fn aligned(&self) -> AlignedBody<'_> {
        AlignedBody {
            skeleton: &self.skeleton,
            anatomy: &self.anatomy,
            rest: &self.rest,
            stance: &self.stance,
        }
    }

    /// The number here of a joint of the character.
    fn new_of(&self, joint: JointId) -> JointId {
        self.numbers.as_ref().map_or(joint, |numbers| numbers[joint.index()])
    }

    pub(super) fn map(&self, map: &JointMap) -> JointMap {
        map.with_targets(|target| self.new_of(target))
    }

    /// The vertices that mainly follow joints below `tops`.
    pub(super) fn vertices_below(&self, tops: &[JointId]) -> SkinPoints {
        let follows = |joint: JointId| {
            let joint = self.new_of(joint);
            tops.iter().any(|&top| self.skeleton.is_within(joint, top))
        };
        SkinPoints::of(self.character, follows).renumbered(|j| self.new_of(j))
    }

    pub(super) fn all_vertices(&self) -> SkinPoints {
        SkinPoints::of(self.character, |_| true).renumbered(|j| self.new_of(j))
    }

    pub(super) fn rest_pose(&self) -> LocalPose {
        LocalPose { morphs: self.character.rest_pose().morphs, ..self.skeleton.rest_pose() }
    }

    /// Poses of the character's own skeleton.
    pub(super) fn original(&self, poses: Vec<LocalPose>) -> Vec<LocalPose> {
        let Some(numbers) = &self.numbers else { return poses };
        let old = self.character.skeleton();
        let mut model = ModelPose::new(&self.skeleton);
        let convert = |pose: LocalPose| {
            model.update(&self.skeleton, &pose);
            let joint = |joint: JointId| {
                let here = numbers[joint.index()];
                let parent = old.parent(joint).map(|p| numbers[p.index()]);
                let same = self.skeleton.parent(here) == parent;
                let moved = if same { None } else { local(&model, parent, here) };
                moved.unwrap_or(pose.joints[here.index()])
            };
            LocalPose { joints: old.joints().map(joint).collect(), morphs: pose.morphs.clone() }
        };
        poses.into_iter().map(convert).collect()
    }
}

/// The shins of the feet that do not hang below them.
fn detached_feet(body: &Body<'_>) -> BTreeMap<JointId, JointId> {
    let skeleton = body.skeleton();
    let feet = body.anatomy.sides.iter().filter_map(|side| side.detached_foot(skeleton));
    // A foot that carries its own shin stays: the leg would be a loop.
    feet.filter(|&(foot, shin)| !skeleton.is_within(shin, foot)).collect()
}

/// The joints with every parent before its children.
fn parents_first(skeleton: &Skeleton, parent: impl Fn(JointId) -> Option<JointId>) -> Vec<JointId> {
    let mut order = Vec::with_capacity(skeleton.len());
    let mut is_placed = vec![false; skeleton.len()];
    while order.len() < skeleton.len() {
        let before = order.len();
        for joint in skeleton.joints() {
            if !is_placed[joint.index()] && parent(joint).is_none_or(|p| is_placed[p.index()]) {
                is_placed[joint.index()] = true;
                order.push(joint);
            }
        }
        if order.len() == before {
            break;
        }
    }
    order
}

/// The transform of `joint` below `parent` in a pose; `None` if the parent has no inverse.
fn local(model: &ModelPose, parent: Option<JointId>, joint: JointId) -> Option<Transform> {
    let Some(parent) = parent else { return Some(Transform::from_affine(&model.joint(joint)).0) };
    let parent_from_model = inverse_affine(&model.joint(parent))?;
    Some(Transform::from_affine(&(parent_from_model * model.joint(joint))).0)
}
