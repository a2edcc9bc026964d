//! Commands that pose joints.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use serde::{Deserialize, Serialize};
use sinew::{LocalPose, Transform, glam::Quat};
use sinew_author::motion::{JointMirrorMap, mirrored_pose};

pub(super) const ROTATE: CommandInfo =
    CommandInfo::new("rotate", "Rotate", "Rotate the joint", Touches::Pose);
pub(super) const TRANSLATE: CommandInfo =
    CommandInfo::new("translate", "Move", "Move the joint", Touches::Pose);
pub(super) const SCALE: CommandInfo = CommandInfo::new("scale", "Scale", "Scale the joint", Touches::Pose);
pub(super) const SET_MORPH: CommandInfo =
    CommandInfo::new("set-morph", "Morph", "Set the weight of the morph target", Touches::Pose);
pub(super) const RESET_JOINT: CommandInfo =
    CommandInfo::new("reset-joint", "Reset joint", "Return the joint to its rest pose", Touches::Pose);
pub(super) const RESET: CommandInfo =
    CommandInfo::new("reset-pose", "Reset pose", "Return every joint to its rest pose", Touches::Pose);
pub(super) const PASTE: CommandInfo =
    CommandInfo::new("paste-pose", "Paste pose", "Apply the copied pose", Touches::Pose);
pub(super) const MIRROR: CommandInfo =
    CommandInfo::new("mirror-pose", "Mirror pose", "Swap the pose of the left and right side", Touches::Pose);

/// A pose as plain data: translation, rotation (xyzw) and scale of every joint, and every morph weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseData {
    /// Transforms relative to the parent joint, in joint order; translations in meters.
    pub joints: Vec<([f32; 3], [f32; 4], [f32; 3])>,
    /// Morph weights in slot order.
    pub morphs: Vec<f32>,
}

impl From<&LocalPose> for PoseData {
    fn from(pose: &LocalPose) -> Self {
        let joint = |t: &Transform| (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
        Self { joints: pose.joints.iter().map(joint).collect(), morphs: pose.morphs.clone() }
    }
}

impl From<&PoseData> for LocalPose {
    fn from(data: &PoseData) -> Self {
        let joint = |&(translation, rotation, scale): &([f32; 3], [f32; 4], [f32; 3])| Transform {
            translation: translation.into(),
            rotation: Quat::from_array(rotation),
            scale: scale.into(),
        };
        Self { joints: data.joints.iter().map(joint).collect(), morphs: data.morphs.clone() }
    }
}

pub(super) fn rotate(
    document: &mut Document,
    joint: u16,
    rotation: [f32; 4],
) -> Result<Vec<DocumentPiece>, CommandError> {
    let rotation = unit(rotation)?;
    let id = validate::joint(document, joint)?;
    let rotation = document.limits().clamp(document.character().skeleton(), id, rotation);
    edit_joint(document, joint, |transform| transform.rotation = rotation)
}

pub(super) fn translate(
    document: &mut Document,
    joint: u16,
    translation: [f32; 3],
) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::finite("a translation", &translation)?;
    edit_joint(document, joint, |transform| transform.translation = translation.into())
}

pub(super) fn scale(
    document: &mut Document,
    joint: u16,
    scale: [f32; 3],
) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::finite("a scale", &scale)?;
    edit_joint(document, joint, |transform| transform.scale = scale.into())
}

pub(super) fn set_morph(
    document: &mut Document,
    slot: usize,
    weight: f32,
) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::within("morph slot", slot, document.pose().morphs.len())?;
    validate::finite("a morph weight", &[weight])?;
    let mut pose = document.pose().clone();
    pose.morphs[slot] = weight;
    Ok(replace(document, pose))
}

pub(super) fn reset_joint(document: &mut Document, joint: u16) -> Result<Vec<DocumentPiece>, CommandError> {
    let rest = document.character().skeleton().rest(validate::joint(document, joint)?);
    edit_joint(document, joint, |transform| *transform = rest)
}

pub(super) fn reset(document: &mut Document) -> Vec<DocumentPiece> {
    let rest = document.character().rest_pose();
    replace(document, rest)
}

pub(super) fn paste(document: &mut Document, data: &PoseData) -> Result<Vec<DocumentPiece>, CommandError> {
    let rest = document.character().rest_pose();
    if (data.joints.len(), data.morphs.len()) != (rest.joints.len(), rest.morphs.len()) {
        return Err(CommandError::OtherPose {
            joints: data.joints.len(),
            morphs: data.morphs.len(),
            wanted_joints: rest.joints.len(),
            wanted_morphs: rest.morphs.len(),
        });
    }
    validate::finite("a morph weight", &data.morphs)?;
    let mut pose = LocalPose::from(data);
    for (joint, (translation, rotation, scale)) in pose.joints.iter_mut().zip(&data.joints) {
        validate::finite("a translation", translation)?;
        validate::finite("a scale", scale)?;
        joint.rotation = unit(*rotation)?;
    }
    Ok(replace(document, pose))
}

pub(super) fn mirror(document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
    let skeleton = document.character().skeleton();
    let pose = mirrored_pose(document.pose(), skeleton, &JointMirrorMap::by_name(skeleton))?;
    Ok(replace(document, pose))
}

pub(super) fn replace(document: &mut Document, pose: LocalPose) -> Vec<DocumentPiece> {
    vec![DocumentPiece::Pose(std::mem::replace(document.pose_mut(), pose))]
}

fn edit_joint(
    document: &mut Document,
    joint: u16,
    edit: impl FnOnce(&mut Transform),
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, joint)?;
    let transform = &mut document.pose_mut().joints[joint.index()];
    let before = DocumentPiece::Joint(joint, *transform);
    edit(transform);
    Ok(vec![before])
}

fn unit(rotation: [f32; 4]) -> Result<Quat, CommandError> {
    let length = Quat::from_array(rotation).length();
    if !length.is_normal() {
        return Err(CommandError::BadValue {
            what: "the length of a rotation",
            value: length,
            wanted: "finite and above 0",
        });
    }
    // A rotation that is already normalized stays bit for bit as it is.
    let rotation = Quat::from_array(rotation);
    Ok(if (length - 1.0).abs() < 1e-5 { rotation } else { rotation.normalize() })
}
