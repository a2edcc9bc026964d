//! Whether the crates could be published.

use crate::{
    Outcome,
    shell::{command, run as run_command, target},
};

/// Packs every crate and resolves its dependencies as the registry would, without building or sending anything.
///
/// cargo asks the registry's index which versions exist, so this needs the network or a mirror.
pub(crate) fn check() -> Outcome {
    run_command(&mut command("cargo publish --workspace --dry-run --allow-dirty --no-verify"))
}

/// `cargo xtask publish`: as [`check`], and builds every crate from its package.
///
/// A package has neither the profiles nor the united features of the workspace, so this compiles every dependency once
/// more: minutes on two cores. CI leaves it to the nightly list.
pub(crate) fn run(_: &[String]) -> Outcome {
    let line = "cargo publish --workspace --dry-run --allow-dirty --config profile.dev.debug=false";
    run_command(command(line).env("CARGO_TARGET_DIR", target()?.join("publish")))
}
