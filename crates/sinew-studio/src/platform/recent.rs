//! Recent files as copies in the browser's database, because a page cannot read them from disk again.

use super::{Database, Inbox, ObjectStore};
use crate::document::DocumentSource;
use std::path::{Path, PathBuf};
use wasm_bindgen_futures::spawn_local;

/// The maximum number of stored files.
const MAX_FILES: usize = 10;
/// The maximum size of a stored file.
const MAX_BYTES: usize = 64 << 20;

/// Recent files; empty without a database.
#[derive(Clone, Debug, Default)]
pub struct RecentFiles(Option<Database>);

impl RecentFiles {
    /// The recent files of a database.
    pub fn new(database: Database) -> Self {
        Self(Some(database))
    }

    /// Names of the files, the last opened first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn names(&self) -> Result<Vec<PathBuf>, String> {
        let Some(database) = &self.0 else { return Ok(Vec::new()) };
        let keys = database.keys(ObjectStore::Files).await?;
        let mut found: Vec<(&str, &str)> =
            keys.iter().filter_map(|key| key.rsplit_once('/')).map(|(name, time)| (time, name)).collect();
        found.sort_unstable();
        Ok(found.into_iter().rev().map(|(_, name)| PathBuf::from(name)).collect())
    }

    /// Stores an opened file, replacing an older one of its name.
    pub(crate) fn keep(&self, source: &DocumentSource) {
        let (Some(database), DocumentSource::Content { name, bytes }) = (self.0.clone(), source) else {
            return;
        };
        if bytes.len() > MAX_BYTES {
            return;
        }
        database.remove(ObjectStore::Files, name);
        let key = format!("{name}/{:015}", js_sys::Date::now());
        // Without free space the file is not stored.
        let _ = database.put(ObjectStore::Files, &key, bytes);
        let same = self.clone();
        spawn_local(async move {
            for old in same.names().await.unwrap_or_default().iter().skip(MAX_FILES) {
                database.remove(ObjectStore::Files, &old.display().to_string());
            }
        });
    }

    /// Opens a recent file; `made` turns it into an item of the inbox.
    pub(crate) fn open<T: Send + 'static>(
        &self,
        ctx: &egui::Context,
        inbox: &Inbox<T>,
        path: &Path,
        made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
    ) {
        let Some(database) = self.0.clone() else { return };
        let (ctx, inbox, name) = (ctx.clone(), inbox.clone(), path.display().to_string());
        spawn_local(async move {
            let found = match database.read(ObjectStore::Files, &name).await {
                Ok(bytes) if bytes.is_empty() => Err(format!("{name} is no longer stored in the browser")),
                Ok(bytes) => Ok(DocumentSource::Content { name, bytes: bytes.into() }),
                Err(reason) => Err(reason),
            };
            inbox.put(&ctx, made(found));
        });
    }
}
