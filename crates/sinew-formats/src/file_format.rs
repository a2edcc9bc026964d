//! The registry of file formats that are read.
//!
//! Help texts, file dialogs and errors take their lists of formats from here:
//!
//! ```
//! use sinew_formats::FileFormat;
//!
//! assert_eq!(FileFormat::of_path("run.BVH"), Some(FileFormat::Bvh));
//! assert!(FileFormat::readable_list("or").starts_with(".glb, .gltf"));
//! ```

use crate::{
    Fetch, Import, ReadError, ReadOptions, budget::Budget, bvh, cooked, gltf, shared_bytes::SourceBytes,
};
use std::path::Path;

/// A format of character files.
///
/// A new format is a variant here, its row in each `match` below, and a reader that returns an [`Import`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// glTF 2.0, as JSON or as GLB.
    Gltf,
    /// Biovision Hierarchy: a skeleton and its captured motion.
    Bvh,
    /// Autodesk FBX, binary or text; read when the feature `fbx` is on.
    Fbx,
    /// Cooked characters: see [`cooked`](crate::cooked).
    Cooked,
}

impl FileFormat {
    /// Every format, in the order in which lists name them.
    pub const ALL: [Self; 4] = [Self::Gltf, Self::Bvh, Self::Fbx, Self::Cooked];

    /// The name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gltf => "glTF",
            Self::Bvh => "BVH",
            Self::Fbx => "FBX",
            Self::Cooked => ".sinew",
        }
    }

    /// The extensions of its files, lowercase and without a dot.
    #[must_use]
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Gltf => &["glb", "gltf", "vrm", "vrma"],
            Self::Bvh => &["bvh"],
            Self::Fbx => &["fbx"],
            Self::Cooked => &["sinew"],
        }
    }

    /// True when this build reads the format.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        match self {
            Self::Gltf | Self::Bvh | Self::Cooked => true,
            Self::Fbx => cfg!(feature = "fbx"),
        }
    }

    /// The extensions of all formats that this build reads.
    pub fn readable_extensions() -> impl Iterator<Item = &'static str> {
        let readable = Self::ALL.into_iter().filter(|format| format.is_readable());
        readable.flat_map(|format| format.extensions().iter().copied())
    }

    /// The extensions of all formats that this build reads as a list in English, for instance `.glb, .gltf or .bvh` with the
    /// conjunction `or`.
    #[must_use]
    pub fn readable_list(conjunction: &str) -> String {
        dotted_list(Self::readable_extensions(), conjunction)
    }

    /// The format that a path's extension stands for, in any case.
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format that the first bytes of a file stand for.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.matches(bytes))
    }

    fn matches(self, bytes: &[u8]) -> bool {
        match self {
            Self::Gltf => gltf::is_gltf(bytes),
            Self::Bvh => bvh::is_bvh(bytes),
            Self::Fbx => is_fbx(bytes),
            Self::Cooked => cooked::is_cooked(bytes),
        }
    }

    /// Reads a character called `name`; `fetch` loads the files that the document names.
    pub(crate) fn read(
        self,
        bytes: &SourceBytes<'_>,
        name: &str,
        fetch: &Fetch<'_>,
        options: &ReadOptions,
    ) -> Result<Import, ReadError> {
        match self {
            Self::Gltf => gltf::read_document(bytes, name, fetch, options),
            Self::Bvh => {
                Budget::new(&options.limits, bytes.len())?;
                bvh::read_bvh(bytes, name, &options.bvh)
            }
            Self::Fbx => read_fbx(bytes, name, fetch, options),
            Self::Cooked => cooked::read_document(bytes, options),
        }
    }

    /// The message for content of no known format.
    pub(crate) fn unknown() -> String {
        let names = joined(Self::ALL.into_iter().map(|format| format.name().to_owned()).collect(), "or");
        format!("not a {names} file; Sinew reads {}", Self::readable_list("and"))
    }
}

/// A list of extensions in English, each with its dot.
pub(crate) fn dotted_list<'a>(extensions: impl Iterator<Item = &'a str>, conjunction: &str) -> String {
    joined(extensions.map(|extension| format!(".{extension}")).collect(), conjunction)
}

fn joined(mut words: Vec<String>, conjunction: &str) -> String {
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} {conjunction} {last}", words.join(", ")),
        None => String::new(),
    }
}

#[cfg(feature = "fbx")]
fn read_fbx(bytes: &[u8], name: &str, fetch: &Fetch<'_>, options: &ReadOptions) -> Result<Import, ReadError> {
    crate::fbx::read_fbx_with(bytes, name, fetch, options)
}

#[cfg(not(feature = "fbx"))]
fn read_fbx(_: &[u8], _: &str, _: &Fetch<'_>, _: &ReadOptions) -> Result<Import, ReadError> {
    Err(ReadError::UnknownFormat(
        "FBX is not supported by this build of Sinew, which lacks the feature `fbx`".into(),
    ))
}

/// True for binary files, and for text that starts as the common exporters write it.
///
/// It is here and not in `fbx`, so that a build without that feature still names the format.
fn is_fbx(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let starts = [&b"; FBX"[..], b";FBX", b"FBXHeaderExtension"].iter().any(|word| text.starts_with(word));
    starts || bytes.starts_with(b"Kaydara FBX Binary")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognized_by_the_first_bytes() {
        let cases: [(&[u8], Option<FileFormat>); 10] = [
            (b"\x89SNW\r\n\x1a\n", Some(FileFormat::Cooked)),
            (b"glTF....", Some(FileFormat::Gltf)),
            (b" {}", Some(FileFormat::Gltf)),
            (b"\xEF\xBB\xBFHierarchy", Some(FileFormat::Bvh)),
            (b"\r\nHIERARCHY", Some(FileFormat::Bvh)),
            (b"Kaydara FBX Binary  \0", Some(FileFormat::Fbx)),
            (b"; FBX 7.4.0 project file", Some(FileFormat::Fbx)),
            (b"FBXHeaderExtension: {", Some(FileFormat::Fbx)),
            (b"HIER", None),
            (b"", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(FileFormat::detect(bytes), format, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn lists_name_every_extension_that_is_read() {
        let list = FileFormat::readable_list("or");
        for format in FileFormat::ALL {
            for extension in format.extensions() {
                assert_eq!(list.contains(&format!(".{extension}")), format.is_readable(), "{list}");
                assert_eq!(FileFormat::of_path(format!("a.{extension}")), Some(format));
            }
        }
        assert!(FileFormat::unknown().contains(&FileFormat::readable_list("and")));
    }

    #[cfg(not(feature = "fbx"))]
    #[test]
    fn fbx_is_refused_by_name_when_its_feature_is_off() {
        let error = crate::read_bytes(b"; FBX 7.4.0 project file", "x").unwrap_err().to_string();
        assert!(error.contains("feature `fbx`"), "{error}");
    }
}
