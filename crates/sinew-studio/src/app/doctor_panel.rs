//! The skin doctor: what is wrong with the character, where, and a button to mend it.

use super::requests::{Action, Requests};
use crate::{
    command::{Command, How},
    document::Document,
    work::WorkRequest,
};
use sinew::{Character, Method, finding::Remedy};
use sinew_author::check::{CheckOptions, CheckTarget, Finding, FindingCode, Severity, TargetLimits};
use std::sync::Arc;

/// What the panel keeps.
#[derive(Debug)]
pub(super) struct DoctorPanel {
    target: Option<CheckTarget>,
    limits: TargetLimits,
    found: Option<DoctorResult>,
    are_marked: bool,
}

/// What was found in a character.
#[derive(Debug)]
struct DoctorResult {
    character: Arc<Character>,
    target: Option<CheckTarget>,
    findings: Vec<Finding>,
}

impl Default for DoctorPanel {
    fn default() -> Self {
        let limits = TargetLimits { influences: 4, joints: 128 };
        Self { target: None, limits, found: None, are_marked: true }
    }
}

impl DoctorPanel {
    /// Takes over what a check of `character` found.
    pub(super) fn take(&mut self, character: &Arc<Character>, findings: Vec<Finding>) {
        let character = Arc::clone(character);
        self.found = Some(DoctorResult { character, target: self.target, findings });
    }

    /// The findings, where any check was made.
    pub(super) fn findings(&self) -> Option<&[Finding]> {
        self.found.as_ref().map(|found| &found.findings[..])
    }

    /// The vertices to mark in the view: those of findings about this very character.
    pub(super) fn marked(&self, document: &Document) -> impl Iterator<Item = (usize, u32)> + '_ {
        let is_shown = self.are_marked && self.is_current(document);
        let findings = self.findings().filter(|_| is_shown).unwrap_or_default();
        findings.iter().flat_map(|finding| {
            let instance = finding.place.instance;
            let vertices = finding.place.vertices.iter();
            vertices.filter_map(move |vertex| Some((instance?, *vertex)))
        })
    }

    fn is_current(&self, document: &Document) -> bool {
        self.found.as_ref().is_some_and(|found| {
            Arc::ptr_eq(&found.character, document.character()) && found.target == self.target
        })
    }

    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        is_busy: bool,
        requests: &mut Requests,
    ) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("For");
            self.choose_target(ui).labelled_by(label.id);
            let button = ui.add_enabled(!is_busy, egui::Button::new("Check"));
            if button.on_hover_text("Looks at weights, binds, joints and clips").clicked() {
                let options = CheckOptions { target: self.target, ..CheckOptions::default() };
                requests.act(Action::Work(WorkRequest::Check(options)));
            }
            ui.checkbox(&mut self.are_marked, "Mark").on_hover_text("Dots on the vertices of findings");
        });
        self.custom_limits(ui);
        let is_current = self.is_current(document);
        let Some(found) = &self.found else {
            ui.weak("Not checked yet.");
            return;
        };
        if !is_current {
            let text = "The character or the target has changed since this check.";
            ui.colored_label(ui.visuals().warn_fg_color, text);
        }
        if found.findings.is_empty() {
            ui.label("Nothing is wrong.");
            return;
        }
        summary(ui, found, is_current, requests);
        let area =
            egui::ScrollArea::vertical().id_salt("findings").max_height(280.0).auto_shrink([false, true]);
        area.show(ui, |ui| {
            for (number, finding) in found.findings.iter().enumerate() {
                ui.push_id(number, |ui| row(ui, document, finding, found.target, is_current, requests));
            }
        });
    }

    fn choose_target(&mut self, ui: &mut egui::Ui) -> egui::Response {
        let name = |target: Option<CheckTarget>| target.map_or("any program", CheckTarget::name);
        let custom = CheckTarget::Custom(self.limits);
        let combo = egui::ComboBox::from_id_salt("target").width(90.0).selected_text(name(self.target));
        let combo = combo.show_ui(ui, |ui| {
            let known =
                [CheckTarget::Bevy, CheckTarget::Three, CheckTarget::Godot, CheckTarget::Unity, custom];
            for target in [None].into_iter().chain(known.map(Some)) {
                ui.selectable_value(&mut self.target, target, name(target));
            }
        });
        combo.response
    }

    fn custom_limits(&mut self, ui: &mut egui::Ui) {
        if !matches!(self.target, Some(CheckTarget::Custom(_))) {
            return;
        }
        ui.horizontal(|ui| {
            let label = ui.label("Influences");
            ui.add(egui::DragValue::new(&mut self.limits.influences).range(1..=64)).labelled_by(label.id);
            let label = ui.label("Joints");
            ui.add(egui::DragValue::new(&mut self.limits.joints).range(1..=65_535)).labelled_by(label.id);
        });
        self.target = Some(CheckTarget::Custom(self.limits));
    }
}

/// How many there are, and one button for all that can be mended.
fn summary(ui: &mut egui::Ui, found: &DoctorResult, is_current: bool, requests: &mut Requests) {
    ui.horizontal_wrapped(|ui| {
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let count = found.findings.iter().filter(|f| f.severity() == severity).count();
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                ui.colored_label(color(ui, severity), format!("{count} {}{plural}", severity.as_str()));
            }
        }
        let can_mend = is_current && found.findings.iter().any(|f| f.code.remedy() == Remedy::Fix);
        let button = ui.add_enabled(can_mend, egui::Button::new("Mend all").small());
        if button.on_hover_text("Everything that can be mended, as one step").clicked() {
            requests.command(Command::Mend { code: None, target: found.target.map(text_of) });
        }
    });
}

fn row(
    ui: &mut egui::Ui,
    document: &Document,
    finding: &Finding,
    target: Option<CheckTarget>,
    is_current: bool,
    requests: &mut Requests,
) {
    ui.horizontal(|ui| {
        let (rect, dot) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
        ui.painter().circle_filled(rect.center(), 4.0, color(ui, finding.severity()));
        dot.on_hover_text(finding.severity().as_str());
        let link = ui.link(finding.code.as_str());
        if link.on_hover_text(format!("{}\nClick to see where", finding.code.title())).clicked() {
            go_to(document, finding, requests);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            match finding.code {
                // Weights alone do not help where a joint is twisted far: another method does.
                FindingCode::CandyWrap | FindingCode::VolumeLoss => other_method(ui, document, requests),
                code => mend_button(ui, code, target, is_current, requests),
            }
        });
    });
    ui.label(format!("{}: {}", finding.place, finding.message));
    ui.weak(finding.advice());
    if finding.code.is_repair() {
        ui.weak("Repaired on import. Saving writes the repaired data.");
    }
    ui.add_space(6.0);
}

fn mend_button(
    ui: &mut egui::Ui,
    code: FindingCode,
    target: Option<CheckTarget>,
    is_current: bool,
    requests: &mut Requests,
) {
    let can_mend = code.remedy() == Remedy::Fix && is_current;
    let button = ui.add_enabled(can_mend, egui::Button::new("Mend").small());
    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, can_mend, format!("Mend {code}")));
    if button.on_hover_text("Mends all of this code; undo takes it back").clicked() {
        let (code, target) = (Some(code.as_str().into()), target.map(text_of));
        requests.command(Command::Mend { code, target });
    }
}

fn other_method(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let is_other = document.method() != Method::DualQuat;
    let button = ui.add_enabled(is_other, egui::Button::new("Try dual-quat").small());
    if button.on_hover_text("Deforms by dual quaternions, which keep their distance from the bone").clicked()
    {
        requests.command(Command::SetMethod(Method::DualQuat.name().into()));
    }
}

/// The target as the command line has it.
fn text_of(target: CheckTarget) -> String {
    match target {
        CheckTarget::Custom(TargetLimits { influences, joints }) => format!("custom:{influences},{joints}"),
        other => other.name().into(),
    }
}

/// Selects what the finding is about, goes to its moment and brings it into sight.
fn go_to(document: &Document, finding: &Finding, requests: &mut Requests) {
    let place = &finding.place;
    if let Some(clip) = place.clip.filter(|clip| *clip < document.character().clips().len()) {
        requests.command(Command::ChooseClip(Some(clip)));
        if let Some(time_secs) = place.time_secs {
            requests.command(Command::Scrub { time_secs });
        }
    }
    if let Some(joint) = place.joint {
        requests.command(Command::SelectJoint(Some(joint.0)));
    }
    match place.instance.filter(|_| !place.vertices.is_empty()) {
        Some(instance) => {
            let vertices = place.vertices.clone();
            requests.command(Command::SelectVertices { instance, vertices, how: How::Replace });
        }
        None => requests.command(Command::ClearVertices),
    }
    requests.act(Action::FrameSelection);
}

fn color(ui: &egui::Ui, severity: Severity) -> egui::Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Note => ui.visuals().weak_text_color(),
    }
}
