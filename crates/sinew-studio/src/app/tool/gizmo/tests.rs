use super::*;
use crate::{
    command::Command,
    document::DocumentSource,
    session::{JournalEntry, Session},
};
use sinew_view::camera::Camera;

/// A figure with a rotated arm, and with mirrored joints if `is_mirrored`.
fn session(is_mirrored: bool) -> (Session, JointId) {
    let mut session = Session::open(DocumentSource::Builtin("figure".into())).unwrap();
    let skeleton = session.document().character().skeleton().clone();
    let [clavicle, arm] = ["clavicle.L", "upper_arm.L"].map(|name| skeleton.find(name).unwrap());
    let mut run = |command: Command| assert!(session.perform(&JournalEntry::from(command)).unwrap());
    run(Command::SelectJoint(Some(arm.0)));
    run(Command::Rotate { joint: arm.0, rotation: [0.1, 0.5, -0.3, 0.8] });
    run(Command::Rotate { joint: clavicle.0, rotation: [0.4, -0.2, 0.1, 0.9] });
    if is_mirrored {
        run(Command::Scale { joint: clavicle.0, scale: [-1.0, 1.0, 1.0] });
        run(Command::Scale { joint: arm.0, scale: [1.0, -1.0, 1.0] });
    }
    (session, arm)
}

fn model(document: &Document) -> ModelPose {
    let skeleton = document.character().skeleton();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, document.pose());
    model
}

fn view() -> ViewportCamera {
    let rect = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0));
    ViewportCamera { camera: Camera::default(), rect }
}

#[test]
fn a_ring_rotates_the_joint_about_the_drawn_axis_in_every_space() {
    for is_mirrored in [false, true] {
        for (space, handle) in Space::ALL.into_iter().flat_map(|s| Handle::ALL.map(|h| (s, h))) {
            let (mut session, arm) = session(is_mirrored);
            let before = model(session.document());
            let options = GizmoOptions { space, ..GizmoOptions::default() };
            let posed = PosedDocument { document: session.document(), model: &before };
            let shown = gizmo_of_selection(options, posed, &view()).unwrap();
            let drag = GizmoDrag::new(options, shown, handle, posed, Vec2::ZERO).unwrap();
            let rotation = drag.rotated(&view(), 0.7).to_array();
            session.perform(&Command::Rotate { joint: arm.0, rotation }.into()).unwrap();
            let after = Mat3::from(model(session.document()).joint(arm).matrix3);
            let axis = shown.gizmo.axis(handle, &view().camera);
            let want =
                Mat3::from_quat(Quat::from_axis_angle(axis, 0.7)) * Mat3::from(before.joint(arm).matrix3);
            assert!(after.abs_diff_eq(want, 1e-4), "{space:?} {handle:?} mirrored {is_mirrored}");
        }
    }
}

#[test]
fn an_arrow_moves_the_joint_with_the_pointer() {
    let (mut session, arm) = session(false);
    let before = model(session.document());
    let options = GizmoOptions { mode: GizmoMode::Move, space: Space::World, ..GizmoOptions::default() };
    let posed = PosedDocument { document: session.document(), model: &before };
    let shown = gizmo_of_selection(options, posed, &view()).unwrap();
    let start = view().project(shown.gizmo.origin).unwrap();
    let mut drag = GizmoDrag::new(options, shown, Handle::View, posed, view().ndc(start)).unwrap();
    let to = start + egui::vec2(40.0, -25.0);
    let command = drag.command(&view(), to, false).unwrap();
    session.perform(&command.into()).unwrap();
    let seen = view().project(model(session.document()).joint(arm).translation.into()).unwrap();
    assert!(seen.distance(to) < 0.5, "{seen} {to}");
}
