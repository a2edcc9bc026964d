//! What all instances of one character share.

use super::{DetailId, Instance, SharedPoses, detail::Detail};
use crate::{
    asset::{
        character::Character,
        compact::{CompactClip, CompactError, CompactOptions},
        skin::Skin,
    },
    blend::{
        Mask,
        graph::{Graph, GraphDef, GraphError, Motion},
    },
    identity::{Identity, IdentityHasher},
    pose::LocalPose,
    sample::{EventWindow, RootTrack},
};
use std::sync::Arc;
use thiserror::Error;

/// A clip of an [`Archetype`].
///
/// It carries the identity of its archetype, so that another archetype refuses it. Archetypes that were made from equal
/// characters have equal identities and share their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MotionId {
    index: u32,
    archetype: Identity,
    motion: Identity,
}

/// A graph of an [`Archetype`]. It carries the identity of the graph, so that another one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId {
    index: u32,
    graph: Identity,
}

/// A character with its clips ready to play, and graphs over them. Cheap to clone: everything large is shared.
///
/// `compressed_archetype` of `sinew-author` makes one that plays compressed clips, which is what to ship.
#[doc(alias = "prefab")]
#[derive(Clone, Debug)]
pub struct Archetype {
    character: Arc<Character>,
    rest: LocalPose,
    motions: Vec<Motion>,
    tracks: Vec<MotionTracks>,
    graphs: Vec<Arc<Graph>>,
    /// The name of each graph; empty for one that was added without.
    graph_names: Vec<String>,
    details: Vec<Arc<Detail>>,
    shared: Vec<Arc<SharedPoses>>,
    identity: Identity,
}

/// What is found in a clip once.
#[derive(Clone, Debug)]
struct MotionTracks {
    root: Option<Arc<RootTrack>>,
    windows: Arc<[EventWindow]>,
    identity: Identity,
}

impl MotionTracks {
    fn of(motion: &Motion) -> Self {
        let mut hasher = IdentityHasher::new();
        hash_motion(motion, &mut hasher);
        Self {
            root: RootTrack::among(motion.metas()).map(Arc::new),
            windows: EventWindow::all_of(motion.events()).into(),
            identity: hasher.finish(),
        }
    }
}

/// Why an archetype refuses a clip.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ArchetypeError {
    /// The clip animates more joints or morph weights than the character has.
    #[error(
        "clip {clip:?} animates {joints} joints and {morphs} morph weights, character {character:?} has \
         {character_joints} and {character_morphs}"
    )]
    TooLarge {
        /// Name of the clip.
        clip: String,
        /// How many joints a pose must have for the clip.
        joints: usize,
        /// How many morph weights a pose must have for the clip.
        morphs: usize,
        /// Name of the character.
        character: String,
        /// How many joints the character has.
        character_joints: usize,
        /// How many morph weights the character has.
        character_morphs: usize,
    },
    /// The joint numbers of the clip are those of another skeleton.
    #[error(
        "clip {clip:?} was made for another skeleton than that of character {character:?}: bind it by name"
    )]
    ForeignSkeleton {
        /// Name of the clip.
        clip: String,
        /// Name of the character.
        character: String,
    },
}

impl Archetype {
    /// An archetype that plays the clips of `character` as they are stored: from keys, or from compressed frames.
    pub fn new(character: impl Into<Arc<Character>>) -> Self {
        let character = character.into();
        let motions = character.clips().iter().map(Motion::of_clip).collect();
        Self::of_motions(character, motions)
    }

    /// An archetype that plays compact copies of the clips of `character`.
    ///
    /// # Errors
    /// If an option is not positive.
    pub fn compact(
        character: impl Into<Arc<Character>>,
        options: &CompactOptions,
    ) -> Result<Self, CompactError> {
        let character = character.into();
        let compact = |clip: &Arc<_>| {
            let (compact, _) = CompactClip::new(clip, character.skeleton(), options)?;
            Ok(Motion::Compact(Arc::new(compact)))
        };
        let motions = character.clips().iter().map(compact).collect::<Result<_, _>>()?;
        Ok(Self::of_motions(character, motions))
    }

    /// An archetype that plays `motions` instead of the clips of `character`, for instance compressed copies of them.
    ///
    /// # Errors
    /// If a clip is of another skeleton, or animates more than the character has.
    pub fn with_motions(
        character: impl Into<Arc<Character>>,
        motions: Vec<Motion>,
    ) -> Result<Self, ArchetypeError> {
        let character = character.into();
        // The identity covers all clips, so that equal archetypes share their ids.
        let mut checked = Self::of_motions(character.clone(), Vec::new());
        for motion in &motions {
            checked.add_motion(motion.clone())?;
        }
        Ok(Self::of_motions(character, motions))
    }

    fn of_motions(character: Arc<Character>, motions: Vec<Motion>) -> Self {
        let tracks = motions.iter().map(MotionTracks::of).collect();
        let identity = identity_of(&character, &motions);
        Self {
            rest: character.rest_pose(),
            character,
            motions,
            tracks,
            graphs: Vec::new(),
            graph_names: Vec::new(),
            details: Vec::new(),
            shared: Vec::new(),
            identity,
        }
    }

    /// Adds a clip, for instance one of another file that a [`ClipBinding`](crate::ClipBinding) brought to
    /// this skeleton. Instances that exist can play it.
    ///
    /// # Errors
    /// If the clip is of another skeleton, or animates more than the character has.
    pub fn add_motion(&mut self, motion: Motion) -> Result<MotionId, ArchetypeError> {
        let (joints, morphs) = motion.pose_size();
        let (character_joints, character_morphs) = (self.rest.joints.len(), self.rest.morphs.len());
        let (clip, character) = (motion.name().to_owned(), self.character.name().to_owned());
        if joints > character_joints || morphs > character_morphs {
            return Err(ArchetypeError::TooLarge {
                clip,
                joints,
                morphs,
                character,
                character_joints,
                character_morphs,
            });
        }
        if !motion.home().fits(self.character.skeleton(), joints) {
            return Err(ArchetypeError::ForeignSkeleton { clip, character });
        }
        self.details.iter_mut().for_each(|detail| Arc::make_mut(detail).add_motion(&motion));
        self.tracks.push(MotionTracks::of(&motion));
        self.motions.push(motion);
        let index = self.motions.len() - 1;
        Ok(MotionId { index: index as u32, archetype: self.identity, motion: self.tracks[index].identity })
    }

    /// Adds a level of detail that leaves out the joints to which `kept` gives no weight, such as fingers and faces, and
    /// morph weights if `kept` has none for them. See [`Instance::set_detail`].
    ///
    /// # Panics
    /// If the mask has another number of joints than the character.
    #[track_caller]
    pub fn add_detail(&mut self, kept: &Mask) -> DetailId {
        let (mask, joints) = (kept.len(), self.rest.joints.len());
        assert!(
            mask == joints,
            "the mask has {mask} joints, character {:?} has {joints}",
            self.character.name()
        );
        let detail = Detail::new(kept, &self.motions, &self.graphs);
        let id = DetailId { index: self.details.len() as u32, detail: detail.identity() };
        self.details.push(Arc::new(detail));
        id
    }

    /// Adds a graph over the clips.
    ///
    /// # Errors
    /// If the graph does not fit the character; the error names the node and the field.
    pub fn add_graph(&mut self, def: &GraphDef) -> Result<GraphId, GraphError> {
        let graph = Graph::new(def, self.character.skeleton(), self.rest.clone(), &self.motions)?;
        let id = GraphId { index: self.graphs.len() as u32, graph: graph.identity() };
        self.details.iter_mut().for_each(|detail| Arc::make_mut(detail).add_graph(&graph));
        self.graphs.push(Arc::new(graph));
        self.graph_names.push(String::new());
        Ok(id)
    }

    /// Adds the graphs that come with the character, under their names.
    ///
    /// # Errors
    /// If a graph does not fit the character; the error names the node and the field. Graphs before it are added.
    pub fn add_character_graphs(&mut self) -> Result<(), GraphError> {
        let character = self.character.clone();
        for graph in character.graphs() {
            self.add_graph(&graph.def)?;
            self.graph_names.pop();
            self.graph_names.push(graph.name.clone());
        }
        Ok(())
    }

    /// The graph called `name`, which came with the character.
    pub fn find_graph(&self, name: &str) -> Option<GraphId> {
        self.graph_names.iter().position(|other| other == name).and_then(|nth| self.graph_id(nth))
    }

    /// The name of a graph; empty if it was added without one.
    pub(super) fn graph_name(&self, id: GraphId) -> &str {
        self.graph_names.get(id.index as usize).map_or("", String::as_str)
    }

    /// The graph without a name that has the number of `id`.
    pub(super) fn unnamed_graph(&self, id: GraphId) -> Option<GraphId> {
        let nth = id.index as usize;
        self.graph_names.get(nth).filter(|name| name.is_empty()).and_then(|_| self.graph_id(nth))
    }

    /// True if poses of both archetypes have the same joints and morph slots.
    pub(super) fn has_skeleton_of(&self, other: &Self) -> bool {
        let of = |archetype: &Self| {
            let skeleton = archetype.character.skeleton();
            (skeleton.len(), skeleton.identity(skeleton.len()), archetype.rest.morphs.len())
        };
        of(self) == of(other)
    }

    pub(super) fn has_detail(&self, id: DetailId) -> bool {
        self.details.get(id.index as usize).is_some_and(|own| own.identity() == id.detail)
    }

    /// The character that the instances share.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The rest pose, in local space.
    pub fn rest(&self) -> &LocalPose {
        &self.rest
    }

    /// Every clip, in the character's order.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// Every graph, in the order in which they were added.
    pub fn graphs(&self) -> &[Arc<Graph>] {
        &self.graphs
    }

    /// The first clip called `name`.
    pub fn find_motion(&self, name: &str) -> Option<MotionId> {
        self.motions.iter().position(|m| m.name() == name).and_then(|nth| self.motion_id(nth))
    }

    /// The id of the clip at index `nth` of [`Archetype::motions`].
    pub fn motion_id(&self, nth: usize) -> Option<MotionId> {
        let tracks = self.tracks.get(nth)?;
        Some(MotionId { index: nth as u32, archetype: self.identity, motion: tracks.identity })
    }

    /// The clip of an id.
    ///
    /// # Panics
    /// If the id is of another archetype.
    #[track_caller]
    pub fn motion(&self, id: MotionId) -> &Motion {
        assert!(
            self.owns(id),
            "clip {} is of archetype {}, not of {} ({:?}, which has {} clips)",
            id.index,
            id.archetype,
            self.identity,
            self.character.name(),
            self.motions.len()
        );
        &self.motions[id.index as usize]
    }

    /// True if `id` was handed out by this archetype or one of equal content.
    pub fn owns(&self, id: MotionId) -> bool {
        let is_same = |tracks: &MotionTracks| tracks.identity == id.motion;
        id.archetype == self.identity && self.tracks.get(id.index as usize).is_some_and(is_same)
    }

    /// The id of the graph at index `nth` of [`Archetype::graphs`].
    pub fn graph_id(&self, nth: usize) -> Option<GraphId> {
        self.graphs.get(nth).map(|graph| GraphId { index: nth as u32, graph: graph.identity() })
    }

    /// The graph of an id.
    ///
    /// # Panics
    /// If this archetype does not have that graph.
    #[track_caller]
    pub fn graph(&self, id: GraphId) -> &Arc<Graph> {
        let graph = self.graphs.get(id.index as usize).filter(|graph| graph.identity() == id.graph);
        assert!(
            graph.is_some(),
            "graph {} ({}) is not one of the {} graphs of archetype {} ({:?})",
            id.index,
            id.graph,
            self.graphs.len(),
            self.identity,
            self.character.name()
        );
        &self.graphs[id.index as usize]
    }

    pub(super) fn root(&self, id: MotionId) -> Option<&RootTrack> {
        self.tracks[id.index as usize].root.as_deref()
    }

    /// The event windows of a clip, in the order of their beginnings.
    ///
    /// # Panics
    /// If the id is of another archetype.
    #[track_caller]
    pub fn windows(&self, id: MotionId) -> &[EventWindow] {
        self.motion(id);
        &self.tracks[id.index as usize].windows
    }

    /// The clip of an id at a level of detail.
    pub(super) fn motion_in(&self, id: MotionId, detail: Option<DetailId>) -> &Motion {
        match detail {
            None => &self.motions[id.index as usize],
            Some(detail) => self.details[detail.index as usize].motion(id.index as usize),
        }
    }

    /// The graph of an id at a level of detail.
    #[track_caller]
    pub(super) fn graph_in(&self, id: GraphId, detail: Option<DetailId>) -> &Graph {
        let graph = self.graph(id);
        detail.map_or(&**graph, |detail| self.details[detail.index as usize].graph(id.index as usize))
    }

    #[track_caller]
    pub(super) fn check_detail(&self, id: DetailId) {
        assert!(
            self.has_detail(id),
            "level of detail {} ({}) is not one of the {} levels of archetype {} ({:?})",
            id.index,
            id.detail,
            self.details.len(),
            self.identity,
            self.character.name()
        );
    }

    /// Every clip with shared poses.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Arc<SharedPoses>> {
        self.shared.iter()
    }

    /// Keeps `made` in place of the poses of the same clip and level of detail.
    pub(super) fn keep_shared(&mut self, made: Arc<SharedPoses>) -> &Arc<SharedPoses> {
        self.shared.retain(|old| old.motion() != made.motion() || old.detail() != made.detail());
        self.shared.push(made);
        &self.shared[self.shared.len() - 1]
    }

    /// The skin at index `skin` of the character.
    #[track_caller]
    pub(super) fn skin(&self, skin: usize) -> &Skin {
        let skins = self.character.skins();
        assert!(
            skin < skins.len(),
            "skin {skin} does not exist: character {:?} has {} skins",
            self.character.name(),
            skins.len()
        );
        &skins[skin]
    }

    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    /// A new instance at rest at the world's origin.
    #[must_use]
    pub fn new_instance(&self) -> Instance {
        Instance::new(self)
    }
}

/// What decides whether an instance or an id fits an archetype: the skeleton with its rest pose, and the clips by name,
/// kind and length.
fn identity_of(character: &Character, motions: &[Motion]) -> Identity {
    let mut hasher = IdentityHasher::new();
    let skeleton = character.skeleton();
    for joint in skeleton.joints() {
        hasher.text(skeleton.name(joint));
        hasher.number(skeleton.parent(joint).map_or(u64::MAX, |parent| parent.index() as u64));
        hasher.text(skeleton.scale_inheritance(joint).name());
        let rest = skeleton.rest(joint);
        hasher.floats(&rest.translation.to_array());
        hasher.floats(&rest.rotation.to_array());
        hasher.floats(&rest.scale.to_array());
    }
    hasher.number(character.morph_slot_count() as u64);
    motions.iter().for_each(|motion| hash_motion(motion, &mut hasher));
    hasher.finish()
}

fn hash_motion(motion: &Motion, hasher: &mut IdentityHasher) {
    hasher.text(motion.name());
    hasher.debug(&motion.kind());
    hasher.floats(&[motion.duration_secs()]);
    hasher.number(match motion {
        Motion::Raw(_) => 0,
        Motion::Compact(_) => 1,
        Motion::Compressed(_) => 2,
    });
}
