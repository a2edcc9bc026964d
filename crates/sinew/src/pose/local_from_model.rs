//! From joints in model space back to a local pose: the hand-off from physics to animation.

use super::{LocalPose, ModelPose};
use crate::{
    asset::skeleton::{JointId, ScaleInheritance, Skeleton},
    blend::layer_joint,
    transform::{Transform, inverse_affine},
};
use glam::{Affine3A, Mat3A, Vec3A};
use thiserror::Error;

/// Where a joint shall be in model space, such as a body of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelTarget {
    /// The joint to place.
    pub joint: JointId,
    /// Rotation and translation of the joint in model space; the scale is not used.
    pub model_from_joint: Transform,
    /// How far the joint goes from its local pose to the target, 0 to 1.
    pub weight: f32,
    /// True if the joint also moves to the target's position. If not, the bone that leads to it keeps its length, which hides
    /// the drift of physical joints.
    pub moves: bool,
}

impl ModelTarget {
    /// Rotates `joint` fully to its target and leaves it at the end of its bone.
    pub fn rotated(joint: JointId, model_from_joint: Transform) -> Self {
        Self { joint, model_from_joint, weight: 1.0, moves: false }
    }

    /// Brings `joint` fully to its target, position included.
    pub fn placed(joint: JointId, model_from_joint: Transform) -> Self {
        Self { moves: true, ..Self::rotated(joint, model_from_joint) }
    }

    /// The same with another weight, 0 to 1.
    #[must_use]
    pub fn with_weight(self, weight: f32) -> Self {
        Self { weight, ..self }
    }
}

/// Why a pose cannot be made from joints in model space.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ModelTargetError {
    /// The skeleton has no such joint.
    #[error("joint {} does not exist: there are {joints} joints", joint.index())]
    NoSuchJoint {
        /// The joint of the target.
        joint: JointId,
        /// How many joints the skeleton has.
        joints: usize,
    },
    /// Two targets are for the same joint.
    #[error("joint {} has more than one target", joint.index())]
    Repeated {
        /// The joint of the targets.
        joint: JointId,
    },
    /// A target is not finite, its rotation is not a unit quaternion, or its weight is not between 0 and 1.
    #[error("the target of joint {} must be finite with a unit rotation and a weight of 0 to 1, got {target:?}", target.joint.index())]
    BadTarget {
        /// The target that was given.
        target: ModelTarget,
    },
    /// An ancestor of a joint has a scale of 0, so that no local transform leads to the target.
    #[error("joint {} cannot reach a target: an ancestor has a scale of 0", joint.index())]
    FlatParent {
        /// The joint of the target.
        joint: JointId,
    },
}

/// Changes `local` so that the joints of `targets` come to their places in model space, and updates `model` to it.
///
/// A joint of weight 1 has exactly the target's rotation, and its position if it moves, whatever the weights of its ancestors.
/// Other joints keep their local transforms and follow their parents; scales stay. Nothing is allocated. To hand a body back
/// to its animation, let the difference decay: [`Inertializer`](crate::blend::Inertializer),
/// [`Instance::inertialize_from`](crate::instance::Instance::inertialize_from).
///
/// # Errors
/// If a joint does not exist or has two targets, a target is invalid, or an ancestor has a scale of 0. If a target is refused,
/// `local` is unchanged; if an ancestor is flat, the joints before it have moved.
///
/// # Panics
/// If `local` or `model` has another number of joints than `skeleton`.
pub fn local_from_model(
    skeleton: &Skeleton,
    targets: &[ModelTarget],
    local: &mut LocalPose,
    model: &mut ModelPose,
) -> Result<(), ModelTargetError> {
    check(skeleton, targets)?;
    model.update(skeleton, local);
    // Parents come before their children, so a joint is placed when its parent stands.
    for joint in skeleton.joints() {
        let parent = skeleton.parent(joint);
        let above = parent.map_or(Affine3A::IDENTITY, |parent| model.joint(parent));
        let frame = turn_frame(skeleton, joint, local, &above);
        if let Some(target) = targets.iter().find(|target| target.joint == joint) {
            let placed = placed(target, &local.joints[joint.index()], frame.as_ref(), &above);
            let placed = placed.ok_or(ModelTargetError::FlatParent { joint })?;
            local.joints[joint.index()] = layer_joint(&local.joints[joint.index()], &placed, target.weight);
        }
        let own = local.joints[joint.index()].to_affine();
        let mut matrix = frame.unwrap_or(above) * own;
        matrix.translation = above.transform_point3a(own.translation);
        model.set_joint(joint, matrix);
    }
    // The plain hierarchy once more, so that the result has its bits.
    model.update(skeleton, local);
    Ok(())
}

fn check(skeleton: &Skeleton, targets: &[ModelTarget]) -> Result<(), ModelTargetError> {
    for (nth, target) in targets.iter().enumerate() {
        let (joint, joints) = (target.joint, skeleton.len());
        if joint.index() >= joints {
            return Err(ModelTargetError::NoSuchJoint { joint, joints });
        }
        if targets[..nth].iter().any(|other| other.joint == joint) {
            return Err(ModelTargetError::Repeated { joint });
        }
        let is_unit = (target.model_from_joint.rotation.length_squared() - 1.0).abs() <= 1e-3;
        if !(target.model_from_joint.is_finite() && is_unit && (0.0..=1.0).contains(&target.weight)) {
            return Err(ModelTargetError::BadTarget { target: *target });
        }
    }
    Ok(())
}

/// The space that rotation and scale of `joint` are relative to; `None` if a scale that is not inherited is 0.
fn turn_frame(skeleton: &Skeleton, joint: JointId, local: &LocalPose, above: &Affine3A) -> Option<Affine3A> {
    let Some(parent) = skeleton.parent(joint) else { return Some(Affine3A::IDENTITY) };
    match skeleton.scale_inheritance(joint) {
        ScaleInheritance::Full => Some(*above),
        ScaleInheritance::Compensated => {
            let scale = Vec3A::from(local.joints[parent.index()].scale);
            let unscaled = above.matrix3 * Mat3A::from_diagonal(scale.recip().into());
            let frame = Affine3A { matrix3: unscaled, translation: above.translation };
            frame.is_finite().then_some(frame)
        }
    }
}

/// The local transform that leads to the target.
fn placed(
    target: &ModelTarget,
    now: &Transform,
    frame: Option<&Affine3A>,
    above: &Affine3A,
) -> Option<Transform> {
    let wanted = Transform { scale: glam::Vec3::ONE, ..target.model_from_joint };
    let parent_from_model = inverse_affine(above)?;
    let turn_from_model = inverse_affine(frame?)?;
    let (turned, _) = Transform::from_affine(&(turn_from_model * wanted.to_affine()));
    let translation = parent_from_model.transform_point3(wanted.translation);
    Some(Transform {
        rotation: turned.rotation,
        translation: if target.moves { translation } else { now.translation },
        scale: now.scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, sinew_samples};
    use glam::{Quat, Vec3};

    fn pose_of(model: &ModelPose, joint: JointId) -> Transform {
        Transform::from_affine(&model.joint(joint)).0
    }

    #[test]
    fn joints_come_to_their_targets_and_the_others_follow() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let (mut fallen, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
        for (index, joint) in fallen.joints.iter_mut().enumerate() {
            joint.rotation *= Quat::from_euler(glam::EulerRot::XYZ, 0.1 * index as f32, 0.3, -0.2);
        }
        model.update(skeleton, &fallen);
        let names = ["spine_lower", "spine_upper", "upper_arm.L", "forearm.L", "thigh.R", "shin.R"];
        let bodies: Vec<JointId> = names.iter().filter_map(|name| skeleton.find(name)).collect();
        assert!(bodies.len() >= 4, "{bodies:?}");
        let targets: Vec<ModelTarget> =
            bodies.iter().map(|&j| ModelTarget::placed(j, pose_of(&model, j))).collect();
        let (mut local, mut got) = (figure.rest_pose(), ModelPose::new(skeleton));
        local_from_model(skeleton, &targets, &mut local, &mut got).unwrap();
        for (body, target) in bodies.iter().zip(&targets) {
            let (now, want) = (pose_of(&got, *body), target.model_from_joint);
            assert!(now.translation.distance(want.translation) < 1e-4, "{}", skeleton.name(*body));
            assert!(now.rotation.angle_between(want.rotation) < 2e-3, "{}", skeleton.name(*body));
        }
        for joint in skeleton.joints().filter(|joint| !bodies.contains(joint)) {
            assert_eq!(local.joints[joint.index()], figure.rest_pose().joints[joint.index()]);
        }
        let mut again = ModelPose::new(skeleton);
        again.update(skeleton, &local);
        assert_eq!(got, again, "the model pose is that of the local pose");
    }

    #[test]
    fn weights_go_from_the_animation_to_the_target_and_bones_keep_their_lengths() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let [arm, hand] = ["upper_arm.L", "forearm.L"].map(|name| skeleton.find(name).unwrap());
        let (rest, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
        model.update(skeleton, &rest);
        let goal = Transform::from_rotation_translation(Quat::from_rotation_z(1.0), Vec3::splat(5.0));
        for weight in [0.0, 0.5, 1.0] {
            let mut local = rest.clone();
            let targets =
                [ModelTarget::rotated(hand, goal), ModelTarget::rotated(arm, goal).with_weight(weight)];
            local_from_model(skeleton, &targets, &mut local, &mut model).unwrap();
            assert_eq!(local.joints[hand.index()].translation, rest.joints[hand.index()].translation);
            let angle = |joint: JointId| pose_of(&model, joint).rotation.angle_between(goal.rotation);
            assert!(angle(hand) < 2e-3, "weight 1 holds under a parent of weight {weight}");
            assert!(weight < 1.0 || angle(arm) < 2e-3);
            assert_eq!(weight == 0.0, local.joints[arm.index()] == rest.joints[arm.index()]);
        }
    }

    #[test]
    fn compensated_joints_come_to_their_targets_too() {
        let joint = |name: &str, parent: Option<u16>| Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest: Transform::from_translation(Vec3::Y),
        };
        let skeleton = Skeleton::new([joint("a", None), joint("b", Some(0)), joint("c", Some(1))]).unwrap();
        let inheritance = [(JointId(1), ScaleInheritance::Compensated)];
        let skeleton = skeleton.with_scale_inheritance(inheritance);
        let mut local = skeleton.rest_pose();
        local.joints[0].scale = Vec3::new(2.0, 0.5, 1.0);
        let goal = Transform::from_rotation_translation(Quat::from_rotation_x(0.7), Vec3::new(1.0, 2.0, 3.0));
        let targets = [ModelTarget::placed(JointId(1), goal)];
        let mut model = ModelPose::new(&skeleton);
        local_from_model(&skeleton, &targets, &mut local, &mut model).unwrap();
        assert!(model.joint(JointId(1)).abs_diff_eq(goal.to_affine(), 1e-5), "{:?}", model.joint(JointId(1)));
    }

    #[test]
    fn refuses_what_cannot_be_reached_and_changes_nothing() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let (rest, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
        let mut local = rest.clone();
        let mut error = |targets: &[ModelTarget], local: &mut LocalPose| {
            local_from_model(skeleton, targets, local, &mut model).unwrap_err()
        };
        let at = |joint: u16| ModelTarget::placed(JointId(joint), Transform::IDENTITY);
        let missing = error(&[at(999)], &mut local);
        assert!(matches!(missing, ModelTargetError::NoSuchJoint { .. }), "{missing}");
        assert_eq!(error(&[at(3), at(3)], &mut local), ModelTargetError::Repeated { joint: JointId(3) });
        for bad in [at(1).with_weight(1.5), at(1).with_weight(f32::NAN)] {
            assert!(matches!(error(&[bad], &mut local), ModelTargetError::BadTarget { .. }));
        }
        let nowhere = ModelTarget::placed(JointId(1), Transform::from_translation(Vec3::NAN));
        assert!(matches!(error(&[nowhere], &mut local), ModelTargetError::BadTarget { .. }));
        assert_eq!(local, rest);
        local.joints[0].scale = Vec3::ZERO;
        assert_eq!(error(&[at(1)], &mut local), ModelTargetError::FlatParent { joint: JointId(1) });
    }
}
