//! The browser's own database: bytes under names, which are kept when a page is gone.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransactionMode};

const NAME: &str = "sinew-studio";
const VERSION: u32 = 1;
/// How long a browser may take to open the database before the page goes on without.
const PATIENCE_MS: i32 = 2000;

/// A part of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Journals,
    Files,
}

impl Part {
    const ALL: [Self; 2] = [Self::Journals, Self::Files];

    const fn name(self) -> &'static str {
        match self {
            Self::Journals => "journals",
            Self::Files => "files",
        }
    }
}

/// An open database. A key is a name, a slash and a number.
#[derive(Clone, Debug)]
pub struct Database(IdbDatabase);

impl Database {
    /// Opens the database, made where it is missing.
    ///
    /// # Errors
    /// Where the browser has none, or does not answer.
    pub async fn open() -> Result<Self, String> {
        let window = web_sys::window().ok_or("there is no window")?;
        let factory = window.indexed_db().map_err(|e| words(&e))?.ok_or("the browser has no database")?;
        let request = factory.open_with_u32(NAME, VERSION).map_err(|e| words(&e))?;
        let same = request.clone();
        let upgrade = Closure::once_into_js(move || {
            let Ok(database) = same.result() else { return };
            let database: IdbDatabase = database.unchecked_into();
            for part in Part::ALL {
                // A part that could not be made is missed when it is first used.
                let _ = database.create_object_store(part.name());
            }
        });
        request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
        let late = Promise::new(&mut |_, reject| {
            let give_up = Closure::once_into_js(move || {
                let _ = reject.call1(&JsValue::NULL, &"the browser's database does not answer".into());
            });
            let give_up = give_up.unchecked_ref();
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(give_up, PATIENCE_MS);
        });
        let first = Promise::race(&Array::of2(&promise(&request), &late));
        let database = JsFuture::from(first).await.map_err(|e| words(&e))?;
        Ok(Self(database.unchecked_into()))
    }

    /// Begins to keep bytes under a key; what is returned tells whether they were.
    pub(crate) fn put(&self, part: Part, key: &str, bytes: &[u8]) -> Result<Promise, JsValue> {
        let records = self.records(part, IdbTransactionMode::Readwrite)?;
        Ok(promise(&records.put_with_key(&Uint8Array::from(bytes), &key.into())?))
    }

    /// Every key, in its order.
    pub(crate) async fn keys(&self, part: Part) -> Result<Vec<String>, String> {
        let keys = self.ask(part, IdbObjectStore::get_all_keys).await?;
        Ok(keys.iter().filter_map(|key| key.as_string()).collect())
    }

    /// Everything under a name, in the order of its numbers.
    pub(crate) async fn read(&self, part: Part, name: &str) -> Result<Vec<u8>, String> {
        let records = self.ask(part, |records| records.get_all_with_key(&all_of(name)?)).await?;
        Ok(records.iter().flat_map(|bytes| Uint8Array::new(&bytes).to_vec()).collect())
    }

    /// Takes everything under a name away. What cannot be removed stays.
    pub(crate) fn remove(&self, part: Part, name: &str) {
        let remove = || self.records(part, IdbTransactionMode::Readwrite)?.delete(&all_of(name)?);
        let _: Result<_, JsValue> = remove();
    }

    /// The list that a request gives.
    async fn ask(
        &self,
        part: Part,
        request: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
    ) -> Result<Array, String> {
        let records = self.records(part, IdbTransactionMode::Readonly);
        let asked = records.and_then(|records| request(&records)).map_err(|e| words(&e))?;
        JsFuture::from(promise(&asked)).await.map(|list| Array::from(&list)).map_err(|e| words(&e))
    }

    fn records(&self, part: Part, mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
        self.0.transaction_with_str_and_mode(part.name(), mode)?.object_store(part.name())
    }
}

/// The keys under a name.
fn all_of(name: &str) -> Result<JsValue, JsValue> {
    IdbKeyRange::bound(&format!("{name}/").into(), &format!("{name}/~").into()).map(Into::into)
}

/// What a request to the database will give.
fn promise(request: &IdbRequest) -> Promise {
    Promise::new(&mut |resolve, reject| {
        let (done, failed) = (request.clone(), request.clone());
        let on_success = Closure::once_into_js(move || {
            let _ = resolve.call1(&JsValue::NULL, &done.result().unwrap_or_default());
        });
        let on_error = Closure::once_into_js(move || {
            let error = failed.error().ok().flatten().map_or_else(String::new, |error| error.message());
            let _ = reject.call1(&JsValue::NULL, &error.into());
        });
        request.set_onsuccess(Some(on_success.unchecked_ref()));
        request.set_onerror(Some(on_error.unchecked_ref()));
    })
}

/// What the browser said, as a sentence.
pub(crate) fn words(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
