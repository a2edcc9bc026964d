//! Files and standard output, written whole or not at all.

use crate::{
    failure::Failure,
    input::STANDARD,
    json, overwrite,
    text::{inert, inert_json, plain},
};
use sinew_formats::{save_bytes, save_files};
use std::{
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

/// Prints a text for people to standard output, without control characters.
pub(crate) fn print_text(text: impl AsRef<str>) -> Result<(), Failure> {
    print(inert(text.as_ref()).as_bytes())
}

/// Prints a text for programs to standard output. Only a terminal gets it without control characters.
pub(crate) fn print_data(text: impl AsRef<str>) -> Result<(), Failure> {
    if io::stdout().is_terminal() { print_text(text) } else { print(text.as_ref()) }
}

/// Prints a JSON document to standard output. Characters that a terminal obeys are escaped, so its value is the same.
pub(crate) fn print_json(document: impl AsRef<str>) -> Result<(), Failure> {
    if json::keep(document.as_ref()) {
        return Ok(());
    }
    print(inert_json(document.as_ref()).as_bytes())
}

/// Prints bytes to standard output as they are.
pub(crate) fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_ref()).and_then(|()| out.flush()).map_err(Failure::Print)
}

/// Writes a file that appears whole or not at all. A file that exists is replaced only if [`overwrite`] allows it.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    if is_standard(path) {
        return print(bytes);
    }
    overwrite::require_bytes(path, bytes.as_ref())?;
    save_bytes(path, bytes.as_ref())?;
    overwrite::own(path);
    Ok(())
}

/// Writes files that belong together: all of them, or none after an error.
pub(crate) fn write_together(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    for (path, bytes) in files {
        overwrite::require_bytes(path, bytes)?;
    }
    let slices: Vec<_> = files.iter().map(|(path, bytes)| (path.as_path(), &bytes[..])).collect();
    save_files(&slices)?;
    files.iter().for_each(|(path, _)| overwrite::own(path));
    Ok(())
}

/// A path as it is shown to people.
pub(crate) fn shown_path(path: &Path) -> String {
    plain(&path.to_string_lossy())
}

/// True for the path that stands for standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Tells a person that a file is written, unless it went to standard output.
pub(crate) fn tell_written(path: &Path) {
    if !is_standard(path) {
        tell!("wrote {}", shown_path(path));
    }
}

/// Creates a folder and its parents.
pub(crate) fn create_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|source| Failure::Output { path: path.into(), source })
}

/// Refuses a path that does not end in `.glb`, `.gltf` or `.vrm`, before any work is done.
pub(crate) fn require_gltf(path: &Path) -> Result<(), Failure> {
    match ending(path).as_str() {
        _ if is_standard(path) => Ok(()),
        "glb" | "gltf" | "vrm" => Ok(()),
        _ => Err(Failure::usage(format!("OUT must end in .glb, .gltf or .vrm, got {}", path.display()))),
    }
}

/// Refuses a path that does not end in `.glb`, `.gltf`, `.vrm` or `.sinew`, before any work is done.
pub(crate) fn require_character(path: &Path) -> Result<(), Failure> {
    match ending(path).as_str() {
        "glb" | "gltf" | "vrm" | "sinew" => Ok(()),
        _ if is_standard(path) => Ok(()),
        _ => Err(Failure::usage(format!(
            "OUT must end in .glb, .gltf, .vrm or .sinew, got {}",
            path.display()
        ))),
    }
}

/// Refuses a path that does not end in `.sinew`, before any work is done.
pub(crate) fn require_cooked(path: &Path) -> Result<(), Failure> {
    match ending(path).as_str() {
        "sinew" => Ok(()),
        _ => Err(Failure::usage(format!("OUT must end in .sinew, got {}", path.display()))),
    }
}

/// The ending of a path in lower case, without its dot.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
