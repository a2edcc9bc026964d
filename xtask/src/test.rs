//! The tests: all of them for CI, and the inner ring for everyday work.

use crate::{
    Outcome,
    shell::{command, run as run_command, target, works},
};
use std::{env, path::PathBuf};

/// The packages and features that tests, lints and documentation have in common. Any other choice would compile
/// wgpu and egui once more, because cargo unites the features of the packages it is asked for.
pub(crate) const SELECTION: &str = "--workspace --features sinew-cli/gpu";

/// Everything that compiles without wgpu and egui.
const INNER: &str = "--workspace --exclude sinew-gpu --exclude sinew-studio --exclude sinew-torture --exclude sinew-docs \
     --exclude xtask-bindings";

/// Tests skip what a machine lacks; with these set they fail instead. The last one keeps Mesa from remarking on a
/// missing desktop.
const REQUIRE: [&str; 3] = ["SINEW_REQUIRE_VALIDATOR", "SINEW_REQUIRE_GPU", "NODEVICE_SELECT"];

/// `cargo xtask test`: the inner ring, or only the tests whose name contains a word.
pub(crate) fn run(words: &[String]) -> Outcome {
    run_tests(INNER, words, &[])?;
    // Examples in documentation have no names to choose by.
    if words.is_empty() { run_doc_tests(INNER) } else { Ok(()) }
}

/// Every test of every crate; nothing may be skipped.
pub(crate) fn check() -> Outcome {
    run_tests(SELECTION, &[], &REQUIRE)?;
    run_doc_tests(SELECTION)
}

/// nextest runs the tests of all binaries at once; cargo runs one binary after the other.
fn run_tests(selection: &str, words: &[String], require: &[&str]) -> Outcome {
    let line = if works("cargo nextest --version") {
        format!("cargo nextest run {selection} --status-level fail --final-status-level slow")
    } else {
        println!(
            "cargo-nextest is not installed; `cargo install cargo-nextest --locked` makes this step faster"
        );
        format!("cargo test {selection} --lib --bins --tests --quiet --")
    };
    run_command(command(&line).args(words).envs(require.iter().map(|name| (name, "1"))))
}

fn run_doc_tests(selection: &str) -> Outcome {
    run_command(&mut command(&format!("cargo test {selection} --doc --quiet")))
}

/// A program as the tests have built it. Examples need what tests need: asking for them as well gives the program the
/// same features as the step before, so that nothing is compiled twice.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    run_command(&mut command(&format!("cargo build {SELECTION} --bin {name} --examples --quiet")))?;
    Ok(target()?.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}
