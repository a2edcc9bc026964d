//! Copies of opened files, kept in a journal before they are replaced by a save.

use crate::document::{DocumentOpenError, DocumentSource, Opened};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The maximum size of a file that is kept, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// An opened file as it was before a save replaced it. Steps before the save replay on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptFile {
    pub(super) path: PathBuf,
    content: DocumentSource,
}

/// The record of a kept file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptRecord {
    pub(super) kept: KeptFile,
}

impl KeptRecord {
    /// True if the JSON of a record is that of a kept file.
    pub(super) fn is_kept(json: &[u8]) -> bool {
        json.starts_with(b"{\"kept\":")
    }
}

impl KeptFile {
    /// Reads the file at `path`; the files that a .gltf names are embedded.
    pub(super) fn read(path: PathBuf) -> io::Result<Self> {
        let length = fs::metadata(&path)?.len();
        if length > MAX_BYTES {
            let reason = format!("{} has {length} bytes, at most {MAX_BYTES} are kept", path.display());
            return Err(io::Error::other(reason));
        }
        let mut bytes = fs::read(&path)?;
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gltf")) {
            let folder = path.parent().unwrap_or(Path::new(""));
            bytes = sinew_formats::embedded(&bytes, |name| beside(folder, name)).map_err(io::Error::other)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { path, content: DocumentSource::Content { name, bytes: bytes.into() } })
    }

    /// Opens the kept copy.
    pub(super) fn open(&self) -> Result<Opened, DocumentOpenError> {
        self.content.open()
    }
}

/// The content of a file in `folder` or below.
fn beside(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(name);
    let is_small = || fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
    if is_below && is_small() { fs::read(&path).ok() } else { None }
}
