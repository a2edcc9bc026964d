//! Lower detail during motion on machines that cannot keep up.

/// A frame of motion is late if it takes longer than this.
const LATE_SECS: f32 = 1.0 / 12.0;
/// The number of consecutive late frames after which detail is reduced.
const LATE_FRAMES: u16 = 3;
/// A frame is early if it takes less than this.
const SOON_SECS: f32 = 1.0 / 40.0;
/// The number of consecutive early frames after which full detail returns.
const SOON_FRAMES: u16 = 120;

/// The motion in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FrameMotion {
    /// Neither the character nor the camera moves.
    #[default]
    Still,
    /// The pointer is pressed but does not move: frames may be late because nothing asks for them.
    Held,
    /// A clip plays or the pointer drags: frames follow each other as fast as possible.
    Moving,
}

/// Decides whether a frame is drawn at full detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FramePacer {
    motion: FrameMotion,
    late: u16,
    soon: u16,
    is_slow: bool,
    /// True to always draw at full detail.
    is_full_detail: bool,
}

impl FramePacer {
    /// A pacer that always draws at full detail.
    pub(super) fn full_detail() -> Self {
        Self { is_full_detail: true, ..Self::default() }
    }

    /// Records a frame with the time since the one before.
    pub(super) fn note(&mut self, secs: f32, motion: FrameMotion) {
        let before = std::mem::replace(&mut self.motion, motion);
        if (before, motion) != (FrameMotion::Moving, FrameMotion::Moving) {
            return;
        }
        self.late = if secs > LATE_SECS { self.late.saturating_add(1) } else { 0 };
        self.soon = if secs < SOON_SECS { self.soon.saturating_add(1) } else { 0 };
        if self.late >= LATE_FRAMES {
            self.is_slow = true;
        } else if self.soon >= SOON_FRAMES {
            (self.is_slow, self.soon) = (false, 0);
        }
    }

    /// True if this frame is drawn at half resolution, without shadows and outlines.
    pub(super) fn is_reduced(&self) -> bool {
        self.is_slow && !self.is_full_detail && self.motion != FrameMotion::Still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(frames: impl IntoIterator<Item = (f32, FrameMotion)>) -> FramePacer {
        let mut pace = FramePacer::default();
        frames.into_iter().for_each(|(secs, motion)| pace.note(secs, motion));
        pace
    }

    #[test]
    fn three_late_frames_of_motion_reduce_detail_and_a_pause_does_not() {
        let late = |count| after(std::iter::repeat_n((0.2, FrameMotion::Moving), count));
        assert!(!late(3).is_reduced(), "the first frame has no predecessor");
        assert!(late(4).is_reduced());
        let pauses = [FrameMotion::Moving, FrameMotion::Held].repeat(10).into_iter();
        assert!(!after(pauses.map(|motion| (0.2, motion))).is_reduced());
    }

    #[test]
    fn full_detail_returns_at_rest_and_after_two_seconds_of_early_frames() {
        let mut pace = after([(0.2, FrameMotion::Moving); 4]);
        pace.note(0.2, FrameMotion::Still);
        assert!(!pace.is_reduced());
        pace.note(0.2, FrameMotion::Held);
        assert!(pace.is_reduced(), "the machine is still slow");
        for _ in 0..=SOON_FRAMES {
            pace.note(0.016, FrameMotion::Moving);
        }
        assert!(!pace.is_reduced());
    }
}
