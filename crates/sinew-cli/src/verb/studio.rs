//! `sinew studio`: starts the studio's program, or serves the studio as a page.

mod serve;

use crate::{
    failure::{Attempt, Failure},
    input,
};
use clap::ValueHint;
use serve::Server;
use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const PROGRAM: &str = "sinew-studio";

/// Open the studio: inspect skeleton and skin, pose joints, play clips, edit and paint weights.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The studio is a separate program, so that this one stays small: `cargo install --path crates/sinew-studio`.

Example:
  sinew studio fox.glb")]
pub(crate) struct StudioArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help() + ", which is the default")]
    file: Option<String>,

    /// Serve the studio as a page for browsers on this machine instead of opening a window.
    #[arg(long, conflicts_with = "file")]
    web: bool,

    /// The port of the page; 0 chooses a free one.
    #[arg(long, default_value_t = 8017, requires = "web")]
    port: u16,

    /// The folder with the page, as `cargo xtask web` builds it.
    #[arg(long, value_name = "DIR", requires = "web", value_hint = ValueHint::DirPath)]
    page: Option<PathBuf>,
}

pub(crate) fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    if args.web {
        return serve_page(args);
    }
    let mut command = Command::new(sibling_program().unwrap_or_else(|| PROGRAM.into()));
    command.args(&args.file);
    match command.status() {
        // The studio reports its own errors.
        Ok(status) => {
            Ok(status.code().and_then(|c| u8::try_from(c).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "{PROGRAM} is neither in the folder of this program nor on the PATH; `cargo install --path crates/sinew-studio` \
             installs it. Without a window, `sinew render` draws pictures and `sinew weights` edits weights."
        ))),
        Err(e) => Err(Failure::usage(format!("cannot start {PROGRAM}: {e}"))),
    }
}

fn serve_page(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let folder = page(args.page.as_deref())?;
    let server = Server::bind(args.port, folder)
        .attempt(|| format!("serve the studio at port {} (try --port 0)", args.port))?;
    let address = server.address().map_err(Failure::Print)?;
    println!("Sinew Studio is at http://{address}/ for browsers on this machine; Ctrl+C stops it.");
    server.run();
    Ok(ExitCode::SUCCESS)
}

/// The folder with the page: the named one, or where `cargo xtask web` and packages put it.
fn page(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let has_page = |folder: &PathBuf| folder.join("index.html").is_file();
    if let Some(folder) = named {
        let missing = || Failure::usage(format!("{} has no page: index.html is missing", folder.display()));
        return Some(folder.to_path_buf()).filter(has_page).ok_or_else(missing);
    }
    let here = env::current_exe().ok();
    let sibling = here.as_deref().and_then(Path::parent).map(|folder| folder.join("web"));
    let built = here.as_deref().and_then(|path| path.parent()?.parent()).map(|folder| folder.join("web"));
    let folders = [sibling, built, Some(PathBuf::from("target/web"))];
    folders.into_iter().flatten().find(has_page).ok_or_else(|| {
        Failure::usage(
            "the page is not built; `cargo xtask web` builds it, `--page DIR` names another folder",
        )
    })
}

/// The studio in the folder of this program, as after a build of the whole workspace.
fn sibling_program() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?;
    let path = folder.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_page_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let error = page(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
        std::fs::write(folder.path().join("index.html"), "").unwrap();
        assert_eq!(page(Some(folder.path())).unwrap(), folder.path());
    }
}
