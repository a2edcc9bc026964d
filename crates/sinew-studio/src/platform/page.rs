//! Files in a browser: read into memory and saved by download.

use super::{Inbox, SaveLosses, SaveOutcome, error_text, readable_extensions, save_outcome::summary};
use crate::document::DocumentSource;
use sinew::Character;
use std::path::{Path, PathBuf};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Extensions of files that a .gltf document refers to.
const COMPANIONS: &[&str] = &["bin", "png", "jpg", "jpeg"];

/// True if files have paths that a user can type.
pub(crate) const HAS_PATHS: bool = false;

/// Asks for a file to open; `made` turns it into an item of the inbox.
pub(crate) fn ask_file<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
) {
    let (ctx, inbox) = (ctx.clone(), inbox.clone());
    let begun = begin_input(move |files| {
        spawn_local(async move {
            let content = match contents(&files).await {
                Ok(files) => combine(files),
                Err(reason) => Err(reason),
            };
            inbox.put(&ctx, made(content));
        });
    });
    // Without a document there is no window to report to.
    let _ = begun;
}

/// Shows the browser's file dialog, which opens only shortly after a click.
fn begin_input(chosen: impl FnOnce(Vec<web_sys::File>) + 'static) -> Result<(), JsValue> {
    let input: web_sys::HtmlInputElement = element("input")?;
    input.set_type("file");
    // A .gltf document is chosen together with the files that it refers to.
    input.set_multiple(true);
    let accepted: Vec<String> =
        readable_extensions().iter().chain(COMPANIONS).map(|extension| format!(".{extension}")).collect();
    input.set_accept(&accepted.join(","));
    let same = input.clone();
    let on_change = Closure::once_into_js(move || {
        let files = same.files();
        let count = files.as_ref().map_or(0, web_sys::FileList::length);
        chosen((0..count).filter_map(|place| files.as_ref()?.get(place)).collect());
    });
    input.set_onchange(Some(on_change.unchecked_ref()));
    input.click();
    Ok(())
}

async fn contents(files: &[web_sys::File]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut out = Vec::new();
    for file in files {
        let buffer = JsFuture::from(file.array_buffer()).await.map_err(|e| error_text(&e))?;
        out.push((file.name(), js_sys::Uint8Array::new(&buffer).to_vec()));
    }
    Ok(out)
}

/// One source of several files: a .gltf with its resources embedded, or the first file.
fn combine(mut files: Vec<(String, Vec<u8>)>) -> Result<DocumentSource, String> {
    let is_document = |(name, _): &(String, Vec<u8>)| name.to_ascii_lowercase().ends_with(".gltf");
    let place = files.iter().position(is_document).unwrap_or(0);
    if files.is_empty() {
        return Err("no file was chosen".into());
    }
    let (name, mut bytes) = files.swap_remove(place);
    if !files.is_empty() && is_document(&(name.clone(), Vec::new())) {
        // Browsers hide folders: files are matched by name.
        let file = |path: &str| {
            let wanted = path.rsplit('/').next()?;
            files.iter().find(|(name, _)| name == wanted).map(|(_, bytes)| bytes.clone())
        };
        bytes = sinew_formats::embedded(&bytes, file).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(DocumentSource::Content { name, bytes: bytes.into() })
}

/// Accepts the proposed name: a page saves by download.
pub(crate) fn ask_place<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    proposed: &Path,
    made: impl FnOnce(PathBuf) -> T + Send + 'static,
) {
    inbox.put(ctx, made(proposed.to_path_buf()));
}

/// Sets the title of the page.
pub(crate) fn set_title(_: &egui::Context, title: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Takes files that were dropped on the page.
pub(crate) fn take_dropped<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    files: &[egui::DroppedFileHandle],
    made: impl FnOnce(Result<DocumentSource, String>) -> T + Send + 'static,
) {
    let (ctx, inbox, files) = (ctx.clone(), inbox.clone(), files.to_vec());
    spawn_local(async move {
        let mut read = Vec::new();
        for file in &files {
            match file.bytes_async().await {
                Ok(bytes) => read.push((file.path().display().to_string(), bytes)),
                Err(reason) => return inbox.put(&ctx, made(Err(reason))),
            }
        }
        inbox.put(&ctx, made(combine(read)));
    });
}

/// Downloads `bytes` under the name of `path`; returns a message.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    download(&name, bytes).map_err(|e| error_text(&e))?;
    Ok(format!("Downloaded {name}"))
}

/// Downloads `character` as .glb. What that would drop of the opened file is returned first, unless it `is_confirmed`.
pub(crate) fn save_character(
    path: &Path,
    character: &Character,
    is_confirmed: bool,
) -> Result<SaveOutcome, String> {
    let options = sinew_formats::WriteOptions::default();
    let (bytes, report) = sinew_formats::to_glb_with(character, &options).map_err(|e| e.to_string())?;
    if let (false, Some(losses)) = (is_confirmed, SaveLosses::of(path, &report)) {
        return Ok(SaveOutcome::Loses(losses));
    }
    let is_vrm = path.extension().is_some_and(|extension| extension == "vrm");
    let saved = save(&path.with_extension(if is_vrm { "vrm" } else { "glb" }), &bytes)?;
    Ok(SaveOutcome::Saved(saved + &summary(&report)))
}

fn download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &options)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let anchor: web_sys::HtmlAnchorElement = element("a")?;
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    web_sys::Url::revoke_object_url(&url)
}

/// Sets an attribute of the page's body.
pub(crate) fn publish(attribute: &str, value: &str) {
    let body = web_sys::window().and_then(|window| window.document()).and_then(|document| document.body());
    if let Some(body) = body {
        // Only an invalid attribute name fails, and every name is a constant.
        let _ = body.set_attribute(attribute, value);
    }
}

fn element<T: wasm_bindgen::JsCast>(name: &str) -> Result<T, JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or("there is no document")?;
    document.create_element(name)?.dyn_into().map_err(Into::into)
}
