//! A disk that is really full: a small file system in memory, mounted where nobody else sees it.

use super::{arm, faults::long_run};
use sinew_formats::write_file;
use sinew_studio::{
    autosave::{JournalFolder, recover},
    session::JournalEntry,
};
use std::{
    env, fs,
    fs::File,
    io::Write as _,
    path::Path,
    process::{Command as Process, Output},
};

/// The folder that the child of the test below uses, on the small file system.
const CHILD_FOLDER: &str = "SINEW_TEST_FULL_DISK";

/// Runs a shell script with a file system of 1 MiB mounted at `folder`, or returns `None` where that is not allowed.
fn on_a_small_disk(folder: &Path, script: &str) -> Option<Output> {
    let run = |script: &str| {
        let mut shell = Process::new("unshare");
        let mount = format!("mount -t tmpfs -o size=1m tmpfs \"$0\" && {script}");
        shell.args(["-r", "-m", "sh", "-c", &mount]).arg(folder).arg(env::current_exe().unwrap());
        shell.env(CHILD_FOLDER, folder).output()
    };
    run("true").ok().filter(|probe| probe.status.success())?;
    run(script).ok()
}

/// Fills the disk below `folder`, until `free_bytes` are left.
fn fill(folder: &Path, free_bytes: u64) {
    let path = folder.join("filler");
    let mut filler = File::create(&path).unwrap();
    while filler.write_all(&[7; 4096]).is_ok() {}
    let length = filler.metadata().unwrap().len();
    filler.set_len(length.saturating_sub(free_bytes)).unwrap();
}

/// The entries of the run over and over, as many as a long day has.
fn many_edits() -> Vec<JournalEntry> {
    (0..4).flat_map(|_| long_run()).take(1160).collect()
}

/// The child of the test below; without the variable it does nothing.
#[test]
fn child_on_a_full_disk() {
    let Some(disk) = env::var_os(CHILD_FOLDER).map(std::path::PathBuf::from) else { return };
    let saved = disk.join("arm.glb");
    write_file(&saved, &sinew_samples::arm()).unwrap();
    let before = fs::read(&saved).unwrap();
    let folder = JournalFolder::at(disk.join("journals")).unwrap();
    let (path, mut journal) = folder.begin(&arm()).unwrap();
    let (edits, mut acknowledged, mut failures) = (many_edits(), 0, 0);
    fill(&disk, 12 << 10);
    for (count, entry) in (1..).zip(&edits) {
        journal.note(entry).unwrap();
        match journal.tick(count as f64) {
            Ok(()) if !journal.is_pending() => acknowledged = count,
            Ok(()) => {}
            Err(error) => {
                failures += 1;
                assert!(error.to_string().contains("space"), "{error}");
            }
        }
    }
    assert!(acknowledged > 0 && failures > 100, "{acknowledged} acknowledged, {failures} failures");
    let found = recover(&fs::read(&path).unwrap()).unwrap();
    assert!(found.entries.len() >= acknowledged && found.is_complete());
    assert_eq!(found.entries, edits[..found.entries.len()]);
    // A save does not fit either, and leaves the file as it was.
    let error = write_file(&saved, &sinew_samples::figure()).unwrap_err();
    assert!(error.to_string().contains("space"), "{error}");
    assert!(fs::read(&saved).unwrap() == before);
    fs::remove_file(disk.join("filler")).unwrap();
    journal.flush().unwrap();
    assert_eq!(recover(&fs::read(&path).unwrap()).unwrap().entries, edits);
    println!("{acknowledged} of {} edits were acknowledged before the disk was full", edits.len());
}

#[test]
fn a_full_disk_loses_no_edit() {
    let folder = tempfile::tempdir().unwrap();
    let script = "exec \"$1\" --exact journals::full_disk::child_on_a_full_disk --nocapture";
    let Some(output) = on_a_small_disk(folder.path(), script) else {
        println!("skipped: file systems cannot be mounted here");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{output:?}");
}
