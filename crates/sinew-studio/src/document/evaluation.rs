//! Posing and deforming the document's character.

use super::{Document, is_ready};
use sinew::{Character, DeformError, Frame, LocalPose, Method};
use std::sync::Arc;

/// Buffers with the pose and the deformed vertices of a document.
#[derive(Clone, Debug)]
pub struct Evaluation {
    frame: Frame,
}

impl Evaluation {
    /// New buffers for the character of `document`.
    pub fn new(document: &Document) -> Self {
        Self { frame: Frame::new(Arc::clone(document.character())) }
    }

    /// Poses and deforms the character of `document` in `pose`, or in the document's own pose.
    ///
    /// Falls back to linear blend skinning if a mesh lacks data of the document's method. Returns the method that ran.
    ///
    /// # Errors
    /// If `pose` belongs to another character.
    pub fn follow(&mut self, document: &Document, pose: Option<&LocalPose>) -> Result<Method, DeformError> {
        self.follow_character(document.method(), document.character(), pose.unwrap_or(document.pose()))
    }

    /// Poses and deforms any character by `wanted`, or by linear blend skinning if it lacks the method's data. A pose of
    /// another skeleton is ignored.
    ///
    /// # Errors
    /// If a mesh does not fit its skin.
    pub fn follow_character(
        &mut self,
        wanted: Method,
        character: &Arc<Character>,
        pose: &LocalPose,
    ) -> Result<Method, DeformError> {
        let method = self.pose_only(wanted, character, pose)?;
        self.frame.deform(method)?;
        Ok(method)
    }

    /// Like [`Evaluation::follow_character`], but leaves the vertices as they are: the GPU deforms its own copy.
    ///
    /// # Errors
    /// As for [`Evaluation::follow_character`].
    pub fn pose_only(
        &mut self,
        wanted: Method,
        character: &Arc<Character>,
        pose: &LocalPose,
    ) -> Result<Method, DeformError> {
        let starts_over = !self.character().shares_rig(character);
        self.frame.set_character(Arc::clone(character));
        if starts_over {
            self.frame.deform(Method::Linear)?;
        }
        if pose.joints.len() == character.skeleton().len() && self.frame.local() != pose {
            self.frame.local_mut().copy_from(pose);
        }
        let method = if is_ready(character, wanted) { wanted } else { Method::Linear };
        self.frame.update_palettes(method);
        Ok(method)
    }

    /// The pose and the vertices of the last [`Evaluation::follow`].
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The character of the frame.
    pub fn character(&self) -> &Arc<Character> {
        self.frame.character()
    }
}
