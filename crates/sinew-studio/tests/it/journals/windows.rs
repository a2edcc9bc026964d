//! Several windows, in threads and in processes, share a folder of journals.

use super::{arm, entries};
use sinew_studio::{
    autosave::{JournalFolder, recover},
    session::JournalEntry,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command as Process},
    sync::Barrier,
};

fn folder() -> (tempfile::TempDir, JournalFolder) {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().join("journals")).unwrap();
    (dir, folder)
}

/// A journal of a session that was not closed.
fn leave(folder: &JournalFolder, entries: &[JournalEntry]) -> PathBuf {
    let (path, mut journal) = folder.begin(&arm()).unwrap();
    entries.iter().for_each(|entry| journal.note(entry).unwrap());
    journal.flush().unwrap();
    path
}

#[test]
fn only_unlocked_journals_belong_to_unclosed_sessions() {
    let (_dir, folder) = folder();
    let (held_path, held) = folder.begin(&arm()).unwrap();
    let (left_path, left) = folder.begin(&arm()).unwrap();
    drop(left);
    assert_eq!(folder.unclosed(), std::slice::from_ref(&left_path));
    drop(held);
    let all = folder.unclosed();
    assert!(all.len() == 2 && all.contains(&held_path) && all.contains(&left_path));
}

#[test]
fn a_claimed_journal_is_found_by_no_other_window_until_it_is_released() {
    let (_dir, folder) = folder();
    let path = leave(&folder, &entries());
    let claimed = folder.newest_unclosed().unwrap();
    assert!(folder.newest_unclosed().is_none() && folder.unclosed().is_empty());
    drop(claimed);
    assert!(path.exists(), "a journal that was not discarded stays");
    folder.newest_unclosed().unwrap().discard();
    assert!(!path.exists() && folder.newest_unclosed().is_none());
}

#[test]
fn a_journal_without_a_step_is_deleted_and_one_with_damage_is_kept() {
    let (_dir, folder) = folder();
    let empty = leave(&folder, &[]);
    assert!(folder.newest_unclosed().is_none() && !empty.exists());
    let damaged = leave(&folder, &entries()[..1]);
    let mut bytes = fs::read(&damaged).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let unclosed = folder.newest_unclosed().unwrap();
    assert!(unclosed.steps() == 0 && !unclosed.recover().unwrap().is_complete());
    assert!(damaged.exists());
}

#[test]
fn an_unclosed_session_goes_to_one_of_many_windows() {
    const WINDOWS: usize = 8;
    let (_dir, folder) = folder();
    for round in 0..20 {
        let path = leave(&folder, &entries()[..3]);
        let barrier = Barrier::new(WINDOWS);
        let found: Vec<_> = std::thread::scope(|scope| {
            let window = || {
                barrier.wait();
                let found = folder.newest_unclosed();
                // Everybody has looked before anybody lets go.
                barrier.wait();
                found.map(|unclosed| {
                    assert_eq!(unclosed.steps(), 3);
                    unclosed.discard();
                })
            };
            let windows: Vec<_> = (0..WINDOWS).map(|_| scope.spawn(window)).collect();
            windows.into_iter().filter_map(|window| window.join().unwrap()).collect()
        });
        assert_eq!(found.len(), 1, "round {round}");
        assert!(!path.exists());
    }
}

/// How often each window opens: an unprotected protocol fails within some hundred rounds.
const ROUNDS: usize = 300;

/// Creates journals with a step, checks that each is still there, and looks for those of others in between.
fn use_windows(path: &Path, rounds: usize) {
    let folder = JournalFolder::at(path.into()).unwrap();
    for round in 0..rounds {
        let (path, mut journal) = folder.begin(&arm()).unwrap();
        assert!(path.exists(), "round {round}: a live journal was deleted");
        journal.note(&entries()[0]).unwrap();
        assert!(folder.newest_unclosed().is_none(), "round {round}: a live journal was taken for left over");
        journal.flush().unwrap();
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_eq!(recover(&bytes).unwrap().entries.len(), 1);
        journal.end();
    }
}

#[test]
fn live_journals_of_threads_are_never_deleted() {
    let (dir, _) = folder();
    let path = dir.path().join("journals");
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| use_windows(&path, ROUNDS))));
    });
}

/// The folder that a child process of this test uses.
const CHILD_FOLDER: &str = "SINEW_TEST_JOURNALS";

/// The child of the test below; without the variable it does nothing.
#[test]
fn child_window() {
    if let Some(path) = env::var_os(CHILD_FOLDER) {
        use_windows(Path::new(&path), ROUNDS);
    }
}

#[test]
fn live_journals_of_processes_are_never_deleted() {
    let (dir, _) = folder();
    let start = |_| {
        let mut child = Process::new(env::current_exe().unwrap());
        child.args(["--exact", "journals::windows::child_window"]);
        child.env(CHILD_FOLDER, dir.path().join("journals")).spawn().unwrap()
    };
    let children: Vec<Child> = (0..4).map(start).collect();
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}
