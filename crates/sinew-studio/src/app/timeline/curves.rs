//! Curves of the selected joint, and what meta-channels say, above the scrubber.

use super::scale::TimeScale;
use crate::{app::requests::Requests, command::Command, document::Document};
use egui::{Color32, Pos2, Stroke, pos2};
use sinew::{
    Clip,
    sample::{MetaValue, sample_meta},
};
use sinew_author::motion::{Trace, TracedProperty, trace};

const HEIGHT: f32 = 130.0;
/// X, Y and Z.
const COLORS: [Color32; 3] =
    [Color32::from_rgb(226, 74, 74), Color32::from_rgb(96, 190, 70), Color32::from_rgb(74, 134, 240)];

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurveSubject {
    Joint(TracedProperty),
    Metas,
}

/// What the panel keeps.
#[derive(Debug)]
pub(super) struct CurvesPanel {
    is_open: bool,
    subject: CurveSubject,
}

impl Default for CurvesPanel {
    fn default() -> Self {
        Self { is_open: false, subject: CurveSubject::Joint(TracedProperty::Rotation) }
    }
}

impl CurvesPanel {
    pub(super) fn switch(&mut self, ui: &mut egui::Ui) {
        ui.toggle_value(&mut self.is_open, "Curves").on_hover_text("Curves of the selected joint");
    }

    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        (scale, now_secs): (TimeScale, f32),
        requests: &mut Requests,
    ) {
        let (true, Some(clip)) = (self.is_open, document.clip()) else { return };
        ui.horizontal(|ui| self.choose(ui, document, clip));
        match self.subject {
            CurveSubject::Joint(part) => joint(ui, document, (clip, part), (scale, now_secs), requests),
            CurveSubject::Metas => metas(ui, clip, now_secs),
        }
    }

    fn choose(&mut self, ui: &mut egui::Ui, document: &Document, clip: &Clip) {
        let parts = [
            ("rotation", CurveSubject::Joint(TracedProperty::Rotation)),
            ("translation", CurveSubject::Joint(TracedProperty::Translation)),
            ("scale", CurveSubject::Joint(TracedProperty::Scale)),
        ];
        for (name, subject) in parts {
            ui.selectable_value(&mut self.subject, subject, name);
        }
        if !clip.metas().is_empty() {
            let name = format!("meta-channels ({})", clip.metas().len());
            ui.selectable_value(&mut self.subject, CurveSubject::Metas, name);
        }
        if let (CurveSubject::Joint(_), Some(joint)) = (self.subject, document.selection().joint) {
            ui.weak(format!("of {}", document.character().skeleton().name(joint)));
        }
    }
}

fn joint(
    ui: &mut egui::Ui,
    document: &Document,
    (clip, part): (&Clip, TracedProperty),
    (scale, now_secs): (TimeScale, f32),
    requests: &mut Requests,
) {
    let size = egui::vec2(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Curves of the joint"));
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let times = scale.times(3.0);
    let skeleton = document.character().skeleton();
    let found = document.selection().joint.and_then(|joint| trace(clip, skeleton, (joint, part), &times));
    let Some(found) = found else {
        let text = match document.selection().joint {
            Some(_) => "The clip does not move this of the joint",
            None => "Select a joint to see its curves",
        };
        let (align, font) = (egui::Align2::CENTER_CENTER, egui::FontId::proportional(12.0));
        painter.text(rect.center(), align, text, font, ui.visuals().weak_text_color());
        return;
    };
    draw(ui, rect, (&found, part), (scale, &times, now_secs));
    if let (true, Some(at)) = (response.dragged() || response.clicked(), response.interact_pointer_pos()) {
        requests.command(Command::Scrub { time_secs: scale.secs_at(at.x) });
    }
}

fn draw(
    ui: &egui::Ui,
    rect: egui::Rect,
    (trace, part): (&Trace, TracedProperty),
    (scale, times, now_secs): (TimeScale, &[f32], f32),
) {
    let painter = ui.painter_at(rect);
    let all = || trace.values.iter().flat_map(sinew::glam::Vec3::to_array);
    let (low, high) = (all().fold(f32::INFINITY, f32::min), all().fold(f32::NEG_INFINITY, f32::max));
    // A flat line lies in the middle.
    let room = (high - low).max(if part == TracedProperty::Rotation { 2.0 } else { 0.02 }) * 0.08;
    let (low, high) = (low - room, high + room);
    let inner = rect.shrink2(egui::vec2(0.0, 6.0));
    let y_of = |value: f32| inner.bottom() - inner.height() * (value - low) / (high - low);
    let weak = ui.visuals().weak_text_color();
    if low < 0.0 && high > 0.0 {
        painter.hline(rect.x_range(), y_of(0.0), Stroke::new(1.0, weak.gamma_multiply(0.5)));
    }
    for (axis, color) in COLORS.into_iter().enumerate() {
        let place = |secs: f32, value: f32| pos2(scale.x_of(secs), y_of(value));
        let line: Vec<Pos2> = times.iter().zip(&trace.values).map(|(t, v)| place(*t, v[axis])).collect();
        painter.line(line, Stroke::new(1.5, color));
        // Dots that touch one another are a thicker line.
        if trace.keys.len() < times.len() / 2 {
            for (secs, value) in &trace.keys {
                painter.circle_filled(place(*secs, value[axis]), 2.5, color);
            }
        }
    }
    let (font, unit) = (egui::FontId::monospace(11.0), unit(part));
    let text = |value: f32| format!("{value:.*}{unit}", if part == TracedProperty::Rotation { 0 } else { 3 });
    let (left, gap) = (rect.left() + 4.0, room);
    painter.text(pos2(left, rect.top() + 2.0), egui::Align2::LEFT_TOP, text(high - gap), font.clone(), weak);
    painter.text(
        pos2(left, rect.bottom() - 2.0),
        egui::Align2::LEFT_BOTTOM,
        text(low + gap),
        font.clone(),
        weak,
    );
    let place = times.partition_point(|t| *t < now_secs).min(trace.values.len().saturating_sub(1));
    if let Some(now) = trace.values.get(place) {
        for (axis, (name, color)) in ["X", "Y", "Z"].into_iter().zip(COLORS).enumerate() {
            let at = pos2(rect.right() - 6.0, rect.top() + 3.0 + 14.0 * axis as f32);
            let text = format!("{name} {}", text(now[axis]));
            painter.text(at, egui::Align2::RIGHT_TOP, text, font.clone(), color);
        }
    }
    painter.vline(scale.x_of(now_secs), rect.y_range(), (2.0, ui.visuals().selection.stroke.color));
}

const fn unit(part: TracedProperty) -> &'static str {
    match part {
        TracedProperty::Rotation => "°",
        TracedProperty::Translation => " m",
        TracedProperty::Scale => "",
    }
}

/// Every meta-channel with its value at the moment.
fn metas(ui: &mut egui::Ui, clip: &Clip, now_secs: f32) {
    egui::ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]).show(ui, |ui| {
        egui::Grid::new("metas").num_columns(3).striped(true).spacing([16.0, 3.0]).show(ui, |ui| {
            for meta in clip.metas() {
                ui.label(&meta.name);
                ui.weak(format!("{}, {} keys", meta.curve.kind(), meta.curve.times_secs().len()));
                ui.monospace(match sample_meta(meta, now_secs) {
                    MetaValue::Scalar(value) => format!("{value:.3}"),
                    MetaValue::Vector(v) => format!("{:.3} {:.3} {:.3}", v.x, v.y, v.z),
                    MetaValue::Rotation(q) => format!("{:.3} {:.3} {:.3} {:.3}", q.x, q.y, q.z, q.w),
                });
                ui.end_row();
            }
        });
    });
}
