//! Motion: clips blended in step, laid on each other, and limbs that reach.

use crate::{
    failure::Failure,
    film::{CliFilm, traveller},
    page::{Exhibit, Section},
    script::{Script, limb},
};
use indicatif::ProgressBar;
use sinew::blend::graph::{Graph, GraphDef, GraphScratch, NodeDef, ParameterDef, ValueDef};
use sinew::constrain::{Pole, TwoBoneGoal};
use sinew::glam::{Vec2, Vec3};
use sinew::{Character, JointId, LocalPose, ModelPose, Wrap, sample_clip};
use sinew_author::retarget::{JointMap, RetargetOptions, retarget};
use sinew_view::{
    camera::Orbit,
    color::Color,
    layer::LineSegment,
    plot::{Plot, PlotMark},
    raster::RenderOptions,
    stage::{StageOptions, StageTextures},
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
        title: "Motion that is put together".into(),
        text: "From a walk to a run by one number: both clips keep in step by their footfalls, so no foot lands twice. A wave \
               laid on the walk as a difference, on one arm alone. A hand that follows a point by inverse kinematics while \
               the body walks on. Below, when feet land while the walk becomes a run."
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

/// A walk at 0 and a run at 1.
fn gait(figure: &Character) -> Result<Graph, Failure> {
    let points = vec![(0.0, "walk".into()), (1.0, "run".into())];
    let def = GraphDef {
        parameters: vec![("haste".into(), ParameterDef::Float(0.0))],
        sync: vec![("gait".into(), vec!["footfall.left".into(), "footfall.right".into()])],
        nodes: vec![
            clip("walk", true),
            clip("run", true),
            ("go".into(), NodeDef::BlendSpace1d { x: ValueDef::Parameter("haste".into()), points }),
        ],
        output: "go".into(),
        ..GraphDef::default()
    };
    Graph::of_character(&def, figure).map_err(super::still::undrawable)
}

/// From 0 to 1 and back, with some time at both ends.
fn haste(part: f32) -> f32 {
    (0.5 - 0.75 * (part * TAU).cos()).clamp(0.0, 1.0)
}

fn gaits(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const SECS: f32 = 5.0;
    let graph = gait(figure)?;
    let parameter = graph.find_parameter("haste");
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    let count = (SECS * FPS) as usize;
    let mut poses = Vec::with_capacity(count);
    for frame in 0..count {
        if let Some(parameter) = parameter {
            state.set(parameter, haste(frame as f32 / count as f32));
        }
        poses.push(graph.evaluate(&mut state, &mut workspace, 1.0 / FPS).pose().clone());
    }
    film(bar, (figure, walker(figure)), "motion_gaits", "From a walk to a run and back", &poses, |_| vec![])
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
    let graph = Graph::of_character(&def, figure).map_err(super::still::undrawable)?;
    let secs = figure.find_clip("wave").map_or(2.0, |c| c.duration_secs());
    let script = Script::graph(graph, vec![], secs, "wave".into(), figure)?;
    let poses = script.poses(&times(secs));
    film(bar, (figure, walker(figure)), "motion_wave", "A wave laid on the walk", &poses, |_| vec![])
}

fn times(secs: f32) -> Vec<f32> {
    (0..(secs * FPS).round() as usize).map(|frame| frame as f32 / FPS).collect()
}

fn reach(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const TURNS: f32 = 2.0;
    let skeleton = figure.skeleton();
    let arm = limb(figure, "hand.L")?;
    let Some(walk) = figure.find_clip("walk") else {
        return Err(Failure::Draw("the figure does not walk".into()));
    };
    let moments = times(walk.duration_secs() * TURNS);
    let mut model = ModelPose::new(skeleton);
    let (mut poses, mut targets) = (Vec::new(), Vec::new());
    for &time in &moments {
        let mut pose = figure.rest_pose();
        sample_clip(walk, time, Wrap::Loop, &mut pose);
        // The figure walks on the spot here: its travel is the target's too.
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
    film(bar, (figure, walker(figure)), "motion_reach", "A hand follows a point", &poses, cross)
}

/// Someone's recorded motion on the figure, at most six seconds of it.
fn captured(
    bar: &ProgressBar,
    figure: &Character,
    file: &str,
    source: &Character,
) -> Result<Exhibit, Failure> {
    let Some(clip) = source.clips().first() else {
        return Err(Failure::usage(format!("{file} has no motion")));
    };
    let map = JointMap::guess(source.skeleton(), figure.skeleton());
    let (clip, _) = retarget(source.skeleton(), clip, figure, &map, &RetargetOptions::default())
        .map_err(|e| Failure::usage(format!("{file}: {e}")))?;
    let secs = clip.duration_secs().min(6.0);
    let script = Script::clip(Some(Arc::new(clip)), figure);
    let poses = script.poses(&times(secs));
    film(
        bar,
        (figure, script.traveller()),
        "motion_captured",
        "Captured motion on the figure",
        &poses,
        |_| vec![],
    )
}

/// The joint that carries the figure's walk.
fn walker(figure: &Character) -> Option<JointId> {
    figure.find_clip("walk").and_then(|clip| traveller(clip))
}

/// The poses as an animation that follows the figure; `marks` are drawn over each.
fn film(
    bar: &ProgressBar,
    (figure, traveller): (&Character, Option<JointId>),
    file: &str,
    caption: &str,
    poses: &[LocalPose],
    marks: impl Fn(usize) -> Vec<LineSegment>,
) -> Result<Exhibit, Failure> {
    let mut film = CliFilm::new(figure, &StageTextures::none(), StageOptions::default());
    film.follow = true;
    film.traveller = traveller;
    let camera = film.camera_for_poses(poses, Orbit::degrees(38.0, 8.0), SIZE.aspect())?;
    let mut frames = Vec::with_capacity(poses.len());
    for (nth, pose) in poses.iter().enumerate() {
        film.marks = marks(nth);
        film.pose(pose)?;
        frames.push(film.shoot(camera, &SIZE)?);
    }
    bar.inc(1);
    Exhibit::moving(file, caption, &frames, f64::from(FPS))
}

/// When feet land while a walk becomes a run.
fn footfalls(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    const SECS: f32 = 5.0;
    const STEP: f32 = 1.0 / 120.0;
    let graph = gait(figure)?;
    let parameter = graph.find_parameter("haste");
    let (mut state, mut workspace) = (graph.new_state(), GraphScratch::new(&graph));
    let (mut left, mut right, mut line) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..(SECS / STEP) as usize {
        let time = step as f32 * STEP;
        let share = haste(time / SECS);
        if let Some(parameter) = parameter {
            state.set(parameter, share);
        }
        line.push(Vec2::new(time, share));
        for event in graph.evaluate(&mut state, &mut workspace, STEP).events() {
            match event.event.name.as_str() {
                "footfall.left" => left.push(Vec2::new(time, 0.55)),
                "footfall.right" => right.push(Vec2::new(time, 0.45)),
                _ => {}
            }
        }
    }
    let mut plot = Plot::new("Footfalls from a walk to a run and back", "seconds", "share of the run")
        .with("share of the run", line)
        .with("left foot lands", left)
        .with("right foot lands", right);
    plot.series.iter_mut().skip(1).for_each(|series| series.mark = PlotMark::Dots);
    plot.y_range = Some([0.0, 1.0]);
    (plot.width, plot.height) = (1000, 300);
    bar.inc(1);
    Exhibit::still("motion_footfalls", "Every foot lands once, left and right in turn", &plot.draw())
}
