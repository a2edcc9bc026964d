//! Where journals lie, and which of them were left by a crash.

use super::{Journal, JournalError, LeftBehind, Shelf};
use crate::document::DocumentSource;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};

/// A folder of journals. A running studio holds a lock on its own; one without a lock was left behind.
#[derive(Clone, Debug)]
pub struct JournalFolder {
    path: PathBuf,
}

impl JournalFolder {
    /// The folder at `path`, made where it is missing.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn at(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Begins a journal under a name that no other has, and gives that name.
    ///
    /// # Errors
    /// Where the file system says no.
    pub fn begin(&self, source: &DocumentSource) -> Result<(PathBuf, Journal), JournalError> {
        let mut number = 0;
        loop {
            let path = self.path.join(format!("{}-{number}.journal", process::id()));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Where files cannot be locked, the journal serves all the same.
                    let _ = file.try_lock();
                    let shelf = OnDisk { file, path: path.clone() };
                    return Ok((path, Journal::begin(shelf, source)?));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The journals that no running studio holds, the newest first.
    pub fn left_behind(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "journal") && is_free(path))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// The newest of them in which something was done; what cannot be read is passed over.
    pub fn newest_left(&self) -> Option<LeftBehind> {
        self.left_behind().into_iter().find_map(|path| {
            let journal = fs::read(&path).ok()?;
            LeftBehind::new(journal, move || {
                // What cannot be removed is offered again.
                let _ = fs::remove_file(path);
            })
        })
    }
}

/// A journal in a file of its own.
#[derive(Debug)]
struct OnDisk {
    file: File,
    path: PathBuf,
}

impl Shelf for OnDisk {
    fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)
    }

    fn clear(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn is_free(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}
