//! The motion of a character: a clip, a blend of clips or a graph, with a pose and IK on top.

mod args;
mod limb;

pub(crate) use args::MotionArgs;
pub(crate) use limb::limb;

use crate::{clip::ClipArgs, failure::Failure};
use limb::ReachingLimb;
use sinew::blend::graph::{Graph, GraphDef, GraphRun, ParameterChange};
use sinew::glam::Vec3;
use sinew::{Character, Clip, LocalPose, ModelPose};
use sinew_formats::pose_text::PoseOffsets;
use sinew_view::{camera::CameraFollow, film::clip_poses};
use std::sync::Arc;

/// A motion that yields poses.
pub(crate) struct Motion<'a> {
    character: &'a Character,
    source: PoseSource,
    offsets: PoseOffsets,
    limbs: Vec<(ReachingLimb, Vec3)>,
    duration_secs: f32,
    title: String,
}

enum PoseSource {
    Rest,
    Clip(Arc<Clip>),
    Graph { graph: Box<Graph>, changes: Vec<ParameterChange> },
}

impl<'a> Motion<'a> {
    pub(crate) fn new(args: &MotionArgs, character: &'a Character) -> Result<Self, Failure> {
        if let Some(bad) = args.seconds.filter(|s| !s.is_finite() || *s <= 0.0) {
            return Err(Failure::not_positive("--seconds", bad));
        }
        let mut motion = match (&args.blend, &args.graph) {
            (Some(blend), _) => Self::blend(blend, character)?,
            (None, Some(path)) => {
                let graph = sinew_formats::graph::load(path, character)?;
                let title = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                let changes = args.set.iter().map(|change| change.0.clone()).collect();
                Self::graph(graph, changes, 4.0, title, character)?
            }
            (None, None) => Self::clip(args.clip.choose(character)?, character),
        };
        motion.duration_secs = args.seconds.unwrap_or(motion.duration_secs);
        motion.offsets = args.pose.offsets(character)?;
        for ik in &args.ik {
            motion.limbs.push((ReachingLimb::new(character, &ik.joint)?, ik.target));
        }
        Ok(motion)
    }

    /// Plays `clip`, or holds the rest pose.
    pub(crate) fn clip(clip: Option<Arc<Clip>>, character: &'a Character) -> Self {
        let duration_secs = clip.as_ref().map_or(0.0, |c| c.duration_secs());
        let title = clip.as_ref().map_or_else(String::new, |c| c.name().to_owned());
        let source = clip.map_or(PoseSource::Rest, PoseSource::Clip);
        let offsets = PoseOffsets::default();
        Self { character, source, offsets, limbs: vec![], duration_secs, title }
    }

    /// Plays a graph for `duration_secs`.
    pub(crate) fn graph(
        graph: Graph,
        changes: Vec<ParameterChange>,
        duration_secs: f32,
        title: String,
        character: &'a Character,
    ) -> Result<Self, Failure> {
        GraphRun::new(&graph, &changes).map_err(|e| Failure::usage(format!("--set: {e}")))?;
        let source = PoseSource::Graph { graph: Box::new(graph), changes };
        let offsets = PoseOffsets::default();
        Ok(Self { character, source, offsets, limbs: vec![], duration_secs, title })
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
            return Err(Failure::usage("--blend: the weights must have a positive sum, got 0"));
        }
        let mean: f32 = clips.iter().map(|(clip, weight)| clip.duration_secs() * weight / total).sum();
        let def = GraphDef::blend_of_clips(clips.iter().map(|(clip, weight)| (&**clip, *weight)));
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

    /// Follows the joint that carries the character in this motion.
    pub(crate) fn follow(&self) -> Option<CameraFollow> {
        match &self.source {
            PoseSource::Rest => None,
            PoseSource::Clip(clip) => CameraFollow::of_clips(self.character, [&**clip]),
            PoseSource::Graph { .. } => {
                CameraFollow::of_clips(self.character, self.character.clips().iter().map(|clip| &**clip))
            }
        }
    }

    /// The poses at rising times.
    pub(crate) fn poses(&self, times_secs: &[f32]) -> Vec<LocalPose> {
        let rest = || vec![self.character.rest_pose(); times_secs.len()];
        let mut poses = match &self.source {
            PoseSource::Rest => rest(),
            PoseSource::Clip(clip) => clip_poses(self.character, clip, times_secs),
            PoseSource::Graph { graph, changes } => match GraphRun::new(graph, changes) {
                Ok(mut run) => times_secs.iter().map(|&time| run.pose_at(time)).collect(),
                Err(_) => rest(),
            },
        };
        let mut model = ModelPose::new(self.character.skeleton());
        for pose in &mut poses {
            self.offsets.apply(pose);
            for (limb, target) in &self.limbs {
                model.update(self.character.skeleton(), pose);
                limb.reach(*target, &model, pose);
            }
        }
        poses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_of_one_clip_is_the_clip() {
        let figure = sinew_samples::figure();
        let motion = Motion::blend("walk:2", &figure).unwrap();
        let alone = Motion::clip(figure.find_clip("walk").cloned(), &figure);
        for (a, b) in motion.poses(&[0.3]).iter().zip(&alone.poses(&[0.3])) {
            for (a, b) in a.joints.iter().zip(&b.joints) {
                assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-5 && a.scale == b.scale);
            }
        }
        assert!(Motion::blend("walk:0", &figure).is_err());
        assert!(Motion::blend("fly:1", &figure).is_err());
    }

    #[test]
    fn ik_moves_a_hand_to_its_target() {
        let figure = sinew_samples::figure();
        let args = MotionArgs { ik: vec!["hand.L=0.3,1.2,0.3".parse().unwrap()], ..MotionArgs::default() };
        let motion = Motion::new(&args, &figure).unwrap();
        let mut model = ModelPose::new(figure.skeleton());
        model.update(figure.skeleton(), &motion.poses(&[0.0])[0]);
        let hand = figure.skeleton().find("hand.L").unwrap();
        let at = Vec3::from(model.joint(hand).translation);
        assert!(at.distance(Vec3::new(0.3, 1.2, 0.3)) < 0.01, "{at}");
    }
}
