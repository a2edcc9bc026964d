//! What a desktop and a browser do differently: how files are chosen, brought and kept.

#[cfg(target_arch = "wasm32")]
mod beside;
#[cfg(target_arch = "wasm32")]
mod database;
#[cfg(not(target_arch = "wasm32"))]
mod desktop;
#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod recent;

#[cfg(target_arch = "wasm32")]
pub use beside::serve;
#[cfg(target_arch = "wasm32")]
pub(crate) use beside::{Beside, Word};
#[cfg(target_arch = "wasm32")]
pub use database::Database;
#[cfg(target_arch = "wasm32")]
pub(crate) use database::{Part, words};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use desktop::{
    DesktopRecentFiles, HAS_PATHS, ask_file, ask_place, keep, keep_character, take_dropped,
};
#[cfg(target_arch = "wasm32")]
pub(crate) use page::{HAS_PATHS, ask_file, ask_place, keep, keep_character, publish, take_dropped};
#[cfg(target_arch = "wasm32")]
pub use recent::RecentFiles;

use crate::document::DocumentSource;
use std::sync::{Arc, Mutex, PoisonError};

/// The extensions of files that can be opened: characters, and blend graphs as RON.
pub(crate) fn readable_extensions() -> Vec<&'static str> {
    sinew_formats::FileFormat::readable_extensions().chain(["ron"]).collect()
}

/// What stands in a source that is text.
pub(crate) fn text_of(source: &DocumentSource) -> Result<String, String> {
    let not_text = || format!("{source} is no text");
    match source {
        DocumentSource::Content { bytes, .. } => String::from_utf8(bytes.to_vec()).map_err(|_| not_text()),
        DocumentSource::File(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        }
        DocumentSource::Builtin(_) => Err(not_text()),
    }
}

/// What dialogs and the browser bring, some time after they were asked.
#[derive(Debug)]
pub(crate) struct Inbox<T>(Arc<Mutex<Vec<T>>>);

impl<T> Inbox<T> {
    /// Puts `item` in and wakes the window up.
    pub(crate) fn put(&self, ctx: &egui::Context, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
        ctx.request_repaint();
    }

    /// Everything that came since the last time.
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
