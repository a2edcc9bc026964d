//! Modal transforms: after G, R or S the selected joint follows the pointer until a click, with every tool.

use super::{ToolContext, gizmo::SNAP_DEGREES};
use crate::{
    app::{requests::Requests, viewport::camera::ViewportCamera, window_commands::KeyHelp},
    command::Command,
    gesture::GestureId,
};
use egui::Key;
use sinew::{
    JointId, ModelPose, Skeleton, Transform,
    glam::{Affine3A, Quat, Vec3},
    transform::inverse_affine,
};
use sinew_view::gizmo::snapped;

pub(super) const KEYS: &[KeyHelp] = &[
    KeyHelp {
        keys: "G, R, S",
        action: "move, rotate, scale the selected joint; then X, Y, Z constrain the axis, Ctrl snaps rotation to 15°",
    },
    KeyHelp { keys: "Click or Enter / Esc", action: "confirm / cancel a move, rotation or scale" },
];

/// The modal transform that runs, if any.
#[derive(Debug, Default)]
pub(super) struct ModalTransforms {
    running: Option<ModalTransform>,
}

impl ModalTransforms {
    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Starts a transform of the selected joint if its key is pressed over the viewport.
    pub(super) fn begin(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        let ToolContext { ui, response, input, .. } = context;
        let Some(joint) = input.document.selection().joint else { return };
        let (Some(at), true) = (response.hover_pos(), !ui.ctx().egui_wants_keyboard_input()) else { return };
        let kinds = [
            (Key::G, ModalTransformKind::Move),
            (Key::R, ModalTransformKind::Rotate),
            (Key::S, ModalTransformKind::Scale),
        ];
        let is_pressed = |key| ui.input(|i| i.key_pressed(key) && i.modifiers.is_none());
        let Some((_, kind)) = kinds.into_iter().find(|(key, _)| is_pressed(*key)) else { return };
        let Some(&local) = input.document.pose().joints.get(joint.index()) else { return };
        let model = input.scene.evaluation().frame().model();
        let skeleton = input.document.character().skeleton();
        let start = TransformStart::new(joint, skeleton, model, local, at);
        self.running = Some(ModalTransform::new(kind, requests.begin_gesture(), start));
    }

    /// Follows the pointer until the transform is confirmed or canceled.
    pub(super) fn follow(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        let Some(transform) = &mut self.running else { return };
        let has_new_axis = transform.choose_axis(context.ui);
        let keys = TransformKeys::read(context.ui);
        if keys.is_canceled {
            if transform.has_moved {
                requests.undo();
            }
            self.running = None;
            return;
        }
        if let (true, Some(at)) = (keys.has_moved || has_new_axis, context.response.hover_pos())
            && let Some(command) = transform.command(&context.view, at, keys.snaps)
        {
            requests.command_in(transform.gesture, command);
            transform.has_moved = true;
        }
        if keys.is_confirmed {
            self.running = None;
        }
    }
}

/// The input that drives a modal transform in one frame.
struct TransformKeys {
    has_moved: bool,
    is_confirmed: bool,
    is_canceled: bool,
    snaps: bool,
}

impl TransformKeys {
    fn read(ui: &egui::Ui) -> Self {
        ui.input(|i| Self {
            has_moved: i.pointer.delta() != egui::Vec2::ZERO,
            is_confirmed: i.pointer.primary_clicked() || i.key_pressed(Key::Enter),
            is_canceled: i.key_pressed(Key::Escape) || i.pointer.secondary_clicked(),
            snaps: i.modifiers.ctrl || i.modifiers.command,
        })
    }
}

/// The component of the joint's transform that follows the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModalTransformKind {
    Move,
    Rotate,
    Scale,
}

/// The joint and the pointer when a transform starts.
#[derive(Clone, Copy, Debug)]
struct TransformStart {
    joint: JointId,
    /// The joint's transform relative to its parent.
    local: Transform,
    model_from_parent: Affine3A,
    /// The space that the joint's rotation is relative to.
    turn_frame: Affine3A,
    /// The joint's position in model space, in meters.
    origin: Vec3,
    /// The pointer in points of the window.
    pointer: egui::Pos2,
}

impl TransformStart {
    fn new(
        joint: JointId,
        skeleton: &Skeleton,
        model: &ModelPose,
        local: Transform,
        pointer: egui::Pos2,
    ) -> Self {
        let parent = skeleton.parent(joint);
        let model_from_parent = parent.map_or(Affine3A::IDENTITY, |parent| model.joint(parent));
        let turn_frame = model.turn_frame(skeleton, joint);
        let origin = model.joint(joint).translation.into();
        Self { joint, local, model_from_parent, turn_frame, origin, pointer }
    }
}

/// A joint that follows the pointer.
#[derive(Clone, Copy, Debug)]
struct ModalTransform {
    kind: ModalTransformKind,
    /// A gesture of its own, so that the transform is one step of the history.
    gesture: GestureId,
    start: TransformStart,
    /// The joint's own axis that the transform is constrained to.
    axis: Option<Vec3>,
    /// True once a command was sent, so that canceling has to undo it.
    has_moved: bool,
}

impl ModalTransform {
    fn new(kind: ModalTransformKind, gesture: GestureId, start: TransformStart) -> Self {
        Self { kind, gesture, start, axis: None, has_moved: false }
    }

    /// Constrains the transform to an axis, or frees it again, if X, Y or Z is pressed; true if one is.
    fn choose_axis(&mut self, ui: &egui::Ui) -> bool {
        let axes = [(Key::X, Vec3::X), (Key::Y, Vec3::Y), (Key::Z, Vec3::Z)];
        let Some((_, axis)) = axes.into_iter().find(|(key, _)| ui.input(|i| i.key_pressed(*key))) else {
            return false;
        };
        self.axis = if self.axis == Some(axis) { None } else { Some(axis) };
        true
    }

    /// The command that moves the joint to the pointer at `at`; `snaps` rounds a rotation.
    fn command(&self, view: &ViewportCamera, at: egui::Pos2, snaps: bool) -> Option<Command> {
        let center = view.project(self.start.origin)?;
        let joint = self.start.joint.0;
        Some(match self.kind {
            ModalTransformKind::Move => {
                Command::Translate { joint, translation: self.moved(view, at)?.to_array() }
            }
            ModalTransformKind::Rotate => {
                // The window's y axis points down: counterclockwise angles decrease.
                let angle = (self.start.pointer - center).angle() - (at - center).angle();
                let angle = if snaps { snapped(angle, SNAP_DEGREES.to_radians()) } else { angle };
                Command::Rotate { joint, rotation: self.rotated(view, angle).to_array() }
            }
            ModalTransformKind::Scale => {
                let ratio = (at - center).length() / (self.start.pointer - center).length().max(1.0);
                let factors = self.axis.map_or(Vec3::splat(ratio), |axis| Vec3::ONE + axis * (ratio - 1.0));
                Command::Scale { joint, scale: (self.start.local.scale * factors).to_array() }
            }
        })
    }

    /// The local rotation after a turn about the view direction, or about the joint's own axis.
    fn rotated(&self, view: &ViewportCamera, angle_radians: f32) -> Quat {
        let start = self.start.local.rotation;
        match self.axis {
            Some(axis) => (start * Quat::from_axis_angle(axis, angle_radians)).normalize(),
            None => {
                let toward_viewer = view.camera.axes().z_axis;
                let parent_from_model = inverse_affine(&self.start.turn_frame).unwrap_or(Affine3A::IDENTITY);
                let axis = parent_from_model.transform_vector3(toward_viewer).normalize_or(Vec3::Z);
                (Quat::from_axis_angle(axis, angle_radians) * start).normalize()
            }
        }
    }

    /// The local translation in the plane that faces the camera, or along the joint's own axis.
    fn moved(&self, view: &ViewportCamera, at: egui::Pos2) -> Option<Vec3> {
        let facing = view.camera.axes().z_axis;
        let on_plane = |at: egui::Pos2| {
            let ray = view.ray(at);
            let distance = (self.start.origin - ray.origin).dot(facing) / ray.direction.dot(facing);
            distance.is_finite().then(|| ray.origin + ray.direction * distance)
        };
        let shift = on_plane(at)? - on_plane(self.start.pointer)?;
        let mut shift = inverse_affine(&self.start.model_from_parent)?.transform_vector3(shift);
        if let Some(axis) = self.axis {
            let axis = self.start.local.rotation * axis;
            shift = axis * shift.dot(axis);
        }
        Some(self.start.local.translation + shift)
    }
}
