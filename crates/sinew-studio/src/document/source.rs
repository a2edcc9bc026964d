//! The source of a document.

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew_formats::{ImportReport, ReadError, ReadFileError, read_bytes, read_file};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};
use thiserror::Error;

/// Where a character comes from, so that it can be opened again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentSource {
    /// A built-in character by name.
    Builtin(String),
    /// A file of any readable format.
    File(PathBuf),
    /// The content of a file without a path, as in a browser.
    Content {
        /// The name of the file.
        name: String,
        /// The content of the file.
        #[serde(with = "as_base64")]
        bytes: Arc<[u8]>,
    },
}

/// An opened character with its import report.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The character as imported, without edits.
    pub character: Arc<Character>,
    /// The import report; empty for built-in characters.
    pub report: ImportReport,
}

/// Why a source cannot be opened.
#[derive(Debug, Error)]
pub enum DocumentOpenError {
    /// The built-in character is unknown.
    #[error("unknown built-in character {name:?}; available: {list}", list = sinew_samples::NAMES.join(", "))]
    NoSuchBuiltin {
        /// The name that no built-in character has.
        name: String,
    },
    /// The file cannot be imported.
    #[error(transparent)]
    File(#[from] ReadFileError),
    /// The content cannot be imported.
    #[error("{name}: {source}")]
    Content {
        /// The name of the file.
        name: String,
        /// Why the content could not be read.
        source: ReadError,
    },
}

impl DocumentSource {
    /// Imports the character.
    ///
    /// # Errors
    /// If the character is unknown or its file cannot be imported.
    pub fn open(&self) -> Result<Opened, DocumentOpenError> {
        match self {
            Self::Builtin(name) => {
                let found = sinew_samples::find(name)
                    .ok_or_else(|| DocumentOpenError::NoSuchBuiltin { name: name.clone() });
                Ok(Opened { character: Arc::new(found?), report: ImportReport::default() })
            }
            Self::File(path) => {
                let import = read_file(path)?;
                Ok(Opened { character: Arc::new(import.character), report: import.report })
            }
            Self::Content { name, bytes } => {
                let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
                let import = read_bytes(bytes, &stem)
                    .map_err(|source| DocumentOpenError::Content { name: name.clone(), source })?;
                Ok(Opened { character: Arc::new(import.character), report: import.report })
            }
        }
    }

    /// True if the source is a blend graph, by its extension `.ron`.
    pub fn is_graph(&self) -> bool {
        let name = match self {
            Self::Builtin(_) => return false,
            Self::File(path) => path.as_path(),
            Self::Content { name, .. } => Path::new(name),
        };
        name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron"))
    }

    /// A path to save to that does not overwrite the source, in the same folder if it has one.
    pub fn save_path(&self) -> PathBuf {
        let edited = |path: &Path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let is_vrm = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vrm"));
            path.with_file_name(format!("{stem}-edited.{}", if is_vrm { "vrm" } else { "glb" }))
        };
        match self {
            Self::Builtin(name) => PathBuf::from(format!("{name}.glb")),
            Self::File(path) => edited(path),
            Self::Content { name, .. } => edited(Path::new(name)),
        }
    }
}

impl fmt::Display for DocumentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) | Self::Content { name, .. } => f.write_str(name),
            Self::File(path) => f.write_str(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()),
        }
    }
}

/// Bytes as base 64, so that a journal stays text.
mod as_base64 {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use std::sync::Arc;

    pub(super) fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Arc::from).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(name: &str, bytes: &[u8]) -> DocumentSource {
        DocumentSource::Content { name: name.into(), bytes: bytes.into() }
    }

    #[test]
    fn content_opens_like_a_file_and_round_trips_through_json() {
        let arm = sinew_samples::arm();
        let source = content("arm.glb", &sinew_formats::to_glb(&arm).unwrap());
        let opened = source.open().unwrap();
        assert_eq!(opened.character.skeleton().len(), arm.skeleton().len());
        let text = serde_json::to_string(&source).unwrap();
        assert_eq!(serde_json::from_str::<DocumentSource>(&text).unwrap(), source);
        assert_eq!(source.to_string(), "arm.glb");
    }

    #[test]
    fn content_that_needs_another_file_is_rejected_with_both_names() {
        let json = sinew_formats::to_gltf(&sinew_samples::arm(), "arm.bin").unwrap().json;
        let error = content("arm.gltf", &json).open().unwrap_err().to_string();
        assert!(error.starts_with("arm.gltf: ") && error.contains("arm.bin"), "{error}");
    }

    #[test]
    fn the_proposed_save_path_does_not_overwrite_the_source() {
        let proposed = |source: DocumentSource| source.save_path().display().to_string();
        assert_eq!(proposed(DocumentSource::Builtin("arm".into())), "arm.glb");
        assert_eq!(proposed(DocumentSource::File("a/fox.glb".into())), "a/fox-edited.glb");
        assert_eq!(proposed(content("fox.gltf", b"")), "fox-edited.glb");
        assert_eq!(proposed(content("avatar.VRM", b"")), "avatar-edited.vrm");
    }
}
