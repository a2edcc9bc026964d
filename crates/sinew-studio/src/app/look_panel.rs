//! How the character is shown and deformed.

use super::{
    look::{Compared, DeformDevice, LookOptions, ViewportLook},
    requests::Requests,
    shown::ShownScene,
    tool::{Tool, Tools},
};
use crate::{
    command::{BrushKind, Command},
    document::Document,
};
use sinew::Method;

pub(super) fn show(
    ui: &mut egui::Ui,
    document: &Document,
    (shown, card_ms): (&ShownScene, f64),
    options: &mut LookOptions,
    requests: &mut Requests,
) {
    egui::Grid::new("look").num_columns(2).spacing([10.0, 6.0]).show(ui, |ui| {
        let label = ui.label("Skin");
        egui::ComboBox::from_id_salt("skin")
            .selected_text(options.look.name())
            .height(420.0)
            .show_ui(ui, |ui| {
                for look in ViewportLook::ALL {
                    ui.selectable_value(&mut options.look, look, look.name()).on_hover_text(look.hint());
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label("Deform by");
        egui::ComboBox::from_id_salt("method")
            .selected_text(document.method().name())
            .show_ui(ui, |ui| {
                for method in Method::ALL {
                    let is_chosen = document.method() == method;
                    if ui.selectable_label(is_chosen, method.name()).clicked() && !is_chosen {
                        requests.command(Command::SetMethod(method.name().into()));
                    }
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
        compare(ui, document, options);
        ui.end_row();
        ui.label("Opacity");
        ui.add(egui::Slider::new(&mut options.opacity, 0.05..=1.0).text("of skin").show_value(false));
        ui.end_row();
    });
    if shown.method() != document.method() {
        let needs = document.method().needs_precomputed().unwrap_or("more data");
        ui.colored_label(
            ui.visuals().warn_fg_color,
            format!("{} needs {needs}; shown by {}.", document.method(), shown.method()),
        );
        if ui.button("Make it").on_hover_text("May take seconds for a large mesh").clicked() {
            requests.command(Command::Prepare(document.method().name().into()));
        }
    }
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut options.bones, "Bones");
        ui.checkbox(&mut options.axes, "Axes");
        ui.checkbox(&mut options.wire, "Wire");
        ui.checkbox(&mut options.normals, "Normals");
        ui.checkbox(&mut options.ground, "Ground");
        ui.checkbox(&mut options.follow, "Follow")
            .on_hover_text("The camera goes along with a character that a clip carries away");
        ui.checkbox(&mut options.bounds, "Bounds").on_hover_text("The box around each mesh in this pose");
    });
    cost(ui, (shown, card_ms), options);
}

/// Which second view stands beside the first.
fn compare(ui: &mut egui::Ui, document: &Document, options: &mut LookOptions) {
    let label = ui.label("Compare with");
    let combo = egui::ComboBox::from_id_salt("compared")
        .height(300.0)
        .selected_text(options.compared.map_or("nothing", Compared::name))
        .show_ui(ui, |ui| {
            ui.selectable_value(&mut options.compared, None, "nothing");
            let methods = Method::ALL.into_iter().filter(|method| document.is_ready(*method));
            let has_helpers = !document.character().helpers().is_empty();
            let without = has_helpers.then_some(Compared::WithoutHelpers);
            for one in methods.map(Compared::Method).chain([Compared::OpenedWeights]).chain(without) {
                ui.selectable_value(&mut options.compared, Some(one), one.name());
            }
        });
    combo.response.labelled_by(label.id);
}

/// Who deforms, and what the last pose took.
fn cost(ui: &mut egui::Ui, (shown, card_ms): (&ShownScene, f64), options: &mut LookOptions) {
    ui.horizontal(|ui| {
        ui.selectable_value(&mut options.worker, DeformDevice::Processor, "CPU")
            .on_hover_text("The processor deforms");
        ui.selectable_value(&mut options.worker, DeformDevice::Card, "GPU")
            .on_hover_text("The card deforms, as long as nothing else needs to know where vertices are");
    });
    let cost = shown.cost();
    let text = match shown.card() {
        Some(_) if card_ms > 0.0 => format!("{:.2} ms here, {card_ms:.2} ms on the GPU", cost.deform_ms),
        // A device without timestamps does not tell.
        Some(_) => format!("{:.2} ms here, the rest on the GPU", cost.deform_ms),
        None => format!("deform {:.2} ms, scene {:.2} ms", cost.deform_ms, cost.scene_ms),
    };
    // Figures that grow a digit must not move the view.
    let label = egui::Label::new(egui::RichText::new(text).weak()).truncate();
    ui.add(label).on_hover_text("What the last pose took");
}

/// The tool that clicks in the view use, and its brush.
pub(super) fn tools(ui: &mut egui::Ui, tools: &mut Tools) {
    ui.horizontal(|ui| {
        for tool in Tool::ALL {
            if ui.selectable_label(tools.chosen == tool, tool.name()).on_hover_text(tool.hint()).clicked() {
                tools.chosen = tool;
            }
        }
    });
    ui.weak(tools.chosen.hint());
    if tools.chosen == Tool::Vertices {
        tools.vertices.options(ui);
    }
    if tools.chosen == Tool::Pose {
        tools.pose.handles.choices(ui);
    }
    if tools.chosen != Tool::Paint {
        return;
    }
    let brush = &mut tools.paint.brush;
    ui.horizontal_wrapped(|ui| {
        for shape in BrushKind::ALL {
            ui.selectable_value(&mut brush.shape, shape, shape.name());
        }
    });
    ui.add(egui::Slider::new(&mut brush.amount, -1.0..=1.0).text("strength").fixed_decimals(2));
    ui.add(egui::Slider::new(&mut brush.radius, 0.005..=0.3).text("size").logarithmic(true));
    ui.add(egui::Slider::new(&mut brush.most, 1..=8).text("influences at most"));
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut brush.mirrored, "Mirror across x");
        ui.checkbox(&mut brush.only_facing, "Front only").on_hover_text("Leaves alone what faces away");
    });
}
