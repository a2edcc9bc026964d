//! What a window remembers of the one before it: files and colours. Its size and its panels are kept by egui.

use crate::document::DocumentSource;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Most files that are remembered.
const MOST_RECENT: usize = 10;

/// Written when the window closes and every half minute before that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Remembered {
    recent: Vec<PathBuf>,
    pub(super) is_dark: bool,
}

impl Default for Remembered {
    fn default() -> Self {
        Self { recent: Vec::new(), is_dark: true }
    }
}

impl Remembered {
    /// Where it is kept.
    const KEY: &'static str = "sinew-studio";

    pub(super) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        storage.and_then(|storage| eframe::get_value(storage, Self::KEY)).unwrap_or_default()
    }

    pub(super) fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, Self::KEY, self);
    }

    /// Files from the one that was opened last.
    pub(super) fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// Other files, as the browser knows them.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn set_recent(&mut self, recent: Vec<PathBuf>) {
        self.recent = recent;
    }

    /// Puts an opened file in front; one that has no path is known by its name.
    pub(super) fn note(&mut self, source: &DocumentSource) {
        let path = match source {
            DocumentSource::Builtin(_) => return,
            // A name on the command line means another file when the next window is started elsewhere.
            DocumentSource::File(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            DocumentSource::Content { name, .. } => PathBuf::from(name),
        };
        self.forget(&path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }

    /// Drops a file, as one that is no longer there.
    pub(super) fn forget(&mut self, path: &Path) {
        self.recent.retain(|other| other != path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_opened_file_is_first_and_stands_once() {
        let mut remembered = Remembered::default();
        for name in ["/a.glb", "/b.glb", "/a.glb"] {
            remembered.note(&DocumentSource::File(name.into()));
        }
        remembered.note(&DocumentSource::Builtin("arm".into()));
        assert_eq!(remembered.recent(), [PathBuf::from("/a.glb"), "/b.glb".into()]);
        (0..20).for_each(|n| remembered.note(&DocumentSource::File(format!("/{n}").into())));
        assert_eq!(remembered.recent().len(), MOST_RECENT);
    }

    #[test]
    fn what_an_older_studio_wrote_is_read() {
        let remembered: Remembered = serde_json::from_str("{}").unwrap();
        assert_eq!(remembered, Remembered::default());
    }
}
