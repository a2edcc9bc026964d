//! The gizmo under the pointer: hovering, dragging, options.

use super::{
    GizmoDrag, GizmoMode, GizmoOptions, JointGizmo, PosedDocument, Space, draw, gizmo_of_selection, handle_at,
};
use crate::app::{requests::Requests, tool::ToolContext};
use egui::{Key, PointerButton};
use sinew_view::gizmo::Handle;

/// The maximum number of ancestors that IK rotates.
const MAX_CHAIN: usize = 8;

/// The gizmo of the selected joint with its options and its current drag.
#[derive(Debug, Default)]
pub(in crate::app) struct GizmoController {
    options: GizmoOptions,
    hovered: Option<Handle>,
    drag: Option<GizmoDrag>,
}

impl GizmoController {
    /// True if a drag of the primary button belongs to a handle.
    pub(in crate::app) fn takes_drags(&self) -> bool {
        self.drag.is_some() || self.hovered.is_some()
    }

    pub(in crate::app) fn release(&mut self) {
        (self.drag, self.hovered) = (None, None);
    }

    /// Finds the handle under the pointer. While a button is down the handle does not change.
    pub(in crate::app) fn hover(&mut self, context: &ToolContext<'_>) {
        let (is_down, is_new) = context.ui.input(|i| (i.pointer.any_down(), i.pointer.any_pressed()));
        if is_down && !is_new {
            return;
        }
        let at = context.response.hover_pos().filter(|at| context.view.rect.contains(*at));
        let shown = gizmo_of_selection(self.options, posed(context), &context.view);
        let near = |shown: JointGizmo| handle_at(self.options.mode, &shown.gizmo, &context.view, at?);
        self.hovered = shown.filter(|_| !context.input.is_playing).and_then(near);
    }

    pub(in crate::app) fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        self.choose_by_key(context);
        self.begin(context);
        let Some(drag) = &mut self.drag else { return };
        let (is_canceled, snaps, is_down) = context.ui.input(|i| {
            (i.key_pressed(Key::Escape), i.modifiers.command || i.modifiers.ctrl, i.pointer.primary_down())
        });
        if is_canceled {
            if drag.has_moved {
                requests.undo();
            }
            self.drag = None;
            return;
        }
        let at = context.response.interact_pointer_pos();
        let has_moved = context.response.drag_delta() != egui::Vec2::ZERO || context.response.drag_started();
        if let (true, Some(at)) = (has_moved, at)
            && let Some(command) = drag.command(&context.view, at, snaps)
        {
            drag.has_moved = true;
            requests.command(command);
        }
        if !is_down {
            self.drag = None;
        }
    }

    /// Starts a drag on the hovered handle.
    fn begin(&mut self, context: &ToolContext<'_>) {
        let (true, Some(handle)) = (context.response.drag_started_by(PointerButton::Primary), self.hovered)
        else {
            return;
        };
        // egui reports a drag only after the pointer has moved some points.
        let origin = context.ui.input(|i| i.pointer.press_origin());
        let shown = gizmo_of_selection(self.options, posed(context), &context.view);
        if let (Some(shown), Some(at)) = (shown, origin) {
            self.drag = GizmoDrag::new(self.options, shown, handle, posed(context), context.view.ndc(at));
        }
    }

    /// The key I switches between IK and rotation.
    fn choose_by_key(&mut self, context: &ToolContext<'_>) {
        let is_typing = context.ui.ctx().egui_wants_keyboard_input();
        if !is_typing && context.ui.input(|i| i.key_pressed(Key::I) && i.modifiers.is_none()) {
            let is_ik = self.options.mode == GizmoMode::Reach;
            self.options.mode = if is_ik { GizmoMode::Rotate } else { GizmoMode::Reach };
        }
    }

    pub(in crate::app) fn draw(&self, context: &ToolContext<'_>) {
        if context.input.is_playing {
            return;
        }
        let painter = context.ui.painter().with_clip_rect(context.view.rect);
        let Some(mut shown) = gizmo_of_selection(self.options, posed(context), &context.view) else { return };
        let mut highlighted = self.hovered;
        if let Some(drag) = &self.drag {
            // The axes stay as they were when the drag started.
            shown.gizmo.axes = drag.gizmo.axes;
            highlighted = Some(drag.handle);
        }
        draw(&painter, &context.view, self.options, &shown.gizmo, highlighted);
        if let Some(drag) = &self.drag {
            drag.draw(&painter, &context.view, context.response.interact_pointer_pos());
        }
    }

    /// The mode, the space of the axes and the length of the IK chain.
    pub(in crate::app) fn options(&mut self, ui: &mut egui::Ui) {
        let options = &mut self.options;
        ui.horizontal(|ui| {
            for mode in GizmoMode::ALL {
                ui.selectable_value(&mut options.mode, mode, mode.name()).on_hover_text(mode.hint());
            }
        });
        ui.horizontal(|ui| match options.mode {
            GizmoMode::Rotate | GizmoMode::Move => {
                ui.label("Axes");
                for space in Space::ALL {
                    ui.selectable_value(&mut options.space, space, space.name());
                }
            }
            GizmoMode::Scale => {
                ui.weak("Along the joint's own axes");
            }
            GizmoMode::Reach => {
                let slider = egui::Slider::new(&mut options.chain, 1..=MAX_CHAIN).text("joints rotate");
                ui.add(slider).on_hover_text("Two joints use the two-bone solver of limbs");
            }
        });
    }
}

/// The document and its pose as the viewport shows them.
fn posed<'a>(context: &'a ToolContext<'_>) -> PosedDocument<'a> {
    let model = context.input.scene.evaluation().frame().model();
    PosedDocument { document: context.input.document, model }
}
