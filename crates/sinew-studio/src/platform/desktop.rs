//! Files by their paths, chosen in the desktop's own dialogs.

use super::{Inbox, readable_extensions};
use crate::document::DocumentSource;
use sinew::Character;
use std::{
    future::Future,
    path::{Path, PathBuf},
};

/// True where a person can name a file by its path.
pub(crate) const HAS_PATHS: bool = true;

/// Files that were opened before: they are where they were.
#[derive(Debug, Default)]
pub(crate) struct DesktopRecentFiles {}

impl DesktopRecentFiles {
    /// Keeps a file that was opened.
    pub(crate) fn keep(&self, _: &DocumentSource) {}

    /// Opens one of them again; what `made` makes of it comes into the inbox.
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

/// Asks for a file to open; what `made` makes of it comes into the inbox, or nothing where none was chosen.
pub(crate) fn ask_file<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
) {
    let dialog =
        rfd::AsyncFileDialog::new().set_title("Open").add_filter("Characters", &readable_extensions());
    wait(ctx, inbox, dialog.pick_file(), move |path| made(Ok(DocumentSource::File(path))));
}

/// Asks where to save, beginning at `proposed`; what `made` makes of the place comes into the inbox.
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

/// Some systems want dialogs to be made in the window's thread; none wants it to wait for them.
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

/// Files that were let go over the window: the first is opened.
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

/// Writes `bytes` to the file at `path` and says so.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> Result<String, String> {
    sinew_formats::save_bytes(path, bytes).map_err(|e| e.to_string())?;
    Ok(format!("Saved {}", path.display()))
}

/// Writes `character` to the file at `path`, in the format of its extension, and says so.
pub(crate) fn keep_character(path: &Path, character: &Character) -> Result<String, String> {
    sinew_formats::write_file(path, character).map_err(|e| e.to_string())?;
    Ok(format!("Saved {}", path.display()))
}
