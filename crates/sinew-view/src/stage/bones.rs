//! The bones that a stage shows, and their positions in a pose.

use sinew::{Character, JointId, ModelPose, Skeleton};

use super::{BoneLook, StageOptions};
use crate::color::Color;
use crate::glam::{Affine3A, Vec3};
use crate::glyph::BoneGlyph;
use crate::palette::joint_color;

/// A bone of the stage, independent of the pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BonePlan {
    /// The joint at the bone's head, which moves it.
    pub(super) joint: JointId,
    tail: BoneTail,
}

/// The tail of a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BoneTail {
    /// The position of another joint.
    Joint(JointId),
    /// A point in the space of the bone's own joint.
    Fixed(Vec3),
}

/// The bones of a character: from each joint that deforms something to the next one below it.
///
/// Other nodes of the file (cameras, mesh nodes, armature roots) are skipped. A joint without a next one
/// gets a bone towards an end node if the file has one, or a stub that continues its parent's bone as far
/// as the vertices that follow it reach.
pub(super) fn plan(character: &Character, size: f32) -> Vec<BonePlan> {
    let rig = BoneRig::new(character, size);
    let mut bones = Vec::new();
    let mut has_bone = vec![false; rig.shown.len()];
    for joint in rig.joints() {
        let Some(parent) = rig.above(joint) else { continue };
        if rig.place(parent).distance(rig.place(joint)) > rig.tiny {
            bones.push(BonePlan { joint: parent, tail: BoneTail::Joint(joint) });
            has_bone[parent.index()] = true;
        }
    }
    let ends = rig.joints().filter(|joint| !has_bone[joint.index()]);
    bones.extend(ends.filter_map(|joint| Some(BonePlan { joint, tail: rig.end_of(joint)? })));
    bones
}

/// The rest pose and vertex reach that bones are planned from.
struct BoneRig<'a> {
    character: &'a Character,
    rest: ModelPose,
    shown: Vec<bool>,
    /// How far the vertices that mostly follow a joint reach, in meters along its parent's bone; `None` for
    /// joints that no vertex follows.
    reach: Vec<Option<f32>>,
    size: f32,
    tiny: f32,
    /// For each joint, the nearest ancestor that gets a bone.
    above: Vec<Option<JointId>>,
    /// For each joint, whether a mesh is attached to it.
    holds_mesh: Vec<bool>,
}

impl<'a> BoneRig<'a> {
    fn new(character: &'a Character, size: f32) -> Self {
        let skeleton = character.skeleton();
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        let size = if size.is_finite() { size.max(1e-6) } else { 1.0 };
        let shown = shown_joints(character);
        let mut holds_mesh = vec![false; skeleton.len()];
        character.instances().iter().for_each(|instance| holds_mesh[instance.joint.index()] = true);
        let reach = vec![None; skeleton.len()];
        let (tiny, above) = (size * 1e-4, nearest_shown(skeleton, &shown));
        let mut rig = Self { character, rest, shown, reach, size, tiny, above, holds_mesh };
        rig.measure_reach();
        rig.drop_idle_roots();
        rig
    }

    /// Joints that get bones, parents before children.
    fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.character.skeleton().joints().filter(|joint| self.shown[joint.index()])
    }

    fn place(&self, joint: JointId) -> Vec3 {
        self.rest.joint(joint).translation.into()
    }

    /// The nearest ancestor that gets a bone.
    fn above(&self, joint: JointId) -> Option<JointId> {
        self.above[joint.index()]
    }

    /// Direction and length of the bone that ends at a joint.
    fn step_to(&self, joint: JointId) -> Option<Vec3> {
        let step = self.place(joint) - self.place(self.above(joint)?);
        (step.length() > self.tiny).then_some(step)
    }

    fn measure_reach(&mut self) {
        let mut reach = vec![None; self.shown.len()];
        for index in self.character.visible_instances() {
            let instance = &self.character.instances()[index];
            let mesh = self.character.mesh_of(instance);
            let (Some(skin), Some(weights)) = (self.character.skin_of(instance), mesh.weights()) else {
                continue;
            };
            for (vertex, &position) in mesh.positions().iter().enumerate() {
                for influence in weights.influences(vertex).filter(|one| one.weight > 0.0) {
                    let slot = usize::from(influence.slot);
                    let (joint, joint_from_mesh) = (skin.joints()[slot], skin.joint_from_mesh()[slot]);
                    let farthest: &mut f32 = reach[joint.index()].get_or_insert(0.0);
                    if let (true, Some(step)) = (influence.weight > 0.5, self.step_to(joint)) {
                        let offset = self
                            .rest
                            .joint(joint)
                            .transform_vector3(joint_from_mesh.transform_point3(position));
                        *farthest = farthest.max(offset.dot(step.normalize_or_zero()));
                    }
                }
            }
        }
        self.reach = reach;
    }

    /// A root that moves no vertex usually marks the origin: its bone would only distract.
    fn drop_idle_roots(&mut self) {
        if self.reach.iter().all(Option::is_none) {
            return;
        }
        let skeleton = self.character.skeleton();
        let mut is_below = vec![false; skeleton.len()];
        for joint in skeleton.joints() {
            let index = joint.index();
            let parent = skeleton.parent(joint).map(JointId::index);
            is_below[index] = parent.is_some_and(|parent| self.shown[parent] || is_below[parent]);
            self.shown[index] &= is_below[index] || self.reach[index].is_some();
        }
        self.above = nearest_shown(skeleton, &self.shown);
    }

    fn end_of(&self, joint: JointId) -> Option<BoneTail> {
        let skeleton = self.character.skeleton();
        let end = skeleton.children(joint).find(|child| {
            !self.holds_mesh[child.index()] && self.place(*child).distance(self.place(joint)) > self.tiny
        });
        if let Some(end) = end {
            return Some(BoneTail::Joint(end));
        }
        let reach = self.reach[joint.index()]?;
        let step = self.step_to(joint).unwrap_or(Vec3::Y * (self.size * 0.2));
        let length = (reach * 0.9).clamp(step.length() * 0.25, (self.size * 0.2).max(step.length() * 0.25));
        let stub = step.normalize_or(Vec3::Y) * length;
        let in_joint = self.rest.joint(joint).inverse().transform_vector3(stub);
        in_joint.is_finite().then_some(BoneTail::Fixed(in_joint))
    }
}

/// For each joint, the nearest ancestor that is shown.
fn nearest_shown(skeleton: &Skeleton, shown: &[bool]) -> Vec<Option<JointId>> {
    let mut above: Vec<Option<JointId>> = vec![None; skeleton.len()];
    for joint in skeleton.joints() {
        let nearest =
            |parent: JointId| if shown[parent.index()] { Some(parent) } else { above[parent.index()] };
        above[joint.index()] = skeleton.parent(joint).and_then(nearest);
    }
    above
}

/// Joints of all skins in use, or all joints if there is no skin.
fn shown_joints(character: &Character) -> Vec<bool> {
    let count = character.skeleton().len();
    let mut shown = vec![false; count];
    for instance in character.visible_instances() {
        if let Some(skin) = character.skin_of(&character.instances()[instance]) {
            for joint in skin.joints() {
                shown[joint.index()] = true;
            }
        }
    }
    if shown.contains(&true) { shown } else { vec![true; count] }
}

/// The bones of a pose with their colors.
pub(super) fn pose(plans: &[BonePlan], model: &ModelPose, options: &StageOptions) -> Vec<BoneGlyph> {
    plans
        .iter()
        .map(|plan| {
            let frame = model.joint(plan.joint);
            BoneGlyph {
                head: frame.translation.into(),
                tail: plan.tail(model),
                side: frame.matrix3.x_axis.into(),
                id: u32::from(plan.joint.0),
                color: color(plan.joint, options),
            }
        })
        .collect()
}

/// The frame of every joint at either end of a bone, and a length for its axes that suits its longest bone.
pub(super) fn axes(plans: &[BonePlan], model: &ModelPose, size: f32) -> Vec<(Affine3A, f32)> {
    let mut lengths = std::collections::BTreeMap::<JointId, f32>::new();
    for plan in plans {
        let tip = match plan.tail {
            BoneTail::Joint(joint) => Some(joint),
            BoneTail::Fixed(_) => None,
        };
        for joint in [Some(plan.joint), tip].into_iter().flatten() {
            let length = lengths.entry(joint).or_default();
            *length = length.max(plan.length(model));
        }
    }
    lengths
        .into_iter()
        .map(|(joint, length)| (model.joint(joint), (length * 0.32).clamp(size * 0.015, size * 0.085)))
        .collect()
}

impl BonePlan {
    fn tail(&self, model: &ModelPose) -> Vec3 {
        match self.tail {
            BoneTail::Joint(joint) => model.joint(joint).translation.into(),
            BoneTail::Fixed(place) => model.joint(self.joint).transform_point3(place),
        }
    }

    fn length(&self, model: &ModelPose) -> f32 {
        self.tail(model).distance(model.joint(self.joint).translation.into())
    }
}

fn color(joint: JointId, options: &StageOptions) -> Color {
    if options.selected == Some(joint) {
        return Color::hex(0xff9a2b);
    }
    match options.bones {
        BoneLook::ByJoint => joint_color(joint.index()),
        BoneLook::Plain | BoneLook::Hidden => Color::hex(0xd3dae6),
    }
}
