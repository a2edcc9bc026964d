//! Synchronization: positions that count markers instead of seconds.
//!
//! A walk and a run have different durations, and their feet land at different times. Counted in footfalls, they are
//! comparable: position 2.25 is a quarter of the interval from the third marker to the fourth in both. Clips that are
//! blended have one common position, which moves at the weighted mean of their rates, so that they reach each marker at
//! the same time.

use crate::{asset::clip::ClipEvent, sample::TimeRange};
use thiserror::Error;

/// The markers of one looping clip, which map positions to times and back.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncTrack {
    /// Seconds from the start of the range to each marker, beginning with the first of the pattern, and to the first marker
    /// of the next loop.
    offsets: Vec<f64>,
    /// Index of the clip event of each marker.
    events: Vec<usize>,
    start: f64,
    length: f64,
}

/// Why a clip cannot be synchronized.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SyncError {
    /// The clip has no duration.
    #[error("the clip must have a duration above 0")]
    NoLength,
    /// The markers of the clip do not repeat the pattern.
    #[error("the clip's markers are {found:?}, which does not repeat {wanted:?}")]
    OtherMarkers {
        /// The markers of the clip, in order of time.
        found: Vec<String>,
        /// The marker pattern of the sync group.
        wanted: Vec<String>,
    },
    /// Two markers have the same time.
    #[error("the markers {first:?} and {second:?} have the same time")]
    OneMoment {
        /// Name of the earlier marker.
        first: String,
        /// Name of the later marker.
        second: String,
    },
}

impl SyncTrack {
    /// The markers among `events` in a range of a looping clip.
    ///
    /// The events whose names are in `markers` must repeat that list, once or several times, beginning anywhere in it.
    /// Without markers, the start of the range is the only marker, and clips are synchronized by their durations.
    ///
    /// # Errors
    /// If the range has no length, or the events do not repeat the list.
    pub fn new(events: &[ClipEvent], markers: &[String], range: TimeRange) -> Result<Self, SyncError> {
        let (start, length) = (f64::from(range.start_secs()), f64::from(range.length_secs()));
        if length <= 0.0 {
            return Err(SyncError::NoLength);
        }
        if markers.is_empty() {
            return Ok(Self { offsets: vec![0.0, length], events: vec![], start, length });
        }
        let is_inside = |e: &ClipEvent| range.start_secs() <= e.time_secs && e.time_secs < range.end_secs();
        let found: Vec<usize> = (0..events.len())
            .filter(|&k| is_inside(&events[k]) && markers.contains(&events[k].name))
            .collect();
        let first = first_of_pattern(events, &found, markers).ok_or_else(|| SyncError::OtherMarkers {
            found: found.iter().map(|&k| events[k].name.clone()).collect(),
            wanted: markers.to_vec(),
        })?;
        let order: Vec<usize> = found[first..].iter().chain(&found[..first]).copied().collect();
        let offset = |&event: &usize| f64::from(events[event].time_secs) - start;
        let mut offsets: Vec<f64> = order.iter().map(offset).collect();
        // Markers before the first of the pattern belong to the next loop.
        offsets[found.len() - first..].iter_mut().for_each(|offset| *offset += length);
        offsets.push(offsets[0] + length);
        if let Some(k) = offsets.windows(2).position(|w| w[0] >= w[1]) {
            let name = |k: usize| events[order[k % order.len()]].name.clone();
            return Err(SyncError::OneMoment { first: name(k), second: name(k + 1) });
        }
        Ok(Self { offsets, events: order, start, length })
    }

    /// Number of markers per loop.
    pub fn marker_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The unwrapped clip time at `position`, in seconds. The first marker is at position 0, that of the next loop at
    /// [`SyncTrack::marker_count`].
    pub fn time_secs(&self, position: f64) -> f64 {
        let position = if position.is_finite() { position } else { 0.0 };
        let whole = position.floor();
        let (cycle, k) = self.place(whole);
        let (from, to) = (self.offsets[k], self.offsets[k + 1]);
        // Rounding must not carry the time past the next marker.
        let offset = (from + (position - whole) * (to - from)).min(to);
        self.start + cycle * self.length + offset
    }

    /// The position at an unwrapped time of the clip.
    pub fn position(&self, time_secs: f64) -> f64 {
        let since =
            (if time_secs.is_finite() { time_secs } else { self.start }) - self.start - self.offsets[0];
        let cycle = (since / self.length).floor();
        let offset = (since - cycle * self.length).clamp(0.0, self.length) + self.offsets[0];
        let k = self.offsets.partition_point(|o| *o <= offset).clamp(1, self.marker_count()) - 1;
        let (from, to) = (self.offsets[k], self.offsets[k + 1]);
        cycle * self.marker_count() as f64 + k as f64 + ((offset - from) / (to - from)).clamp(0.0, 1.0)
    }

    /// The time of the clip from the marker before `position` to the next, in seconds.
    pub fn interval_secs(&self, position: f64) -> f64 {
        let (_, k) = self.place(position.floor());
        self.offsets[k + 1] - self.offsets[k]
    }

    /// Index of the clip event of the marker at a whole `position`; `None` without markers.
    pub fn event_at(&self, position: f64) -> Option<usize> {
        self.events.get(self.place(position.floor()).1).copied()
    }

    /// True if `event` of the clip is a marker.
    pub fn is_marker(&self, event: usize) -> bool {
        self.events.contains(&event)
    }

    /// The loop and the marker of a whole position.
    fn place(&self, whole: f64) -> (f64, usize) {
        let count = self.marker_count() as f64;
        let cycle = (whole / count).floor();
        let k = (whole - cycle * count).clamp(0.0, count - 1.0);
        (cycle, k as usize)
    }
}

/// Index of the `found` event that begins the pattern, if the events repeat it.
fn first_of_pattern(events: &[ClipEvent], found: &[usize], markers: &[String]) -> Option<usize> {
    if found.is_empty() || !found.len().is_multiple_of(markers.len()) {
        return None;
    }
    let fits = |first: usize| {
        (0..found.len()).all(|k| events[found[(first + k) % found.len()]].name == markers[k % markers.len()])
    };
    (0..markers.len()).find(|&first| fits(first))
}

/// The largest number of markers that one step follows one by one; beyond, the rate of the last is used.
const MAX_MARKERS: usize = 1024;

/// Moves `position` by `dt_secs`. `secs_of` gives the time between the markers around a position. Negative time runs
/// backwards; a NaN interval stops.
pub(super) fn advanced(position: f64, dt_secs: f64, secs_of: impl Fn(f64) -> f64) -> f64 {
    let (mut position, mut left) = (position, dt_secs);
    if !left.is_finite() {
        return position;
    }
    for _ in 0..MAX_MARKERS {
        if left <= 0.0 {
            return position;
        }
        let ahead = secs_of(position);
        // On a marker, backward motion uses the interval before it.
        let secs = if ahead < 0.0 { secs_of(position.ceil() - 1.0) } else { ahead };
        if !secs.is_finite() || secs == 0.0 {
            return position;
        }
        let border = if secs > 0.0 { position.floor() + 1.0 } else { position.ceil() - 1.0 };
        let to_border = (border - position) * secs;
        if to_border > left {
            return position + left / secs;
        }
        (position, left) = (border, left - to_border);
    }
    let secs = secs_of(position);
    let rest = left / secs;
    if rest.is_finite() { position + rest } else { position }
}

#[cfg(test)]
mod tests;
