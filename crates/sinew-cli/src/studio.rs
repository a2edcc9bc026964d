//! `sinew studio`: finds the window's program and starts it, or serves the page.

mod serve;

use crate::{args::StudioArgs, failure::Failure};
use serve::Server;
use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const PROGRAM: &str = "sinew-studio";

pub(crate) fn run(args: &StudioArgs) -> Result<ExitCode, Failure> {
    if args.web {
        return serve_page(args);
    }
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

fn serve_page(args: &StudioArgs) -> Result<ExitCode, Failure> {
    let folder = page(args.page.as_deref())?;
    let server = Server::bind(args.port, folder)
        .map_err(|e| Failure::Work(format!("port {} cannot be used: {e}; try `--port 0`", args.port)))?;
    let address = server.address().map_err(Failure::Print)?;
    println!("Sinew Studio is at http://{address}/ for browsers on this machine; Ctrl+C stops it.");
    server.run();
    Ok(ExitCode::SUCCESS)
}

/// The folder with the page: the one that is named, or where `cargo xtask web` and packages put it.
fn page(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let has_page = |folder: &PathBuf| folder.join("index.html").is_file();
    if let Some(folder) = named {
        let missing =
            || Failure::usage(format!("{} holds no page: there is no index.html", folder.display()));
        return Some(folder.to_path_buf()).filter(has_page).ok_or_else(missing);
    }
    let here = env::current_exe().ok();
    let beside = here.as_deref().and_then(Path::parent).map(|folder| folder.join("web"));
    let built = here.as_deref().and_then(|path| path.parent()?.parent()).map(|folder| folder.join("web"));
    let folders = [beside, built, Some(PathBuf::from("target/web"))];
    folders.into_iter().flatten().find(has_page).ok_or_else(|| {
        Failure::usage("the page is not built; `cargo xtask web` makes it, `--page DIR` names another folder")
    })
}

/// The studio in the folder of this program, as after a build of the whole workspace.
fn beside_us() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?;
    let path = folder.with_file_name(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_page_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let error = page(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
        std::fs::write(folder.path().join("index.html"), "").unwrap();
        assert_eq!(page(Some(folder.path())).unwrap(), folder.path());
    }
}
