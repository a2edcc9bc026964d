//! The limb joints of a character, by name, and poses that bend them.

use sinew::{
    Character, JointId, LocalPose, ModelPose, Skeleton,
    glam::{Quat, Vec3},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LimbKind {
    Elbow,
    Knee,
    Finger,
    Shoulder,
    Hip,
}

pub(crate) struct LimbJoint {
    pub(crate) kind: LimbKind,
    pub(crate) joint: JointId,
    /// The axis in model space about which it bends.
    axis: Vec3,
    /// The angle between its bone and the bone before it at rest.
    pub(crate) rest_degrees: f32,
}

/// Bends at rest that show which way a joint bends.
const TELLING_DEGREES: f32 = 10.0;

pub(crate) fn limb_joints(character: &Character) -> Vec<LimbJoint> {
    let skeleton = character.skeleton();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &character.rest_pose());
    let is_weighted = weighted_joints(character);
    let place = |joint: JointId| Vec3::from(model.joint(joint).translation);
    let found = |joint: JointId| {
        let parent = skeleton.parent(joint)?;
        let kind = kind(skeleton, joint)?;
        // The second part of a limb that is split into several bones is not a joint of it.
        if kind_of_name(skeleton.name(parent)) == kind_of_name(skeleton.name(joint))
            && kind != LimbKind::Finger
        {
            return None;
        }
        if !is_weighted[joint.index()] {
            return None;
        }
        let child = skeleton
            .children(joint)
            .max_by(|a, b| place(*a).distance(place(joint)).total_cmp(&place(*b).distance(place(joint))));
        let own = child.map_or(place(joint) - place(parent), |child| place(child) - place(joint));
        let (before, own) = ((place(joint) - place(parent)).try_normalize()?, own.try_normalize()?);
        let rest_degrees = before.angle_between(own).to_degrees();
        let axis = if rest_degrees > TELLING_DEGREES { before.cross(own) } else { usual_axis(kind, own) };
        Some(LimbJoint { kind, joint, axis: axis.try_normalize()?, rest_degrees })
    };
    skeleton.joints().filter_map(found).collect()
}

/// Elbows bend forward, knees backward, fingers down, for a character that looks along +Z.
fn usual_axis(kind: LimbKind, bone: Vec3) -> Vec3 {
    let toward = match kind {
        LimbKind::Elbow | LimbKind::Shoulder => Vec3::Z,
        LimbKind::Knee | LimbKind::Hip => -Vec3::Z,
        LimbKind::Finger => -Vec3::Y,
    };
    bone.cross(toward)
}

fn weighted_joints(character: &Character) -> Vec<bool> {
    let mut out = vec![false; character.skeleton().len()];
    for instance in character.instances() {
        let (Some(skin), Some(weights)) =
            (character.skin_of(instance), character.mesh_of(instance).weights())
        else {
            continue;
        };
        for vertex in 0..weights.vertex_count() {
            weights.of(vertex).0.iter().for_each(|&s| out[skin.joints()[usize::from(s)].index()] = true);
        }
    }
    out
}

fn kind(skeleton: &Skeleton, joint: JointId) -> Option<LimbKind> {
    let kind = kind_of_name(skeleton.name(joint))?;
    let is_first = || {
        let parent = skeleton.parent(joint).map(|p| skeleton.name(p));
        parent.is_none_or(|parent| kind_of_name(parent) != Some(LimbKind::Hip))
    };
    // Some rigs call the thigh "leg" and some the shin.
    if skeleton.name(joint).to_lowercase().ends_with("leg") && is_first() {
        Some(LimbKind::Hip)
    } else {
        Some(kind)
    }
}

fn kind_of_name(name: &str) -> Option<LimbKind> {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["ik", "pt.", "control", "twist", "toe", "tentacle", "_end", "fk", "socket"]) {
        return None;
    }
    if !name.contains("leg") && has(&["index", "middle", "pinky", "ring", "thumb", "finger"]) {
        return Some(LimbKind::Finger);
    }
    if has(&["forearm", "lowerarm", "lower_arm", "elbow", "arm.002", "front_shin", "frontleg.002"]) {
        return Some(LimbKind::Elbow);
    }
    let hip = if has(&["front"]) { LimbKind::Shoulder } else { LimbKind::Hip };
    if has(&["calf", "shin", "lowerleg", "lower_leg", "knee"]) {
        return Some(LimbKind::Knee);
    }
    if has(&["thigh", "upperleg", "upleg"]) {
        return Some(hip);
    }
    if has(&["leg.002", "leg02"]) {
        return Some(LimbKind::Knee);
    }
    if has(&["leg.001", "leg01"]) {
        return Some(hip);
    }
    if name.contains("leg") && !name.contains("armature") {
        return Some(LimbKind::Knee);
    }
    let is_arm = has(&["upperarm", "upper_arm", "arm.001", "leftarm", "rightarm", "left_arm", "right_arm"]);
    (is_arm || name.starts_with("arm.")).then_some(LimbKind::Shoulder)
}

impl LimbJoint {
    /// The rest pose with this joint bent until its bones have an angle of `total_degrees`.
    pub(crate) fn bent(&self, character: &Character, total_degrees: f32) -> LocalPose {
        self.turned(character, self.axis, total_degrees - self.rest_degrees)
    }

    /// The rest pose with this joint turned about `axis` in model space.
    pub(crate) fn turned(&self, character: &Character, axis: Vec3, degrees: f32) -> LocalPose {
        let skeleton = character.skeleton();
        let mut pose = character.rest_pose();
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &pose);
        let parent = skeleton.parent(self.joint).map_or(Quat::IDENTITY, |parent| {
            let (_, rotation, _) = model.joint(parent).to_scale_rotation_translation();
            rotation
        });
        let turn = parent.inverse() * Quat::from_axis_angle(axis, degrees.to_radians()) * parent;
        let local = &mut pose.joints[self.joint.index()].rotation;
        *local = (turn * *local).normalize();
        pose
    }
}
