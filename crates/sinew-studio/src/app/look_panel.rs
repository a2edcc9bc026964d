//! How the character is shown and deformed.

use super::{
    requests::Requests,
    shown::{Look, LookOptions, Shown},
    tool::{Tool, Tools},
};
use crate::{
    command::{BrushShape, Command},
    document::Document,
};
use sinew::Method;

pub(super) fn show(
    ui: &mut egui::Ui,
    document: &Document,
    shown: &Shown,
    options: &mut LookOptions,
    requests: &mut Requests,
) {
    egui::Grid::new("look").num_columns(2).spacing([10.0, 6.0]).show(ui, |ui| {
        let label = ui.label("Skin");
        egui::ComboBox::from_id_salt("skin")
            .selected_text(options.look.name())
            .show_ui(ui, |ui| {
                for look in Look::ALL {
                    ui.selectable_value(&mut options.look, look, look.name());
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
        let label = ui.label("Compare with");
        let chosen = options.compared.map_or("nothing", Method::name);
        egui::ComboBox::from_id_salt("compared")
            .selected_text(chosen)
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut options.compared, None, "nothing");
                for method in Method::ALL.into_iter().filter(|method| document.is_ready(*method)) {
                    ui.selectable_value(&mut options.compared, Some(method), method.name());
                }
            })
            .response
            .labelled_by(label.id);
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
    });
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
        for shape in BrushShape::ALL {
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
