//! `sinew studio`: finds the window's program and starts it.

use crate::{args::StudioArgs, failure::Failure};
use std::{
    env, io,
    path::PathBuf,
    process::{Command, ExitCode},
};

const PROGRAM: &str = "sinew-studio";

pub(crate) fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let mut command = Command::new(beside_us().unwrap_or_else(|| PROGRAM.into()));
    command.args(&args.file);
    match command.status() {
        // What went wrong in the window was said there.
        Ok(status) => {
            Ok(status.code().and_then(|c| u8::try_from(c).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "{PROGRAM} is neither beside this program nor on the PATH; `cargo install --path crates/sinew-studio` puts it \
             there. Without a window, `sinew render` draws pictures and `sinew weights` edits weights."
        ))),
        Err(e) => Err(Failure::usage(format!("{PROGRAM} cannot be started: {e}"))),
    }
}

/// The studio in the folder of this program, as after a build of the whole workspace.
fn beside_us() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?;
    let path = folder.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}
