//! What is open and what has been done to it: everything that undo brings back, nothing that a window needs.

mod evaluation;
mod graph;
mod kept;
mod limits;
mod piece;
mod playhead;
mod selection;
mod source;

pub use evaluation::Evaluation;
pub use graph::OpenGraph;
pub use limits::{JointLimit, LimitAxis, LimitTable};
pub use piece::DocumentPiece;
pub use playhead::{AtEnd, Mix, PlaybackRate, Playhead};
pub use selection::DocumentSelection;
pub use source::{DocumentOpenError, DocumentSource, Opened};

use kept::RememberedSkins;
use sinew::{
    Character, CharacterError, CharacterParts, Clip, JointId, LocalPose, Mesh, MeshError, Method,
    Precomputed, Weights, Wrap, blend::PosePair, constrain::HelperJoint, sample_clip,
};
use sinew_author::weights::{
    VertexAdjacency,
    ops::{MirrorOptions, VertexMirrorMap},
};
use sinew_formats::{ImportReport, limits::put_limits};
use std::{collections::BTreeSet, sync::Arc};
use thiserror::Error;

/// Why an edited part does not fit the character.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EditError {
    /// There is no such mesh, or it has no weights.
    #[error("there is no mesh {mesh} with weights")]
    NoWeights {
        /// The mesh's place.
        mesh: usize,
    },
    /// The mesh refuses it.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The character refuses it.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// An open character with its pose, selection and settings. [`Command`](crate::command::Command)s are the only way to
/// change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    source: DocumentSource,
    report: Arc<ImportReport>,
    /// As it was opened.
    opened: Arc<Character>,
    character: Arc<Character>,
    pose: LocalPose,
    playhead: Playhead,
    method: Method,
    selection: DocumentSelection,
    locks: BTreeSet<JointId>,
    kept: RememberedSkins,
    limits: LimitTable,
    graph: Option<OpenGraph>,
}

impl Document {
    /// The character that was read from `source`, at rest, with nothing selected.
    pub fn new(source: DocumentSource, opened: Opened) -> Self {
        let Opened { character, report } = opened;
        Self {
            source,
            report: Arc::new(report),
            pose: character.rest_pose(),
            opened: Arc::clone(&character),
            limits: LimitTable::of(&character),
            character,
            playhead: Playhead::default(),
            method: Method::default(),
            selection: DocumentSelection::default(),
            locks: BTreeSet::new(),
            kept: RememberedSkins::default(),
            graph: None,
        }
    }

    /// Where the character came from.
    pub fn source(&self) -> &DocumentSource {
        &self.source
    }

    /// What had to be repaired when it was read.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }

    /// The character with all edits of weights and clips.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The character as it was opened, without any edit.
    pub fn opened_character(&self) -> &Arc<Character> {
        &self.opened
    }

    /// The pose that is shown while nothing plays.
    pub fn pose(&self) -> &LocalPose {
        &self.pose
    }

    /// Which clip is chosen, and where in it the pose was taken.
    pub fn playhead(&self) -> &Playhead {
        &self.playhead
    }

    /// The chosen clip.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.character.clips().get(self.playhead.clip?)
    }

    /// The chosen clip and the one that is mixed into it.
    pub fn pair(&self) -> Option<PosePair> {
        let mix = self.playhead.mix?;
        let (first, second) = (self.clip()?, self.character.clips().get(mix.clip)?);
        let apart = || PosePair::unsynchronized(Arc::clone(first), Arc::clone(second));
        if !mix.is_in_step {
            return Some(apart());
        }
        // What lasts no time has no step to keep.
        Some(PosePair::synchronized(Arc::clone(first), Arc::clone(second)).unwrap_or_else(|_| apart()))
    }

    /// The pose of the chosen clip, and what is mixed into it, at a moment: rest where neither moves a joint.
    pub fn pose_at(&self, time_secs: f32) -> LocalPose {
        let rest = self.character.rest_pose();
        let mut pose = rest.clone();
        match (self.pair(), self.playhead.mix, self.clip()) {
            (Some(pair), Some(mix), _) => {
                pair.sample((time_secs, mix.share), &rest, &mut Default::default(), &mut pose);
            }
            (_, _, Some(clip)) => sample_clip(clip, time_secs, Wrap::Clamp, &mut pose),
            _ => {}
        }
        pose
    }

    /// How the skin is deformed.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The selected joint and vertices.
    pub fn selection(&self) -> &DocumentSelection {
        &self.selection
    }

    /// Joints whose weights no command changes.
    pub fn locks(&self) -> &BTreeSet<JointId> {
        &self.locks
    }

    /// The weights of the mesh at `instance`; `None` where it has no skin.
    pub fn weights(&self, instance: usize) -> Option<&Arc<Weights>> {
        let instance = self.character.instances().get(instance)?;
        self.character.skin_of(instance)?;
        self.character.mesh_of(instance).weights()
    }

    /// Copies and neighbours of the vertices of the mesh at `instance`, found once; `None` where there is no such instance.
    pub fn ground(&self, instance: usize) -> Option<Arc<VertexAdjacency>> {
        let mesh = self.character.instances().get(instance)?.mesh;
        Some(self.kept.ground(mesh, &self.character.meshes()[mesh]))
    }

    /// Which points of the mesh at `instance` and which joints of its skin are partners across x, found once.
    pub fn mirror_map(&self, instance: usize) -> Option<Arc<VertexMirrorMap>> {
        let of = self.character.instances().get(instance)?;
        let (mesh, index) = (&self.character.meshes()[of.mesh], of.skin?);
        let skin = self.character.skins().get(index)?;
        let make = || VertexMirrorMap::new(mesh, self.character.skeleton(), skin, &MirrorOptions::default());
        Some(self.kept.mirror(of.mesh, mesh, index, make))
    }

    /// True where every skinned mesh has what `method` needs.
    pub fn is_ready(&self, method: Method) -> bool {
        is_ready(&self.character, method)
    }

    /// How far joints may turn, and whether that is kept.
    pub fn limits(&self) -> &LimitTable {
        &self.limits
    }

    /// The graph that plays in place of a clip.
    pub fn graph(&self) -> Option<&OpenGraph> {
        self.graph.as_ref()
    }

    /// The character as it is written to a file: with everything of the document that a file has a place for.
    ///
    /// # Errors
    /// Where the character refuses it.
    pub fn to_saved(&self) -> Result<Character, EditError> {
        let mut parts = self.character.parts().clone();
        let mut limits = self.limits.joints.clone();
        // What was mended may have fewer joints.
        limits.retain(|joint, _| joint.index() < self.character.skeleton().len());
        put_limits(&mut parts.extras, &limits);
        Ok(Character::new(parts)?)
    }

    pub(crate) fn limits_mut(&mut self) -> &mut LimitTable {
        &mut self.limits
    }

    pub(crate) fn graph_mut(&mut self) -> &mut Option<OpenGraph> {
        &mut self.graph
    }

    pub(crate) fn pose_mut(&mut self) -> &mut LocalPose {
        &mut self.pose
    }

    pub(crate) fn playhead_mut(&mut self) -> &mut Playhead {
        &mut self.playhead
    }

    pub(crate) fn selection_mut(&mut self) -> &mut DocumentSelection {
        &mut self.selection
    }

    pub(crate) fn locks_mut(&mut self) -> &mut BTreeSet<JointId> {
        &mut self.locks
    }

    pub(crate) fn set_method(&mut self, method: Method) {
        self.method = method;
    }

    /// Gives the mesh at `mesh` other weights, with what was made beforehand for them, and returns what it had.
    ///
    /// # Errors
    /// Where the weights do not fit the mesh or its skins.
    pub(crate) fn swap_weights(
        &mut self,
        mesh: usize,
        weights: Arc<Weights>,
        precomputed: Precomputed,
    ) -> Result<(Arc<Weights>, Precomputed), EditError> {
        let old = self.character.meshes().get(mesh).ok_or(EditError::NoWeights { mesh })?;
        let had = old.weights().ok_or(EditError::NoWeights { mesh })?;
        let before = (Arc::clone(had), old.precomputed().clone());
        let edited = Mesh::clone(old).with_weights(weights, precomputed)?;
        self.edit_character(|parts| parts.meshes[mesh] = Arc::new(edited))?;
        Ok(before)
    }

    /// Puts other clips in place of those there are, and returns these.
    ///
    /// # Errors
    /// Where a clip moves a joint or a shape that is not there.
    pub(crate) fn swap_clips(&mut self, clips: Vec<Arc<Clip>>) -> Result<Vec<Arc<Clip>>, EditError> {
        let before = self.character.clips().to_vec();
        self.edit_character(|parts| parts.clips = clips)?;
        Ok(before)
    }

    /// Puts other helpers in place of those there are, and returns these.
    ///
    /// # Errors
    /// Where a helper does not fit the skeleton.
    pub(crate) fn swap_helpers(&mut self, helpers: Vec<HelperJoint>) -> Result<Vec<HelperJoint>, EditError> {
        let before = self.character.helpers().to_vec();
        self.edit_character(|parts| parts.helpers = helpers)?;
        Ok(before)
    }

    /// Puts another character, such as one with more joints, in the place of the one there is, in `pose`; returns what was there.
    ///
    /// The pose must be of that character.
    pub(crate) fn swap_character(
        &mut self,
        character: Arc<Character>,
        pose: LocalPose,
    ) -> (Arc<Character>, LocalPose) {
        // Mirror partners are found by joints too.
        self.kept = RememberedSkins::default();
        (std::mem::replace(&mut self.character, character), std::mem::replace(&mut self.pose, pose))
    }

    fn edit_character(&mut self, edit: impl FnOnce(&mut CharacterParts)) -> Result<(), EditError> {
        // Meshes, skins, clips and pictures are shared: only lists are copied.
        let mut parts = self.character.parts().clone();
        edit(&mut parts);
        self.character = Arc::new(Character::new(parts)?);
        Ok(())
    }
}

/// True where every skinned mesh of `character` has what `method` needs.
fn is_ready(character: &Character, method: Method) -> bool {
    let mut skinned = character.instances().iter().filter(|i| character.skin_of(i).is_some());
    skinned.all(|instance| method.is_ready(character.mesh_of(instance).precomputed()))
}
