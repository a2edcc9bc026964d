//! Journals of a browser, in its own database: a page that is killed leaves its own there.
//!
//! Every write is a record of its own, so that nothing is ever rewritten. A page that lives holds a lock under the name of
//! its journal; the browser lets go of it when the page is gone, however it went.

use super::{Journal, JournalError, LeftBehind, Shelf};
use crate::{
    document::Source,
    platform::{Database, Part, words},
};
use js_sys::{Array, Function, Promise, Reflect};
use std::{cell::RefCell, collections::BTreeSet, fmt, io, rc::Rc};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// How many journals that nobody asked for are kept.
const MOST_KEPT: usize = 3;

/// A browser's journals.
#[derive(Clone, Debug)]
pub struct Store(Database);

impl Store {
    /// The journals in a database.
    pub fn new(database: Database) -> Self {
        Self(database)
    }

    /// Begins a journal under a name that no other has.
    ///
    /// # Errors
    /// Where the source cannot be put into words.
    pub fn begin(&self, source: &Source) -> Result<Journal, JournalError> {
        let name = format!("{:015}-{:06}", js_sys::Date::now(), (js_sys::Math::random() * 1e6) as u32);
        let shared = Shared { waiting: Some(Vec::new()), count: 0, failure: None };
        let records = Records { database: self.0.clone(), name, shared: Rc::new(RefCell::new(shared)) };
        records.hold();
        Journal::begin(records, source)
    }

    /// The newest journal that no page holds and in which something was done. Few are kept behind it.
    ///
    /// # Errors
    /// Where the database says no.
    pub async fn newest_left(&self) -> Result<Option<LeftBehind>, String> {
        let keys = self.0.keys(Part::Journals).await?;
        let name = |key: &String| Some(key.split_once('/')?.0.to_owned());
        let mut names: BTreeSet<String> = keys.iter().filter_map(name).collect();
        for name in held_locks().await {
            names.remove(&name);
        }
        let mut newest_first = names.into_iter().rev();
        let kept: Vec<String> = newest_first.by_ref().take(MOST_KEPT).collect();
        newest_first.for_each(|name| self.0.remove(Part::Journals, &name));
        for name in kept {
            let journal = self.0.read(Part::Journals, &name).await?;
            let database = self.0.clone();
            if let Some(left) = LeftBehind::new(journal, move || database.remove(Part::Journals, &name)) {
                return Ok(Some(left));
            }
        }
        Ok(None)
    }
}

/// One journal in the database.
#[derive(Clone)]
struct Records {
    database: Database,
    name: String,
    shared: Rc<RefCell<Shared>>,
}

struct Shared {
    /// What is to be written once the journal's lock is held; nothing waits from then on.
    waiting: Option<Vec<u8>>,
    count: usize,
    /// What the browser said of an earlier write.
    failure: Option<String>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Shelf for Records {
    fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        if let Some(reason) = self.shared.borrow_mut().failure.take() {
            return Err(io::Error::other(reason));
        }
        if let Some(waiting) = &mut self.shared.borrow_mut().waiting {
            waiting.extend(lines);
            return Ok(());
        }
        self.write(lines).map_err(|e| io::Error::other(words(&e)))
    }

    fn clear(&mut self) {
        self.database.remove(Part::Journals, &self.name);
    }
}

impl Records {
    /// Holds the lock for as long as the page lives. Where a browser has no locks, journals serve all the same.
    fn hold(&self) {
        let same = self.clone();
        let begin = move || {
            let waiting = same.shared.borrow_mut().waiting.take().unwrap_or_default();
            if let Err(error) = same.write(&waiting) {
                same.shared.borrow_mut().failure = Some(words(&error));
            }
        };
        let Some((locks, request)) = locks("request") else { return begin() };
        let held = Closure::once_into_js(move || {
            begin();
            // A lock is held until this has come, which it never does.
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
        let kept = self.database.put(Part::Journals, &format!("{}/{number:08}", self.name), lines)?;
        let shared = Rc::clone(&self.shared);
        spawn_local(async move {
            if let Err(error) = JsFuture::from(kept).await {
                shared.borrow_mut().failure = Some(words(&error));
            }
        });
        Ok(())
    }
}

/// The names of locks that any page of this address holds.
async fn held_locks() -> Vec<String> {
    let Some((locks, query)) = locks("query") else { return Vec::new() };
    let Ok(answer) = query.call0(&locks) else { return Vec::new() };
    let Ok(found) = JsFuture::from(Promise::resolve(&answer)).await else { return Vec::new() };
    let held = Reflect::get(&found, &"held".into()).unwrap_or_default();
    let name = |lock: JsValue| Reflect::get(&lock, &"name".into()).ok()?.as_string();
    if held.is_undefined() { Vec::new() } else { Array::from(&held).iter().filter_map(name).collect() }
}

/// The browser's locks and a function of theirs. The bindings have them only for those who ask for what may change.
fn locks(function: &str) -> Option<(JsValue, Function)> {
    let navigator = web_sys::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(|locks| !locks.is_undefined())?;
    let function = Reflect::get(&locks, &function.into()).ok()?.dyn_into().ok()?;
    Some((locks, function))
}
