//! A pose from any source, evaluated at a limited rate.

use super::{BetweenUpdates, UpdateRate};
use crate::{
    blend::{PoseLayer, blend},
    pose::LocalPose,
};

/// Gives a pose in every step but evaluates it only as often as an [`UpdateRate`] allows.
///
/// It serves poses that do not come from an [`Instance`](super::Instance): the caller passes the evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedSampler {
    elapsed_secs: f32,
    before: LocalPose,
    after: LocalPose,
    has_begun: bool,
}

impl LimitedSampler {
    /// Advances by `dt_secs` and writes the pose to show into `out`; true if it may have changed.
    ///
    /// `evaluate` receives the time since its previous call and the pose to fill. Without a limit it is called every time. A
    /// held pose stays until the next evaluation; an interpolated one moves from the previous evaluation to the latest and is
    /// one period late. The first call always evaluates.
    ///
    /// # Panics
    /// If `evaluate` writes poses of another size than `rest`.
    pub fn advance(
        &mut self,
        update_rate: UpdateRate,
        dt_secs: f32,
        rest: &LocalPose,
        mut evaluate: impl FnMut(f32, &mut LocalPose),
        out: &mut LocalPose,
    ) -> bool {
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        let Some(period_secs) = update_rate.period_secs() else {
            self.has_begun = false;
            evaluate(dt_secs, out);
            return true;
        };
        self.elapsed_secs += dt_secs;
        let is_due = self.elapsed_secs >= period_secs;
        if !self.has_begun {
            self.has_begun = true;
            evaluate(self.elapsed_secs, &mut self.after);
            self.before.copy_from(&self.after);
            self.elapsed_secs = 0.0;
        } else if is_due {
            let passed_secs = (self.elapsed_secs / period_secs).floor() * period_secs;
            self.elapsed_secs = (self.elapsed_secs - passed_secs).clamp(0.0, period_secs);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.copy_from(&self.before);
            evaluate(passed_secs, &mut self.after);
        }
        out.copy_from(&self.after);
        if update_rate.between == BetweenUpdates::Interpolate {
            let fraction = self.elapsed_secs / period_secs;
            blend(
                &[PoseLayer::new(&self.before, 1.0 - fraction), PoseLayer::new(&self.after, fraction)],
                rest,
                out,
            );
        }
        is_due || update_rate.between == BetweenUpdates::Interpolate
    }

    /// Forgets all poses: the next call evaluates again.
    pub fn restart(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Transform, glam::Vec3};

    fn pose(x: f32) -> LocalPose {
        LocalPose { joints: vec![Transform::from_translation(Vec3::X * x)], morphs: vec![] }
    }

    /// The x positions over a second in steps of 1/40 s of a joint that moves at 1 m/s, and the number of evaluations.
    fn run(update_rate: UpdateRate) -> (Vec<f32>, usize) {
        let (mut sampler, mut at, mut calls, mut out) = (LimitedSampler::default(), 0.0, 0, pose(0.0));
        let shown = (0..40).map(|_| {
            let evaluate = |dt: f32, out: &mut LocalPose| {
                at += dt;
                calls += 1;
                *out = pose(at);
            };
            sampler.advance(update_rate, 0.025, &pose(0.0), evaluate, &mut out);
            out.joints[0].translation.x
        });
        (shown.collect(), calls)
    }

    #[test]
    fn without_a_limit_every_step_is_evaluated() {
        let (shown, calls) = run(UpdateRate::default());
        assert_eq!(calls, 40);
        assert!((shown[39] - 1.0).abs() < 1e-4);
    }

    #[test]
    fn held_poses_step_and_interpolated_ones_run_smoothly_a_period_late() {
        let update_rate = |between| UpdateRate { rate_hz: Some(10.0), between };
        let (held, calls) = run(update_rate(BetweenUpdates::Hold));
        assert!(calls <= 11, "{calls}");
        let steps = held.windows(2).filter(|w| w[0] != w[1]).count();
        assert!((8..=10).contains(&steps), "{steps}");
        let (smooth, calls) = run(update_rate(BetweenUpdates::Interpolate));
        assert!(calls <= 11, "{calls}");
        let largest = smooth.windows(2).map(|w| w[1] - w[0]).fold(0.0, f32::max);
        assert!(largest < 0.026 && (smooth[39] - 0.9).abs() < 0.03, "{largest} {}", smooth[39]);
    }
}
