//! Someone who plays a graph.

use sinew::{
    Channel, Character, CharacterParts, Clip, ClipEvent, Curve, Interpolation, JointId, LocalPose,
    MetaChannel, MetaCurve, RootTrack, Transform,
    blend::graph::{Graph, GraphOutput, GraphScratch, GraphState},
    glam::{Quat, Vec3},
};
use sinew_formats::graph::parse;
use std::sync::Arc;

/// The example that comes with the project.
pub(crate) const EXAMPLE: &str = include_str!("../../../../../examples/figure.graph.ron");

/// A graph, its state and its workspace.
pub(crate) struct GraphStage {
    pub(crate) graph: Graph,
    pub(crate) state: GraphState,
    pub(crate) workspace: GraphScratch,
}

impl GraphStage {
    pub(crate) fn new(text: &str, character: &Character) -> Self {
        let def = parse(text).unwrap_or_else(|e| panic!("{e}"));
        let graph = Graph::of_character(&def, character).unwrap_or_else(|e| panic!("{e}"));
        let (state, workspace) = (graph.new_state(), GraphScratch::new(&graph));
        Self { graph, state, workspace }
    }

    pub(crate) fn figure(text: &str) -> Self {
        Self::new(text, &sinew_samples::figure())
    }

    pub(crate) fn set(&mut self, parameter: &str, value: f32) {
        self.state.set(self.graph.find_parameter(parameter).unwrap(), value);
    }

    pub(crate) fn step(&mut self, dt_secs: f32) -> GraphOutput<'_> {
        self.graph.evaluate(&mut self.state, &mut self.workspace, dt_secs)
    }

    pub(crate) fn pose(&mut self, dt_secs: f32) -> LocalPose {
        self.step(dt_secs).pose().clone()
    }

    /// The names of the events of one step.
    pub(crate) fn events(&mut self, dt_secs: f32) -> Vec<String> {
        self.step(dt_secs).events().map(|e| e.event.name.clone()).collect()
    }
}

/// The furthest that a joint of one pose is from that of another: metres and radians.
pub(crate) fn furthest(a: &LocalPose, b: &LocalPose) -> (f32, f32) {
    a.joints.iter().zip(&b.joints).fold((0.0, 0.0), |(way, turn), (a, b)| {
        let angle = 2.0 * (a.rotation.conjugate() * b.rotation).xyz().length().min(1.0).asin();
        (f32::max(way, (a.translation - b.translation).length()), f32::max(turn, angle))
    })
}

/// A clip of one second in which joint 0 goes from `from` to `to`, the character one `way` along z, and the light from nothing to
/// `light`; an event called like the clip half-way.
fn clip(name: &str, (from, to): (Vec3, Vec3), way: f32, light: Option<f32>) -> Arc<Clip> {
    let line = |a, b| Curve::new(vec![0.0, 1.0], vec![a, b], Interpolation::Linear).unwrap();
    let channel = Channel::Translation { joint: JointId(0), curve: line(from, to) };
    let event = ClipEvent { time_secs: 0.5, name: name.into(), payload: None };
    let mut metas = vec![MetaChannel {
        name: RootTrack::TRANSLATION.into(),
        curve: MetaCurve::Vector(line(Vec3::ZERO, Vec3::Z * way)),
    }];
    if let Some(light) = light {
        let curve = Curve::new(vec![0.0, 1.0], vec![0.0, light], Interpolation::Linear).unwrap();
        metas.push(MetaChannel { name: "light".into(), curve: MetaCurve::Scalar(curve) });
    }
    Arc::new(Clip::new(name, vec![channel], vec![event]).unwrap().with_metas(metas).unwrap())
}

/// The arm with the clips `a`, `b` (twice the way, four times the light) and `dark` (no light), each of one second.
pub(crate) fn arm() -> Character {
    let parts = sinew_samples::arm().into_parts();
    let clips = vec![
        clip("a", (Vec3::ZERO, Vec3::X), 1.0, Some(1.0)),
        clip("b", (Vec3::Y, Vec3::Y), 2.0, Some(4.0)),
        clip("dark", (Vec3::ZERO, Vec3::ZERO), 0.0, None),
    ];
    Character::new(CharacterParts { clips, ..parts }).unwrap()
}

/// What steps of root motion add up to.
pub(crate) fn travelled(steps: impl Iterator<Item = Transform>) -> Transform {
    steps.fold(Transform::IDENTITY, |sum, step| {
        let rotation: Quat = (sum.rotation * step.rotation).normalize();
        Transform::from_rotation_translation(rotation, sum.transform_point(step.translation))
    })
}
