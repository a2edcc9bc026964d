//! Pins planted feet and hands with two-bone IK.

use super::{
    limb::{ContactLimb, GroundPlane, LimbTrack},
    report::ContactReport,
    transfer::shift,
    working_target::WorkingTarget,
};
use sinew::{
    JointId, LocalPose, ModelPose, Transform,
    constrain::TwoBoneGoal,
    glam::{Quat, Vec3},
};

/// Pinning stretches a limb to at most this fraction of its length.
const STRAIGHTEST: f32 = 0.999;
/// The body sinks by at most this fraction of a limb's length.
const DEEPEST: f32 = 0.15;

/// Vertices of a foot also follow the shin, so they do not move exactly as the ankle does: its target is corrected so often.
const SOLE_STEPS: usize = 3;
/// A goal missed by more than this fraction of the limb is out of reach.
const FAR: f32 = 0.02;
/// A sole this near to the ground is on it, as a fraction of the height of the character.
const NEAR_GROUND: f32 = 2e-4;

/// The reports on planted limbs.
#[derive(Debug, Default)]
pub(super) struct Planted {
    pub(super) reports: Vec<ContactReport>,
    pub(super) worst_sink_meters: f32,
}

/// The poses to change, and how the body is carried.
#[derive(Debug)]
pub(super) struct Planting<'a> {
    pub(super) target: &'a WorkingTarget<'a>,
    pub(super) limbs: &'a [ContactLimb],
    pub(super) ground: GroundPlane,
    pub(super) carrier: JointId,
    pub(super) times_secs: &'a [f32],
}

impl Planting<'_> {
    /// Reports on the limbs in `poses`, and pins them if asked to.
    pub(super) fn apply(&self, poses: &mut [LocalPose], pin: bool) -> Planted {
        let before = self.tracks(poses);
        let mut out = Planted::default();
        for (limb, track) in self.limbs.iter().zip(&before) {
            let mut report = limb.report(self.times_secs);
            report.before = track.figures;
            out.reports.push(report);
        }
        let after = if pin {
            self.pin(&before, poses, &mut out);
            let after = self.tracks(poses);
            out.reports.iter_mut().zip(&after).for_each(|(report, track)| report.after = Some(track.figures));
            after
        } else {
            before
        };
        for (report, track) in out.reports.iter_mut().zip(&after) {
            (report.overbend_degrees, report.overbend_meters) =
                (track.overbend_degrees, track.overbend_meters);
        }
        out
    }

    fn tracks(&self, poses: &[LocalPose]) -> Vec<LimbTrack> {
        let track = |limb: &ContactLimb| limb.measure(self.target, poses, self.times_secs, &self.ground);
        self.limbs.iter().map(track).collect()
    }

    fn pin(&self, before: &[LimbTrack], poses: &mut [LocalPose], out: &mut Planted) {
        let corrections: Vec<Vec<Vec3>> = (self.limbs.iter().zip(before))
            .map(|(limb, track)| limb.corrections(track, self.times_secs, &self.ground))
            .collect();
        let sinks = self.sinks(before, &corrections, poses);
        out.worst_sink_meters = sinks.iter().fold(0.0, |a, &b| a.max(b));
        let skeleton = &self.target.skeleton;
        let (frames, up) = (poses.len(), self.ground.up);
        let mut model = ModelPose::new(skeleton);
        for (frame, pose) in poses.iter_mut().enumerate() {
            model.update(skeleton, pose);
            let turn = |l: &ContactLimb| Transform::from_affine(&model.joint(l.end())).0.rotation;
            let turns: Vec<Quat> = self.limbs.iter().map(turn).collect();
            shift(skeleton, pose, &mut model, self.carrier, -up * sinks[frame]);
            for (at, limb) in self.limbs.iter().enumerate() {
                let low = before[at].lowest[frame];
                let by = self.offset(limb, corrections[at][frame], low, frame, sinks[frame]);
                // The body carries a limb that only sinks with it.
                if by == -up * sinks[frame] {
                    continue;
                }
                let target = before[at].ends[frame] + by;
                let distance = self.reach(
                    limb,
                    TwoBoneGoal { orientation: Some(turns[at]), ..TwoBoneGoal::to(target) },
                    frame,
                    &mut model,
                    pose,
                );
                out.reports[at].note_reach(distance, frames);
            }
        }
    }

    /// Moves the end of a limb to a goal, then its lowest vertex to the ground. Returns the distance from the goal.
    fn reach(
        &self,
        limb: &ContactLimb,
        mut goal: TwoBoneGoal,
        frame: usize,
        model: &mut ModelPose,
        pose: &mut LocalPose,
    ) -> f32 {
        let skeleton = &self.target.skeleton;
        let near = NEAR_GROUND * self.ground.body_height;
        let mut move_to = |goal: &TwoBoneGoal| {
            let reach = limb.limb.apply(goal, model, pose);
            model.update_below(skeleton, pose, limb.joints[0]);
            (reach.distance, self.above_ground(limb, model, frame))
        };
        let (distance, mut off) = move_to(&goal);
        let is_out_of_reach = distance > FAR * limb.length;
        for _ in 0..SOLE_STEPS {
            if is_out_of_reach || off.abs() < near {
                break;
            }
            goal.target -= self.ground.up * off;
            let (_, next) = move_to(&goal);
            // A limb that cannot get closer has reached its end.
            if next.abs() > 0.9 * off.abs() {
                break;
            }
            off = next;
        }
        distance
    }

    /// How far the lowest vertex of a limb is above where it may be: on the ground in contacts, not below it otherwise.
    fn above_ground(&self, limb: &ContactLimb, model: &ModelPose, frame: usize) -> f32 {
        let above = limb.lowest(model, self.ground.up) - self.ground.height;
        if limb.touches(frame) { above } else { above.min(0.0) }
    }

    /// How far the end of a limb moves: by its correction in a contact, with the body otherwise, and never below the ground.
    fn offset(&self, limb: &ContactLimb, correction: Vec3, low: f32, frame: usize, sink: f32) -> Vec3 {
        let up = self.ground.up;
        let hold = limb.hold(self.times_secs, frame, self.ground.fade_secs);
        let by = correction - up * (sink * (1.0 - hold));
        by + up * (self.ground.height - low - by.dot(up)).max(0.0)
    }

    /// How far the body must sink in each frame, smoothly, so that limbs reach what they touch.
    fn sinks(&self, tracks: &[LimbTrack], corrections: &[Vec<Vec3>], poses: &[LocalPose]) -> Vec<f32> {
        let up = self.ground.up;
        let mut model = ModelPose::new(&self.target.skeleton);
        let mut needed = vec![0.0_f32; poses.len()];
        for (frame, pose) in poses.iter().enumerate() {
            model.update(&self.target.skeleton, pose);
            for (at, limb) in self.limbs.iter().enumerate() {
                let [top, middle, _] = limb.joints.map(|j| Vec3::from(model.joint(j).translation));
                let end = tracks[at].ends[frame];
                let length = top.distance(middle) + middle.distance(end);
                // A limb that the motion itself stretches may stay stretched.
                let reach = (length * STRAIGHTEST).max(top.distance(end).min(length));
                let way = top - (end + corrections[at][frame]);
                let rise = way.dot(up);
                let flat = (way - up * rise).length_squared();
                let sink = rise - (reach * reach - flat).max(0.0).sqrt();
                needed[frame] = needed[frame].max(sink.clamp(0.0, DEEPEST * length));
            }
        }
        smooth_above(self.times_secs, &needed, 0.1)
    }
}

/// A smooth curve that is nowhere below `values`: a running maximum, then a running mean.
fn smooth_above(times_secs: &[f32], values: &[f32], reach_secs: f32) -> Vec<f32> {
    let near = |at: usize| {
        let from = times_secs.partition_point(|&t| t < times_secs[at] - reach_secs);
        let to = times_secs.partition_point(|&t| t <= times_secs[at] + reach_secs);
        from..to
    };
    let greatest: Vec<f32> =
        (0..values.len()).map(|at| values[near(at)].iter().fold(0.0_f32, |a, &b| a.max(b))).collect();
    let mean = |at: usize| {
        let range = near(at);
        let count = range.len().max(1) as f32;
        greatest[range].iter().sum::<f32>() / count
    };
    (0..values.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_curve_covers_the_peaks() {
        let times: Vec<f32> = (0..100).map(|k| k as f32 * 0.01).collect();
        let mut values = vec![0.0; 100];
        (values[40], values[70]) = (0.2, 0.1);
        let smooth = smooth_above(&times, &values, 0.1);
        assert!(smooth.iter().zip(&values).all(|(s, v)| s >= &(v - 1e-6)));
        assert!(smooth.windows(2).all(|w| (w[1] - w[0]).abs() < 0.03));
        assert_eq!(smooth[0], 0.0);
    }
}
