//! What all characters of a kind share.

use super::Instance;
use crate::{
    asset::{
        character::Character,
        compact::{CompactClip, CompactError, CompactOptions},
    },
    blend::graph::{Graph, GraphDef, GraphError, Motion},
    pose::LocalPose,
    sample::RootTrack,
};
use std::sync::Arc;

/// A clip of an archetype, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MotionId(pub(super) u32);

/// A graph of an archetype, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId(pub(super) u32);

/// A character with its clips ready to play, and graphs over them. Cheap to clone: everything large is shared.
#[derive(Clone, Debug)]
pub struct Archetype {
    character: Arc<Character>,
    rest: LocalPose,
    motions: Vec<Motion>,
    roots: Vec<Option<Arc<RootTrack>>>,
    graphs: Vec<Arc<Graph>>,
}

impl Archetype {
    /// A kind of character that plays its clips as they are.
    pub fn new(character: impl Into<Arc<Character>>) -> Self {
        let character = character.into();
        let motions = character.clips().iter().cloned().map(Motion::Raw).collect();
        Self::of_motions(character, motions)
    }

    /// A kind of character that plays its clips from compact ones.
    ///
    /// # Errors
    /// Where a clip cannot be made compact.
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
        Self { rest: character.rest_pose(), character, motions, roots, graphs: Vec::new() }
    }

    /// Adds a graph over the clips.
    ///
    /// # Errors
    /// Where the graph is not one for this character; the error names node and field.
    pub fn add_graph(&mut self, def: &GraphDef) -> Result<GraphId, GraphError> {
        let graph = Graph::new(def, self.character.skeleton(), self.rest.clone(), &self.motions)?;
        self.graphs.push(Arc::new(graph));
        Ok(GraphId(self.graphs.len() as u32 - 1))
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Every joint at rest.
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
        self.motions.iter().position(|m| m.name() == name).map(|place| MotionId(place as u32))
    }

    /// The clip at `id`.
    ///
    /// # Panics
    /// Where the id is of another archetype with more clips.
    pub fn motion(&self, id: MotionId) -> &Motion {
        &self.motions[id.0 as usize]
    }

    /// The id of the `nth` graph.
    pub fn graph_id(&self, nth: usize) -> Option<GraphId> {
        (nth < self.graphs.len()).then_some(GraphId(nth as u32))
    }

    /// The graph at `id`.
    ///
    /// # Panics
    /// Where the id is of another archetype with more graphs.
    pub fn graph(&self, id: GraphId) -> &Arc<Graph> {
        &self.graphs[id.0 as usize]
    }

    pub(super) fn root(&self, id: MotionId) -> Option<&RootTrack> {
        self.roots[id.0 as usize].as_deref()
    }

    /// A character of this kind, at rest, at the world's origin.
    pub fn new_instance(&self) -> Instance {
        Instance::new(&self.rest)
    }
}
