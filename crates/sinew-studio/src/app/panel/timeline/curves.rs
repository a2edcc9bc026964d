//! Curves of the selected joint and values of meta-channels, above the scrubber.

use super::scale::TimeScale;
use crate::{app::requests::Requests, command::Command, document::Document};
use egui::{Color32, Pos2, Stroke, pos2};
use sinew::{
    Clip,
    glam::Vec3,
    sample::{MetaValue, sample_meta},
};
use sinew_author::motion::{Trace, TracedProperty, trace};

const HEIGHT: f32 = 130.0;
/// The colors of X, Y and Z.
const COLORS: [Color32; 3] =
    [Color32::from_rgb(226, 74, 74), Color32::from_rgb(96, 190, 70), Color32::from_rgb(74, 134, 240)];

/// The data that the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurveSubject {
    Joint(TracedProperty),
    Metas,
}

/// The state of the panel.
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
        scale: TimeScale,
        requests: &mut Requests,
    ) {
        let (true, Some(clip)) = (self.is_open, document.clip()) else { return };
        ui.horizontal(|ui| self.choose(ui, document, clip));
        match self.subject {
            CurveSubject::Joint(property) => joint(ui, document, property, scale, requests),
            CurveSubject::Metas => metas(ui, clip, scale.now_secs),
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
    property: TracedProperty,
    scale: TimeScale,
    requests: &mut Requests,
) {
    let Some(clip) = document.clip() else { return };
    let size = egui::vec2(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Curves of the joint"));
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let pointer = response.hover_pos().filter(|_| !response.dragged());
    let read_secs = pointer.map_or(scale.now_secs, |at| scale.secs_at(at.x));
    let times = scale.times_with(3.0, read_secs);
    let skeleton = document.character().skeleton();
    let found = document.selection().joint.and_then(|joint| trace(clip, skeleton, joint, property, &times));
    let Some(found) = found else {
        let text = match document.selection().joint {
            Some(_) => "The clip does not animate this property of the joint",
            None => "Select a joint to see its curves",
        };
        let (align, font) = (egui::Align2::CENTER_CENTER, egui::FontId::proportional(12.0));
        painter.text(rect.center(), align, text, font, ui.visuals().weak_text_color());
        return;
    };
    let curves = JointCurves { trace: &found, times: &times, property, read_secs };
    curves.draw(ui, rect, scale);
    if let (true, Some(at)) = (response.dragged() || response.clicked(), response.interact_pointer_pos()) {
        requests.command(Command::Scrub { time_secs: scale.secs_at(at.x) });
    }
}

/// The sampled curves of one property of a joint.
struct JointCurves<'a> {
    trace: &'a Trace,
    times: &'a [f32],
    property: TracedProperty,
    /// The time under the pointer, or the current one; it is among `times`.
    read_secs: f32,
}

/// The values at the lower and the upper edge of the plot, with a margin.
#[derive(Clone, Copy)]
struct ValueRange {
    low: f32,
    high: f32,
    margin: f32,
}

impl JointCurves<'_> {
    fn draw(&self, ui: &egui::Ui, rect: egui::Rect, scale: TimeScale) {
        let painter = ui.painter_at(rect);
        let range = self.range();
        let inner = rect.shrink2(egui::vec2(0.0, 6.0));
        let y_of =
            |value: f32| inner.bottom() - inner.height() * (value - range.low) / (range.high - range.low);
        let weak = ui.visuals().weak_text_color();
        if range.low < 0.0 && range.high > 0.0 {
            painter.hline(rect.x_range(), y_of(0.0), Stroke::new(1.0, weak.gamma_multiply(0.5)));
        }
        for (axis, color) in COLORS.into_iter().enumerate() {
            let at = |secs: f32, value: f32| pos2(scale.x_of(secs), y_of(value));
            let values = self.times.iter().zip(&self.trace.values);
            let line: Vec<Pos2> = values.map(|(secs, value)| at(*secs, value[axis])).collect();
            painter.line(line, Stroke::new(1.5, color));
            // Dense keys would only thicken the line.
            if self.trace.keys.len() < self.times.len() / 2 {
                for (secs, value) in &self.trace.keys {
                    painter.circle_filled(at(*secs, value[axis]), 2.5, color);
                }
            }
        }
        self.draw_labels(ui, rect, range);
        if self.read_secs != scale.now_secs {
            painter.vline(scale.x_of(self.read_secs), rect.y_range(), Stroke::new(1.0, weak));
        }
        painter.vline(scale.x_of(scale.now_secs), rect.y_range(), (2.0, ui.visuals().selection.stroke.color));
    }

    /// The values at the read time, sampled there.
    fn read_out(&self) -> Option<Vec3> {
        let place = self.times.iter().position(|time| *time == self.read_secs)?;
        self.trace.values.get(place).copied()
    }

    fn range(&self) -> ValueRange {
        let all = || self.trace.values.iter().flat_map(Vec3::to_array);
        let (low, high) = (all().fold(f32::INFINITY, f32::min), all().fold(f32::NEG_INFINITY, f32::max));
        // A constant curve lies in the middle.
        let min_height = if self.property == TracedProperty::Rotation { 2.0 } else { 0.02 };
        let margin = (high - low).max(min_height) * 0.08;
        ValueRange { low: low - margin, high: high + margin, margin }
    }

    /// The extreme values at the left, the values at the read time at the right.
    fn draw_labels(&self, ui: &egui::Ui, rect: egui::Rect, range: ValueRange) {
        let (painter, weak) = (ui.painter_at(rect), ui.visuals().weak_text_color());
        let (font, unit) = (egui::FontId::monospace(11.0), unit(self.property));
        let decimals = if self.property == TracedProperty::Rotation { 0 } else { 3 };
        let text = |value: f32| format!("{value:.decimals$}{unit}");
        let (left, top, bottom) = (rect.left() + 4.0, rect.top() + 2.0, rect.bottom() - 2.0);
        let (high, low) = (text(range.high - range.margin), text(range.low + range.margin));
        painter.text(pos2(left, top), egui::Align2::LEFT_TOP, high, font.clone(), weak);
        painter.text(pos2(left, bottom), egui::Align2::LEFT_BOTTOM, low, font.clone(), weak);
        let Some(now) = self.read_out() else { return };
        for (axis, (name, color)) in ["X", "Y", "Z"].into_iter().zip(COLORS).enumerate() {
            let at = pos2(rect.right() - 6.0, rect.top() + 3.0 + 14.0 * axis as f32);
            let text = format!("{name} {}", text(now[axis]));
            painter.text(at, egui::Align2::RIGHT_TOP, text, font.clone(), color);
        }
        let (at, text) = (pos2(rect.right() - 6.0, bottom), format!("at {:.3} s", self.read_secs));
        painter.text(at, egui::Align2::RIGHT_BOTTOM, text, font, weak);
    }
}

const fn unit(property: TracedProperty) -> &'static str {
    match property {
        TracedProperty::Rotation => "°",
        TracedProperty::Translation => " m",
        TracedProperty::Scale => "",
    }
}

/// Every meta-channel with its current value.
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

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Channel, Curve, Interpolation, JointId, glam::Quat};

    #[test]
    fn the_read_out_is_sampled_at_its_time_and_not_at_a_plotted_point() {
        let arm = sinew_samples::arm();
        let turn = |degrees: f32| Quat::from_rotation_z(degrees.to_radians());
        // A minute with a fast swing: plotted points are a tenth of a second apart.
        let keys = vec![turn(0.0), turn(0.0), turn(-70.0), turn(0.0), turn(0.0)];
        let times_secs = vec![0.0, 30.0, 30.05, 30.1, 60.0];
        let curve = Curve::new(times_secs, keys, Interpolation::Linear).unwrap();
        let channel = Channel::Rotation { joint: JointId(1), curve };
        let clip = Clip::new("swing", vec![channel], vec![]).unwrap();
        let scale = TimeScale::of_points(0.0, 1800.0, clip.duration_secs());
        for (read_secs, want) in [(30.05, -70.0), (30.025, -35.0), (30.1, 0.0), (0.0, 0.0), (60.0, 0.0)] {
            let times = scale.times_with(3.0, read_secs);
            assert!(times.is_sorted() && times.contains(&read_secs));
            let property = TracedProperty::Rotation;
            let found = trace(&clip, arm.skeleton(), JointId(1), property, &times).unwrap();
            let curves = JointCurves { trace: &found, times: &times, property, read_secs };
            let got = curves.read_out().unwrap();
            assert!((got.z - want).abs() < 0.01 && got.x.abs() < 0.01, "at {read_secs}: {got}");
        }
    }
}
