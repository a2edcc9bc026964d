//! Marks over the scene: selected vertices, vertices with findings, captions.

use super::{camera::ViewportCamera, scene::ViewportScene};
use crate::document::Document;

/// The maximum number of selected vertices of an instance that are marked.
const MAX_MARKS: usize = 4000;

/// Dots on the selected vertices.
pub(super) fn draw_selection(
    ui: &egui::Ui,
    view: &ViewportCamera,
    document: &Document,
    scene: &ViewportScene,
) {
    let painter = ui.painter().with_clip_rect(view.rect);
    let accent = ui.visuals().selection.stroke.color;
    let radius = if document.selection().vertex_count() > 300 { 1.5 } else { 3.0 };
    for (instance, vertices) in &document.selection().vertices {
        let Some(streams) = scene.evaluation().frame().deformed().get(*instance) else { continue };
        for vertex in vertices.iter().take(MAX_MARKS) {
            let point = streams.positions.get(*vertex as usize);
            if let Some(at) = point.and_then(|point| view.project(*point)) {
                painter.circle(at, radius, accent, (radius * 0.3, egui::Color32::BLACK));
            }
        }
    }
}

/// Circles around vertices with findings, each given by its instance and its index.
pub(super) fn draw_marked(
    ui: &egui::Ui,
    view: &ViewportCamera,
    marked: &[(usize, u32)],
    scene: &ViewportScene,
) {
    let painter = ui.painter().with_clip_rect(view.rect);
    let color = ui.visuals().error_fg_color;
    let deformed = scene.evaluation().frame().deformed();
    for (instance, vertex) in marked {
        let point = deformed.get(*instance).and_then(|streams| streams.positions.get(*vertex as usize));
        if let Some(at) = point.and_then(|point| view.project(*point)) {
            painter.circle_stroke(at, 4.5, (1.5, color));
        }
    }
}

/// The caption of one half of a comparison, and the line between the halves.
pub(super) fn draw_caption(ui: &egui::Ui, rect: egui::Rect, caption: &str) {
    let font = egui::FontId::proportional(13.0);
    let at = rect.left_top() + egui::vec2(10.0, 8.0);
    ui.painter().text(at, egui::Align2::LEFT_TOP, caption, font, ui.visuals().strong_text_color());
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter().vline(rect.right(), rect.y_range(), line);
}
