//! The command table: the row of each command, and its label in the history.

use super::{
    Command, CommandInfo, clips, document, graph, helper_joints, keys, limit, meta_joint, play, pose,
    precompute, reach, rig, select, weights,
};

impl Command {
    /// The row of the command table: label, tooltip, journal key and flags.
    pub const fn info(&self) -> &'static CommandInfo {
        match self {
            Self::Open(_) => &document::OPEN,
            Self::SelectJoint(_) => &select::JOINT,
            Self::SelectVertices { .. } => &select::VERTICES,
            Self::SelectBy { by, .. } => by.info(),
            Self::ClearVertices => &select::CLEAR,
            Self::Lock { is_locked: true, .. } => &select::LOCK,
            Self::Lock { is_locked: false, .. } => &select::UNLOCK,
            Self::SetMethod(_) => &document::SET_METHOD,
            Self::Precompute(_) => &precompute::PRECOMPUTE,
            Self::Rotate { .. } => &pose::ROTATE,
            Self::Translate { .. } => &pose::TRANSLATE,
            Self::Scale { .. } => &pose::SCALE,
            Self::SetMorph { .. } => &pose::SET_MORPH,
            Self::Reach { .. } => &reach::REACH,
            Self::SetAngles { .. } => &meta_joint::SET_ANGLES,
            Self::SetLimit { limit: Some(_), .. } => &limit::SET,
            Self::SetLimit { limit: None, .. } => &limit::FREE,
            Self::EnforceLimits(true) => &limit::ENFORCE,
            Self::EnforceLimits(false) => &limit::IGNORE,
            Self::ResetJoint(_) => &pose::RESET_JOINT,
            Self::ResetPose => &pose::RESET,
            Self::PastePose(_) => &pose::PASTE,
            Self::MirrorPose => &pose::MIRROR,
            Self::ChooseClip(Some(_)) => &play::CHOOSE_CLIP,
            Self::ChooseClip(None) => &play::NO_CLIP,
            Self::Scrub { .. } => &play::SCRUB,
            Self::SetEnd(_) => &play::SET_END,
            Self::SetSpeed(_) => &play::SET_SPEED,
            Self::SetRange(_) => &play::SET_RANGE,
            Self::SetRate(_) => &play::SET_RATE,
            Self::SetMix(_) => &play::SET_MIX,
            Self::BakeMix { .. } => &play::BAKE_MIX,
            Self::OpenGraph { .. } => &graph::OPEN,
            Self::CloseGraph => &graph::CLOSE,
            Self::SetParameter { .. } => &graph::SET,
            Self::KeyPose => &keys::KEY_POSE,
            Self::KeyMetaJoint(_) => &keys::KEY_META_JOINT,
            Self::NewClip { .. } => &clips::NEW,
            Self::EditClip(edit) => edit.info(),
            Self::SetWeight { .. } => &weights::SET,
            Self::Weights { op, .. } => op.info(),
            Self::Paint(_) => &weights::PAINT,
            Self::PasteWeights { .. } => &weights::PASTE,
            Self::ReplaceWeights { .. } => &weights::REPLACE,
            Self::CompensateScale { is_compensated: true, .. } => &rig::COMPENSATE_SCALE,
            Self::CompensateScale { is_compensated: false, .. } => &rig::INHERIT_SCALE,
            Self::SplitJoint { .. } => &rig::SPLIT,
            Self::AddRolls { .. } => &helper_joints::ADD_ROLLS,
            Self::AddMuscle { .. } => &helper_joints::ADD_MUSCLE,
            Self::EditHelper { edit, .. } => edit.info(),
            Self::RemoveHelper(_) => &helper_joints::REMOVE,
            Self::BakeBind { .. } => &rig::BAKE_BIND,
            Self::Fix { code: Some(_), .. } => &rig::FIX,
            Self::Fix { code: None, .. } => &rig::FIX_ALL,
        }
    }

    /// The label in the history: that of the row, with the parameter that tells commands of one kind apart.
    pub fn name(&self) -> String {
        let label = self.info().label;
        match self {
            Self::Open(source) => format!("{label} {source}"),
            Self::SetMethod(name) | Self::Precompute(name) | Self::KeyMetaJoint(name) => {
                format!("{label} {name}")
            }
            Self::SetAngles { meta_joint, .. } => format!("{label} {meta_joint}"),
            Self::OpenGraph { name, .. } | Self::SetParameter { name, .. } | Self::NewClip { name, .. } => {
                format!("{label} {name}")
            }
            Self::Fix { code: Some(code), .. } => format!("{label} {code}"),
            Self::ReplaceWeights { name, .. } => name.clone(),
            Self::SelectJoint(_)
            | Self::SelectVertices { .. }
            | Self::SelectBy { .. }
            | Self::ClearVertices
            | Self::Lock { .. }
            | Self::Rotate { .. }
            | Self::Translate { .. }
            | Self::Scale { .. }
            | Self::SetMorph { .. }
            | Self::Reach { .. }
            | Self::SetLimit { .. }
            | Self::EnforceLimits(_)
            | Self::ResetJoint(_)
            | Self::ResetPose
            | Self::PastePose(_)
            | Self::MirrorPose
            | Self::ChooseClip(_)
            | Self::Scrub { .. }
            | Self::SetEnd(_)
            | Self::SetSpeed(_)
            | Self::SetRange(_)
            | Self::SetRate(_)
            | Self::SetMix(_)
            | Self::BakeMix { .. }
            | Self::CloseGraph
            | Self::KeyPose
            | Self::EditClip(_)
            | Self::SetWeight { .. }
            | Self::Weights { .. }
            | Self::Paint(_)
            | Self::PasteWeights { .. }
            | Self::CompensateScale { .. }
            | Self::SplitJoint { .. }
            | Self::AddRolls { .. }
            | Self::AddMuscle { .. }
            | Self::EditHelper { .. }
            | Self::RemoveHelper(_)
            | Self::BakeBind { .. }
            | Self::Fix { code: None, .. } => label.into(),
        }
    }
}
