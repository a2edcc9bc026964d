//! The timeline: the clip, the scrubber and the playback settings.

mod blend;
mod clip_editor;
mod curves;
mod scale;
mod scrubber;

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{requests::Requests, window_commands},
    command::Command,
    document::{AtEnd, Document, PlaybackRate},
};
use clip_editor::ClipEditor;
use curves::CurvesPanel;
use scale::TimeScale;

/// The offered update rates in Hz; `None` updates every frame.
const RATES: [Option<f32>; 4] = [None, Some(60.0), Some(30.0), Some(15.0)];

/// The state of the panel.
#[derive(Debug, Default)]
pub(super) struct TimelinePanel {
    is_blending: bool,
    curves: CurvesPanel,
    clip_editor: ClipEditor,
}

impl Panel for TimelinePanel {
    fn dock(&self) -> Dock {
        Dock::Bottom("time")
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        ui.add_space(4.0);
        let now_secs = context.player.time_secs().unwrap_or(document.playhead().time_secs);
        ui.horizontal(|ui| self.controls(ui, now_secs, context));
        self.clip_editor.new_clip_row(ui, context.requests);
        if self.is_blending || document.playhead().mix.is_some() {
            ui.horizontal(|ui| blend::show(ui, document, context.requests));
        }
        let scale = TimeScale::new(ui, document, now_secs);
        self.curves.show(ui, document, scale, context.requests);
        scrubber::show(ui, document, scale, context.requests);
        ui.add_space(4.0);
    }
}

impl TimelinePanel {
    fn controls(&mut self, ui: &mut egui::Ui, now_secs: f32, context: &mut PanelContext<'_>) {
        let document = context.document();
        let requests = &mut *context.requests;
        let name = if context.player.is_playing() { "Pause" } else { "Play" };
        let play = egui::Button::new(name).min_size(egui::vec2(56.0, 22.0));
        window_commands::PLAY.add(ui, play, context.session, requests);
        if let Some(graph) = document.graph() {
            ui.label(format!("plays {}", graph.name));
        }
        choose_clip(ui, document, requests);
        choose_end(ui, document, requests);
        choose_speed(ui, document, requests);
        choose_rate(ui, document, requests);
        self.clip_editor.buttons(ui, document, requests);
        if document.clip().is_some() {
            ui.separator();
            ui.toggle_value(&mut self.is_blending, "Blend").on_hover_text("Blend another clip into this one");
            self.curves.switch(ui);
            self.range(ui, document, requests);
        }
        if let Some(clip) = document.clip() {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                clip_editor::duration_field(ui, clip, requests);
                ui.monospace(format!("{now_secs:.2} /"));
            });
        }
    }

    /// The loop range as a button that removes it.
    fn range(&self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let Some([start, end]) = document.playhead().range_secs else { return };
        let text = format!("{start:.2} to {end:.2} s");
        if ui.button(text).on_hover_text("Click to play the whole clip").clicked() {
            requests.command(Command::SetRange(None));
        }
    }
}

/// The name of the clip with that index.
fn name_of(document: &Document, index: usize) -> String {
    match document.character().clips().get(index).map(|clip| clip.name()) {
        Some("") | None => format!("clip {index}"),
        Some(name) => name.to_owned(),
    }
}

fn choose_clip(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let label = ui.label("Clip");
    let chosen = document.playhead().clip.map_or_else(|| "none".into(), |place| name_of(document, place));
    let combo = egui::ComboBox::from_id_salt("clip").selected_text(chosen).width(130.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        let now = document.playhead().clip;
        if ui.selectable_label(now.is_none(), "none").clicked() {
            requests.command(Command::ChooseClip(None));
        }
        for place in 0..document.character().clips().len() {
            if ui.selectable_label(now == Some(place), name_of(document, place)).clicked() {
                requests.command(Command::ChooseClip(Some(place)));
            }
        }
    });
    combo.response.labelled_by(label.id);
}

fn choose_end(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let label = ui.label("At end");
    let chosen = document.playhead().end;
    let combo = egui::ComboBox::from_id_salt("end").selected_text(chosen.name()).width(100.0);
    let combo = combo.show_ui(ui, |ui| {
        for end in AtEnd::ALL {
            if ui.selectable_label(end == chosen, end.name()).clicked() && end != chosen {
                requests.command(Command::SetEnd(end));
            }
        }
    });
    combo.response.labelled_by(label.id);
}

fn choose_speed(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let mut speed = document.playhead().speed;
    let number = egui::DragValue::new(&mut speed)
        .update_while_editing(false)
        .range(-10.0..=10.0)
        .speed(0.02)
        .prefix("× ")
        .fixed_decimals(2);
    if ui.add(number).on_hover_text("Playback speed; negative values play backward").changed() {
        requests.command(Command::SetSpeed(speed));
    }
}

/// How often poses are evaluated, and what is shown between them.
fn choose_rate(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let rate = document.playhead().rate;
    let name = |hz: Option<f32>| hz.map_or_else(|| "every frame".into(), |hz| format!("{hz:.0} Hz"));
    let label = ui.label("Update").on_hover_text("How often poses are evaluated during playback");
    let combo = egui::ComboBox::from_id_salt("rate").selected_text(name(rate.hz)).width(90.0);
    let combo = combo.show_ui(ui, |ui| {
        for hz in RATES {
            if ui.selectable_label(hz == rate.hz, name(hz)).clicked() && hz != rate.hz {
                requests.command(Command::SetRate(PlaybackRate { hz, ..rate }));
            }
        }
    });
    combo.response.labelled_by(label.id);
    if rate.hz.is_some() {
        let mut is_held = rate.is_held;
        let hint = "Hold each pose until the next instead of interpolating";
        if ui.checkbox(&mut is_held, "held").on_hover_text(hint).changed() {
            requests.command(Command::SetRate(PlaybackRate { is_held, ..rate }));
        }
    }
}
