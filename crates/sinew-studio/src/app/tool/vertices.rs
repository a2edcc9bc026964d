//! The vertex tool: selects vertices by click, box or lasso.

use super::{Tool, ToolContext, ToolSubject};
use crate::{
    app::{
        requests::Requests,
        viewport::{camera::ViewportCamera, contributions::VertexContributions},
        window_commands::KeyHelp,
    },
    command::{Command, SelectMode},
};
use egui::PointerButton;
use sinew_view::region::{Depths, ScreenRegion};

const KEYS: &[KeyHelp] = &[KeyHelp {
    keys: "Vertices: click, or Shift / Ctrl with a click, box or lasso",
    action: "select vertices; add / remove them",
}];

/// The shape that a drag draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SelectionOutline {
    #[default]
    Box,
    Lasso,
}

/// The state of the vertex tool.
#[derive(Debug, Default)]
pub(super) struct VertexTool {
    outline: SelectionOutline,
    /// True to select only vertices that are not hidden by the skin.
    only_visible: bool,
    drag: Option<Drag>,
}

/// A box or lasso that is being drawn.
#[derive(Debug)]
struct Drag {
    mode: SelectMode,
    /// The pointer's path in points of the window.
    path: Vec<egui::Pos2>,
}

impl Tool for VertexTool {
    fn name(&self) -> &'static str {
        "Vertices"
    }

    fn hint(&self) -> &'static str {
        "Click vertices; Shift adds, Ctrl removes; drag with them for a box or lasso"
    }

    fn subject(&self) -> ToolSubject {
        ToolSubject::Weights
    }

    fn keys(&self) -> &'static [KeyHelp] {
        KEYS
    }

    fn options(&mut self, ui: &mut egui::Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut self.outline, SelectionOutline::Box, "Box");
            ui.selectable_value(&mut self.outline, SelectionOutline::Lasso, "Lasso");
            ui.checkbox(&mut self.only_visible, "Only visible")
                .on_hover_text("Skip vertices that the skin hides");
        });
    }

    fn takes_drags(&self, modifiers: egui::Modifiers) -> bool {
        modifiers.command || self.drag.is_some()
    }

    fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        match context.clicked_at() {
            Some(at) => click(context, at, requests),
            None => self.follow_drag(context, requests),
        }
    }

    fn draw(&self, context: &ToolContext<'_>) {
        if let Some(contributions) = VertexContributions::of(context.input.document, context.input.scene) {
            contributions.draw(context.ui, &context.view);
        }
        if let Some(drag) = &self.drag {
            self.draw_outline(context, drag);
        }
    }
}

impl VertexTool {
    /// A drag with Shift adds the vertices in the outline, a drag with Ctrl removes them.
    fn follow_drag(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        let response = context.response;
        let mode = context.select_mode();
        if response.drag_started_by(PointerButton::Primary) && mode != SelectMode::Replace {
            // egui reports a drag only after the pointer has moved some points.
            let from = response.ctx.input(|i| i.pointer.press_origin());
            self.drag = from.map(|at| Drag { mode, path: vec![at] });
        }
        if let (Some(drag), Some(at)) = (&mut self.drag, response.interact_pointer_pos())
            && drag.path.last() != Some(&at)
        {
            drag.path.push(at);
        }
        if !response.drag_stopped() {
            return;
        }
        if let Some(drag) = self.drag.take() {
            self.select(context, &drag, requests);
        }
    }

    fn select(&self, context: &ToolContext<'_>, drag: &Drag, requests: &mut Requests) {
        let Some(region) = self.region(&context.view, &drag.path) else { return };
        let (scene, camera, aspect) = (context.input.scene, context.view.camera, context.view.aspect());
        let hides = |layer| scene.stage().source_of(layer).is_some();
        let depths = self.only_visible.then(|| Depths::new(scene.scene(), aspect, hides));
        for (instance, streams) in scene.evaluation().frame().deformed().iter().enumerate() {
            let mut vertices = region.points(&camera, aspect, &streams.positions);
            if let Some(depths) = &depths {
                vertices.retain(|vertex| depths.shows(&camera, streams.positions[*vertex as usize]));
            }
            if !vertices.is_empty() {
                requests.command(Command::SelectVertices { instance, vertices, mode: drag.mode });
            }
        }
    }

    /// The outline in normalized device coordinates.
    fn region(&self, view: &ViewportCamera, path: &[egui::Pos2]) -> Option<ScreenRegion> {
        let (first, last) = (view.ndc(*path.first()?), view.ndc(*path.last()?));
        Some(match self.outline {
            SelectionOutline::Box => ScreenRegion::Box(first, last),
            SelectionOutline::Lasso => ScreenRegion::Lasso(path.iter().map(|at| view.ndc(*at)).collect()),
        })
    }

    fn draw_outline(&self, context: &ToolContext<'_>, drag: &Drag) {
        let (Some(&first), Some(&last)) = (drag.path.first(), drag.path.last()) else { return };
        let stroke = egui::Stroke::new(1.0, context.accent());
        match self.outline {
            SelectionOutline::Box => {
                let area = egui::Rect::from_two_pos(first, last);
                context.painter().rect_stroke(area, 0.0, stroke, egui::StrokeKind::Inside);
            }
            SelectionOutline::Lasso => {
                context.painter().line(drag.path.clone(), stroke);
                context.painter().line_segment([last, first], egui::Stroke::new(0.5, context.accent()));
            }
        }
    }
}

/// A click selects the nearest vertex, or none; with Shift it is added, with Ctrl removed.
fn click(context: &ToolContext<'_>, at: egui::Pos2, requests: &mut Requests) {
    let (scene, mode) = (context.input.scene, context.select_mode());
    match context.view.vertex_at(scene.scene(), scene.stage(), at) {
        Some(hit) => {
            let (instance, vertices) = (hit.instance, vec![hit.vertex]);
            requests.command(Command::SelectVertices { instance, vertices, mode });
        }
        None if mode == SelectMode::Replace && context.input.document.selection().vertex_count() > 0 => {
            requests.command(Command::ClearVertices);
        }
        None => {}
    }
}
