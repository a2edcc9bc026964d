//! Recovery journals replay to the same document, including those of older versions.

mod damage;
mod faults;
mod full_disk;
mod windows;

use super::commands::open;
use sinew_studio::{
    autosave::{AppendFile, Journal, JournalFile, recover},
    command::{ClipEdit, Command, WeightOp},
    document::DocumentSource,
    gesture::GestureIds,
    session::{JournalEntry, Session},
};
use std::{
    fs, io,
    sync::{Arc, Mutex},
};

fn entries() -> Vec<JournalEntry> {
    let gesture = Some(GestureIds::default().begin());
    vec![
        Command::SelectJoint(Some(1)).into(),
        JournalEntry::Do { command: Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.1, 0.9] }, gesture },
        JournalEntry::Do { command: Command::Rotate { joint: 1, rotation: [0.0, 0.1, 0.3, 0.8] }, gesture },
        Command::Weights {
            instances: vec![0],
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

fn arm() -> DocumentSource {
    DocumentSource::Builtin("arm".into())
}

/// A file in memory that the test can read while a journal writes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl JournalFile for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.lock().unwrap().truncate(length as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn journal_of(entries: &[JournalEntry]) -> Vec<u8> {
    let memory = Memory::default();
    let mut journal = Journal::begin(AppendFile::new(memory.clone()), &arm()).unwrap();
    entries.iter().for_each(|entry| journal.note(entry).unwrap());
    journal.flush().unwrap();
    memory.bytes()
}

/// The session after the first `count` entries, performed directly.
fn after(entries: &[JournalEntry], count: usize) -> Session {
    let mut session = open("arm");
    entries[..count].iter().for_each(|entry| assert!(session.perform(entry).unwrap()));
    session
}

#[test]
fn entries_are_written_at_most_once_a_second() {
    let memory = Memory::default();
    let mut journal = Journal::begin(AppendFile::new(memory.clone()), &arm()).unwrap();
    let lines = || memory.bytes().iter().filter(|byte| **byte == b'\n').count();
    let mut note_at = |now_secs: f64| {
        journal.note(&Command::ResetPose.into()).unwrap();
        journal.tick(now_secs).unwrap();
        journal.is_pending()
    };
    let head = lines();
    assert!(!note_at(10.0));
    assert_eq!(lines(), head + 1);
    assert!(note_at(10.4) && note_at(10.9));
    assert_eq!(lines(), head + 1);
    assert!(!note_at(11.0));
    assert_eq!(lines(), head + 4);
}

#[test]
fn a_file_that_was_saved_again_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("arm.glb");
    sinew_formats::write_file(&model, &sinew_samples::arm()).unwrap();
    let memory = Memory::default();
    Journal::begin(AppendFile::new(memory.clone()), &DocumentSource::File(model.clone())).unwrap();
    assert!(!recover(&memory.bytes()).unwrap().is_source_changed);
    fs::remove_file(&model).unwrap();
    sinew_formats::write_file(&model, &sinew_samples::tube()).unwrap();
    assert!(recover(&memory.bytes()).unwrap().is_source_changed);
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

const OLD_HEAD: &str = r#"{"version":1,"source":{"builtin":"arm"},"file":null}"#;

#[test]
fn journals_of_older_versions_replay() {
    let recovered = recover(format!("{OLD_HEAD}\n{OLD_ENTRIES}").as_bytes()).unwrap();
    assert!(recovered.is_complete(), "{:?}", recovered.stopped_by);
    assert_eq!(recovered.entries.len(), OLD_ENTRIES.lines().count());
}
