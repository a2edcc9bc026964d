//! The window on a desktop.

use sinew_studio::{
    app::Studio,
    autosave::{Folder, Recovered, recover},
    document::Source,
    session::Session,
};
use std::{env, fs, path::PathBuf, process::ExitCode};

const USAGE: &str = "usage: sinew-studio [FILE | builtin:NAME]
Opens FILE (.glb, .gltf, .bvh, .fbx) or a built-in character (arm, arm-stitched, tube, figure).
  --recover   goes on with the newest session that was not closed";

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["--recover"] => recovered(),
        [] => opened(Source::Builtin("figure".into())),
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

fn source(name: &str) -> Source {
    match name.strip_prefix("builtin:") {
        Some(name) => Source::Builtin(name.into()),
        None => Source::File(name.into()),
    }
}

fn opened(source: Source) -> Result<(), String> {
    let session = Session::open(source).map_err(|e| e.to_string())?;
    let left = journals().map_or(0, |folder| folder.left_behind().len());
    let message = (left > 0).then(|| {
        let sessions = if left == 1 { "A session was".into() } else { format!("{left} sessions were") };
        format!("{sessions} not closed: `sinew-studio --recover` goes on with the newest.")
    });
    run(Recovered { session, entries: Vec::new(), is_source_changed: false, stopped_by: None }, message)
}

fn recovered() -> Result<(), String> {
    let folder = journals().ok_or("there is no folder for journals")?;
    let path =
        folder.left_behind().into_iter().next().ok_or("every session was closed: nothing to recover")?;
    let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let recovered = recover(&bytes).map_err(|e| e.to_string())?;
    let mut message = match recovered.entries.len() {
        1 => "One step of the last session is done again.".to_owned(),
        count => format!("{count} steps of the last session are done again."),
    };
    if recovered.is_source_changed {
        message += " The file was saved anew since: look whether the edits still fit.";
    }
    if let Some(error) = &recovered.stopped_by {
        message += &format!(" Then: {error}.");
    }
    run(recovered, Some(message))?;
    // What was recovered is in the journal of the session that went on with it.
    let _ = fs::remove_file(path);
    Ok(())
}

fn run(recovered: Recovered, message: Option<String>) -> Result<(), String> {
    let Recovered { session, entries, .. } = recovered;
    let viewport = egui::ViewportBuilder::default()
        .with_title("Sinew Studio")
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([900.0, 560.0])
        .with_drag_and_drop(true);
    let options = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    let started = eframe::run_native(
        "sinew-studio",
        options,
        Box::new(move |creation| {
            let mut studio = Studio::with_session(creation, session);
            if let Some(message) = message {
                studio = studio.with_message(message);
            }
            if let Some(folder) = journals() {
                studio = studio.with_autosave(&folder, &entries);
            }
            Ok(Box::new(studio))
        }),
    );
    let reason = |error| match error {
        eframe::Error::WinitEventLoop(_) => "there is no display to open a window on".into(),
        other => format!("no window can be opened here: {other}"),
    };
    started.map_err(|e| format!("{}\n`sinew render` and `sinew weights` work without a window", reason(e)))
}

/// Where journals lie; `None` where there is no home.
fn journals() -> Option<Folder> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"))?));
    let base = state.or_else(|| Some(home()?.join(".local").join("state")))?;
    Folder::at(base.join("sinew-studio")).ok()
}
