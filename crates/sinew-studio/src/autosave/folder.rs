//! Journals in a folder, and those that a crash left there.

use super::{Journal, JournalError, JournalStorage, UnclosedSession};
use crate::document::DocumentSource;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};

/// A folder of journals. A running studio locks its journal; one without a lock belongs to a session that was not closed.
#[derive(Clone, Debug)]
pub struct JournalFolder {
    path: PathBuf,
}

impl JournalFolder {
    /// The folder at `path`, created if it is missing.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn at(path: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Begins a journal with a unique name; returns its path.
    ///
    /// # Errors
    /// If the file cannot be created or written.
    pub fn begin(&self, source: &DocumentSource) -> Result<(PathBuf, Journal), JournalError> {
        let mut number = 0;
        loop {
            let path = self.path.join(format!("{}-{number}.journal", process::id()));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Without file locks the journal still works.
                    let _ = file.try_lock();
                    let file = JournalFile { file, path: path.clone() };
                    return Ok((path, Journal::begin(file, source)?));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Paths of journals that no running studio has locked, the newest first.
    pub fn unclosed(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "journal") && is_free(path))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// The newest unclosed session with at least one step; unreadable journals are skipped.
    pub fn newest_unclosed(&self) -> Option<UnclosedSession> {
        self.unclosed().into_iter().find_map(|path| {
            let journal = fs::read(&path).ok()?;
            UnclosedSession::new(journal, move || {
                // A journal that cannot be removed is offered again.
                let _ = fs::remove_file(path);
            })
        })
    }
}

/// A journal in a file of its own.
#[derive(Debug)]
struct JournalFile {
    file: File,
    path: PathBuf,
}

impl JournalStorage for JournalFile {
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
