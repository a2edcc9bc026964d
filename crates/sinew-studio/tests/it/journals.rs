//! Recovery journals replay to the same document, including those of older versions.

use super::commands::open;
use sinew_studio::{
    autosave::{Journal, JournalFolder, RecoverError, recover},
    command::{ClipEdit, Command, WeightOp},
    document::DocumentSource,
    gesture::GestureIds,
    session::{JournalEntry, Session},
};
use std::{fs, fs::OpenOptions, path::Path};

fn entries() -> Vec<JournalEntry> {
    let gesture = Some(GestureIds::default().begin());
    vec![
        Command::SelectJoint(Some(1)).into(),
        JournalEntry::Do { command: Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.1, 0.9] }, gesture },
        JournalEntry::Do { command: Command::Rotate { joint: 1, rotation: [0.0, 0.1, 0.3, 0.8] }, gesture },
        Command::Weights {
            instance: 0,
            op: WeightOp::Smooth { iterations: 1, step: 0.3, max_influences: 4 },
        }
        .into(),
        JournalEntry::Undo,
        JournalEntry::Redo,
        Command::KeyPose.into(),
        Command::NewClip { name: "wave".into(), duration_secs: 1.5 }.into(),
        Command::EditClip(ClipEdit::SetDuration(3.0)).into(),
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

/// The session after the first `count` entries, performed directly.
fn after(entries: &[JournalEntry], count: usize) -> Session {
    let mut session = open("arm");
    entries[..count].iter().for_each(|entry| assert!(session.perform(entry).unwrap()));
    session
}

#[test]
fn a_journal_truncated_at_any_byte_replays_every_complete_entry() {
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
fn a_malformed_line_stops_replay_and_keeps_the_entries_before() {
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
fn a_file_that_was_saved_again_is_noticed() {
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
fn only_unlocked_journals_belong_to_unclosed_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().join("journals")).unwrap();
    let source = DocumentSource::Builtin("arm".into());
    let (held_path, held) = folder.begin(&source).unwrap();
    let (left_path, left) = folder.begin(&source).unwrap();
    drop(left);
    assert_eq!(folder.unclosed(), std::slice::from_ref(&left_path));
    drop(held);
    let all = folder.unclosed();
    assert!(all.len() == 2 && all.contains(&held_path) && all.contains(&left_path));
}

/// Entries as older versions wrote them.
const OLD_ENTRIES: &str = r#"{"do":{"command":{"select-vertices":{"instance":0,"vertices":[0,1,2],"how":"replace"}}}}
{"do":{"command":{"select-by":{"by":"grown","how":"replace"}}}}
{"do":{"command":{"keep-limits":false}}}
{"do":{"command":{"prepare":"cor"}}}
{"do":{"command":{"weights":{"instance":0,"op":"normalise"}}}}
{"do":{"command":{"weights":{"instance":0,"op":{"quantise":{"bits":8}}}}}}
{"do":{"command":{"weights":{"instance":0,"op":{"prune":{"least":0.01}}}}}}
{"do":{"command":{"weights":{"instance":0,"op":{"limit":{"most":2}}}}}}
{"do":{"command":{"paint":{"instance":0,"joint":1,"brush":"add","amount":0.1,"most":4,"mirrored":false,"dabs":[[[3,1.0]]]}},"gesture":4}}
{"do":{"command":{"choose-clip":0}}}
{"do":{"command":{"set-mix":{"clip":0,"share":0.5,"is_in_step":true}}}}
{"do":{"command":{"add-rolls":{"joint":0,"child":1,"count":2,"most":0}}}}
{"do":{"command":{"edit-helper":{"helper":0,"edit":{"share":{"roll":0,"share":0.5}}}}}}
{"do":{"command":{"mend":{"code":"influences-over-target","target":"custom:1,999"}}}}
"undo"
"#;

#[test]
fn journals_of_older_versions_replay() {
    let header = r#"{"version":1,"source":{"builtin":"arm"},"file":null}"#;
    let recovered = recover(format!("{header}\n{OLD_ENTRIES}").as_bytes()).unwrap();
    assert!(recovered.stopped_by.is_none(), "{:?}", recovered.stopped_by);
    assert_eq!(recovered.entries.len(), OLD_ENTRIES.lines().count());
}
