//! Opens files of any format that is known here.

use crate::{
    ReadError, ReadFileError,
    gltf::{self, Import, ReadOptions, read_gltf},
};
use std::{
    fs,
    io::{self, Read as _},
    path::{Component, Path},
};

/// Reads the character in the file at `path`, with the files that it names beside it.
///
/// # Errors
/// Where a file cannot be read or what is in it cannot be used.
pub fn read_file(path: &Path) -> Result<Import, ReadFileError> {
    let bytes = fs::read(path).map_err(|source| ReadFileError::Io { path: path.into(), source })?;
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let fetch = |relative: &str| fetch_beside(folder, relative);
    let content = |source| ReadFileError::Content { path: path.into(), source };
    if !looks_like_gltf(&bytes) {
        let what = "this is neither GLB nor glTF JSON; Sinew reads .glb and .gltf".to_owned();
        return Err(content(ReadError::UnknownFormat(what)));
    }
    read_gltf(&bytes, &name, &fetch, &ReadOptions::default()).map_err(content)
}

/// Reads a character from memory. A document that names other files cannot be read this way.
///
/// # Errors
/// Where what is in it cannot be used.
pub fn read_bytes(bytes: &[u8], name: &str) -> Result<Import, ReadError> {
    let fetch =
        |_: &str| Err(io::Error::new(io::ErrorKind::NotFound, "there are no files beside bytes in memory"));
    read_gltf(bytes, name, &fetch, &ReadOptions::default())
}

fn looks_like_gltf(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    gltf::is_glb(bytes) || text.starts_with(b"{")
}

/// Reads a file that a document names by a path relative to its own folder.
fn fetch_beside(folder: &Path, relative: &str) -> io::Result<Vec<u8>> {
    let relative = Path::new(relative);
    // Parent folders are allowed, as exporters put textures there; anything that leaves the file system's tree is not.
    if relative.components().any(|c| matches!(c, Component::RootDir | Component::Prefix(_))) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the path is not relative"));
    }
    let path = folder.join(relative);
    let file = fs::File::open(&path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
    }
    // What the system makes up as it is read may never end; it has no size beforehand.
    let mut bytes = Vec::new();
    file.take(metadata.len()).read_to_end(&mut bytes)?;
    Ok(bytes)
}
