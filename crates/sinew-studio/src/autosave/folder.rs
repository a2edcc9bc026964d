//! Where journals lie, and which of them were left by a crash.

use super::{Journal, JournalError};
use crate::document::Source;
use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    process,
};

/// A folder of journals. A running studio holds a lock on its own; one without a lock was left behind.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
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
    pub fn begin(&self, source: &Source) -> Result<(PathBuf, Journal), JournalError> {
        let mut number = 0;
        loop {
            let path = self.path.join(format!("{}-{number}.journal", process::id()));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Where files cannot be locked, the journal serves all the same.
                    let _ = file.try_lock();
                    return Ok((path, Journal::begin(file, source)?));
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
}

fn is_free(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}
