//! Where the bytes of a file go: the file itself, what a link leads to, or a pipe.

use std::{
    ffi::OsString,
    fs::{self, Metadata},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

/// The place that a path stands for.
#[derive(Debug)]
pub(super) struct SaveTarget {
    /// The path with links followed, so that a link stays a link.
    pub(super) path: PathBuf,
    /// The file that is there already.
    pub(super) existing: Option<Metadata>,
}

impl SaveTarget {
    /// Finds the place of `path`.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        let path = without_links(path)?;
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
        }
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
            Ok(found) if found.is_file() && found.permissions().readonly() => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"))
            }
            Ok(found) => Ok(Self { path, existing: Some(found) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { path, existing: None }),
            Err(error) => Err(error),
        }
    }

    /// True for a pipe or a device: it takes bytes and cannot be replaced.
    pub(super) fn is_stream(&self) -> bool {
        self.existing.as_ref().is_some_and(|found| !found.is_file())
    }

    /// True if the file is there and holds these bytes, given in pieces.
    pub(super) fn holds(&self, pieces: &[&[u8]]) -> bool {
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        let same_length = |found: &Metadata| found.is_file() && found.len() == length as u64;
        self.existing.as_ref().is_some_and(same_length) && has_content(&self.path, pieces).unwrap_or(false)
    }

    /// The folder of the file.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// A name in the same folder that no other save of any process uses.
    pub(super) fn temporary(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut name = temporary_prefix(&self.path);
        name.push(format!("{}-{count}{TEMPORARY_SUFFIX}", std::process::id()));
        self.path.with_file_name(name)
    }

    /// Files that a save of this file left behind when its process was killed.
    pub(super) fn leftovers(&self) -> Vec<PathBuf> {
        let prefix = temporary_prefix(&self.path);
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| {
            let middle = path.file_name().and_then(|name| {
                let name = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes())?;
                name.strip_suffix(TEMPORARY_SUFFIX.as_bytes())
            });
            middle.is_some_and(|m| !m.is_empty() && m.iter().all(|b| b.is_ascii_digit() || *b == b'-'))
        };
        entries.map(|entry| entry.path()).filter(|path| is_ours(path) && has_no_owner(path)).collect()
    }
}

const TEMPORARY_SUFFIX: &str = ".tmp";

fn temporary_prefix(path: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// True if no running save has the file locked, or if it is a day old where files cannot be locked.
fn has_no_owner(path: &Path) -> bool {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let Ok(file) = fs::File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(fs::TryLockError::WouldBlock) => false,
        Err(fs::TryLockError::Error(_)) => {
            let changed = file.metadata().and_then(|found| found.modified());
            changed.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > DAY))
        }
    }
}

/// Follows links, also one whose target does not exist yet.
fn without_links(path: &Path) -> io::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => {
                let to = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links lead to each other"))
}

fn has_content(path: &Path, pieces: &[&[u8]]) -> io::Result<bool> {
    let mut file = fs::File::open(path)?;
    let longest = pieces.iter().map(|piece| piece.len()).max().unwrap_or(0);
    let mut chunk = vec![0; longest.clamp(1, 1 << 20)];
    for part in pieces.iter().flat_map(|piece| piece.chunks(1 << 20)) {
        let read = &mut chunk[..part.len()];
        file.read_exact(read)?;
        if read != part {
            return Ok(false);
        }
    }
    Ok(true)
}
