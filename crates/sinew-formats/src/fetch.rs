//! The files that a document names: where their bytes come from.

use std::{
    fs,
    io::{self, Read as _},
    path::{Component, Path},
};

/// Loads a file that a document names by a relative path, already percent-decoded.
pub type Fetch<'a> = dyn Fn(&str) -> io::Result<Vec<u8>> + 'a;

/// Loads a file by its path relative to `folder`.
///
/// # Errors
/// When the path is not relative, or the file cannot be read or is not a regular file.
pub(crate) fn from_folder(folder: &Path, relative: &str) -> io::Result<Vec<u8>> {
    let relative = Path::new(relative);
    // Parent folders are allowed, because exporters put textures there. Absolute paths are not.
    if relative.components().any(|c| matches!(c, Component::RootDir | Component::Prefix(_))) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the path is not relative"));
    }
    let path = folder.join(relative);
    let file = fs::File::open(&path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    // A file that the system generates while it is read may never end; it reports size zero.
    let mut bytes = Vec::new();
    file.take(metadata.len()).read_to_end(&mut bytes)?;
    Ok(bytes)
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

    #[test]
    fn parent_folders_are_read_and_absolute_paths_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("model")).unwrap();
        fs::write(folder.path().join("skin.png"), b"png").unwrap();
        let model = folder.path().join("model");
        assert_eq!(from_folder(&model, "../skin.png").unwrap(), b"png");
        let absolute = folder.path().join("skin.png");
        assert_eq!(
            from_folder(&model, absolute.to_str().unwrap()).unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        assert_eq!(from_folder(folder.path(), "model").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
