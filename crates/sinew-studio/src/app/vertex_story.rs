//! "Why is this vertex here?": where each of its joints would put it, and what the blend makes of that.

use super::{lens::ViewportCamera, shown::ShownScene};
use crate::document::Document;
use sinew::{InfluenceContribution, Method, glam::Vec3};
use sinew_view::palette::joint_color;

/// The joints of the one selected vertex, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Story {
    parts: Vec<(String, InfluenceContribution)>,
    /// Where linear blend puts it.
    blend: Vec3,
    /// Where it is drawn.
    place: Vec3,
    method: Method,
}

impl Story {
    /// The story of the selected vertex; `None` where not exactly one with a skin is selected.
    pub(super) fn of(document: &Document, shown: &ShownScene) -> Option<Self> {
        let selection = document.selection();
        let (instance, vertices) = selection.vertices.first_key_value()?;
        if selection.vertex_count() != 1 {
            return None;
        }
        let vertex = *vertices.first()? as usize;
        let (character, frame) = (shown.evaluation().character(), shown.evaluation().frame());
        let parts = frame.contributions(*instance, vertex);
        let place = *frame.deformed().get(*instance)?.positions.get(vertex)?;
        let blend = parts.iter().map(|part| part.place * part.weight).sum();
        let named = |part: InfluenceContribution| (character.skeleton().name(part.joint).to_owned(), part);
        let parts: Vec<_> = parts.into_iter().map(named).collect();
        (!parts.is_empty()).then_some(Self { parts, blend, place, method: shown.method() })
    }

    /// Lines from the blend to where each joint alone would put the vertex, in the joints' colours.
    pub(super) fn draw(&self, ui: &egui::Ui, lens: &ViewportCamera) {
        let painter = ui.painter().with_clip_rect(lens.rect);
        let Some(blend) = lens.place(self.blend) else { return };
        for (_, part) in &self.parts {
            let Some(at) = lens.place(part.place) else { continue };
            let color = color(part);
            painter.line_segment([blend, at], (1.0 + 3.0 * part.weight, color));
            painter.circle(at, 3.0 + 5.0 * part.weight.sqrt(), color, (1.0, egui::Color32::BLACK));
        }
        if let Some(at) = lens.place(self.place).filter(|_| self.method != Method::Linear) {
            painter.line_segment([blend, at], (1.5, egui::Color32::WHITE));
            painter.circle_stroke(at, 5.0, (1.5, egui::Color32::WHITE));
        }
        painter.circle(blend, 3.5, egui::Color32::WHITE, (1.0, egui::Color32::BLACK));
    }

    /// What the colours of [`Story::draw`] mean.
    pub(super) fn legend(&self, ui: &mut egui::Ui) {
        ui.add_space(4.0);
        ui.strong("Why is this vertex here?");
        ui.weak("Share of each joint, and how far off it alone would put it:");
        egui::Grid::new("story").num_columns(4).min_col_width(10.0).spacing([10.0, 4.0]).show(ui, |ui| {
            for (name, part) in &self.parts {
                let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
                ui.painter().circle_filled(rect.center(), 5.0, color(part));
                ui.label(name);
                ui.label(format!("{:.1} %", part.weight * 100.0));
                ui.label(millimetres(part.place.distance(self.blend)));
                ui.end_row();
            }
        });
        if self.method != Method::Linear {
            let apart = millimetres(self.place.distance(self.blend));
            ui.weak(format!("{} puts it {apart} from the linear blend.", self.method));
        }
    }
}

fn millimetres(metres: f32) -> String {
    format!("{:.2} mm", metres * 1e3)
}

fn color(part: &InfluenceContribution) -> egui::Color32 {
    let [red, green, blue] = joint_color(part.joint.index()).rgb().to_array();
    egui::Rgba::from_rgb(red, green, blue).into()
}
