//! The skin doctor: findings with their places, and buttons that fix them.

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{
        actions::Action,
        diagnosis::{CheckResult, Diagnosis},
        requests::Requests,
    },
    command::{Command, SelectMode},
    document::Document,
    work::WorkRequest,
};
use sinew::{Method, finding::Remedy};
use sinew_author::check::{CheckOptions, CheckTarget, Finding, FindingCode, Severity, TargetLimits};

/// The findings of the skin doctor, with buttons that select or fix them.
pub(super) struct DoctorPanel;

impl Panel for DoctorPanel {
    fn dock(&self) -> Dock {
        // Above the panels that grow and shrink with the selection, so that the list stays under the pointer.
        Dock::PropertiesTop
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Doctor").show(ui, |ui| {
            check_bar(ui, context);
            custom_limits(ui, context.diagnosis);
            results(ui, context);
        });
    }
}

fn check_bar(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let PanelContext { diagnosis, jobs, requests, .. } = context;
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Target");
        choose_target(ui, diagnosis).labelled_by(label.id);
        let button = ui.add_enabled(!jobs.is_busy(), egui::Button::new("Check"));
        if button.on_hover_text("Check weights, bind poses, joints and clips").clicked() {
            let options = CheckOptions { target: diagnosis.target, ..CheckOptions::default() };
            requests.act(Action::Work(WorkRequest::Check(options)));
        }
        ui.checkbox(&mut diagnosis.are_marked, "Mark").on_hover_text("Mark the vertices of findings");
    });
}

fn results(ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
    let document = context.document();
    let is_current = context.diagnosis.is_current(document);
    let Some(result) = &context.diagnosis.result else {
        ui.weak("Not checked yet.");
        return;
    };
    if !is_current {
        let text = "The character or the target has changed since this check.";
        ui.colored_label(ui.visuals().warn_fg_color, text);
    }
    if result.findings.is_empty() {
        ui.label("No findings.");
        return;
    }
    summary(ui, result, is_current, context.requests);
    let area = egui::ScrollArea::vertical().id_salt("findings").max_height(280.0).auto_shrink([false, true]);
    area.show(ui, |ui| {
        for (index, finding) in result.findings.iter().enumerate() {
            let row = FindingRow { finding, target: result.target, is_current };
            ui.push_id(index, |ui| row.show(ui, document, context.requests));
        }
    });
}

fn choose_target(ui: &mut egui::Ui, diagnosis: &mut Diagnosis) -> egui::Response {
    let name = |target: Option<CheckTarget>| target.map_or("any program", CheckTarget::name);
    let custom = CheckTarget::Custom(diagnosis.limits);
    let combo = egui::ComboBox::from_id_salt("target").width(90.0).selected_text(name(diagnosis.target));
    let combo = combo.show_ui(ui, |ui| {
        let known = [CheckTarget::Bevy, CheckTarget::Three, CheckTarget::Godot, CheckTarget::Unity, custom];
        for target in [None].into_iter().chain(known.map(Some)) {
            ui.selectable_value(&mut diagnosis.target, target, name(target));
        }
    });
    combo.response
}

fn custom_limits(ui: &mut egui::Ui, diagnosis: &mut Diagnosis) {
    if !matches!(diagnosis.target, Some(CheckTarget::Custom(_))) {
        return;
    }
    let limits = &mut diagnosis.limits;
    ui.horizontal(|ui| {
        let label = ui.label("Influences");
        ui.add(egui::DragValue::new(&mut limits.influences).range(1..=64)).labelled_by(label.id);
        let label = ui.label("Joints");
        ui.add(egui::DragValue::new(&mut limits.joints).range(1..=65_535)).labelled_by(label.id);
    });
    diagnosis.target = Some(CheckTarget::Custom(diagnosis.limits));
}

/// The number of findings by severity, and a button that fixes everything.
fn summary(ui: &mut egui::Ui, result: &CheckResult, is_current: bool, requests: &mut Requests) {
    ui.horizontal_wrapped(|ui| {
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let count = result.findings.iter().filter(|f| f.severity() == severity).count();
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                ui.colored_label(color(ui, severity), format!("{count} {}{plural}", severity.as_str()));
            }
        }
        let can_fix = is_current && result.findings.iter().any(|f| f.code.remedy() == Remedy::Fix);
        let fix = Command::Fix { code: None, target: result.target.map(target_text) };
        let button = ui.add_enabled(can_fix, egui::Button::new("Fix all").small());
        if button.on_hover_text(fix.info().tooltip).clicked() {
            requests.command(fix);
        }
    });
}

/// One finding of the list.
#[derive(Clone, Copy)]
struct FindingRow<'a> {
    finding: &'a Finding,
    target: Option<CheckTarget>,
    is_current: bool,
}

impl FindingRow<'_> {
    fn show(self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let finding = self.finding;
        ui.horizontal(|ui| {
            let (rect, dot) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
            ui.painter().circle_filled(rect.center(), 4.0, color(ui, finding.severity()));
            dot.on_hover_text(finding.severity().as_str());
            let link = ui.link(finding.code.as_str());
            if link.on_hover_text(format!("{}\nClick to go to it", finding.code.title())).clicked() {
                go_to(document, finding, requests);
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                match finding.code {
                    // Better weights do not prevent a collapse under a large twist, another method does.
                    FindingCode::CandyWrap | FindingCode::VolumeLoss => other_method(ui, document, requests),
                    code => self.fix_button(ui, code, requests),
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

    fn fix_button(self, ui: &mut egui::Ui, code: FindingCode, requests: &mut Requests) {
        let can_fix = code.remedy() == Remedy::Fix && self.is_current;
        let fix = Command::Fix { code: Some(code.as_str().into()), target: self.target.map(target_text) };
        let button = ui.add_enabled(can_fix, egui::Button::new("Fix").small());
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, can_fix, format!("Fix {code}")));
        if button.on_hover_text(fix.info().tooltip).clicked() {
            requests.command(fix);
        }
    }
}

fn other_method(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let is_other = document.method() != Method::DualQuat;
    let button = ui.add_enabled(is_other, egui::Button::new("Try dual-quat").small());
    if button
        .on_hover_text("Deform by dual quaternion skinning, which keeps the distance from the bone")
        .clicked()
    {
        requests.command(Command::SetMethod(Method::DualQuat.name().into()));
    }
}

/// The target as the command line spells it.
fn target_text(target: CheckTarget) -> String {
    match target {
        CheckTarget::Custom(TargetLimits { influences, joints }) => format!("custom:{influences},{joints}"),
        other => other.name().into(),
    }
}

/// Selects the joint and the vertices of a finding, goes to its time and frames it.
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
            requests.command(Command::SelectVertices { instance, vertices, mode: SelectMode::Replace });
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
