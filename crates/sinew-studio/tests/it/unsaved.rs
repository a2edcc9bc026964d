//! Which edits are not in a saved file, and journals of sessions that were saved.

use super::{
    commands::{open, run},
    journals::Memory,
};
use sinew_studio::{
    autosave::{AppendFile, Journal, JournalFolder, recover},
    command::{Command, SelectBy, SelectMode, WeightOp},
    document::{DocumentSource, JointLimit, LimitAxis},
    gesture::GestureIds,
    session::{JournalEntry, Session, Unsaved},
};
use std::path::Path;

const NOTHING: Unsaved = Unsaved { file: false, pose: false };
const FILE: Unsaved = Unsaved { file: true, pose: false };
const POSE: Unsaved = Unsaved { file: false, pose: true };

fn sharpen() -> Command {
    Command::Weights { instances: vec![0], op: WeightOp::Sharpen { power: 1.5 } }
}

fn rotate(angle: f32) -> Command {
    Command::Rotate { joint: 1, rotation: [0.0, 0.0, angle.sin(), angle.cos()] }
}

fn save(session: &mut Session, path: &str) {
    session.perform(&JournalEntry::Saved { path: path.into() }).unwrap();
}

#[test]
fn selections_and_settings_leave_a_document_saved() {
    let mut session = open("arm");
    for command in [
        Command::SelectJoint(Some(1)),
        Command::SelectBy { by: SelectBy::All, mode: SelectMode::Replace },
        Command::Lock { joint: 0, is_locked: true },
        Command::SetMethod("dual-quat".into()),
        Command::Precompute("cor".into()),
        Command::ChooseClip(Some(0)),
        Command::Scrub { time_secs: 0.3 },
        Command::SetSpeed(0.5),
        Command::EnforceLimits(false),
        Command::ResetPose,
    ] {
        run(&mut session, command.clone());
        assert_eq!(session.unsaved(), NOTHING, "{command:?}");
    }
}

#[test]
fn edits_of_what_a_file_holds_are_unsaved_until_they_are_undone_or_saved() {
    let limit = Some(JointLimit { twist: LimitAxis::Y, degrees: [[-30.0, 30.0]; 3] });
    for command in [sharpen(), Command::KeyPose, Command::SetLimit { joint: 1, limit }] {
        let mut session = open("arm");
        run(&mut session, command.clone());
        assert_eq!(session.unsaved(), FILE, "{command:?}");
        session.perform(&JournalEntry::Undo).unwrap();
        assert_eq!(session.unsaved(), NOTHING, "{command:?} undone");
        session.perform(&JournalEntry::Redo).unwrap();
        save(&mut session, "arm.glb");
        assert_eq!(session.unsaved(), NOTHING, "{command:?} saved");
        assert_eq!((session.file(), &session.name()[..]), (Some(Path::new("arm.glb")), "arm.glb"));
        session.perform(&JournalEntry::Undo).unwrap();
        assert_eq!(session.unsaved(), FILE, "the file has the edit, the document does not");
        session.perform(&JournalEntry::Redo).unwrap();
        assert_eq!(session.unsaved(), NOTHING);
    }
}

#[test]
fn a_pose_is_unsaved_until_it_is_keyed_reset_or_seen_with_a_save() {
    let mut session = open("arm");
    run(&mut session, rotate(0.3));
    assert_eq!(session.unsaved(), POSE);
    run(&mut session, Command::ResetPose);
    assert_eq!(session.unsaved(), NOTHING);
    run(&mut session, rotate(0.4));
    run(&mut session, Command::KeyPose);
    assert_eq!(session.unsaved(), FILE, "the pose is in a clip");
    run(&mut session, rotate(0.5));
    save(&mut session, "arm.glb");
    assert_eq!(session.unsaved(), NOTHING);
    run(&mut session, rotate(0.6));
    assert_eq!(session.unsaved(), POSE);
}

#[test]
fn a_gesture_that_goes_on_after_a_save_is_unsaved() {
    let gesture = Some(GestureIds::default().begin());
    let mut session = open("arm");
    let turn = |session: &mut Session, angle| {
        session.perform(&JournalEntry::Do { command: rotate(angle), gesture }).unwrap();
    };
    turn(&mut session, 0.1);
    save(&mut session, "arm.glb");
    turn(&mut session, 0.2);
    assert_eq!((session.unsaved(), session.history().done_count()), (POSE, 1));
}

#[test]
fn every_document_of_a_session_has_its_own_saved_state() {
    let mut session = open("arm");
    run(&mut session, sharpen());
    run(&mut session, Command::Open(DocumentSource::Builtin("tube".into())));
    assert_eq!(session.unsaved(), NOTHING, "another document is as opened");
    assert_eq!(session.file(), None);
    run(&mut session, sharpen());
    save(&mut session, "tube.glb");
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!((session.unsaved(), &session.name()[..]), (FILE, "arm"), "the first document is unsaved");
}

#[test]
fn a_journal_replays_after_its_file_was_replaced_by_a_save() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["arm.glb", "arm.gltf"] {
        let path = folder.path().join(name);
        sinew_formats::write_file(&path, &sinew_samples::arm()).unwrap();
        let source = DocumentSource::File(path.clone());
        // The file is opened as the first document, and again later.
        let mut session = Session::open(source.clone()).unwrap();
        let memory = Memory::default();
        let mut journal = Journal::begin(AppendFile::new(memory.clone()), &source).unwrap();
        let perform = |session: &mut Session, journal: &mut Journal, entry: JournalEntry| {
            session.perform(&entry).unwrap();
            journal.note(&entry).unwrap();
        };
        perform(&mut session, &mut journal, sharpen().into());
        perform(&mut session, &mut journal, Command::Open(source.clone()).into());
        for power in [1.2, 1.4] {
            let op = WeightOp::Sharpen { power };
            perform(&mut session, &mut journal, Command::Weights { instances: vec![0], op }.into());
            journal.keep_replaced(&path).unwrap();
            let saved = session.document().to_saved().unwrap();
            sinew_formats::prepare_file(&path, &saved, &Default::default()).unwrap().commit().unwrap();
            perform(&mut session, &mut journal, JournalEntry::Saved { path: path.clone() });
        }
        perform(&mut session, &mut journal, Command::Open(source.clone()).into());
        perform(&mut session, &mut journal, sharpen().into());
        // Far beyond the saves.
        (0..4).for_each(|_| perform(&mut session, &mut journal, JournalEntry::Undo));
        journal.flush().unwrap();
        let recovered = recover(&memory.bytes()).unwrap();
        assert!(recovered.is_complete() && !recovered.is_source_changed, "{name}: {}", recovered.summary());
        assert_eq!(recovered.session.document().weights(0), session.document().weights(0), "{name}");
        assert_eq!(recovered.session.unsaved(), session.unsaved());
        assert_eq!(recovered.session.document().source(), &source);

        // The journal of the continued session replays as well.
        let again = Memory::default();
        let mut next = Journal::begin(AppendFile::new(again.clone()), &source).unwrap();
        recovered.copy_to(&mut next).unwrap();
        next.flush().unwrap();
        let twice = recover(&again.bytes()).unwrap();
        assert_eq!(twice.session.document(), recovered.session.document());
    }
}

#[test]
fn a_journal_whose_steps_are_all_saved_is_not_offered() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let leave = |entries: &[JournalEntry]| {
        let (path, mut journal) = folder.begin(&DocumentSource::Builtin("arm".into())).unwrap();
        entries.iter().for_each(|entry| journal.note(entry).unwrap());
        journal.flush().unwrap();
        path
    };
    let saved = || JournalEntry::Saved { path: "arm.glb".into() };
    let path = leave(&[sharpen().into(), saved()]);
    assert!(folder.newest_unclosed().is_none() && !path.exists());
    leave(&[sharpen().into(), saved(), sharpen().into()]);
    assert_eq!(folder.newest_unclosed().unwrap().steps(), 1);
}
