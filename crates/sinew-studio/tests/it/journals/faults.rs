//! A file layer that fails at the n-th operation: nothing that was acknowledged is lost, nothing is written twice.

use super::{Memory, arm};
use crate::commands::open;
use sinew_studio::{
    autosave::{AppendFile, Journal, JournalFile, recover},
    command::{Command, WeightOp},
    session::{JournalEntry, Session},
};
use std::io;

/// How many bytes of a failing write reach the file.
#[derive(Clone, Copy, Debug)]
enum Partial {
    None,
    One,
    Half,
    AllButOne,
    /// The whole write succeeds, but the sync after it fails.
    All,
}

impl Partial {
    const EVERY: [Self; 5] = [Self::None, Self::One, Self::Half, Self::AllButOne, Self::All];

    fn of(self, length: usize) -> usize {
        match self {
            Self::None => 0,
            Self::One => length.min(1),
            Self::Half => length / 2,
            Self::AllButOne => length.saturating_sub(1),
            Self::All => length,
        }
    }
}

/// A disk that is full from one write on, for some operations.
#[derive(Clone, Debug)]
struct Faulty {
    memory: Memory,
    /// Writes until the first failure.
    writes_left: usize,
    /// Operations that fail from then on, truncations and syncs included.
    faults_left: usize,
    partial: Partial,
    is_failing: bool,
}

impl Faulty {
    fn new(nth: usize, partial: Partial, faults: usize) -> Self {
        let memory = Memory::default();
        Self { memory, writes_left: nth, faults_left: faults, partial, is_failing: false }
    }

    /// An error while the disk is full.
    fn fault(&mut self) -> io::Result<()> {
        if !self.is_failing || self.faults_left == 0 {
            self.is_failing = false;
            return Ok(());
        }
        self.faults_left -= 1;
        Err(io::ErrorKind::StorageFull.into())
    }
}

impl JournalFile for Faulty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.fault()?;
        if self.writes_left == 0 && self.faults_left > 0 {
            // As a full disk does: the first bytes are written, and the next call fails.
            self.is_failing = true;
            let count = self.partial.of(bytes.len());
            self.memory.write(&bytes[..count])?;
            return if count == 0 { self.fault().map(|()| 0) } else { Ok(count) };
        }
        self.writes_left = self.writes_left.saturating_sub(1);
        self.memory.write(bytes)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.fault()?;
        self.memory.truncate(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.fault()
    }
}

/// A long run of edits of the arm, as a user makes them, with the ones that a session accepts.
pub(super) fn long_run() -> Vec<JournalEntry> {
    let edit = |n: usize| -> JournalEntry {
        let angle = n as f32 * 0.01;
        match n % 12 {
            3 => JournalEntry::Undo,
            4 => JournalEntry::Redo,
            5 => Command::Translate { joint: 1, translation: [angle, 0.5, 0.0] }.into(),
            7 => Command::KeyPose.into(),
            9 => Command::SelectJoint(Some((n % 2) as u16)).into(),
            11 => {
                Command::Weights { instances: vec![0], op: WeightOp::Sharpen { power: 1.0 + angle * 0.01 } }
                    .into()
            }
            _ => Command::Rotate { joint: 1, rotation: [0.0, angle.sin(), 0.0, angle.cos()] }.into(),
        }
    };
    (0..320).map(edit).collect()
}

/// The journal after a run, and the number of ticks that failed.
struct Run {
    memory: Memory,
    failures: usize,
}

/// Records `entries`, four a second. `at_failure` gets the number of acknowledged entries and the journal.
fn run(entries: &[JournalEntry], file: Faulty, mut at_failure: impl FnMut(usize, &[u8])) -> Run {
    let memory = file.memory.clone();
    let mut journal = Journal::begin(AppendFile::new(file), &arm()).unwrap();
    let (mut acknowledged, mut failures) = (0, 0);
    for (count, entry) in (1..).zip(entries) {
        journal.note(entry).unwrap();
        // A second passes with every fourth edit.
        match journal.tick(count as f64 / 4.0) {
            Ok(()) if !journal.is_pending() => acknowledged = count,
            Ok(()) => {}
            Err(_) => {
                failures += 1;
                at_failure(acknowledged, &memory.bytes());
            }
        }
    }
    let mut tries = 0..20;
    while journal.flush().is_err() {
        failures += 1;
        assert!(tries.next().is_some(), "the journal never recovers");
    }
    Run { memory, failures }
}

fn replayed(journal: &[u8]) -> Vec<JournalEntry> {
    recover(journal).unwrap().entries
}

#[test]
fn a_disk_that_fails_at_any_write_loses_nothing_that_was_acknowledged() {
    let entries = long_run();
    let mut session = open("arm");
    entries.iter().for_each(|entry| assert!(session.perform(entry).unwrap(), "{entry:?}"));
    let clean = run(&entries, Faulty::new(usize::MAX, Partial::None, 0), |_, _| {}).memory.bytes();
    assert_eq!(*recover(&clean).unwrap().session.document(), *session.document());
    let ends: Vec<usize> = (1..=clean.len()).filter(|end| clean[end - 1] == b'\n').collect();
    let heads = ends.len() - entries.len();
    let writes = entries.len() / 4 + 1;
    let mut failed_runs = 0;
    for nth in 0..writes {
        for (place, partial) in Partial::EVERY.into_iter().enumerate() {
            // One fault, and one that outlasts the truncation and several ticks.
            for faults in [1, 2 + (nth + place) % 7] {
                let check = |acknowledged: usize, journal: &[u8]| {
                    // The process is killed while the disk is full: every acknowledged record is whole.
                    let end = if acknowledged == 0 { 0 } else { ends[heads + acknowledged - 1] };
                    assert!(journal.starts_with(&clean[..end]), "write {nth}, {partial:?}, {faults} faults");
                };
                let Run { memory, failures } = run(&entries, Faulty::new(nth, partial, faults), check);
                failed_runs += usize::from(failures > 0);
                // What is written again is written once, so the file is the same to the byte.
                assert!(memory.bytes() == clean, "write {nth}, {partial:?}, {faults} faults");
            }
        }
    }
    assert!(failed_runs > writes * 8, "{failed_runs} runs failed");
}

#[test]
fn recovery_while_the_disk_is_full_yields_everything_that_was_acknowledged() {
    let entries = long_run();
    for nth in [0, 1, 2, 40, 79] {
        for partial in Partial::EVERY {
            let mut checked = 0;
            let check = |acknowledged: usize, journal: &[u8]| {
                if acknowledged == 0 {
                    return;
                }
                let found = replayed(journal);
                assert!(found.len() >= acknowledged, "{} of {acknowledged}", found.len());
                assert_eq!(found, entries[..found.len()]);
                checked += 1;
            };
            let Run { memory, .. } = run(&entries, Faulty::new(nth, partial, 9), check);
            assert!(nth < 2 || checked > 0, "write {nth}, {partial:?}");
            assert_eq!(replayed(&memory.bytes()), entries);
        }
    }
}

#[test]
fn a_recovered_session_equals_the_one_that_was_lost() {
    let entries = long_run();
    let mut session: Session = open("arm");
    entries.iter().for_each(|entry| assert!(session.perform(entry).unwrap()));
    let Run { memory, failures } = run(&entries, Faulty::new(17, Partial::Half, 5), |_, _| {});
    assert!(failures > 0);
    let recovered = recover(&memory.bytes()).unwrap();
    assert!(recovered.is_complete() && recovered.skipped_bytes == 0);
    assert_eq!(*recovered.session.document(), *session.document());
    assert_eq!(recovered.session.history(), session.history());
}
