//! Files and standard output, written whole or not at all.

use crate::{failure::Failure, input::STANDARD};
use sinew_formats::save_bytes;
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Prints to standard output.
pub(crate) fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_ref()).and_then(|()| out.flush()).map_err(Failure::Print)
}

/// Writes a file that appears whole or not at all.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    if is_standard(path) {
        return print(bytes);
    }
    Ok(save_bytes(path, bytes.as_ref())?)
}

/// True for the path that stands for standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Tells a person that a file is written, unless it went to standard output.
pub(crate) fn tell_written(path: &Path) {
    if !is_standard(path) {
        eprintln!("wrote {}", path.display());
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

/// The ending of a path in lower case, without its dot.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
