//! Reads a character from a file of any supported format.

use crate::{
    Limits, ReadError, ReadFileError,
    bvh::BvhOptions,
    fetch::{self, DocumentFolder, read_regular_file},
    file_format::FileFormat,
    markers::MarkerFormat,
    report::ImportReport,
    shared_bytes::SourceBytes,
};
use sinew::{Character, CharacterSource};
use std::path::{Path, PathBuf};

/// A character and the report of how it was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The character that the file describes.
    pub character: Character,
    /// The repairs and omissions that were needed to read it.
    pub report: ImportReport,
    /// For each joint, the index of its node in the file.
    pub node_of_joint: Vec<usize>,
}

impl Import {
    /// An import without findings, in which joint and node numbers are the same.
    #[must_use]
    pub fn without_findings(character: Character) -> Self {
        let node_of_joint = (0..character.skeleton().len()).collect();
        Self { character, report: ImportReport::default(), node_of_joint }
    }

    /// Lets a character without a source of its own remember what reading left out, for the report of writing it.
    fn with_report_as_source(self, options: &ReadOptions) -> Self {
        if options.forget_source || self.character.source().is_some() {
            return self;
        }
        let source = CharacterSource::new(self.report.clone());
        Self { character: self.character.with_source(source), ..self }
    }
}

/// Options for reading a file of any format.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What reading may cost: bytes read, bytes unpacked, work and time.
    pub limits: Limits,
    /// True to read files that a document names outside its own folder: by `..`, by an absolute path or through a link.
    /// Leave it false for documents from strangers, which could name any file of the system.
    pub allow_outside: bool,
    /// True to free the bytes of the file. Saving then writes a new file from scratch, without what Sinew does not
    /// interpret; games that never save need no more.
    pub forget_source: bool,
    /// The path of the file, if it has one.
    pub(crate) file: Option<PathBuf>,
    /// Options for BVH files.
    pub bvh: BvhOptions,
    /// Options for FBX files.
    #[cfg(feature = "fbx")]
    pub fbx: crate::fbx::FbxOptions,
}

impl ReadOptions {
    /// These options with another value of [`ReadOptions::limits`].
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// These options with another value of [`Limits::max_unpacked_bytes`].
    #[must_use]
    pub fn with_max_unpacked_bytes(self, bytes: usize) -> Self {
        Self { limits: self.limits.with_max_unpacked_bytes(bytes), ..self }
    }

    /// These options with another value of [`ReadOptions::allow_outside`].
    #[must_use]
    pub fn with_allow_outside(self, allow_outside: bool) -> Self {
        Self { allow_outside, ..self }
    }

    /// These options with another value of [`ReadOptions::forget_source`].
    #[must_use]
    pub fn with_forget_source(self, forget_source: bool) -> Self {
        Self { forget_source, ..self }
    }

    /// These options with another value of [`ReadOptions::bvh`].
    #[must_use]
    pub fn with_bvh(self, bvh: BvhOptions) -> Self {
        Self { bvh, ..self }
    }

    /// These options with another value of [`ReadOptions::fbx`].
    #[cfg(feature = "fbx")]
    #[must_use]
    pub fn with_fbx(self, fbx: crate::fbx::FbxOptions) -> Self {
        Self { fbx, ..self }
    }
}

/// Reads the character in the file at `path`, together with the files that it names. The format is recognized by content.
///
/// Files that the document names are read from its own folder and the folders below it alone; see
/// [`ReadOptions::allow_outside`].
///
/// # Errors
/// When a file cannot be read, its content cannot be used, or a limit of [`Limits`] is exceeded.
pub fn read_file(path: impl AsRef<Path>) -> Result<Import, ReadFileError> {
    read_file_with(path, &ReadOptions::default())
}

/// As [`read_file`], with options.
///
/// # Errors
/// As [`read_file`].
pub fn read_file_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Import, ReadFileError> {
    let path = path.as_ref();
    let max_bytes = options.limits.max_read_bytes;
    let bytes = read_regular_file(path, max_bytes)
        .map_err(|source| ReadFileError::Io { path: path.into(), source })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = DocumentFolder::of(path, options.allow_outside, max_bytes - bytes.len());
    let fetch = |relative: &str| folder.fetch(relative);
    let options = &ReadOptions { file: Some(path.to_owned()), ..options.clone() };
    // A glTF document keeps the bytes of its buffers for saving: the whole file is shared instead.
    let bytes = SourceBytes::Shared(bytes.into());
    let format = FileFormat::detect(&bytes).ok_or_else(|| ReadError::UnknownFormat(unknown_content(&bytes)));
    format
        .and_then(|format| format.read(&bytes, &name, &fetch, options))
        .map(|import| import.with_report_as_source(options))
        .map_err(|source| ReadFileError::Content { path: path.into(), source })
}

/// The message for content that does not hold a character.
fn unknown_content(bytes: &[u8]) -> String {
    match MarkerFormat::detect(bytes) {
        Some(format) => format!("a {} file has markers and no character: solve them onto one", format.name()),
        None => FileFormat::unknown(),
    }
}

/// Reads a character from memory. A document that names other files is refused; see [`embedded`](crate::embedded).
///
/// # Errors
/// When the content cannot be used.
pub fn read_bytes(bytes: &[u8], name: &str) -> Result<Import, ReadError> {
    read_bytes_with(bytes, name, &ReadOptions::default())
}

/// As [`read_bytes`], with options.
///
/// # Errors
/// As [`read_bytes`].
pub fn read_bytes_with(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Import, ReadError> {
    // The glTF reader reports what is wrong with content of no known format.
    let format = FileFormat::detect(bytes).unwrap_or(FileFormat::Gltf);
    let import = format.read(&SourceBytes::Borrowed(bytes), name, &fetch::from_nowhere, options)?;
    Ok(import.with_report_as_source(options))
}
