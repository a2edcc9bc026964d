//! Painting weights.

use super::ToolContext;
use crate::{
    app::{lens::ViewportCamera, requests::Requests},
    command::{BrushKind, BrushStroke, Command},
};
use egui::PointerButton;
use sinew::glam::{Vec2, Vec3};
use sinew_view::region::{keep_facing, under_brush};

/// The brush of the paint tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) struct BrushOptions {
    pub(in crate::app) shape: BrushKind,
    pub(in crate::app) amount: f32,
    /// Share of the view's height.
    pub(in crate::app) radius: f32,
    pub(in crate::app) most: usize,
    pub(in crate::app) mirrored: bool,
    /// Leaves alone what faces away.
    pub(in crate::app) only_facing: bool,
}

impl Default for BrushOptions {
    fn default() -> Self {
        Self { shape: BrushKind::Add, amount: 0.1, radius: 0.05, most: 4, mirrored: false, only_facing: true }
    }
}

/// The paint tool's state.
#[derive(Debug, Default)]
pub(in crate::app) struct PaintTool {
    pub(in crate::app) brush: BrushOptions,
}

impl PaintTool {
    /// Dabs where the pointer goes over the skin.
    pub(super) fn use_on(&self, hand: &ToolContext<'_>, requests: &mut Requests) {
        let ToolContext { response, sight, lens, .. } = hand;
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
        let streams = &sight.shown.evaluation().frame().deformed()[hit.instance];
        let radius = self.radius_metres(lens, hit.position);
        let mut under = under_brush(&streams.positions, hit.position, radius);
        if self.brush.only_facing {
            keep_facing(&mut under, &streams.positions, &streams.normals, lens.camera.eye);
        }
        let dabs = vec![under];
        let BrushOptions { shape, amount, most, mirrored, .. } = self.brush;
        let (instance, joint) = (hit.instance, joint.0);
        requests.command(Command::Paint(BrushStroke {
            instance,
            joint,
            brush: shape,
            amount,
            most,
            mirrored,
            dabs,
        }));
    }

    fn radius_metres(&self, lens: &ViewportCamera, at: Vec3) -> f32 {
        let edge = |x: f32| lens.camera.ray(Vec2::new(0.0, x), 1.0).direction;
        let spread = (edge(1.0) - edge(-1.0)).length();
        (at.distance(lens.camera.eye) * spread * self.brush.radius).max(1e-6)
    }

    /// A ring of the brush's size.
    pub(super) fn draw(&self, hand: &ToolContext<'_>) {
        if let Some(at) = hand.response.hover_pos() {
            let radius = self.brush.radius * hand.lens.rect.height();
            hand.painter().circle_stroke(at, radius, (1.5, hand.accent()));
        }
    }
}
