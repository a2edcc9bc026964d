//! Selecting vertices.

use super::Hand;
use crate::{
    app::requests::Requests,
    command::{Command, How},
};
use egui::PointerButton;
use sinew::glam::Vec3;

/// The vertex tool's state.
#[derive(Debug, Default)]
pub(in crate::app) struct VertexTool {
    /// Where a box was begun, and where the pointer was last.
    drag_box: Option<(egui::Pos2, egui::Pos2)>,
}

impl VertexTool {
    pub(super) fn use_on(&mut self, hand: &Hand<'_>, requests: &mut Requests) {
        match hand.clicked_at() {
            Some(at) => click(hand, at, requests),
            None => self.take_box(hand, requests),
        }
    }

    /// Shift and drag: every vertex in the rectangle, in front and behind.
    fn take_box(&mut self, hand: &Hand<'_>, requests: &mut Requests) {
        let Hand { response, sight, lens, .. } = hand;
        if response.drag_started_by(PointerButton::Primary) && hand.is_shift() {
            // A drag is known as one some points after the press.
            let from = response.ctx.input(|i| i.pointer.press_origin());
            self.drag_box = from.map(|at| (at, at));
        }
        if let (Some((_, to)), Some(at)) = (&mut self.drag_box, response.interact_pointer_pos()) {
            *to = at;
        }
        if !response.drag_stopped() {
            return;
        }
        let Some((from, to)) = self.drag_box.take() else { return };
        let area = egui::Rect::from_two_pos(from, to);
        for (instance, streams) in sight.shown.evaluation().frame().deformed().iter().enumerate() {
            let inside = |point: &Vec3| lens.place(*point).is_some_and(|at| area.contains(at));
            let found = streams.positions.iter().enumerate().filter(|(_, point)| inside(point));
            let vertices: Vec<u32> = found.map(|(vertex, _)| vertex as u32).collect();
            if !vertices.is_empty() {
                requests.command(Command::SelectVertices { instance, vertices, how: How::Add });
            }
        }
    }

    pub(super) fn draw(&self, hand: &Hand<'_>) {
        if let Some((from, to)) = self.drag_box {
            let area = egui::Rect::from_two_pos(from, to);
            hand.painter().rect_stroke(area, 0.0, (1.0, hand.accent()), egui::StrokeKind::Inside);
        }
    }
}

/// A click takes the nearest vertex, or none; with shift it is added.
fn click(hand: &Hand<'_>, at: egui::Pos2, requests: &mut Requests) {
    let (shown, shift) = (hand.sight.shown, hand.is_shift());
    match hand.lens.vertex_at(shown.scene(), shown.stage(), at) {
        Some(hit) => {
            let how = if shift { How::Add } else { How::Replace };
            let (instance, vertices) = (hit.instance, vec![hit.vertex]);
            requests.command(Command::SelectVertices { instance, vertices, how });
        }
        None if !shift && hand.sight.document.selection().vertex_count() > 0 => {
            requests.command(Command::ClearVertices);
        }
        None => {}
    }
}
