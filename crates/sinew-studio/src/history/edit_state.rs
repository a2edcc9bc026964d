//! Tells states of documents apart by what a user could lose.

use crate::{
    command::{Command, Touches},
    document::{Document, DocumentPiece},
};
use std::sync::Arc;

/// What a step changed of what a user could lose. Selections and settings are not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepChange {
    /// Another document is open.
    pub(crate) is_other_document: bool,
    /// The content that a file holds: weights, clips, joints, limits.
    pub(crate) is_file: bool,
    pub(crate) pose: PoseChange,
}

/// What a step changed about the pose, which no file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PoseChange {
    #[default]
    None,
    /// Joints were posed by hand.
    Posed,
    /// The pose is the rest pose or that of a clip.
    NothingToLose,
}

impl StepChange {
    /// The change of a `command` that replaced `pieces` of the `document`.
    pub(crate) fn of(command: &Command, pieces: &[DocumentPiece], document: &Document) -> Self {
        let is_posed = command.info().touches == Touches::Pose;
        let has_pose = || pieces.iter().any(|piece| matches!(piece, DocumentPiece::Pose(_)));
        let pose = if is_keyed(command, document) {
            PoseChange::NothingToLose
        } else if is_posed && *document.pose() != document.character().rest_pose() {
            PoseChange::Posed
        } else if is_posed || has_pose() {
            PoseChange::NothingToLose
        } else {
            PoseChange::None
        };
        Self {
            is_other_document: pieces.iter().any(|piece| matches!(piece, DocumentPiece::Document(_))),
            is_file: pieces.iter().any(|piece| is_saved(piece, document)),
            pose,
        }
    }
}

/// True if the whole pose is in the clip after `command`.
fn is_keyed(command: &Command, document: &Document) -> bool {
    // A meta-joint may be all that was posed, or a part of it.
    let is_in_clip = || document.pose_at(document.playhead().time_secs) == *document.pose();
    match command {
        Command::KeyPose => true,
        command => matches!(command, Command::KeyMetaJoint(_)) && is_in_clip(),
    }
}

/// True if a file holds what replaced `before`, and it differs.
fn is_saved(before: &DocumentPiece, document: &Document) -> bool {
    match before {
        DocumentPiece::Weights { mesh, weights, .. } => {
            let now = document.character().meshes().get(*mesh).and_then(|mesh| mesh.weights());
            // Precomputed data comes with the same weights, and is not saved.
            now.is_none_or(|now| !Arc::ptr_eq(now, weights))
        }
        DocumentPiece::Limits(limits) => limits.joints != document.limits().joints,
        DocumentPiece::Character(..) | DocumentPiece::Clips(_) | DocumentPiece::Helpers(_) => true,
        DocumentPiece::Joint(..)
        | DocumentPiece::Pose(_)
        | DocumentPiece::Playhead(_)
        | DocumentPiece::Selection(_)
        | DocumentPiece::Locks(_)
        | DocumentPiece::Graph(_)
        | DocumentPiece::Method(_)
        | DocumentPiece::Document(_) => false,
    }
}

/// Identifies the open document, its content and its pose. Undo returns to the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditState {
    /// The open document: 0 for the first, then the number of the step that opened it.
    pub(crate) document: u64,
    /// The step that last changed what a file holds; equal to `document` as opened.
    pub(crate) file: u64,
    /// The step that last posed by hand; 0 if there is no pose to lose.
    pub(crate) pose: u64,
}

impl EditState {
    /// The state of a document as it was opened.
    pub(crate) fn opened(document: u64) -> Self {
        Self { document, file: document, pose: 0 }
    }

    /// The state after a change with the unique number `step`.
    pub(super) fn after(self, change: StepChange, step: u64) -> Self {
        if change.is_other_document {
            return Self::opened(step);
        }
        let file = if change.is_file { step } else { self.file };
        let pose = match change.pose {
            PoseChange::None => self.pose,
            PoseChange::Posed => step,
            PoseChange::NothingToLose => 0,
        };
        Self { file, pose, ..self }
    }
}
