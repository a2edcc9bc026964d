//! Gives back the bytes of accessors that no element uses any more.

use super::references::References;
use crate::gltf::{
    accessor::MESHOPT_EXTENSIONS,
    json::{Accessor, BufferView, Root, component},
    raw::RawDocument,
    read,
};
use crate::shared_bytes::SharedBytes;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Bytes are removed in multiples of this, so that all others keep their alignment.
const ALIGNMENT: usize = 8;

/// The length of a view without users.
const STUB_BYTES: usize = 4;

/// Removes the data that lost its last user by an edit. Its accessors and views stay, empty, so that no index moves; those
/// at the end of their list are removed.
pub(super) fn reclaim(document: &mut RawDocument, buffers: &mut [Option<SharedBytes>], before: &References) {
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
    remove_bytes(document, buffers, &root, &dead_views);
}

/// Removes the bytes of unused views, which stay as empty entries. `root` is the document.
pub(in crate::gltf) fn remove_bytes(
    document: &mut RawDocument,
    buffers: &mut [Option<SharedBytes>],
    root: &Root,
    unused: &BTreeSet<usize>,
) {
    let holes = holes(root, unused);
    for &view in unused {
        let buffer = root.buffer_views[view].buffer;
        let byte_length = root.buffer_views[view].byte_length.min(STUB_BYTES);
        document.set_item("bufferViews", view, &BufferView { buffer, byte_length, ..BufferView::default() });
    }
    for (buffer, holes) in &holes {
        cut(document, buffers, *buffer, holes);
    }
    move_views(document, root, unused, &holes);
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
    let mut used: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for (index, view) in root.buffer_views.iter().enumerate() {
        if !unused.contains(&index) {
            used.entry(view.buffer).or_default().push(range_of(view));
        }
        if let Some((buffer, range)) = compressed(view) {
            used.entry(buffer).or_default().push(range);
        }
    }
    let used: BTreeMap<usize, UsedBytes> =
        used.into_iter().map(|(buffer, ranges)| (buffer, UsedBytes::new(ranges))).collect();
    let mut out: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for &index in unused {
        let view = &root.buffer_views[index];
        let range = range_of(view);
        let hole = range.start.next_multiple_of(ALIGNMENT)..range.end / ALIGNMENT * ALIGNMENT;
        let is_free = used.get(&view.buffer).is_none_or(|used| !used.overlaps(&range));
        if is_free && hole.start < hole.end && view.extensions.is_empty() {
            out.entry(view.buffer).or_default().push(hole);
        }
    }
    out.values_mut().for_each(|holes| {
        holes.sort_by_key(|hole| hole.start);
        // Unused views can overlap; holes do not.
        holes.dedup_by(|next, kept| {
            let is_inside = next.start < kept.end;
            kept.end = if is_inside { kept.end.max(next.end) } else { kept.end };
            is_inside
        });
    });
    out
}

/// The byte ranges that are in use, sorted so that a search takes logarithmic time.
struct UsedBytes {
    starts: Vec<usize>,
    /// The highest end of each range and of those before it.
    highest_ends: Vec<usize>,
}

impl UsedBytes {
    fn new(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_by_key(|range| range.start);
        let mut highest = 0;
        let highest_ends = ranges.iter().map(|range| {
            highest = highest.max(range.end);
            highest
        });
        let highest_ends = highest_ends.collect();
        Self { starts: ranges.into_iter().map(|range| range.start).collect(), highest_ends }
    }

    fn overlaps(&self, range: &Range<usize>) -> bool {
        let before_end = self.starts.partition_point(|&start| start < range.end);
        before_end > 0 && self.highest_ends[before_end - 1] > range.start
    }
}

/// How far the bytes behind each hole move.
struct HoleShifts {
    ends: Vec<usize>,
    /// The number of bytes that each hole and those before it free.
    freed: Vec<usize>,
}

impl HoleShifts {
    fn new(holes: &[Range<usize>]) -> Self {
        let mut total = 0;
        let freed = holes.iter().map(|hole| {
            total += hole.end - hole.start;
            total
        });
        let freed = freed.collect();
        Self { ends: holes.iter().map(|hole| hole.end).collect(), freed }
    }

    /// The number of bytes that are freed before `offset`.
    fn before(&self, offset: usize) -> usize {
        match self.ends.partition_point(|&end| end <= offset) {
            0 => 0,
            count => self.freed[count - 1],
        }
    }
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
    buffers: &mut [Option<SharedBytes>],
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
    *bytes = out.into();
    document.edit("buffers", buffer, |raw| raw.set("byteLength", &length));
}

/// Moves the views behind the holes.
fn move_views(
    document: &mut RawDocument,
    root: &Root,
    dead: &BTreeSet<usize>,
    holes: &BTreeMap<usize, Vec<Range<usize>>>,
) {
    let shifts: BTreeMap<usize, HoleShifts> =
        holes.iter().map(|(&buffer, holes)| (buffer, HoleShifts::new(holes))).collect();
    let shift = |buffer: usize, offset: usize| shifts.get(&buffer).map_or(0, |s| s.before(offset));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Views of one buffer by offset and length; the first `unused` of them have no user.
    fn holes_of(views: &[(usize, usize)], unused: usize) -> Vec<Range<usize>> {
        let view = |&(byte_offset, byte_length): &(usize, usize)| BufferView {
            byte_offset,
            byte_length,
            ..BufferView::default()
        };
        let root = Root { buffer_views: views.iter().map(view).collect(), ..Root::default() };
        holes(&root, &(0..unused).collect()).remove(&0).unwrap_or_default()
    }

    #[test]
    fn bytes_that_another_view_has_stay() {
        assert_eq!(holes_of(&[(8, 16), (0, 8), (24, 8)], 1), vec![8..24]);
        assert!(holes_of(&[(8, 16), (0, 9)], 1).is_empty());
        assert!(holes_of(&[(8, 16), (23, 1)], 1).is_empty());
        assert!(holes_of(&[(8, 16), (0, 100)], 1).is_empty());
        assert!(holes_of(&[(8, 16), (12, 0)], 1).is_empty());
    }

    #[test]
    fn unused_views_that_overlap_are_one_hole() {
        let found = holes_of(&[(8, 16), (16, 16), (8, 16), (40, 8)], 3);
        assert_eq!(found, vec![8..32]);
        let shifts = HoleShifts::new(&found);
        assert_eq!([8, 31, 32, 40].map(|offset| shifts.before(offset)), [0, 0, 24, 24]);
    }

    #[test]
    fn two_hundred_thousand_views_are_searched_by_sorting() {
        // Comparing every unused view with every other would take ten billion steps.
        let views: Vec<(usize, usize)> =
            (0..100_000).map(|k| (k * 16, 8)).chain((0..100_000).map(|k| (k * 16 + 8, 8))).collect();
        assert_eq!(holes_of(&views, 100_000).len(), 100_000);
    }
}
