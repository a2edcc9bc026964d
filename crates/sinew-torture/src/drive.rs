//! Drives whatever can be read through the stages and writers, as the command line and the studio do.
//!
//! The cheap stages run for every input; of the others each case runs some, which its random numbers choose.

mod character;
mod markers;
mod motion;
mod texts;
mod vertex_cache;
mod weights;

pub use markers::markers;
pub use texts::{clip_text, joint_map, pose_text, weights_text};
pub use vertex_cache::obj;

use crate::{random::Random, subject::Verdict};
use sinew_formats::{Import, cooked::update_checksums, read_bytes, read_file};
use std::{cell::OnceCell, fs, io};
use tempfile::TempDir;

/// Reads a file of any character format from memory, and drives the character.
pub fn bytes(bytes: &[u8], random: &mut Random) -> Verdict {
    driven(read_bytes(bytes, "case"), random)
}

/// Reads a document from a folder with the files that it names, and drives the character.
///
/// The input is a JSON text, a zero byte, and the buffer.
pub fn folder(bytes: &[u8], random: &mut Random) -> Verdict {
    thread_local! {
        static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
    }
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let buffer = bytes.get(end + 1..).unwrap_or(&[]);
    FOLDER.with(|folder| {
        let folder =
            folder.get_or_init(|| tempfile::tempdir().expect("there is a folder for temporary files"));
        let write =
            |name: &str, bytes: &[u8]| -> io::Result<()> { fs::write(folder.path().join(name), bytes) };
        write("document.gltf", &bytes[..end])
            .and_then(|()| write("data.bin", buffer))
            .and_then(|()| write("skin.png", b"\x89PNG\r\n\x1a\nnot really a picture"))
            .expect("temporary files can be written");
        driven(read_file(folder.path().join("document.gltf")), random)
    })
}

/// Reads a cooked file whose checksums are right, and drives the character.
pub fn cooked(bytes: &[u8], random: &mut Random) -> Verdict {
    let mut file = bytes.to_vec();
    update_checksums(&mut file);
    driven(read_bytes(&file, "case"), random)
}

fn driven<E: std::fmt::Display>(import: Result<Import, E>, random: &mut Random) -> Verdict {
    match import {
        Ok(import) => {
            character::drive(&import, random);
            Verdict::Accepted
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Verdict::Refused
        }
    }
}
