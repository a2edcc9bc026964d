//! The document's character, posed and deformed.

use super::{Document, is_ready};
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
        Self::of(document.character())
    }

    fn of(character: &Arc<Character>) -> Self {
        Self { frame: Frame::new(character), character: Arc::clone(character), is_loose: false }
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
        self.frame.deform(&self.character, method)?;
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
        let is_same = Arc::ptr_eq(&self.character, character);
        let fits = pose.joints.len() == character.skeleton().len();
        if !is_same && has_same_rig(&self.character, character) {
            // A dab of a brush: packing a large mesh again would take longer than all the rest.
            self.is_loose |= !shares_meshes(&self.character, character);
            self.character = Arc::clone(character);
        } else if !is_same || (self.is_loose && fits && self.frame.local() != pose) {
            // Posing goes on for many frames: now packing pays.
            *self = Self::of(character);
            self.frame.deform(&self.character, Method::Linear)?;
        }
        if fits {
            self.frame.local_mut().copy_from(pose);
        }
        self.frame.update(&self.character);
        let method = if is_ready(character, wanted) { wanted } else { Method::Linear };
        self.frame.update_palettes(&self.character, method)?;
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

/// True where every mesh is the very same, as it is after an edit of helpers or clips.
fn shares_meshes(one: &Character, other: &Character) -> bool {
    one.meshes().iter().zip(other.meshes()).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// True where nothing but weights and what was made for them differs.
pub(crate) fn has_same_rig(one: &Character, other: &Character) -> bool {
    let kind = |mesh: &Mesh| mesh.weights().map(|weights| weights.sum_kind());
    let is_same_mesh = |(a, b): (&Arc<Mesh>, &Arc<Mesh>)| a.shares_shape(b) && kind(a) == kind(b);
    Arc::ptr_eq(one.skeleton(), other.skeleton())
        && one.instances() == other.instances()
        && one.skins().len() == other.skins().len()
        && one.skins().iter().zip(other.skins()).all(|(a, b)| Arc::ptr_eq(a, b))
        && one.meshes().len() == other.meshes().len()
        && one.meshes().iter().zip(other.meshes()).all(is_same_mesh)
}
