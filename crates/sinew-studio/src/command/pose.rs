//! Commands that move joints.

use super::{CommandError, check};
use crate::document::{Document, Piece, Playhead};
use serde::{Deserialize, Serialize};
use sinew::{
    Channel, Clip, Curve, Interpolation, JointId, LocalPose, Transform, Wrap,
    glam::{Quat, Vec3},
    sample_clip,
};
use sinew_author::motion::{MirrorMap, mirrored};

/// A pose as numbers: of every joint translation, rotation (xyzw) and scale, and every morph weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoseData {
    /// Relative to parents, in joint order.
    pub joints: Vec<([f32; 3], [f32; 4], [f32; 3])>,
    /// In slot order.
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
) -> Result<Vec<Piece>, CommandError> {
    let rotation = unit(rotation)?;
    edit_joint(document, joint, |transform| transform.rotation = rotation)
}

pub(super) fn translate(
    document: &mut Document,
    joint: u16,
    translation: [f32; 3],
) -> Result<Vec<Piece>, CommandError> {
    check::finite("a translation", &translation)?;
    edit_joint(document, joint, |transform| transform.translation = translation.into())
}

pub(super) fn scale(
    document: &mut Document,
    joint: u16,
    scale: [f32; 3],
) -> Result<Vec<Piece>, CommandError> {
    check::finite("a scale", &scale)?;
    edit_joint(document, joint, |transform| transform.scale = scale.into())
}

pub(super) fn reset_joint(document: &mut Document, joint: u16) -> Result<Vec<Piece>, CommandError> {
    let rest = document.character().skeleton().rest(check::joint(document, joint)?);
    edit_joint(document, joint, |transform| *transform = rest)
}

pub(super) fn reset(document: &mut Document) -> Vec<Piece> {
    let rest = document.character().rest_pose();
    replace(document, rest)
}

pub(super) fn paste(document: &mut Document, data: &PoseData) -> Result<Vec<Piece>, CommandError> {
    let rest = document.character().rest_pose();
    if (data.joints.len(), data.morphs.len()) != (rest.joints.len(), rest.morphs.len()) {
        return Err(CommandError::OtherPose {
            joints: data.joints.len(),
            morphs: data.morphs.len(),
            wanted_joints: rest.joints.len(),
            wanted_morphs: rest.morphs.len(),
        });
    }
    check::finite("a morph weight", &data.morphs)?;
    let mut pose = LocalPose::from(data);
    for (joint, (translation, rotation, scale)) in pose.joints.iter_mut().zip(&data.joints) {
        check::finite("a translation", translation)?;
        check::finite("a scale", scale)?;
        joint.rotation = unit(*rotation)?;
    }
    Ok(replace(document, pose))
}

/// The pose as a clip of one moment, mirrored and taken from that moment.
pub(super) fn mirror(document: &mut Document) -> Result<Vec<Piece>, CommandError> {
    let skeleton = document.character().skeleton();
    let mut channels = Vec::with_capacity(3 * skeleton.len());
    for (joint, transform) in skeleton.joints().zip(&document.pose().joints) {
        channels.extend(moment(joint, transform)?);
    }
    let clip = mirrored(&Clip::new("pose", channels, vec![])?, skeleton, &MirrorMap::by_name(skeleton))?;
    let mut pose = document.pose().clone();
    sample_clip(&clip, 0.0, Wrap::Clamp, &mut pose);
    Ok(replace(document, pose))
}

fn moment(joint: JointId, transform: &Transform) -> Result<[Channel; 3], CommandError> {
    fn curve<T>(value: T) -> Result<Curve<T>, CommandError> {
        Ok(Curve::new(vec![0.0], vec![value], Interpolation::Step)?)
    }
    Ok([
        Channel::Translation { joint, curve: curve::<Vec3>(transform.translation)? },
        Channel::Rotation { joint, curve: curve::<Quat>(transform.rotation)? },
        Channel::Scale { joint, curve: curve::<Vec3>(transform.scale)? },
    ])
}

pub(super) fn choose_clip(document: &mut Document, clip: Option<usize>) -> Result<Vec<Piece>, CommandError> {
    if let Some(clip) = clip {
        check::within("clip", clip, document.character().clips().len())?;
    }
    let mut pieces = edit_playhead(document, |playhead| (playhead.clip, playhead.time_secs) = (clip, 0.0));
    if clip.is_some() {
        pieces.extend(take_from_clip(document));
    }
    Ok(pieces)
}

pub(super) fn scrub(document: &mut Document, time_secs: f32) -> Result<Vec<Piece>, CommandError> {
    check::finite("a time", &[time_secs])?;
    let duration_secs = document.clip().ok_or(CommandError::NoClip)?.duration_secs();
    let time_secs = time_secs.clamp(0.0, duration_secs);
    let mut pieces = edit_playhead(document, |playhead| playhead.time_secs = time_secs);
    pieces.extend(take_from_clip(document));
    Ok(pieces)
}

pub(super) fn set_speed(document: &mut Document, speed: f32) -> Result<Vec<Piece>, CommandError> {
    if !(-10.0..=10.0).contains(&speed) {
        return Err(CommandError::BadValue { what: "the speed", value: speed, wanted: "from -10 to 10" });
    }
    Ok(edit_playhead(document, |playhead| playhead.speed = speed))
}

pub(super) fn edit_playhead(document: &mut Document, edit: impl FnOnce(&mut Playhead)) -> Vec<Piece> {
    let before = Piece::Playhead(*document.playhead());
    edit(document.playhead_mut());
    vec![before]
}

/// Rest, then the chosen clip over it.
fn take_from_clip(document: &mut Document) -> Vec<Piece> {
    let mut pose = document.character().rest_pose();
    if let Some(clip) = document.clip() {
        sample_clip(clip, document.playhead().time_secs, Wrap::Clamp, &mut pose);
    }
    replace(document, pose)
}

fn replace(document: &mut Document, pose: LocalPose) -> Vec<Piece> {
    vec![Piece::Pose(std::mem::replace(document.pose_mut(), pose))]
}

fn edit_joint(
    document: &mut Document,
    joint: u16,
    edit: impl FnOnce(&mut Transform),
) -> Result<Vec<Piece>, CommandError> {
    let joint = check::joint(document, joint)?;
    let transform = &mut document.pose_mut().joints[joint.index()];
    let before = Piece::Joint(joint, *transform);
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
    // One that is of unit length as near as makes no difference stays to the bit.
    let rotation = Quat::from_array(rotation);
    Ok(if (length - 1.0).abs() < 1e-5 { rotation } else { rotation.normalize() })
}
