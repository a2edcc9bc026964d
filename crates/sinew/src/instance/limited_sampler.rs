//! A pose of anything, worked out at a limited pace.

use super::{BetweenUpdates, UpdateRate};
use crate::{
    blend::{PoseLayer, blend},
    pose::LocalPose,
};

/// Shows a pose at every step of time and works it out only as often as a [`UpdateRate`] says.
///
/// It is for what is not an [`Instance`](super::Instance): whoever owns it says how a pose is worked out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitedSampler {
    waited_secs: f32,
    before: LocalPose,
    after: LocalPose,
    has_begun: bool,
}

impl LimitedSampler {
    /// Lets `dt_secs` pass and puts the pose to show into `out`; true where it may have changed.
    ///
    /// `evaluate` is given the time since it was last called, and a pose that it fills. Without a limit it is called every time. Held,
    /// the pose stays until the next; interpolated, it goes from one to the next and so is late by one period. The first
    /// call works out the pose of that moment.
    ///
    /// # Panics
    /// Where `evaluate` fills in poses that are not of the size of `rest`.
    pub fn advance(
        &mut self,
        pace: UpdateRate,
        dt_secs: f32,
        rest: &LocalPose,
        mut evaluate: impl FnMut(f32, &mut LocalPose),
        out: &mut LocalPose,
    ) -> bool {
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        let Some(period_secs) = pace.period_secs() else {
            self.has_begun = false;
            evaluate(dt_secs, out);
            return true;
        };
        self.waited_secs += dt_secs;
        let is_due = self.waited_secs >= period_secs;
        if !self.has_begun {
            self.has_begun = true;
            evaluate(self.waited_secs, &mut self.after);
            self.before.copy_from(&self.after);
            self.waited_secs = 0.0;
        } else if is_due {
            let passed_secs = (self.waited_secs / period_secs).floor() * period_secs;
            self.waited_secs = (self.waited_secs - passed_secs).clamp(0.0, period_secs);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.copy_from(&self.before);
            evaluate(passed_secs, &mut self.after);
        }
        out.copy_from(&self.after);
        if pace.between == BetweenUpdates::Interpolate {
            let share = self.waited_secs / period_secs;
            blend(
                &[PoseLayer::new(&self.before, 1.0 - share), PoseLayer::new(&self.after, share)],
                rest,
                out,
            );
        }
        is_due || pace.between == BetweenUpdates::Interpolate
    }

    /// Begins anew with the next step.
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

    /// What is shown over a second in steps of 1/40 s of something that goes one metre a second, and how often it was worked out.
    fn run(pace: UpdateRate) -> (Vec<f32>, usize) {
        let (mut paced, mut at, mut calls, mut out) = (LimitedSampler::default(), 0.0, 0, pose(0.0));
        let shown = (0..40).map(|_| {
            let evaluate = |dt: f32, out: &mut LocalPose| {
                at += dt;
                calls += 1;
                *out = pose(at);
            };
            paced.advance(pace, 0.025, &pose(0.0), evaluate, &mut out);
            out.joints[0].translation.x
        });
        (shown.collect(), calls)
    }

    #[test]
    fn without_a_limit_every_step_is_worked_out() {
        let (shown, calls) = run(UpdateRate::default());
        assert_eq!(calls, 40);
        assert!((shown[39] - 1.0).abs() < 1e-4);
    }

    #[test]
    fn held_poses_step_and_interpolated_ones_run_smoothly_a_period_late() {
        let pace = |between| UpdateRate { rate_hz: Some(10.0), between };
        let (held, calls) = run(pace(BetweenUpdates::Hold));
        assert!(calls <= 11, "{calls}");
        let steps = held.windows(2).filter(|w| w[0] != w[1]).count();
        assert!((8..=10).contains(&steps), "{steps}");
        let (smooth, calls) = run(pace(BetweenUpdates::Interpolate));
        assert!(calls <= 11, "{calls}");
        let most = smooth.windows(2).map(|w| w[1] - w[0]).fold(0.0, f32::max);
        assert!(most < 0.026 && (smooth[39] - 0.9).abs() < 0.03, "{most} {}", smooth[39]);
    }
}
