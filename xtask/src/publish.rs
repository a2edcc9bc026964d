//! Whether the crates could be published.

use crate::{
    Outcome,
    shell::{command, root, run as run_command, target},
};
use std::fs;

/// `cargo xtask publish`: packs every crate and builds it from its package, without sending anything.
///
/// cargo asks the registry's index which versions exist, so this needs the network or a mirror.
pub(crate) fn run(_: &[String]) -> Outcome {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
    let level = dependency_opt_level(&manifest).ok_or("Cargo.toml optimizes no dependencies")?;
    // A package does not contain the profiles of the workspace. With the same settings its dependencies are those that
    // the tests have built. The crates themselves never run here, so they need no optimization.
    let profile = format!(
        "--config profile.dev.opt-level=0 --config profile.dev.debug=false --config profile.dev.package.\"*\".opt-level={level}"
    );
    let line = format!("cargo publish --workspace --dry-run --allow-dirty {profile}");
    run_command(command(&line).env("CARGO_TARGET_DIR", target()?))
}

/// The `opt-level` of dependencies in the workspace's profile for tests.
fn dependency_opt_level(manifest: &str) -> Option<&str> {
    let section = manifest.split("[profile.dev.package.\"*\"]").nth(1)?.split("\n[").next()?;
    section.lines().find_map(|line| line.strip_prefix("opt-level = "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_dependencies_is_read_from_its_own_section() {
        let text = "[profile.dev]\nopt-level = 1\n[profile.dev.package.\"*\"]\nopt-level = 2\n[profile.x]\nopt-level = 3\n";
        assert_eq!(dependency_opt_level(text), Some("2"));
        assert_eq!(dependency_opt_level("[profile.dev]\nopt-level = 1\n"), None);
    }
}
