//! Builds a checked, flat graph from its definition.

mod machine;
mod nodes;
mod scope;

use super::{
    Graph, GraphDef, GraphError, GraphFault, MAX_NODES, MaskDef, Motion, ParameterDef,
    flat::{ClipNode, GraphNode, NodeKind, NodeValue, Parameter, StateMachine, SyncGroup},
};
use crate::{asset::skeleton::Skeleton, blend::Mask, identity::Identity, pose::LocalPose};
use scope::Scope;
use std::ops::RangeInclusive;

/// The largest nesting depth of nodes and graphs, which bounds the recursion of the check.
const MAX_DEPTH: usize = 64;

/// The largest magnitude of a number in a graph; beyond it sums overflow.
const LARGEST: f32 = 1e9;

pub(super) type Checked<T> = Result<T, GraphError>;

pub(super) struct Builder<'a> {
    def: &'a GraphDef,
    rest: &'a LocalPose,
    motions: &'a [Motion],
    out: GraphBuilder,
}

/// The flat parts of the graph.
#[derive(Clone, Default)]
struct GraphBuilder {
    nodes: Vec<GraphNode>,
    clips: Vec<ClipNode>,
    machines: Vec<StateMachine>,
    groups: Vec<SyncGroup>,
    parameters: Vec<Parameter>,
    metas: Vec<(String, &'static str)>,
}

/// Checks and flattens `def`. The caller fills in the rest pose and the identity.
pub(super) fn build(
    def: &GraphDef,
    skeleton: &Skeleton,
    rest: &LocalPose,
    motions: &[Motion],
) -> Checked<Graph> {
    check_names(def)?;
    let min_event_weight = number("graph", "min_event_weight", def.min_event_weight, 0.0..=1.0)?;
    let masks =
        def.masks.iter().map(|(name, mask)| build_mask(name, mask, skeleton)).collect::<Checked<_>>()?;
    let groups =
        def.sync.iter().map(|(_, markers)| SyncGroup { markers: markers.clone(), clips: vec![] }).collect();
    let mut builder = Builder { def, rest, motions, out: GraphBuilder { groups, ..GraphBuilder::default() } };
    let mut top = Scope::new(String::new(), &def.nodes);
    for (name, parameter) in &def.parameters {
        let value = builder.new_parameter(name.clone(), *parameter, "graph", "parameters")?;
        top.bind(name, value, *parameter);
    }
    builder.output_node(&mut top, "graph", &def.output)?;
    // The remaining nodes are checked, but not kept.
    let kept = builder.out.clone();
    builder.check_the_rest(&mut top)?;
    let GraphBuilder { nodes, clips, machines, groups, parameters, metas } = kept;
    let slots = max_alive(&nodes, &machines);
    let (rest, no_change) = (LocalPose::default(), LocalPose::default());
    Ok(Graph {
        nodes,
        clips,
        machines,
        groups,
        masks,
        parameters,
        metas,
        min_event_weight,
        rest,
        no_change,
        slots,
        identity: Identity::default(),
    })
}

impl<'a> Builder<'a> {
    /// Adds a parameter that the caller sets.
    fn new_parameter(
        &mut self,
        name: String,
        def: ParameterDef,
        place: &str,
        field: &str,
    ) -> Checked<NodeValue> {
        if let ParameterDef::Float(start) = def {
            number(place, &format!("{field}[{name:?}]"), start, -LARGEST..=LARGEST)?;
        }
        let index = self.out.parameters.len();
        if index >= MAX_NODES {
            let fault = GraphFault::TooMany { count: index + 1, max: MAX_NODES };
            return Err(GraphError::new(place, field, fault));
        }
        self.out.parameters.push(Parameter { name, def });
        Ok(NodeValue::Parameter(index as u16))
    }

    /// The output node, which must be a pose and not a difference.
    fn output_node(&mut self, scope: &mut Scope<'a>, place: &str, name: &str) -> Checked<u16> {
        let node = self.node(scope, place, "output", name)?;
        self.check_kind(place, "output", node, false)?;
        Ok(node)
    }

    /// Checks the nodes and graphs that the output does not use.
    fn check_the_rest(&mut self, top: &mut Scope<'a>) -> Checked<()> {
        let def = self.def;
        for (name, _) in &def.nodes {
            self.node(top, "graph", "nodes", name)?;
        }
        for (name, inner) in &def.graphs {
            let mut scope = Scope::new(format!("{name}/"), &inner.nodes);
            scope.inside.push(name.clone());
            for (parameter, kind) in &inner.parameters {
                let place = format!("graph {name:?}");
                let value = self.new_parameter(parameter.clone(), *kind, &place, "parameters")?;
                scope.bind(parameter, value, *kind);
            }
            self.output_node(&mut scope, &format!("graph {name:?}"), &inner.output)?;
            for (node, _) in &inner.nodes {
                self.node(&mut scope, "graph", "nodes", node)?;
            }
        }
        Ok(())
    }

    fn check_kind(&self, place: &str, field: &str, node: u16, wants_delta: bool) -> Checked<()> {
        let node = &self.out.nodes[usize::from(node)];
        if node.is_delta == wants_delta {
            return Ok(());
        }
        let word = |is_delta| if is_delta { "a difference" } else { "a pose" };
        let (name, is, wanted) = (node.name.clone(), word(node.is_delta), word(wants_delta));
        Err(GraphError::new(place, field, GraphFault::PoseKind { name, is, wanted }))
    }
}

/// Rejects names that are used twice.
fn check_names(def: &GraphDef) -> Checked<()> {
    fn once<T>(place: &str, field: &str, entries: &[(String, T)]) -> Checked<()> {
        let mut names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0] == pair[1]).map_or(Ok(()), |pair| {
            Err(GraphError::new(place, field, GraphFault::Repeated { name: pair[0].into() }))
        })
    }
    once("graph", "parameters", &def.parameters)?;
    once("graph", "masks", &def.masks)?;
    once("graph", "sync", &def.sync)?;
    once("graph", "graphs", &def.graphs)?;
    once("graph", "nodes", &def.nodes)?;
    for (name, inner) in &def.graphs {
        let place = format!("graph {name:?}");
        once(&place, "parameters", &inner.parameters)?;
        once(&place, "nodes", &inner.nodes)?;
    }
    Ok(())
}

fn build_mask(name: &str, def: &MaskDef, skeleton: &Skeleton) -> Checked<Mask> {
    let place = format!("mask {name:?}");
    let find = |field: &str, joint: &str| {
        skeleton.find(joint).ok_or_else(|| {
            let known = skeleton.joints().map(|j| skeleton.name(j));
            GraphError::new(&place, field, unknown("joint", joint, known))
        })
    };
    let mut mask = Mask::none(skeleton.len());
    for joint in &def.below {
        mask = mask.or(&Mask::below(skeleton, find("below", joint)?));
    }
    for (joint, weight) in &def.joints {
        let weight = number(&place, &format!("joints[{joint:?}]"), *weight, 0.0..=1.0)?;
        mask = mask.with_weight(find("joints", joint)?, weight);
    }
    mask = mask.with_morph_weight(number(&place, "morphs", def.morphs, 0.0..=1.0)?);
    Ok(if def.inverted { mask.inverted() } else { mask })
}

/// `value`, if it lies in the range.
fn number(place: &str, field: &str, value: f32, range: RangeInclusive<f32>) -> Checked<f32> {
    if range.contains(&value) {
        Ok(value)
    } else {
        let fault = GraphFault::OutOfRange { value, min: *range.start(), max: *range.end() };
        Err(GraphError::new(place, field, fault))
    }
}

/// The error of an unknown name, with some of the known names.
fn unknown<'n>(kind: &'static str, name: &str, known: impl Iterator<Item = &'n str>) -> GraphFault {
    GraphFault::Unknown { kind, name: name.into(), known: known.take(12).map(str::to_owned).collect() }
}

/// The number of poses that are needed at once if every node is active, which is an upper bound.
fn max_alive(nodes: &[GraphNode], machines: &[StateMachine]) -> usize {
    let mut last_use: Vec<usize> = (0..nodes.len()).collect();
    for (index, node) in nodes.iter().enumerate() {
        node.kind.for_inputs(machines, |input| last_use[usize::from(input)] = index);
    }
    let (mut alive, mut max) = (0_usize, 1);
    for (index, node) in nodes.iter().enumerate() {
        alive += 1;
        max = max.max(alive);
        let mut seen = Vec::new();
        node.kind.for_inputs(machines, |input| {
            if last_use[usize::from(input)] == index && !seen.contains(&input) {
                seen.push(input);
            }
        });
        alive -= seen.len().min(alive);
        // An unused pose is released at once; the output comes last.
        if last_use[index] == index && index + 1 < nodes.len() {
            alive = alive.saturating_sub(1);
        }
    }
    // A state machine in transition may need one more pose.
    let has_machine = nodes.iter().any(|node| matches!(node.kind, NodeKind::StateMachine(_)));
    max + usize::from(has_machine)
}
