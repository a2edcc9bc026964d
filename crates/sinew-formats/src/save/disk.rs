//! The operations on files that saving needs, so that tests can make each of them fail.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write as _},
    path::Path,
};

/// A file system that can be written to.
pub(super) trait Disk {
    /// Creates a file that must not exist yet, and locks it until it is dropped.
    fn create(&self, path: &Path) -> io::Result<File>;

    /// Appends bytes to a file. After an error some of them may be there.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()>;

    /// Gives a new file the permissions of the file that it replaces.
    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()>;

    /// Waits until the bytes of a file survive a power cut.
    fn sync(&self, file: &File) -> io::Result<()>;

    /// Waits until the names in a folder survive a power cut.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Gives a file a second name, which must not exist yet.
    fn keep(&self, path: &Path, second_name: &Path) -> io::Result<()>;

    /// Renames a file and replaces what has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes the file at `path` from its folder.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct RealDisk;

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        // Saves that look for files without an owner skip locked ones. Some file systems have no locks; there they are
        // told apart by their age.
        let _ = file.lock();
        // Between the two calls the file had no lock and may have been removed as one without an owner.
        fs::symlink_metadata(path).map_err(|_| io::Error::from(io::ErrorKind::AlreadyExists))?;
        Ok(file)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        file.set_permissions(permissions)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Only Unix opens folders as files; elsewhere the file system itself orders renames.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    fn keep(&self, path: &Path, second_name: &Path) -> io::Result<()> {
        // File systems without links get a copy.
        fs::hard_link(path, second_name).or_else(|_| fs::copy(path, second_name).map(drop))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}
