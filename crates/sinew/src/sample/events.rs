//! Which events a step in time passes.

use super::{
    Wrap,
    playback::{PlaybackPosition, PlaybackStep},
};
use crate::asset::clip::ClipEvent;

/// The most events of one clip that one step reports. A step over more, such as hours of a short loop after a long pause,
/// is truncated and says so.
pub const MAX_EVENTS_PER_STEP: usize = 4096;

/// An event that a step passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiredEvent<'a> {
    /// The event as the clip has it.
    pub event: &'a ClipEvent,
    /// When it does, in unwrapped time: tells how long before the step's end, and in which loop.
    pub at_secs: f64,
}

/// The events of one step, in the order in which time passes them; made by [`PlaybackStep::events`].
#[derive(Clone, Debug)]
pub struct FiredEvents<'a> {
    cycle: Cycle<'a>,
    /// The ranks still to come.
    first: i64,
    end: i64,
    is_backwards: bool,
    is_truncated: bool,
}

/// The events of one cycle, and their times in it.
///
/// All events of all cycles, in order of time, have a rank: a whole number that rises by one from each to the next. A step
/// passes the ranks between those of its ends, so nothing can fire twice or be lost, whatever is rounded.
#[derive(Clone, Debug)]
struct Cycle<'a> {
    /// Those on the way there, and on the way back, in order of time.
    there: &'a [ClipEvent],
    back: &'a [ClipEvent],
    start: f64,
    period: f64,
}

/// A number of events as a rank.
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
            // The turning points belong to the way that begins there.
            Wrap::PingPong => (before(start)..before(end), up_to(start)..up_to(end)),
            _ => (before(start)..up_to(end), 0..0),
        };
        Self { there: &events[there], back: &events[back], start: range.start(), period }
    }

    fn len(&self) -> i64 {
        counted(self.there.len() + self.back.len())
    }

    /// Seconds into the cycle at which `event` happens, there or on the way back.
    fn offset(&self, event: &ClipEvent, is_back: bool) -> f64 {
        let offset = f64::from(event.time_secs) - self.start;
        if is_back { self.period - offset } else { offset }
    }

    /// How many events lie before `place`, of all cycles from the first on.
    fn rank(&self, place: PlaybackPosition) -> i64 {
        let there = self.there.partition_point(|e| self.offset(e, false) < place.offset);
        // The later an event, the earlier it comes on the way back.
        let not_back = self.back.partition_point(|e| self.offset(e, true) >= place.offset);
        let within = there + (self.back.len() - not_back);
        place.cycle.saturating_mul(self.len()).saturating_add(counted(within))
    }

    /// The event of a rank. There is one in every cycle.
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

    /// True if the step passed more than [`MAX_EVENTS_PER_STEP`] events: the first of them are reported.
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
