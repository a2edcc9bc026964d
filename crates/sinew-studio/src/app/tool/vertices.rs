//! Selecting vertices.

use super::ToolContext;
use crate::{
    app::{lens::ViewportCamera, requests::Requests, vertex_story::Story},
    command::{Command, How},
};
use egui::PointerButton;
use sinew_view::region::{Depths, ScreenRegion};

/// What a drag draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SelectionOutline {
    #[default]
    Box,
    Lasso,
}

/// The vertex tool's state.
#[derive(Debug, Default)]
pub(in crate::app) struct VertexTool {
    outline: SelectionOutline,
    /// Takes only what is seen, not what is behind.
    only_visible: bool,
    drag: Option<Drag>,
}

/// A shape that is being drawn.
#[derive(Debug)]
struct Drag {
    how: How,
    way: Vec<egui::Pos2>,
}

impl VertexTool {
    /// Choices beside the tool.
    pub(in crate::app) fn options(&mut self, ui: &mut egui::Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.selectable_value(&mut self.outline, SelectionOutline::Box, "Box");
            ui.selectable_value(&mut self.outline, SelectionOutline::Lasso, "Lasso");
            ui.checkbox(&mut self.only_visible, "Only visible").on_hover_text("Not what is behind the skin");
        });
    }

    /// True while a shape is being drawn.
    pub(super) fn is_dragging(&self) -> bool {
        self.drag.is_some()
    }

    pub(super) fn use_on(&mut self, hand: &ToolContext<'_>, requests: &mut Requests) {
        match hand.clicked_at() {
            Some(at) => click(hand, at, requests),
            None => self.follow_drag(hand, requests),
        }
    }

    /// A drag with Shift adds what is in the shape, with Ctrl takes it away.
    fn follow_drag(&mut self, hand: &ToolContext<'_>, requests: &mut Requests) {
        let response = hand.response;
        let how = hand.how();
        if response.drag_started_by(PointerButton::Primary) && how != How::Replace {
            // A drag is known as one some points after the press.
            let from = response.ctx.input(|i| i.pointer.press_origin());
            self.drag = from.map(|at| Drag { how, way: vec![at] });
        }
        if let (Some(drag), Some(at)) = (&mut self.drag, response.interact_pointer_pos())
            && drag.way.last() != Some(&at)
        {
            drag.way.push(at);
        }
        if !response.drag_stopped() {
            return;
        }
        if let Some(drag) = self.drag.take() {
            self.select(hand, &drag, requests);
        }
    }

    fn select(&self, hand: &ToolContext<'_>, drag: &Drag, requests: &mut Requests) {
        let Some(region) = self.region(&hand.lens, &drag.way) else { return };
        let (shown, camera, aspect) = (hand.sight.shown, hand.lens.camera, hand.lens.aspect());
        let hides = |layer| shown.stage().source_of(layer).is_some();
        let depths = self.only_visible.then(|| Depths::new(shown.scene(), aspect, hides));
        for (instance, streams) in shown.evaluation().frame().deformed().iter().enumerate() {
            let mut vertices = region.points(&camera, aspect, &streams.positions);
            if let Some(depths) = &depths {
                vertices.retain(|vertex| depths.shows(&camera, streams.positions[*vertex as usize]));
            }
            if !vertices.is_empty() {
                requests.command(Command::SelectVertices { instance, vertices, how: drag.how });
            }
        }
    }

    /// The shape over the picture.
    fn region(&self, lens: &ViewportCamera, way: &[egui::Pos2]) -> Option<ScreenRegion> {
        let (first, last) = (lens.spot(*way.first()?), lens.spot(*way.last()?));
        Some(match self.outline {
            SelectionOutline::Box => ScreenRegion::Box(first, last),
            SelectionOutline::Lasso => ScreenRegion::Lasso(way.iter().map(|at| lens.spot(*at)).collect()),
        })
    }

    pub(super) fn draw(&self, hand: &ToolContext<'_>) {
        if let Some(story) = Story::of(hand.sight.document, hand.sight.shown) {
            story.draw(hand.ui, &hand.lens);
        }
        let Some(drag) = &self.drag else { return };
        let (Some(&first), Some(&last)) = (drag.way.first(), drag.way.last()) else { return };
        let stroke = egui::Stroke::new(1.0, hand.accent());
        match self.outline {
            SelectionOutline::Box => {
                let area = egui::Rect::from_two_pos(first, last);
                hand.painter().rect_stroke(area, 0.0, stroke, egui::StrokeKind::Inside);
            }
            SelectionOutline::Lasso => {
                hand.painter().line(drag.way.clone(), stroke);
                hand.painter().line_segment([last, first], egui::Stroke::new(0.5, hand.accent()));
            }
        }
    }
}

/// A click takes the nearest vertex, or none; with Shift it is added, with Ctrl taken away.
fn click(hand: &ToolContext<'_>, at: egui::Pos2, requests: &mut Requests) {
    let (shown, how) = (hand.sight.shown, hand.how());
    match hand.lens.vertex_at(shown.scene(), shown.stage(), at) {
        Some(hit) => {
            let (instance, vertices) = (hit.instance, vec![hit.vertex]);
            requests.command(Command::SelectVertices { instance, vertices, how });
        }
        None if how == How::Replace && hand.sight.document.selection().vertex_count() > 0 => {
            requests.command(Command::ClearVertices);
        }
        None => {}
    }
}
