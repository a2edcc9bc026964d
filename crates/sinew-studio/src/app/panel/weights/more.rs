//! Less common weight operations.

use crate::{
    app::{actions::Action, requests::Requests, window_commands::command_button},
    command::{Command, WeightOp},
    document::{Document, DocumentSource},
    platform::HAS_PATHS,
    work::{TransferBy, TransferSource, WorkRequest},
};
use sinew_author::weights::auto::AutoMethod;

/// The state of the section.
#[derive(Debug, Default)]
pub(super) struct MoreOperations {
    method: AutoMethod,
    from: TransferChoice,
    by: TransferBy,
    path: String,
}

/// The source of a weight transfer.
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
        instances: &[usize],
        max_influences: usize,
        requests: &mut Requests,
    ) {
        egui::CollapsingHeader::new("More operations").show(ui, |ui| {
            limit_and_quantize(ui, instances, max_influences, requests);
            ui.separator();
            self.automatic(ui, instances, max_influences, requests);
            ui.separator();
            self.transfer(ui, document, instances, requests);
            ui.separator();
            joints(ui, document, instances, requests);
        });
    }

    fn automatic(
        &mut self,
        ui: &mut egui::Ui,
        instances: &[usize],
        max_influences: usize,
        requests: &mut Requests,
    ) {
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
            let hint = format!(
                "Compute weights from the mesh and its bones, with up to {max_influences} influences"
            );
            if ui.button("Compute weights").on_hover_text(hint).clicked() {
                requests.act(Action::Work(WorkRequest::Auto {
                    instances: instances.to_vec(),
                    method: self.method,
                    max_influences,
                }));
            }
        });
    }

    fn transfer(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        instances: &[usize],
        requests: &mut Requests,
    ) {
        egui::Grid::new("transfer").num_columns(2).show(ui, |ui| {
            let label = ui.label("Transfer from");
            let combo = egui::ComboBox::from_id_salt("transfer from").width(150.0);
            let combo = combo.selected_text(self.source_name(document)).show_ui(ui, |ui| {
                ui.selectable_value(&mut self.from, TransferChoice::Opened, "the opened file");
                for other in (0..document.character().instances().len()).filter(|other| instances != [*other])
                {
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
                ui.add(field.hint_text("leave empty to choose")).labelled_by(label.id);
                ui.end_row();
            }
            let label = ui.label("matched by");
            let combo = egui::ComboBox::from_id_salt("transfer by").width(150.0);
            let combo = combo.selected_text(self.by.name()).show_ui(ui, |ui| {
                for by in TransferBy::ALL {
                    ui.selectable_value(&mut self.by, by, by.name());
                }
            });
            combo.response.labelled_by(label.id);
            ui.end_row();
        });
        if !ui.button("Transfer weights").on_hover_text("Joints are matched by name").clicked() {
            return;
        }
        let from = match self.from {
            TransferChoice::Opened => TransferSource::Opened,
            TransferChoice::Instance(other) => TransferSource::Instance(other),
            TransferChoice::File if self.path.is_empty() => {
                let instances = instances.to_vec();
                requests.act(Action::AskTransferFile { instances, by: self.by });
                return;
            }
            TransferChoice::File => TransferSource::Source(DocumentSource::File(self.path.clone().into())),
        };
        let instances = instances.to_vec();
        requests.act(Action::Work(WorkRequest::Transfer { instances, from, by: self.by }));
    }

    fn source_name(&self, document: &Document) -> String {
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

fn limit_and_quantize(
    ui: &mut egui::Ui,
    instances: &[usize],
    max_influences: usize,
    requests: &mut Requests,
) {
    let mut operation = |ui: &mut egui::Ui, label: &str, op: WeightOp| {
        let instances = instances.to_vec();
        command_button(ui, label, Command::Weights { instances, op }, requests);
    };
    ui.horizontal_wrapped(|ui| {
        let label = format!("Limit to {max_influences}, refitted");
        operation(ui, &label, WeightOp::Limit { max_influences, is_refitted: true });
        operation(ui, "Mirror -X", WeightOp::Mirror { from_negative: true });
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Quantize to");
        operation(ui, "8 bits", WeightOp::Quantize { bits: 8 });
        operation(ui, "16 bits", WeightOp::Quantize { bits: 16 });
    });
}

fn joints(ui: &mut egui::Ui, document: &Document, instances: &[usize], requests: &mut Requests) {
    let character = document.character();
    // Joints are split, and bind poses baked, in one skin: the first that holds the selected joint.
    let holds = |index: &&usize| {
        let skin = character.instances().get(**index).and_then(|instance| character.skin_of(instance));
        document.selection().joint.is_some_and(|joint| skin.is_some_and(|skin| skin.slot_of(joint).is_some()))
    };
    let Some(&instance) = instances.iter().find(holds).or(instances.first()) else { return };
    let skin = character.skin_of(&character.instances()[instance]);
    let joint = document.selection().joint.filter(|joint| skin.is_some_and(|s| s.slot_of(*joint).is_some()));
    let in_skin = |joint: &sinew::JointId| skin.is_some_and(|skin| skin.slot_of(*joint).is_some());
    let above = joint.and_then(|joint| character.skeleton().ancestors(joint).skip(1).find(in_skin));
    ui.horizontal_wrapped(|ui| {
        let merge = ui.add_enabled(above.is_some(), egui::Button::new("Merge into parent"));
        if let (true, Some(joint), Some(into)) = (
            merge.on_hover_text("Move the weights of the selected joint to the joint above it").clicked(),
            joint,
            above,
        ) {
            let op = WeightOp::Merge { joint: joint.0, into: into.0 };
            requests.command(Command::Weights { instances: instances.to_vec(), op });
        }
        let split = ui.add_enabled(joint.is_some(), egui::Button::new("Split joint"));
        let hint = "Insert a twist joint in the middle of the selected bone, with half of its weights";
        if let (true, Some(joint)) = (split.on_hover_text(hint).clicked(), joint) {
            requests.command(Command::SplitJoint { instance, joint: joint.0 });
        }
    });
    ui.horizontal_wrapped(|ui| {
        let unused = ui
            .button("Remove unused joints")
            .on_hover_text("Remove joints without weights from the skin; no vertex moves");
        if unused.clicked() {
            requests.command(Command::Fix { code: Some("unused-joint".into()), target: None });
        }
        command_button(ui, "Bake bind pose", Command::BakeBind { instance }, requests);
    });
}
