//! Less is drawn while things move on a machine that cannot keep up.

/// A frame of motion that comes later than this after the one before is late.
const LATE_SECS: f32 = 1.0 / 12.0;
/// So many late frames in a row, and less is drawn.
const LATE_FRAMES: u16 = 3;
/// A frame that comes sooner than this has time to spare.
const SOON_SECS: f32 = 1.0 / 40.0;
/// So many frames in a row with time to spare, and everything is drawn again.
const SOON_FRAMES: u16 = 120;

/// What moves in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FrameMotion {
    /// Nothing.
    #[default]
    Still,
    /// The pointer is pressed but rests, or frames come for another reason: they may be late for want of news.
    Held,
    /// A clip plays, or the pointer drags: frames follow each other as fast as they can.
    Moving,
}

/// Whether the machine keeps up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FramePacer {
    motion: FrameMotion,
    late: u16,
    soon: u16,
    is_slow: bool,
    /// True where everything is always drawn.
    is_patient: bool,
}

impl FramePacer {
    /// Draws everything, however long it takes.
    pub(super) fn patient() -> Self {
        Self { is_patient: true, ..Self::default() }
    }

    /// Takes note of a frame and of the time since the one before.
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

    /// True where this frame should do with less: half the pixels each way, no shadows, no contours.
    pub(super) fn is_brief(&self) -> bool {
        self.is_slow && !self.is_patient && self.motion != FrameMotion::Still
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
    fn three_late_frames_of_motion_are_slow_and_a_pause_is_not() {
        let late = |count| after(std::iter::repeat_n((0.2, FrameMotion::Moving), count));
        assert!(!late(3).is_brief(), "the first has nothing before it");
        assert!(late(4).is_brief());
        let pauses = [FrameMotion::Moving, FrameMotion::Held].repeat(10).into_iter();
        assert!(!after(pauses.map(|motion| (0.2, motion))).is_brief());
    }

    #[test]
    fn all_is_drawn_once_nothing_moves_and_after_two_seconds_with_time_to_spare() {
        let mut pace = after([(0.2, FrameMotion::Moving); 4]);
        pace.note(0.2, FrameMotion::Still);
        assert!(!pace.is_brief());
        pace.note(0.2, FrameMotion::Held);
        assert!(pace.is_brief(), "it is known to be slow");
        for _ in 0..=SOON_FRAMES {
            pace.note(0.016, FrameMotion::Moving);
        }
        assert!(!pace.is_brief());
    }
}
