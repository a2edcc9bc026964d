//! Pins planted feet with two-bone IK.

use super::{
    RetargetError,
    align::AlignedBody,
    contact::faded,
    report::{FootReport, FootSlide},
    transfer::shift,
};
use sinew::{
    BodySide, JointId, LocalPose, ModelPose, Transform,
    constrain::{TwoBone, TwoBoneGoal, TwoBoneParts},
    glam::Vec3,
};
use std::ops::Range;

/// Pinning stretches a leg to at most this fraction of its length.
const STRAIGHTEST: f32 = 0.999;
/// The cosine of the smallest knee bend at rest (5°) that defines the hinge axis.
const STRAIGHT: f32 = 0.996;

/// One foot of the target with its contacts.
#[derive(Debug)]
pub(super) struct Foot {
    side: BodySide,
    limb: TwoBone,
    thigh: JointId,
    ankle: JointId,
    /// The joint that is pinned: the toes, or the ankle if there are none.
    point: JointId,
    /// The height of the point when the foot is planted.
    point_height: f32,
    /// The points where the foot touches the ground at rest, in ankle space.
    sole: [Vec3; 2],
    contacts: Vec<Range<usize>>,
}

impl Foot {
    pub(super) fn new(
        body: &AlignedBody<'_>,
        side: BodySide,
        ground: f32,
        contacts: Vec<Range<usize>>,
    ) -> Result<Option<Self>, RetargetError> {
        let limbs = body.anatomy.side(side);
        let Some([thigh, shin, ankle]) = limbs.leg() else { return Ok(None) };
        let up = body.stance.up;
        let point = body.toe_point(side).unwrap_or(ankle);
        let [above, knee, below] = [thigh, shin, ankle].map(|j| body.at(j));
        let straight = (knee - above).normalize_or_zero().dot((below - knee).normalize_or_zero()) > STRAIGHT;
        let knee_turn = Transform::from_affine(&body.rest.joint(shin)).0.rotation;
        // A positive rotation about the body's left axis moves the shin backwards.
        let hinge = straight.then(|| knee_turn.conjugate() * body.stance.left);
        let limb =
            TwoBone::new(body.skeleton, TwoBoneParts { hinge, ..TwoBoneParts::new(thigh, shin, ankle) })?;
        let on_ground = |p: Vec3| p + up * (ground - p.dot(up));
        let toe = body.at(point);
        let heel = below - (toe - below) * 0.25;
        let ankle_from_model = body.rest.joint(ankle).inverse();
        let sole = [heel, toe].map(|p| ankle_from_model.transform_point3(on_ground(p)));
        let point_height = toe.dot(up);
        Ok(Some(Self { side, limb, thigh, ankle, point, point_height, sole, contacts }))
    }

    /// The offset of the ankle in each frame that pins the planted foot and keeps it above the ground.
    fn corrections(
        &self,
        track: &SoleTrack,
        times_secs: &[f32],
        up: Vec3,
        ground: f32,
        fade_secs: f32,
    ) -> Vec<Vec3> {
        let pins: Vec<Vec3> = self.contacts.iter().map(|c| self.pin(&track.points[c.clone()], up)).collect();
        let correction = |frame: usize| {
            let inside = |at: usize, frame: usize| pins[at] - track.points[frame];
            let by = faded(times_secs, &self.contacts, frame, fade_secs, inside);
            let low = track.soles[frame] + by.dot(up);
            by + up * (ground - low).max(0.0)
        };
        (0..times_secs.len()).map(correction).collect()
    }

    /// The pinned position of a foot that moves through `points`.
    fn pin(&self, points: &[Vec3], up: Vec3) -> Vec3 {
        let mean = points.iter().sum::<Vec3>() / points.len().max(1) as f32;
        mean + up * (self.point_height - mean.dot(up))
    }

    fn slide(&self, track: &SoleTrack, times_secs: &[f32], up: Vec3) -> FootSlide {
        FootSlide::of(times_secs, &track.points, &self.contacts, up)
    }
}

/// The motion of a foot over time.
#[derive(Debug, Default)]
struct SoleTrack {
    ankles: Vec<Vec3>,
    points: Vec<Vec3>,
    /// The height of the lowest point of the sole in each frame.
    soles: Vec<f32>,
}

impl SoleTrack {
    fn push(&mut self, foot: &Foot, model: &ModelPose, up: Vec3) {
        let ankle = model.joint(foot.ankle);
        let low = foot.sole.iter().map(|&s| ankle.transform_point3(s).dot(up)).fold(f32::INFINITY, f32::min);
        self.ankles.push(ankle.translation.into());
        self.points.push(model.joint(foot.point).translation.into());
        self.soles.push(low);
    }
}

/// The ground, and how feet fade to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundPlane {
    pub(super) height: f32,
    pub(super) fade_secs: f32,
    pub(super) carrier: JointId,
}

/// Reports on the feet in `poses`, and pins them if asked to.
pub(super) fn keep(
    body: &AlignedBody<'_>,
    feet: &[Foot],
    ground: GroundPlane,
    times_secs: &[f32],
    poses: &mut [LocalPose],
    pin: bool,
) -> Vec<FootReport> {
    let up = body.stance.up;
    let mut model = ModelPose::new(body.skeleton);
    let before = tracks(body, feet, poses, &mut model);
    let mut reports: Vec<FootReport> = Vec::new();
    for (foot, track) in feet.iter().zip(&before) {
        let slide = foot.slide(track, times_secs, up);
        reports.push(FootReport::new(foot.side, &foot.contacts, times_secs, slide));
    }
    if !pin {
        return reports;
    }
    let corrections: Vec<Vec<Vec3>> = (feet.iter().zip(&before))
        .map(|(foot, track)| foot.corrections(track, times_secs, up, ground.height, ground.fade_secs))
        .collect();
    let sinks = sinks(body, feet, &before, &corrections, poses, times_secs);
    for (frame, pose) in poses.iter_mut().enumerate() {
        model.update(body.skeleton, pose);
        let turns: Vec<_> =
            feet.iter().map(|f| Transform::from_affine(&model.joint(f.ankle)).0.rotation).collect();
        shift(body.skeleton, pose, &mut model, ground.carrier, -up * sinks[frame]);
        for (at, foot) in feet.iter().enumerate() {
            let target = before[at].ankles[frame] + corrections[at][frame];
            if sinks[frame] <= 0.0 && corrections[at][frame].length_squared() <= 0.0 {
                continue;
            }
            let goal = TwoBoneGoal { orientation: Some(turns[at]), ..TwoBoneGoal::to(target) };
            let reach = foot.limb.apply(&goal, &model, pose);
            reports[at].note_reach(reach.distance);
        }
    }
    let after = tracks(body, feet, poses, &mut model);
    for ((foot, track), report) in feet.iter().zip(&after).zip(&mut reports) {
        report.after = Some(foot.slide(track, times_secs, up));
        report.lowest_sole_meters = track.soles.iter().fold(f32::INFINITY, |a, &b| a.min(b)) - ground.height;
        report.finish(poses.len(), sinks.iter().fold(0.0, |a, &b| a.max(b)));
    }
    reports
}

fn tracks(
    body: &AlignedBody<'_>,
    feet: &[Foot],
    poses: &[LocalPose],
    model: &mut ModelPose,
) -> Vec<SoleTrack> {
    let mut out: Vec<SoleTrack> = feet.iter().map(|_| SoleTrack::default()).collect();
    for pose in poses {
        model.update(body.skeleton, pose);
        for (foot, track) in feet.iter().zip(&mut out) {
            track.push(foot, model, body.stance.up);
        }
    }
    out
}

/// How far the body must sink in each frame, smoothly, so that legs reach the pinned feet.
fn sinks(
    body: &AlignedBody<'_>,
    feet: &[Foot],
    tracks: &[SoleTrack],
    corrections: &[Vec<Vec3>],
    poses: &[LocalPose],
    times_secs: &[f32],
) -> Vec<f32> {
    let up = body.stance.up;
    let mut model = ModelPose::new(body.skeleton);
    let mut needed = vec![0.0_f32; poses.len()];
    for (frame, pose) in poses.iter().enumerate() {
        model.update(body.skeleton, pose);
        for (at, foot) in feet.iter().enumerate() {
            let by = corrections[at][frame];
            let hip = Vec3::from(model.joint(foot.thigh).translation);
            let knee = Vec3::from(model.joint(foot.limb.joints()[1]).translation);
            let ankle = tracks[at].ankles[frame];
            let length = hip.distance(knee) + knee.distance(ankle);
            // A leg that the motion itself stretches may stay stretched.
            let reach = (length * STRAIGHTEST).max(hip.distance(ankle).min(length));
            let way = hip - (ankle + by);
            let rise = way.dot(up);
            let flat = (way - up * rise).length_squared();
            let sink = rise - (reach * reach - flat).max(0.0).sqrt();
            let max_sink = 0.15 * length;
            needed[frame] = needed[frame].max(sink.clamp(0.0, max_sink));
        }
    }
    smooth_above(times_secs, &needed, 0.1)
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
