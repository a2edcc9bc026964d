//! The page in a browser.
//!
//! `?open=NAME` opens a built-in character, `?renderer=webgl` skips WebGPU, and `?test` publishes the places of widgets.

use eframe::{WebOptions, WebRunner, wgpu};
use egui_wgpu::WgpuSetup;
use sinew_studio::{
    Database, RecentFiles,
    app::Studio,
    autosave::{BrowserJournals, UnclosedSession},
    document::DocumentSource,
    session::Session,
};
use std::{cell::RefCell, path::PathBuf, rc::Rc};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Document, HtmlCanvasElement};

const CANVAS: &str = "studio";
const NOTE: &str = "note";

pub(crate) fn main() {
    if sinew_studio::serve_jobs() {
        return;
    }
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    // A crashed page must not look like one that is loading.
    std::panic::set_hook(Box::new(|info| {
        note(&format!("The studio crashed: {info}\nReload the page to continue."));
    }));
    wasm_bindgen_futures::spawn_local(async move {
        match start(&document).await {
            Ok(()) => hide_note(&document),
            Err(reason) => note(&format!("The studio cannot start here: {reason}")),
        }
    });
}

async fn start(document: &Document) -> Result<(), String> {
    let options = PageOptions::of(document).await;
    let canvas = canvas(document)?;
    if options.wants_webgl {
        return run(canvas, wgpu::Backends::GL, &options).await;
    }
    let both = wgpu::Backends::BROWSER_WEBGPU | wgpu::Backends::GL;
    match run(canvas.clone(), both, &options).await {
        Ok(()) => Ok(()),
        // A canvas keeps its first kind of context, so WebGL needs a new one.
        Err(first) => {
            let fresh: HtmlCanvasElement = canvas
                .clone_node()
                .map_err(|e| error_text(&e))?
                .dyn_into()
                .map_err(|e| error_text(&e.into()))?;
            canvas.replace_with_with_node_1(&fresh).map_err(|e| error_text(&e))?;
            let second = run(fresh, wgpu::Backends::GL, &options).await;
            second.map_err(|second| format!("neither WebGPU nor WebGL2 works ({first}; {second})"))
        }
    }
}

async fn run(canvas: HtmlCanvasElement, backends: wgpu::Backends, page: &PageOptions) -> Result<(), String> {
    let mut options = WebOptions::default();
    if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup {
        setup.instance_descriptor.backends = backends;
    }
    let (open, is_test, storage) = (page.open.clone(), page.is_test, page.storage.clone());
    let runner = WebRunner::new();
    let made = runner.start(
        canvas,
        options,
        Box::new(move |creation| {
            let session = Session::open(DocumentSource::Builtin(open))?;
            let studio = storage.attach(Studio::with_session(creation, session));
            Ok(Box::new(if is_test { studio.with_test_state(&creation.egui_ctx) } else { studio }))
        }),
    );
    made.await.map_err(|e| error_text(&e))
}

/// The options in the page's address, and what the browser stores.
struct PageOptions {
    open: String,
    wants_webgl: bool,
    is_test: bool,
    storage: BrowserStorage,
}

impl PageOptions {
    async fn of(document: &Document) -> Self {
        let search = document.location().and_then(|location| location.search().ok()).unwrap_or_default();
        let parameters = web_sys::UrlSearchParams::new_with_str(&search).ok();
        let get = |name: &str| parameters.as_ref().and_then(|parameters| parameters.get(name));
        Self {
            open: get("open").unwrap_or_else(|| "figure".into()),
            wants_webgl: get("renderer").as_deref() == Some("webgl"),
            is_test: get("test").is_some(),
            storage: BrowserStorage::open().await,
        }
    }
}

/// What the browser stores between visits.
#[derive(Clone)]
struct BrowserStorage {
    database: Result<Database, String>,
    unclosed: Rc<RefCell<Option<UnclosedSession>>>,
    files: Vec<PathBuf>,
}

impl BrowserStorage {
    /// Opens the database. Entries that cannot be read are tried again on the next visit.
    async fn open() -> Self {
        let database = Database::open().await;
        let (mut unclosed, mut files) = (None, Vec::new());
        if let Ok(database) = &database {
            unclosed = BrowserJournals::new(database.clone()).newest_unclosed().await.ok().flatten();
            files = RecentFiles::new(database.clone()).names().await.unwrap_or_default();
        }
        Self { database, unclosed: Rc::new(RefCell::new(unclosed)), files }
    }

    fn attach(self, studio: Studio) -> Studio {
        match self.database {
            Ok(database) => {
                let (unclosed, journals) =
                    (self.unclosed.borrow_mut().take(), BrowserJournals::new(database.clone()));
                studio
                    .with_recent_files(RecentFiles::new(database), self.files)
                    .with_journals(move |source| journals.begin(source))
                    .with_unclosed_session(unclosed)
            }
            Err(reason) => studio.with_message(format!("This browser cannot store edits: {reason}")),
        }
    }
}

fn canvas(document: &Document) -> Result<HtmlCanvasElement, String> {
    let found = document.get_element_by_id(CANVAS).ok_or("the page has no canvas")?;
    found.dyn_into().map_err(|_| "the element is not a canvas".into())
}

/// Shows `text` over the canvas.
fn note(text: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(element) = document.and_then(|document| document.get_element_by_id(NOTE)) {
        element.set_text_content(Some(text));
        // If this fails there is no other way to report it.
        let _ = element.remove_attribute("hidden");
    }
}

fn hide_note(document: &Document) {
    if let Some(element) = document.get_element_by_id(NOTE) {
        let _ = element.set_attribute("hidden", "");
    }
}

fn error_text(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
