//! Journals in the browser's database: a page that is killed leaves its journal there.
//!
//! Every write is a record of its own, so nothing is rewritten. A page holds a web lock with the name of its journal, before
//! it writes the first byte; the browser releases it when the page ends for any reason. Who recovers a journal claims its
//! lock first.

use super::{Journal, JournalError, JournalStorage, UnclosedSession};
use crate::{
    document::DocumentSource,
    platform::{Database, ObjectStore, error_text},
};
use js_sys::{Function, Object, Promise, Reflect};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    rc::Rc,
};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

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
        let records = BrowserJournal { database: self.0.clone(), name, shared: Rc::new(RefCell::default()) };
        records.hold();
        Journal::begin(records, source)
    }

    /// Claims the newest unclosed session with at least one step. Journals without a step are deleted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn newest_unclosed(&self) -> Result<Option<UnclosedSession>, String> {
        let keys = self.0.keys(ObjectStore::Journals).await?;
        let name = |key: &String| Some(key.split_once('/')?.0.to_owned());
        let names: BTreeSet<String> = keys.iter().filter_map(name).collect();
        for name in names.into_iter().rev() {
            let Some(claim) = LockClaim::of(&name).await else { continue };
            let journal = self.0.read(ObjectStore::Journals, &name).await?;
            let (database, same) = (self.0.clone(), name.clone());
            let unclosed = UnclosedSession::new(journal, move || {
                database.remove(ObjectStore::Journals, &same);
                drop(claim);
            });
            if unclosed.is_some() {
                return Ok(unclosed);
            }
            self.0.remove(ObjectStore::Journals, &name);
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

#[derive(Default)]
struct WriteState {
    /// True once the journal's lock is held.
    is_held: bool,
    /// The number of writes.
    count: usize,
    /// Writes that the database has not confirmed, by number.
    unstored: BTreeMap<usize, Vec<u8>>,
    /// Those that it rejected.
    failed: BTreeSet<usize>,
    /// Why it rejected the last one.
    failure: Option<String>,
}

impl fmt::Debug for BrowserJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserJournal").field("name", &self.name).finish_non_exhaustive()
    }
}

impl JournalStorage for BrowserJournal {
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        let (number, is_held) = {
            let mut shared = self.shared.borrow_mut();
            shared.count += 1;
            let number = shared.count;
            shared.unstored.insert(number, records.to_vec());
            (number, shared.is_held)
        };
        if is_held {
            self.write(number);
        }
        Ok(())
    }

    fn is_stored(&self) -> bool {
        self.shared.borrow().unstored.is_empty()
    }

    fn retry(&mut self) -> io::Result<()> {
        let failed = std::mem::take(&mut self.shared.borrow_mut().failed);
        failed.into_iter().for_each(|number| self.write(number));
        match self.shared.borrow_mut().failure.take() {
            Some(reason) => Err(io::Error::other(reason)),
            None => Ok(()),
        }
    }

    fn clear(&mut self) {
        self.database.remove(ObjectStore::Journals, &self.name);
    }
}

impl BrowserJournal {
    /// Holds the journal's lock as long as the page lives, and writes what waited for it. Without web locks the journal still
    /// works.
    fn hold(&self) {
        let same = self.clone();
        let begin = move || {
            same.shared.borrow_mut().is_held = true;
            let waiting: Vec<usize> = same.shared.borrow().unstored.keys().copied().collect();
            waiting.into_iter().for_each(|number| same.write(number));
        };
        let Some((locks, request)) = locks("request") else { return begin() };
        let held = Closure::once_into_js(move || {
            begin();
            // The lock is held until this promise resolves, which never happens.
            Promise::new(&mut |_, _| {})
        });
        let _ = request.call2(&locks, &self.name.as_str().into(), &held);
    }

    /// Starts a write; it counts as stored once the database confirms it.
    fn write(&self, number: usize) {
        let Some(records) = self.shared.borrow().unstored.get(&number).cloned() else { return };
        let key = format!("{}/{number:08}", self.name);
        let put = self.database.put(ObjectStore::Journals, &key, &records);
        let shared = Rc::clone(&self.shared);
        spawn_local(async move {
            let stored = match put {
                Ok(stored) => JsFuture::from(stored).await.map(drop),
                Err(error) => Err(error),
            };
            let mut shared = shared.borrow_mut();
            match stored {
                Ok(()) => drop(shared.unstored.remove(&number)),
                Err(error) => {
                    shared.failed.insert(number);
                    shared.failure = Some(error_text(&error));
                }
            }
        });
    }
}

/// A held web lock; dropping it releases the lock.
struct LockClaim {
    /// `None` without web locks.
    release: Option<Function>,
}

impl LockClaim {
    /// Claims the lock called `name`; `None` if another page has it.
    async fn of(name: &str) -> Option<Self> {
        let Some((locks, request)) = locks("request") else { return Some(Self { release: None }) };
        let options = Object::new();
        Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE).ok()?;
        let answer = Promise::new(&mut |answer, _| {
            let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
                if lock.is_null() {
                    let _ = answer.call1(&JsValue::NULL, &JsValue::NULL);
                    return JsValue::UNDEFINED;
                }
                // The lock is held until this promise resolves.
                Promise::new(&mut |release, _| {
                    let _ = answer.call1(&JsValue::NULL, &release);
                })
                .into()
            });
            let _ = request.call3(&locks, &name.into(), &options, &granted);
        });
        let release = JsFuture::from(answer).await.ok()?.dyn_into().ok()?;
        Some(Self { release: Some(release) })
    }
}

impl Drop for LockClaim {
    fn drop(&mut self) {
        if let Some(release) = &self.release {
            let _ = release.call0(&JsValue::NULL);
        }
    }
}

/// The browser's lock manager and one of its functions. `web-sys` has it only behind an unstable flag.
fn locks(function: &str) -> Option<(JsValue, Function)> {
    let navigator = web_sys::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(|locks| !locks.is_undefined())?;
    let function = Reflect::get(&locks, &function.into()).ok()?.dyn_into().ok()?;
    Some((locks, function))
}
