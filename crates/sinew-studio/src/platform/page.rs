//! Files in a browser: read into memory, kept by download. What the browser refuses becomes a message.

use super::{Inbox, readable_extensions, words};
use crate::document::Source;
use sinew::Character;
use std::path::{Path, PathBuf};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// What a document may name beside itself.
const BESIDE: &[&str] = &["bin", "png", "jpg", "jpeg"];

/// True where a person can name a file by its path.
pub(crate) const HAS_PATHS: bool = false;

/// Asks for a file to open; what `made` makes of it comes into the inbox, or nothing where none was chosen.
pub(crate) fn ask_file<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    made: impl FnOnce(Result<Source, String>) -> T + Send + 'static,
) {
    let (ctx, inbox) = (ctx.clone(), inbox.clone());
    let begun = begin_input(move |files| {
        spawn_local(async move {
            let content = match contents(&files).await {
                Ok(files) => together(files),
                Err(reason) => Err(reason),
            };
            inbox.put(&ctx, made(content));
        });
    });
    // Without a document there is nobody to tell.
    let _ = begun;
}

/// Shows the browser's own dialog. It opens because the click that led here was a moment ago.
fn begin_input(chosen: impl FnOnce(Vec<web_sys::File>) + 'static) -> Result<(), JsValue> {
    let input: web_sys::HtmlInputElement = element("input")?;
    input.set_type("file");
    // A document and the files that it names are chosen together.
    input.set_multiple(true);
    let accepted: Vec<String> =
        readable_extensions().iter().chain(BESIDE).map(|extension| format!(".{extension}")).collect();
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
        let buffer = JsFuture::from(file.array_buffer()).await.map_err(|e| words(&e))?;
        out.push((file.name(), js_sys::Uint8Array::new(&buffer).to_vec()));
    }
    Ok(out)
}

/// Files that came together as one: a .gltf with those that it names in it, or the first.
fn together(mut files: Vec<(String, Vec<u8>)>) -> Result<Source, String> {
    let is_document = |(name, _): &(String, Vec<u8>)| name.to_ascii_lowercase().ends_with(".gltf");
    let place = files.iter().position(is_document).unwrap_or(0);
    if files.is_empty() {
        return Err("the browser gave no file".into());
    }
    let (name, mut bytes) = files.swap_remove(place);
    if !files.is_empty() && is_document(&(name.clone(), Vec::new())) {
        // A browser tells no folders: files are known by their names alone.
        let file = |path: &str| {
            let wanted = path.rsplit('/').next()?;
            files.iter().find(|(name, _)| name == wanted).map(|(_, bytes)| bytes.clone())
        };
        bytes = sinew_formats::embedded(&bytes, file).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(Source::Content { name, bytes: bytes.into() })
}

/// A page has no places: what is saved goes where downloads go, under the proposed name.
pub(crate) fn ask_place<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    proposed: &Path,
    made: impl FnOnce(PathBuf) -> T + Send + 'static,
) {
    inbox.put(ctx, made(proposed.to_path_buf()));
}

/// Files that were let go over the page.
pub(crate) fn take_dropped<T: Send + 'static>(
    ctx: &egui::Context,
    inbox: &Inbox<T>,
    files: &[egui::DroppedFileHandle],
    made: impl FnOnce(Result<Source, String>) -> T + Send + 'static,
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
        inbox.put(&ctx, made(together(read)));
    });
}

/// Hands `bytes` to the browser as a download under the name of `path`, and says so.
pub(crate) fn keep(path: &Path, bytes: &[u8]) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    download(&name, bytes).map_err(|e| words(&e))?;
    Ok(format!("Downloaded {name}"))
}

/// Hands `character` to the browser as a download, in the format of the extension of `path`, and says so.
pub(crate) fn keep_character(path: &Path, character: &Character) -> Result<String, String> {
    let bytes = sinew_formats::to_glb(character).map_err(|e| e.to_string())?;
    keep(&path.with_extension("glb"), &bytes)
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

/// Puts `value` into an attribute of the page's body, where tests read it.
pub(crate) fn publish(attribute: &str, value: &str) {
    let body = web_sys::window().and_then(|window| window.document()).and_then(|document| document.body());
    if let Some(body) = body {
        // An attribute's name that is refused is refused at the first try of whoever chose it.
        let _ = body.set_attribute(attribute, value);
    }
}

fn element<T: wasm_bindgen::JsCast>(name: &str) -> Result<T, JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or("there is no document")?;
    document.create_element(name)?.dyn_into().map_err(Into::into)
}
