//! The document's character, posed and deformed.

use super::Document;
use sinew::{Character, DeformError, Frame, LocalPose, Method};
use std::sync::Arc;

/// Buffers that follow a document: its pose and its deformed skin.
#[derive(Clone, Debug)]
pub struct Evaluation {
    character: Arc<Character>,
    frame: Frame,
}

impl Evaluation {
    /// Buffers for the character of `document`.
    pub fn new(document: &Document) -> Self {
        let character = Arc::clone(document.character());
        Self { frame: Frame::new(&character), character }
    }

    /// Brings everything up to `document`, in `pose` where one is given and in its own otherwise.
    ///
    /// Where a mesh lacks what the document's method needs, linear blend serves; the method that was used is returned.
    ///
    /// # Errors
    /// Where `pose` is of another character.
    pub fn follow(&mut self, document: &Document, pose: Option<&LocalPose>) -> Result<Method, DeformError> {
        self.follow_by(document.method(), document, pose)
    }

    /// As [`Evaluation::follow`], deformed by `wanted` in place of the document's method.
    ///
    /// # Errors
    /// As [`Evaluation::follow`].
    pub fn follow_by(
        &mut self,
        wanted: Method,
        document: &Document,
        pose: Option<&LocalPose>,
    ) -> Result<Method, DeformError> {
        if !Arc::ptr_eq(&self.character, document.character()) {
            *self = Self::new(document);
        }
        let pose = pose.filter(|p| p.joints.len() == self.character.skeleton().len());
        self.frame.local_mut().copy_from(pose.unwrap_or(document.pose()));
        self.frame.update(&self.character);
        let method = if document.is_ready(wanted) { wanted } else { Method::Linear };
        self.frame.deform(&self.character, method)?;
        Ok(method)
    }

    /// The pose and vertices of the last [`Evaluation::follow`].
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The character that the frame is of.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }
}
