//! Windows: pairs of events that open and close a span of a clip.

use crate::asset::clip::ClipEvent;

/// A named span of a clip, from an event `NAME.begin` to the next event `NAME.end`: a hit window, a step that may be canceled.
///
/// A window whose end comes before its beginning spans the seam of a looping clip. A beginning without an end is a plain
/// event.
#[doc(alias = "notify state")]
#[derive(Clone, Debug, PartialEq)]
pub struct EventWindow {
    name: String,
    begin: usize,
    end: usize,
    begin_secs: f32,
    end_secs: f32,
}

/// What an event is: a moment, or an end of an [`EventWindow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventEdge {
    /// A moment that belongs to no window.
    Moment,
    /// A window opens; played backwards, this is its later end.
    Begin,
    /// A window closes. Every window that was opened is closed once, also if its clip is interrupted.
    End,
}

impl EventWindow {
    /// The ending of an event name that opens a window.
    pub const BEGIN: &'static str = ".begin";
    /// The ending of an event name that closes a window.
    pub const END: &'static str = ".end";
    /// The largest number of windows of one clip; further ones are plain events.
    pub const MAX_COUNT: usize = 64;

    /// The windows among `events`, which are in order of time, in the order of their beginnings.
    pub fn all_of(events: &[ClipEvent]) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for (begin, event) in events.iter().enumerate() {
            let Some(name) = event.name.strip_suffix(Self::BEGIN).filter(|name| !name.is_empty()) else {
                continue;
            };
            let is_end = |at: &usize| events[*at].name.strip_suffix(Self::END) == Some(name);
            let seam = || (0..begin).find(is_end);
            let Some(end) = (begin + 1..events.len()).find(is_end).or_else(seam) else { continue };
            // Of several beginnings before one end, the first counts.
            if out.len() < Self::MAX_COUNT && out.iter().all(|other| other.end != end) {
                let (begin_secs, end_secs) = (event.time_secs, events[end].time_secs);
                out.push(Self { name: name.into(), begin, end, begin_secs, end_secs });
            }
        }
        out
    }

    /// The name that its two events have in common.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The clip time at which the window opens, in seconds.
    pub fn begin_secs(&self) -> f32 {
        self.begin_secs
    }

    /// The clip time at which the window closes, in seconds.
    pub fn end_secs(&self) -> f32 {
        self.end_secs
    }

    /// The index of the event that opens the window, in the list that it was found in.
    pub fn begin_index(&self) -> usize {
        self.begin
    }

    /// The index of the event that closes the window, in the list that it was found in.
    pub fn end_index(&self) -> usize {
        self.end
    }

    /// True if the window is open at the clip time `time_secs`. A position lies just before the events of its time.
    pub fn is_open_at(&self, time_secs: f32) -> bool {
        let (has_begun, has_ended) = (self.begin_secs < time_secs, self.end_secs < time_secs);
        if self.begin < self.end { has_begun && !has_ended } else { has_begun || !has_ended }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(list: &[(f32, &str)]) -> Vec<ClipEvent> {
        let one =
            |&(time_secs, name): &(f32, &str)| ClipEvent { time_secs, name: name.into(), payload: None };
        list.iter().map(one).collect()
    }

    #[test]
    fn pairs_of_events_are_windows_and_lonely_ones_are_not() {
        let list = events(&[
            (0.1, "hit.begin"),
            (0.2, "step"),
            (0.3, "hit.end"),
            (0.4, "hit.begin"),
            (0.45, "hit.begin"),
            (0.5, "hit.end"),
            (0.6, "lost.begin"),
            (0.7, ".begin"),
        ]);
        let found = EventWindow::all_of(&list);
        let spans: Vec<_> = found.iter().map(|w| (w.name(), w.begin_secs(), w.end_secs())).collect();
        assert_eq!(spans, [("hit", 0.1, 0.3), ("hit", 0.4, 0.5)]);
        assert!(!found[0].is_open_at(0.1) && found[0].is_open_at(0.2) && found[0].is_open_at(0.3));
        assert!(!found[0].is_open_at(0.31));
    }

    #[test]
    fn a_window_may_span_the_seam_of_a_loop() {
        let list = events(&[(0.2, "air.end"), (0.8, "air.begin")]);
        let [window] = &EventWindow::all_of(&list)[..] else { panic!("one window") };
        assert!(window.is_open_at(0.1) && window.is_open_at(0.9));
        assert!(!window.is_open_at(0.5));
    }

    #[test]
    fn no_more_windows_are_tracked_than_fit() {
        let names: Vec<String> = (0..80).flat_map(|k| [format!("w{k}.begin"), format!("w{k}.end")]).collect();
        let list: Vec<(f32, &str)> = names.iter().enumerate().map(|(k, n)| (k as f32, n.as_str())).collect();
        assert_eq!(EventWindow::all_of(&events(&list)).len(), EventWindow::MAX_COUNT);
    }
}
