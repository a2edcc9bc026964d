//! A clip with a position in it, and the windows that are open there.

use super::{Archetype, DetailId, InstanceError, InstanceEvent, MotionId, controller::ControllerStep};
use crate::{
    asset::clip::{ClipEvent, ClipKind},
    pose::LocalPose,
    sample::{
        ClipCursor, EventEdge, EventWindow, MetaValue, Playback, PlaybackStep, SeekEvents, TimeRange, Wrap,
        sample_meta,
    },
    transform::Transform,
};

/// A clip that plays, and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPlayer {
    motion: MotionId,
    playback: Playback,
    cursor: ClipCursor,
    open: OpenWindows,
}

impl ClipPlayer {
    /// A player at the start of `motion`.
    pub(super) fn new(archetype: &Archetype, motion: MotionId, wrap: Wrap) -> Result<Self, InstanceError> {
        if !archetype.owns(motion) {
            let (name, clips) = (archetype.character().name().to_owned(), archetype.motions().len());
            return Err(InstanceError::ForeignMotion { archetype: name, clips });
        }
        let clip = archetype.motion(motion);
        let playback = Playback::new(TimeRange::whole(clip.duration_secs())).with_wrap(wrap);
        Ok(Self { motion, playback, cursor: clip.new_cursor(), open: OpenWindows::default() })
    }

    /// The player of the clip with the same name of `new`, at the same time; `None` if it has no such clip.
    pub(super) fn rebound(&self, old: &Archetype, new: &Archetype) -> Option<Self> {
        let motion = new.find_motion(old.motion(self.motion).name())?;
        let clip = new.motion(motion);
        let whole = TimeRange::whole(clip.duration_secs());
        let playback = self.playback.carried_to(Playback::new(whole).with_wrap(self.playback.wrap()));
        // The windows that stay open are those of the same events.
        let (old_windows, new_windows) = (old.windows(self.motion), new.windows(motion));
        let open = if old_windows == new_windows { self.open } else { OpenWindows::default() };
        Some(Self { motion, playback, cursor: clip.new_cursor(), open })
    }

    /// The clip that plays.
    pub fn motion(&self) -> MotionId {
        self.motion
    }

    /// The time in the clip, its speed and its wrap mode.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    pub(super) fn set_speed(&mut self, speed: f32) {
        self.playback.set_speed(speed);
    }

    /// Jumps to the end that a clip of this speed runs from.
    pub(super) fn restart(&mut self, speed: f32) {
        self.playback.set_speed(speed);
        self.playback.restart();
    }

    pub(super) fn seek(&mut self, time_secs: f64) {
        self.playback.seek(time_secs, SeekEvents::Skip);
    }

    /// The time until a clamped clip ends at its current speed, in seconds; infinite for other wrap modes.
    pub(super) fn left_secs(&self) -> f32 {
        let (playback, range) = (&self.playback, self.playback.range());
        if playback.wrap() != Wrap::Clamp || playback.speed() == 0.0 {
            return f32::INFINITY;
        }
        let end = if playback.speed() < 0.0 { range.start_secs() } else { range.end_secs() };
        (playback.clip_time_secs() - end).abs() / playback.speed().abs()
    }

    /// Advances by `dt_secs` and reports the events that are passed.
    pub(super) fn advance(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        weight: f32,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) -> ControllerStep {
        let before_secs = self.playback.clip_time_secs();
        let step = self.playback.advance(dt_secs);
        let now_secs = self.playback.clip_time_secs();
        let (events, windows) = (archetype.motion(self.motion).events(), archetype.windows(self.motion));
        let is_truncated = self.fire(&step, events, windows, weight, on_event);
        self.open.settle(windows, events, weight, |window| window.is_open_at(now_secs), on_event);
        let root = archetype.root(self.motion).map_or(Transform::IDENTITY, |track| track.delta(&step));
        ControllerStep { root, is_truncated, is_changed: now_secs.total_cmp(&before_secs).is_ne() }
    }

    /// Reports the events of `step`; true if there were too many.
    fn fire(
        &mut self,
        step: &PlaybackStep,
        events: &[ClipEvent],
        windows: &[EventWindow],
        weight: f32,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) -> bool {
        if events.is_empty() {
            return false;
        }
        let fired = step.events(events);
        let is_truncated = fired.is_truncated();
        for fired in fired {
            let edge = self.open.pass(windows, events, fired.event);
            on_event(InstanceEvent { event: fired.event, weight, edge });
        }
        is_truncated
    }

    /// Samples the clip at its time into `pose`. What the clip does not animate does not change.
    pub(super) fn sample(&mut self, archetype: &Archetype, detail: Option<DetailId>, pose: &mut LocalPose) {
        let motion = archetype.motion_in(self.motion, detail);
        motion.sample(self.playback.clip_time_secs(), &mut self.cursor, pose);
    }

    /// True if the clip stores differences.
    pub(super) fn is_additive(&self, archetype: &Archetype) -> bool {
        archetype.motion(self.motion).kind() == ClipKind::Additive
    }

    /// The value of a meta-channel at the current time.
    pub(super) fn meta(&self, archetype: &Archetype, name: &str) -> Option<MetaValue> {
        let meta = archetype.motion(self.motion).metas().iter().find(|meta| meta.name == name)?;
        Some(sample_meta(meta, self.playback.clip_time_secs()))
    }

    /// The windows that are open.
    pub(super) fn open_windows<'a>(
        &'a self,
        archetype: &'a Archetype,
    ) -> impl Iterator<Item = &'a EventWindow> {
        let windows = archetype.windows(self.motion).iter().enumerate();
        windows.filter(|(index, _)| self.open.has(*index)).map(|(_, window)| window)
    }

    /// Closes every open window, because the clip no longer plays.
    pub(super) fn close_windows(
        &mut self,
        archetype: &Archetype,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) {
        let (events, windows) = (archetype.motion(self.motion).events(), archetype.windows(self.motion));
        self.open.settle(windows, events, 1.0, |_| false, on_event);
    }
}

/// One bit for each window of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OpenWindows(u64);

impl OpenWindows {
    fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// Opens or closes the window that `event` belongs to.
    fn pass(&mut self, windows: &[EventWindow], events: &[ClipEvent], event: &ClipEvent) -> EventEdge {
        let is_at = |at: usize| std::ptr::eq(&events[at], event);
        let is_edge = |window: &EventWindow| is_at(window.begin_index()) || is_at(window.end_index());
        let Some(index) = windows.iter().position(is_edge) else { return EventEdge::Moment };
        // Whichever end is passed first opens it, so this holds in both directions.
        self.0 ^= 1 << index;
        if self.has(index) { EventEdge::Begin } else { EventEdge::End }
    }

    /// Brings all windows to the state that `is_open` gives them: after a seek, or after more events than are reported.
    fn settle(
        &mut self,
        windows: &[EventWindow],
        events: &[ClipEvent],
        weight: f32,
        is_open: impl Fn(&EventWindow) -> bool,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) {
        for (index, window) in windows.iter().enumerate() {
            let wanted = is_open(window);
            if wanted != self.has(index) {
                self.0 ^= 1 << index;
                let (at, edge) = match wanted {
                    true => (window.begin_index(), EventEdge::Begin),
                    false => (window.end_index(), EventEdge::End),
                };
                on_event(InstanceEvent { event: &events[at], weight, edge });
            }
        }
    }
}
