//! Builds nodes, inputs first.

use super::super::{
    GraphError, GraphFault, InputDef, MAX_INPUTS, MAX_NODES, NodeDef, ValueDef,
    flat::{ClipNode, GraphNode, NodeInput, NodeKind, NodeValue},
};
use super::{Builder, Checked, MAX_DEPTH, Scope, number, unknown};
use crate::{
    asset::clip::ClipKind,
    blend::{BlendSpace1d, BlendSpace2d, SyncTrack, graph::Motion},
    sample::{RootTrack, TimeRange, Wrap},
};
use glam::Vec2;

/// The fields of a [`NodeDef::Add`] or a [`NodeDef::Subtract`].
struct AddParts<'n> {
    base: &'n str,
    delta: &'n str,
    weight: &'n ValueDef,
    mask: Option<&'n str>,
    is_subtracted: bool,
}

impl<'a> Builder<'a> {
    /// The index of the node called `name`, which `field` of `place` refers to.
    pub(super) fn node(
        &mut self,
        scope: &mut Scope<'a>,
        place: &str,
        field: &str,
        name: &str,
    ) -> Checked<u16> {
        if let Some(&done) = scope.done.get(name) {
            return Ok(done);
        }
        let fail = |fault| Err(GraphError::new(place, field, fault));
        let nodes = scope.nodes;
        let Some((name, def)) = nodes.iter().find(|(n, _)| n == name) else {
            return fail(unknown("node", name, nodes.iter().map(|(n, _)| n.as_str())));
        };
        if let Some(first) = scope.way.iter().position(|n| n == name) {
            let way = scope.way[first..].iter().chain([&name.as_str()]).map(|&n| n.to_owned()).collect();
            return fail(GraphFault::Cycle { name: name.clone(), way });
        }
        if scope.depth + scope.way.len() >= MAX_DEPTH {
            return fail(GraphFault::TooMany { count: MAX_DEPTH + 1, max: MAX_DEPTH });
        }
        scope.way.push(name);
        let made = self.make(scope, name, def);
        scope.way.pop();
        let index = made?;
        scope.done.insert(name, index);
        Ok(index)
    }

    fn push(&mut self, scope: &Scope<'a>, name: &str, kind: NodeKind, is_delta: bool) -> Checked<u16> {
        let index = self.out.nodes.len();
        if index >= MAX_NODES {
            let fault = GraphFault::TooMany { count: index + 1, max: MAX_NODES };
            return Err(GraphError::new(scope.place(name), "nodes", fault));
        }
        self.out.nodes.push(GraphNode { name: format!("{}{name}", scope.prefix), kind, is_delta });
        Ok(index as u16)
    }

    fn make(&mut self, scope: &mut Scope<'a>, name: &str, def: &'a NodeDef) -> Checked<u16> {
        let place = scope.place(name);
        let (kind, is_delta) = match def {
            NodeDef::Rest => (NodeKind::Rest, false),
            NodeDef::Clip { .. } => return self.clip(scope, name, def),
            NodeDef::Blend { inputs } => self.blend(scope, &place, inputs)?,
            NodeDef::Layer { base, over, weight, mask } => {
                let base = self.node(scope, &place, "base", base)?;
                let over = self.input(scope, &place, "over", over, weight, mask.as_deref())?;
                let is_delta = self.out.nodes[usize::from(base)].is_delta;
                self.check_kind(&place, "over", over.node, is_delta)?;
                (NodeKind::Layer { base, over }, is_delta)
            }
            NodeDef::Add { base, delta, weight, mask } => {
                let parts = AddParts { base, delta, weight, mask: mask.as_deref(), is_subtracted: false };
                self.add(scope, &place, parts)?
            }
            NodeDef::Subtract { base, delta, weight, mask } => {
                let parts = AddParts { base, delta, weight, mask: mask.as_deref(), is_subtracted: true };
                self.add(scope, &place, parts)?
            }
            NodeDef::Difference { of, from } => {
                let (of, from) =
                    (self.node(scope, &place, "of", of)?, self.node(scope, &place, "from", from)?);
                self.check_kind(&place, "of", of, false)?;
                self.check_kind(&place, "from", from, false)?;
                (NodeKind::Difference { of, from }, true)
            }
            NodeDef::BlendSpace1d { x, points } => {
                let coordinates: Vec<f32> = points.iter().map(|(at, _)| *at).collect();
                let space =
                    BlendSpace1d::new(&coordinates).map_err(|e| GraphError::new(&place, "points", e))?;
                let (nodes, is_delta) = self.points(scope, &place, points.iter().map(|(_, node)| node))?;
                (NodeKind::BlendSpace1d { space, x: scope.value(&place, "x", x)?, nodes }, is_delta)
            }
            NodeDef::BlendSpace2d { x, y, points } => {
                let coordinates: Vec<Vec2> = points.iter().map(|(x, y, _)| Vec2::new(*x, *y)).collect();
                let space =
                    BlendSpace2d::new(&coordinates).map_err(|e| GraphError::new(&place, "points", e))?;
                let (nodes, is_delta) = self.points(scope, &place, points.iter().map(|(.., node)| node))?;
                let at = [scope.value(&place, "x", x)?, scope.value(&place, "y", y)?];
                (NodeKind::BlendSpace2d { space, at, nodes }, is_delta)
            }
            NodeDef::StateMachine { initial, states, transitions } => {
                self.machine(scope, &place, initial, states, transitions)?
            }
            NodeDef::Graph { graph, parameters } => return self.inner(scope, name, graph, parameters),
        };
        self.push(scope, name, kind, is_delta)
    }

    fn mask(&self, place: &str, field: &str, name: Option<&str>) -> Checked<Option<u16>> {
        let Some(name) = name else { return Ok(None) };
        let index = self.def.masks.iter().position(|(n, _)| n == name);
        let known = self.def.masks.iter().map(|(n, _)| n.as_str());
        let index = index.ok_or_else(|| GraphError::new(place, field, unknown("mask", name, known)))?;
        Ok(Some(index as u16))
    }

    fn input(
        &mut self,
        scope: &mut Scope<'a>,
        place: &str,
        field: &str,
        node: &str,
        weight: &ValueDef,
        mask: Option<&str>,
    ) -> Checked<NodeInput> {
        Ok(NodeInput {
            node: self.node(scope, place, field, node)?,
            weight: scope.value(place, "weight", weight)?,
            mask: self.mask(place, "mask", mask)?,
        })
    }

    fn blend(
        &mut self,
        scope: &mut Scope<'a>,
        place: &str,
        inputs: &[InputDef],
    ) -> Checked<(NodeKind, bool)> {
        let count = inputs.len();
        if count == 0 || count > MAX_INPUTS {
            let fault =
                if count == 0 { GraphFault::Empty } else { GraphFault::TooMany { count, max: MAX_INPUTS } };
            return Err(GraphError::new(place, "inputs", fault));
        }
        let mut out = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let field = format!("inputs[{index}]");
            let made = self.input(scope, place, &field, &input.node, &input.weight, input.mask.as_deref())?;
            out.push(made);
        }
        let is_delta = self.out.nodes[usize::from(out[0].node)].is_delta;
        for (index, input) in out.iter().enumerate() {
            self.check_kind(place, &format!("inputs[{index}]"), input.node, is_delta)?;
        }
        Ok((NodeKind::Blend(out), is_delta))
    }

    fn add(&mut self, scope: &mut Scope<'a>, place: &str, parts: AddParts<'_>) -> Checked<(NodeKind, bool)> {
        let AddParts { base, delta, weight, mask, is_subtracted } = parts;
        let base = self.node(scope, place, "base", base)?;
        let delta = self.input(scope, place, "delta", delta, weight, mask)?;
        self.check_kind(place, "delta", delta.node, true)?;
        let is_delta = self.out.nodes[usize::from(base)].is_delta;
        Ok((NodeKind::Add { base, delta, is_subtracted }, is_delta))
    }

    fn points<'n>(
        &mut self,
        scope: &mut Scope<'a>,
        place: &str,
        names: impl Iterator<Item = &'n String>,
    ) -> Checked<(Vec<u16>, bool)> {
        let mut nodes = Vec::new();
        let mut is_delta = false;
        for (index, name) in names.enumerate() {
            let field = format!("points[{index}]");
            let node = self.node(scope, place, &field, name)?;
            if index == 0 {
                is_delta = self.out.nodes[usize::from(node)].is_delta;
            }
            self.check_kind(place, &field, node, is_delta)?;
            nodes.push(node);
        }
        Ok((nodes, is_delta))
    }

    fn clip(&mut self, scope: &Scope<'a>, name: &str, def: &NodeDef) -> Checked<u16> {
        let NodeDef::Clip { clip, speed, wrap, range, sync } = def else {
            return self.push(scope, name, NodeKind::Rest, false);
        };
        let place = scope.place(name);
        let motion = self.motion(&place, clip)?;
        let range = match range {
            None => TimeRange::whole(motion.duration_secs()),
            Some((start, end)) => {
                let end_secs = motion.duration_secs();
                number(&place, "range", *start, 0.0..=end_secs)?;
                number(&place, "range", *end, *start..=end_secs)?;
                TimeRange::new(*start, *end).map_err(|e| GraphError::new(&place, "range", e))?
            }
        };
        let speed = scope.value(&place, "speed", speed)?;
        let metas = self.metas(&place, &motion)?;
        let index = self.out.clips.len() as u16;
        let sync = match sync {
            None => None,
            Some(group) => Some(self.sync(&place, group, &motion, *wrap, range)?),
        };
        let is_delta = motion.kind() == ClipKind::Additive;
        let node = self.push(scope, name, NodeKind::Clip(index), is_delta)?;
        if let Some((group, _)) = &sync {
            self.out.groups[usize::from(*group)].clips.push(index);
        }
        let root = RootTrack::among(motion.metas());
        self.out.clips.push(ClipNode { node, motion, root, metas, speed, wrap: *wrap, range, sync });
        Ok(node)
    }

    fn motion(&self, place: &str, name: &str) -> Checked<Motion> {
        let motion = self.motions.iter().find(|motion| motion.name() == name);
        let motion = motion.ok_or_else(|| {
            GraphError::new(place, "clip", unknown("clip", name, self.motions.iter().map(Motion::name)))
        })?;
        let (joints, morphs) = motion.pose_size();
        let (has_joints, has_morphs) = (self.rest.joints.len(), self.rest.morphs.len());
        if joints > has_joints || morphs > has_morphs {
            let fault = GraphFault::OtherSkeleton { joints, morphs, has_joints, has_morphs };
            return Err(GraphError::new(place, "clip", fault));
        }
        Ok(motion.clone())
    }

    /// The indices of the clip's meta-channels in the list of the graph.
    fn metas(&mut self, place: &str, motion: &Motion) -> Checked<Vec<u16>> {
        let mut out = Vec::new();
        for meta in motion.metas() {
            let is = meta.curve.kind();
            let known = self.out.metas.iter().position(|(name, _)| *name == meta.name);
            let index = known.unwrap_or(self.out.metas.len());
            if known.is_none() {
                self.out.metas.push((meta.name.clone(), is));
            }
            let other = self.out.metas[index].1;
            if other != is {
                let fault = GraphFault::MetaKind { name: meta.name.clone(), is, other };
                return Err(GraphError::new(place, "clip", fault));
            }
            out.push(index as u16);
        }
        Ok(out)
    }

    fn sync(
        &self,
        place: &str,
        name: &str,
        motion: &Motion,
        wrap: Wrap,
        range: TimeRange,
    ) -> Checked<(u16, SyncTrack)> {
        let fail = |fault: GraphFault| GraphError::new(place, "sync", fault);
        let Some(group) = self.def.sync.iter().position(|(n, _)| n == name) else {
            return Err(fail(unknown("sync group", name, self.def.sync.iter().map(|(n, _)| n.as_str()))));
        };
        if wrap != Wrap::Loop {
            return Err(fail(GraphFault::NotLooped));
        }
        let track = SyncTrack::new(motion.events(), &self.def.sync[group].1, range);
        Ok((group as u16, track.map_err(|e| fail(e.into()))?))
    }

    /// Adds the nodes of an inner graph and returns its output.
    fn inner(
        &mut self,
        scope: &mut Scope<'a>,
        name: &str,
        graph: &str,
        given: &[(String, ValueDef)],
    ) -> Checked<u16> {
        let place = scope.place(name);
        let fail = |field: &str, fault| Err(GraphError::new(&place, field, fault));
        let graphs = &self.def.graphs;
        let Some((graph, def)) = graphs.iter().find(|(n, _)| n == graph) else {
            return fail("graph", unknown("graph", graph, graphs.iter().map(|(n, _)| n.as_str())));
        };
        if scope.inside.contains(graph) {
            let way = scope.inside.iter().chain([graph]).cloned().collect();
            return fail("graph", GraphFault::Cycle { name: graph.clone(), way });
        }
        if let Some((other, _)) = given.iter().find(|(n, _)| !def.parameters.iter().any(|(p, _)| p == n)) {
            let known = def.parameters.iter().map(|(p, _)| p.as_str());
            return fail("parameters", unknown("parameter", other, known));
        }
        let mut inner = Scope::new(format!("{}{name}/", scope.prefix), &def.nodes);
        inner.inside = scope.inside.iter().chain([graph]).cloned().collect();
        inner.depth = scope.depth + scope.way.len();
        for (parameter, kind) in &def.parameters {
            let value = given.iter().find(|(n, _)| n == parameter).map(|(_, value)| value);
            let value: NodeValue = self.bound(scope, name, parameter, *kind, value)?;
            inner.bind(parameter, value, *kind);
        }
        let place = format!("{place}: graph {graph:?}");
        self.node(&mut inner, &place, "output", &def.output)
    }
}
