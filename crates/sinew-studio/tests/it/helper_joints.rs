//! Roll joints and muscles, without a window.

use super::commands::{open, rejected, run};
use sinew::{
    JointId,
    glam::{Quat, Vec3},
};
use sinew_formats::export::ExportFormat;
use sinew_studio::{
    command::{Command, CommandError, HelperEdit, MuscleData},
    document::Document,
    export::export,
    session::{JournalEntry, Session},
};

fn find(session: &Session, name: &str) -> JointId {
    session.document().character().skeleton().find(name).unwrap()
}

fn vertices(document: &Document) -> Vec<Vec3> {
    let mut evaluation = sinew_studio::document::Evaluation::new(document);
    evaluation.follow(document, None).unwrap();
    evaluation.frame().deformed().iter().flat_map(|streams| streams.positions.clone()).collect()
}

fn farthest(one: &[Vec3], other: &[Vec3]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn add_rolls(session: &mut Session, joint: &str, child: &str) {
    let (joint, child) = (find(session, joint).0, find(session, child).0);
    run(session, Command::AddRolls { joint, child, count: 3, at_start: false, max_influences: 0 });
}

fn turn(session: &mut Session, joint: &str, by: Quat) {
    let joint = find(session, joint);
    let rotation = session.document().character().skeleton().rest(joint).rotation * by;
    run(session, Command::Rotate { joint: joint.0, rotation: rotation.to_array() });
}

#[test]
fn roll_joints_change_only_twisted_poses_and_can_be_disabled() {
    let mut session = open("figure");
    let rest = vertices(session.document());
    add_rolls(&mut session, "forearm.L", "hand.L");
    assert!(farthest(&rest, &vertices(session.document())) < 1e-6);
    turn(&mut session, "hand.L", Quat::from_rotation_y(2.6));
    let driven = vertices(session.document());
    run(&mut session, Command::EditHelper { helper: 0, edit: HelperEdit::On(false) });
    let plain = vertices(session.document());
    assert!(farthest(&driven, &plain) > 0.02, "{}", farthest(&driven, &plain));
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(vertices(session.document()), driven);
    run(&mut session, Command::EditHelper { helper: 0, edit: HelperEdit::Twist { roll: 2, fraction: 1.0 } });
    assert_ne!(vertices(session.document()), driven);
}

#[test]
fn saved_and_exported_files_match_the_viewport() {
    let mut session = open("figure");
    let (bone, source) = (find(&session, "upper_arm.L").0, find(&session, "forearm.L").0);
    run(&mut session, Command::AddMuscle { bone, source, muscle: MuscleData::default() });
    add_rolls(&mut session, "forearm.L", "hand.L");
    turn(&mut session, "hand.L", Quat::from_rotation_y(2.0));
    turn(&mut session, "forearm.L", Quat::from_rotation_x(1.8));
    let shown = vertices(session.document());
    let bytes = sinew_formats::to_glb(&session.document().to_saved().unwrap()).unwrap();
    let again = sinew_formats::read_bytes(&bytes, "figure.glb").unwrap();
    assert!(again.report.findings().is_empty(), "{:?}", again.report);
    assert_eq!(again.character.helpers(), session.document().character().helpers());
    let mut frame = sinew::Frame::new(&again.character);
    frame.local_mut().copy_from(session.document().pose());
    frame.deform(session.document().method()).unwrap();
    let reopened: Vec<Vec3> = frame.deformed().iter().flat_map(|s| s.positions.clone()).collect();
    assert!(farthest(&shown, &reopened) < 1e-5);
    let mesh = export(session.document(), ExportFormat::MeshGlb).unwrap();
    let mesh = sinew_formats::read_bytes(&mesh, "pose.glb").unwrap().character;
    let baked: Vec<Vec3> = mesh.meshes().iter().flat_map(|m| m.positions().to_vec()).collect();
    assert_eq!(baked.len(), shown.len());
    let found = |p: &Vec3| shown.iter().map(|s| s.distance(*p)).fold(f32::MAX, f32::min);
    assert!(baked.iter().step_by(97).all(|p| found(p) < 1e-4), "the mesh is the skin as it is shown");
}

#[test]
fn removing_a_helper_removes_its_joints_and_undo_restores_them() {
    let mut session = open("figure");
    let before = session.document().character().clone();
    add_rolls(&mut session, "forearm.L", "hand.L");
    let (bone, source) = (find(&session, "upper_arm.L").0, find(&session, "forearm.L").0);
    run(&mut session, Command::AddMuscle { bone, source, muscle: MuscleData::default() });
    let muscle = find(&session, "upper_arm.L.muscle.1");
    run(&mut session, Command::SelectJoint(Some(muscle.0)));
    run(&mut session, Command::Lock { joint: muscle.0, is_locked: true });
    run(&mut session, Command::RemoveHelper(0));
    let moved = find(&session, "upper_arm.L.muscle.1");
    assert_eq!(moved.index(), before.skeleton().len());
    assert_eq!(session.document().selection().joint, Some(moved), "the same joint is selected");
    assert!(session.document().locks().contains(&moved));
    assert_eq!(session.document().pose().joints.len(), before.skeleton().len() + 1);
    run(&mut session, Command::RemoveHelper(0));
    assert_eq!(**session.document().character(), *before);
    assert_eq!(session.document().selection().joint, None);
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(find(&session, "upper_arm.L.muscle.1"), muscle);
    assert_eq!(session.document().selection().joint, Some(muscle));
}

#[test]
fn invalid_helpers_are_rejected() {
    let mut session = open("arm");
    let rolls =
        |joint, child, count| Command::AddRolls { joint, child, count, at_start: false, max_influences: 0 };
    let helper = |error| matches!(error, CommandError::Helper(_));
    assert!(helper(rejected(&mut session, rolls(1, 0, 3))));
    assert!(helper(rejected(&mut session, rolls(0, 1, 0))));
    assert!(helper(rejected(&mut session, rolls(0, 99, 3))));
    let muscle = MuscleData { swell: f32::NAN, ..MuscleData::default() };
    assert!(helper(rejected(&mut session, Command::AddMuscle { bone: 0, source: 1, muscle })));
    assert!(helper(rejected(&mut session, Command::RemoveHelper(0))));
    run(&mut session, rolls(0, 1, 2));
    let edit = |edit| Command::EditHelper { helper: 0, edit };
    let missing = |error| matches!(error, CommandError::Missing { .. });
    assert!(missing(rejected(&mut session, edit(HelperEdit::Twist { roll: 2, fraction: 0.0 }))));
    assert!(missing(rejected(&mut session, edit(HelperEdit::Point { driver: 0, point: 0, at: [0.0; 2] }))));
    let bad = rejected(&mut session, edit(HelperEdit::Twist { roll: 0, fraction: f32::NAN }));
    assert!(matches!(bad, CommandError::BadValue { .. }));
}

#[test]
fn journal_lines_may_omit_default_values() {
    let line = r#"{"add-rolls":{"joint":0,"child":1,"count":2}}"#;
    let command: Command = serde_json::from_str(line).unwrap();
    assert_eq!(
        command,
        Command::AddRolls { joint: 0, child: 1, count: 2, at_start: false, max_influences: 0 }
    );
    let command: Command = serde_json::from_str(r#"{"add-muscle":{"bone":0,"source":1}}"#).unwrap();
    assert_eq!(command, Command::AddMuscle { bone: 0, source: 1, muscle: MuscleData::default() });
}
