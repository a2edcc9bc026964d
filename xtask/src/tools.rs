//! Programs that the tests call and a new machine lacks.

use crate::{
    Outcome,
    shell::{command, output, root, run, works},
};
use std::fs;

/// The Khronos validator's version. It is pinned so that a new rule of its cannot fail an old commit.
const VALIDATOR: &str = "2.0.0-dev.3.10";

const APT_INSTALL: &str = "apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 nodejs npm";

/// Makes sure that Node.js, npm and the Khronos validator are there.
pub(crate) fn install() -> Outcome {
    let missing: Vec<&str> =
        ["node", "npm"].into_iter().filter(|t| !works(&format!("{t} --version"))).collect();
    if !missing.is_empty() {
        install_node(&missing)?;
    }
    install_validator()
}

fn install_node(missing: &[&str]) -> Outcome {
    let missing = missing.join(" and ");
    let is_root = output(&mut command("id -u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !works("apt-get --version") {
        return Err(format!(
            "{missing} not found, which the tests of written files need; install Node.js 18 or newer with npm, on \
             Debian by `sudo apt-get update && sudo {APT_INSTALL}`"
        ));
    }
    println!("{missing} not found: installing from Debian");
    // Mirrors time out now and then.
    apt().or_else(|reason| {
        println!("{reason}; trying once more");
        apt()
    })
}

fn apt() -> Outcome {
    let quiet = |line: &str| run(command(line).env("DEBIAN_FRONTEND", "noninteractive"));
    quiet("apt-get update")?;
    quiet(APT_INSTALL)
}

/// Puts the validator into `target/validator`, where the tests look for it.
fn install_validator() -> Outcome {
    let folder = root().join("target/validator");
    let installed = fs::read_to_string(folder.join("node_modules/gltf-validator/package.json"));
    if installed.is_ok_and(|text| version_of(&text).as_deref() == Some(VALIDATOR)) {
        println!("gltf-validator {VALIDATOR} is installed");
        return Ok(());
    }
    let package = format!(
        "{{\n  \"name\": \"validator\",\n  \"private\": true,\n  \"dependencies\": {{ \"gltf-validator\": \"{VALIDATOR}\" }}\n}}\n"
    );
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(folder.join("package.json"), package).map_err(|e| format!("package.json: {e}"))?;
    let install = || run(command("npm install --no-audit --no-fund --loglevel=error").current_dir(&folder));
    install().or_else(|reason| {
        println!("{reason}; trying once more");
        install()
    })
}

fn version_of(package: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(package).ok()?;
    value["version"].as_str().map(str::to_owned)
}
