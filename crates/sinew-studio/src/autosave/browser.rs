//! Journals in the browser's database: a page that is killed leaves its journal there.
//!
//! Every write is a record of its own, so nothing is rewritten. A page holds a web lock with the name of its journal; the
//! browser releases it when the page ends for any reason.

use super::{Journal, JournalError, JournalStorage, UnclosedSession};
use crate::{
    document::DocumentSource,
    platform::{Database, ObjectStore, error_text},
};
use js_sys::{Array, Function, Promise, Reflect};
use std::{cell::RefCell, collections::BTreeSet, fmt, io, rc::Rc};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// The maximum number of unclosed journals that are kept.
const MAX_KEPT: usize = 3;

/// The journals in a browser's database.
#[derive(Clone, Debug)]
pub struct BrowserJournals(Database);

impl BrowserJournals {
    /// The journals of a database.
    pub fn new(database: Database) -> Self {
        Self(database)
    }

    /// Begins a journal with a unique name.
    ///
    /// # Errors
    /// If the source cannot be serialized.
    pub fn begin(&self, source: &DocumentSource) -> Result<Journal, JournalError> {
        let name = format!("{:015}-{:06}", js_sys::Date::now(), (js_sys::Math::random() * 1e6) as u32);
        let shared = WriteState { waiting: Some(Vec::new()), count: 0, failure: None };
        let records =
            BrowserJournal { database: self.0.clone(), name, shared: Rc::new(RefCell::new(shared)) };
        records.hold();
        Journal::begin(records, source)
    }

    /// The newest unclosed session with at least one step. Old journals are deleted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn newest_unclosed(&self) -> Result<Option<UnclosedSession>, String> {
        let keys = self.0.keys(ObjectStore::Journals).await?;
        let name = |key: &String| Some(key.split_once('/')?.0.to_owned());
        let mut names: BTreeSet<String> = keys.iter().filter_map(name).collect();
        for name in held_locks().await {
            names.remove(&name);
        }
        let mut newest_first = names.into_iter().rev();
        let kept: Vec<String> = newest_first.by_ref().take(MAX_KEPT).collect();
        newest_first.for_each(|name| self.0.remove(ObjectStore::Journals, &name));
        for name in kept {
            let journal = self.0.read(ObjectStore::Journals, &name).await?;
            let database = self.0.clone();
            if let Some(left) =
                UnclosedSession::new(journal, move || database.remove(ObjectStore::Journals, &name))
            {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }
}

/// The storage of one journal.
#[derive(Clone)]
struct BrowserJournal {
    database: Database,
    name: String,
    shared: Rc<RefCell<WriteState>>,
}

struct WriteState {
    /// Lines that wait for the journal's lock; `None` once the lock is held.
    waiting: Option<Vec<u8>>,
    count: usize,
    /// The error of an earlier write.
    failure: Option<String>,
}

impl fmt::Debug for BrowserJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserJournal").field("name", &self.name).finish_non_exhaustive()
    }
}

impl JournalStorage for BrowserJournal {
    fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        if let Some(reason) = self.shared.borrow_mut().failure.take() {
            return Err(io::Error::other(reason));
        }
        if let Some(waiting) = &mut self.shared.borrow_mut().waiting {
            waiting.extend(lines);
            return Ok(());
        }
        self.write(lines).map_err(|e| io::Error::other(error_text(&e)))
    }

    fn clear(&mut self) {
        self.database.remove(ObjectStore::Journals, &self.name);
    }
}

impl BrowserJournal {
    /// Holds the journal's lock as long as the page lives. Without web locks the journal still works.
    fn hold(&self) {
        let same = self.clone();
        let begin = move || {
            let waiting = same.shared.borrow_mut().waiting.take().unwrap_or_default();
            if let Err(error) = same.write(&waiting) {
                same.shared.borrow_mut().failure = Some(error_text(&error));
            }
        };
        let Some((locks, request)) = locks("request") else { return begin() };
        let held = Closure::once_into_js(move || {
            begin();
            // The lock is held until this promise resolves, which never happens.
            Promise::new(&mut |_, _| {})
        });
        let _ = request.call2(&locks, &self.name.as_str().into(), &held);
    }

    fn write(&self, lines: &[u8]) -> Result<(), JsValue> {
        if lines.is_empty() {
            return Ok(());
        }
        let number = {
            let mut shared = self.shared.borrow_mut();
            shared.count += 1;
            shared.count
        };
        let kept = self.database.put(ObjectStore::Journals, &format!("{}/{number:08}", self.name), lines)?;
        let shared = Rc::clone(&self.shared);
        spawn_local(async move {
            if let Err(error) = JsFuture::from(kept).await {
                shared.borrow_mut().failure = Some(error_text(&error));
            }
        });
        Ok(())
    }
}

/// The names of the locks that any page of this origin holds.
async fn held_locks() -> Vec<String> {
    let Some((locks, query)) = locks("query") else { return Vec::new() };
    let Ok(answer) = query.call0(&locks) else { return Vec::new() };
    let Ok(found) = JsFuture::from(Promise::resolve(&answer)).await else { return Vec::new() };
    let held = Reflect::get(&found, &"held".into()).unwrap_or_default();
    let name = |lock: JsValue| Reflect::get(&lock, &"name".into()).ok()?.as_string();
    if held.is_undefined() { Vec::new() } else { Array::from(&held).iter().filter_map(name).collect() }
}

/// The browser's lock manager and one of its functions. `web-sys` has it only behind an unstable flag.
fn locks(function: &str) -> Option<(JsValue, Function)> {
    let navigator = web_sys::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(|locks| !locks.is_undefined())?;
    let function = Reflect::get(&locks, &function.into()).ok()?.dyn_into().ok()?;
    Some((locks, function))
}
