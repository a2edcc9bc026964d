//! The import report: what a reader repaired or left out.

pub use sinew::finding::{Finding, FindingCode};

use serde::{Deserialize, Serialize};
use sinew::finding::FindingPlace;

/// Everything that a reader repaired or left out, in the order in which it was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ImportReport {
    findings: Vec<Finding>,
}

impl ImportReport {
    /// Adds a finding. `place` is a path in the file, for instance `meshes[2].primitives[0]`.
    pub fn add(&mut self, code: FindingCode, place: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding::new(code, FindingPlace::named(place), message));
    }

    /// All findings, in the order in which they were found.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The number of findings for which data was changed.
    #[must_use]
    pub fn repair_count(&self) -> usize {
        self.findings.iter().filter(|f| f.code.is_repair()).count()
    }

    /// The findings with that code.
    pub fn of(&self, code: FindingCode) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.code == code)
    }

    /// Each finding as a line of text: `repair: weights-negative at meshes[0]: …`, or `note: …` if nothing was changed.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let line = |f: &Finding| format!("{}: {} at {}: {}", Self::label(f.code), f.code, f.place, f.message);
        self.findings.iter().map(line)
    }

    /// `repair` for a code because of which import changes data, `note` for any other.
    #[must_use]
    pub fn label(code: FindingCode) -> &'static str {
        if code.is_repair() { "repair" } else { "note" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_repair_only_where_data_was_changed() {
        let mut report = ImportReport::default();
        report.add(FindingCode::WeightsNegative, "meshes[0]", "set to zero");
        report.add(FindingCode::CameraIgnored, "cameras", "2 cameras");
        let lines: Vec<String> = report.lines().collect();
        assert_eq!(
            lines,
            [
                "repair: weights-negative at meshes[0]: set to zero",
                "note: camera-ignored at cameras: 2 cameras"
            ]
        );
        assert_eq!(report.repair_count(), 1);
    }
}
