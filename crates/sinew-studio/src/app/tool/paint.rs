//! Painting weights.

use super::Hand;
use crate::{
    app::{lens::Lens, requests::Requests},
    command::{BrushShape, Command, Stroke},
};
use egui::PointerButton;
use sinew::glam::{Vec2, Vec3};

/// The brush of the paint tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct BrushOptions {
    pub(in crate::app) shape: BrushShape,
    pub(in crate::app) amount: f32,
    /// Share of the view's height.
    pub(in crate::app) radius: f32,
    pub(in crate::app) most: usize,
    pub(in crate::app) mirrored: bool,
}

impl Default for BrushOptions {
    fn default() -> Self {
        Self { shape: BrushShape::Add, amount: 0.1, radius: 0.05, most: 4, mirrored: false }
    }
}

/// The paint tool's state.
#[derive(Debug, Default)]
pub(in crate::app) struct PaintTool {
    pub(in crate::app) brush: BrushOptions,
}

impl PaintTool {
    /// Dabs where the pointer goes over the skin.
    pub(super) fn use_on(&self, hand: &Hand<'_>, requests: &mut Requests) {
        let Hand { response, sight, lens, .. } = hand;
        let is_down = response.is_pointer_button_down_on() && !response.dragged_by(PointerButton::Secondary);
        let moved =
            response.drag_delta() != egui::Vec2::ZERO || response.drag_started() || response.clicked();
        let (Some(at), Some(joint)) = (response.interact_pointer_pos(), sight.document.selection().joint)
        else {
            return;
        };
        if !(is_down || response.clicked()) || !moved || response.dragged_by(PointerButton::Middle) {
            return;
        }
        let Some(hit) = lens.vertex_at(sight.shown.scene(), sight.shown.stage(), at) else { return };
        let positions = &sight.shown.evaluation().frame().deformed()[hit.instance].positions;
        let radius = self.radius_metres(lens, hit.position);
        let falloff = |point: &Vec3| (1.0 - (point.distance(hit.position) / radius).powi(2)).max(0.0);
        let under = positions.iter().enumerate().map(|(vertex, point)| (vertex as u32, falloff(point)));
        let dabs = vec![under.filter(|dab| dab.1 > 0.0).collect()];
        let BrushOptions { shape, amount, most, mirrored, .. } = self.brush;
        let (instance, joint) = (hit.instance, joint.0);
        requests.command(Command::Paint(Stroke {
            instance,
            joint,
            brush: shape,
            amount,
            most,
            mirrored,
            dabs,
        }));
    }

    fn radius_metres(&self, lens: &Lens, at: Vec3) -> f32 {
        let edge = |x: f32| lens.camera.ray(Vec2::new(0.0, x), 1.0).direction;
        let spread = (edge(1.0) - edge(-1.0)).length();
        (at.distance(lens.camera.eye) * spread * self.brush.radius).max(1e-6)
    }

    /// A ring of the brush's size.
    pub(super) fn draw(&self, hand: &Hand<'_>) {
        if let Some(at) = hand.response.hover_pos() {
            let radius = self.brush.radius * hand.lens.rect.height();
            hand.painter().circle_stroke(at, radius, (1.5, hand.accent()));
        }
    }
}
