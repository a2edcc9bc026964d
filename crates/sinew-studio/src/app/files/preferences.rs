//! Preferences that outlive the window: recent files and the theme. egui keeps the size of the window and its panels.

use crate::document::DocumentSource;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The maximum number of recent files.
const MAX_RECENT: usize = 10;

/// Saved when the window closes, and every 30 seconds before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::app) struct Preferences {
    recent: Vec<PathBuf>,
    pub(in crate::app) is_dark: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { recent: Vec::new(), is_dark: true }
    }
}

impl Preferences {
    /// The key in eframe's storage.
    const KEY: &'static str = "sinew-studio";

    pub(in crate::app) fn load(storage: Option<&dyn eframe::Storage>) -> Self {
        storage.and_then(|storage| eframe::get_value(storage, Self::KEY)).unwrap_or_default()
    }

    pub(in crate::app) fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, Self::KEY, self);
    }

    /// Recent files, the last opened first.
    pub(in crate::app) fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// Sets the recent files, as the browser stores them.
    #[cfg(target_arch = "wasm32")]
    pub(in crate::app) fn set_recent(&mut self, recent: Vec<PathBuf>) {
        self.recent = recent;
    }

    /// Adds an opened file to the front; one without a path is identified by its name.
    pub(in crate::app) fn note(&mut self, source: &DocumentSource) {
        let path = match source {
            DocumentSource::Builtin(_) => return,
            // A relative path would mean another file in another working directory.
            DocumentSource::File(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            DocumentSource::Content { name, .. } => PathBuf::from(name),
        };
        self.forget(&path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }

    /// Removes a file from the list.
    pub(in crate::app) fn forget(&mut self, path: &Path) {
        self.recent.retain(|other| other != path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_opened_file_comes_first_and_appears_once() {
        let mut preferences = Preferences::default();
        for name in ["/a.glb", "/b.glb", "/a.glb"] {
            preferences.note(&DocumentSource::File(name.into()));
        }
        preferences.note(&DocumentSource::Builtin("arm".into()));
        assert_eq!(preferences.recent(), [PathBuf::from("/a.glb"), "/b.glb".into()]);
        (0..20).for_each(|n| preferences.note(&DocumentSource::File(format!("/{n}").into())));
        assert_eq!(preferences.recent().len(), MAX_RECENT);
    }

    #[test]
    fn preferences_of_older_versions_are_read() {
        let preferences: Preferences = serde_json::from_str("{}").unwrap();
        assert_eq!(preferences, Preferences::default());
    }
}
