//! The sampled motion of the source, frame by frame.

use super::{
    RetargetError, RetargetOptions, rest::model_turns, transfer::Transfer, working_target::WorkingTarget,
};
use sinew::{
    Channel, Clip, ClipCursor, Interpolation, JointId, LocalPose, ModelPose, Skeleton, Wrap, sample_clip,
    sample_clip_from,
};

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
    pub(super) fn each(&self, mut see: impl FnMut(&LocalPose, &ModelPose)) {
        let (mut pose, mut model, mut cursor) =
            (self.pose(), ModelPose::new(self.source), ClipCursor::default());
        for &time in &self.times_secs {
            sample_clip_from(self.clip, time, Wrap::Clamp, &mut cursor, &mut pose);
            model.update(self.source, &pose);
            see(&pose, &model);
        }
    }

    pub(super) fn poses(&self, target: &WorkingTarget<'_>, transfer: &mut Transfer<'_>) -> Vec<LocalPose> {
        let mut model = ModelPose::new(&target.skeleton);
        let rest = target.rest_pose();
        let mut turns = Vec::new();
        let mut out = Vec::with_capacity(self.times_secs.len());
        self.each(|source_pose, source_model| {
            let mut pose = rest.clone();
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
