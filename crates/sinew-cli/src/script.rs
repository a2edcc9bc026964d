//! What a character does: a clip, clips blended, a graph, and limbs that reach for points.

use crate::{clip::ClipArgs, failure::Failure, film::traveller, joint};
use clap::ValueHint;
use sinew::blend::graph::{
    Graph, GraphDef, GraphScratch, GraphState, InputDef, NodeDef, ParameterDef, ValueDef,
};
use sinew::constrain::{TwoBone, TwoBoneGoal, TwoBoneParts};
use sinew::glam::Vec3;
use sinew::{Character, Clip, JointId, LocalPose, ModelPose, Transform, Wrap, sample_clip};
use std::{path::PathBuf, str::FromStr, sync::Arc};

/// The choice of a motion.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ScriptArgs {
    #[command(flatten)]
    pub(crate) clip: ClipArgs,

    /// Clips to blend, each with its weight; clips that have footfalls keep in step.
    #[arg(long, value_name = "CLIP:WEIGHT,…", conflicts_with = "clip")]
    pub(crate) blend: Option<String>,

    /// A graph file to play.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["clip", "blend"])]
    pub(crate) graph: Option<PathBuf>,

    /// Set a graph's parameter, at once or at a time: speed=2.5, speed=3@1.5, wave=on@2, jump=fire@3.
    #[arg(long, value_name = "NAME=VALUE[@SECONDS]", requires = "graph")]
    pub(crate) set: Vec<Setting>,

    /// How long a blend or a graph plays.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<f32>,

    /// Let a limb of two bones reach with JOINT for a point in model space, in metres.
    #[arg(long, value_name = "JOINT=X,Y,Z")]
    pub(crate) ik: Vec<Reaching>,
}

/// A parameter's value from some time on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    name: String,
    value: ParameterValue,
    at_secs: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ParameterValue {
    Number(f32),
    Switch(bool),
    Fire,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is not NAME=VALUE or NAME=VALUE@SECONDS");
        let (name, rest) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(fail)?;
        let (value, at) = rest.split_once('@').unwrap_or((rest, "0"));
        let number = |t: &str| t.trim().parse().ok().filter(|n: &f32| n.is_finite());
        let value = match value.trim() {
            "on" | "true" => ParameterValue::Switch(true),
            "off" | "false" => ParameterValue::Switch(false),
            "fire" => ParameterValue::Fire,
            other => ParameterValue::Number(number(other).ok_or_else(fail)?),
        };
        Ok(Self { name: name.into(), value, at_secs: number(at).ok_or_else(fail)? })
    }
}

/// A joint and where it should be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reaching {
    pub(crate) joint: String,
    pub(crate) target: Vec3,
}

impl FromStr for Reaching {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is not JOINT=X,Y,Z in metres");
        let (joint, point) = text.rsplit_once('=').filter(|(joint, _)| !joint.is_empty()).ok_or_else(fail)?;
        let numbers: Option<Vec<f32>> =
            point.split(',').map(|n| n.trim().parse().ok().filter(|n: &f32| n.is_finite())).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(Self { joint: joint.into(), target: Vec3::new(x, y, z) }),
            _ => Err(fail()),
        }
    }
}

/// A motion that can be asked for its poses.
pub(crate) struct Script<'a> {
    character: &'a Character,
    source: PoseSource,
    limbs: Vec<(TwoBone, Vec3)>,
    duration_secs: f32,
    title: String,
}

enum PoseSource {
    Rest,
    Clip(Arc<Clip>),
    Graph { graph: Box<Graph>, settings: Vec<Setting> },
}

impl<'a> Script<'a> {
    pub(crate) fn new(args: &ScriptArgs, character: &'a Character) -> Result<Self, Failure> {
        if let Some(bad) = args.seconds.filter(|s| !s.is_finite() || *s <= 0.0) {
            return Err(Failure::usage(format!("--seconds: {bad} is no time")));
        }
        let mut script = match (&args.blend, &args.graph) {
            (Some(blend), _) => Self::blend(blend, character)?,
            (None, Some(path)) => {
                let graph = sinew_formats::graph::load(path, character)?;
                let title = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                Self::graph(graph, args.set.clone(), 4.0, title, character)?
            }
            (None, None) => Self::clip(args.clip.choose(character)?, character),
        };
        script.duration_secs = args.seconds.unwrap_or(script.duration_secs);
        for reaching in &args.ik {
            script.limbs.push((limb(character, &reaching.joint)?, reaching.target));
        }
        Ok(script)
    }

    /// Plays `clip`, or stands at rest.
    pub(crate) fn clip(clip: Option<Arc<Clip>>, character: &'a Character) -> Self {
        let duration_secs = clip.as_ref().map_or(0.0, |c| c.duration_secs());
        let title = clip.as_ref().map_or_else(String::new, |c| c.name().to_owned());
        let source = clip.map_or(PoseSource::Rest, PoseSource::Clip);
        Self { character, source, limbs: vec![], duration_secs, title }
    }

    /// Plays a graph for `duration_secs`.
    pub(crate) fn graph(
        graph: Graph,
        mut settings: Vec<Setting>,
        duration_secs: f32,
        title: String,
        character: &'a Character,
    ) -> Result<Self, Failure> {
        for setting in &settings {
            check(setting, &graph)?;
        }
        settings.sort_by(|a, b| a.at_secs.total_cmp(&b.at_secs));
        let source = PoseSource::Graph { graph: Box::new(graph), settings };
        Ok(Self { character, source, limbs: vec![], duration_secs, title })
    }

    /// Plays clips with weights: `walk:0.5,run:0.5`.
    fn blend(text: &str, character: &'a Character) -> Result<Self, Failure> {
        let mut clips: Vec<(Arc<Clip>, f32)> = Vec::new();
        for part in text.split(',') {
            let (name, weight) = part.rsplit_once(':').unwrap_or((part, "1"));
            let weight = weight.trim().parse().ok().filter(|w: &f32| w.is_finite() && *w >= 0.0);
            let weight =
                weight.ok_or_else(|| Failure::usage(format!("--blend: {part:?} is not CLIP:WEIGHT")))?;
            let choice = ClipArgs { clip: Some(name.trim().to_owned()) };
            clips.extend(choice.choose(character)?.map(|clip| (clip, weight)));
        }
        let total: f32 = clips.iter().map(|(_, weight)| weight).sum();
        if total <= 0.0 {
            return Err(Failure::usage("--blend: no clip has a weight"));
        }
        let mean: f32 = clips.iter().map(|(clip, weight)| clip.duration_secs() * weight / total).sum();
        let def = blend_of(&clips);
        let graph =
            Graph::of_character(&def, character).map_err(|e| Failure::usage(format!("--blend: {e}")))?;
        Self::graph(graph, vec![], mean, text.to_owned(), character)
    }

    pub(crate) fn is_still(&self) -> bool {
        matches!(self.source, PoseSource::Rest)
    }

    pub(crate) fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// The joint that carries the travel: the first that is moved, which is nearest to the root.
    pub(crate) fn traveller(&self) -> Option<JointId> {
        match &self.source {
            PoseSource::Rest => None,
            PoseSource::Clip(clip) => traveller(clip),
            PoseSource::Graph { .. } => {
                self.character.clips().iter().filter_map(|clip| traveller(clip)).min()
            }
        }
    }

    /// The poses at rising times.
    pub(crate) fn poses(&self, times_secs: &[f32]) -> Vec<LocalPose> {
        let rest = self.character.rest_pose();
        let mut poses = match &self.source {
            PoseSource::Rest => vec![rest; times_secs.len()],
            PoseSource::Clip(clip) => {
                let at = |&time: &f32| {
                    let mut pose = rest.clone();
                    sample_clip(clip, time, Wrap::Clamp, &mut pose);
                    pose
                };
                times_secs.iter().map(at).collect()
            }
            PoseSource::Graph { graph, settings } => GraphRun::new(graph, settings).poses(times_secs),
        };
        let mut model = ModelPose::new(self.character.skeleton());
        for pose in &mut poses {
            for (limb, target) in &self.limbs {
                model.update(self.character.skeleton(), pose);
                limb.apply(&TwoBoneGoal::to(*target), &model, pose);
            }
        }
        poses
    }
}

/// A graph that blends clips; those that have footfalls keep in step.
fn blend_of(clips: &[(Arc<Clip>, f32)]) -> GraphDef {
    const MARKERS: [&str; 2] = ["footfall.left", "footfall.right"];
    let has_markers = |clip: &Clip| MARKERS.iter().all(|m| clip.events().iter().any(|e| e.name == *m));
    let walkers = clips.iter().filter(|(clip, _)| has_markers(clip)).count();
    let sync = |clip: &Clip| (walkers > 1 && has_markers(clip)).then(|| "gait".to_owned());
    let mut nodes = Vec::new();
    let mut inputs = Vec::new();
    for (nth, (clip, weight)) in clips.iter().enumerate() {
        let node = format!("{nth} {}", clip.name());
        let of_clip = NodeDef::Clip {
            clip: clip.name().into(),
            speed: ValueDef::default(),
            wrap: Wrap::Loop,
            range: None,
            sync: sync(clip),
        };
        nodes.push((node.clone(), of_clip));
        inputs.push(InputDef { node, weight: ValueDef::Constant(*weight), mask: None });
    }
    nodes.push(("blend".into(), NodeDef::Blend { inputs }));
    let markers = MARKERS.map(String::from).to_vec();
    let sync = if walkers > 1 { vec![("gait".into(), markers)] } else { vec![] };
    GraphDef { nodes, sync, output: "blend".into(), ..GraphDef::default() }
}

fn check(setting: &Setting, graph: &Graph) -> Result<(), Failure> {
    let mut all = graph.parameters();
    let names = || graph.parameters().map(|(name, _)| name.to_owned()).collect::<Vec<_>>().join(", ");
    let Some((_, def)) = all.find(|(name, _)| *name == setting.name) else {
        let what = format!("--set: there is no parameter {:?}; there are {}", setting.name, names());
        return Err(Failure::usage(what));
    };
    let wanted = match (def, setting.value) {
        (ParameterDef::Float(_), ParameterValue::Number(_))
        | (ParameterDef::Bool(_), ParameterValue::Switch(_))
        | (ParameterDef::Trigger, ParameterValue::Fire) => return Ok(()),
        (ParameterDef::Float(_), _) => "a number",
        (ParameterDef::Bool(_), _) => "on or off",
        (ParameterDef::Trigger, _) => "fire",
    };
    Err(Failure::usage(format!("--set: parameter {:?} takes {wanted}", setting.name)))
}

/// A graph on its way through time.
struct GraphRun<'a> {
    graph: &'a Graph,
    settings: std::iter::Peekable<std::slice::Iter<'a, Setting>>,
    state: GraphState,
    workspace: GraphScratch,
    world_from_model: Transform,
    now_secs: f32,
}

impl<'a> GraphRun<'a> {
    fn new(graph: &'a Graph, settings: &'a [Setting]) -> Self {
        Self {
            graph,
            settings: settings.iter().peekable(),
            state: graph.new_state(),
            workspace: GraphScratch::new(graph),
            world_from_model: Transform::IDENTITY,
            now_secs: 0.0,
        }
    }

    fn poses(mut self, times_secs: &[f32]) -> Vec<LocalPose> {
        times_secs.iter().map(|&time| self.pose_at(time)).collect()
    }

    /// Runs on to `time_secs` in steps of a sixtieth of a second, as a game would.
    fn pose_at(&mut self, time_secs: f32) -> LocalPose {
        let mut pose = self.step(0.0);
        while self.now_secs < time_secs {
            let dt_secs = (time_secs - self.now_secs).min(1.0 / 60.0);
            self.now_secs += dt_secs;
            pose = self.step(dt_secs);
        }
        pose
    }

    fn step(&mut self, dt_secs: f32) -> LocalPose {
        while let Some(setting) = self.settings.next_if(|s| s.at_secs <= self.now_secs) {
            let Some(id) = self.graph.find_parameter(&setting.name) else { continue };
            match setting.value {
                ParameterValue::Number(number) => self.state.set(id, number),
                ParameterValue::Switch(is_on) => self.state.switch(id, is_on),
                ParameterValue::Fire => self.state.fire(id),
            }
        }
        let now = self.graph.evaluate(&mut self.state, &mut self.workspace, dt_secs);
        let root = now.root_motion();
        let mut pose = now.pose().clone();
        let place = &mut self.world_from_model;
        place.translation += place.rotation * root.translation;
        place.rotation = (place.rotation * root.rotation).normalize();
        if let Some(first) = pose.joints.first_mut() {
            first.translation = place.translation + place.rotation * first.translation;
            first.rotation = place.rotation * first.rotation;
        }
        pose
    }
}

/// The two bones that end at the joint called `name`.
pub(crate) fn limb(character: &Character, name: &str) -> Result<TwoBone, Failure> {
    let skeleton = character.skeleton();
    let end = joint::find(character, name)?;
    let above = |joint| skeleton.parent(joint);
    let Some((mid, first)) = above(end).and_then(|mid| Some((mid, above(mid)?))) else {
        return Err(Failure::usage(format!("--ik: joint {name:?} has no two bones above it")));
    };
    let parts = TwoBoneParts { softness: 0.02, ..TwoBoneParts::new(first, mid, end) };
    let bent = TwoBone::new(skeleton, parts);
    // A limb that is straight at rest does not say which way it bends.
    let limb = bent.or_else(|_| TwoBone::new(skeleton, TwoBoneParts { hinge: Some(Vec3::X), ..parts }));
    limb.map_err(|e| Failure::usage(format!("--ik {name}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_numbers_switches_or_shots_at_a_time() {
        let setting = |text: &str| text.parse::<Setting>();
        assert_eq!(setting("speed=2.5").unwrap().value, ParameterValue::Number(2.5));
        assert_eq!(
            setting("wave=on@2").unwrap(),
            Setting { name: "wave".into(), value: ParameterValue::Switch(true), at_secs: 2.0 }
        );
        assert_eq!(setting("jump=fire@3").unwrap().value, ParameterValue::Fire);
        for bad in ["", "speed", "=3", "speed=fast", "speed=1@soon", "speed=nan"] {
            assert!(setting(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_blend_of_one_clip_is_the_clip() {
        let figure = sinew_samples::figure();
        let script = Script::blend("walk:2", &figure).unwrap();
        let alone = Script::clip(figure.find_clip("walk").cloned(), &figure);
        for (a, b) in script.poses(&[0.3]).iter().zip(&alone.poses(&[0.3])) {
            for (a, b) in a.joints.iter().zip(&b.joints) {
                assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-5 && a.scale == b.scale);
            }
        }
        assert!(Script::blend("walk:0", &figure).is_err());
        assert!(Script::blend("fly:1", &figure).is_err());
    }

    #[test]
    fn a_hand_goes_where_it_is_told() {
        let figure = sinew_samples::figure();
        let args = ScriptArgs { ik: vec!["hand.L=0.3,1.2,0.3".parse().unwrap()], ..ScriptArgs::default() };
        let script = Script::new(&args, &figure).unwrap();
        let mut model = ModelPose::new(figure.skeleton());
        model.update(figure.skeleton(), &script.poses(&[0.0])[0]);
        let hand = figure.skeleton().find("hand.L").unwrap();
        let at = Vec3::from(model.joint(hand).translation);
        assert!(at.distance(Vec3::new(0.3, 1.2, 0.3)) < 0.01, "{at}");
    }
}
