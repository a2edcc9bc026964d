//! Several files that appear together or not at all.

use super::{disk::Disk, target::SaveTarget};
use crate::WriteError;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// A file to write: its path and its bytes in pieces.
pub(super) struct SaveFile<'a> {
    pub(super) path: &'a Path,
    pub(super) pieces: Vec<&'a [u8]>,
}

/// Writes every file under a temporary name. When all bytes are on disk, the files are renamed in order. After an error
/// every path holds what it held before. Files that hold their bytes already are left alone.
pub(super) fn save_together(disk: &dyn Disk, files: &[SaveFile<'_>]) -> Result<(), WriteError> {
    let mut staged = Vec::new();
    for file in files {
        let failed = |source| WriteError::Io { path: file.path.to_owned(), source };
        let target = SaveTarget::at(file.path).map_err(failed)?;
        if target.is_stream() {
            staged.push(Staged::stream(file, target));
        } else if !target.holds(&file.pieces) {
            remove_leftovers(disk, &target);
            staged.push(Staged::write(disk, file, target).map_err(failed)?);
        }
    }
    let mut committed = Vec::new();
    for staged in staged {
        let path = staged.given.to_owned();
        match staged.commit(disk) {
            Ok(done) => committed.push(done),
            Err(source) => {
                // The newest first: a path may occur twice.
                committed.into_iter().rev().for_each(|done: Committed<'_>| done.undo());
                return Err(WriteError::Io { path, source });
            }
        }
    }
    finish(disk, committed)
}

/// Makes the new names survive a power cut, and removes what an undo would have needed.
fn finish(disk: &dyn Disk, committed: Vec<Committed<'_>>) -> Result<(), WriteError> {
    let mut folders: Vec<&Path> = committed.iter().map(|done| done.target.folder()).collect();
    folders.dedup();
    let synced = folders.iter().try_for_each(|folder| {
        let failed = |source| WriteError::Io { path: (*folder).to_owned(), source };
        disk.sync_folder(folder).map_err(failed)
    });
    match synced {
        Ok(()) => committed.into_iter().for_each(Committed::forget_old),
        Err(error) => {
            committed.into_iter().rev().for_each(Committed::undo);
            return Err(error);
        }
    }
    Ok(())
}

/// Removes temporary files of saves whose process was killed.
fn remove_leftovers(disk: &dyn Disk, target: &SaveTarget) {
    for path in target.leftovers() {
        // One that cannot be removed does no harm.
        let _ = disk.remove(&path);
    }
}

/// A file under a temporary name, removed unless it is committed.
struct Staged<'a> {
    given: &'a Path,
    target: SaveTarget,
    content: Content<'a>,
}

enum Content<'a> {
    /// Bytes that wait for a pipe or a device.
    Stream(&'a [&'a [u8]]),
    /// Bytes on disk, under a temporary name that is locked while the file is open.
    Temporary(Temporary<'a>),
}

impl<'a> Staged<'a> {
    fn stream(file: &'a SaveFile<'a>, target: SaveTarget) -> Self {
        Self { given: file.path, target, content: Content::Stream(&file.pieces) }
    }

    fn write(disk: &'a dyn Disk, file: &SaveFile<'a>, target: SaveTarget) -> io::Result<Self> {
        let mut temporary = Temporary::create(disk, &target)?;
        for piece in &file.pieces {
            disk.write(&mut temporary.file, piece)?;
        }
        if let Some(existing) = &target.existing {
            disk.set_permissions(&temporary.file, existing.permissions())?;
        }
        // Without this a crash after the rename could leave an empty file under the name.
        disk.sync(&temporary.file)?;
        Ok(Self { given: file.path, target, content: Content::Temporary(temporary) })
    }

    fn commit(self, disk: &'a dyn Disk) -> io::Result<Committed<'a>> {
        let mut done = Committed { disk, target: self.target, old: None, is_renamed: false };
        match self.content {
            Content::Stream(pieces) => {
                let mut stream = File::options().write(true).open(&done.target.path)?;
                pieces.iter().try_for_each(|piece| disk.write(&mut stream, piece))?;
            }
            Content::Temporary(mut temporary) => {
                if done.target.existing.is_some() {
                    let old = done.target.temporary();
                    disk.keep(&done.target.path, &old)?;
                    done.old = Some(ReplacedFile::locked(old));
                }
                if let Err(error) = disk.rename(&temporary.path, &done.target.path) {
                    done.forget_old();
                    return Err(error);
                }
                temporary.is_committed = true;
                done.is_renamed = true;
            }
        }
        Ok(done)
    }
}

/// A temporary file that is removed unless it is committed.
struct Temporary<'a> {
    disk: &'a dyn Disk,
    file: File,
    path: PathBuf,
    is_committed: bool,
}

impl<'a> Temporary<'a> {
    fn create(disk: &'a dyn Disk, target: &SaveTarget) -> io::Result<Self> {
        const ATTEMPTS: usize = 100;
        for _ in 0..ATTEMPTS {
            let path = target.temporary();
            match disk.create(&path) {
                Ok(file) => return Ok(Self { disk, file, path, is_committed: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "every temporary name is taken"))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            // A failure to clean up is not reported: the error that led here is.
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// A file that has its name, with what is needed to take it back.
struct Committed<'a> {
    disk: &'a dyn Disk,
    target: SaveTarget,
    old: Option<ReplacedFile>,
    is_renamed: bool,
}

/// A file that was replaced, under its second name.
struct ReplacedFile {
    path: PathBuf,
    /// Locked, so that another save does not remove it as one without an owner.
    _lock: Option<File>,
}

impl ReplacedFile {
    fn locked(path: PathBuf) -> Self {
        let lock = File::open(&path).ok().filter(|file| file.try_lock().is_ok());
        Self { path, _lock: lock }
    }
}

impl Committed<'_> {
    /// Puts back what was there before.
    fn undo(self) {
        // A failure is not reported: the error that led here is. The old file then stays under its second name.
        let _ = match &self.old {
            Some(old) => self.disk.rename(&old.path, &self.target.path),
            None if self.is_renamed => self.disk.remove(&self.target.path),
            None => Ok(()),
        };
    }

    /// Removes the second name of the file that was replaced.
    fn forget_old(self) {
        if let Some(old) = &self.old {
            let _ = self.disk.remove(&old.path);
        }
    }
}
