//! The findings of the skin doctor and the target they were checked for.

use crate::document::Document;
use sinew::Character;
use sinew_author::check::{CheckTarget, Finding, TargetLimits};
use std::sync::Arc;

/// The chosen target, and the result of the last check.
#[derive(Debug)]
pub(super) struct Diagnosis {
    pub(super) target: Option<CheckTarget>,
    /// The limits of a custom target.
    pub(super) limits: TargetLimits,
    pub(super) result: Option<CheckResult>,
    /// True to mark the vertices of findings in the viewport.
    pub(super) are_marked: bool,
}

/// The findings of one character.
#[derive(Debug)]
pub(super) struct CheckResult {
    character: Arc<Character>,
    pub(super) target: Option<CheckTarget>,
    pub(super) findings: Vec<Finding>,
}

impl Default for Diagnosis {
    fn default() -> Self {
        let limits = TargetLimits { influences: 4, joints: 128 };
        Self { target: None, limits, result: None, are_marked: true }
    }
}

impl Diagnosis {
    /// Stores the findings of a check of `character`.
    pub(super) fn set_findings(&mut self, character: &Arc<Character>, findings: Vec<Finding>) {
        let character = Arc::clone(character);
        self.result = Some(CheckResult { character, target: self.target, findings });
    }

    /// The findings of the last check, if there was one.
    pub(super) fn findings(&self) -> Option<&[Finding]> {
        self.result.as_ref().map(|result| &result.findings[..])
    }

    /// The vertices to mark in the viewport, each with its instance; none if the character has changed since the check.
    pub(super) fn marked(&self, document: &Document) -> impl Iterator<Item = (usize, u32)> + '_ {
        let is_shown = self.are_marked && self.is_current(document);
        let findings = self.findings().filter(|_| is_shown).unwrap_or_default();
        findings.iter().flat_map(|finding| {
            let instance = finding.place.instance;
            let vertices = finding.place.vertices.iter();
            vertices.filter_map(move |vertex| Some((instance?, *vertex)))
        })
    }

    /// True if neither the character nor the target has changed since the check.
    pub(super) fn is_current(&self, document: &Document) -> bool {
        self.result.as_ref().is_some_and(|result| {
            Arc::ptr_eq(&result.character, document.character()) && result.target == self.target
        })
    }
}
