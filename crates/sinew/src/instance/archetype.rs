//! What all instances of one character share.

use super::Instance;
use crate::{
    asset::{
        character::Character,
        compact::{CompactClip, CompactError, CompactOptions},
    },
    blend::graph::{Graph, GraphDef, GraphError, Motion},
    identity::{Identity, IdentityHasher},
    pose::LocalPose,
    sample::RootTrack,
};
use std::sync::Arc;

/// A clip of an [`Archetype`].
///
/// It carries the identity of its archetype, so that another archetype refuses it. Archetypes that were made from equal
/// characters have equal identities and share their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MotionId {
    index: u32,
    archetype: Identity,
}

/// A graph of an [`Archetype`]. It carries the identity of the graph, so that another one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId {
    index: u32,
    graph: Identity,
}

/// A character with its clips ready to play, and graphs over them. Cheap to clone: everything large is shared.
#[doc(alias = "prefab")]
#[derive(Clone, Debug)]
pub struct Archetype {
    character: Arc<Character>,
    rest: LocalPose,
    motions: Vec<Motion>,
    roots: Vec<Option<Arc<RootTrack>>>,
    graphs: Vec<Arc<Graph>>,
    identity: Identity,
}

impl Archetype {
    /// An archetype that plays the clips of `character` from their keys.
    pub fn new(character: impl Into<Arc<Character>>) -> Self {
        let character = character.into();
        let motions = character.clips().iter().cloned().map(Motion::Raw).collect();
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

    fn of_motions(character: Arc<Character>, motions: Vec<Motion>) -> Self {
        let roots = motions.iter().map(|m| RootTrack::among(m.metas()).map(Arc::new)).collect();
        let identity = identity_of(&character, &motions);
        Self { rest: character.rest_pose(), character, motions, roots, graphs: Vec::new(), identity }
    }

    /// Adds a graph over the clips.
    ///
    /// # Errors
    /// If the graph does not fit the character; the error names the node and the field.
    pub fn add_graph(&mut self, def: &GraphDef) -> Result<GraphId, GraphError> {
        let graph = Graph::new(def, self.character.skeleton(), self.rest.clone(), &self.motions)?;
        let id = GraphId { index: self.graphs.len() as u32, graph: graph.identity() };
        self.graphs.push(Arc::new(graph));
        Ok(id)
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
        (nth < self.motions.len()).then_some(MotionId { index: nth as u32, archetype: self.identity })
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
        id.archetype == self.identity && (id.index as usize) < self.motions.len()
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
        self.roots[id.index as usize].as_deref()
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
    for motion in motions {
        hasher.text(motion.name());
        hasher.debug(&motion.kind());
        hasher.floats(&[motion.duration_secs()]);
        hasher.number(u64::from(matches!(motion, Motion::Compact(_))));
    }
    hasher.finish()
}
