//! The paint tool: paints the weight of the selected joint with a brush.

use super::{Tool, ToolContext, ToolSubject};
use crate::{
    app::{requests::Requests, viewport::camera::ViewportCamera, window_commands::KeyHelp},
    command::{BrushKind, BrushStroke, Command},
};
use egui::PointerButton;
use sinew::glam::{Vec2, Vec3};
use sinew_view::region::{keep_facing, under_brush};

const KEYS: &[KeyHelp] = &[KeyHelp { keys: "Paint: drag", action: "paint the weight of the selected joint" }];

/// The brush of the paint tool.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BrushOptions {
    kind: BrushKind,
    /// The change of the weight at the center of a brush stamp.
    strength: f32,
    /// The radius as a fraction of the viewport's height.
    radius: f32,
    max_influences: usize,
    is_mirrored: bool,
    /// True to skip vertices whose normals face away from the camera.
    only_facing: bool,
}

impl Default for BrushOptions {
    fn default() -> Self {
        let (strength, radius, max_influences) = (0.1, 0.05, 4);
        Self { kind: BrushKind::Add, strength, radius, max_influences, is_mirrored: false, only_facing: true }
    }
}

/// The state of the paint tool.
#[derive(Debug, Default)]
pub(super) struct PaintTool {
    brush: BrushOptions,
}

impl Tool for PaintTool {
    fn name(&self) -> &'static str {
        "Paint"
    }

    fn hint(&self) -> &'static str {
        "Drag over the skin to paint the weight of the selected joint"
    }

    fn subject(&self) -> ToolSubject {
        ToolSubject::Weights
    }

    fn keys(&self) -> &'static [KeyHelp] {
        KEYS
    }

    fn options(&mut self, ui: &mut egui::Ui) {
        let brush = &mut self.brush;
        ui.horizontal_wrapped(|ui| {
            for kind in BrushKind::ALL {
                ui.selectable_value(&mut brush.kind, kind, kind.name());
            }
        });
        ui.add(egui::Slider::new(&mut brush.strength, -1.0..=1.0).text("strength").fixed_decimals(2));
        ui.add(egui::Slider::new(&mut brush.radius, 0.005..=0.3).text("size").logarithmic(true));
        ui.add(egui::Slider::new(&mut brush.max_influences, 1..=8).text("max influences"));
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut brush.is_mirrored, "Mirror across X");
            ui.checkbox(&mut brush.only_facing, "Front only").on_hover_text("Skip vertices that face away");
        });
    }

    fn takes_drags(&self, _: egui::Modifiers) -> bool {
        true
    }

    /// Stamps the brush where the pointer moves over the skin.
    fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        let ToolContext { response, input, view, .. } = context;
        let is_down = response.is_pointer_button_down_on() && !response.dragged_by(PointerButton::Secondary);
        let moved =
            response.drag_delta() != egui::Vec2::ZERO || response.drag_started() || response.clicked();
        let (Some(at), Some(joint)) = (response.interact_pointer_pos(), input.document.selection().joint)
        else {
            return;
        };
        if !(is_down || response.clicked()) || !moved || response.dragged_by(PointerButton::Middle) {
            return;
        }
        let Some(hit) = view.vertex_at(input.scene.scene(), input.scene.stage(), at) else { return };
        let streams = &input.scene.evaluation().frame().deformed()[hit.instance];
        let radius = self.radius_meters(view, hit.position);
        let mut under = under_brush(&streams.positions, hit.position, radius);
        if self.brush.only_facing {
            keep_facing(&mut under, &streams.positions, &streams.normals, view.camera.eye);
        }
        let BrushOptions { kind, strength, max_influences, is_mirrored, .. } = self.brush;
        let (instance, joint) = (hit.instance, joint.0);
        requests.command(Command::Paint(BrushStroke {
            instance,
            joint,
            brush: kind,
            amount: strength,
            max_influences,
            mirrored: is_mirrored,
            stamps: vec![under],
        }));
    }

    /// A circle of the brush's size.
    fn draw(&self, context: &ToolContext<'_>) {
        if let Some(at) = context.response.hover_pos() {
            let radius = self.brush.radius * context.view.rect.height();
            context.painter().circle_stroke(at, radius, (1.5, context.accent()));
        }
    }
}

impl PaintTool {
    /// The radius of the brush at a point of the skin, in meters.
    fn radius_meters(&self, view: &ViewportCamera, at: Vec3) -> f32 {
        let edge = |x: f32| view.camera.ray(Vec2::new(0.0, x), 1.0).direction;
        let spread = (edge(1.0) - edge(-1.0)).length();
        (at.distance(view.camera.eye) * spread * self.brush.radius).max(1e-6)
    }
}
