//! Files and built-in characters, by name.

use crate::failure::Failure;
use sinew_formats::{FileFormat, Import, ReadFileError, ReadOptions, bvh::Bvh, read_file_with};
use std::path::Path;

/// The prefix of the name of a built-in character.
const BUILTIN: &str = "builtin:";

/// The kinds of files that are read, as a list for help texts: `.glb, .gltf or .bvh file`.
pub(crate) fn readable_files() -> String {
    format!("{} file", FileFormat::readable_list("or"))
}

/// The names of the built-in characters, as a list for help texts.
pub(crate) fn builtin_names() -> String {
    sinew_samples::NAMES.map(|name| format!("{BUILTIN}{name}")).join(", ")
}

/// The help text of an argument that takes a file or a built-in character.
pub(crate) fn file_help() -> String {
    format!("A {}, or a built-in character such as builtin:figure", readable_files())
}

/// Reads `name` as a BVH file, exactly as it is written; `None` if it is another kind of file.
pub(crate) fn open_bvh(name: &str) -> Result<Option<Bvh>, Failure> {
    let path = Path::new(name);
    if name.starts_with(BUILTIN) || FileFormat::of_path(path) != Some(FileFormat::Bvh) {
        return Ok(None);
    }
    let unreadable = |source| ReadFileError::Io { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let parsed =
        Bvh::parse(&bytes).map_err(|source| ReadFileError::Content { path: path.to_owned(), source })?;
    Ok(Some(parsed))
}

/// Reads `name`: a path, or a built-in character such as `builtin:figure`.
pub(crate) fn open(name: &str) -> Result<Import, Failure> {
    open_at(name, None)
}

/// As [`open`]; `fps` is the rate at which the curves of an FBX file are sampled, in frames per second.
pub(crate) fn open_at(name: &str, fps: Option<f64>) -> Result<Import, Failure> {
    let Some(builtin_name) = name.strip_prefix(BUILTIN) else {
        return Ok(read_file_with(name, &read_options(fps))?);
    };
    let Some(character) = sinew_samples::find(builtin_name) else {
        return Err(Failure::usage(format!("there is no {name}; there are {}", builtin_names())));
    };
    Ok(Import::without_findings(character))
}

#[cfg(feature = "fbx")]
fn read_options(fps: Option<f64>) -> ReadOptions {
    ReadOptions::default().with_fbx(sinew_formats::fbx::FbxOptions::default().with_frames_per_sec(fps))
}

#[cfg(not(feature = "fbx"))]
fn read_options(_: Option<f64>) -> ReadOptions {
    ReadOptions::default()
}

/// Parses a rate in frames per second.
pub(crate) fn parse_fps(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (0.01..=1000.0).contains(rate));
    rate.ok_or_else(|| "must be between 0.01 and 1000".into())
}

/// Reads `name` and, unless `quiet`, prints what had to be repaired to standard error.
pub(crate) fn open_reporting(name: &str, quiet: bool) -> Result<Import, Failure> {
    let import = open(name)?;
    if !quiet {
        import.report.lines().for_each(|line| eprintln!("{line}"));
    }
    Ok(import)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_format_that_is_read() {
        let text = readable_files();
        for extension in FileFormat::readable_extensions() {
            assert!(text.contains(extension), "{text}");
        }
    }
}
