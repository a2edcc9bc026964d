//! Playback: time with speed, direction, range and wrap mode.

use super::{FiredEvents, Wrap};
use crate::asset::clip::{Clip, ClipEvent};
use thiserror::Error;

/// A part of a clip, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    start_secs: f32,
    end_secs: f32,
}

/// Why two times do not form a range.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("a range must run from a start of at least 0 s to a later end, got {start_secs} s to {end_secs} s")]
pub struct TimeRangeError {
    /// The start that was given.
    pub start_secs: f32,
    /// The end that was given.
    pub end_secs: f32,
}

impl TimeRange {
    /// From one time of a clip to a later one.
    ///
    /// # Errors
    /// If a time is negative or not finite, or the end lies before the start.
    pub fn new(start_secs: f32, end_secs: f32) -> Result<Self, TimeRangeError> {
        if start_secs >= 0.0 && start_secs <= end_secs && end_secs.is_finite() {
            Ok(Self { start_secs, end_secs })
        } else {
            Err(TimeRangeError { start_secs, end_secs })
        }
    }

    /// The whole of a clip that lasts `duration_secs`; not a number counts as nothing.
    pub fn whole(duration_secs: f32) -> Self {
        let end_secs = if duration_secs.is_finite() { duration_secs.max(0.0) } else { 0.0 };
        Self { start_secs: 0.0, end_secs }
    }

    /// The first moment, from the clip's start.
    pub fn start_secs(&self) -> f32 {
        self.start_secs
    }

    /// The last moment, from the clip's start.
    pub fn end_secs(&self) -> f32 {
        self.end_secs
    }

    /// From start to end.
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

/// Where an unwrapped time lies among the repetitions of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlaybackPosition {
    /// How many whole cycles lie before: of the range, or of there and back.
    pub(super) cycle: i64,
    /// Seconds into the cycle.
    pub(super) offset: f64,
}

/// One step of playback: from one unwrapped time to another.
///
/// Unwrapped time equals the clip's time on the first run through the range and runs on where a loop starts anew, so it
/// tells the loops apart. A step backwards goes from a later time to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackStep {
    from_secs: f64,
    to_secs: f64,
    wrap: Wrap,
    range: TimeRange,
}

impl PlaybackStep {
    /// The way between two unwrapped times. A time that is not finite counts as the range's start.
    pub fn new(from_secs: f64, to_secs: f64, wrap: Wrap, range: TimeRange) -> Self {
        let finite = |time: f64| if time.is_finite() { time } else { range.start() };
        Self { from_secs: finite(from_secs), to_secs: finite(to_secs), wrap, range }
    }

    /// The unwrapped time before the step.
    pub fn from_secs(&self) -> f64 {
        self.from_secs
    }

    /// The unwrapped time after the step.
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

    /// The events of `events` that the step passes, in the order in which it does.
    ///
    /// A position lies just before the events of its time, so a step takes in the events at its earlier end and leaves those at
    /// its later end to the next: steps that follow each other neither miss nor repeat one, in either direction. At a
    /// loop's seam the position lies between the events at the range's end and those at its start. A clamped position at
    /// the range's end lies after everything. Where a clip turns back, an event fires once.
    /// Events outside the range do not fire, and a range without length has none.
    ///
    /// `events` are those of a clip: in order of time.
    pub fn events<'a>(&self, events: &'a [ClipEvent]) -> FiredEvents<'a> {
        FiredEvents::new(self, events)
    }

    /// The length of what repeats: the range, or the way there and back.
    pub(super) fn period(&self) -> f64 {
        if self.wrap == Wrap::PingPong { 2.0 * self.range.length() } else { self.range.length() }
    }

    /// Where `time_secs` lies; later times never lie before earlier ones.
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
        // The quotient may round up to the next whole number, and leave less than nothing.
        PlaybackPosition { cycle: cycle as i64, offset: (since - cycle * period).clamp(0.0, period) }
    }

    /// The clip's own time at the unwrapped `time_secs`.
    pub(super) fn clip_time_secs(&self, time_secs: f64) -> f32 {
        let (place, length) = (self.place(time_secs), self.range.length());
        let offset = match self.wrap {
            Wrap::Clamp => (time_secs - self.range.start()).clamp(0.0, length.max(0.0)),
            Wrap::Loop => place.offset,
            Wrap::PingPong => place.offset.min(2.0 * length - place.offset),
        };
        let time = (self.range.start() + offset) as f32;
        // A loop's end is its start.
        let is_end = self.wrap == Wrap::Loop && time >= self.range.end_secs;
        if is_end { self.range.start_secs } else { time.clamp(self.range.start_secs, self.range.end_secs) }
    }
}

/// What a seek does with the events on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeekEvents {
    /// They do not happen: the passage is empty.
    #[default]
    Skip,
    /// They happen, as if the time had run there.
    Fire,
}

/// Where in a clip someone is, and how fast time runs for them.
///
/// ```
/// use sinew::{Playback, Wrap};
///
/// let figure = sinew_samples::figure();
/// let walk = figure.find_clip("walk").unwrap();
/// let mut playback = Playback::of(walk).with_wrap(Wrap::Loop);
/// let mut steps = 0;
/// for _ in 0..600 {
///     let passage = playback.advance(1.0 / 60.0);
///     steps += passage.events(walk.events()).count();
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

    /// The same with another way to go on beyond the range.
    #[must_use]
    pub fn with_wrap(mut self, wrap: Wrap) -> Self {
        self.wrap = wrap;
        self.time_secs = self.kept(self.time_secs);
        self
    }

    /// The same at another speed: 2 is twice as fast, negative runs backwards. Not finite counts as 0.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.set_speed(speed);
        self
    }

    /// The same in another range, at its start.
    #[must_use]
    pub fn with_range(self, range: TimeRange) -> Self {
        Self { range, time_secs: range.start(), ..self }
    }

    /// Sets the speed; not finite counts as 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed } else { 0.0 };
    }

    /// How many seconds of the clip pass in a second.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// How time goes on beyond the range.
    pub fn wrap(&self) -> Wrap {
        self.wrap
    }

    /// The part of the clip that is played.
    pub fn range(&self) -> TimeRange {
        self.range
    }

    /// The unwrapped time: see [`PlaybackStep`].
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// Where in the clip that is: the time to sample at, inside the range.
    pub fn clip_time_secs(&self) -> f32 {
        self.passage_from(self.time_secs).clip_time_secs(self.time_secs)
    }

    /// How far into the range the clip's time is, from 0 to 1.
    pub fn phase(&self) -> f32 {
        let length = self.range.length_secs();
        if length > 0.0 { (self.clip_time_secs() - self.range.start_secs) / length } else { 0.0 }
    }

    /// True if a clamped playback has come to the end that it runs towards.
    pub fn is_finished(&self) -> bool {
        let end = if self.speed < 0.0 { self.range.start() } else { f64::from(self.range.end_secs) };
        self.wrap == Wrap::Clamp && self.time_secs.total_cmp(&end).is_eq()
    }

    /// Lets `dt_secs` pass at the set speed, and says which way the clip's time went. Not finite counts as 0.
    pub fn advance(&mut self, dt_secs: f32) -> PlaybackStep {
        let step = f64::from(dt_secs) * f64::from(self.speed);
        self.move_to(self.time_secs + if step.is_finite() { step } else { 0.0 })
    }

    /// Goes to an unwrapped time, which need not be in the first run. Not finite counts as the range's start.
    pub fn seek(&mut self, time_secs: f64, events: SeekEvents) -> PlaybackStep {
        let passage = self.move_to(if time_secs.is_finite() { time_secs } else { self.range.start() });
        match events {
            SeekEvents::Fire => passage,
            SeekEvents::Skip => self.passage_from(self.time_secs),
        }
    }

    /// Goes to the end that the playback runs from; nothing fires.
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

    /// A clamped time stays in the range, so that turning round takes effect at once.
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
