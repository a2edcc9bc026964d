//! Findings for people.

use super::examined::{Examined, Mended};
use sinew_author::{
    check::{Finding, Fix},
    weights::Displacement,
};
use std::fmt::Write;

/// Findings of one code that are printed in full; the rest is counted.
const MOST_ALIKE: usize = 5;

pub(super) fn report(all: &[Examined]) -> String {
    let mut out = String::new();
    for one in all {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}: {}", one.file, count(&one.findings));
        findings(&mut out, &one.findings);
        if let Some(mended) = &one.mended {
            report_mended(&mut out, mended);
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
        if before >= MOST_ALIKE {
            continue;
        }
        let _ = writeln!(out, "  {finding}");
        if before == 0 {
            let mend = if finding.code.can_be_fixed() { " (--fix)" } else { "" };
            let _ = writeln!(out, "    {}{mend}", finding.advice());
        }
        let alike = findings.iter().filter(|f| f.code == finding.code).count();
        if before + 1 == MOST_ALIKE && alike > MOST_ALIKE {
            let _ = writeln!(out, "  … and {} more of {}", alike - MOST_ALIKE, finding.code);
        }
    }
}

fn report_mended(out: &mut String, mended: &Mended) {
    for fix in &mended.fixes {
        let _ = writeln!(out, "  mended {}: {}; {}", fix.code, fix.what, moved(fix));
    }
    let _ = writeln!(out, "wrote {}: {}", mended.file, count(&mended.left));
    findings(out, &mended.left);
}

/// How far a fix moved vertices.
pub(super) fn moved(fix: &Fix) -> String {
    let over = |d: &Displacement, what: &str| {
        (d.poses > 0).then(|| format!("{:.3} mm at most, {:.3} mm RMS {what}", d.max_mm, d.rms_mm))
    };
    let parts: Vec<String> =
        [over(&fix.effect.clips, "in the clips"), over(&fix.effect.range, "in a range of motion")]
            .into_iter()
            .flatten()
            .collect();
    if parts.is_empty() {
        "moved nothing from where it was read".into()
    } else {
        format!("moved vertices by {}", parts.join(", "))
    }
}
