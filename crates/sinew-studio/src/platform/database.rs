//! The browser's IndexedDB: bytes under keys that outlive the page.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransactionMode};

const NAME: &str = "sinew-studio";
const VERSION: u32 = 1;
/// The time after which the page starts without the database.
const TIMEOUT_MS: i32 = 2000;

/// An object store of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectStore {
    Journals,
    Files,
}

impl ObjectStore {
    const ALL: [Self; 2] = [Self::Journals, Self::Files];

    const fn name(self) -> &'static str {
        match self {
            Self::Journals => "journals",
            Self::Files => "files",
        }
    }
}

/// An open database. Keys have the form `name/number`.
#[derive(Clone, Debug)]
pub struct Database(IdbDatabase);

impl Database {
    /// Opens the database, and creates it if it is missing.
    ///
    /// # Errors
    /// If the browser has no database, or it does not answer.
    pub async fn open() -> Result<Self, String> {
        let window = web_sys::window().ok_or("there is no window")?;
        let factory =
            window.indexed_db().map_err(|e| error_text(&e))?.ok_or("the browser has no database")?;
        let request = factory.open_with_u32(NAME, VERSION).map_err(|e| error_text(&e))?;
        let same = request.clone();
        let upgrade = Closure::once_into_js(move || {
            let Ok(database) = same.result() else { return };
            let database: IdbDatabase = database.unchecked_into();
            for store in ObjectStore::ALL {
                // A store that cannot be created fails at its first use.
                let _ = database.create_object_store(store.name());
            }
        });
        request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
        let late = Promise::new(&mut |_, reject| {
            let on_timeout = Closure::once_into_js(move || {
                let _ = reject.call1(&JsValue::NULL, &"the browser's database does not answer".into());
            });
            let on_timeout = on_timeout.unchecked_ref();
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(on_timeout, TIMEOUT_MS);
        });
        let first = Promise::race(&Array::of2(&promise(&request), &late));
        let database = JsFuture::from(first).await.map_err(|e| error_text(&e))?;
        Ok(Self(database.unchecked_into()))
    }

    /// Starts to store bytes under a key; the promise tells whether it succeeded.
    pub(crate) fn put(&self, store: ObjectStore, key: &str, bytes: &[u8]) -> Result<Promise, JsValue> {
        let records = self.records(store, IdbTransactionMode::Readwrite)?;
        Ok(promise(&records.put_with_key(&Uint8Array::from(bytes), &key.into())?))
    }

    /// Every key of the object store, in ascending order.
    pub(crate) async fn keys(&self, store: ObjectStore) -> Result<Vec<String>, String> {
        let keys = self.ask(store, IdbObjectStore::get_all_keys).await?;
        Ok(keys.iter().filter_map(|key| key.as_string()).collect())
    }

    /// The concatenated records of a name, in the order of their numbers.
    pub(crate) async fn read(&self, store: ObjectStore, name: &str) -> Result<Vec<u8>, String> {
        let records = self.ask(store, |records| records.get_all_with_key(&all_of(name)?)).await?;
        Ok(records.iter().flat_map(|bytes| Uint8Array::new(&bytes).to_vec()).collect())
    }

    /// Removes every record of a name. A failure leaves them in place.
    pub(crate) fn remove(&self, store: ObjectStore, name: &str) {
        let remove = || self.records(store, IdbTransactionMode::Readwrite)?.delete(&all_of(name)?);
        let _: Result<_, JsValue> = remove();
    }

    /// The list that a request returns.
    async fn ask(
        &self,
        store: ObjectStore,
        request: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
    ) -> Result<Array, String> {
        let records = self.records(store, IdbTransactionMode::Readonly);
        let asked = records.and_then(|records| request(&records)).map_err(|e| error_text(&e))?;
        JsFuture::from(promise(&asked)).await.map(|list| Array::from(&list)).map_err(|e| error_text(&e))
    }

    fn records(&self, store: ObjectStore, mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
        self.0.transaction_with_str_and_mode(store.name(), mode)?.object_store(store.name())
    }
}

/// The range of keys of a name.
fn all_of(name: &str) -> Result<JsValue, JsValue> {
    IdbKeyRange::bound(&format!("{name}/").into(), &format!("{name}/~").into()).map(Into::into)
}

/// The result of a database request as a promise.
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

/// The text of a JavaScript error.
pub(crate) fn error_text(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
