//! Parts of a document that undo restores.

use super::{Document, DocumentSelection, EditError, LimitTable, OpenGraph, Playhead};
use sinew::{
    Character, Clip, JointId, LocalPose, Method, Precomputed, Transform, Weights, constrain::HelperJoint,
};
use std::{collections::BTreeSet, mem::swap, sync::Arc};

/// A part of a document as it was before a command.
///
/// Undo and redo exchange a piece with the current state of the document, so the earlier state returns bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentPiece {
    /// The transform of one joint.
    Joint(JointId, Transform),
    /// The local transforms of every joint and the weights of every morph target.
    Pose(LocalPose),
    /// The weights of a mesh with the data precomputed for them.
    Weights {
        /// The index of the mesh.
        mesh: usize,
        /// The weights of the mesh.
        weights: Arc<Weights>,
        /// Precomputed data of deformation methods that depends on the weights.
        precomputed: Box<Precomputed>,
    },
    /// The whole character with its pose, if joints or meshes changed.
    Character(Arc<Character>, LocalPose),
    /// Every clip of the character.
    Clips(Vec<Arc<Clip>>),
    /// Every helper, if no joint changed.
    Helpers(Vec<HelperJoint>),
    /// The chosen clip, the current time and the playback settings.
    Playhead(Playhead),
    /// The selected joint and vertices.
    Selection(DocumentSelection),
    /// The joints whose weights are locked.
    Locks(BTreeSet<JointId>),
    /// The joint limits, and whether they are enforced.
    Limits(LimitTable),
    /// The open blend graph.
    Graph(Option<OpenGraph>),
    /// The method that deforms the skin.
    Method(Method),
    /// The whole document, if another character was opened.
    Document(Box<Document>),
}

impl DocumentPiece {
    /// Exchanges the piece with the current state of `document`.
    ///
    /// # Errors
    /// If the piece belongs to another document; nothing changes then.
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
