//! The elements whose repairs by the reader are written.

use crate::report::ImportReport;
use std::collections::BTreeSet;

/// The elements of a document that are written anew although nobody edited them: `meshes[2]`, `animations[0]`.
#[derive(Debug, Default)]
pub(super) struct ForcedElements(BTreeSet<String>);

impl ForcedElements {
    /// The elements in which the reader repaired data that is written.
    pub(super) fn of(report: &ImportReport) -> Self {
        let repairs = report.findings().iter().filter(|f| f.code.is_repair());
        Self(repairs.filter_map(|finding| element(&finding.place.to_string()).map(str::to_owned)).collect())
    }

    /// True if the element at `place`, or the one that it is part of, is written anew.
    pub(super) fn has(&self, place: &str) -> bool {
        element(place).is_some_and(|element| self.0.contains(element))
    }
}

/// The element of a list that a place is in: `meshes[2]` for `meshes[2].primitives[0]`.
fn element(place: &str) -> Option<&str> {
    let end = place.find(']')? + 1;
    let (list, number) = place[..end - 1].split_once('[')?;
    let is_element = ["nodes", "meshes", "skins", "animations"].contains(&list);
    (is_element && number.parse::<usize>().is_ok()).then_some(&place[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::FindingCode;

    #[test]
    fn a_repair_within_an_element_concerns_the_element() {
        let mut report = ImportReport::default();
        report.add(FindingCode::WeightsNegative, "meshes[12].primitives[0]", "");
        report.add(FindingCode::QuaternionNotUnit, "animations[1].channels[3]", "");
        report.add(FindingCode::CameraIgnored, "nodes[1]", "");
        let forced = ForcedElements::of(&report);
        assert!(forced.has("meshes[12]") && forced.has("animations[1].channels[0]"));
        assert!(!forced.has("meshes[1]") && !forced.has("nodes[1]") && !forced.has("the file"));
    }
}
