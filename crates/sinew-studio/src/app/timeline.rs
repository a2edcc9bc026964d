//! The bottom panel: which clip, where in it, how it plays.

mod curves;
mod mix;
mod scale;
mod scrubber;

use super::requests::{Action, Requests};
use crate::{
    command::Command,
    document::{AtEnd, Document, PlaybackRate},
};
use curves::CurvesPanel;
use scale::TimeScale;

/// Updates a second that are offered.
const RATES: [Option<f32>; 4] = [None, Some(60.0), Some(30.0), Some(15.0)];

/// What the panel keeps.
#[derive(Debug, Default)]
pub(super) struct TimelinePanel {
    is_mixing: bool,
    curves: CurvesPanel,
}

/// What plays at the moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Playing {
    pub(super) is_playing: bool,
    /// Where a clip that plays is.
    pub(super) time_secs: Option<f32>,
}

impl TimelinePanel {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        playing: Playing,
        requests: &mut Requests,
    ) {
        ui.add_space(4.0);
        let now_secs = playing.time_secs.unwrap_or(document.playhead().time_secs);
        ui.horizontal(|ui| self.controls(ui, document, playing, requests));
        if self.is_mixing || document.playhead().mix.is_some() {
            ui.horizontal(|ui| mix::show(ui, document, requests));
        }
        let scale = TimeScale::new(ui, document);
        self.curves.show(ui, document, (scale, now_secs), requests);
        scrubber::show(ui, document, (scale, now_secs), requests);
    }

    fn controls(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        playing: Playing,
        requests: &mut Requests,
    ) {
        let has_clip = !document.character().clips().is_empty() || document.graph().is_some();
        let name = if playing.is_playing { "Pause" } else { "Play" };
        let play = egui::Button::new(name).min_size(egui::vec2(56.0, 22.0));
        if ui.add_enabled(has_clip, play).on_hover_text("Space").clicked() {
            requests.act(Action::TogglePlay);
        }
        if let Some(graph) = document.graph() {
            ui.label(format!("plays {}", graph.name));
        }
        choose_clip(ui, document, requests);
        choose_end(ui, document, requests);
        choose_speed(ui, document, requests);
        choose_rate(ui, document, requests);
        if document.clip().is_some() {
            ui.separator();
            ui.toggle_value(&mut self.is_mixing, "Mix").on_hover_text("Mix another clip into this one");
            self.curves.switch(ui);
            self.range(ui, document, requests);
        }
        if let Some(clip) = document.clip() {
            let now_secs = playing.time_secs.unwrap_or(document.playhead().time_secs);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.monospace(format!("{now_secs:.2} / {:.2} s", clip.duration_secs()));
            });
        }
    }

    /// The part that is played, in words, and the way back to the whole.
    fn range(&self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let Some([start, end]) = document.playhead().range_secs else { return };
        let text = format!("{start:.2} to {end:.2} s");
        if ui.button(text).on_hover_text("Click to play the whole clip again").clicked() {
            requests.command(Command::SetRange(None));
        }
    }
}

/// What the clip at `place` is called.
fn name_of(document: &Document, place: usize) -> String {
    match document.character().clips().get(place).map(|clip| clip.name()) {
        Some("") | None => format!("clip {place}"),
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
    let label = ui.label("At its end");
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
    if ui.add(number).on_hover_text("Speed").changed() {
        requests.command(Command::SetSpeed(speed));
    }
}

/// How often poses are worked out, and what is shown between them.
fn choose_rate(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let rate = document.playhead().rate;
    let name = |hz: Option<f32>| hz.map_or_else(|| "every frame".into(), |hz| format!("{hz:.0} Hz"));
    let label = ui.label("Update").on_hover_text("How often poses are worked out while something plays");
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
        let hint = "Show each pose until the next, rather than going over into it";
        if ui.checkbox(&mut is_held, "held").on_hover_text(hint).changed() {
            requests.command(Command::SetRate(PlaybackRate { is_held, ..rate }));
        }
    }
}
