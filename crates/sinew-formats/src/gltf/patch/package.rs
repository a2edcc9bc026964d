//! Packs a document with its buffers and images into files.

use super::{PatchedDocument, file_names::FileNames};
use crate::{
    WriteError,
    gltf::{
        accessor::MESHOPT_EXTENSIONS,
        container,
        raw::{RawDocument, RawObject},
        resources::{percent_decode, uri_of_name},
        source::{GltfSource, SourceContainer},
        write::{material::mime_type, unrepresentable},
    },
    shared_bytes::{FilePieces, SharedBytes},
    write_report::{Outcome, WriteReport},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use sinew::Character;
use std::{
    collections::HashMap,
    path::{Component, Path},
};

/// The files that a document becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PackageTarget<'a> {
    /// One binary file with everything in it.
    Glb {
        /// The path of the file, if it is known.
        path: Option<&'a Path>,
    },
    /// A binary file with the extension of VRM.
    Vrm {
        /// The path of the file, if it is known.
        path: Option<&'a Path>,
    },
    /// A text with its files next to it.
    Gltf {
        /// The name of the text without its extension.
        name: &'a str,
        /// The path of the text, if it is known.
        path: Option<&'a Path>,
    },
}

/// The main file, and the files next to it by their relative paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedFiles {
    pub(crate) main: FilePieces,
    pub(crate) beside: Vec<(String, SharedBytes)>,
    pub(crate) report: WriteReport,
}

/// Packs an edited document. A document that was not edited keeps its text.
pub(in crate::gltf) fn package(
    source: &GltfSource,
    patched: PatchedDocument,
    character: &Character,
    target: PackageTarget<'_>,
) -> Result<PackedFiles, WriteError> {
    let PatchedDocument { document, buffers, report } = patched;
    let names = FileNames::default();
    let mut packer = Packer { source, character, document, buffers, names, beside: Vec::new(), report };
    match target {
        PackageTarget::Glb { path } | PackageTarget::Vrm { path } => {
            // A binary file that stays in its folder keeps the files that it names.
            let stays = !source.container.is_text() && is_same_folder(source, path);
            if let Some(whole) = packer.untouched(stays) {
                return Ok(PackedFiles { main: whole.into(), beside: Vec::new(), report: packer.report });
            }
            if !stays {
                packer.embed_images();
            }
            packer.glb()
        }
        PackageTarget::Gltf { name, path } => {
            let is_same_folder = is_same_folder(source, path);
            let is_same_file =
                is_same_folder && source.file.as_deref().map(Path::file_name) == path.map(Path::file_name);
            packer.name_buffers(name, is_same_folder, is_same_file);
            packer.copy_images(is_same_folder);
            let main = packer.marked_text()?.into_bytes().into();
            Ok(PackedFiles { main, beside: packer.beside, report: packer.report })
        }
    }
}

/// True if the document is written to the folder that it was read from, where the files that it names are.
fn is_same_folder(source: &GltfSource, path: Option<&Path>) -> bool {
    let folder = |path: &Path| {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        parent.canonicalize().ok()
    };
    let folders = (source.file.as_deref().and_then(folder), path.and_then(folder));
    matches!(folders, (Some(a), Some(b)) if a == b)
}

/// The state that all steps of packing share.
struct Packer<'a> {
    source: &'a GltfSource,
    character: &'a Character,
    document: RawDocument,
    buffers: Vec<Option<SharedBytes>>,
    names: FileNames,
    beside: Vec<(String, SharedBytes)>,
    report: WriteReport,
}

impl Packer<'_> {
    /// The binary file as it was read, if nothing in it changes. `stays` is true in its own folder.
    fn untouched(&mut self, stays: bool) -> Option<SharedBytes> {
        let SourceContainer::Glb { whole, .. } = &self.source.container else { return None };
        let same_part = |(old, new): (&Option<SharedBytes>, &Option<SharedBytes>)| match (old, new) {
            (Some(old), Some(new)) => old.is_same_part(new),
            (old, new) => old.is_none() && new.is_none(),
        };
        let has_same_buffers = self.source.buffers.len() == self.buffers.len()
            && self.source.buffers.iter().zip(&self.buffers).all(same_part);
        let is_same = !self.document.is_changed() && has_same_buffers;
        (is_same && (stays || !self.names_files())).then(|| whole.clone())
    }

    /// True if the document names other files.
    fn names_files(&mut self) -> bool {
        ["buffers", "images"].into_iter().any(|list| {
            (0..self.document.count(list))
                .any(|index| self.uri(list, index).is_some_and(|uri| !is_data(&uri)))
        })
    }

    /// The text, with the byte order mark that it had if it was not edited.
    fn marked_text(&mut self) -> Result<String, WriteError> {
        let has_mark = matches!(self.source.container, SourceContainer::Gltf { has_mark: true });
        let is_kept = has_mark && !self.document.is_changed();
        Ok(if is_kept { format!("\u{feff}{}", self.source.json) } else { self.text()? })
    }

    fn text(&mut self) -> Result<String, WriteError> {
        if !self.document.is_changed() {
            return Ok(self.source.json.clone());
        }
        let text = self.document.clone().text();
        text.map_err(|error| unrepresentable("the document", error.to_string()))
    }

    fn glb(mut self) -> Result<PackedFiles, WriteError> {
        self.join_buffers();
        let json = self.text()?;
        let others: &[container::OtherChunk] = match &self.source.container {
            SourceContainer::Glb { others, .. } => others,
            SourceContainer::Gltf { .. } => &[],
        };
        let bin = self.buffers.into_iter().next().flatten().unwrap_or_default();
        let main = container::join(json.as_bytes(), bin, others)
            .ok_or_else(|| unrepresentable("the file", "must be at most four gigabytes"))?;
        Ok(PackedFiles { main, beside: Vec::new(), report: self.report })
    }

    /// The URI of a buffer or an image.
    fn uri(&mut self, list: &'static str, index: usize) -> Option<String> {
        self.document.item(list, index).read("uri")
    }

    /// Moves images that the document names into its buffers. Those in the text of a binary file stay there.
    fn embed_images(&mut self) {
        let is_text = self.source.container.is_text();
        for index in 0..self.document.count("images") {
            let Some(uri) = self.uri("images", index) else { continue };
            let Some(image) = self.character.images().get(index).filter(|_| is_text || !is_data(&uri)) else {
                continue;
            };
            if image.bytes.is_empty() {
                let detail = "the image was not found; the file names it as before";
                self.report.add(Outcome::Carried, "image-missing", format!("images[{index}]"), 1, detail);
                continue;
            }
            let buffer = self.buffers.iter().position(Option::is_some).unwrap_or(self.buffers.len());
            let start = self.buffers.get(buffer).and_then(Option::as_ref).map_or(0, |b| b.len());
            let byte_offset = start.next_multiple_of(super::ALIGNMENT);
            super::append(&mut self.document, &mut self.buffers, buffer, &image.bytes);
            let view = crate::gltf::json::BufferView {
                buffer,
                byte_offset,
                byte_length: image.bytes.len(),
                ..Default::default()
            };
            let view = self.document.push("bufferViews", &view);
            self.document.edit("images", index, |raw| {
                raw.remove("uri");
                raw.set("bufferView", &view);
                raw.set("mimeType", &mime_type(image));
            });
        }
    }

    /// Makes all buffers with bytes one, which a binary file has; placeholders of compressed data follow it.
    fn join_buffers(&mut self) {
        let with_bytes: Vec<usize> = (0..self.buffers.len()).filter(|&b| self.buffers[b].is_some()).collect();
        let has_uri = (0..self.buffers.len()).any(|b| self.uri("buffers", b).is_some());
        if with_bytes.is_empty() || (with_bytes == [0] && !has_uri) {
            return;
        }
        let mut joined = Vec::new();
        // Several buffers may be the same file, of which the longest is written, once.
        let mut longest: HashMap<*const u8, &[u8]> = HashMap::new();
        for bytes in self.buffers.iter().flatten() {
            let known = longest.entry(bytes.as_ptr()).or_default();
            *known = if bytes.len() > known.len() { bytes } else { known };
        }
        let mut starts: HashMap<*const u8, usize> = HashMap::new();
        // For each buffer, its new index and where its bytes begin.
        let mut places = vec![(0, 0); self.buffers.len()];
        let mut items = vec![RawObject::default()];
        for (buffer, place) in places.iter_mut().enumerate() {
            let mut raw = self.document.item("buffers", buffer);
            match &self.buffers[buffer] {
                Some(bytes) => {
                    let start = *starts.entry(bytes.as_ptr()).or_insert_with(|| {
                        joined.resize(joined.len().next_multiple_of(super::ALIGNMENT), 0);
                        let start = joined.len();
                        joined.extend_from_slice(longest.get(&bytes.as_ptr()).copied().unwrap_or(bytes));
                        start
                    });
                    *place = (0, start);
                    if items[0].is_empty() {
                        raw.remove("uri");
                        items[0] = raw;
                    }
                }
                None => {
                    *place = (items.len(), 0);
                    items.push(raw);
                }
            }
        }
        items[0].set("byteLength", &joined.len());
        let items = items.iter().filter_map(|item| serde_json::value::to_raw_value(item).ok()).collect();
        self.document.set_items("buffers", items);
        for view in 0..self.document.count("bufferViews") {
            self.document.edit("bufferViews", view, |raw| move_view(raw, &places));
        }
        self.buffers = vec![Some(joined.into())];
    }

    /// Gives every buffer of a text its file. Buffers that stay where they are are not written.
    fn name_buffers(&mut self, name: &str, is_same_folder: bool, is_same_file: bool) {
        let mut copied = HashMap::new();
        self.keep_names(is_same_folder, is_same_file);
        for buffer in 0..self.buffers.len() {
            let Some(bytes) = self.buffers[buffer].clone() else { continue };
            let is_edited = self.is_edited(buffer);
            let uri = self.document.item("buffers", buffer).read::<String>("uri");
            match uri {
                Some(uri) if is_data(&uri) => {
                    if is_edited {
                        let uri = format!(
                            "data:application/octet-stream;base64,{}",
                            BASE64_STANDARD.encode(&*bytes)
                        );
                        self.document.edit("buffers", buffer, |raw| raw.set("uri", &uri));
                    }
                }
                Some(uri) if !is_edited => {
                    if !is_same_folder {
                        let path = self.inside("buffers", buffer, &uri);
                        self.copy_once(&mut copied, path, &bytes);
                    }
                }
                Some(uri) if is_same_file => self.beside.push((percent_decode(&uri), bytes)),
                _ => {
                    let file = self.names.new_file(name, ".bin");
                    self.document.edit("buffers", buffer, |raw| raw.set("uri", &uri_of_name(&file)));
                    self.beside.push((file, bytes));
                }
            }
        }
    }

    /// True if a buffer holds other bytes than the one that was read.
    fn is_edited(&self, buffer: usize) -> bool {
        let (old, new) = (self.source.buffers.get(buffer), &self.buffers[buffer]);
        let is_same_part = |(old, new): (&SharedBytes, &SharedBytes)| old.is_same_part(new);
        old.is_none_or(|old| {
            !old.as_ref().zip(new.as_ref()).is_some_and(is_same_part) && old.as_deref() != new.as_deref()
        })
    }

    /// Takes the names of the files that stay: images, buffers that keep their file, and in its own folder all files that
    /// the document names.
    fn keep_names(&mut self, is_same_folder: bool, is_same_file: bool) {
        for index in 0..self.document.count("images") {
            let uri = self.uri("images", index);
            uri.iter().for_each(|uri| self.names.keep(uri));
        }
        for buffer in 0..self.buffers.len() {
            let stays = is_same_folder || is_same_file || !self.is_edited(buffer);
            let uri = self.uri("buffers", buffer).filter(|_| stays);
            uri.iter().for_each(|uri| self.names.keep(uri));
        }
    }

    /// Adds a file that several buffers may be; of these the longest is the whole file.
    fn copy_once(&mut self, copied: &mut HashMap<String, usize>, path: String, bytes: &SharedBytes) {
        let index = *copied.entry(path.clone()).or_insert(self.beside.len());
        match self.beside.get_mut(index) {
            Some((_, known)) if known.len() < bytes.len() => *known = bytes.clone(),
            Some(_) => {}
            None => self.beside.push((path, bytes.clone())),
        }
    }

    /// Copies the images that a text names into another folder.
    fn copy_images(&mut self, is_same_folder: bool) {
        for index in 0..self.document.count("images") {
            let Some(uri) = self.uri("images", index).filter(|uri| !is_same_folder && !is_data(uri)) else {
                continue;
            };
            let image = self.character.images().get(index);
            let bytes = image.map(|image| SharedBytes::from(image.bytes.clone())).unwrap_or_default();
            if bytes.is_empty() {
                let detail = "the image was not found; the file names it as before";
                self.report.add(Outcome::Carried, "image-missing", format!("images[{index}]"), 1, detail);
                continue;
            }
            let path = self.inside("images", index, &uri);
            if !self.beside.iter().any(|(other, _)| *other == path) {
                self.beside.push((path, bytes));
            }
        }
    }

    /// The relative path of a file that is copied. One that leaves the folder is put into it.
    fn inside(&mut self, list: &'static str, index: usize, uri: &str) -> String {
        let path = percent_decode(uri);
        let is_inside =
            Path::new(&path).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if is_inside {
            return path;
        }
        let name = self.names.brought(&path);
        self.document.edit(list, index, |raw| raw.set("uri", &uri_of_name(&name)));
        name
    }
}

fn is_data(uri: &str) -> bool {
    uri.starts_with("data:")
}

/// Corrects the buffer and the offset of a view and of its compressed data.
fn move_view(raw: &mut RawObject, places: &[(usize, usize)]) {
    move_bytes(raw, places);
    let mut extensions = raw.object("extensions");
    let mut is_packed = false;
    for name in MESHOPT_EXTENSIONS {
        if extensions.get(name).is_some() {
            let mut extension = extensions.object(name);
            move_bytes(&mut extension, places);
            extensions.set(name, &extension);
            is_packed = true;
        }
    }
    if is_packed {
        raw.set("extensions", &extensions);
    }
}

fn move_bytes(raw: &mut RawObject, places: &[(usize, usize)]) {
    let Some(&(buffer, offset)) = raw.read::<usize>("buffer").and_then(|buffer| places.get(buffer)) else {
        return;
    };
    raw.set("buffer", &buffer);
    if offset > 0 {
        raw.set("byteOffset", &(raw.read::<usize>("byteOffset").unwrap_or(0) + offset));
    }
}
