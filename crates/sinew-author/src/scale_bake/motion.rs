//! Bakes the keys of one clip.

use super::{ScaleBake, ScaleBakeError, ScaleBakeOptions, ScaleBakeReport, worst_point};
use sinew::{
    Channel, Clip, ClipKind, Curve, Interpolation, JointId, LocalPose, Transform, Wrap, glam::Affine3A,
    sample::slerp, sample_clip,
};

/// The local transforms of every joint at one time.
struct BakedKey {
    time_secs: f32,
    joints: Vec<Transform>,
}

/// `clip` with keys that place every joint with plain inheritance. A clip that moves no compensated joint and no scale above
/// one stays as it is.
pub(super) fn baked(
    clip: &Clip,
    bake: &mut ScaleBake<'_>,
    options: &ScaleBakeOptions,
    report: &mut ScaleBakeReport,
) -> Result<Clip, ScaleBakeError> {
    if clip.kind() != ClipKind::Absolute {
        report.skipped_clips.push(clip.name().to_owned());
        return Ok(clip.clone());
    }
    let mut sampler = ClipSampler::new(clip, bake);
    let mut keys: Vec<BakedKey> = Vec::new();
    for time_secs in sampler.times() {
        keys.push(sampler.key(time_secs, report));
    }
    let mut at = 0;
    while at + 1 < keys.len() {
        let (from, to) = (&keys[at], &keys[at + 1]);
        let middle = 0.5 * (from.time_secs + to.time_secs);
        let is_long = to.time_secs - from.time_secs >= 2.0 * options.shortest_secs;
        let key = sampler.key(middle, report);
        if is_long && sampler.error_between(from, to, &key) > options.tolerance_meters {
            keys.insert(at + 1, key);
        } else {
            at += 1;
        }
    }
    sampler.rebuilt(&keys, report)
}

struct ClipSampler<'c, 'b, 's> {
    clip: &'c Clip,
    bake: &'b mut ScaleBake<'s>,
    pose: LocalPose,
    /// True for joints that some key moved away from what the clip says.
    is_changed: Vec<bool>,
}

impl<'c, 'b, 's> ClipSampler<'c, 'b, 's> {
    fn new(clip: &'c Clip, bake: &'b mut ScaleBake<'s>) -> Self {
        let mut pose = bake.skeleton.rest_pose();
        pose.morphs = vec![0.0; clip.morph_slot_count()];
        let is_changed = vec![false; bake.skeleton.len()];
        Self { clip, bake, pose, is_changed }
    }

    /// The keys of every channel that moves a compensated joint, a descendant of one, or scales its parent.
    fn times(&self) -> Vec<f32> {
        let skeleton = self.bake.skeleton;
        let is_source = |joint: JointId| skeleton.compensated().any(|j| skeleton.parent(j) == Some(joint));
        let matters = |channel: &&Channel| match channel {
            Channel::Translation { joint, .. } | Channel::Rotation { joint, .. } => {
                self.bake.concerns[joint.index()]
            }
            Channel::Scale { joint, .. } => self.bake.concerns[joint.index()] || is_source(*joint),
            Channel::Morphs { .. } => false,
        };
        let mut times = Vec::new();
        for channel in self.clip.channels().iter().filter(matters) {
            let keys = channel.times_secs();
            times.extend_from_slice(keys);
            // The value just before a jump is a key of its own.
            let is_step = channel.interpolation() == Interpolation::Step;
            let jumps = keys.windows(2).filter(|pair| is_step || pair[0] == pair[1]);
            times.extend(jumps.map(|pair| pair[1].next_down().max(pair[0])));
        }
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    fn key(&mut self, time_secs: f32, report: &mut ScaleBakeReport) -> BakedKey {
        self.pose.joints.copy_from_slice(self.bake.skeleton.rest_transforms());
        sample_clip(self.clip, time_secs, Wrap::Clamp, &mut self.pose);
        let joints = self.bake.local_of(&self.pose);
        self.bake.measure(report);
        for ((is_changed, new), old) in self.is_changed.iter_mut().zip(&joints).zip(&self.pose.joints) {
            *is_changed |= new != old;
        }
        BakedKey { time_secs, joints }
    }

    /// How far a point moves if the key between two others is interpolated from them instead.
    fn error_between(&self, from: &BakedKey, to: &BakedKey, between: &BakedKey) -> f32 {
        let (mut exact, mut guess): (Vec<Affine3A>, Vec<Affine3A>) = (Vec::new(), Vec::new());
        let mut worst = 0.0_f32;
        for (joint, parent) in self.bake.skeleton.parents().iter().enumerate() {
            let (a, b, own) = (&from.joints[joint], &to.joints[joint], &between.joints[joint]);
            let moved = if self.is_changed[joint] { halfway(a, b) } else { *own };
            let place = |models: &[Affine3A], local: &Transform| {
                parent.map_or(Affine3A::IDENTITY, |p| models[p.index()]) * local.to_affine()
            };
            let pair = (place(&exact, own), place(&guess, &moved));
            worst = worst.max(worst_point(&pair.0, &pair.1, self.bake.distance_meters));
            exact.push(pair.0);
            guess.push(pair.1);
        }
        worst
    }

    /// The clip with the channels of every changed joint replaced.
    fn rebuilt(&self, keys: &[BakedKey], report: &mut ScaleBakeReport) -> Result<Clip, ScaleBakeError> {
        let mut parts = self.clip.clone().into_parts();
        let is_changed = |joint: JointId| self.is_changed.get(joint.index()).copied().unwrap_or(false);
        parts.channels.retain(|channel| !channel.joint().is_some_and(is_changed));
        let times: Vec<f32> = keys.iter().map(|key| key.time_secs).collect();
        for joint in self.bake.skeleton.joints().filter(|&j| is_changed(j)) {
            let of = || keys.iter().map(|key| &key.joints[joint.index()]);
            let linear = Interpolation::Linear;
            let curve = Curve::new(times.clone(), of().map(|t| t.translation).collect(), linear)?;
            parts.channels.push(Channel::Translation { joint, curve });
            let curve = Curve::new(times.clone(), of().map(|t| t.rotation).collect(), linear)?;
            parts.channels.push(Channel::Rotation { joint, curve });
            let curve = Curve::new(times.clone(), of().map(|t| t.scale).collect(), linear)?;
            parts.channels.push(Channel::Scale { joint, curve });
            report.keys += 3 * times.len();
        }
        Ok(Clip::from_parts(parts)?)
    }
}

fn halfway(a: &Transform, b: &Transform) -> Transform {
    Transform {
        translation: a.translation.midpoint(b.translation),
        rotation: slerp(a.rotation, b.rotation, 0.5),
        scale: a.scale.midpoint(b.scale),
    }
}
