//! Opens files of any format that is known here.

use crate::{
    ReadError, ReadFileError,
    bvh::{self, Bvh, BvhOptions},
    gltf::{self, Fetch, Import, ReadOptions, read_gltf},
    report::ImportReport,
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
    let Some(kind) = FileKind::of(&bytes) else {
        let what =
            "this is neither GLB nor glTF JSON nor BVH nor FBX; Sinew reads .glb, .gltf, .bvh and .fbx";
        return Err(content(ReadError::UnknownFormat(what.to_owned())));
    };
    kind.read(&bytes, &name, &fetch).map_err(content)
}

/// Reads a character from memory. A document that names other files cannot be read this way.
///
/// # Errors
/// Where what is in it cannot be used.
pub fn read_bytes(bytes: &[u8], name: &str) -> Result<Import, ReadError> {
    let fetch =
        |_: &str| Err(io::Error::new(io::ErrorKind::NotFound, "there are no files beside bytes in memory"));
    // What is nothing else is taken for glTF, whose reader says what is wrong with it.
    FileKind::of(bytes).unwrap_or(FileKind::Gltf).read(bytes, name, &fetch)
}

/// What bytes are, by how they begin.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FileKind {
    Gltf,
    Bvh,
    Fbx,
}

impl FileKind {
    fn of(bytes: &[u8]) -> Option<Self> {
        if looks_like_gltf(bytes) {
            Some(Self::Gltf)
        } else if bvh::is_bvh(bytes) {
            Some(Self::Bvh)
        } else if looks_like_fbx(bytes) {
            Some(Self::Fbx)
        } else {
            None
        }
    }

    fn read(self, bytes: &[u8], name: &str, fetch: &Fetch<'_>) -> Result<Import, ReadError> {
        match self {
            Self::Gltf => read_gltf(bytes, name, fetch, &ReadOptions::default()),
            Self::Bvh => {
                let character = Bvh::parse(bytes)?.to_character(name, &BvhOptions::default())?;
                let node_of_joint = (0..character.skeleton().len()).collect();
                Ok(Import { character, report: ImportReport::default(), node_of_joint })
            }
            Self::Fbx => read_fbx(bytes, name),
        }
    }
}

#[cfg(feature = "fbx")]
fn read_fbx(bytes: &[u8], name: &str) -> Result<Import, ReadError> {
    crate::fbx::read_fbx(bytes, name, &crate::fbx::FbxOptions::default())
}

#[cfg(not(feature = "fbx"))]
fn read_fbx(_: &[u8], _: &str) -> Result<Import, ReadError> {
    Err(ReadError::UnknownFormat(
        "this is FBX, which this build of Sinew does not read: it lacks the feature `fbx`".into(),
    ))
}

/// True for binary files, and for text that begins as the common programs write it.
fn looks_like_fbx(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let begins = [&b"; FBX"[..], b";FBX", b"FBXHeaderExtension"].iter().any(|word| text.starts_with(word));
    begins || bytes.starts_with(b"Kaydara FBX Binary")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_how_files_begin() {
        let cases: [(&[u8], Option<FileKind>); 9] = [
            (b"glTF....", Some(FileKind::Gltf)),
            (b" {}", Some(FileKind::Gltf)),
            (b"\xEF\xBB\xBFHierarchy", Some(FileKind::Bvh)),
            (b"\r\nHIERARCHY", Some(FileKind::Bvh)),
            (b"Kaydara FBX Binary  \0", Some(FileKind::Fbx)),
            (b"; FBX 7.4.0 project file", Some(FileKind::Fbx)),
            (b"FBXHeaderExtension: {", Some(FileKind::Fbx)),
            (b"HIER", None),
            (b"", None),
        ];
        for (bytes, kind) in cases {
            assert_eq!(FileKind::of(bytes), kind, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[cfg(not(feature = "fbx"))]
    #[test]
    fn without_its_feature_fbx_is_refused_by_name() {
        let error = read_bytes(b"; FBX 7.4.0 project file", "x").unwrap_err().to_string();
        assert!(error.contains("feature `fbx`"), "{error}");
    }
}
