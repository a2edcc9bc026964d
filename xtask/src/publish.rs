//! Whether the crates could be published.

use crate::{
    Outcome,
    shell::{command, run as run_command, target},
};

/// `cargo xtask publish`: packs every crate and builds it from its package, without sending anything.
///
/// cargo asks the registry's index which versions exist, so this needs the network or a mirror.
pub(crate) fn run(_: &[String]) -> Outcome {
    // A package has no profiles of the workspace: with these settings its dependencies are those of the tests.
    // The crates themselves are only compiled, so they need no optimization.
    let profile = "--config profile.dev.debug=false --config profile.dev.package.\"*\".opt-level=1 --config profile.dev.opt-level=0";
    let line = format!("cargo publish --workspace --dry-run --allow-dirty {profile}");
    run_command(command(&line).env("CARGO_TARGET_DIR", target()?))
}
