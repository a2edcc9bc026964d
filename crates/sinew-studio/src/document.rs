//! The open document: everything that undo restores, independent of any window.

mod evaluation;
mod graph;
mod limits;
mod mesh_cache;
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

use mesh_cache::MeshCache;
use sinew::{
    Character, CharacterError, CharacterParts, Clip, JointId, LocalPose, Mesh, MeshError, Method,
    Precomputed, Skin, Weights, Wrap,
    blend::{PairPosition, PosePair},
    constrain::{HelperJoint, MetaJoint},
    sample_clip,
};
use sinew_author::weights::{
    MuscleSlots, VertexAdjacency,
    ops::{MirrorOptions, VertexMirrorMap},
};
use sinew_formats::{ImportReport, joint_limits::put_limits, meta_joints::meta_joints_of};
use std::{collections::BTreeSet, sync::Arc};
use thiserror::Error;

/// Why an edit does not fit the character.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EditError {
    /// The mesh does not exist or has no weights.
    #[error("there is no mesh {mesh} with weights")]
    NoWeights {
        /// The index of the mesh.
        mesh: usize,
    },
    /// The mesh rejects the edit.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The character rejects the edit.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// An open character with its pose, selection and settings. Only [`Command`](crate::command::Command)s change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    source: DocumentSource,
    report: Arc<ImportReport>,
    /// The character as opened, without edits.
    opened: Arc<Character>,
    character: Arc<Character>,
    pose: LocalPose,
    playhead: Playhead,
    method: Method,
    selection: DocumentSelection,
    locks: BTreeSet<JointId>,
    mesh_cache: MeshCache,
    limits: LimitTable,
    meta_joints: Arc<[MetaJoint]>,
    graph: Option<OpenGraph>,
}

impl Document {
    /// A document of an opened character in its rest pose, with nothing selected.
    pub fn new(source: DocumentSource, opened: Opened) -> Self {
        let Opened { character, report } = opened;
        Self {
            source,
            report: Arc::new(report),
            pose: character.rest_pose(),
            opened: Arc::clone(&character),
            limits: LimitTable::of(&character),
            meta_joints: meta_joints_of(character.extras(), character.skeleton()).into(),
            method: character.method_or_recommended(None),
            character,
            playhead: Playhead::default(),
            selection: DocumentSelection::default(),
            locks: BTreeSet::new(),
            mesh_cache: MeshCache::default(),
            graph: None,
        }
    }

    /// The source of the character.
    pub fn source(&self) -> &DocumentSource {
        &self.source
    }

    /// The findings of the import, empty for built-in characters.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }

    /// The character with all edits.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The character as opened, without edits.
    pub fn opened_character(&self) -> &Arc<Character> {
        &self.opened
    }

    /// The pose that is shown while playback is stopped.
    pub fn pose(&self) -> &LocalPose {
        &self.pose
    }

    /// The chosen clip, the current time and the playback settings.
    pub fn playhead(&self) -> &Playhead {
        &self.playhead
    }

    /// The clip that is chosen for playback; `None` if there is none.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.character.clips().get(self.playhead.clip?)
    }

    /// The chosen clip and the clip that is blended into it.
    pub fn pair(&self) -> Option<PosePair> {
        let mix = self.playhead.mix?;
        let (first, second) = (self.clip()?, self.character.clips().get(mix.clip)?);
        let unsynchronized = || PosePair::unsynchronized(Arc::clone(first), Arc::clone(second));
        if !mix.is_synchronized {
            return Some(unsynchronized());
        }
        // Clips without duration cannot be synchronized.
        Some(
            PosePair::synchronized(Arc::clone(first), Arc::clone(second))
                .unwrap_or_else(|_| unsynchronized()),
        )
    }

    /// The pose of the chosen clip and the blended clip at a time; joints without keys are in their rest pose.
    pub fn pose_at(&self, time_secs: f32) -> LocalPose {
        let rest = self.character.rest_pose();
        let mut pose = rest.clone();
        match (self.pair(), self.playhead.mix, self.clip()) {
            (Some(pair), Some(mix), _) => {
                let at = PairPosition { time_secs, weight: mix.weight };
                pair.sample(at, &rest, &mut Default::default(), &mut pose);
            }
            (_, _, Some(clip)) => sample_clip(clip, time_secs, Wrap::Clamp, &mut pose),
            _ => {}
        }
        pose
    }

    /// The method that deforms the skin.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The selected joint and vertices.
    pub fn selection(&self) -> &DocumentSelection {
        &self.selection
    }

    /// The joints whose weights are locked.
    pub fn locks(&self) -> &BTreeSet<JointId> {
        &self.locks
    }

    /// The weights of the mesh of an instance; `None` if it has no skin.
    pub fn weights(&self, instance: usize) -> Option<&Arc<Weights>> {
        let instance = self.character.instances().get(instance)?;
        self.character.skin_of(instance)?;
        self.character.mesh_of(instance).weights()
    }

    /// True if `joint` is a muscle of any skin: its weights do not count toward the sum of one.
    pub fn is_muscle(&self, joint: JointId) -> bool {
        let is_in = |(index, skin): (usize, &Arc<Skin>)| {
            let slot = skin.slot_of(joint);
            slot.is_some_and(|slot| MuscleSlots::of_character(&self.character, index).holds(slot))
        };
        self.character.skins().iter().enumerate().any(is_in)
    }

    /// The vertex adjacency of the mesh of an instance, computed once; `None` if the instance does not exist.
    pub fn adjacency(&self, instance: usize) -> Option<Arc<VertexAdjacency>> {
        let mesh = self.character.instances().get(instance)?.mesh;
        Some(self.mesh_cache.adjacency(mesh, &self.character.meshes()[mesh]))
    }

    /// The mirror map of the vertices and joints of an instance across x = 0, computed once.
    pub fn mirror_map(&self, instance: usize) -> Option<Arc<VertexMirrorMap>> {
        let of = self.character.instances().get(instance)?;
        let (mesh, index) = (&self.character.meshes()[of.mesh], of.skin?);
        let skin = self.character.skins().get(index)?;
        let make = || VertexMirrorMap::new(mesh, self.character.skeleton(), skin, &MirrorOptions::default());
        Some(self.mesh_cache.mirror(of.mesh, mesh, index, make))
    }

    /// True if every skinned mesh has the precomputed data of `method`.
    pub fn is_ready(&self, method: Method) -> bool {
        is_ready(&self.character, method)
    }

    /// The joint limits, and whether they are enforced.
    pub fn limits(&self) -> &LimitTable {
        &self.limits
    }

    /// The meta-joints of the character, by name.
    pub fn meta_joints(&self) -> &[MetaJoint] {
        &self.meta_joints
    }

    /// The blend graph that plays in place of a clip.
    pub fn graph(&self) -> Option<&OpenGraph> {
        self.graph.as_ref()
    }

    /// The character to write to a file, with joint limits in its extras.
    ///
    /// # Errors
    /// If the character rejects the extras.
    pub fn to_saved(&self) -> Result<Character, EditError> {
        let mut parts = self.character.parts().clone();
        let mut limits = self.limits.joints.clone();
        // A fixed character may have fewer joints.
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

    /// Replaces the weights of a mesh and the data precomputed for them; returns the old ones.
    ///
    /// # Errors
    /// If the weights do not fit the mesh or its skins.
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

    /// Replaces all clips; returns the old ones.
    ///
    /// # Errors
    /// If a clip animates a joint or a morph target that does not exist.
    pub(crate) fn swap_clips(&mut self, clips: Vec<Arc<Clip>>) -> Result<Vec<Arc<Clip>>, EditError> {
        let before = self.character.clips().to_vec();
        self.edit_character(|parts| parts.clips = clips)?;
        Ok(before)
    }

    /// Replaces all helpers; returns the old ones.
    ///
    /// # Errors
    /// If a helper does not fit the skeleton.
    pub(crate) fn swap_helpers(&mut self, helpers: Vec<HelperJoint>) -> Result<Vec<HelperJoint>, EditError> {
        let before = self.character.helpers().to_vec();
        self.edit_character(|parts| parts.helpers = helpers)?;
        Ok(before)
    }

    /// Replaces the character and the pose, which must belong to it; returns the old ones.
    pub(crate) fn swap_character(
        &mut self,
        character: Arc<Character>,
        pose: LocalPose,
    ) -> (Arc<Character>, LocalPose) {
        // Mirror maps depend on the joints too.
        self.mesh_cache = MeshCache::default();
        // Joints may have other numbers and rest poses.
        self.meta_joints = meta_joints_of(character.extras(), character.skeleton()).into();
        (std::mem::replace(&mut self.character, character), std::mem::replace(&mut self.pose, pose))
    }

    fn edit_character(&mut self, edit: impl FnOnce(&mut CharacterParts)) -> Result<(), EditError> {
        // Meshes, skins, clips and images are shared: only the lists are copied.
        let mut parts = self.character.parts().clone();
        edit(&mut parts);
        self.character = Arc::new(Character::new(parts)?);
        Ok(())
    }
}

/// True if every skinned mesh of `character` has the precomputed data of `method`.
fn is_ready(character: &Character, method: Method) -> bool {
    let mut skinned = character.instances().iter().filter(|i| character.skin_of(i).is_some());
    skinned.all(|instance| method.is_ready(character.mesh_of(instance).precomputed()))
}
