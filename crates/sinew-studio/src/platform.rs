//! Platform differences between desktop and browser: dialogs, files, storage, background workers.

#[cfg(target_arch = "wasm32")]
mod database;
#[cfg(not(target_arch = "wasm32"))]
mod desktop;
#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod recent;
mod save_outcome;
#[cfg(target_arch = "wasm32")]
mod web_worker;

#[cfg(target_arch = "wasm32")]
pub use database::Database;
#[cfg(target_arch = "wasm32")]
pub(crate) use database::{ObjectStore, error_text};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use desktop::{
    HAS_PATHS, RecentFiles, ask_file, ask_place, save, save_character, set_title, take_dropped,
};
#[cfg(target_arch = "wasm32")]
pub(crate) use page::{
    HAS_PATHS, ask_file, ask_place, publish, save, save_character, set_title, take_dropped,
};
#[cfg(target_arch = "wasm32")]
pub use recent::RecentFiles;
pub(crate) use save_outcome::{SaveLosses, SaveOutcome};
#[cfg(target_arch = "wasm32")]
pub use web_worker::serve_jobs;
#[cfg(target_arch = "wasm32")]
pub(crate) use web_worker::{WorkerHandle, WorkerMessage};

use crate::document::DocumentSource;
use std::sync::{Arc, Mutex, PoisonError};

/// The extensions of files that can be opened: characters, and blend graphs as RON.
pub(crate) fn readable_extensions() -> Vec<&'static str> {
    sinew_formats::FileFormat::readable_extensions().chain(["ron"]).collect()
}

/// The content of a text source.
pub(crate) fn text_of(source: &DocumentSource) -> Result<String, String> {
    let not_text = || format!("{source} is not valid UTF-8");
    match source {
        DocumentSource::Content { bytes, .. } => String::from_utf8(bytes.to_vec()).map_err(|_| not_text()),
        DocumentSource::File(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        }
        DocumentSource::Builtin(_) => Err(not_text()),
    }
}

/// Answers of dialogs and of the browser, which arrive some frames after the request.
#[derive(Debug)]
pub(crate) struct Inbox<T>(Arc<Mutex<Vec<T>>>);

impl<T> Inbox<T> {
    /// Adds `item` and requests a repaint.
    pub(crate) fn put(&self, ctx: &egui::Context, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
        ctx.request_repaint();
    }

    /// Removes and returns all items.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Inbox<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}
