//! Gestures: drags and strokes whose commands form one step of the history.

use crate::session::JournalEntry;
use serde::{Deserialize, Serialize};

/// Identifies one gesture within a session. In a journal it is a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GestureId(u64);

/// Hands out gesture ids, each of them once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GestureIds {
    last: u64,
}

impl GestureIds {
    /// Ids that differ from every id in `entries`, so that new gestures never continue a replayed one.
    #[must_use]
    pub fn after<'a>(entries: impl IntoIterator<Item = &'a JournalEntry>) -> Self {
        let id = |entry: &JournalEntry| match entry {
            JournalEntry::Do { gesture, .. } => gesture.map(|id| id.0),
            JournalEntry::Undo | JournalEntry::Redo | JournalEntry::Saved { .. } => None,
        };
        Self { last: entries.into_iter().filter_map(id).max().unwrap_or(0) }
    }

    /// Starts a gesture and returns its id, which was not used before.
    pub fn begin(&mut self) -> GestureId {
        self.last += 1;
        GestureId(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;

    #[test]
    fn new_ids_differ_from_those_of_replayed_entries() {
        let mut ids = GestureIds::default();
        let replayed = [ids.begin(), ids.begin()];
        let entry = |gesture| JournalEntry::Do { command: Command::ResetPose, gesture: Some(gesture) };
        let entries = [entry(replayed[1]), JournalEntry::Undo, entry(replayed[0])];
        let next = GestureIds::after(&entries).begin();
        assert!(!replayed.contains(&next));
    }

    #[test]
    fn a_gesture_is_a_plain_number_in_a_journal() {
        let text = r#"{"do":{"command":"reset-pose","gesture":7}}"#;
        let entry: JournalEntry = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), text);
    }
}
