//! Picking bones, and moving them by keys.

use super::ToolContext;
use crate::{
    app::{
        grab::{Grab, GrabKind},
        handles::Handles,
        requests::Requests,
    },
    command::Command,
};
use egui::Key;
use sinew::glam::Vec3;

/// The pose tool's state.
#[derive(Debug, Default)]
pub(in crate::app) struct PoseTool {
    /// A joint that follows the pointer.
    pub(in crate::app) grab: Option<Grab>,
    /// Rings, arrows and arms around the selected joint.
    pub(in crate::app) handles: Handles,
}

impl PoseTool {
    /// A click on a bone selects its joint, one beside all bones selects none.
    pub(super) fn pick(hand: &ToolContext<'_>, requests: &mut Requests) {
        let Some(at) = hand.clicked_at() else { return };
        let joint = hand.lens.joint_at(hand.sight.shown.scene(), hand.sight.shown.stage(), at);
        if joint != hand.sight.document.selection().joint {
            requests.command(Command::SelectJoint(joint.map(|j| j.0)));
        }
    }

    /// G, R and S take the selected joint in hand, whatever the tool.
    pub(super) fn begin_grab(&mut self, hand: &ToolContext<'_>) {
        let ToolContext { ui, response, sight, .. } = hand;
        let Some(joint) = sight.document.selection().joint else { return };
        let (Some(at), true) = (response.hover_pos(), !ui.ctx().egui_wants_keyboard_input()) else { return };
        let kinds = [(Key::G, GrabKind::Move), (Key::R, GrabKind::Rotate), (Key::S, GrabKind::Scale)];
        let pressed = |key| ui.input(|i| i.key_pressed(key) && i.modifiers.is_none());
        if let Some((_, kind)) = kinds.into_iter().find(|(key, _)| pressed(*key)) {
            let skeleton = sight.document.character().skeleton();
            let model = sight.shown.evaluation().frame().model();
            let Some(&start) = sight.document.pose().joints.get(joint.index()) else { return };
            self.grab = Some(Grab::new(kind, sight.next_gesture, joint, (skeleton, model, start), at));
        }
    }

    pub(super) fn follow_grab(&mut self, hand: &ToolContext<'_>, requests: &mut Requests) {
        let ToolContext { ui, response, lens, .. } = hand;
        let Some(grab) = &mut self.grab else { return };
        let axes = [(Key::X, Vec3::X), (Key::Y, Vec3::Y), (Key::Z, Vec3::Z)];
        let chosen = axes.into_iter().find(|(key, _)| ui.input(|i| i.key_pressed(*key)));
        if let Some((_, axis)) = chosen {
            grab.axis = if grab.axis == Some(axis) { None } else { Some(axis) };
        }
        let (moved, done, given_up, snaps) = ui.input(|i| {
            (
                i.pointer.delta() != egui::Vec2::ZERO,
                i.pointer.primary_clicked() || i.key_pressed(Key::Enter),
                i.key_pressed(Key::Escape) || i.pointer.secondary_clicked(),
                i.modifiers.ctrl || i.modifiers.command,
            )
        });
        if given_up {
            if grab.has_moved {
                requests.undo();
            }
            self.grab = None;
            return;
        }
        if let (true, Some(at)) = (moved || chosen.is_some(), response.hover_pos())
            && let Some(command) = grab.command(lens, at, snaps)
        {
            requests.command_in(grab.gesture, command);
            grab.has_moved = true;
        }
        if done {
            self.grab = None;
        }
    }
}
