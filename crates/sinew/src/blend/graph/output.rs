//! The result of an evaluation.

use super::{
    Graph,
    pool::GraphScratch,
    state::{GraphState, GroupState},
};
use crate::{
    asset::clip::ClipEvent,
    pose::LocalPose,
    sample::{MAX_EVENTS_PER_STEP, MetaValue},
    transform::Transform,
};

/// The result of [`Graph::evaluate`].
#[derive(Clone, Copy, Debug)]
pub struct GraphOutput<'a> {
    pub(super) graph: &'a Graph,
    pub(super) state: &'a GraphState,
    pub(super) workspace: &'a GraphScratch,
}

/// An event that the latest step passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphEvent<'a> {
    /// The event of the clip.
    pub event: &'a ClipEvent,
    /// Name of the node of the clip.
    pub node: &'a str,
    /// Weight of the clip, 0 to 1; for a marker, the total weight of the sync group.
    pub weight: f32,
}

impl<'a> GraphOutput<'a> {
    fn output(&self) -> u16 {
        (self.graph.nodes.len() - 1) as u16
    }

    /// The pose in local space.
    pub fn pose(&self) -> &'a LocalPose {
        &self.workspace.of_node(self.output()).pose
    }

    /// Root motion of this step: `before_from_after`, the weighted mean of the active clips.
    pub fn root_motion(&self) -> Transform {
        self.workspace.of_node(self.output()).root
    }

    /// The value of a meta-channel, the weighted mean of the clips that have it; `None` if no active clip has it.
    pub fn meta(&self, name: &str) -> Option<MetaValue> {
        let place = self.graph.metas.iter().position(|(n, _)| n == name)?;
        self.meta_at(place)
    }

    /// The values of all meta-channels of active clips, in the order of [`Graph::metas`].
    pub fn metas(&self) -> impl Iterator<Item = (&'a str, MetaValue)> + 'a {
        let it = *self;
        let metas = it.graph.metas.iter().enumerate();
        metas.filter_map(move |(place, (name, _))| Some((name.as_str(), it.meta_at(place)?)))
    }

    /// The value of every meta-channel in the order of [`Graph::metas`]; `None` for those of no active clip.
    pub(crate) fn meta_slots(&self) -> impl Iterator<Item = Option<MetaValue>> + 'a {
        let it = *self;
        (0..it.graph.metas.len()).map(move |place| it.meta_at(place))
    }

    fn meta_at(&self, place: usize) -> Option<MetaValue> {
        let slot = self.workspace.of_node(self.output()).metas.get(place)?;
        (slot.weight > 0.0).then_some(slot.value)
    }

    /// The weight of `node` in the pose, 0 to 1; `None` if there is no such node.
    pub fn weight(&self, node: &str) -> Option<f32> {
        let index = self.graph.nodes.iter().position(|n| n.name == node)?;
        self.workspace.weights.get(index).copied()
    }

    /// The events that this step passed, clip by clip, each in order of its time.
    ///
    /// Clips with a weight below the `min_event_weight` of the graph fire no events. The markers of a sync group fire once, as
    /// events of the clip with the largest weight.
    pub fn events(&self) -> impl Iterator<Item = GraphEvent<'a>> + 'a {
        let it = *self;
        let of_clips = (0..it.graph.clips.len()).flat_map(move |clip| it.events_of_clip(clip));
        let of_groups = (0..it.graph.groups.len()).flat_map(move |group| it.markers_of_group(group));
        of_clips.chain(of_groups)
    }

    /// True if a clip or a sync group passed more than [`MAX_EVENTS_PER_STEP`] events in this step and the others were
    /// dropped.
    #[must_use]
    pub fn events_are_truncated(&self) -> bool {
        let clips = self.graph.clips.iter().zip(&self.state.clips);
        let of_clips = clips.filter(|(node, _)| self.workspace.is_active[usize::from(node.node)]);
        of_clips.into_iter().any(|(node, it)| it.passage.events(node.motion.events()).is_truncated())
            || self
                .state
                .groups
                .iter()
                .any(|it| it.is_active && marker_count(it) > MAX_EVENTS_PER_STEP as u64)
    }

    fn is_loud(&self, weight: f32) -> bool {
        weight > 0.0 && weight >= self.graph.min_event_weight
    }

    fn events_of_clip(self, clip: usize) -> impl Iterator<Item = GraphEvent<'a>> + 'a {
        let node = &self.graph.clips[clip];
        let index = usize::from(node.node);
        let weight = self.workspace.weights[index];
        let is_loud = self.workspace.is_active[index] && self.is_loud(weight);
        let events = if is_loud { node.motion.events() } else { &[] };
        let markers: &[String] =
            node.sync.as_ref().map_or(&[], |(group, _)| &self.graph.groups[usize::from(*group)].markers);
        let name = self.graph.nodes[index].name.as_str();
        self.state.clips[clip]
            .passage
            .events(events)
            .filter(move |fired| !markers.contains(&fired.event.name))
            .map(move |fired| GraphEvent { event: fired.event, node: name, weight })
    }

    fn markers_of_group(self, group: usize) -> impl Iterator<Item = GraphEvent<'a>> + 'a {
        let it = &self.state.groups[group];
        let weight: f32 = self.graph.running(group, self.workspace).map(|(_, weight)| weight).sum();
        let leader = self.graph.leader(group, self.workspace).filter(|_| self.is_loud(weight));
        // A position lies just before its marker, so that consecutive steps neither miss nor repeat one.
        let (from, to) = (it.from.ceil(), it.position.ceil());
        let is_backwards = to < from;
        let count = if leader.is_some() { marker_count(it) } else { 0 };
        (0..count.min(MAX_EVENTS_PER_STEP as u64)).filter_map(move |k| {
            let marker = if is_backwards { from - 1.0 - k as f64 } else { from + k as f64 };
            let node = &self.graph.clips[leader?];
            let (_, track) = node.sync.as_ref()?;
            let event = node.motion.events().get(track.event_at(marker)?)?;
            let name = self.graph.nodes[usize::from(node.node)].name.as_str();
            Some(GraphEvent { event, node: name, weight: weight.min(1.0) })
        })
    }
}

/// The number of markers that a sync group passed in the latest step.
fn marker_count(group: &GroupState) -> u64 {
    (group.position.ceil() - group.from.ceil()).abs() as u64
}
