//! The studio as a page: WebAssembly, the JavaScript that loads it, and the same packed.

use crate::{
    Outcome,
    shell::{command, root, run as run_command, target},
    tools, wasm,
};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

const TARGET: &str = "wasm32-unknown-unknown";
/// Limit on the size of all files of the page, compressed with gzip.
const MAX_PACKED_BYTES: usize = 10_000_000;

/// Runs `cargo xtask web`, which takes no arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.first() {
        Some(extra) => Err(format!("{extra:?} is too much: web takes no arguments")),
        None => build(command("cargo run --quiet --package xtask-bindings --")),
    }
}

/// Where the page is made.
pub(crate) fn folder() -> PathBuf {
    root().join("target/web")
}

/// Makes the page in `target/web` and prints what it weighs. `bindings` is the program `xtask-bindings`.
pub(crate) fn build(mut bindings: Command) -> Outcome {
    wasm::add_target()?;
    let reads_fbx = tools::install_compiler();
    if let Err(reason) = &reads_fbx {
        println!("the page will not read .fbx: {reason}");
    }
    compile(reads_fbx.is_ok())?;
    let folder = folder();
    // What an earlier build left must not be packed with this one.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let module = target()?.join(TARGET).join("page/sinew-studio.wasm");
    run_command(bindings.arg(module).arg(&folder))?;
    check_imports(&folder)?;
    for name in ["index.html", "start.js"] {
        let file = root().join("crates/sinew-studio/web").join(name);
        fs::copy(&file, folder.join(name)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    weigh(&folder)
}

/// Flags are given to the page's code alone, so that what runs while it is built is shared with other builds.
fn compile(reads_fbx: bool) -> Outcome {
    let features = if reads_fbx { "--features fbx" } else { "" };
    let line = format!(
        "cargo build --package sinew-studio --bin sinew-studio --no-default-features {features} --profile page --target {TARGET}"
    );
    let mut cargo = command(&line);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Ctarget-feature=+simd128");
    if reads_fbx {
        // Words are split at spaces unless they are escaped, and a folder's name may have some.
        let header = root().join("crates/sinew-formats/src/fbx/without_libc.h");
        let flags = format!("-ffreestanding -include '{}'", header.display());
        cargo.env("CC_wasm32_unknown_unknown", "clang");
        cargo.env("CFLAGS_wasm32_unknown_unknown", flags).env("CC_SHELL_ESCAPED_FLAGS", "1");
    }
    // These would win over the plain one.
    run_command(cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"))
}

/// Refuses a page that asks for functions of a C library: no browser has them.
fn check_imports(folder: &Path) -> Outcome {
    let path = folder.join("sinew-studio.js");
    let script = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    match script.lines().find(|line| line.starts_with("import ")) {
        Some(line) => Err(format!("the page asks for what no browser has: {line}")),
        None => Ok(()),
    }
}

/// Packs every file beside itself.
fn weigh(folder: &Path) -> Outcome {
    let mut total = (0, 0);
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let (raw, packed) = pack(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:<24}{:>8.2} MB {:>8.2} MB packed", raw as f64 / 1e6, packed as f64 / 1e6);
        total = (total.0 + raw, total.1 + packed);
    }
    println!("{:<24}{:>8.2} MB {:>8.2} MB packed", "page", total.0 as f64 / 1e6, total.1 as f64 / 1e6);
    if total.1 > MAX_PACKED_BYTES {
        return Err(format!("the page weighs {} bytes packed, {MAX_PACKED_BYTES} are allowed", total.1));
    }
    println!("the page is in {}; `sinew studio --web` serves it", folder.display());
    Ok(())
}

/// Writes `path` with `.gz` and gives both sizes.
fn pack(path: &Path) -> io::Result<(usize, usize)> {
    let raw = fs::read(path)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&raw)?;
    let packed = encoder.finish()?;
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    fs::write(name, &packed)?;
    Ok((raw.len(), packed.len()))
}
