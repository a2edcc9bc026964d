//! The kernels in WebAssembly: built with and without simd128, run under Node.js, held to the references and to each other.

use crate::{
    Outcome,
    shell::{command, output, run as run_command, target, works},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

const TARGET: &str = "wasm32-unknown-unknown";
const ADD_TARGET: &str = "rustup target add wasm32-unknown-unknown";
const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
const OLDEST_NODE: u32 = 18;

/// One way to build the check.
struct Build {
    level: &'static str,
    rustflags: &'static str,
}

const BUILDS: [Build; 2] = [
    Build { level: "scalar", rustflags: "" },
    Build { level: "simd128", rustflags: "-Ctarget-feature=+simd128" },
];

/// Runs `cargo xtask wasm`, which takes no arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.first() {
        Some(extra) => Err(format!("{extra:?} is too much: wasm takes no arguments")),
        None => check(),
    }
}

/// Builds and runs; the script prints speeds, which decide nothing.
pub(crate) fn check() -> Outcome {
    check_node()?;
    add_target()?;
    let modules = BUILDS.iter().map(build).collect::<Result<Vec<_>, _>>()?;
    run_command(command("node crates/sinew-wasm-check/run.mjs").args(modules))
}

fn check_node() -> Outcome {
    let found = output(&mut command("node --version"));
    match found.as_deref().ok().and_then(major) {
        Some(version) if version >= OLDEST_NODE => Ok(()),
        _ => Err(format!(
            "Node.js {OLDEST_NODE} or newer is needed, {}; `cargo xtask ci tools` installs it from Debian",
            found.map_or("there is none".into(), |version| format!("this is {}", version.trim())),
        )),
    }
}

/// The major version, 20 for `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Makes sure that the standard library for the target is there.
pub(crate) fn add_target() -> Outcome {
    let folder = output(&mut command(&format!("rustc --print target-libdir --target {TARGET}")))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    let by_hand = format!(
        "the standard library for {TARGET} is missing; where the network is open, run `{ADD_TARGET}`"
    );
    if !works("rustup --version") {
        return Err(format!(
            "{by_hand} (there is no rustup here; without it, the compiler's package has it)"
        ));
    }
    run_command(&mut command(ADD_TARGET)).map_err(|reason| format!("{by_hand} ({reason})"))
}

/// The module that `build` makes, with the profile of the studio's page.
fn build(build: &Build) -> Result<PathBuf, String> {
    let line = format!(
        "cargo rustc --package sinew-wasm-check --lib --crate-type cdylib --profile page --target {TARGET}"
    );
    println!("{FLAGS}={:?}", build.rustflags);
    let mut cargo = command(&line);
    // Flags for the target alone: macros and build scripts are shared with other builds. The other variables would
    // take precedence.
    cargo.env(FLAGS, build.rustflags).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    run_command(&mut cargo)?;
    let target = target()?;
    let module = target.join(format!("wasm-check-{}.wasm", build.level));
    // The next build writes to the same place.
    fs::copy(target.join(TARGET).join("page/sinew_wasm_check.wasm"), &module)
        .map_err(|e| format!("{}: {e}", module.display()))?;
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_are_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("v9.1.0"), Some(9));
        assert_eq!(major("20.1"), None);
        assert_eq!(major(""), None);
    }
}
