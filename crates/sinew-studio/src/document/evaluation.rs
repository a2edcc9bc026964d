//! The document's character, posed and deformed.

use super::Document;
use sinew::{Character, DeformError, Frame, LocalPose, Mesh, Method};
use std::sync::Arc;

/// Buffers that follow a document: its pose and its deformed skin.
#[derive(Clone, Debug)]
pub struct Evaluation {
    character: Arc<Character>,
    frame: Frame,
    /// True where weights have changed since the frame packed them: the plain loops serve, which need no packing.
    is_loose: bool,
}

impl Evaluation {
    /// Buffers for the character of `document`.
    pub fn new(document: &Document) -> Self {
        let character = Arc::clone(document.character());
        Self { frame: Frame::new(&character), character, is_loose: false }
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
        let is_same = Arc::ptr_eq(&self.character, document.character());
        if !is_same && has_same_rig(&self.character, document.character()) {
            // A dab of a brush: packing a large mesh again would take longer than all the rest.
            (self.character, self.is_loose) = (Arc::clone(document.character()), true);
        } else if !is_same {
            *self = Self::new(document);
        }
        let pose = pose.filter(|p| p.joints.len() == self.character.skeleton().len());
        let pose = pose.unwrap_or(document.pose());
        if is_same && self.is_loose && self.frame.local() != pose {
            // Posing goes on for many frames: now packing pays.
            *self = Self::new(document);
        }
        self.frame.local_mut().copy_from(pose);
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

/// True where nothing but weights and what was made for them differs.
fn has_same_rig(one: &Character, other: &Character) -> bool {
    let kind = |mesh: &Mesh| mesh.weights().map(|weights| weights.sum_kind());
    let is_same_mesh = |(a, b): (&Arc<Mesh>, &Arc<Mesh>)| a.shares_shape(b) && kind(a) == kind(b);
    Arc::ptr_eq(one.skeleton(), other.skeleton())
        && one.instances() == other.instances()
        && one.skins().len() == other.skins().len()
        && one.skins().iter().zip(other.skins()).all(|(a, b)| Arc::ptr_eq(a, b))
        && one.meshes().len() == other.meshes().len()
        && one.meshes().iter().zip(other.meshes()).all(is_same_mesh)
}
