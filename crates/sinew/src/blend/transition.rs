//! Crossfades from one pose to another.

use super::{Easing, PoseLayer, blend};
use crate::pose::LocalPose;

/// The clock of a crossfade.
///
/// In a smooth crossfade both poses keep moving. In a frozen one, the source is the pose at the start of the fade.
///
/// ```
/// use sinew::{blend::{Crossfade, Easing}};
///
/// let figure = sinew_samples::figure();
/// let (from, to) = (figure.rest_pose(), figure.rest_pose());
/// let mut out = figure.rest_pose();
/// let mut fade = Crossfade::new(0.25, Easing::Smooth);
/// while !fade.is_over() {
///     fade.advance(1.0 / 60.0);
///     fade.blend(&from, &to, &figure.rest_pose(), &mut out);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossfade {
    duration_secs: f32,
    elapsed_secs: f32,
    easing: Easing,
}

impl Crossfade {
    /// A crossfade at its start. With a duration that is not positive, it is over at once.
    pub fn new(duration_secs: f32, easing: Easing) -> Self {
        let duration_secs = if duration_secs.is_finite() { duration_secs.max(0.0) } else { 0.0 };
        Self { duration_secs, elapsed_secs: 0.0, easing }
    }

    /// A crossfade that is over.
    pub fn over() -> Self {
        Self::new(0.0, Easing::Linear)
    }

    /// Advances the time; a negative or non-finite step is 0.
    pub fn advance(&mut self, dt_secs: f32) {
        if dt_secs > 0.0 {
            self.elapsed_secs = (self.elapsed_secs + dt_secs).min(self.duration_secs);
        }
    }

    /// Weight of the new pose, 0 to 1; the old pose has one minus this weight.
    pub fn weight(&self) -> f32 {
        if self.is_over() { 1.0 } else { self.easing.apply(self.elapsed_secs / self.duration_secs) }
    }

    /// True if the new pose has full weight.
    pub fn is_over(&self) -> bool {
        self.elapsed_secs >= self.duration_secs
    }

    /// Time since the start, in seconds.
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed_secs
    }

    /// Blends both poses by [`Crossfade::weight`].
    ///
    /// # Panics
    /// If the poses differ in size.
    pub fn blend(&self, from: &LocalPose, to: &LocalPose, rest: &LocalPose, out: &mut LocalPose) {
        let weight = self.weight();
        blend(&[PoseLayer::new(from, 1.0 - weight), PoseLayer::new(to, weight)], rest, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    #[test]
    fn begins_with_one_pose_and_ends_with_the_other_to_the_bit() {
        let figure = sinew_samples::figure();
        let (mut from, mut to, mut out) = (figure.rest_pose(), figure.rest_pose(), figure.rest_pose());
        crate::sample_clip(figure.find_clip("walk").unwrap(), 0.3, crate::Wrap::Loop, &mut from);
        crate::sample_clip(figure.find_clip("run").unwrap(), 0.3, crate::Wrap::Loop, &mut to);
        let mut fade = Crossfade::new(0.5, Easing::Smooth);
        fade.blend(&from, &to, &figure.rest_pose(), &mut out);
        assert_eq!(out, from);
        fade.advance(0.25);
        assert_eq!(fade.weight(), 0.5);
        fade.advance(-1.0);
        fade.advance(f32::NAN);
        assert_eq!(fade.elapsed_secs(), 0.25);
        fade.advance(0.3);
        fade.blend(&from, &to, &figure.rest_pose(), &mut out);
        assert!(fade.is_over());
        assert_eq!(out, to);
    }

    #[test]
    fn no_duration_is_over_at_once() {
        for secs in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let fade = Crossfade::new(secs, Easing::Linear);
            assert!(fade.is_over() && fade.weight() == 1.0);
        }
    }
}
