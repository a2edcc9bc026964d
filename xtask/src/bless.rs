//! Rewrites golden pictures from what the code draws now.

use crate::{
    Outcome,
    shell::{command, run as run_command},
};

/// Runs the tests of `packages`, or of the whole workspace, so that they rewrite their golden pictures.
pub(crate) fn run(packages: &[String]) -> Outcome {
    let mut tests = command("cargo test --no-fail-fast");
    if packages.is_empty() {
        tests.arg("--workspace");
    }
    packages.iter().for_each(|package| _ = tests.args(["--package", package]));
    run_command(tests.env("SINEW_BLESS", "1"))?;
    println!("\nLook at every picture that `git status` lists before you commit it.");
    Ok(())
}
