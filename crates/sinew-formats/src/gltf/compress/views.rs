//! Blocks of elements that become views, compressed or not, and the removal of views that nobody uses any more.

use super::Compression;
use crate::{
    WriteError,
    gltf::{
        json::{Buffer, BufferView},
        patch::{self, PatchedDocument},
        raw::{RawDocument, RawObject},
        read::{self, DRACO_EXTENSION},
        write::unrepresentable,
    },
    meshopt::{self, Filter, MeshoptMode},
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the extension that is written.
pub(super) const MESHOPT: &str = "EXT_meshopt_compression";

const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// What a block holds. glTF separates uses, and a stream has elements of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum BlockUse {
    Vertices,
    Triangles,
    OtherIndices,
    /// Keys and inverse binds.
    Plain,
    /// The indices and values of sparse accessors, which are not compressed.
    Sparse,
}

#[derive(Debug)]
struct Block {
    usage: BlockUse,
    stride: usize,
    filter: Filter,
    bytes: Vec<u8>,
}

/// The new views of a document.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    by_kind: BTreeMap<(BlockUse, usize, u8), usize>,
}

impl Blocks {
    /// Adds elements to the block of their kind; returns its number and the offset in it, in bytes.
    pub(super) fn add(
        &mut self,
        usage: BlockUse,
        stride: usize,
        filter: Filter,
        bytes: &[u8],
    ) -> (usize, usize) {
        let next = self.blocks.len();
        let number = *self.by_kind.entry((usage, stride, filter as u8)).or_insert(next);
        if number == next {
            self.blocks.push(Block { usage, stride, filter, bytes: Vec::new() });
        }
        let block = &mut self.blocks[number].bytes;
        let offset = block.len();
        block.extend_from_slice(bytes);
        if matches!(usage, BlockUse::Plain | BlockUse::Sparse) {
            block.resize(block.len().next_multiple_of(4), 0);
        }
        (number, offset)
    }

    /// Appends all blocks to the document. Views are at the indices from `first` on.
    pub(super) fn write(self, out: &mut PatchedDocument, compression: Compression) -> Result<(), WriteError> {
        let buffer = out.buffers.iter().position(Option::is_some).unwrap_or(out.buffers.len());
        if buffer == out.buffers.len() {
            patch::append(&mut out.document, &mut out.buffers, buffer, &[]);
        }
        let (mut bytes, mut views) = (Vec::new(), Vec::with_capacity(self.blocks.len()));
        let start =
            out.buffers[buffer].as_ref().map_or(0, |bytes| bytes.len()).next_multiple_of(patch::ALIGNMENT);
        let (fallback, mut fallback_len) = (out.buffers.len(), 0);
        for block in &self.blocks {
            bytes.resize(bytes.len().next_multiple_of(patch::ALIGNMENT), 0);
            let mut view = block.view();
            let packed = match compression {
                Compression::Meshopt => block.packed()?,
                Compression::Quantize => None,
            };
            let byte_offset = start + bytes.len();
            match packed {
                None => {
                    (view.buffer, view.byte_offset) = (buffer, byte_offset);
                    bytes.extend_from_slice(&block.bytes);
                }
                Some(stream) => {
                    (view.buffer, view.byte_offset) = (fallback, fallback_len);
                    fallback_len += block.bytes.len().next_multiple_of(patch::ALIGNMENT);
                    let extension = block.extension(buffer, byte_offset, stream.len());
                    view.extensions.insert(MESHOPT.into(), extension);
                    bytes.extend_from_slice(&stream);
                }
            }
            views.push(view);
        }
        patch::append(&mut out.document, &mut out.buffers, buffer, &bytes);
        for view in &views {
            out.document.push("bufferViews", view);
        }
        if fallback_len > 0 {
            let mut placeholder = Buffer { byte_length: fallback_len, ..Buffer::default() };
            placeholder.extensions.insert(MESHOPT.into(), json!({ "fallback": true }));
            out.document.push("buffers", &placeholder);
            out.buffers.push(None);
            require(&mut out.document, MESHOPT);
        }
        Ok(())
    }
}

impl Block {
    fn view(&self) -> BufferView {
        let (byte_stride, target) = match self.usage {
            BlockUse::Vertices => (Some(self.stride), Some(ARRAY_BUFFER)),
            BlockUse::Triangles | BlockUse::OtherIndices => (None, Some(ELEMENT_ARRAY_BUFFER)),
            BlockUse::Plain | BlockUse::Sparse => (None, None),
        };
        BufferView { byte_length: self.bytes.len(), byte_stride, target, ..BufferView::default() }
    }

    fn mode(&self) -> MeshoptMode {
        match self.usage {
            BlockUse::Vertices | BlockUse::Plain | BlockUse::Sparse => MeshoptMode::Attributes,
            BlockUse::Triangles => MeshoptMode::Triangles,
            BlockUse::OtherIndices => MeshoptMode::Indices,
        }
    }

    /// The stream of the block; `None` if it would not be smaller than the block.
    fn packed(&self) -> Result<Option<Vec<u8>>, WriteError> {
        let is_stream = self.mode() != MeshoptMode::Attributes || self.stride.is_multiple_of(4);
        if self.usage == BlockUse::Sparse || !is_stream || self.bytes.is_empty() {
            return Ok(None);
        }
        let stream = meshopt::encode(&self.bytes, self.mode(), self.filter, self.stride)
            .map_err(|error| unrepresentable("bufferViews", error.to_string()))?;
        // Bytes that were filtered mean nothing without the filter.
        Ok((stream.len() < self.bytes.len() || self.filter != Filter::None).then_some(stream))
    }

    fn extension(&self, buffer: usize, byte_offset: usize, byte_length: usize) -> serde_json::Value {
        let mut extension = json!({
            "buffer": buffer,
            "byteOffset": byte_offset,
            "byteLength": byte_length,
            "byteStride": self.stride,
            "count": self.bytes.len() / self.stride,
            "mode": self.mode().to_string(),
        });
        if let (Some(object), true) = (extension.as_object_mut(), self.filter != Filter::None) {
            object.insert("filter".into(), self.filter.to_string().into());
        }
        extension
    }
}

/// Declares an extension that readers need.
pub(super) fn require(document: &mut RawDocument, extension: &str) {
    for key in ["extensionsUsed", "extensionsRequired"] {
        let mut names: Vec<String> = document.root().read(key).unwrap_or_default();
        if !names.iter().any(|name| name == extension) {
            names.push(extension.into());
            document.root_mut().set(key, &names);
        }
    }
}

/// Removes the views that lost their last user with their bytes, and renumbers the others.
pub(super) fn remove_unused(out: &mut PatchedDocument, before: &patch::References) -> Result<(), WriteError> {
    let invalid = |error: String| unrepresentable("the document", error);
    let text = out.document.clone().text().map_err(|error| invalid(error.to_string()))?;
    let root = read::parse(text.as_bytes()).map_err(|error| invalid(error.to_string()))?;
    let after = patch::References::of(&root);
    let is_dead = |view: &usize| before.views[*view] > 0 && after.views[*view] == 0;
    let dead: BTreeSet<usize> = (0..before.views.len()).filter(is_dead).collect();
    if dead.is_empty() {
        return Ok(());
    }
    patch::remove_bytes(&mut out.document, &mut out.buffers, &root, &dead);
    let mut number = 0;
    let mut items = out.document.items("bufferViews");
    let mut numbers = Vec::with_capacity(items.len());
    for view in 0..items.len() {
        numbers.push(number);
        number += usize::from(!dead.contains(&view));
    }
    let mut view = 0;
    items.retain(|_| {
        view += 1;
        !dead.contains(&(view - 1))
    });
    out.document.set_items("bufferViews", items);
    renumber(&mut out.document, &root, &numbers);
    Ok(())
}

/// Gives every reference to a view its new number.
fn renumber(document: &mut RawDocument, root: &crate::gltf::json::Root, numbers: &[usize]) {
    for index in 0..root.accessors.len() {
        document.edit("accessors", index, |raw| {
            move_view(raw, numbers);
            let mut sparse = raw.object("sparse");
            for part in ["indices", "values"] {
                let mut inner = sparse.object(part);
                move_view(&mut inner, numbers);
                sparse.set(part, &inner);
            }
            if raw.get("sparse").is_some() {
                raw.set("sparse", &sparse);
            }
        });
    }
    for index in 0..root.images.len() {
        document.edit("images", index, |raw| move_view(raw, numbers));
    }
    for (index, mesh) in root.meshes.iter().enumerate() {
        if mesh.primitives.iter().any(|p| p.extensions.contains_key(DRACO_EXTENSION)) {
            document.edit("meshes", index, |raw| move_draco(raw, numbers));
        }
    }
}

fn move_view(raw: &mut RawObject, numbers: &[usize]) {
    let old = raw.read::<usize>("bufferView");
    if let Some(new) = old.and_then(|old| numbers.get(old)).filter(|new| Some(**new) != old) {
        raw.set("bufferView", new);
    }
}

fn move_draco(mesh: &mut RawObject, numbers: &[usize]) {
    let mut primitives: Vec<RawObject> = mesh.read("primitives").unwrap_or_default();
    for primitive in &mut primitives {
        let mut extensions = primitive.object("extensions");
        if extensions.get(DRACO_EXTENSION).is_some() {
            let mut draco = extensions.object(DRACO_EXTENSION);
            move_view(&mut draco, numbers);
            extensions.set(DRACO_EXTENSION, &draco);
            primitive.set("extensions", &extensions);
        }
    }
    mesh.set("primitives", &primitives);
}
