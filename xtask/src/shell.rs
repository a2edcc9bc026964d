//! Other programs, run in the project's root.

use crate::Outcome;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo puts what it builds: `target`, unless a setting of the machine says otherwise.
pub(crate) fn target() -> Result<PathBuf, String> {
    let text = output(&mut command("cargo metadata --no-deps --format-version 1"))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    metadata["target_directory"].as_str().map(PathBuf::from).ok_or("cargo metadata names no target".into())
}

/// `line` split at spaces, ready to run in the project's root.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(root());
    command
}

/// Runs `command` with its output shown.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = show(command);
    println!("$ {shown}");
    match command.status() {
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed: {status}")),
    }
}

/// What `command` prints on its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = show(command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("`{shown}` did not start: {e}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True where `line` starts and succeeds; it says nothing.
pub(crate) fn works(line: &str) -> bool {
    let status = command(line).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|s| s.success())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
