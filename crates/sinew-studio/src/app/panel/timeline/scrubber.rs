//! The scrubber: the time bar with events, meta-channels and the loop range.

use super::scale::TimeScale;
use crate::{app::requests::Requests, command::Command, document::Document};
use sinew::{Channel, Clip};

const HEIGHT: f32 = 30.0;

pub(super) fn show(ui: &mut egui::Ui, document: &Document, scale: TimeScale, requests: &mut Requests) {
    let size = egui::vec2(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
    response.widget_info(|| {
        egui::WidgetInfo::slider(document.clip().is_some(), f64::from(scale.now_secs), "Time")
    });
    let visuals = ui.visuals();
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    let Some(clip) = document.clip() else {
        let (align, font) = (egui::Align2::CENTER_CENTER, egui::FontId::proportional(12.0));
        let text = "Choose a clip to play or scrub it, or make a new one";
        painter.text(rect.center(), align, text, font, visuals.weak_text_color());
        return;
    };
    draw_ticks(ui, rect, scale);
    draw_keys(ui, document, clip, scale, rect);
    draw_marks(ui, clip, scale, &response);
    if let (true, Some(at)) = (response.dragged() || response.clicked(), response.interact_pointer_pos()) {
        requests.command(Command::Scrub { time_secs: scale.secs_at(at.x) });
    }
    range_handles(ui, rect, scale, document, requests);
    let accent = ui.visuals().selection.stroke.color;
    ui.painter_at(rect).vline(scale.x_of(scale.now_secs), rect.y_range(), (2.0, accent));
}

fn draw_ticks(ui: &egui::Ui, rect: egui::Rect, scale: TimeScale) {
    let (painter, weak) = (ui.painter_at(rect), ui.visuals().weak_text_color().gamma_multiply(0.6));
    let inner = rect.shrink2(egui::vec2(0.0, 4.0));
    for tick in 0..=(scale.duration_secs * 10.0).min(400.0) as usize {
        let top = if tick % 10 == 0 { inner.top() + 8.0 } else { inner.bottom() - 4.0 };
        painter.vline(scale.x_of(tick as f32 * 0.1), top..=inner.bottom(), (1.0, weak));
    }
}

/// The keys of the selected joint, or of all joints, as short lines in the middle.
fn draw_keys(ui: &egui::Ui, document: &Document, clip: &Clip, scale: TimeScale, rect: egui::Rect) {
    let joint = document.selection().joint;
    let is_shown = |channel: &&Channel| joint.is_none() || channel.joint() == joint;
    let times = clip.channels().iter().filter(is_shown).flat_map(Channel::times_secs);
    // One mark per point is enough for captured motion with a key in every frame.
    let mut columns: Vec<i32> = times.map(|secs| scale.x_of(*secs).round() as i32).collect();
    columns.sort_unstable();
    columns.dedup();
    let (middle, color) = (rect.center().y, ui.visuals().text_color().gamma_multiply(0.7));
    for x in columns {
        ui.painter_at(rect).vline(x as f32, middle - 3.0..=middle + 3.0, (1.5, color));
    }
}

/// Events as dots at the top, keys of meta-channels as small diamonds at the bottom.
fn draw_marks(ui: &egui::Ui, clip: &Clip, scale: TimeScale, response: &egui::Response) {
    let rect = response.rect;
    let painter = ui.painter_at(rect);
    let hovers = |at: egui::Pos2| {
        let zone = egui::Rect::from_center_size(at, egui::vec2(9.0, 9.0));
        response.hover_pos().is_some_and(|pointer| zone.contains(pointer))
    };
    for event in clip.events() {
        let at = egui::pos2(scale.x_of(event.time_secs), rect.top() + 9.0);
        painter.circle_filled(at, 3.0, ui.visuals().warn_fg_color);
        if hovers(at) {
            response.show_tooltip_text(format!("{} at {:.2} s", event.name, event.time_secs));
        }
    }
    for meta in clip.metas() {
        // At most 60 marks, so that dense channels stay readable.
        let keys = meta.curve.times_secs();
        for secs in keys.iter().step_by(keys.len().div_ceil(60).max(1)) {
            let at = egui::pos2(scale.x_of(*secs), rect.bottom() - 6.0);
            let diamond = [(0.0, -3.0), (3.0, 0.0), (0.0, 3.0), (-3.0, 0.0)];
            let corners = diamond.map(|(x, y)| at + egui::vec2(x, y)).to_vec();
            let fill = egui::Color32::from_rgb(160, 120, 230);
            painter.add(egui::Shape::convex_polygon(corners, fill, egui::Stroke::NONE));
            if hovers(at) {
                response.show_tooltip_text(format!("{} at {secs:.2} s", meta.name));
            }
        }
    }
}

/// The handles of the loop range; the rest of the clip is dimmed.
fn range_handles(
    ui: &mut egui::Ui,
    rect: egui::Rect,
    scale: TimeScale,
    document: &Document,
    requests: &mut Requests,
) {
    let whole = [0.0, scale.duration_secs];
    let range = document.playhead().range_secs.unwrap_or(whole);
    let painter = ui.painter_at(rect);
    let dim = ui.visuals().panel_fill.gamma_multiply(0.7);
    let [start, end] = range.map(|secs| scale.x_of(secs));
    if range != whole {
        painter.rect_filled(egui::Rect::from_x_y_ranges(rect.left()..=start, rect.y_range()), 4.0, dim);
        painter.rect_filled(egui::Rect::from_x_y_ranges(end..=rect.right(), rect.y_range()), 4.0, dim);
    }
    for (place, (name, x, side)) in
        [("Loop start", start, -1.0), ("Loop end", end, 1.0)].into_iter().enumerate()
    {
        let zone = egui::Rect::from_center_size(
            egui::pos2(x + side * 4.0, rect.center().y),
            egui::vec2(8.0, rect.height()),
        );
        let handle = ui.interact(zone, ui.scope_id().with(name), egui::Sense::drag());
        handle.widget_info(|| egui::WidgetInfo::slider(true, f64::from(range[place]), name));
        let is_live = handle.hovered() || handle.dragged();
        let color = if is_live { ui.visuals().strong_text_color() } else { ui.visuals().weak_text_color() };
        painter.rect_filled(zone.shrink2(egui::vec2(2.5, 4.0)), 2.0, color);
        let handle = handle.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
        let pointer = handle.interact_pointer_pos().filter(|_| handle.dragged());
        if let Some(at) = pointer {
            let mut cut = range;
            cut[place] = scale.secs_at(at.x - side * 4.0);
            // The ends do not cross.
            let min_length = 0.01_f32.min(scale.duration_secs);
            match place {
                0 => cut[0] = cut[0].min(cut[1] - min_length).max(0.0),
                _ => cut[1] = cut[1].max(cut[0] + min_length).min(scale.duration_secs),
            }
            if cut != range {
                requests.command(Command::SetRange(Some(cut)));
            }
        }
        handle.on_hover_text(format!("{name}: drag to play a part of the clip"));
    }
}
