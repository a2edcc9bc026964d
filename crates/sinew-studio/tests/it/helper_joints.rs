//! Roll joints and muscles, without a window.

use super::commands::{open, rejected, run};
use sinew::{
    JointId,
    glam::{Quat, Vec3},
};
use sinew_formats::export::ExportFormat;
use sinew_studio::{
    command::{
        BrushKind, BrushStroke, Command, CommandError, CopiedWeights, HelperEdit, MuscleData, SelectBy,
        SelectMode,
    },
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

/// A session of the arm with a muscle, which is selected.
fn arm_with_muscle() -> (Session, JointId) {
    let mut session = open("arm");
    run(&mut session, Command::AddMuscle { bone: 0, source: 1, muscle: MuscleData::default() });
    let muscle = find(&session, "upper.muscle.1");
    run(&mut session, Command::SelectJoint(Some(muscle.0)));
    (session, muscle)
}

/// The muscle weight of a vertex of the first instance.
fn muscle_weight(session: &Session, vertex: usize, muscle: JointId) -> f32 {
    let document = session.document();
    let slot = document.character().skins()[0].slot_of(muscle).unwrap();
    document.weights(0).unwrap().muscle_weight_of(vertex, slot)
}

#[test]
fn muscle_weights_are_selected_typed_painted_and_undone() {
    let (mut session, muscle) = arm_with_muscle();
    let before = session.document().weights(0).unwrap().clone();
    let by = SelectBy::Joint(muscle.0);
    run(&mut session, Command::SelectBy { by, mode: SelectMode::Replace });
    let pushed = (0..before.vertex_count()).filter(|&v| !before.muscle_of(v).0.is_empty()).count();
    assert_eq!(session.document().selection().vertex_count(), pushed);
    assert!(session.document().is_muscle(muscle) && !session.document().is_muscle(JointId(0)));

    let vertex = (0..before.vertex_count()).find(|&v| before.muscle_of(v).0.is_empty()).unwrap();
    let set =
        |weight| Command::SetWeight { instance: 0, vertices: vec![vertex as u32], joint: muscle.0, weight };
    run(&mut session, set(1.75));
    assert_eq!(muscle_weight(&session, vertex, muscle), 1.75);
    assert_eq!(session.document().weights(0).unwrap().of(vertex), before.of(vertex), "what carries it stays");
    run(&mut session, set(-0.5));
    assert_eq!(muscle_weight(&session, vertex, muscle), -0.5);
    assert!(matches!(rejected(&mut session, set(f32::NAN)), CommandError::BadValue { .. }));
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(session.document().weights(0).unwrap(), &before);

    run(
        &mut session,
        Command::Paint(BrushStroke {
            instance: 0,
            joint: muscle.0,
            brush: BrushKind::Add,
            amount: 0.4,
            max_influences: 1,
            mirrored: false,
            stamps: vec![vec![(vertex as u32, 1.0)], vec![(vertex as u32, 0.5)]],
        }),
    );
    assert!((muscle_weight(&session, vertex, muscle) - 0.6).abs() < 1e-6);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(session.document().weights(0).unwrap(), &before);
}

#[test]
fn the_first_muscle_weight_can_be_painted_after_the_last_was_erased() {
    let (mut session, muscle) = arm_with_muscle();
    let all: Vec<u32> = (0..session.document().weights(0).unwrap().vertex_count() as u32).collect();
    let set =
        |vertices: Vec<u32>, weight| Command::SetWeight { instance: 0, vertices, joint: muscle.0, weight };
    run(&mut session, set(all, 0.0));
    assert_eq!(session.document().weights(0).unwrap().sum_kind(), sinew::WeightSum::One);
    assert!(session.document().is_muscle(muscle), "its helper swells it, and it carries nothing");
    turn(&mut session, "lower", Quat::from_rotation_z(2.0));
    let flat = vertices(session.document());
    let mut evaluation = sinew_studio::document::Evaluation::new(session.document());
    evaluation.follow(session.document(), None).unwrap();
    run(&mut session, set(vec![700], 1.0));
    assert_eq!(muscle_weight(&session, 700, muscle), 1.0);
    // The same evaluation goes on, as in the viewport.
    evaluation.follow(session.document(), None).unwrap();
    assert!(evaluation.frame().deformed()[0].positions[700].distance(flat[700]) > 1e-3);
}

#[test]
fn copied_weights_take_muscle_weights_along() {
    let (mut session, muscle) = arm_with_muscle();
    let weights = session.document().weights(0).unwrap().clone();
    let strongest = (0..weights.vertex_count())
        .max_by(|&a, &b| {
            let of = |v| weights.muscle_of(v).1.first().copied().unwrap_or(0.0);
            of(a).total_cmp(&of(b))
        })
        .unwrap();
    let select = |session: &mut Session, vertex: usize| {
        let vertices = vec![vertex as u32];
        run(session, Command::SelectVertices { instance: 0, vertices, mode: SelectMode::Replace });
    };
    select(&mut session, strongest);
    let copied = CopiedWeights::of_selection(session.document());
    let empty = (0..weights.vertex_count()).find(|&v| weights.muscle_of(v).0.is_empty()).unwrap();
    select(&mut session, empty);
    run(&mut session, Command::PasteWeights { instances: vec![0], copied, is_mean: false });
    let pasted = session.document().weights(0).unwrap();
    assert_eq!(pasted.of(empty), weights.of(strongest));
    assert_eq!(pasted.muscle_of(empty), weights.muscle_of(strongest));
    assert!(muscle_weight(&session, empty, muscle) > 0.5);
}
