//! Sessions that outlive a crash.

use super::commands::open;
use sinew_studio::{
    autosave::{Journal, JournalFolder, RecoverError, recover},
    command::{Command, WeightOp},
    document::DocumentSource,
    session::{JournalEntry, Session},
};
use std::{fs, fs::OpenOptions, path::Path};

fn entries() -> Vec<JournalEntry> {
    vec![
        Command::SelectJoint(Some(1)).into(),
        JournalEntry::Do {
            command: Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.1, 0.9] },
            gesture: Some(7),
        },
        JournalEntry::Do {
            command: Command::Rotate { joint: 1, rotation: [0.0, 0.1, 0.3, 0.8] },
            gesture: Some(7),
        },
        Command::Weights { instance: 0, op: WeightOp::Smooth { iterations: 1, step: 0.3, most: 4 } }.into(),
        JournalEntry::Undo,
        JournalEntry::Redo,
        Command::KeyPose.into(),
        Command::Open(DocumentSource::Builtin("tube".into())).into(),
        JournalEntry::Undo,
    ]
}

fn journal_at(path: &Path, entries: &[JournalEntry]) -> Vec<u8> {
    let file = OpenOptions::new().append(true).create_new(true).open(path).unwrap();
    let mut journal = Journal::begin(file, &DocumentSource::Builtin("arm".into())).unwrap();
    entries.iter().for_each(|entry| journal.note(entry).unwrap());
    journal.flush().unwrap();
    fs::read(path).unwrap()
}

/// The session after the first `count` entries, worked out directly.
fn after(entries: &[JournalEntry], count: usize) -> Session {
    let mut session = open("arm");
    entries[..count].iter().for_each(|entry| assert!(session.perform(entry).unwrap()));
    session
}

#[test]
fn a_journal_cut_at_any_byte_gives_back_every_complete_entry() {
    let folder = tempfile::tempdir().unwrap();
    let entries = entries();
    let whole = journal_at(&folder.path().join("a.journal"), &entries);
    let wanted: Vec<_> = (0..=entries.len()).map(|count| after(&entries, count).document().clone()).collect();
    let mut checked = None;
    for cut in 0..=whole.len() {
        let lines = whole[..cut].iter().filter(|b| **b == b'\n').count();
        match recover(&whole[..cut]) {
            Err(error) => assert!(lines == 0 && matches!(error, RecoverError::NoHead), "cut {cut}: {error}"),
            Ok(recovered) => {
                assert_eq!(recovered.entries, entries[..lines - 1], "cut {cut}");
                assert!(recovered.stopped_by.is_none() && !recovered.is_source_changed);
                // The document is compared once an entry: between two line breaks nothing changes.
                if checked != Some(lines) {
                    assert_eq!(*recovered.session.document(), wanted[lines - 1], "cut {cut}");
                    checked = Some(lines);
                }
            }
        }
    }
    assert_eq!(checked, Some(entries.len() + 1));
}

#[test]
fn entries_are_written_at_most_once_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.journal");
    let file = OpenOptions::new().append(true).create_new(true).open(&path).unwrap();
    let mut journal = Journal::begin(file, &DocumentSource::Builtin("arm".into())).unwrap();
    let lines = || fs::read_to_string(&path).unwrap().lines().count();
    let mut note_at = |now_secs: f64| {
        journal.note(&Command::ResetPose.into()).unwrap();
        journal.tick(now_secs).unwrap();
        journal.is_pending()
    };
    assert!(!note_at(10.0));
    assert_eq!(lines(), 2);
    assert!(note_at(10.4) && note_at(10.9));
    assert_eq!(lines(), 2);
    assert!(!note_at(11.0));
    assert_eq!(lines(), 5);
}

#[test]
fn a_broken_line_stops_replay_and_keeps_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let entries = entries();
    let mut bytes = journal_at(&folder.path().join("a.journal"), &entries[..2]);
    bytes.extend(b"{\"do\":nonsense}\n");
    bytes.extend(b"\"undo\"\n");
    let recovered = recover(&bytes).unwrap();
    assert_eq!(recovered.entries, entries[..2]);
    assert!(matches!(recovered.stopped_by, Some(RecoverError::BadLine { line: 4, .. })));
}

#[test]
fn a_file_that_was_saved_anew_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("arm.glb");
    sinew_formats::write_file(&model, &sinew_samples::arm()).unwrap();
    let path = folder.path().join("a.journal");
    let file = OpenOptions::new().append(true).create_new(true).open(&path).unwrap();
    Journal::begin(file, &DocumentSource::File(model.clone())).unwrap();
    assert!(!recover(&fs::read(&path).unwrap()).unwrap().is_source_changed);
    sinew_formats::write_file(&model, &sinew_samples::tube()).unwrap();
    assert!(recover(&fs::read(&path).unwrap()).unwrap().is_source_changed);
}

#[test]
fn only_a_journal_that_nobody_holds_was_left_behind() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().join("journals")).unwrap();
    let source = DocumentSource::Builtin("arm".into());
    let (held_path, held) = folder.begin(&source).unwrap();
    let (left_path, left) = folder.begin(&source).unwrap();
    drop(left);
    assert_eq!(folder.left_behind(), std::slice::from_ref(&left_path));
    drop(held);
    let all = folder.left_behind();
    assert!(all.len() == 2 && all.contains(&held_path) && all.contains(&left_path));
}
