//! The handles as the pointer meets them.

use super::{GizmoMode, HandleOptions, HeldGizmo, Space, draw, gizmo, handle_at};
use crate::app::{requests::Requests, tool::ToolContext};
use egui::{Key, PointerButton};
use sinew_view::gizmo::Handle;

/// The most joints that turn when one reaches.
const MOST_CHAIN: usize = 8;

/// What the pose tool keeps of its handles.
#[derive(Debug, Default)]
pub(in crate::app) struct Handles {
    options: HandleOptions,
    hovered: Option<Handle>,
    held: Option<HeldGizmo>,
}

impl Handles {
    /// True where a drag of the primary button belongs to a handle.
    pub(in crate::app) fn takes_drags(&self) -> bool {
        self.held.is_some() || self.hovered.is_some()
    }

    pub(in crate::app) fn let_go(&mut self) {
        (self.held, self.hovered) = (None, None);
    }

    /// Finds the handle under the pointer; once a button is down it stays the same until that is let go.
    pub(in crate::app) fn hover(&mut self, hand: &ToolContext<'_>) {
        let (is_down, is_new) = hand.ui.input(|i| (i.pointer.any_down(), i.pointer.any_pressed()));
        if is_down && !is_new {
            return;
        }
        let model = hand.sight.shown.evaluation().frame().model();
        let at = hand.response.hover_pos().filter(|at| hand.lens.rect.contains(*at));
        let shown = gizmo(self.options, (hand.sight.document, model), &hand.lens);
        let near = |(_, gizmo)| handle_at(self.options.mode, &gizmo, &hand.lens, at?);
        self.hovered = shown.filter(|_| !hand.sight.is_playing).and_then(near);
    }

    pub(in crate::app) fn use_on(&mut self, hand: &ToolContext<'_>, requests: &mut Requests) {
        self.choose_by_key(hand);
        self.begin(hand);
        let Some(held) = &mut self.held else { return };
        let (is_given_up, snaps, is_down) = hand.ui.input(|i| {
            (i.key_pressed(Key::Escape), i.modifiers.command || i.modifiers.ctrl, i.pointer.primary_down())
        });
        if is_given_up {
            if held.has_moved {
                requests.undo();
            }
            self.held = None;
            return;
        }
        let at = hand.response.interact_pointer_pos();
        let has_moved = hand.response.drag_delta() != egui::Vec2::ZERO || hand.response.drag_started();
        if let (true, Some(at)) = (has_moved, at)
            && let Some(command) = held.command(&hand.lens, at, snaps)
        {
            held.has_moved = true;
            requests.command(command);
        }
        if !is_down {
            self.held = None;
        }
    }

    /// A drag that starts on a handle holds it.
    fn begin(&mut self, hand: &ToolContext<'_>) {
        let (true, Some(handle)) = (hand.response.drag_started_by(PointerButton::Primary), self.hovered)
        else {
            return;
        };
        // A drag is known as one some points after the press.
        let origin = hand.ui.input(|i| i.pointer.press_origin());
        let subject = (hand.sight.document, hand.sight.shown.evaluation().frame().model());
        let shown = gizmo(self.options, subject, &hand.lens);
        if let (Some((joint, gizmo)), Some(at)) = (shown, origin) {
            let place = hand.lens.spot(at);
            self.held = HeldGizmo::new(self.options, (joint, gizmo, handle), subject, place);
        }
    }

    /// I reaches, and turns again when pressed once more.
    fn choose_by_key(&mut self, hand: &ToolContext<'_>) {
        let is_typing = hand.ui.ctx().egui_wants_keyboard_input();
        if !is_typing && hand.ui.input(|i| i.key_pressed(Key::I) && i.modifiers.is_none()) {
            let is_reaching = self.options.mode == GizmoMode::Reach;
            self.options.mode = if is_reaching { GizmoMode::Rotate } else { GizmoMode::Reach };
        }
    }

    pub(in crate::app) fn draw(&self, hand: &ToolContext<'_>) {
        if hand.sight.is_playing {
            return;
        }
        let painter = hand.ui.painter().with_clip_rect(hand.lens.rect);
        let subject = (hand.sight.document, hand.sight.shown.evaluation().frame().model());
        let Some((_, mut shown)) = gizmo(self.options, subject, &hand.lens) else { return };
        let mut bright = self.hovered;
        if let Some(held) = &self.held {
            // Rings that are turned stay where they were taken hold of.
            shown.axes = held.gizmo.axes;
            bright = Some(held.handle);
        }
        draw(&painter, &hand.lens, self.options, &shown, bright);
        if let Some(held) = &self.held {
            held.draw(&painter, &hand.lens, hand.response.interact_pointer_pos());
        }
    }

    /// What a drag does, about whose axes, and how many joints follow.
    pub(in crate::app) fn choices(&mut self, ui: &mut egui::Ui) {
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
                let slider = egui::Slider::new(&mut options.chain, 1..=MOST_CHAIN).text("joints turn");
                ui.add(slider).on_hover_text("Two are a limb, which bends as it did");
            }
        });
    }
}
