//! Motion: synchronized blends, additive layers, IK and retargeting.

use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    motion::{Motion, limb},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::blend::graph::{Graph, GraphDef, GraphScratch, NodeDef, ParameterDef, ValueDef};
use sinew::constrain::{Pole, TwoBoneGoal};
use sinew::glam::{Vec2, Vec3};
use sinew::{Character, LocalPose, ModelPose, Wrap, sample_clip};
use sinew_author::retarget::{JointMap, RetargetOptions, retarget};
use sinew_view::{
    camera::{CameraFollow, Orbit},
    color::Color,
    layer::LineSegment,
    plot::{Plot, PlotMark},
    raster::RenderOptions,
    stage::StageOptions,
};
use std::{f32::consts::TAU, sync::Arc};

const SIZE: RenderOptions = RenderOptions::new(280, 340);
const FPS: f32 = 16.0;
const TARGET: Color = Color::linear(0.80, 0.05, 0.03);

/// `capture` is the name of a file and what was in it.
pub(super) fn section(bar: &ProgressBar, capture: Option<&(&str, Character)>) -> Result<Section, Failure> {
    let figure = sinew_samples::figure();
    let mut moving = vec![gaits(bar, &figure)?, wave(bar, &figure)?, reach(bar, &figure)?];
    if let Some((file, source)) = capture {
        moving.push(captured(bar, &figure, file, source)?);
    }
    Ok(Section {
        title: "Blended motion".into(),
        text: "From a walk to a run by one parameter: both clips are synchronized by their footfall events, so no foot lands \
               twice. A wave as an additive layer on the walk, masked to one arm. A hand that follows a target by inverse \
               kinematics while the body walks. Below, the footfalls while the walk becomes a run."
            .into(),
        rows: vec![moving, vec![footfalls(bar, &figure)?]],
        table: None,
    })
}

fn clip(name: &str, sync: bool) -> (String, NodeDef) {
    let sync = sync.then(|| "gait".to_owned());
    let node =
        NodeDef::Clip { clip: name.into(), speed: ValueDef::default(), wrap: Wrap::Loop, range: None, sync };
    (name.into(), node)
}

/// A blend space with a walk at 0 and a run at 1.
fn gait(figure: &Character) -> Result<Graph, Failure> {
    let points = vec![(0.0, "walk".into()), (1.0, "run".into())];
    let def = GraphDef {
        parameters: vec![("speed".into(), ParameterDef::Float(0.0))],
        sync: vec![("gait".into(), vec!["footfall.left".into(), "footfall.right".into()])],
        nodes: vec![
            clip("walk", true),
            clip("run", true),
            ("go".into(), NodeDef::BlendSpace1d { x: ValueDef::Parameter("speed".into()), points }),
        ],
        output: "go".into(),
        ..GraphDef::default()
    };
    Graph::of_character(&def, figure).attempt(super::compose_demo)
}

/// From 0 to 1 and back over a phase of 0 to 1, holding at both ends.
fn speed_at(phase: f32) -> f32 {
    (0.5 - 0.75 * (phase * TAU).cos()).clamp(0.0, 1.0)
}

fn gaits(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const SECS: f32 = 5.0;
    let graph = gait(figure)?;
    let parameter = graph.find_parameter("speed");
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    let count = (SECS * FPS) as usize;
    let mut poses = Vec::with_capacity(count);
    for frame in 0..count {
        if let Some(parameter) = parameter {
            state.set(parameter, speed_at(frame as f32 / count as f32));
        }
        poses.push(graph.evaluate(&mut state, &mut workspace, 1.0 / FPS).pose().clone());
    }
    Take::walking(figure, "motion_gaits", "From a walk to a run and back", &poses).film(bar, |_| vec![])
}

fn wave(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    let begins = NodeDef::Clip {
        clip: "wave".into(),
        speed: ValueDef::Constant(0.0),
        wrap: Wrap::Loop,
        range: Some((0.0, 0.0)),
        sync: None,
    };
    let mask = sinew::blend::graph::MaskDef { below: vec!["clavicle.R".into()], ..Default::default() };
    let def = GraphDef {
        masks: vec![("arm".into(), mask)],
        nodes: vec![
            clip("walk", false),
            clip("wave", false),
            ("begins".into(), begins),
            ("waving".into(), NodeDef::Difference { of: "wave".into(), from: "begins".into() }),
            (
                "both".into(),
                NodeDef::Add {
                    base: "walk".into(),
                    delta: "waving".into(),
                    weight: ValueDef::default(),
                    mask: Some("arm".into()),
                },
            ),
        ],
        output: "both".into(),
        ..GraphDef::default()
    };
    let graph = Graph::of_character(&def, figure).attempt(super::compose_demo)?;
    let secs = figure.find_clip("wave").map_or(2.0, |c| c.duration_secs());
    let motion = Motion::graph(graph, vec![], secs, "wave".into(), figure)?;
    let poses = motion.poses(&times(secs));
    Take::walking(figure, "motion_wave", "A wave on top of the walk", &poses).film(bar, |_| vec![])
}

fn times(secs: f32) -> Vec<f32> {
    (0..(secs * FPS).round() as usize).map(|frame| frame as f32 / FPS).collect()
}

fn reach(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const TURNS: f32 = 2.0;
    let skeleton = figure.skeleton();
    let arm = limb(figure, "hand.L")?;
    let Some(walk) = figure.find_clip("walk") else {
        return Err(Failure::work(super::compose_demo(), "the figure has no walk"));
    };
    let moments = times(walk.duration_secs() * TURNS);
    let mut model = ModelPose::new(skeleton);
    let (mut poses, mut targets) = (Vec::new(), Vec::new());
    for &time in &moments {
        let mut pose = figure.rest_pose();
        sample_clip(walk, time, Wrap::Loop, &mut pose);
        // The camera follows the figure, so the target travels with it.
        model.update(skeleton, &pose);
        let root = skeleton.find("root").map_or(Vec3::ZERO, |j| model.joint(j).translation.into());
        let turn = TAU * time / walk.duration_secs() / TURNS;
        let around = Vec3::new(0.34 + 0.12 * turn.cos(), 1.28 + 0.16 * turn.sin(), 0.38);
        let target = around + Vec3::new(root.x, 0.0, root.z);
        let goal =
            TwoBoneGoal { pole: Pole::Direction(Vec3::new(0.6, -1.0, -0.4)), ..TwoBoneGoal::to(target) };
        arm.apply(&goal, &model, &mut pose);
        poses.push(pose);
        targets.push(target);
    }
    let cross = |frame: usize| {
        let at: Vec3 = targets[frame];
        [Vec3::X, Vec3::Y, Vec3::Z]
            .map(|axis| LineSegment::new(at - axis * 0.11, at + axis * 0.11, TARGET))
            .to_vec()
    };
    Take::walking(figure, "motion_reach", "A hand follows a target", &poses).film(bar, cross)
}

/// Captured motion retargeted to the figure, at most six seconds of it.
fn captured(
    bar: &ProgressBar,
    figure: &Character,
    file: &str,
    source: &Character,
) -> Result<Exhibit, Failure> {
    let Some(clip) = source.clips().first() else {
        return Err(Failure::usage(format!("{file} has no clip")));
    };
    let map = JointMap::guess(source, figure);
    let (clip, _) = retarget(source, clip, figure, &map, &RetargetOptions::default())
        .map_err(|e| Failure::usage(format!("{file}: {e}")))?;
    let secs = clip.duration_secs().min(6.0);
    let motion = Motion::clip(Some(Arc::new(clip)), figure);
    let poses = motion.poses(&times(secs));
    let caption = "Captured motion on the figure";
    let take = Take { figure, follow: motion.follow(), file: "motion_captured", caption, poses: &poses };
    take.film(bar, |_| vec![])
}

/// Poses of the figure, to be filmed by a camera that follows it.
struct Take<'a> {
    figure: &'a Character,
    follow: Option<CameraFollow>,
    file: &'a str,
    caption: &'a str,
    poses: &'a [LocalPose],
}

impl<'a> Take<'a> {
    /// A take in which the figure travels as in its walk.
    fn walking(figure: &'a Character, file: &'a str, caption: &'a str, poses: &'a [LocalPose]) -> Self {
        let follow = CameraFollow::of_clips(figure, figure.find_clip("walk").map(|clip| &**clip));
        Self { figure, follow, file, caption, poses }
    }

    /// The animation; `marks` are drawn on top of each frame.
    fn film(&self, bar: &ProgressBar, marks: impl Fn(usize) -> Vec<LineSegment>) -> Result<Exhibit, Failure> {
        let mut film = untextured(self.figure, StageOptions::default()).with_follow(self.follow);
        let camera = film.camera(self.poses, Orbit::degrees(38.0, 8.0), lens(&SIZE))?;
        let mut frames = Vec::with_capacity(self.poses.len());
        for (nth, pose) in self.poses.iter().enumerate() {
            film.marks = marks(nth);
            film.pose(pose)?;
            frames.push(film.shoot(camera, &SIZE)?);
        }
        bar.inc(1);
        Exhibit::moving(self.file, self.caption, &frames, f64::from(FPS))
    }
}

/// A plot of the footfalls while a walk becomes a run.
fn footfalls(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const SECS: f32 = 5.0;
    const STEP: f32 = 1.0 / 120.0;
    let graph = gait(figure)?;
    let parameter = graph.find_parameter("speed");
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    let (mut left, mut right, mut line) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..(SECS / STEP) as usize {
        let time = step as f32 * STEP;
        let speed = speed_at(time / SECS);
        if let Some(parameter) = parameter {
            state.set(parameter, speed);
        }
        line.push(Vec2::new(time, speed));
        for event in graph.evaluate(&mut state, &mut workspace, STEP).events() {
            match event.event.name.as_str() {
                "footfall.left" => left.push(Vec2::new(time, 0.55)),
                "footfall.right" => right.push(Vec2::new(time, 0.45)),
                _ => {}
            }
        }
    }
    let mut plot = Plot::new("Footfalls from a walk to a run and back", "seconds", "weight of the run")
        .with("weight of the run", line)
        .with("left foot lands", left)
        .with("right foot lands", right);
    plot.series.iter_mut().skip(1).for_each(|series| series.mark = PlotMark::Dots);
    plot.y_range = Some([0.0, 1.0]);
    (plot.width, plot.height) = (1000, 300);
    bar.inc(1);
    Exhibit::still("motion_footfalls", "Every foot lands once, left and right in turn", &plot.draw())
}
