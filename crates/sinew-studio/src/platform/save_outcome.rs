//! What saving a character would drop, and the messages about it.

use sinew_formats::{Outcome, WriteReport};
use std::path::{Path, PathBuf};

/// The outcome of saving a character.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SaveOutcome {
    /// The file is written; the text is a message.
    Saved(String),
    /// Nothing is written yet: the user decides whether the losses are acceptable.
    Loses(SaveLosses),
}

/// What a file would lack of the one that was opened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SaveLosses {
    /// The file that would be written.
    pub(crate) path: PathBuf,
    /// One line per kind of content that would be dropped.
    pub(crate) lines: Vec<String>,
}

impl SaveLosses {
    /// `None` if nothing would be dropped.
    pub(super) fn of(path: &Path, report: &WriteReport) -> Option<Self> {
        let lines: Vec<String> = report.of(Outcome::Dropped).map(ToString::to_string).collect();
        (!lines.is_empty()).then(|| Self { path: path.to_owned(), lines })
    }
}

/// The counts of a report in parentheses; empty if there is nothing to say.
pub(super) fn summary(report: &WriteReport) -> String {
    let counts = [Outcome::Changed, Outcome::Decoded, Outcome::Dropped].into_iter().filter_map(|outcome| {
        let count = report.of(outcome).count();
        (count > 0).then(|| format!("{count} {outcome}"))
    });
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_dropped_asks_before_saving() {
        let mut report = WriteReport::default();
        report.add(Outcome::Carried, "extension", "nodes[1]", 1, "");
        report.add(Outcome::Changed, "influences", "meshes[0]", 1, "");
        assert_eq!(SaveLosses::of(Path::new("a.glb"), &report), None);
        assert_eq!(summary(&report), " (1 changed)");
        report.add(Outcome::Dropped, "mesh", "the character", 2, "a motion file has no place for it");
        let losses = SaveLosses::of(Path::new("a.bvh"), &report).unwrap();
        assert_eq!(losses.lines, ["dropped: mesh at the character (2): a motion file has no place for it"]);
    }
}
