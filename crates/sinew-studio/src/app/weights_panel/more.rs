//! Operations that are needed less often.

use crate::{
    app::requests::{Action, Requests},
    command::{Command, WeightOp},
    document::{Document, DocumentSource},
    platform::HAS_PATHS,
    work::{TransferBy, TransferSource, WorkRequest},
};
use sinew_author::weights::auto::AutoMethod;

/// What the section keeps.
#[derive(Debug, Default)]
pub(super) struct MoreOperations {
    method: AutoMethod,
    from: TransferChoice,
    by: TransferBy,
    path: String,
}

/// Where weights are taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TransferChoice {
    #[default]
    Opened,
    Instance(usize),
    File,
}

impl MoreOperations {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        instance: usize,
        most: usize,
        requests: &mut Requests,
    ) {
        egui::CollapsingHeader::new("More operations").show(ui, |ui| {
            rounding(ui, instance, most, requests);
            ui.separator();
            self.automatic(ui, instance, most, requests);
            ui.separator();
            self.transfer(ui, document, instance, requests);
            ui.separator();
            joints(ui, document, instance, requests);
        });
    }

    fn automatic(&mut self, ui: &mut egui::Ui, instance: usize, most: usize, requests: &mut Requests) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Automatic");
            egui::ComboBox::from_id_salt("auto method")
                .width(96.0)
                .selected_text(self.method.name())
                .show_ui(ui, |ui| {
                    for method in AutoMethod::ALL {
                        ui.selectable_value(&mut self.method, method, method.name());
                    }
                })
                .response
                .labelled_by(label.id);
            let hint = format!("Weights from the mesh and its bones, {most} influences at most");
            if ui.button("Make weights").on_hover_text(hint).clicked() {
                requests.act(Action::Work(WorkRequest::Auto { instance, method: self.method, most }));
            }
        });
    }

    fn transfer(&mut self, ui: &mut egui::Ui, document: &Document, instance: usize, requests: &mut Requests) {
        egui::Grid::new("transfer").num_columns(2).show(ui, |ui| {
            let label = ui.label("Weights from");
            let combo = egui::ComboBox::from_id_salt("transfer from").width(150.0);
            let combo = combo.selected_text(self.giver_name(document)).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.from, TransferChoice::Opened, "the opened file");
                for other in (0..document.character().instances().len()).filter(|other| *other != instance) {
                    if document.weights(other).is_some() {
                        ui.selectable_value(
                            &mut self.from,
                            TransferChoice::Instance(other),
                            mesh_name(document, other),
                        );
                    }
                }
                ui.selectable_value(&mut self.from, TransferChoice::File, "another file");
            });
            combo.response.labelled_by(label.id);
            ui.end_row();
            if self.from == TransferChoice::File && HAS_PATHS {
                let label = ui.label("File");
                let field = egui::TextEdit::singleline(&mut self.path).desired_width(150.0);
                ui.add(field.hint_text("asks where empty")).labelled_by(label.id);
                ui.end_row();
            }
            let label = ui.label("found by");
            let combo = egui::ComboBox::from_id_salt("transfer by").width(150.0);
            let combo = combo.selected_text(self.by.name()).show_ui(ui, |ui| {
                for by in TransferBy::ALL {
                    ui.selectable_value(&mut self.by, by, by.name());
                }
            });
            combo.response.labelled_by(label.id);
            ui.end_row();
        });
        if !ui.button("Take weights over").on_hover_text("Joints are paired by name").clicked() {
            return;
        }
        let from = match self.from {
            TransferChoice::Opened => TransferSource::Opened,
            TransferChoice::Instance(other) => TransferSource::Instance(other),
            TransferChoice::File if self.path.is_empty() => {
                requests.act(Action::AskGiver { instance, by: self.by });
                return;
            }
            TransferChoice::File => TransferSource::Source(DocumentSource::File(self.path.clone().into())),
        };
        requests.act(Action::Work(WorkRequest::Transfer { instance, from, by: self.by }));
    }

    fn giver_name(&self, document: &Document) -> String {
        match self.from {
            TransferChoice::Opened => "the opened file".into(),
            TransferChoice::Instance(other) => mesh_name(document, other),
            TransferChoice::File => "another file".into(),
        }
    }
}

fn mesh_name(document: &Document, instance: usize) -> String {
    let character = document.character();
    let name = character.instances().get(instance).map(|of| character.mesh_of(of).name()).unwrap_or_default();
    format!("mesh {instance} {name}")
}

fn rounding(ui: &mut egui::Ui, instance: usize, most: usize, requests: &mut Requests) {
    let mut run = |op| requests.command(Command::Weights { instance, op });
    ui.horizontal_wrapped(|ui| {
        let hint = "Keeps the influences with which vertices move least over the clips and a range of motion";
        if ui.button(format!("Limit to {most}, refitted")).on_hover_text(hint).clicked() {
            run(WeightOp::Limit { most, is_refitted: true });
        }
        if ui.button("Mirror -x").on_hover_text("Copy the side of negative x to the other").clicked() {
            run(WeightOp::Mirror { from_negative: true });
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Quantise to");
        for (name, bits) in [("8 bits", 8), ("16 bits", 16)] {
            if ui.button(name).on_hover_text("Whole numbers with exact sums").clicked() {
                run(WeightOp::Quantise { bits });
            }
        }
    });
}

fn joints(ui: &mut egui::Ui, document: &Document, instance: usize, requests: &mut Requests) {
    let character = document.character();
    let skin = character.skin_of(&character.instances()[instance]);
    let joint = document.selection().joint.filter(|joint| skin.is_some_and(|s| s.slot_of(*joint).is_some()));
    let in_skin = |joint: &sinew::JointId| skin.is_some_and(|skin| skin.slot_of(*joint).is_some());
    let above = joint.and_then(|joint| character.skeleton().ancestors(joint).find(in_skin));
    ui.horizontal_wrapped(|ui| {
        let merge = ui.add_enabled(above.is_some(), egui::Button::new("Merge into parent"));
        if let (true, Some(joint), Some(into)) = (
            merge.on_hover_text("The selected joint's weights go to the joint above it").clicked(),
            joint,
            above,
        ) {
            let op = WeightOp::Merge { joint: joint.0, into: into.0 };
            requests.command(Command::Weights { instance, op });
        }
        let split = ui.add_enabled(joint.is_some(), egui::Button::new("Split joint"));
        let hint = "Puts a twist joint into the middle of the selected bone, with half of its weights";
        if let (true, Some(joint)) = (split.on_hover_text(hint).clicked(), joint) {
            requests.command(Command::SplitJoint { instance, joint: joint.0 });
        }
    });
    ui.horizontal_wrapped(|ui| {
        let unused = ui.button("Remove unused joints").on_hover_text("From the skin; no vertex moves");
        if unused.clicked() {
            requests.command(Command::Mend { code: Some("unused-joint".into()), target: None });
        }
        let bake = ui.button("Bake bind pose");
        if bake.on_hover_text("The shape in this pose becomes the shape that is bound").clicked() {
            requests.command(Command::BakeBind { instance });
        }
    });
}
