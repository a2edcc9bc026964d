//! What had to be repaired when the file was read.

use sinew_formats::{FindingKind, ImportFinding, ImportReport};

/// The most findings that are listed; a broken file may have thousands.
const MOST_ROWS: usize = 200;

pub(super) fn show(ui: &mut egui::Ui, report: &ImportReport) {
    let findings = report.findings();
    if findings.is_empty() {
        return;
    }
    let title = format!("Import report ({})", findings.len());
    egui::CollapsingHeader::new(title).id_salt("import report").show(ui, |ui| {
        ui.weak(summary(findings));
        ui.add_space(4.0);
        let of = |kind| findings.iter().filter(move |finding| finding.code.kind() == kind);
        let repairs_first = of(FindingKind::Repair).chain(of(FindingKind::Note));
        repairs_first.take(MOST_ROWS).for_each(|finding| row(ui, finding));
        if findings.len() > MOST_ROWS {
            ui.weak(format!("and {} more; `sinew inspect` lists all", findings.len() - MOST_ROWS));
        }
    });
}

fn row(ui: &mut egui::Ui, finding: &ImportFinding) {
    let kind = finding.code.kind();
    ui.horizontal_wrapped(|ui| {
        let color = match kind {
            FindingKind::Repair => ui.visuals().warn_fg_color,
            FindingKind::Note => ui.visuals().weak_text_color(),
        };
        ui.colored_label(color, kind.as_str());
        ui.monospace(finding.code.as_str()).on_hover_text(&finding.place);
    });
    ui.indent(("finding", &finding.place, finding.code), |ui| {
        ui.label(&finding.detail);
        ui.weak(&finding.place);
    });
    ui.add_space(4.0);
}

/// `3 repairs, 1 note`.
fn summary(findings: &[ImportFinding]) -> String {
    let count = |kind| findings.iter().filter(|finding| finding.code.kind() == kind).count();
    let some = |count, name| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        _ => Some(format!("{count} {name}s")),
    };
    let parts = [some(count(FindingKind::Repair), "repair"), some(count(FindingKind::Note), "note")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
