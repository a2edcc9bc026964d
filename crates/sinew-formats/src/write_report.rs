//! The write report: what happened to the content of a file on its way to another one.

use crate::report::ImportReport;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened to a part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// Sinew does not interpret it, and it is in the new file as it was.
    Carried,
    /// It was edited on purpose.
    Changed,
    /// It was compressed, and is stored plainly because it was edited.
    Decoded,
    /// It is stored in fewer bits, because that was asked for.
    Encoded,
    /// It was invalid, and a repaired value was written.
    Repaired,
    /// It is not in the new file.
    Dropped,
}

impl Outcome {
    /// Every outcome, the harmless ones first.
    pub const ALL: [Self; 6] =
        [Self::Carried, Self::Changed, Self::Decoded, Self::Encoded, Self::Repaired, Self::Dropped];

    /// The name, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Carried => "carried",
            Self::Changed => "changed",
            Self::Decoded => "decoded",
            Self::Encoded => "encoded",
            Self::Repaired => "repaired",
            Self::Dropped => "dropped",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One entry of a [`WriteReport`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriteEntry {
    /// What happened to the element.
    pub outcome: Outcome,
    /// What it happened to, by a name that does not change between versions: `extension`, `weights`, `clip`.
    pub code: String,
    /// The path of the element in the file that was read, or in the new one if it was added there: `meshes[2]`.
    pub place: String,
    /// The number of elements.
    pub count: usize,
    /// A sentence for people; empty if the code says it all.
    pub detail: String,
    /// How far compression moves a vertex at most, in millimeters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_error_mm: Option<f64>,
}

/// What was carried, changed, decoded, repaired and dropped when a file was written. Nothing is dropped without an entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WriteReport {
    entries: Vec<WriteEntry>,
}

impl WriteReport {
    /// Adds an entry, unless its count is zero.
    pub fn add(
        &mut self,
        outcome: Outcome,
        code: &str,
        place: impl Into<String>,
        count: usize,
        detail: impl Into<String>,
    ) {
        if count > 0 {
            let (code, place, detail) = (code.to_owned(), place.into(), detail.into());
            self.entries.push(WriteEntry { outcome, code, place, count, detail, max_error_mm: None });
        }
    }

    /// The entries of this report, then those of another one.
    #[must_use]
    pub fn followed_by(mut self, later: &Self) -> Self {
        self.entries.extend_from_slice(&later.entries);
        self
    }

    /// Adds an entry of another report.
    pub(crate) fn add_entry(&mut self, entry: WriteEntry) {
        self.entries.push(entry);
    }

    /// Adds what compression made of the buffers, whose bytes before and after are given, and the largest differences that
    /// were measured.
    pub(crate) fn add_compression(
        &mut self,
        name: &str,
        [before, after]: [usize; 2],
        max_error_mm: f64,
        normals_degrees: f64,
    ) {
        let detail = format!(
            "{name}: {before} bytes become {after}; vertices move by at most {max_error_mm:.4} mm, normals turn by at \
             most {normals_degrees:.2}°"
        );
        self.add(Outcome::Encoded, COMPRESSION, "buffers", 1, detail);
        if let Some(entry) = self.entries.last_mut() {
            entry.max_error_mm = Some(max_error_mm);
        }
    }

    /// Adds what a reader left out, as dropped: for formats that do not carry what Sinew does not interpret.
    pub(crate) fn drop_omissions(&mut self, import: &ImportReport) {
        for finding in import.findings().iter().filter(|finding| finding.code.is_omission()) {
            let (place, message) = (finding.place.to_string(), finding.message.as_str());
            self.add(Outcome::Dropped, finding.code.as_str(), place, 1, message);
        }
    }

    /// Adds the repairs of a reader that are in the new file. `is_written` is true for the places that are.
    pub(crate) fn add_repairs(&mut self, import: &ImportReport, is_written: impl Fn(&str) -> bool) {
        for finding in import.findings().iter().filter(|finding| finding.code.is_repair()) {
            let place = finding.place.to_string();
            if is_written(&place) {
                self.add(Outcome::Repaired, finding.code.as_str(), place, 1, finding.message.as_str());
            }
        }
    }

    /// All entries, in the order in which they were added.
    #[must_use]
    pub fn entries(&self) -> &[WriteEntry] {
        &self.entries
    }

    /// The entries with that outcome.
    pub fn of(&self, outcome: Outcome) -> impl Iterator<Item = &WriteEntry> {
        self.entries.iter().filter(move |entry| entry.outcome == outcome)
    }

    /// True when something of the old file is not in the new one.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.of(Outcome::Dropped).next().is_some()
    }

    /// A line of text for each entry that people must know about: everything that was decoded, repaired or dropped.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.entries.iter().filter(|entry| entry.is_told()).map(WriteEntry::to_string)
    }
}

/// The code of the entry that sums compression up.
const COMPRESSION: &str = "compression";

impl WriteEntry {
    /// True for what people must know about: everything that was decoded, repaired or dropped, and what compression did in
    /// all.
    #[must_use]
    pub fn is_told(&self) -> bool {
        match self.outcome {
            Outcome::Carried | Outcome::Changed => false,
            Outcome::Encoded => self.code == COMPRESSION,
            Outcome::Decoded | Outcome::Repaired | Outcome::Dropped => true,
        }
    }
}

impl fmt::Display for WriteEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}", self.outcome, self.code, self.place)?;
        if self.count > 1 {
            write!(f, " ({})", self.count)?;
        }
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_losses_and_changes_of_data_that_was_not_edited_are_told() {
        let mut report = WriteReport::default();
        report.add(Outcome::Carried, "extension", "materials", 2, "KHR_materials_clearcoat");
        report.add(Outcome::Changed, "weights", "meshes[0]", 1, "");
        report.add(Outcome::Dropped, "mesh", "meshes", 0, "");
        assert!(!report.has_losses() && report.lines().next().is_none());
        report.add(Outcome::Dropped, "attribute", "meshes[0].primitives[1]", 2, "_CUSTOM, _OTHER");
        assert!(report.has_losses());
        let lines: Vec<String> = report.lines().collect();
        assert_eq!(lines, ["dropped: attribute at meshes[0].primitives[1] (2): _CUSTOM, _OTHER"]);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json[0]["outcome"], "carried");
        assert_eq!(json[2]["code"], "attribute");
    }
}
