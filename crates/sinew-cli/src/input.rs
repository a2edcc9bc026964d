//! Files and built-in characters, by name.

use crate::{batch::BatchFile, failure::Failure, limits, overwrite};
use sinew_formats::{
    FileFormat, Import, ReadFileError, ReadOptions,
    bvh::{Bvh, BvhOptions},
    markers::{MarkerImport, read_markers_file_with},
    read_bytes_with, read_file_with, read_regular_file,
};
use std::{io::Read as _, path::Path, sync::OnceLock};

/// The prefix of the name of a built-in character.
pub(crate) const BUILTIN: &str = "builtin:";

/// The name of standard input, and of standard output.
pub(crate) const STANDARD: &str = "-";

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
    format!("A {}, a built-in character such as builtin:figure, or - for standard input", readable_files())
}

/// The help text of an argument that takes several files.
pub(crate) fn files_help() -> String {
    format!("{}; or a folder of files", file_help())
}

/// Reads `name` as a BVH file, exactly as it is written; `None` if it is another kind of file.
pub(crate) fn open_bvh(name: &str) -> Result<Option<Bvh>, Failure> {
    let path = Path::new(name);
    if name.starts_with(BUILTIN) || FileFormat::of_path(path) != Some(FileFormat::Bvh) {
        return Ok(None);
    }
    overwrite::note_input(path);
    let unreadable = |source| ReadFileError::Io { path: path.to_owned(), source };
    let bytes = read_regular_file(path, limits::read_options().limits.max_read_bytes).map_err(unreadable)?;
    let parsed =
        Bvh::parse(&bytes).map_err(|source| ReadFileError::Content { path: path.to_owned(), source })?;
    Ok(Some(parsed))
}

/// Reads `name`: a path, or a built-in character such as `builtin:figure`.
pub(crate) fn open(name: &str) -> Result<Import, Failure> {
    open_at(name, None)
}

/// How files are read, for every verb.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArgs {
    /// The frames per second at which the curves of FBX files are sampled; without it at their own frames and keys, and
    /// between them where the motion bends.
    #[arg(long, global = true, value_name = "N", value_parser = parse_fps)]
    fbx_fps: Option<f64>,
}

/// How this process reads files: a command line is one command.
static READ_ARGS: OnceLock<ReadArgs> = OnceLock::new();

impl ReadArgs {
    /// Applies the options to everything that this process reads.
    pub(crate) fn apply(&self) {
        READ_ARGS.get_or_init(|| self.clone());
    }
}

/// As [`open`]; `fps` is the rate at which the curves of an FBX file are sampled, in frames per second.
pub(crate) fn open_at(name: &str, fps: Option<f64>) -> Result<Import, Failure> {
    if name == STANDARD {
        return open_standard(fps);
    }
    let Some(builtin_name) = name.strip_prefix(BUILTIN) else {
        overwrite::note_input(Path::new(name));
        return Ok(read_file_with(name, &read_options(fps))?);
    };
    let Some(character) = sinew_samples::find(builtin_name) else {
        return Err(Failure::usage(format!("there is no {name}; there are {}", builtin_names())));
    };
    Ok(Import::without_findings(character))
}

#[cfg(feature = "fbx")]
fn read_options(fps: Option<f64>) -> ReadOptions {
    let fps = fps.or_else(|| READ_ARGS.get()?.fbx_fps);
    limits::read_options().with_fbx(sinew_formats::fbx::FbxOptions::default().with_frames_per_sec(fps))
}

#[cfg(not(feature = "fbx"))]
fn read_options(_: Option<f64>) -> ReadOptions {
    limits::read_options()
}

/// Parses a rate in frames per second.
pub(crate) fn parse_fps(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (0.01..=1000.0).contains(rate));
    rate.ok_or_else(|| "must be between 0.01 and 1000".into())
}

/// Parses a whole number.
pub(crate) fn parse_whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("must be a whole number of at least 0, got {text}"))
}

/// Parses a count of at least 1.
pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => Err(format!("must be a whole number of at least 1, got {text}")),
    }
}

/// Reads `name` and, unless `quiet`, prints what had to be repaired to standard error.
pub(crate) fn open_reporting(name: &str, quiet: bool) -> Result<Import, Failure> {
    let import = open(name)?;
    if !quiet {
        import.report.lines().for_each(|line| tell!("{line}"));
    }
    Ok(import)
}

/// Reads a character from standard input.
fn open_standard(fps: Option<f64>) -> Result<Import, Failure> {
    let path = || Path::new(STANDARD).to_owned();
    let options = read_options(fps);
    let mut bytes = Vec::new();
    // One byte more than allowed, which the reader refuses.
    let max_bytes = (options.limits.max_read_bytes as u64).saturating_add(1);
    let read = std::io::stdin().take(max_bytes).read_to_end(&mut bytes);
    read.map_err(|source| ReadFileError::Io { path: path(), source })?;
    Ok(read_bytes_with(&bytes, "stdin", &options)
        .map_err(|source| ReadFileError::Content { path: path(), source })?)
}

/// Reads the source of a motion. The End Sites of a BVH become joints, because they tell where hands and feet point.
pub(crate) fn open_motion(name: &str, fps: Option<f64>) -> Result<Import, Failure> {
    if FileFormat::of_path(name) != Some(FileFormat::Bvh) {
        return open_at(name, fps);
    }
    overwrite::note_input(Path::new(name));
    let options = limits::read_options().with_bvh(BvhOptions::default().with_end_sites(true));
    Ok(read_file_with(name, &options)?)
}

/// Reads a capture of markers.
pub(crate) fn open_markers(path: impl AsRef<Path>) -> Result<MarkerImport, Failure> {
    overwrite::note_input(path.as_ref());
    Ok(read_markers_file_with(path, &limits::read_options().limits)?)
}

/// The files that a command line names: folders stand for every file below them that can be read, in the order of their
/// names.
pub(crate) fn batch(names: &[String]) -> Result<Vec<BatchFile>, Failure> {
    let mut out = Vec::new();
    for name in names {
        let path = Path::new(name);
        if name.starts_with(BUILTIN) || !path.is_dir() {
            out.push(BatchFile::named(name));
            continue;
        }
        let before = out.len();
        walk(path, path, &mut out)?;
        if out.len() == before {
            return Err(Failure::usage(format!("{name} has no {} below it", readable_files())));
        }
    }
    Ok(out)
}

/// Adds the readable files below `folder`. Links to folders are not followed, since they may lead back.
fn walk(folder: &Path, top: &Path, out: &mut Vec<BatchFile>) -> Result<(), Failure> {
    let unreadable = |source| Failure::Read(ReadFileError::Io { path: folder.to_owned(), source });
    let mut entries =
        std::fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            walk(&path, top, out)?;
        } else if FileFormat::of_path(&path).is_some_and(FileFormat::is_readable) {
            let relative = path.strip_prefix(top).unwrap_or(&path).to_owned();
            out.push(BatchFile { name: path.to_string_lossy().into_owned(), relative, is_found: true });
        }
    }
    Ok(())
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
