//! Gives back the bytes of accessors that no element uses any more.

use super::references::References;
use crate::gltf::{
    accessor::MESHOPT_EXTENSIONS,
    json::{Accessor, BufferView, Root, component},
    raw::RawDocument,
    read,
};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Bytes are removed in multiples of this, so that all others keep their alignment.
const ALIGNMENT: usize = 8;

/// The length of a view without users.
const STUB_BYTES: usize = 4;

/// Removes the data that lost its last user by an edit. Its accessors and views stay, empty, so that no index moves; those
/// at the end of their list are removed.
pub(super) fn reclaim(
    document: &mut RawDocument,
    buffers: &mut [Option<Cow<'_, [u8]>>],
    before: &References,
) {
    if before.has_unknown || !document.is_changed() {
        return;
    }
    let text = document.clone().text().ok();
    let Some(root) = text.and_then(|text| read::parse(text.as_bytes()).ok()) else { return };
    let after = References::of(&root);
    let dead: Vec<usize> =
        (0..before.accessors.len()).filter(|&a| before.accessors[a] > 0 && after.accessors[a] == 0).collect();
    if dead.is_empty() {
        return;
    }
    let stub =
        Accessor { count: 1, component_type: component::F32, kind: "SCALAR".into(), ..Accessor::default() };
    dead.iter().for_each(|&accessor| document.set_item("accessors", accessor, &stub));
    let dead_views = unused_views(&root, before, &dead);
    let holes = holes(&root, &dead_views);
    for &view in &dead_views {
        let buffer = root.buffer_views[view].buffer;
        let byte_length = root.buffer_views[view].byte_length.min(STUB_BYTES);
        document.set_item("bufferViews", view, &BufferView { buffer, byte_length, ..BufferView::default() });
    }
    for (buffer, holes) in &holes {
        cut(document, buffers, *buffer, holes);
    }
    move_views(document, &root, &dead_views, &holes);
}

/// The views whose last users are dead accessors.
fn unused_views(root: &Root, before: &References, dead: &[usize]) -> BTreeSet<usize> {
    let mut root = root.clone();
    for &accessor in dead {
        (root.accessors[accessor].buffer_view, root.accessors[accessor].sparse) = (None, None);
    }
    let after = References::of(&root);
    (0..before.views.len()).filter(|&view| before.views[view] > 0 && after.views[view] == 0).collect()
}

/// The byte range of a view in its buffer.
fn range_of(view: &BufferView) -> Range<usize> {
    view.byte_offset..view.byte_offset.saturating_add(view.byte_length)
}

/// The bytes of unused views that no other view has, by buffer.
fn holes(root: &Root, unused: &BTreeSet<usize>) -> BTreeMap<usize, Vec<Range<usize>>> {
    let mut used: Vec<(usize, Range<usize>)> = Vec::new();
    for (index, view) in root.buffer_views.iter().enumerate() {
        if !unused.contains(&index) {
            used.push((view.buffer, range_of(view)));
        }
        used.extend(compressed(view));
    }
    let mut out: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for &index in unused {
        let view = &root.buffer_views[index];
        let range = range_of(view);
        let hole = range.start.next_multiple_of(ALIGNMENT)..range.end / ALIGNMENT * ALIGNMENT;
        let is_free = used.iter().all(|(buffer, other)| {
            *buffer != view.buffer || other.end <= range.start || range.end <= other.start
        });
        if is_free && hole.start < hole.end && view.extensions.is_empty() {
            out.entry(view.buffer).or_default().push(hole);
        }
    }
    out.values_mut().for_each(|holes| {
        holes.sort_by_key(|hole| hole.start);
        holes.dedup();
    });
    out
}

/// The buffer and the bytes of a view's compressed data.
fn compressed(view: &BufferView) -> Option<(usize, Range<usize>)> {
    let extension = MESHOPT_EXTENSIONS.iter().find_map(|name| view.extensions.get(*name))?;
    let number = |key: &str| extension.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let start = number("byteOffset").unwrap_or(0);
    Some((number("buffer")?, start..start.saturating_add(number("byteLength")?)))
}

fn cut(
    document: &mut RawDocument,
    buffers: &mut [Option<Cow<'_, [u8]>>],
    buffer: usize,
    holes: &[Range<usize>],
) {
    let Some(Some(bytes)) = buffers.get_mut(buffer) else { return };
    let mut out = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for hole in holes {
        out.extend_from_slice(bytes.get(start..hole.start).unwrap_or_default());
        start = hole.end.max(start);
    }
    out.extend_from_slice(bytes.get(start..).unwrap_or_default());
    // The views of the holes stay, and need some bytes.
    out.resize(out.len().max(STUB_BYTES), 0);
    let length = out.len();
    *bytes = Cow::Owned(out);
    document.edit("buffers", buffer, |raw| raw.set("byteLength", &length));
}

/// Moves the views behind the holes.
fn move_views(
    document: &mut RawDocument,
    root: &Root,
    dead: &BTreeSet<usize>,
    holes: &BTreeMap<usize, Vec<Range<usize>>>,
) {
    let shift = |buffer: usize, offset: usize| -> usize {
        let holes = holes.get(&buffer).map(Vec::as_slice).unwrap_or_default();
        holes.iter().filter(|hole| hole.end <= offset).map(|hole| hole.end - hole.start).sum()
    };
    for (index, view) in root.buffer_views.iter().enumerate() {
        if dead.contains(&index) {
            continue;
        }
        let by = shift(view.buffer, view.byte_offset);
        let packed = compressed(view);
        let packed_by = packed.as_ref().map_or(0, |(buffer, range)| shift(*buffer, range.start));
        if by == 0 && packed_by == 0 {
            continue;
        }
        document.edit("bufferViews", index, |raw| {
            if by > 0 {
                raw.set("byteOffset", &(view.byte_offset - by));
            }
            if let (Some((_, range)), true) = (&packed, packed_by > 0) {
                let mut extensions = raw.object("extensions");
                for name in MESHOPT_EXTENSIONS {
                    if extensions.get(name).is_some() {
                        let mut extension = extensions.object(name);
                        extension.set("byteOffset", &(range.start - packed_by));
                        extensions.set(name, &extension);
                    }
                }
                raw.set("extensions", &extensions);
            }
        });
    }
}
