//! Fills `fuzz/corpus` with files for the fuzzer to start from: `seeds CORPUS_OUT [REAL_CHARACTERS]`.
//!
//! Every target gets its seeds made by code; `gltf`, `glb`, `bvh` and `meshopt` get small real files as well.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use sinew_formats::bvh::Bvh;
use sinew_torture::{
    seed::{FILTERS, MODES},
    subject::TARGETS,
};
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
    for target in TARGETS {
        for (number, seed) in (target.seeds)().iter().enumerate() {
            save(&out.join(target.name).join(format!("seed{number}")), seed)?;
        }
    }
    if let Some(folder) = arguments.next() {
        real(&folder, &out)?;
    }
    println!("seeded {} targets in {}", TARGETS.len(), out.display());
    Ok(())
}

/// Small characters and motions of a folder, as the targets take them.
fn real(folder: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = characters(folder)?;
    files.extend(characters(&folder.join("asset-generator"))?);
    for (name, bytes) in &files {
        save(&out.join("gltf").join(name), bytes)?;
        if let Some(halves) = halves(bytes) {
            save(&out.join("glb").join(name), &halves)?;
        }
    }
    motions(&folder.join("bvh"), &out.join("bvh"))?;
    if let Ok(glb) = fs::read(folder.join("fox_meshopt.glb")) {
        meshopt(&glb, &out.join("meshopt"))?;
    }
    Ok(())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, bytes)?)
}

/// The small glTF files of a folder; empty if the folder does not exist.
fn characters(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Box<dyn Error>> {
    let mut out = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(out) };
    for entry in entries {
        let path = entry?.path();
        let is_gltf = path.extension().is_some_and(|e| e == "glb" || e == "gltf");
        if is_gltf && fs::metadata(&path)?.len() <= LARGEST as u64 {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            out.push((name, inlined(&path)?));
        }
    }
    Ok(out)
}

/// The hierarchy and the first frames of every motion of a folder; empty if the folder does not exist.
fn motions(folder: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let Ok(whole) = Bvh::parse(&fs::read(&path)?) else { continue };
        let values = (0..whole.frame_count().min(3)).flat_map(|k| whole.frame(k).to_vec()).collect();
        let short = Bvh::new(whole.joints().to_vec(), whole.frame_secs(), values)?;
        save(&out.join(path.file_name().unwrap_or_default()), short.to_text().as_bytes())?;
    }
    Ok(())
}

/// A file with its buffers embedded.
fn inlined(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) else { return Ok(bytes) };
    for buffer in json["buffers"].as_array_mut().into_iter().flatten() {
        let Some(uri) = buffer["uri"].as_str().filter(|u| !u.starts_with("data:")) else { continue };
        let data = STANDARD.encode(fs::read(path.with_file_name(uri))?);
        buffer["uri"] = format!("data:;base64,{data}").into();
    }
    Ok(json.to_string().into_bytes())
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

/// Every compressed view of a GLB, with the four bytes before it that the `meshopt` target takes.
fn meshopt(glb: &[u8], out: &Path) -> Result<(), Box<dyn Error>> {
    let halves = halves(glb).ok_or("no GLB")?;
    let end = halves.iter().position(|&b| b == 0).ok_or("no buffer")?;
    let (json, bin) = (serde_json::from_slice::<Value>(&halves[..end])?, &halves[end + 1..]);
    for (index, view) in json["bufferViews"].as_array().into_iter().flatten().enumerate() {
        let it = &view["extensions"]["EXT_meshopt_compression"];
        let number = |key: &str| it[key].as_u64().unwrap_or(0) as usize;
        let place = |names: &[&str], key: &str| names.iter().position(|n| it[key] == *n).unwrap_or(0);
        let (mode, filter) = (place(&MODES, "mode"), place(&FILTERS, "filter"));
        let step = if mode == 0 { 4 } else { 2 };
        let stride = (number("byteStride") / step).saturating_sub(1) as u8;
        let [low, high] = (number("count") as u16).to_le_bytes();
        let stream =
            bin.get(number("byteOffset")..number("byteOffset") + number("byteLength")).unwrap_or(&[]);
        let head = [(mode + 3 * filter) as u8, stride, low, high];
        save(&out.join(format!("view{index}")), &[&head, stream].concat())?;
    }
    Ok(())
}
