//! Draws the rings, axes and boxes of the gizmo over the viewport.

use super::{GizmoDrag, GizmoMode, GizmoOptions, ViewportCamera};
use egui::{Color32, Painter, Pos2, Shape, Stroke, epaint::PathShape};
use sinew_view::gizmo::{self, Gizmo, Handle};

/// Red, green and blue for X, Y and Z; gray for the handle that faces the camera.
fn color(handle: Handle) -> Color32 {
    match handle {
        Handle::X => Color32::from_rgb(226, 74, 74),
        Handle::Y => Color32::from_rgb(96, 190, 70),
        Handle::Z => Color32::from_rgb(74, 134, 240),
        Handle::View => Color32::from_rgb(190, 190, 190),
    }
}

/// Draws all handles; `highlighted` is the one under the pointer.
pub(super) fn draw(
    painter: &Painter,
    view: &ViewportCamera,
    options: GizmoOptions,
    gizmo: &Gizmo,
    highlighted: Option<Handle>,
) {
    if options.mode == GizmoMode::Reach {
        if let Some(at) = view.project(gizmo.origin) {
            draw_target(painter, at, highlighted.is_some());
        }
        return;
    }
    for handle in Handle::ALL {
        let is_highlighted = highlighted == Some(handle);
        let stroke = Stroke::new(if is_highlighted { 4.0 } else { 2.0 }, color(handle));
        let line = gizmo.line(handle, &view.camera);
        let places: Vec<Option<Pos2>> = line.points.iter().map(|point| view.project(*point)).collect();
        for (ends, is_near) in places.windows(2).zip(&line.is_near) {
            let [Some(from), Some(to)] = *ends else { continue };
            // The far side of a ring is visible but cannot be dragged.
            let faint = Stroke::new(1.0, stroke.color.gamma_multiply(0.35));
            painter.line_segment([from, to], if *is_near { stroke } else { faint });
        }
        if let (Some(_), [Some(from), Some(to)]) = (handle.axis(), &places[..]) {
            draw_end(painter, gizmo.shape, [*from, *to], stroke);
        }
    }
}

fn draw_target(painter: &Painter, at: Pos2, is_highlighted: bool) {
    let color = Color32::from_rgb(255, 180, 60);
    let stroke = Stroke::new(if is_highlighted { 3.5 } else { 2.0 }, color);
    painter.circle(at, 13.0, color.gamma_multiply(if is_highlighted { 0.35 } else { 0.15 }), stroke);
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let direction = egui::vec2(x, y);
        painter.line_segment([at + direction * 6.0, at + direction * 18.0], stroke);
    }
}

/// The head of an arrow or the box at the end of an arm.
fn draw_end(painter: &Painter, shape: gizmo::GizmoShape, [from, to]: [Pos2; 2], stroke: Stroke) {
    let along = (to - from).normalized();
    match shape {
        gizmo::GizmoShape::Arrows => {
            let (tip, side) = (to + along * 10.0, along.rot90() * 5.0);
            let corners = vec![tip, to + side, to - side];
            painter.add(Shape::convex_polygon(corners, stroke.color, Stroke::NONE));
        }
        gizmo::GizmoShape::Arms => {
            painter.rect_filled(egui::Rect::from_center_size(to, egui::Vec2::splat(9.0)), 1.0, stroke.color);
        }
        gizmo::GizmoShape::Rings => {}
    }
}

impl GizmoDrag {
    /// Draws the rotated sector, and the amount at the pointer.
    pub(super) fn draw(&self, painter: &Painter, view: &ViewportCamera, pointer: Option<Pos2>) {
        if self.options.mode == GizmoMode::Rotate {
            self.draw_arc(painter, view);
        }
        let Some(at) = pointer else { return };
        let text = match self.options.mode {
            GizmoMode::Rotate => format!("{:+.1}°", self.amount),
            GizmoMode::Move | GizmoMode::Reach => format!("{:.3} m", self.amount),
            GizmoMode::Scale => format!("× {:.2}", self.amount),
        };
        let font = egui::FontId::proportional(14.0);
        let galley = painter.layout_no_wrap(text, font, Color32::WHITE);
        let place = at + egui::vec2(18.0, -26.0);
        let back = egui::Rect::from_min_size(place, galley.size()).expand2(egui::vec2(6.0, 3.0));
        painter.rect_filled(back, 4.0, Color32::from_black_alpha(190));
        painter.galley(place, galley, Color32::WHITE);
    }

    /// Fills the sector that the rotation covers.
    fn draw_arc(&self, painter: &Painter, view: &ViewportCamera) {
        let Some(center) = view.project(self.gizmo.origin) else { return };
        let axis = self.gizmo.axis(self.handle, &view.camera);
        let ray = view.camera.ray(self.start_ndc, view.aspect());
        let distance = (self.gizmo.origin - ray.origin).dot(axis) / ray.direction.dot(axis);
        if !distance.is_finite() {
            return;
        }
        let first = ray.origin + ray.direction * distance - self.gizmo.origin;
        let radians = self.amount.to_radians();
        let points = self.gizmo.arc(self.handle, &view.camera, first, radians);
        let places: Vec<Pos2> = points.iter().filter_map(|point| view.project(*point)).collect();
        let fill = color(self.handle).gamma_multiply(0.25);
        // A fan of triangles, because the sector may be concave.
        for pair in places.windows(2) {
            let corners = vec![center, pair[0], pair[1]];
            painter.add(Shape::Path(PathShape::convex_polygon(corners, fill, Stroke::NONE)));
        }
        let edge = Stroke::new(1.5, color(self.handle));
        for end in [places.first(), places.last()].into_iter().flatten() {
            painter.line_segment([center, *end], edge);
        }
    }
}
