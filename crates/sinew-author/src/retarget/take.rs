//! The sampled motion of the source, frame by frame.

use super::{RetargetError, RetargetOptions, align::AlignedBody, rest::model_turns, transfer::Transfer};
use sinew::{
    BodySide, Channel, Character, Clip, ClipCursor, Interpolation, JointId, LocalPose, ModelPose, Skeleton,
    Wrap, glam::Vec3, sample_clip, sample_clip_from,
};
use std::ops::Range;

/// The maximum number of poses.
const MAX_FRAMES: f64 = 1_000_000.0;
/// The number of poses per second if the keys of the clip define no times.
const FALLBACK_HZ: f32 = 30.0;

/// The times at which the source is sampled.
#[derive(Debug)]
pub(super) struct SampledTake<'a> {
    source: &'a Skeleton,
    clip: &'a Clip,
    pub(super) times_secs: Vec<f32>,
    /// The time in the clip that becomes time 0.
    pub(super) start_secs: f32,
    /// The time of the dropped rest frame before the motion, if there was one.
    pub(super) left_out_secs: Option<f32>,
}

/// The motion of the source's feet.
#[derive(Debug)]
pub(super) struct ContactSteps {
    /// The height of the lowest joint of planted feet; `None` if there are no feet.
    pub(super) ground: Option<f32>,
    /// The left and the right foot.
    pub(super) sides: [Option<ContactStep>; 2],
}

impl ContactSteps {
    /// The usual height of planted feet above the first estimate.
    pub(super) fn usual_height(&self, contacts: &[Option<Vec<Range<usize>>>; 2]) -> f32 {
        let standing = self.sides.iter().flatten().zip(contacts.iter().flatten());
        let mut heights: Vec<f32> = standing
            .flat_map(|(step, c)| c.iter().flat_map(|c| step.heights[c.clone()].iter().copied()))
            .collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.0)
    }
}

/// The motion of one foot of the source.
#[derive(Debug)]
pub(super) struct ContactStep {
    /// The position of the toes in each frame, or of the ankle if there are none.
    pub(super) points: Vec<Vec3>,
    /// The height of the points above their planted height.
    pub(super) heights: Vec<f32>,
}

impl<'a> SampledTake<'a> {
    pub(super) fn new(
        source: &'a Skeleton,
        clip: &'a Clip,
        options: &RetargetOptions,
    ) -> Result<Self, RetargetError> {
        let times_secs = match options.rate_hz {
            None => key_times(clip),
            Some(_) => None,
        };
        let times_secs = match times_secs {
            Some(times) => times,
            None => steady(clip, options.rate_hz.unwrap_or(FALLBACK_HZ))?,
        };
        let mut take = Self { source, clip, times_secs, start_secs: 0.0, left_out_secs: None };
        if options.drop_rest_frame && take.begins_at_rest() {
            take.left_out_secs = Some(take.times_secs.remove(0));
            take.start_secs = take.times_secs[0];
        }
        Ok(take)
    }

    fn pose(&self) -> LocalPose {
        let mut pose = self.source.rest_pose();
        pose.morphs.resize(self.clip.morph_slot_count(), 0.0);
        pose
    }

    /// True if the first frame is near the rest pose and the motion jumps away from it.
    fn begins_at_rest(&self) -> bool {
        let [first, second, third, ..] = self.times_secs[..] else { return false };
        let turned = |a: &LocalPose, b: &LocalPose| {
            let turn = |(a, b): (&sinew::Transform, &sinew::Transform)| a.rotation.angle_between(b.rotation);
            a.joints.iter().zip(&b.joints).map(turn).fold(0.0_f32, f32::max)
        };
        let at = |time| {
            let mut pose = self.pose();
            sample_clip(self.clip, time, Wrap::Clamp, &mut pose);
            pose
        };
        let (first, second, third) = (at(first), at(second), at(third));
        let jump = turned(&first, &second);
        // Captures begin with arms out and legs together, some 20° from offsets that splay them.
        turned(&self.pose(), &first) < 0.45 && jump > 0.5 && jump > 3.0 * turned(&second, &third)
    }

    /// True if the clip rotates or moves `joint`.
    pub(super) fn moves(&self, joint: JointId) -> bool {
        let rest = self.source.rest(joint);
        self.clip.channels().iter().filter(|c| c.joint() == Some(joint)).any(|channel| match channel {
            Channel::Rotation { curve, .. } => (0..curve.key_count())
                .any(|k| curve.key(k).iter().any(|q| q.angle_between(rest.rotation) > 0.02)),
            _ => false,
        })
    }

    /// Visits every frame of the source.
    fn each(&self, mut see: impl FnMut(&LocalPose, &ModelPose)) {
        let (mut pose, mut model, mut cursor) =
            (self.pose(), ModelPose::new(self.source), ClipCursor::default());
        for &time in &self.times_secs {
            sample_clip_from(self.clip, time, Wrap::Clamp, &mut cursor, &mut pose);
            model.update(self.source, &pose);
            see(&pose, &model);
        }
    }

    pub(super) fn steps(&self, source: &AlignedBody<'_>) -> ContactSteps {
        let up = source.stance.up;
        let feet: Vec<JointId> = source.anatomy.sides.iter().filter_map(|s| s.foot).collect();
        let is_foot = |j: &JointId| feet.iter().any(|&f| source.skeleton.is_within(*j, f));
        let foot_joints: Vec<JointId> = source.skeleton.joints().filter(is_foot).collect();
        let points = BodySide::BOTH.map(|s| source.toe_point(s).or(source.anatomy.side(s).foot));
        let mut lowest: Vec<f32> = Vec::new();
        let mut tracks = [Vec::new(), Vec::new()];
        self.each(|_, model| {
            let at = |j: JointId| Vec3::from(model.joint(j).translation);
            lowest.push(foot_joints.iter().map(|&j| at(j).dot(up)).fold(f32::INFINITY, f32::min));
            for (track, point) in tracks.iter_mut().zip(points) {
                track.extend(point.map(at));
            }
        });
        // The lowest frame is often a toe pressed into the floor, so the tenth percentile is used.
        lowest.sort_by(f32::total_cmp);
        let ground = lowest.get(lowest.len() / 10).copied().filter(|g| g.is_finite());
        let mut sides = [None, None];
        if let Some(ground) = ground {
            for ((side, track), point) in sides.iter_mut().zip(tracks).zip(points) {
                let Some(point) = point else { continue };
                let standing = ground + source.at(point).dot(up) - source.stance.lowest_foot;
                let heights = track.iter().map(|p| p.dot(up) - standing).collect();
                *side = Some(ContactStep { points: track, heights });
            }
        }
        ContactSteps { ground, sides }
    }

    pub(super) fn poses(&self, target: &Character, transfer: &mut Transfer<'_>) -> Vec<LocalPose> {
        let mut model = ModelPose::new(target.skeleton());
        let mut turns = Vec::new();
        let mut out = Vec::with_capacity(self.times_secs.len());
        self.each(|source_pose, source_model| {
            let mut pose = target.rest_pose();
            model_turns(self.source, source_pose, &mut turns);
            transfer.apply(source_model, &turns, &mut pose, &mut model);
            out.push(pose);
        });
        out
    }
}

/// The key times of the linear channel with the densest keys.
fn key_times(clip: &Clip) -> Option<Vec<f32>> {
    let densest = clip.channels().iter().max_by_key(|c| c.key_count())?;
    let linear =
        clip.channels().iter().all(|c| c.key_count() < 2 || c.interpolation() == Interpolation::Linear);
    let times = densest.times_secs();
    let whole = times.last().is_some_and(|&end| {
        end >= clip.channels().iter().filter_map(|c| c.times_secs().last().copied()).fold(0.0, f32::max)
    });
    (linear && whole).then(|| times.to_vec())
}

fn steady(clip: &Clip, rate_hz: f32) -> Result<Vec<f32>, RetargetError> {
    let (duration, rate) = (f64::from(clip.duration_secs()), f64::from(rate_hz));
    let steps = (duration * rate - 1e-3).ceil().max(0.0);
    if steps >= MAX_FRAMES {
        return Err(RetargetError::TooLong { frames: steps });
    }
    let even = (0..steps as usize).map(|k| (k as f64 / rate) as f32);
    Ok(even.chain([clip.duration_secs()]).collect())
}
