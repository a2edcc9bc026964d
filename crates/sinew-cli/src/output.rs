//! Files and standard output, written whole or not at all.

use crate::failure::Failure;
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
    Ok(save_bytes(path, bytes.as_ref())?)
}

/// Makes a folder and those above it.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|source| Failure::Output { path: path.into(), source })
}
