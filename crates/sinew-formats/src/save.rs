//! Writes files that appear whole or not at all.

mod disk;
#[cfg(test)]
mod faults;
mod target;
mod transaction;

use crate::{
    WriteError,
    bake::BakeMotion,
    cooked::{self, CookedOptions, to_cooked},
    export::{ExportError, ExportFormat, ExportInput, ExportSource, ExportedFile, GltfForm, export},
    gltf::{PackageTarget, WriteOptions, packed},
    shared_bytes::FilePieces,
    write_report::{Outcome, WriteReport},
};
use disk::RealDisk;
use sinew::{Character, Method};
use std::{
    fs,
    path::{Path, PathBuf},
};
use target::SaveTarget;
use transaction::{SaveFile, save_together};

/// Writes a character in the format that the path's extension stands for: .glb, .gltf with its files next to it, or its
/// only clip as .bvh, or cooked as .sinew. Returns what happened to the content of the file that the character was read from.
///
/// A character that was read from glTF is written into its own document: what was edited is replaced, everything else is
/// carried as it is.
///
/// Files are written under temporary names in the same folder and then renamed, so an existing file is replaced whole or
/// stays as it is; see [`save_bytes`]. The files that a .gltf names are renamed before it, when all are on disk.
///
/// # Errors
/// When the extension is unsupported, the format cannot hold the character (see [`to_glb`](crate::to_glb) and
/// [`Bvh::from_clip`](crate::bvh::Bvh::from_clip)), there are several clips for one .bvh, or the file system fails.
pub fn write_file(path: impl AsRef<Path>, character: &Character) -> Result<WriteReport, WriteError> {
    prepare_file(path, character, &WriteOptions::default())?.commit()
}

/// Files in memory that are ready to be written, with the report of what they lack.
#[derive(Clone, Debug)]
pub struct PreparedFile {
    files: Vec<(PathBuf, FilePieces)>,
    report: WriteReport,
}

impl PreparedFile {
    /// What was carried, changed, decoded, repaired and dropped.
    #[must_use]
    pub fn report(&self) -> &WriteReport {
        &self.report
    }

    /// The paths that will be written, the main file last.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// The files that the main file names, with their bytes in pieces.
    pub fn beside(&self) -> impl Iterator<Item = (&Path, impl Iterator<Item = &[u8]>)> {
        let beside = self.files.split_last().map_or(&[][..], |(_, beside)| beside);
        beside.iter().map(|(path, pieces)| (path.as_path(), pieces.iter()))
    }

    /// The paths that hold something else now, which writing replaces.
    pub fn replaced(&self) -> impl Iterator<Item = &Path> {
        let replaced = |(path, pieces): &&(PathBuf, FilePieces)| {
            would_replace_by(path, &pieces.iter().collect::<Vec<_>>())
        };
        self.files.iter().filter(replaced).map(|(path, _)| path.as_path())
    }

    /// Writes the files: all, or none after an error.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn commit(self) -> Result<WriteReport, WriteError> {
        let main_folder = self.files.last().and_then(|(path, _)| path.parent()).unwrap_or(Path::new(""));
        for (path, _) in &self.files {
            // A document may name files in folders below its own.
            let below =
                path.parent().filter(|folder| *folder != main_folder && folder.starts_with(main_folder));
            if let Some(folder) = below {
                fs::create_dir_all(folder).map_err(|source| WriteError::Io { path: path.clone(), source })?;
            }
        }
        let files =
            self.files.iter().map(|(path, pieces)| SaveFile { path, pieces: pieces.iter().collect() });
        save_together(&RealDisk, &files.collect::<Vec<_>>())?;
        Ok(self.report)
    }
}

/// Prepares the files of [`write_file`], without touching the file system: the report tells what will be lost.
///
/// # Errors
/// As [`write_file`], except that no file is written.
pub fn prepare_file(
    path: impl AsRef<Path>,
    character: &Character,
    options: &WriteOptions,
) -> Result<PreparedFile, WriteError> {
    let path = path.as_ref();
    let unrepresentable =
        |what: String| WriteError::Unrepresentable { place: path.display().to_string(), what };
    let format = ExportFormat::of_path(path).ok_or_else(|| {
        unrepresentable(format!("characters are written as {}", ExportFormat::character_list("or")))
    })?;
    let name = path.file_stem().and_then(|stem| stem.to_str());
    let mut packed = match format.gltf_form() {
        None if format == ExportFormat::Cooked => return prepare_cooked(path, character, &options.cooked),
        None => return prepare_motion(path, format, character, &unrepresentable),
        Some(GltfForm::Binary) => packed(character, PackageTarget::Glb { path: Some(path) }, options)?,
        Some(GltfForm::Vrm) => packed(character, PackageTarget::Vrm { path: Some(path) }, options)?,
        Some(GltfForm::Text) => {
            let name = name.ok_or_else(|| {
                unrepresentable("the file name is not valid Unicode, as its URI must be".into())
            })?;
            packed(character, PackageTarget::Gltf { name, path: Some(path) }, options)?
        }
    };
    cooked::add_other_format(character, &mut packed.report);
    let beside = packed.beside.into_iter().map(|(own, bytes)| (path.with_file_name(own), bytes.into()));
    let files = beside.chain([(path.to_owned(), packed.main)]).collect();
    Ok(PreparedFile { files, report: packed.report })
}

/// The character as a cooked file.
fn prepare_cooked(
    path: &Path,
    character: &Character,
    options: &CookedOptions,
) -> Result<PreparedFile, WriteError> {
    let bytes = to_cooked(character, options)?;
    Ok(PreparedFile { files: vec![(path.to_owned(), bytes.into())], report: cooked::losses(character) })
}

/// The only clip of a character, or its rest pose. Everything else is lost.
fn prepare_motion(
    path: &Path,
    format: ExportFormat,
    character: &Character,
    unrepresentable: &dyn Fn(String) -> WriteError,
) -> Result<PreparedFile, WriteError> {
    let motion = only_motion(format, character)?;
    let source = ExportSource { motion, ..ExportSource::new(character, Method::Linear) };
    let files = export(format, &source, &mut |_| {}).map_err(|error| match error {
        ExportError::Write(error) => error,
        other => unrepresentable(other.to_string()),
    })?;
    let prefix = path.with_extension("");
    let suffix = format!(".{}", format.extension());
    // The main file keeps its path, whose extension may be in any case.
    let target = |file: &ExportedFile| if file.suffix == suffix { path.into() } else { file.path(&prefix) };
    let files = files.into_iter().map(|file| (target(&file), file.bytes.into())).collect();
    Ok(PreparedFile { files, report: motion_losses(character) })
}

/// What a file of a skeleton and one clip lacks.
fn motion_losses(character: &Character) -> WriteReport {
    let mut report = WriteReport::default();
    let parts = character.parts();
    let morph_channels = parts.clips.iter().flat_map(|clip| clip.channels());
    let morph_channels = morph_channels.filter(|c| matches!(c, sinew::Channel::Morphs { .. })).count();
    let scales = parts.clips.iter().flat_map(|clip| clip.channels());
    let scales = scales.filter(|c| matches!(c, sinew::Channel::Scale { .. })).count();
    let events = parts.clips.iter().map(|clip| clip.events().len() + clip.metas().len()).sum();
    let lists = [
        ("mesh", parts.meshes.len()),
        ("skin", parts.skins.len()),
        ("material", parts.materials.len()),
        ("image", parts.images.len()),
        ("morph-channel", morph_channels),
        ("scale-channel", scales),
        ("event", events),
        ("helper-joint", parts.helpers.len()),
        ("node-constraint", parts.node_constraints.len()),
        ("spring", parts.springs.chains.len()),
        ("humanoid", usize::from(parts.humanoid.is_some())),
        ("method", usize::from(parts.recommended_method.is_some())),
        ("copyright", usize::from(!parts.copyright.is_empty())),
        ("extras", parts.extras.len()),
    ];
    for (code, count) in lists {
        report.add(Outcome::Dropped, code, "the character", count, "a motion file has no place for it");
    }
    report.add(Outcome::Changed, "clip", "clips", parts.clips.len().min(1), "keys are sampled at even times");
    let lost = cooked::losses(character);
    lost.entries().iter().for_each(|entry| report.add_entry(entry.clone()));
    cooked::add_other_format(character, &mut report);
    report
}

/// The motion of a format with one clip: the only clip, or the rest pose.
fn only_motion(format: ExportFormat, character: &Character) -> Result<BakeMotion<'_>, WriteError> {
    match character.clips() {
        [clip] => Ok(BakeMotion::Clip(clip)),
        clips if clips.is_empty() || format.input() != ExportInput::Clip => Ok(BakeMotion::Rest),
        clips => Err(WriteError::Unrepresentable {
            place: "clips".into(),
            what: format!("a .{} holds one clip, the character has {}", format.extension(), clips.len()),
        }),
    }
}

/// Writes `bytes` to the file at `path`, which then holds all of them or, after an error, what it held before.
///
/// A file that holds these bytes already is left alone. A link stays a link, permissions stay as they are, and a
/// read-only file is refused. When the function returns, the file survives a power cut.
///
/// # Errors
/// When the file system fails.
pub fn save_bytes(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    save_files(&[(path.as_ref(), bytes)])
}

/// Writes several files that belong together: after an error, every path holds what it held before.
///
/// Each file is written as by [`save_bytes`]. They get their names one after the other, in this order, when all bytes are
/// on disk; the file that names the others should be the last.
///
/// # Errors
/// When the file system fails.
pub fn save_files(files: &[(&Path, &[u8])]) -> Result<(), WriteError> {
    let files: Vec<_> = files.iter().map(|(path, bytes)| SaveFile { path, pieces: vec![*bytes] }).collect();
    save_together(&RealDisk, &files)
}

/// True if a file is at `path` that does not hold these bytes, so that saving them would replace other content.
///
/// A pipe or a device holds nothing that could be lost.
pub fn would_replace(path: impl AsRef<Path>, bytes: &[u8]) -> bool {
    would_replace_by(path.as_ref(), &[bytes])
}

/// As [`would_replace`], for bytes in pieces.
fn would_replace_by(path: &Path, pieces: &[&[u8]]) -> bool {
    SaveTarget::at(path)
        .is_ok_and(|target| target.existing.is_some() && !target.is_stream() && !target.holds(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_buffer_of_a_gltf_is_next_to_it_and_named_by_an_escaped_uri() {
        let folder = tempfile::tempdir().unwrap();
        write_file(folder.path().join("my arm.gltf"), &sinew_samples::arm()).unwrap();
        assert_eq!(names(folder.path()), ["my arm.bin", "my arm.gltf"]);
        let json = fs::read_to_string(folder.path().join("my arm.gltf")).unwrap();
        assert!(json.contains("\"my%20arm.bin\""), "{json}");
    }

    #[test]
    fn an_existing_file_is_replaced_and_no_temporary_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.GLB");
        fs::write(&path, "old").unwrap();
        write_file(&path, &sinew_samples::arm()).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(b"glTF"));
        assert_eq!(names(folder.path()), ["a.GLB"]);
    }

    #[test]
    fn a_failed_write_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        // A folder has the path of the .gltf, so its rename fails after both files are staged.
        fs::create_dir_all(folder.path().join("a.gltf/inside")).unwrap();
        let error = write_file(folder.path().join("a.gltf"), &sinew_samples::arm()).unwrap_err();
        assert!(error.to_string().contains("a.gltf"), "{error}");
        assert!(!names(folder.path()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn refuses_an_unsupported_extension() {
        let error = write_file("a.fbx", &sinew_samples::arm()).unwrap_err();
        assert_eq!(error.to_string(), "a.fbx: characters are written as .glb, .gltf, .vrm, .bvh or .sinew");
    }

    #[test]
    fn a_file_that_holds_the_bytes_already_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        save_bytes(&path, b"same").unwrap();
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        assert!(!would_replace(&path, b"same") && would_replace(&path, b"else"));
        save_bytes(&path, b"same").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
    }

    #[test]
    fn a_read_only_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = write_file(&path, &sinew_samples::arm()).unwrap_err().to_string();
        assert!(error.contains("a.glb") && error.contains("read-only"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        let (real, link) = (folder.path().join("real/a.glb"), folder.path().join("a.glb"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real/a.glb", &link).unwrap();
        save_bytes(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        let dangling = folder.path().join("later.glb");
        symlink("real/later.glb", &dangling).unwrap();
        save_bytes(&dangling, b"new").unwrap();
        assert_eq!(fs::read(folder.path().join("real/later.glb")).unwrap(), b"new");

        let circle = folder.path().join("circle.glb");
        symlink("circle.glb", &circle).unwrap();
        assert!(save_bytes(&circle, b"new").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_takes_the_bytes_and_stays_a_device() {
        save_bytes("/dev/null", b"new").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn files_of_a_killed_save_are_removed_and_those_of_a_running_one_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path(".a.glb.77-1.tmp"), "half").unwrap();
        fs::write(path(".a.glb.notes.tmp"), "of the user").unwrap();
        let running = fs::File::create(path(".a.glb.78-0.tmp")).unwrap();
        running.lock().unwrap();
        save_bytes(path("a.glb"), b"new").unwrap();
        assert_eq!(names(folder.path()), [".a.glb.78-0.tmp", ".a.glb.notes.tmp", "a.glb"]);
    }
}
