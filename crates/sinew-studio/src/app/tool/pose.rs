//! The pose tool: picks joints and drags the gizmo of the selected one.

use super::{Tool, ToolContext, ToolSubject, gizmo::GizmoController};
use crate::{
    app::{requests::Requests, window_commands::KeyHelp},
    command::Command,
};

const KEYS: &[KeyHelp] = &[
    KeyHelp {
        keys: "Pose: click a bone, drag its gizmo",
        action: "select, then rotate, move or scale the joint; Ctrl snaps rotation to 15°",
    },
    KeyHelp { keys: "Pose: I", action: "switch the gizmo to IK: drag a joint and its ancestors rotate" },
];

/// The state of the pose tool.
#[derive(Debug, Default)]
pub(super) struct PoseTool {
    gizmo: GizmoController,
}

impl Tool for PoseTool {
    fn name(&self) -> &'static str {
        "Pose"
    }

    fn hint(&self) -> &'static str {
        "Click a bone and drag its gizmo, or press R, G or S"
    }

    fn subject(&self) -> ToolSubject {
        ToolSubject::Joints
    }

    fn keys(&self) -> &'static [KeyHelp] {
        KEYS
    }

    fn options(&mut self, ui: &mut egui::Ui) {
        self.gizmo.options(ui);
    }

    fn takes_drags(&self, _: egui::Modifiers) -> bool {
        self.gizmo.takes_drags()
    }

    fn hover(&mut self, context: &ToolContext<'_>) {
        self.gizmo.hover(context);
    }

    fn release(&mut self) {
        self.gizmo.release();
    }

    fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        self.gizmo.use_on(context, requests);
        pick(context, requests);
    }

    fn draw(&self, context: &ToolContext<'_>) {
        self.gizmo.draw(context);
    }
}

/// A click on a bone selects its joint, a click elsewhere deselects.
fn pick(context: &ToolContext<'_>, requests: &mut Requests) {
    let Some(at) = context.clicked_at() else { return };
    let scene = context.input.scene;
    let joint = context.view.joint_at(scene.scene(), scene.stage(), at);
    if joint != context.input.document.selection().joint {
        requests.command(Command::SelectJoint(joint.map(|j| j.0)));
    }
}
