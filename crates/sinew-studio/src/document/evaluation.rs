//! The document's character, posed and deformed.

use super::{Document, is_ready};
use sinew::{Character, DeformError, Frame, LocalPose, Method};
use std::sync::Arc;

/// Buffers that follow a document: its pose and its deformed skin.
#[derive(Clone, Debug)]
pub struct Evaluation {
    frame: Frame,
}

impl Evaluation {
    /// Buffers for the character of `document`.
    pub fn new(document: &Document) -> Self {
        Self { frame: Frame::new(Arc::clone(document.character())) }
    }

    /// Brings everything up to `document`, in `pose` where one is given and in its own otherwise.
    ///
    /// Where a mesh lacks what the document's method needs, linear blend serves; the method that was used is returned.
    ///
    /// # Errors
    /// Where `pose` is of another character.
    pub fn follow(&mut self, document: &Document, pose: Option<&LocalPose>) -> Result<Method, DeformError> {
        self.follow_character(document.method(), document.character(), pose.unwrap_or(document.pose()))
    }

    /// Poses and deforms any character by `wanted`, or by linear blend where it lacks what that needs. A pose of another
    /// skeleton leaves it at rest.
    ///
    /// # Errors
    /// Where a mesh does not fit its skin.
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

    /// As [`Evaluation::follow_character`] without vertices: they stay where they were, for a card that moves its own.
    ///
    /// # Errors
    /// As [`Evaluation::follow_character`].
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

    /// The pose and vertices of the last [`Evaluation::follow`].
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The character that the frame is of.
    pub fn character(&self) -> &Arc<Character> {
        self.frame.character()
    }
}
