//! The studio in a desktop window.

use sinew_studio::{app::Studio, autosave::JournalFolder, document::DocumentSource, session::Session};
use std::{env, path::PathBuf, process::ExitCode};

const USAGE: &str = "usage: sinew-studio [FILE | builtin:NAME]
Opens FILE (.glb, .gltf, .bvh, .fbx) or a built-in character (arm, arm-rigid, tube, figure).
  --recover   continues the newest session that was not closed";

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["--recover"] => recovered(),
        [] => opened(DocumentSource::Builtin("figure".into())),
        [name] if !name.starts_with('-') => opened(source(name)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sinew-studio: {message}");
            ExitCode::from(3)
        }
    }
}

fn source(name: &str) -> DocumentSource {
    match name.strip_prefix("builtin:") {
        Some(name) => DocumentSource::Builtin(name.into()),
        None => DocumentSource::File(name.into()),
    }
}

fn opened(source: DocumentSource) -> Result<(), String> {
    let session = Session::open(source).map_err(|e| e.to_string())?;
    run(session, |studio| match journals() {
        Some(folder) => {
            // Before this window adds a journal of its own.
            let unclosed = folder.newest_unclosed();
            studio.with_autosave(&folder).with_unclosed_session(unclosed)
        }
        None => studio,
    })
}

fn recovered() -> Result<(), String> {
    let folder = journals().ok_or("no folder for recovery journals")?;
    let unclosed = folder.newest_unclosed().ok_or("nothing to recover: every session was closed")?;
    let session = Session::open(DocumentSource::Builtin("figure".into())).map_err(|e| e.to_string())?;
    run(session, |studio| studio.with_autosave(&folder).with_unclosed_session(Some(unclosed)).recovered())
}

/// Opens a window with the studio that `prepare` configures.
fn run(session: Session, prepare: impl FnOnce(Studio) -> Studio) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Sinew Studio")
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([900.0, 560.0])
        .with_drag_and_drop(true);
    let options = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    let started = eframe::run_native(
        "sinew-studio",
        options,
        Box::new(move |creation| Ok(Box::new(prepare(Studio::with_session(creation, session))))),
    );
    let reason = |error| match error {
        eframe::Error::WinitEventLoop(_) => "there is no display to open a window on".into(),
        other => format!("cannot open a window: {other}"),
    };
    started.map_err(|e| format!("{}\n`sinew render` and `sinew weights` work without a window", reason(e)))
}

/// The folder of recovery journals; `None` without a home folder.
fn journals() -> Option<JournalFolder> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"))?));
    let base = state.or_else(|| Some(home()?.join(".local").join("state")))?;
    JournalFolder::at(base.join("sinew-studio")).ok()
}
