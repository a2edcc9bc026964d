//! Dispatches each command to the function that edits the document.

use super::{
    Command, CommandError, clips, document, graph,
    helper_joints::{self, BoneJoints},
    keys, limit, meta_joint, play, pose, precompute, reach, rig, select, weights,
};
use crate::document::{Document, DocumentPiece};
use sinew::JointId;
use sinew_author::helper_joints::RollOptions;

impl Command {
    /// Edits `document` and returns the replaced pieces.
    ///
    /// # Errors
    /// If the command refers to something that does not exist or a value is out of range; the document is unchanged then.
    pub fn apply(&self, document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
        match self {
            Self::Open(source) => document::open(document, source),
            Self::SelectJoint(joint) => select::joint(document, *joint),
            Self::SelectVertices { instance, vertices, mode } => {
                select::vertices(document, *instance, vertices, *mode)
            }
            Self::SelectBy { by, mode } => select::by(document, *by, *mode),
            Self::ClearVertices => Ok(select::clear(document)),
            Self::Lock { joint, is_locked } => select::lock(document, *joint, *is_locked),
            Self::SetMethod(name) => document::set_method(document, name),
            Self::Precompute(method) => precompute::precompute(document, method),
            Self::Rotate { joint, rotation } => pose::rotate(document, *joint, *rotation),
            Self::Translate { joint, translation } => pose::translate(document, *joint, *translation),
            Self::Scale { joint, scale } => pose::scale(document, *joint, *scale),
            Self::SetMorph { slot, weight } => pose::set_morph(document, *slot, *weight),
            Self::Reach { joint, target, chain } => reach::reach(document, *joint, *target, *chain),
            Self::SetAngles { meta_joint, degrees } => meta_joint::set_angles(document, meta_joint, degrees),
            Self::SetLimit { joint, limit } => limit::set(document, *joint, *limit),
            Self::EnforceLimits(are_enforced) => Ok(limit::enforce(document, *are_enforced)),
            Self::ResetJoint(joint) => pose::reset_joint(document, *joint),
            Self::ResetPose => Ok(pose::reset(document)),
            Self::PastePose(data) => pose::paste(document, data),
            Self::MirrorPose => pose::mirror(document),
            Self::ChooseClip(clip) => play::choose_clip(document, *clip),
            Self::Scrub { time_secs } => play::scrub(document, *time_secs),
            Self::SetEnd(end) => Ok(play::edit(document, |playhead| playhead.end = *end)),
            Self::SetSpeed(speed) => play::set_speed(document, *speed),
            Self::SetRange(range_secs) => play::set_range(document, *range_secs),
            Self::SetRate(rate) => play::set_rate(document, *rate),
            Self::SetMix(mix) => play::set_mix(document, *mix),
            Self::BakeMix { fps } => play::bake_mix(document, *fps),
            Self::OpenGraph { name, text } => graph::open(document, name, text),
            Self::CloseGraph => Ok(graph::close(document)),
            Self::SetParameter { name, value } => graph::set(document, name, *value),
            Self::KeyPose => keys::key_pose(document),
            Self::KeyMetaJoint(name) => keys::key_meta_joint(document, name),
            Self::NewClip { name, duration_secs } => clips::new(document, name, *duration_secs),
            Self::EditClip(edit) => clips::edit(document, edit),
            Self::SetWeight { instance, vertices, joint, weight } => {
                weights::set(document, *instance, vertices, *joint, *weight)
            }
            Self::Weights { instances, op } => weights::operate(document, instances, op),
            Self::Paint(stroke) => weights::paint(document, stroke),
            Self::PasteWeights { instances, copied, is_mean } => {
                weights::paste(document, instances, copied, *is_mean)
            }
            Self::ReplaceWeights { instance, weights, more, .. } => {
                let more = more.iter().map(|(instance, weights)| (*instance, weights));
                weights::replace_all(document, [(*instance, weights)].into_iter().chain(more))
            }
            Self::CompensateScale { joint, is_compensated } => {
                rig::compensate_scale(document, *joint, *is_compensated)
            }
            Self::SplitJoint { instance, joint } => rig::split(document, *instance, *joint),
            Self::AddRolls { joint, child, count, at_start, max_influences } => {
                let end = helper_joints::twist_end(*at_start);
                let options = RollOptions { count: *count, end, max_influences: *max_influences };
                let bone = BoneJoints { start: JointId(*joint), end: JointId(*child) };
                helper_joints::rolls(document, bone, &options)
            }
            Self::AddMuscle { bone, source, muscle } => {
                let bone = BoneJoints { start: JointId(*bone), end: JointId(*source) };
                helper_joints::muscle(document, bone, *muscle)
            }
            Self::EditHelper { helper, edit } => helper_joints::edit(document, *helper, *edit),
            Self::RemoveHelper(helper) => helper_joints::remove(document, *helper),
            Self::BakeBind { instance } => rig::bake_bind(document, *instance),
            Self::Fix { code, target } => rig::fix(document, code.as_deref(), target.as_deref()),
        }
    }
}
