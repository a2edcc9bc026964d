//! Findings as text, for people.

use super::checked::{CheckedFile, FixedFile};
use sinew_author::{
    check::{Finding, Fix},
    weights::Displacement,
};
use std::fmt::Write;

/// How many findings of one code are printed in full; the rest are counted.
const MAX_PER_CODE: usize = 5;

pub(super) fn report(all: &[CheckedFile]) -> String {
    let mut out = String::new();
    for checked in all {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}: {}", checked.file, count(&checked.findings));
        findings(&mut out, &checked.findings);
        if let Some(fixed) = &checked.fixed {
            report_fixed(&mut out, fixed);
        }
    }
    out
}

fn count(findings: &[Finding]) -> String {
    match findings.len() {
        0 => "nothing found".into(),
        1 => "1 finding".into(),
        n => format!("{n} findings"),
    }
}

fn findings(out: &mut String, findings: &[Finding]) {
    for (index, finding) in findings.iter().enumerate() {
        let before = findings[..index].iter().filter(|f| f.code == finding.code).count();
        if before >= MAX_PER_CODE {
            continue;
        }
        let _ = writeln!(out, "  {finding}");
        if before == 0 {
            let hint = if finding.code.can_be_fixed() { " (--fix)" } else { "" };
            let _ = writeln!(out, "    {}{hint}", finding.advice());
        }
        let same_code = findings.iter().filter(|f| f.code == finding.code).count();
        if before + 1 == MAX_PER_CODE && same_code > MAX_PER_CODE {
            let _ = writeln!(out, "  … and {} more of {}", same_code - MAX_PER_CODE, finding.code);
        }
    }
}

fn report_fixed(out: &mut String, fixed: &FixedFile) {
    for fix in &fixed.fixes {
        let _ = writeln!(out, "  fixed {}: {}; {}", fix.code, fix.what, displacement(fix));
    }
    let _ = writeln!(out, "wrote {}: {}", fixed.file, count(&fixed.remaining));
    findings(out, &fixed.remaining);
}

/// How far a fix moved vertices, in words.
pub(super) fn displacement(fix: &Fix) -> String {
    let over = |d: &Displacement, what: &str| {
        (d.poses > 0).then(|| format!("at most {:.3} mm, {:.3} mm RMS {what}", d.max_mm, d.rms_mm))
    };
    let parts: Vec<String> =
        [over(&fix.effect.clips, "over the clips"), over(&fix.effect.range, "over a range of motion")]
            .into_iter()
            .flatten()
            .collect();
    if parts.is_empty() {
        "moved no vertex".into()
    } else {
        format!("moved vertices by {}", parts.join(", "))
    }
}
