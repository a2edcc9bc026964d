//! Files on a desktop: paths and native dialogs.

use super::{Inbox, SaveLosses, SaveOutcome, readable_extensions, save_outcome::summary};
use crate::document::DocumentSource;
use sinew::Character;
use std::{
    future::Future,
    path::{Path, PathBuf},
};

/// True if files have paths that a user can type.
pub(crate) const HAS_PATHS: bool = true;

/// Recent files of a desktop, which are opened by their paths.
#[derive(Debug, Default)]
pub(crate) struct RecentFiles {}

impl RecentFiles {
    /// Does nothing: the file stays on disk.
    pub(crate) fn keep(&self, _: &DocumentSource) {}

    /// Opens a recent file; `made` turns it into an item of the inbox.
    pub(crate) fn open<T: Send + 'static>(
        &self,
        ctx: &egui::Context,
        inbox: &Inbox<T>,
        path: &Path,
        made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
    ) {
        inbox.put(ctx, made(Ok(DocumentSource::File(path.to_path_buf()))));
    }
}

/// Asks for a file to open; `made` turns it into an item of the inbox.
pub(crate) fn ask_file<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
) {
    let dialog =
        rfd::AsyncFileDialog::new().set_title("Open").add_filter("Characters", &readable_extensions());
    wait(ctx, inbox, dialog.pick_file(), move |path| made(Ok(DocumentSource::File(path))));
}

/// Asks where to save, starting at `proposed`; `made` turns the path into an item of the inbox.
pub(crate) fn ask_place<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    proposed: &Path,
    made: impl FnOnce(PathBuf) -> T + Send + 'static,
) {
    let name = proposed.file_name().unwrap_or_default().to_string_lossy();
    let mut dialog = rfd::AsyncFileDialog::new().set_title("Save").set_file_name(name);
    if let Some(folder) = proposed.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    wait(ctx, inbox, dialog.save_file(), made);
}

/// Waits for a dialog on a thread: some systems create dialogs on the main thread only, but it must not block.
fn wait<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    chosen: impl Future<Output = Option<rfd::FileHandle>> + Send + 'static,
    made: impl FnOnce(PathBuf) -> T + Send + 'static,
) {
    let (ctx, inbox) = (ctx.clone(), inbox.clone());
    std::thread::spawn(move || {
        if let Some(file) = pollster::block_on(chosen) {
            inbox.put(&ctx, made(file.path().to_path_buf()));
        }
    });
}

/// Sets the title of the window.
pub(crate) fn set_title(ctx: &egui::Context, title: &str) {
    ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.into()));
}

/// Takes files that were dropped on the window: the first is opened.
pub(crate) fn take_dropped<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    files: &[egui::DroppedFileHandle],
    made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
) {
    if let Some(file) = files.first() {
        inbox.put(ctx, made(Ok(DocumentSource::File(file.path().into()))));
    }
}

/// Writes `bytes` to the file at `path`; returns a message.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    sinew_formats::save_bytes(path, bytes).map_err(|e| e.to_string())?;
    Ok(format!("Saved {}", path.display()))
}

/// Writes `character` to the file at `path`, in the format of its extension. What that would drop of the opened file is
/// returned first, unless it `is_confirmed`.
pub(crate) fn save_character(
    path: &Path,
    character: &Character,
    is_confirmed: bool,
) -> Result<SaveOutcome, String> {
    let options = sinew_formats::WriteOptions::default();
    let prepared = sinew_formats::prepare_file(path, character, &options).map_err(|e| e.to_string())?;
    if let (false, Some(losses)) = (is_confirmed, SaveLosses::of(path, prepared.report())) {
        return Ok(SaveOutcome::Loses(losses));
    }
    let report = prepared.commit().map_err(|e| e.to_string())?;
    Ok(SaveOutcome::Saved(format!("Saved {}{}", path.display(), summary(&report))))
}
