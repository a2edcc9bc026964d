//! Findings and fixes as JSON.

use super::checked::CheckedFile;
use crate::json::{JsonEffect, JsonFinding};
use serde::Serialize;
use sinew_author::check::{Finding, Fix};
use sinew_formats::WriteReport;

/// Everything that `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct CheckReport {
    files: Vec<FileReport>,
}

#[derive(Debug, Serialize)]
struct FileReport {
    file: String,
    clean: bool,
    findings: Vec<JsonFinding>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    fixed: Option<FixReport>,
}

/// The result of `--fix`.
#[derive(Debug, Serialize)]
struct FixReport {
    output: String,
    fixes: Vec<AppliedFix>,
    /// The findings of the fixed file.
    remaining: Vec<JsonFinding>,
    write: WriteReport,
}

#[derive(Debug, Serialize)]
struct AppliedFix {
    code: &'static str,
    message: String,
    displacement: JsonEffect,
}

pub(super) fn report(all: &[CheckedFile]) -> CheckReport {
    CheckReport { files: all.iter().map(file).collect() }
}

fn file(checked: &CheckedFile) -> FileReport {
    FileReport {
        file: checked.file.clone(),
        clean: checked.is_clean(),
        findings: findings(&checked.findings),
        fixed: checked.fixed.as_ref().map(|fixed| FixReport {
            output: fixed.file.clone(),
            fixes: fixed.fixes.iter().map(fix).collect(),
            remaining: findings(&fixed.remaining),
            write: fixed.write.clone(),
        }),
    }
}

fn findings(findings: &[Finding]) -> Vec<JsonFinding> {
    findings.iter().map(JsonFinding::from).collect()
}

fn fix(fix: &Fix) -> AppliedFix {
    AppliedFix { code: fix.code.as_str(), message: fix.what.clone(), displacement: (&fix.effect).into() }
}
