//! The events that a playback step passes.

use super::{
    Wrap,
    playback::{PlaybackPosition, PlaybackStep},
};
use crate::asset::clip::ClipEvent;

/// The largest number of events of one clip that one step reports. A step over more, such as hours of a short loop after a
/// long pause, is truncated.
pub const MAX_EVENTS_PER_STEP: usize = 4096;

/// An event that a step passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredEvent<'a> {
    /// The event of the clip.
    pub event: &'a ClipEvent,
    /// The unwrapped time of the event in seconds, which identifies the loop.
    pub at_secs: f64,
}

/// The events of one step, in the order in which they are passed; see [`PlaybackStep::events`].
#[derive(Clone, Debug)]
pub struct FiredEvents<'a> {
    cycle: Cycle<'a>,
    /// The ranks that are not yet reported.
    first: i64,
    end: i64,
    is_backwards: bool,
    is_truncated: bool,
}

/// The events of one cycle with their times.
///
/// The events of all cycles, in order of time, are numbered by consecutive ranks. A step passes the ranks between its ends,
/// so no event fires twice or is lost, regardless of rounding.
#[derive(Clone, Debug)]
struct Cycle<'a> {
    /// The events of the forward run and of the backward run, in order of time.
    there: &'a [ClipEvent],
    back: &'a [ClipEvent],
    start: f64,
    period: f64,
}

/// Converts a number of events to a rank.
fn counted(events: usize) -> i64 {
    i64::try_from(events).unwrap_or(i64::MAX)
}

impl<'a> Cycle<'a> {
    fn new(passage: &PlaybackStep, events: &'a [ClipEvent]) -> Self {
        let (range, period) = (passage.range(), passage.period());
        let before = |limit: f32| events.partition_point(|e| e.time_secs < limit);
        let up_to = |limit: f32| events.partition_point(|e| e.time_secs <= limit);
        let (start, end) = (range.start_secs(), range.end_secs());
        let (there, back) = match passage.wrap() {
            _ if period <= 0.0 => (0..0, 0..0),
            // Turning points belong to the run that begins there.
            Wrap::PingPong => (before(start)..before(end), up_to(start)..up_to(end)),
            _ => (before(start)..up_to(end), 0..0),
        };
        Self { there: &events[there], back: &events[back], start: range.start(), period }
    }

    fn len(&self) -> i64 {
        counted(self.there.len() + self.back.len())
    }

    /// The time of `event` in the cycle, in seconds, on the forward or the backward run.
    fn offset(&self, event: &ClipEvent, is_back: bool) -> f64 {
        let offset = f64::from(event.time_secs) - self.start;
        if is_back { self.period - offset } else { offset }
    }

    /// The number of events before `place`, counted from the first cycle.
    fn rank(&self, place: PlaybackPosition) -> i64 {
        let there = self.there.partition_point(|e| self.offset(e, false) < place.offset);
        // A later event comes earlier on the backward run.
        let not_back = self.back.partition_point(|e| self.offset(e, true) >= place.offset);
        let within = there + (self.back.len() - not_back);
        place.cycle.saturating_mul(self.len()).saturating_add(counted(within))
    }

    /// The event with a rank. Every cycle has at least one event.
    fn fired(&self, rank: i64) -> FiredEvent<'a> {
        let (cycle, within) = (rank.div_euclid(self.len()), rank.rem_euclid(self.len()) as usize);
        let (event, is_back) = match within.checked_sub(self.there.len()) {
            None => (&self.there[within], false),
            Some(back) => (&self.back[self.back.len() - 1 - back], true),
        };
        let at_secs = self.start + cycle as f64 * self.period + self.offset(event, is_back);
        FiredEvent { event, at_secs }
    }
}

impl<'a> FiredEvents<'a> {
    pub(super) fn new(passage: &PlaybackStep, events: &'a [ClipEvent]) -> Self {
        let cycle = Cycle::new(passage, events);
        let from = cycle.rank(passage.place(passage.from_secs()));
        let to = cycle.rank(passage.place(passage.to_secs()));
        let (first, end, is_backwards) = (from.min(to), from.max(to), to < from);
        let is_truncated = end.saturating_sub(first) > counted(MAX_EVENTS_PER_STEP);
        let (first, end) = match (is_truncated, is_backwards) {
            (false, _) => (first, end),
            (true, false) => (first, first.saturating_add(counted(MAX_EVENTS_PER_STEP))),
            (true, true) => (end.saturating_sub(counted(MAX_EVENTS_PER_STEP)), end),
        };
        Self { cycle, first, end, is_backwards, is_truncated }
    }

    /// True if the step passed more than [`MAX_EVENTS_PER_STEP`] events, of which only the first are reported.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

impl<'a> Iterator for FiredEvents<'a> {
    type Item = FiredEvent<'a>;

    fn next(&mut self) -> Option<FiredEvent<'a>> {
        if self.first >= self.end {
            return None;
        }
        let rank = if self.is_backwards {
            self.end -= 1;
            self.end
        } else {
            self.first += 1;
            self.first - 1
        };
        Some(self.cycle.fired(rank))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.end.saturating_sub(self.first)).unwrap_or(usize::MAX);
        (left, Some(left))
    }
}

impl ExactSizeIterator for FiredEvents<'_> {}

#[cfg(test)]
mod tests;
