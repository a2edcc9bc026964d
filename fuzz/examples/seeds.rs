//! Fills `fuzz/corpus` with files for the fuzzer to start from: `seeds CORPUS_OUT [REAL_CHARACTERS]`.

use sinew_fuzz::Document;
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

/// Larger files only slow the fuzzer down.
const LARGEST: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let out = arguments.next().ok_or("usage: seeds CORPUS_OUT [REAL_CHARACTERS]")?;
    let mut files = vec![("everything.glb".to_owned(), Document::everything().glb())];
    files.push(("everything.gltf".to_owned(), Document::everything().gltf()));
    if let Some(folder) = arguments.next() {
        files.extend(characters(&folder)?);
        files.extend(characters(&folder.join("asset-generator"))?);
    }
    for (name, bytes) in &files {
        save(&out.join("gltf").join(name), bytes)?;
        if let Some(halves) = halves(bytes) {
            save(&out.join("glb").join(name), &halves)?;
        }
    }
    draco(&out.join("draco"))?;
    println!("seeded {} with {} files", out.display(), files.len());
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, bytes)?)
}

/// The small glTF files of a folder; none where there is no such folder.
fn characters(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Box<dyn Error>> {
    let mut out = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(out) };
    for entry in entries {
        let path = entry?.path();
        let is_gltf = path.extension().is_some_and(|e| e == "glb" || e == "gltf");
        if is_gltf && fs::metadata(&path)?.len() <= LARGEST as u64 {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            out.push((name, fs::read(&path)?));
        }
    }
    Ok(out)
}

/// A GLB as the `glb` target takes it: JSON, a zero byte, the buffer.
fn halves(glb: &[u8]) -> Option<Vec<u8>> {
    let (header, rest) = glb.split_first_chunk::<20>()?;
    if !header.starts_with(b"glTF") {
        return None;
    }
    let length = u32::from_le_bytes([header[12], header[13], header[14], header[15]]) as usize;
    let (json, bin) = rest.split_at_checked(length)?;
    Some([json, &[0], bin.get(8..).unwrap_or(&[])].concat())
}

/// The streams that the tests of the Draco reader use.
fn draco(out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/sinew-formats/tests/draco");
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "drc") {
            save(&out.join(path.file_name().unwrap_or_default()), &fs::read(&path)?)?;
        }
    }
    Ok(())
}
