//! The files that a document names: where their bytes come from.

use std::{
    cell::Cell,
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

/// Loads a file that a document names by a relative path, already percent-decoded.
pub type Fetch<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// Reads the regular file at `path`, of at most `max_bytes`.
///
/// Devices, sockets and named pipes, which may never end or never begin, are refused before anything is read.
///
/// # Errors
/// When the file cannot be read, is not a regular file, or is larger than `max_bytes`.
pub fn read_regular_file(path: impl AsRef<Path>, max_bytes: usize) -> io::Result<Vec<u8>> {
    read_checked(path.as_ref(), max_bytes, |_| Ok(()))
}

/// As [`read_regular_file`], if `check` accepts the file that was opened.
fn read_checked(
    path: &Path,
    max_bytes: usize,
    check: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let is_regular = |metadata: &fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    };
    is_regular(&fs::metadata(path)?)?;
    let file = open(path)?;
    // The file may have been replaced since.
    let metadata = file.metadata()?;
    is_regular(&metadata)?;
    check(&file)?;
    if metadata.len() > max_bytes as u64 {
        let what = format!(
            "has {} bytes, more than the {max_bytes} allowed; --max-memory raises the limit",
            metadata.len()
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    // A file that the system generates while it is read may never end; it reports size zero.
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(metadata.len()).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As [`read_regular_file`], for text.
///
/// # Errors
/// As [`read_regular_file`], and when the content is not valid UTF-8.
pub fn read_regular_text(path: impl AsRef<Path>, max_bytes: usize) -> io::Result<String> {
    let bytes = read_regular_file(path, max_bytes)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Opens a file without waiting for the other end of a pipe that took its place.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// The folder of a document, from which the files that it names are read.
#[derive(Debug)]
pub(crate) struct DocumentFolder {
    path: PathBuf,
    /// True to read files anywhere.
    allows_outside: bool,
    /// The number of bytes that may still be read.
    left: Cell<usize>,
}

impl DocumentFolder {
    /// The folder of the document at `path`; its files may have `max_bytes` together.
    pub(crate) fn of(path: &Path, allows_outside: bool, max_bytes: usize) -> Self {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let path = parent.unwrap_or(Path::new(".")).to_owned();
        Self { path, allows_outside, left: Cell::new(max_bytes) }
    }

    /// Loads a file by its path relative to the folder.
    ///
    /// # Errors
    /// When the file lies outside the folder, cannot be read, is not a regular file, or is too large.
    pub(crate) fn fetch(&self, relative: &str) -> io::Result<Vec<u8>> {
        let path = self.locate(Path::new(relative))?;
        let bytes = read_checked(&path, self.left.get(), |file| self.check_opened(file))?;
        self.left.set(self.left.get() - bytes.len());
        Ok(bytes)
    }

    /// The path of a file in the folder, with all links resolved.
    fn locate(&self, relative: &Path) -> io::Result<PathBuf> {
        if self.allows_outside {
            return Ok(self.path.join(relative));
        }
        // Before the file system is asked, so that the answer does not tell what exists outside.
        if climbs_out(relative) {
            return Err(outside());
        }
        let found = self.path.join(relative).canonicalize()?;
        if found.starts_with(self.path.canonicalize()?) { Ok(found) } else { Err(outside()) }
    }
}

impl DocumentFolder {
    /// Refuses a file outside the folder that took the place of another one, by a link, after that was located.
    #[cfg(target_os = "linux")]
    fn check_opened(&self, file: &File) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;
        // Where /proc is not mounted, the check before opening has to do.
        match fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
            Ok(opened) if !self.allows_outside && !opened.starts_with(self.path.canonicalize()?) => {
                Err(outside())
            }
            _ => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as on Linux")]
    fn check_opened(&self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

/// True if a path leaves the folder that it starts from, by its names alone.
fn climbs_out(relative: &Path) -> bool {
    let mut depth = 0_usize;
    relative.components().any(|component| match component {
        Component::Normal(_) => {
            depth += 1;
            false
        }
        Component::CurDir => false,
        Component::ParentDir => match depth.checked_sub(1) {
            Some(above) => {
                depth = above;
                false
            }
            None => true,
        },
        Component::RootDir | Component::Prefix(_) => true,
    })
}

fn outside() -> io::Error {
    let what = "it is outside the folder of the document; --allow-outside reads it";
    io::Error::new(io::ErrorKind::PermissionDenied, what)
}

/// Refuses every path, for documents that are read from memory.
///
/// # Errors
/// Always: `NotFound`.
pub(crate) fn from_nowhere(_: &str) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::NotFound, "a document in memory has no files next to it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    /// A folder `model` with a file and a folder of its own, next to a file outside.
    fn folders() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("model/textures")).unwrap();
        fs::write(folder.path().join("skin.png"), b"outside").unwrap();
        fs::write(folder.path().join("model/skin.png"), b"inside").unwrap();
        folder
    }

    fn document(folder: &tempfile::TempDir, allows_outside: bool) -> DocumentFolder {
        DocumentFolder::of(&folder.path().join("model/a.gltf"), allows_outside, 1000)
    }

    fn refusal(folder: &DocumentFolder, path: &str) -> ErrorKind {
        folder.fetch(path).unwrap_err().kind()
    }

    #[test]
    fn files_outside_the_folder_are_refused_unless_allowed() {
        let folder = folders();
        let model = document(&folder, false);
        assert_eq!(model.fetch("skin.png").unwrap(), b"inside");
        assert_eq!(model.fetch("textures/../skin.png").unwrap(), b"inside");
        let absolute = folder.path().join("skin.png");
        for path in ["../skin.png", "textures/../../skin.png", "../nothing.png", absolute.to_str().unwrap()] {
            assert_eq!(refusal(&model, path), ErrorKind::PermissionDenied, "{path}");
            assert!(model.fetch(path).unwrap_err().to_string().contains("--allow-outside"));
        }
        let anywhere = document(&folder, true);
        assert_eq!(anywhere.fetch("../skin.png").unwrap(), b"outside");
        assert_eq!(anywhere.fetch(absolute.to_str().unwrap()).unwrap(), b"outside");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_of_the_folder_are_refused_and_others_are_followed() {
        let folder = folders();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join("model").join(name)).unwrap();
        };
        link("../skin.png", "out.png");
        link("skin.png", "in.png");
        link("..", "up");
        let model = document(&folder, false);
        assert_eq!(model.fetch("in.png").unwrap(), b"inside");
        for path in ["out.png", "up/skin.png"] {
            assert_eq!(refusal(&model, path), ErrorKind::PermissionDenied, "{path}");
        }
        assert_eq!(model.fetch("up/model/skin.png").unwrap(), b"inside");
        assert_eq!(document(&folder, true).fetch("out.png").unwrap(), b"outside");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_that_replaces_a_file_after_it_was_located_is_not_read() {
        let folder = folders();
        let model = document(&folder, false);
        let located = model.locate(Path::new("skin.png")).unwrap();
        fs::remove_file(&located).unwrap();
        std::os::unix::fs::symlink("../skin.png", &located).unwrap();
        let error = read_checked(&located, 100, |file| model.check_opened(file)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        let anywhere = document(&folder, true);
        assert_eq!(read_checked(&located, 100, |file| anywhere.check_opened(file)).unwrap(), b"outside");
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = folders();
        assert_eq!(refusal(&document(&folder, false), "textures"), ErrorKind::InvalidInput);
        #[cfg(unix)]
        {
            let pipe = folder.path().join("model/pipe.bin");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
            assert!(made.success());
            // Opening it would wait for a writer for ever.
            assert_eq!(refusal(&document(&folder, false), "pipe.bin"), ErrorKind::InvalidInput);
            assert_eq!(read_regular_file("/dev/zero", 10).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn files_are_bounded_together() {
        let folder = folders();
        let model = DocumentFolder::of(&folder.path().join("model/a.gltf"), false, 10);
        assert!(model.fetch("skin.png").is_ok());
        assert_eq!(refusal(&model, "skin.png"), ErrorKind::FileTooLarge);
    }
}
