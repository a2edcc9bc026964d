//! Files that appear whole or not at all.

use crate::{
    WriteError,
    bvh::{Bvh, BvhExport},
    gltf::{to_glb, to_gltf},
};
use sinew::{Character, Clip};
use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};

/// Writes a character as .glb, as .gltf with a .bin beside it, or its one clip as .bvh, by the path's extension.
///
/// Files are written beside their place and then renamed, so that one that was there before is replaced whole or left as
/// it is. A .bin takes its name before the .gltf that names it, once both are on disk.
///
/// # Errors
/// Where the extension is another, the format cannot hold the character (see [`to_glb`] and [`Bvh::from_clip`]), there are
/// several clips for one .bvh, or the file system says no.
pub fn write_file(path: impl AsRef<Path>, character: &Character) -> Result<(), WriteError> {
    let path = path.as_ref();
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("glb") => save(&[(path, &to_glb(character)?)]),
        Some("gltf") => {
            let bin = path.with_extension("bin");
            let files = to_gltf(character, &uri_of(&bin)?)?;
            if files.buffer.is_empty() {
                return save(&[(path, &files.json)]);
            }
            save(&[(&bin, &files.buffer), (path, &files.json)])
        }
        Some("bvh") => save(&[(path, only_motion(character)?.to_text().as_bytes())]),
        _ => Err(WriteError::Unrepresentable {
            place: path.display().to_string(),
            what: "characters are written as .glb, .gltf or .bvh".into(),
        }),
    }
}

/// The one clip of a character, or its rest pose where it has none.
fn only_motion(character: &Character) -> Result<Bvh, WriteError> {
    let unrepresentable = |what| WriteError::Unrepresentable { place: "clips".into(), what };
    match character.clips() {
        [clip] => Bvh::from_clip(character, clip, &BvhExport::default()),
        [] => {
            let still = Clip::new("rest", vec![], vec![]).map_err(|e| unrepresentable(e.to_string()))?;
            Bvh::from_clip(character, &still, &BvhExport::default())
        }
        clips => Err(unrepresentable(format!("BVH holds one, the character has {}", clips.len()))),
    }
}

/// Writes `bytes` to `path` so that it holds them all or what it held before.
///
/// # Errors
/// Where the file system says no.
pub fn save_bytes(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    save(&[(path.as_ref(), bytes)])
}

/// Writes every file beside its place first; only when all bytes are on disk do they take their names, in order.
fn save(files: &[(&Path, &[u8])]) -> Result<(), WriteError> {
    let mut staged = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        staged
            .push(Staged::write(path, bytes).map_err(|source| WriteError::Io { path: path.into(), source })?);
    }
    for file in staged {
        let path = file.path.clone();
        file.commit().map_err(|source| WriteError::Io { path, source })?;
    }
    Ok(())
}

/// A file under a name of its own, removed again unless it is committed.
struct Staged {
    temporary: PathBuf,
    path: PathBuf,
    committed: bool,
}

impl Staged {
    fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let (mut file, temporary) = create_beside(path)?;
        let staged = Self { temporary, path: path.into(), committed: false };
        file.write_all(bytes)?;
        // Without this a crash after the rename could leave the name with no content.
        file.sync_all()?;
        Ok(staged)
    }

    fn commit(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing more can be done where even this fails, and the error that led here is reported.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// A new file in the same folder, so that renaming it cannot cross file systems.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let mut attempt = 0;
    loop {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{attempt}.tmp", process::id()));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

/// A file's name as a relative URI.
fn uri_of(path: &Path) -> Result<String, WriteError> {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else {
        let (place, what) = (path.display().to_string(), "a URI needs a name in Unicode".into());
        return Err(WriteError::Unrepresentable { place, what });
    };
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    Ok(uri)
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
    fn a_gltf_gets_its_buffer_beside_it_under_an_escaped_name() {
        let folder = tempfile::tempdir().unwrap();
        write_file(&folder.path().join("my arm.gltf"), &sinew_samples::arm()).unwrap();
        assert_eq!(names(folder.path()), ["my arm.bin", "my arm.gltf"]);
        let json = fs::read_to_string(folder.path().join("my arm.gltf")).unwrap();
        assert!(json.contains("\"my%20arm.bin\""), "{json}");
    }

    #[test]
    fn an_existing_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.GLB");
        fs::write(&path, "old").unwrap();
        write_file(&path, &sinew_samples::arm()).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(b"glTF"));
        assert_eq!(names(folder.path()), ["a.GLB"]);
    }

    #[test]
    fn a_failed_write_leaves_no_file_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        // A folder stands where the .gltf should go, so its rename fails after both files are staged.
        fs::create_dir_all(folder.path().join("a.gltf/inside")).unwrap();
        let error = write_file(&folder.path().join("a.gltf"), &sinew_samples::arm()).unwrap_err();
        assert!(error.to_string().contains("a.gltf"), "{error}");
        assert!(!names(folder.path()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn refuses_an_extension_that_it_does_not_know() {
        let error = write_file(Path::new("a.fbx"), &sinew_samples::arm()).unwrap_err();
        assert_eq!(error.to_string(), "a.fbx: characters are written as .glb, .gltf or .bvh");
    }
}
