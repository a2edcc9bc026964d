//! Journals in a folder, and those that a crash left there.

use super::{AppendFile, Journal, JournalError, JournalStorage, UnclosedSession};
use crate::document::DocumentSource;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

/// The file whose lock a process holds while it creates, claims or deletes journals.
const LOCK: &str = "folder.lock";

/// A folder of journals that any number of windows share.
///
/// A window holds the lock of its journal; a journal without a lock belongs to a session that was not closed. Creating and
/// locking a journal is one step for the other windows, and so is finding and claiming one, because both happen under the
/// lock of the folder.
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
    /// If the file cannot be created.
    pub fn begin(&self, source: &DocumentSource) -> Result<(PathBuf, Journal), JournalError> {
        let (path, file) = {
            let _alone = self.alone();
            let (path, file) = self.create()?;
            // Without file locks the journal still works.
            let _ = file.try_lock();
            (path, file)
        };
        let storage = FolderJournal { file: AppendFile::new(file), path: path.clone(), folder: self.clone() };
        Ok((path, Journal::begin(storage, source)?))
    }

    /// A new, empty file.
    fn create(&self) -> io::Result<(PathBuf, File)> {
        let mut number = 0;
        loop {
            let path = self.path.join(format!("{}-{number}.journal", process::id()));
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Paths of journals that no process has locked, the newest first.
    pub fn unclosed(&self) -> Vec<PathBuf> {
        let _alone = self.alone();
        self.journals().into_iter().filter(|path| claim(path).is_some()).collect()
    }

    /// Claims the newest unclosed session with at least one step, so that no other window can recover or delete it.
    /// Unreadable journals are skipped; journals without a step are deleted.
    pub fn newest_unclosed(&self) -> Option<UnclosedSession> {
        let _alone = self.alone();
        self.journals().into_iter().find_map(|path| {
            let mut file = claim(&path)?;
            let mut journal = Vec::new();
            file.read_to_end(&mut journal).ok()?;
            let (folder, same) = (self.clone(), path.clone());
            let unclosed = UnclosedSession::new(journal, move || {
                folder.remove(&same);
                // The claim ends when the journal is gone.
                drop(file);
            });
            if unclosed.is_none() {
                // A journal that cannot be removed is found again.
                let _ = fs::remove_file(path);
            }
            unclosed
        })
    }

    /// Paths of all journals, the last written first.
    fn journals(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut found: Vec<(SystemTime, PathBuf)> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "journal"))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Waits for the lock of the folder, which is held until the value is dropped; `None` without file locks.
    fn alone(&self) -> Option<File> {
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(self.path.join(LOCK)).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Deletes a journal that this process has locked.
    fn remove(&self, path: &Path) {
        let _alone = self.alone();
        // A journal that cannot be removed is offered again.
        let _ = fs::remove_file(path);
    }
}

/// The file at `path` with its lock; `None` if another process or window has it.
fn claim(path: &Path) -> Option<File> {
    // Some network file systems lock only files that are open for writing.
    let file = OpenOptions::new().read(true).append(true).open(path).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// A journal in a file of its own.
#[derive(Debug)]
struct FolderJournal {
    file: AppendFile<File>,
    path: PathBuf,
    folder: JournalFolder,
}

impl JournalStorage for FolderJournal {
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        self.file.append(records)
    }

    fn clear(&mut self) {
        self.folder.remove(&self.path);
    }
}
