//! Saving on a disk that fails at any step.

use super::{
    disk::{Disk, RealDisk},
    transaction::{SaveFile, save_together},
};
use std::{
    cell::Cell,
    fs::{self, File, Permissions},
    io,
    path::Path,
};

/// What happens from the step on that fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Only this step fails, as for a moment without space.
    Once,
    /// Nothing works any more, as if the process was killed there.
    Crash,
}

/// A disk whose n-th operation fails.
#[derive(Debug)]
struct FailingDisk {
    fails_at: usize,
    fault: Fault,
    steps: Cell<usize>,
}

impl FailingDisk {
    fn new(fails_at: usize, fault: Fault) -> Self {
        Self { fails_at, fault, steps: Cell::new(0) }
    }

    fn step(&self) -> io::Result<()> {
        let step = self.steps.replace(self.steps.get() + 1);
        let fails = match self.fault {
            Fault::Once => step == self.fails_at,
            Fault::Crash => step >= self.fails_at,
        };
        if fails { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn has_failed(&self) -> bool {
        self.steps.get() > self.fails_at
    }
}

impl Disk for FailingDisk {
    fn create(&self, path: &Path) -> io::Result<File> {
        self.step()?;
        RealDisk.create(path)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        let outcome = self.step();
        // A full disk takes what fits.
        let fits = if outcome.is_ok() { bytes.len() } else { bytes.len() / 2 };
        RealDisk.write(file, &bytes[..fits])?;
        outcome
    }

    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        self.step()?;
        RealDisk.set_permissions(file, permissions)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.step()?;
        RealDisk.sync(file)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.step()?;
        RealDisk.sync_folder(folder)
    }

    fn keep(&self, path: &Path, second_name: &Path) -> io::Result<()> {
        self.step()?;
        RealDisk.keep(path, second_name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        RealDisk.remove(path)
    }
}

const OLD: [&[u8]; 2] = [b"old buffer", b"old document"];
const NEW: [&[u8]; 2] = [b"the new buffer", b"the new document"];

/// A folder with two files, and what a save of new ones on `disk` returns.
fn replace_both(disk: &FailingDisk) -> (tempfile::TempDir, bool) {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.bin", "a.gltf"].map(|name| folder.path().join(name));
    for (path, bytes) in paths.iter().zip(OLD) {
        fs::write(path, bytes).unwrap();
    }
    let files: Vec<_> = paths
        .iter()
        .zip(NEW)
        .map(|(path, bytes)| SaveFile { path, pieces: bytes.chunks(5).collect() })
        .collect();
    let is_saved = save_together(disk, &files).is_ok();
    (folder, is_saved)
}

fn content(folder: &Path) -> [Vec<u8>; 2] {
    ["a.bin", "a.gltf"].map(|name| fs::read(folder.join(name)).unwrap_or_default())
}

fn temporary_files(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".tmp")).count()
}

#[test]
fn a_failure_at_any_step_leaves_both_files_as_they_were_or_replaces_both() {
    let mut failures = 0;
    for fails_at in 0.. {
        let disk = FailingDisk::new(fails_at, Fault::Once);
        let (folder, is_saved) = replace_both(&disk);
        let want = if is_saved { NEW } else { OLD };
        assert_eq!(content(folder.path()), want, "step {fails_at}");
        if !disk.has_failed() {
            assert_eq!(temporary_files(folder.path()), 0);
            break;
        }
        failures += usize::from(!is_saved);
    }
    assert!(failures > 12, "only {failures} steps were made to fail");
}

#[test]
fn a_crash_at_any_step_leaves_whole_files_and_the_next_save_cleans_up() {
    for fails_at in 0.. {
        let disk = FailingDisk::new(fails_at, Fault::Crash);
        let (folder, _) = replace_both(&disk);
        for (found, (old, new)) in content(folder.path()).iter().zip(OLD.iter().zip(NEW)) {
            assert!(found == old || found == new, "step {fails_at}: {found:?}");
        }
        // The document is never new while its buffer is old.
        let [buffer, document] = content(folder.path());
        assert!(document != NEW[1] || buffer == NEW[0], "step {fails_at}");
        for name in ["a.bin", "a.gltf"] {
            super::save_bytes(folder.path().join(name), b"later").unwrap();
        }
        assert_eq!(temporary_files(folder.path()), 0, "step {fails_at}");
        if !disk.has_failed() {
            break;
        }
    }
}

#[test]
fn new_files_that_cannot_all_be_written_do_not_appear() {
    for fails_at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.json", "a.f32"].map(|name| folder.path().join(name));
        let files: Vec<_> = paths.iter().map(|path| SaveFile { path, pieces: vec![b"data"] }).collect();
        let disk = FailingDisk::new(fails_at, Fault::Once);
        let is_saved = save_together(&disk, &files).is_ok();
        assert!(paths.iter().all(|path| path.exists() == is_saved), "step {fails_at}");
        if !disk.has_failed() {
            break;
        }
    }
}
