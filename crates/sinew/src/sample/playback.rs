//! Playback: time with speed, direction, range and wrap mode.

use super::{FiredEvents, Wrap};
use crate::asset::clip::{Clip, ClipEvent};
use thiserror::Error;

/// A time range of a clip, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    start_secs: f32,
    end_secs: f32,
}

/// Why two times do not form a range.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("a range must run from a start of at least 0 s to a later end, got {start_secs} s to {end_secs} s")]
pub struct TimeRangeError {
    /// The start that was given, in seconds.
    pub start_secs: f32,
    /// The end that was given, in seconds.
    pub end_secs: f32,
}

impl TimeRange {
    /// The range from one time of a clip to another, in seconds.
    ///
    /// # Errors
    /// If a time is negative or not finite, or the end is before the start.
    pub fn new(start_secs: f32, end_secs: f32) -> Result<Self, TimeRangeError> {
        if start_secs >= 0.0 && start_secs <= end_secs && end_secs.is_finite() {
            Ok(Self { start_secs, end_secs })
        } else {
            Err(TimeRangeError { start_secs, end_secs })
        }
    }

    /// The whole range of a clip with the duration `duration_secs`; a non-finite duration is 0.
    pub fn whole(duration_secs: f32) -> Self {
        let end_secs = if duration_secs.is_finite() { duration_secs.max(0.0) } else { 0.0 };
        Self { start_secs: 0.0, end_secs }
    }

    /// Start of the range in the clip, in seconds.
    pub fn start_secs(&self) -> f32 {
        self.start_secs
    }

    /// End of the range in the clip, in seconds.
    pub fn end_secs(&self) -> f32 {
        self.end_secs
    }

    /// Duration of the range, in seconds.
    pub fn length_secs(&self) -> f32 {
        self.end_secs - self.start_secs
    }

    pub(super) fn start(&self) -> f64 {
        f64::from(self.start_secs)
    }

    pub(super) fn length(&self) -> f64 {
        f64::from(self.end_secs) - f64::from(self.start_secs)
    }
}

/// The position of an unwrapped time in the repetitions of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlaybackPosition {
    /// Number of whole cycles before it. A cycle is the range, or the range forward and backward.
    pub(super) cycle: i64,
    /// Time in the cycle, in seconds.
    pub(super) offset: f64,
}

/// One step of playback: from one unwrapped time to another.
///
/// Unwrapped time equals the clip time on the first run through the range and continues in later loops, so it identifies
/// the loop. A step backwards goes from a later time to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackStep {
    from_secs: f64,
    to_secs: f64,
    wrap: Wrap,
    range: TimeRange,
}

impl PlaybackStep {
    /// The step between two unwrapped times, in seconds. A time that is not finite is the start of the range.
    pub fn new(from_secs: f64, to_secs: f64, wrap: Wrap, range: TimeRange) -> Self {
        let finite = |time: f64| if time.is_finite() { time } else { range.start() };
        Self { from_secs: finite(from_secs), to_secs: finite(to_secs), wrap, range }
    }

    /// The unwrapped time before the step, in seconds.
    pub fn from_secs(&self) -> f64 {
        self.from_secs
    }

    /// The unwrapped time after the step, in seconds.
    pub fn to_secs(&self) -> f64 {
        self.to_secs
    }

    /// How the range repeats.
    pub fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// The part of the clip that repeats.
    pub fn range(&self) -> TimeRange {
        self.range
    }

    /// The events of `events` that the step passes, in the order in which it passes them.
    ///
    /// A position lies just before the events of its time, so a step includes the events at its earlier end and leaves
    /// those at its later end to the next step. Consecutive steps neither miss nor repeat an event, in either direction. At
    /// the seam of a loop, the position lies between the events at the end of the range and those at its start. A clamped
    /// position at the end of the range lies after all events. At a turning point, an event fires once. Events outside the
    /// range do not fire, and an empty range has none.
    ///
    /// `events` must be in order of time, as those of a clip are.
    pub fn events<'a>(&self, events: &'a [ClipEvent]) -> FiredEvents<'a> {
        FiredEvents::new(self, events)
    }

    /// Duration of a cycle: of the range, or of the range forward and backward, in seconds.
    pub(super) fn period(&self) -> f64 {
        if self.wrap == Wrap::PingPong { 2.0 * self.range.length() } else { self.range.length() }
    }

    /// The position of `time_secs`, which is monotone in time.
    pub(super) fn place(&self, time_secs: f64) -> PlaybackPosition {
        let (since, period) = (time_secs - self.range.start(), self.period());
        if period <= 0.0 {
            return PlaybackPosition { cycle: 0, offset: 0.0 };
        }
        if self.wrap == Wrap::Clamp {
            let is_over = since >= period;
            return PlaybackPosition {
                cycle: i64::from(is_over),
                offset: if is_over { 0.0 } else { since.max(0.0) },
            };
        }
        let cycle = (since / period).floor();
        // The quotient may round up to the next integer, which makes the remainder negative.
        PlaybackPosition { cycle: cycle as i64, offset: (since - cycle * period).clamp(0.0, period) }
    }

    /// The clip time at the unwrapped `time_secs`, in seconds.
    pub(super) fn clip_time_secs(&self, time_secs: f64) -> f32 {
        let (place, length) = (self.place(time_secs), self.range.length());
        let offset = match self.wrap {
            Wrap::Clamp => (time_secs - self.range.start()).clamp(0.0, length.max(0.0)),
            Wrap::Loop => place.offset,
            Wrap::PingPong => place.offset.min(2.0 * length - place.offset),
        };
        let time = (self.range.start() + offset) as f32;
        // The end of a loop is its start.
        let is_end = self.wrap == Wrap::Loop && time >= self.range.end_secs;
        if is_end { self.range.start_secs } else { time.clamp(self.range.start_secs, self.range.end_secs) }
    }
}

/// Whether a seek fires the events that it passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeekEvents {
    /// No event fires; the step is empty.
    #[default]
    Skip,
    /// Events fire as in normal playback.
    Fire,
}

/// The playback position in a clip, with speed, range and wrap mode.
///
/// ```
/// use sinew::{Playback, Wrap};
///
/// let figure = sinew_samples::figure();
/// let walk = figure.find_clip("walk").unwrap();
/// let mut playback = Playback::of(walk).with_wrap(Wrap::Loop);
/// let mut steps = 0;
/// for _ in 0..600 {
///     let step = playback.advance(1.0 / 60.0);
///     steps += step.events(walk.events()).count();
/// }
/// assert_eq!(steps, 19);                                    // ten seconds of two footfalls every 1.067 s
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    time_secs: f64,
    speed: f32,
    wrap: Wrap,
    range: TimeRange,
}

impl Playback {
    /// At the start of a range, at normal speed.
    pub fn new(range: TimeRange) -> Self {
        Self { time_secs: range.start(), speed: 1.0, wrap: Wrap::Clamp, range }
    }

    /// At the start of `clip`, at normal speed, once.
    pub fn of(clip: &Clip) -> Self {
        Self::new(TimeRange::whole(clip.duration_secs()))
    }

    /// The same with another wrap mode.
    #[must_use]
    pub fn with_wrap(mut self, wrap: Wrap) -> Self {
        self.wrap = wrap;
        self.time_secs = self.kept(self.time_secs);
        self
    }

    /// The same at another speed: 2 is twice as fast, a negative speed runs backwards, a non-finite speed is 0.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.set_speed(speed);
        self
    }

    /// The same with another range, at its start.
    #[must_use]
    pub fn with_range(self, range: TimeRange) -> Self {
        Self { range, time_secs: range.start(), ..self }
    }

    /// Sets the speed; a non-finite speed is 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed } else { 0.0 };
    }

    /// The speed in seconds of the clip per second.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// The wrap mode beyond the range.
    pub fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// The range of the clip that is played.
    pub fn range(&self) -> TimeRange {
        self.range
    }

    /// The unwrapped time in seconds; see [`PlaybackStep`].
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// The clip time to sample at, inside the range, in seconds.
    pub fn clip_time_secs(&self) -> f32 {
        self.passage_from(self.time_secs).clip_time_secs(self.time_secs)
    }

    /// The clip time relative to the range, 0 to 1.
    pub fn phase(&self) -> f32 {
        let length = self.range.length_secs();
        if length > 0.0 { (self.clip_time_secs() - self.range.start_secs) / length } else { 0.0 }
    }

    /// True if a clamped playback has reached the end that it runs towards.
    pub fn is_finished(&self) -> bool {
        let end = if self.speed < 0.0 { self.range.start() } else { f64::from(self.range.end_secs) };
        self.wrap == Wrap::Clamp && self.time_secs.total_cmp(&end).is_eq()
    }

    /// Advances by `dt_secs` at the current speed and returns the step. A non-finite `dt_secs` is 0.
    pub fn advance(&mut self, dt_secs: f32) -> PlaybackStep {
        let step = f64::from(dt_secs) * f64::from(self.speed);
        self.move_to(self.time_secs + if step.is_finite() { step } else { 0.0 })
    }

    /// Jumps to an unwrapped time in seconds, in any loop. A non-finite time is the start of the range.
    pub fn seek(&mut self, time_secs: f64, events: SeekEvents) -> PlaybackStep {
        let passage = self.move_to(if time_secs.is_finite() { time_secs } else { self.range.start() });
        match events {
            SeekEvents::Fire => passage,
            SeekEvents::Skip => self.passage_from(self.time_secs),
        }
    }

    /// Jumps to the end that the playback runs from, without firing events.
    pub fn restart(&mut self) {
        let end = if self.speed < 0.0 { f64::from(self.range.end_secs) } else { self.range.start() };
        self.time_secs = end;
    }

    fn move_to(&mut self, time_secs: f64) -> PlaybackStep {
        let from_secs = self.time_secs;
        self.time_secs = self.kept(time_secs);
        self.passage_from(from_secs)
    }

    fn passage_from(&self, from_secs: f64) -> PlaybackStep {
        PlaybackStep::new(from_secs, self.time_secs, self.wrap, self.range)
    }

    /// Keeps a clamped time in the range, so that a change of direction takes effect at once.
    fn kept(&self, time_secs: f64) -> f64 {
        if self.wrap == Wrap::Clamp {
            time_secs.clamp(self.range.start(), f64::from(self.range.end_secs))
        } else {
            time_secs
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange::new(start, end).unwrap()
    }

    #[test]
    fn rejects_ranges_that_end_before_they_start_or_are_not_finite() {
        for (start, end) in [(1.0, 0.5), (-1.0, 2.0), (0.0, f32::INFINITY), (f32::NAN, 1.0), (0.0, f32::NAN)]
        {
            assert!(TimeRange::new(start, end).is_err(), "{start} to {end}");
        }
        assert!(TimeRange::new(1.0, 1.0).is_ok());
    }

    #[test]
    fn speed_and_wrap_say_where_the_clip_is() {
        let cases = [
            (Wrap::Clamp, 1.0, 5.0, 3.0),
            (Wrap::Clamp, -1.0, 5.0, 1.0),
            (Wrap::Loop, 1.0, 2.5, 1.5),
            (Wrap::Loop, 2.0, 1.0, 1.0),
            (Wrap::Loop, -1.0, 0.5, 2.5),
            (Wrap::PingPong, 1.0, 2.5, 2.5),
            (Wrap::PingPong, -0.5, 1.0, 1.5),
        ];
        for (wrap, speed, dt, want) in cases {
            let mut playback = Playback::new(range(1.0, 3.0)).with_wrap(wrap).with_speed(speed);
            playback.advance(dt);
            assert_eq!(playback.clip_time_secs(), want, "{wrap:?} {speed} {dt}");
        }
    }

    #[test]
    fn a_clamped_playback_ends_and_turns_round_at_once() {
        let mut playback = Playback::new(range(0.0, 2.0));
        playback.advance(100.0);
        assert!(playback.is_finished());
        playback.set_speed(-1.0);
        assert!(!playback.is_finished());
        playback.advance(0.5);
        assert_eq!((playback.clip_time_secs(), playback.phase()), (1.5, 0.75));
    }

    #[test]
    fn what_is_not_finite_moves_nothing() {
        let mut playback = Playback::new(range(0.0, 2.0)).with_wrap(Wrap::Loop);
        playback.advance(0.5);
        for bad in [f32::NAN, f32::INFINITY] {
            playback.advance(bad);
            assert_eq!(playback.time_secs(), 0.5);
        }
        assert_eq!(playback.with_speed(f32::NAN).speed(), 0.0);
        playback.seek(f64::NAN, SeekEvents::Fire);
        assert_eq!(playback.time_secs(), 0.0);
        let mut still = Playback::new(range(1.0, 1.0)).with_wrap(Wrap::PingPong);
        still.advance(3.0);
        assert_eq!((still.clip_time_secs(), still.phase()), (1.0, 0.0));
    }
}
