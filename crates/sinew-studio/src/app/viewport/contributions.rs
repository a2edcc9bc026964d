//! "Why is this vertex here?": the position that each influence alone would give a vertex, and their blend.

use super::{camera::ViewportCamera, scene::ViewportScene};
use crate::document::Document;
use sinew::{InfluenceContribution, Method, glam::Vec3};
use sinew_view::palette::joint_color;

/// The influences of the selected vertex, with positions in model space.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) struct VertexContributions {
    parts: Vec<(String, InfluenceContribution)>,
    /// The position by linear blend skinning.
    blend: Vec3,
    /// The deformed position of the vertex as drawn, in model space, in meters.
    position: Vec3,
    method: Method,
}

impl VertexContributions {
    /// The contributions to the selected vertex; `None` unless exactly one vertex with a skin is selected.
    pub(in crate::app) fn of(document: &Document, scene: &ViewportScene) -> Option<Self> {
        let selection = document.selection();
        let (instance, vertices) = selection.vertices.first_key_value()?;
        if selection.vertex_count() != 1 {
            return None;
        }
        let vertex = *vertices.first()? as usize;
        let (character, frame) = (scene.evaluation().character(), scene.evaluation().frame());
        let parts = frame.contributions(*instance, vertex);
        let position = *frame.deformed().get(*instance)?.positions.get(vertex)?;
        let blend = parts.iter().map(|part| part.place * part.weight).sum();
        let named = |part: InfluenceContribution| (character.skeleton().name(part.joint).to_owned(), part);
        let parts: Vec<_> = parts.into_iter().map(named).collect();
        (!parts.is_empty()).then_some(Self { parts, blend, position, method: scene.method() })
    }

    /// Draws lines from the blend to the position of each influence, in the joints' colors.
    pub(in crate::app) fn draw(&self, ui: &egui::Ui, view: &ViewportCamera) {
        let painter = ui.painter().with_clip_rect(view.rect);
        let Some(blend) = view.project(self.blend) else { return };
        for (_, part) in &self.parts {
            let Some(at) = view.project(part.place) else { continue };
            let color = color(part);
            painter.line_segment([blend, at], (1.0 + 3.0 * part.weight, color));
            painter.circle(at, 3.0 + 5.0 * part.weight.sqrt(), color, (1.0, egui::Color32::BLACK));
        }
        if let Some(at) = view.project(self.position).filter(|_| self.method != Method::Linear) {
            painter.line_segment([blend, at], (1.5, egui::Color32::WHITE));
            painter.circle_stroke(at, 5.0, (1.5, egui::Color32::WHITE));
        }
        painter.circle(blend, 3.5, egui::Color32::WHITE, (1.0, egui::Color32::BLACK));
    }

    /// The legend of [`VertexContributions::draw`].
    pub(in crate::app) fn legend(&self, ui: &mut egui::Ui) {
        ui.add_space(4.0);
        ui.strong("Why is this vertex here?");
        ui.weak("Weight of each joint, and the distance of its own position:");
        egui::Grid::new("contributions").num_columns(4).min_col_width(10.0).spacing([10.0, 4.0]).show(
            ui,
            |ui| {
                for (name, part) in &self.parts {
                    let (rect, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
                    ui.painter().circle_filled(rect.center(), 5.0, color(part));
                    ui.label(name);
                    ui.label(format!("{:.1} %", part.weight * 100.0));
                    ui.label(millimeters(part.place.distance(self.blend)));
                    ui.end_row();
                }
            },
        );
        if self.method != Method::Linear {
            let distance = millimeters(self.position.distance(self.blend));
            ui.weak(format!("{} moves it {distance} from linear blend skinning.", self.method));
        }
    }
}

fn millimeters(meters: f32) -> String {
    format!("{:.2} mm", meters * 1e3)
}

fn color(part: &InfluenceContribution) -> egui::Color32 {
    let [red, green, blue] = joint_color(part.joint.index()).rgb().to_array();
    egui::Rgba::from_rgb(red, green, blue).into()
}
