//! The import report of the open file.

use super::{Dock, Panel, PanelContext};
use sinew_formats::{Finding, ImportReport};

/// The maximum number of listed findings; a broken file may have thousands.
const MAX_ROWS: usize = 200;

/// The findings of the import of the open file.
pub(super) struct ImportReportPanel;

impl Panel for ImportReportPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(None)
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        !context.document().report().findings().is_empty()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        list(ui, context.document().report());
    }
}

fn list(ui: &mut egui::Ui, report: &ImportReport) {
    let findings = report.findings();
    let title = format!("Import report ({})", findings.len());
    egui::CollapsingHeader::new(title).id_salt("import report").show(ui, |ui| {
        ui.weak(summary(findings));
        ui.add_space(4.0);
        let of = |is_repair| findings.iter().filter(move |finding| finding.code.is_repair() == is_repair);
        let repairs_first = of(true).chain(of(false));
        repairs_first.take(MAX_ROWS).for_each(|finding| row(ui, finding));
        if findings.len() > MAX_ROWS {
            ui.weak(format!("and {} more; `sinew inspect` lists all", findings.len() - MAX_ROWS));
        }
    });
}

fn row(ui: &mut egui::Ui, finding: &Finding) {
    ui.horizontal_wrapped(|ui| {
        let is_repair = finding.code.is_repair();
        let color = if is_repair { ui.visuals().warn_fg_color } else { ui.visuals().weak_text_color() };
        ui.colored_label(color, ImportReport::label(finding.code));
        ui.monospace(finding.code.as_str()).on_hover_text(&finding.place.text);
    });
    ui.indent(("finding", &finding.place.text, finding.code), |ui| {
        ui.label(&finding.message);
        ui.weak(&finding.place.text);
    });
    ui.add_space(4.0);
}

/// The number of findings by kind: `3 repairs, 1 note`.
fn summary(findings: &[Finding]) -> String {
    let repairs = findings.iter().filter(|finding| finding.code.is_repair()).count();
    let counted = |count, name| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        _ => Some(format!("{count} {name}s")),
    };
    let parts = [counted(repairs, "repair"), counted(findings.len() - repairs, "note")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
