//! The bottom panel: which clip, where in it, how it plays.

use super::requests::{Action, Requests};
use crate::{
    command::Command,
    document::{AtEnd, Document},
};

/// Draws the panel; `playing_secs` is where a clip that plays is.
pub(super) fn show(
    ui: &mut egui::Ui,
    document: &Document,
    playing_secs: Option<f32>,
    requests: &mut Requests,
) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let has_clip = !document.character().clips().is_empty();
        let name = if playing_secs.is_some() { "Pause" } else { "Play" };
        let play = egui::Button::new(name).min_size(egui::vec2(56.0, 22.0));
        if ui.add_enabled(has_clip, play).on_hover_text("Space").clicked() {
            requests.act(Action::TogglePlay);
        }
        choose_clip(ui, document, requests);
        choose_end(ui, document, requests);
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
        if let Some(clip) = document.clip() {
            let now = playing_secs.unwrap_or(document.playhead().time_secs);
            ui.monospace(format!("{now:.2} / {:.2} s", clip.duration_secs()));
        }
    });
    scrubber(ui, document, playing_secs, requests);
}

fn choose_clip(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let label = ui.label("Clip");
    let name_of = |place: usize| match document.character().clips().get(place).map(|clip| clip.name()) {
        Some("") | None => format!("clip {place}"),
        Some(name) => name.to_owned(),
    };
    let chosen = document.playhead().clip.map_or_else(|| "none".into(), name_of);
    let combo = egui::ComboBox::from_id_salt("clip").selected_text(chosen).width(140.0);
    let combo = combo.show_ui(ui, |ui| {
        let now = document.playhead().clip;
        if ui.selectable_label(now.is_none(), "none").clicked() {
            requests.command(Command::ChooseClip(None));
        }
        for place in 0..document.character().clips().len() {
            if ui.selectable_label(now == Some(place), name_of(place)).clicked() {
                requests.command(Command::ChooseClip(Some(place)));
            }
        }
    });
    combo.response.labelled_by(label.id);
}

fn choose_end(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let label = ui.label("At its end");
    let chosen = document.playhead().end;
    let combo = egui::ComboBox::from_id_salt("end").selected_text(chosen.name()).width(110.0);
    let combo = combo.show_ui(ui, |ui| {
        for end in AtEnd::ALL {
            if ui.selectable_label(end == chosen, end.name()).clicked() && end != chosen {
                requests.command(Command::SetEnd(end));
            }
        }
    });
    combo.response.labelled_by(label.id);
}

/// A bar over the whole width with the clip's events; a drag goes through time.
fn scrubber(ui: &mut egui::Ui, document: &Document, playing_secs: Option<f32>, requests: &mut Requests) {
    let size = egui::vec2(ui.available_width(), 30.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
    let now = playing_secs.unwrap_or(document.playhead().time_secs);
    response.widget_info(|| egui::WidgetInfo::slider(document.clip().is_some(), f64::from(now), "Time"));
    let visuals = ui.visuals();
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    let Some(clip) = document.clip() else {
        let (align, font) = (egui::Align2::CENTER_CENTER, egui::FontId::proportional(12.0));
        painter.text(
            rect.center(),
            align,
            "Choose a clip to play or scrub it",
            font,
            visuals.weak_text_color(),
        );
        return;
    };
    let duration_secs = clip.duration_secs().max(1e-6);
    let inner = rect.shrink2(egui::vec2(8.0, 4.0));
    let x_of = |secs: f32| inner.left() + inner.width() * (secs / duration_secs).clamp(0.0, 1.0);
    let weak = visuals.weak_text_color();
    let ticks = (duration_secs * 10.0).min(400.0) as usize;
    for tick in 0..=ticks {
        let x = x_of(tick as f32 * 0.1);
        let top = if tick % 10 == 0 { inner.top() + 8.0 } else { inner.bottom() - 4.0 };
        painter.vline(x, top..=inner.bottom(), (1.0, weak.gamma_multiply(0.6)));
    }
    for event in clip.events() {
        let at = egui::pos2(x_of(event.time_secs), inner.top() + 5.0);
        painter.circle_filled(at, 3.0, visuals.warn_fg_color);
        let zone = egui::Rect::from_center_size(at, egui::vec2(9.0, 9.0));
        if response.hover_pos().is_some_and(|pointer| zone.contains(pointer)) {
            response.show_tooltip_text(format!("{} at {:.2} s", event.name, event.time_secs));
        }
    }
    painter.vline(x_of(now), rect.y_range(), (2.0, visuals.selection.stroke.color));
    if let (true, Some(at)) = (response.dragged() || response.clicked(), response.interact_pointer_pos()) {
        let share = ((at.x - inner.left()) / inner.width().max(1.0)).clamp(0.0, 1.0);
        requests.command(Command::Scrub { time_secs: share * duration_secs });
    }
}
