//! The page in a browser.
//!
//! `?open=NAME` opens a built-in character, `?renderer=webgl` passes WebGPU by, and `?test` publishes where widgets are.

use eframe::{WebOptions, WebRunner, wgpu};
use egui_wgpu::WgpuSetup;
use sinew_studio::{
    Database, RecentFiles,
    app::Studio,
    autosave::{LeftBehind, Store},
    document::Source,
    session::Session,
};
use std::{cell::RefCell, path::PathBuf, rc::Rc};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Document, HtmlCanvasElement};

const CANVAS: &str = "studio";
const NOTE: &str = "note";

pub(crate) fn main() {
    if sinew_studio::serve() {
        return;
    }
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    // A page that stopped must not look like one that waits.
    std::panic::set_hook(Box::new(|info| {
        note(&format!("The studio stopped: {info}\nReload the page to go on."));
    }));
    wasm_bindgen_futures::spawn_local(async move {
        match start(&document).await {
            Ok(()) => hide_note(&document),
            Err(reason) => note(&format!("The studio cannot start here: {reason}")),
        }
    });
}

async fn start(document: &Document) -> Result<(), String> {
    let asked = Asked::of(document).await;
    let canvas = canvas(document)?;
    if asked.wants_webgl {
        return run(canvas, wgpu::Backends::GL, &asked).await;
    }
    let both = wgpu::Backends::BROWSER_WEBGPU | wgpu::Backends::GL;
    match run(canvas.clone(), both, &asked).await {
        Ok(()) => Ok(()),
        // A canvas that was tried with one kind of context takes no other.
        Err(first) => {
            let fresh: HtmlCanvasElement =
                canvas.clone_node().map_err(|e| words(&e))?.dyn_into().map_err(|e| words(&e.into()))?;
            canvas.replace_with_with_node_1(&fresh).map_err(|e| words(&e))?;
            let second = run(fresh, wgpu::Backends::GL, &asked).await;
            second.map_err(|second| format!("neither WebGPU nor WebGL2 works ({first}; {second})"))
        }
    }
}

async fn run(canvas: HtmlCanvasElement, backends: wgpu::Backends, asked: &Asked) -> Result<(), String> {
    let mut options = WebOptions::default();
    if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup {
        setup.instance_descriptor.backends = backends;
    }
    let (open, is_test, kept) = (asked.open.clone(), asked.is_test, asked.kept.clone());
    let runner = WebRunner::new();
    let made = runner.start(
        canvas,
        options,
        Box::new(move |creation| {
            let session = Session::open(Source::Builtin(open))?;
            let studio = kept.given_to(Studio::with_session(creation, session));
            Ok(Box::new(if is_test { studio.with_test_marks(&creation.egui_ctx) } else { studio }))
        }),
    );
    made.await.map_err(|e| words(&e))
}

/// What the address asks for.
struct Asked {
    open: String,
    wants_webgl: bool,
    is_test: bool,
    kept: Kept,
}

impl Asked {
    async fn of(document: &Document) -> Self {
        let search = document.location().and_then(|location| location.search().ok()).unwrap_or_default();
        let asked = web_sys::UrlSearchParams::new_with_str(&search).ok();
        let get = |name: &str| asked.as_ref().and_then(|asked| asked.get(name));
        Self {
            open: get("open").unwrap_or_else(|| "figure".into()),
            wants_webgl: get("renderer").as_deref() == Some("webgl"),
            is_test: get("test").is_some(),
            kept: Kept::look().await,
        }
    }
}

/// What the browser keeps from one visit to the next.
#[derive(Clone)]
struct Kept {
    database: Result<Database, String>,
    left: Rc<RefCell<Option<LeftBehind>>>,
    files: Vec<PathBuf>,
}

impl Kept {
    /// What cannot be read is looked for again on the next visit.
    async fn look() -> Self {
        let database = Database::open().await;
        let (mut left, mut files) = (None, Vec::new());
        if let Ok(database) = &database {
            left = Store::new(database.clone()).newest_left().await.ok().flatten();
            files = RecentFiles::new(database.clone()).names().await.unwrap_or_default();
        }
        Self { database, left: Rc::new(RefCell::new(left)), files }
    }

    fn given_to(self, studio: Studio) -> Studio {
        match self.database {
            Ok(database) => {
                let (left, store) = (self.left.borrow_mut().take(), Store::new(database.clone()));
                studio
                    .with_recent_files(RecentFiles::new(database), self.files)
                    .with_journals(move |source| store.begin(source))
                    .with_left_behind(left)
            }
            Err(reason) => studio.with_message(format!("Edits are not kept by this browser: {reason}")),
        }
    }
}

fn canvas(document: &Document) -> Result<HtmlCanvasElement, String> {
    let found = document.get_element_by_id(CANVAS).ok_or("the page has no canvas")?;
    found.dyn_into().map_err(|_| "the page's canvas is none".into())
}

/// Shows `text` over the canvas.
fn note(text: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(element) = document.and_then(|document| document.get_element_by_id(NOTE)) {
        element.set_text_content(Some(text));
        // Where even this fails there is no other way to say it.
        let _ = element.remove_attribute("hidden");
    }
}

fn hide_note(document: &Document) {
    if let Some(element) = document.get_element_by_id(NOTE) {
        let _ = element.set_attribute("hidden", "");
    }
}

fn words(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
