//! View options and the deformation method.

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{
        requests::Requests,
        viewport::{
            Viewport,
            look::{Compared, DeformDevice, LookOptions, ViewportLook},
        },
    },
    command::Command,
    document::Document,
};
use sinew::Method;

/// The view options: shading, overlays, comparison and the deforming device.
pub(super) struct LookPanel;

impl Panel for LookPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(None)
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        egui::CollapsingHeader::new("Look").default_open(true).show(ui, |ui| {
            choices(ui, document, &mut context.viewport.look, context.requests);
            precompute_button(ui, document, context.viewport, context.requests);
            overlays(ui, &mut context.viewport.look);
            cost(ui, context.viewport);
        });
    }
}

fn choices(ui: &mut egui::Ui, document: &Document, options: &mut LookOptions, requests: &mut Requests) {
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
                let recommended = sinew_author::recommended_method(document.character());
                for method in Method::ALL {
                    let is_chosen = document.method() == method;
                    let note = if recommended == Some(method) { " (recommended)" } else { "" };
                    let label = format!("{method}{note}");
                    if ui.selectable_label(is_chosen, label).clicked() && !is_chosen {
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
}

/// A button that precomputes the method's data, if the character lacks it.
fn precompute_button(ui: &mut egui::Ui, document: &Document, viewport: &Viewport, requests: &mut Requests) {
    let (wanted, used) = (document.method(), viewport.scene.method());
    if used == wanted {
        return;
    }
    let needs = wanted.needs_precomputed().unwrap_or("more data");
    ui.colored_label(ui.visuals().warn_fg_color, format!("{wanted} needs {needs}; falling back to {used}."));
    let precompute = Command::Precompute(wanted.name().into());
    if ui.button("Precompute").on_hover_text(precompute.info().tooltip).clicked() {
        requests.command(precompute);
    }
}

fn overlays(ui: &mut egui::Ui, options: &mut LookOptions) {
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut options.bones, "Bones");
        ui.checkbox(&mut options.axes, "Axes");
        ui.checkbox(&mut options.wire, "Wire");
        ui.checkbox(&mut options.normals, "Normals");
        ui.checkbox(&mut options.ground, "Ground");
        ui.checkbox(&mut options.follow, "Follow")
            .on_hover_text("The camera follows a character that moves through the world");
        ui.checkbox(&mut options.bounds, "Bounds")
            .on_hover_text("The bounding box of each mesh in this pose");
        ui.checkbox(&mut options.bone_boxes, "Bone boxes").on_hover_text(
            "The box of each bone, or of the selected one, around the vertices that follow it most",
        );
    });
}

/// The comparison in the second half of the viewport.
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

/// The device that deforms, and the time of the last pose.
fn cost(ui: &mut egui::Ui, viewport: &mut Viewport) {
    let device = &mut viewport.look.device;
    ui.horizontal(|ui| {
        ui.selectable_value(device, DeformDevice::Cpu, "CPU").on_hover_text("Deform on the CPU");
        ui.selectable_value(device, DeformDevice::Gpu, "GPU")
            .on_hover_text("Deform on the GPU, unless something reads vertex positions");
    });
    let (cost, gpu_ms) = (viewport.scene.cost(), viewport.gpu_ms);
    let text = match viewport.scene.gpu_deformation() {
        Some(_) if gpu_ms > 0.0 => format!("{:.2} ms on the CPU, {gpu_ms:.2} ms on the GPU", cost.deform_ms),
        // Some devices have no timestamps.
        Some(_) => format!("{:.2} ms on the CPU, the rest on the GPU", cost.deform_ms),
        None => format!("deform {:.2} ms, scene {:.2} ms", cost.deform_ms, cost.scene_ms),
    };
    // Truncated, so that another digit does not resize the viewport.
    let label = egui::Label::new(egui::RichText::new(text).weak()).truncate();
    ui.add(label).on_hover_text("Time of the last pose");
}
