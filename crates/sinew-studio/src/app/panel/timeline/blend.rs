//! Blending a second clip into the first.

use super::name_of;
use crate::{
    app::requests::Requests,
    command::Command,
    document::{Document, Mix},
};

/// Keys per second of a baked blend.
const FPS: f32 = 30.0;

pub(super) fn show(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let mix = document.playhead().mix;
    let label = ui.label("Blend with");
    let chosen = mix.map_or_else(|| "nothing".into(), |mix| name_of(document, mix.clip));
    let combo = egui::ComboBox::from_id_salt("mix").selected_text(chosen).width(130.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        if ui.selectable_label(mix.is_none(), "nothing").clicked() && mix.is_some() {
            requests.command(Command::SetMix(None));
        }
        for clip in 0..document.character().clips().len() {
            let is_chosen = mix.is_some_and(|mix| mix.clip == clip);
            if ui.selectable_label(is_chosen, name_of(document, clip)).clicked() && !is_chosen {
                let mix = mix.unwrap_or(Mix { clip, weight: 0.5, is_synchronized: true });
                requests.command(Command::SetMix(Some(Mix { clip, ..mix })));
            }
        }
    });
    combo.response.labelled_by(label.id);
    let Some(mix) = mix else { return };
    let mut edited = mix;
    ui.spacing_mut().slider_width = 220.0;
    ui.add(egui::Slider::new(&mut edited.weight, 0.0..=1.0).text("blend weight").fixed_decimals(2));
    let hint = "Synchronize the clips by their common events, or by their lengths";
    ui.checkbox(&mut edited.is_synchronized, "synchronized").on_hover_text(hint);
    if edited != mix {
        requests.command(Command::SetMix(Some(edited)));
    }
    if ui.button("Bake to clip").on_hover_text("Bake the blend to a new clip").clicked() {
        requests.command(Command::BakeMix { fps: FPS });
    }
}
