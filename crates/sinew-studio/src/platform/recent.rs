//! Files that were opened before, as copies in the browser's database: a page cannot read them from a disk again.

use super::{Database, Inbox, Part};
use crate::document::Source;
use std::path::{Path, PathBuf};
use wasm_bindgen_futures::spawn_local;

/// How many files are kept.
const MOST_FILES: usize = 10;
/// What is larger is not kept.
const MOST_BYTES: usize = 64 << 20;

/// Files that were opened before; without a database there are none.
#[derive(Clone, Debug, Default)]
pub struct RecentFiles(Option<Database>);

impl RecentFiles {
    /// The files in a database.
    pub fn new(database: Database) -> Self {
        Self(Some(database))
    }

    /// Their names from the one that was opened last.
    ///
    /// # Errors
    /// Where the database says no.
    pub async fn names(&self) -> Result<Vec<PathBuf>, String> {
        let Some(database) = &self.0 else { return Ok(Vec::new()) };
        let keys = database.keys(Part::Files).await?;
        let mut found: Vec<(&str, &str)> =
            keys.iter().filter_map(|key| key.rsplit_once('/')).map(|(name, time)| (time, name)).collect();
        found.sort_unstable();
        Ok(found.into_iter().rev().map(|(_, name)| PathBuf::from(name)).collect())
    }

    /// Keeps a file that was opened, in place of an older one of its name.
    pub(crate) fn keep(&self, source: &Source) {
        let (Some(database), Source::Content { name, bytes }) = (self.0.clone(), source) else { return };
        if bytes.len() > MOST_BYTES {
            return;
        }
        database.remove(Part::Files, name);
        let key = format!("{name}/{:015}", js_sys::Date::now());
        // Where there is no room, a file is not remembered.
        let _ = database.put(Part::Files, &key, bytes);
        let same = self.clone();
        spawn_local(async move {
            for old in same.names().await.unwrap_or_default().iter().skip(MOST_FILES) {
                database.remove(Part::Files, &old.display().to_string());
            }
        });
    }

    /// Opens one of them again; what `made` makes of it comes into the inbox.
    pub(crate) fn open<T: Send + 'static>(
        &self,
        ctx: &egui::Context,
        inbox: &Inbox<T>,
        path: &Path,
        made: impl FnOnce(Result<Source, String>) -> T + Send + 'static,
    ) {
        let Some(database) = self.0.clone() else { return };
        let (ctx, inbox, name) = (ctx.clone(), inbox.clone(), path.display().to_string());
        spawn_local(async move {
            let found = match database.read(Part::Files, &name).await {
                Ok(bytes) if bytes.is_empty() => Err(format!("{name} is not kept by the browser any more")),
                Ok(bytes) => Ok(Source::Content { name, bytes: bytes.into() }),
                Err(reason) => Err(reason),
            };
            inbox.put(&ctx, made(found));
        });
    }
}
