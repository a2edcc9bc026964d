//! Parts of a document that can be put back.

use super::{Document, DocumentSelection, EditError, LimitTable, OpenGraph, Playhead};
use sinew::{
    Character, Clip, JointId, LocalPose, Method, Precomputed, Transform, Weights, constrain::HelperJoint,
};
use std::{collections::BTreeSet, mem::swap, sync::Arc};

/// A part of a document as it was at some moment.
///
/// Undo and redo exchange a piece with what the document has: what was there comes back to the bit, whatever the command
/// computed.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentPiece {
    /// One joint of the pose.
    Joint(JointId, Transform),
    /// The whole pose.
    Pose(LocalPose),
    /// The weights of the mesh at a place, with what was made beforehand for them.
    Weights {
        /// The mesh's place.
        mesh: usize,
        /// Its weights.
        weights: Arc<Weights>,
        /// What methods need that depends on the weights.
        precomputed: Box<Precomputed>,
    },
    /// The whole character with its pose, where joints or shapes changed.
    Character(Arc<Character>, LocalPose),
    /// Every clip.
    Clips(Vec<Arc<Clip>>),
    /// Every helper, where no joint changed.
    Helpers(Vec<HelperJoint>),
    /// The chosen clip and moment.
    Playhead(Playhead),
    /// The selection.
    Selection(DocumentSelection),
    /// The locked joints.
    Locks(BTreeSet<JointId>),
    /// How far joints may turn.
    Limits(LimitTable),
    /// The graph that plays.
    Graph(Option<OpenGraph>),
    /// The way to deform.
    Method(Method),
    /// All of it: another character was opened.
    Document(Box<Document>),
}

impl DocumentPiece {
    /// Exchanges the piece with what `document` has in its place.
    ///
    /// # Errors
    /// Where the piece is of another document; nothing has changed then.
    pub fn exchange(&mut self, document: &mut Document) -> Result<(), EditError> {
        match self {
            Self::Joint(joint, transform) => {
                if let Some(place) = document.pose.joints.get_mut(joint.index()) {
                    swap(place, transform);
                }
            }
            Self::Pose(pose) => swap(&mut document.pose, pose),
            Self::Weights { mesh, weights, precomputed } => {
                let (old, made) =
                    document.swap_weights(*mesh, Arc::clone(weights), (**precomputed).clone())?;
                (*weights, **precomputed) = (old, made);
            }
            Self::Character(character, pose) => {
                let before = document.swap_character(Arc::clone(character), pose.clone());
                (*character, *pose) = before;
            }
            Self::Clips(clips) => *clips = document.swap_clips(clips.clone())?,
            Self::Helpers(helpers) => *helpers = document.swap_helpers(helpers.clone())?,
            Self::Playhead(playhead) => swap(&mut document.playhead, playhead),
            Self::Selection(selection) => swap(&mut document.selection, selection),
            Self::Locks(locks) => swap(&mut document.locks, locks),
            Self::Limits(limits) => swap(&mut document.limits, limits),
            Self::Graph(graph) => swap(&mut document.graph, graph),
            Self::Method(method) => swap(&mut document.method, method),
            Self::Document(other) => swap(document, other),
        }
        Ok(())
    }
}
