//! Plays graphs for tests.

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

/// The maximum difference of a joint between two poses: meters and radians.
pub(crate) fn furthest(a: &LocalPose, b: &LocalPose) -> (f32, f32) {
    a.joints.iter().zip(&b.joints).fold((0.0, 0.0), |(way, turn), (a, b)| {
        let angle = 2.0 * (a.rotation.conjugate() * b.rotation).xyz().length().min(1.0).asin();
        (f32::max(way, (a.translation - b.translation).length()), f32::max(turn, angle))
    })
}

/// A clip of one second with an event of the same name in the middle.
struct TestClip {
    name: &'static str,
    /// The translation of joint 0 at the start and at the end.
    joint_path: [Vec3; 2],
    /// The distance of the root motion along z.
    distance: f32,
    /// The final value of the meta-channel `light`, which starts at zero.
    light: Option<f32>,
}

fn clip(TestClip { name, joint_path: [from, to], distance, light }: TestClip) -> Arc<Clip> {
    let line = |a, b| Curve::new(vec![0.0, 1.0], vec![a, b], Interpolation::Linear).unwrap();
    let channel = Channel::Translation { joint: JointId(0), curve: line(from, to) };
    let event = ClipEvent { time_secs: 0.5, name: name.into(), payload: None };
    let mut metas = vec![MetaChannel {
        name: RootTrack::TRANSLATION.into(),
        curve: MetaCurve::Vector(line(Vec3::ZERO, Vec3::Z * distance)),
    }];
    if let Some(light) = light {
        let curve = Curve::new(vec![0.0, 1.0], vec![0.0, light], Interpolation::Linear).unwrap();
        metas.push(MetaChannel { name: "light".into(), curve: MetaCurve::Scalar(curve) });
    }
    Arc::new(Clip::new(name, vec![channel], vec![event]).unwrap().with_metas(metas).unwrap())
}

/// The arm with the clips `a`, `b` (twice the distance, four times the light) and `dark` (no light).
pub(crate) fn arm() -> Character {
    let parts = sinew_samples::arm().into_parts();
    let clips = vec![
        clip(TestClip { name: "a", joint_path: [Vec3::ZERO, Vec3::X], distance: 1.0, light: Some(1.0) }),
        clip(TestClip { name: "b", joint_path: [Vec3::Y; 2], distance: 2.0, light: Some(4.0) }),
        clip(TestClip { name: "dark", joint_path: [Vec3::ZERO; 2], distance: 0.0, light: None }),
    ];
    Character::new(CharacterParts { clips, ..parts }).unwrap()
}

/// The total of steps of root motion.
pub(crate) fn total_root_motion(steps: impl Iterator<Item = Transform>) -> Transform {
    steps.fold(Transform::IDENTITY, |sum, step| {
        let rotation: Quat = (sum.rotation * step.rotation).normalize();
        Transform::from_rotation_translation(rotation, sum.transform_point(step.translation))
    })
}
