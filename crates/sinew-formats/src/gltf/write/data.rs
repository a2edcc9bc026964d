//! Collects accessors, buffer views and the buffer.

use crate::gltf::json::{Accessor, BufferView, Sparse, SparseIndices, SparseValues, component};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// The use of a buffer view. glTF separates uses, so each has one view, and a file has few views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gltf) enum ViewUse {
    /// Vertex attributes, by their stride in bytes.
    Vertices { stride: usize },
    /// Vertex indices of primitives.
    Indices,
    /// The inverse bind matrices of skins.
    InverseBinds,
    /// The key times and values of animations.
    SamplerKeys,
    /// Lists that only Sinew reads.
    Tables,
    /// The indices of sparse accessors.
    SparseIndices,
    /// The values of sparse accessors.
    SparseValues,
}

/// The indices of new elements in a list of the document: free ones first, then those after its end.
#[derive(Clone, Debug, Default)]
pub(in crate::gltf) struct Numbering {
    pub(in crate::gltf) free: Vec<usize>,
    pub(in crate::gltf) end: usize,
}

impl Numbering {
    /// The index of the new element `number`.
    fn index(&self, number: usize) -> usize {
        self.free.get(number).copied().unwrap_or_else(|| self.end + number - self.free.len())
    }
}

/// The format of an accessor whose bytes can be replaced, because nothing else uses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gltf) struct OverwritableForm {
    pub(in crate::gltf) component_type: u32,
    pub(in crate::gltf) normalized: bool,
    pub(in crate::gltf) kind: String,
    pub(in crate::gltf) count: usize,
}

/// New elements for an accessor of the document.
#[derive(Debug)]
pub(in crate::gltf) struct OverwrittenAccessor {
    pub(in crate::gltf) accessor: usize,
    pub(in crate::gltf) bytes: Vec<u8>,
    pub(in crate::gltf) bounds: Option<(Vec<f32>, Vec<f32>)>,
}

#[derive(Debug, Default)]
struct WrittenView {
    view_use: Option<ViewUse>,
    bytes: Vec<u8>,
}

/// A place in a buffer of the document.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::gltf) struct BufferPlace {
    pub(in crate::gltf) buffer: usize,
    pub(in crate::gltf) byte_offset: usize,
}

/// New accessors and views with their indices in the document, and the bytes that the views name.
#[derive(Debug, Default)]
pub(in crate::gltf) struct NewData {
    pub(in crate::gltf) accessors: Vec<(usize, Accessor)>,
    pub(in crate::gltf) views: Vec<(usize, BufferView)>,
    pub(in crate::gltf) bytes: Vec<u8>,
    pub(in crate::gltf) overwritten: Vec<OverwrittenAccessor>,
}

/// The content of the buffer.
#[derive(Debug, Default)]
pub(in crate::gltf) struct Data {
    views: Vec<WrittenView>,
    accessors: Vec<Accessor>,
    /// Accessors by a hash of their content: equal content, such as the key times of a clip, is stored once.
    by_content: HashMap<u64, Vec<usize>>,
    accessor_numbers: Numbering,
    view_numbers: Numbering,
    /// The accessors of the edited document whose bytes can be replaced, and the one that the next list may replace.
    overwritable: HashMap<usize, OverwritableForm>,
    replaced: Option<usize>,
    overwritten: Vec<OverwrittenAccessor>,
}

/// The element format of an accessor.
#[derive(Clone, Debug)]
pub(in crate::gltf) struct AccessorForm {
    view_use: ViewUse,
    pub(in crate::gltf) component_type: u32,
    /// Whether integers stand for fractions of their range.
    pub(in crate::gltf) normalized: bool,
    pub(in crate::gltf) width: usize,
    pub(in crate::gltf) count: usize,
    pub(in crate::gltf) bounds: Option<(Vec<f32>, Vec<f32>)>,
}

impl AccessorForm {
    /// Plain numbers without bounds.
    const fn plain(view_use: ViewUse, component_type: u32, width: usize, count: usize) -> Self {
        Self { view_use, component_type, normalized: false, width, count, bounds: None }
    }
}

impl Data {
    /// Rows of floats; `bounded` if glTF requires their minimum and maximum.
    pub(in crate::gltf) fn floats<const N: usize>(
        &mut self,
        view_use: ViewUse,
        rows: &[[f32; N]],
        bounded: bool,
    ) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
        let bounds = bounded.then(|| bounds(rows.iter()));
        self.accessor(
            AccessorForm { bounds, ..AccessorForm::plain(view_use, component::F32, N, rows.len()) },
            &bytes,
        )
    }

    /// A vertex attribute of floats.
    pub(in crate::gltf) fn attribute<const N: usize>(&mut self, rows: &[[f32; N]], bounded: bool) -> usize {
        self.floats(ViewUse::Vertices { stride: N * 4 }, rows, bounded)
    }

    /// Four skin slots per vertex, in bytes if `narrow`.
    pub(in crate::gltf) fn slots(&mut self, rows: &[[u16; 4]], narrow: bool) -> usize {
        self.quads(rows, narrow, false)
    }

    /// Four normalized integers per vertex: of 255 if `narrow`, else of 65535.
    pub(in crate::gltf) fn normalized(&mut self, rows: &[[u16; 4]], narrow: bool) -> usize {
        self.quads(rows, narrow, true)
    }

    fn quads(&mut self, rows: &[[u16; 4]], narrow: bool, normalized: bool) -> usize {
        let flat = rows.iter().flatten();
        let bytes: Vec<u8> = match narrow {
            true => flat.map(|&slot| slot as u8).collect(),
            false => flat.flat_map(|slot| slot.to_le_bytes()).collect(),
        };
        let (component_type, stride) = if narrow { (component::U8, 4) } else { (component::U16, 8) };
        let view_use = ViewUse::Vertices { stride };
        self.accessor(
            AccessorForm { normalized, ..AccessorForm::plain(view_use, component_type, 4, rows.len()) },
            &bytes,
        )
    }

    /// Indices below `vertex_count`, given with the offset `first`.
    pub(in crate::gltf) fn indices(&mut self, indices: &[u32], first: u32, vertex_count: usize) -> usize {
        let component_type = index_type(vertex_count);
        let bytes = index_bytes(indices.iter().map(|i| i - first), component_type);
        let count = indices.len();
        self.accessor(AccessorForm::plain(ViewUse::Indices, component_type, 1, count), &bytes)
    }

    /// A list of floats that only Sinew reads; `None` if it is empty, which glTF cannot store.
    pub(in crate::gltf) fn table<const N: usize>(&mut self, rows: &[[f32; N]]) -> Option<usize> {
        (!rows.is_empty()).then(|| self.floats(ViewUse::Tables, rows, false))
    }

    /// A list of integers that only Sinew reads, in two bytes each if `narrow`; `None` if it is empty.
    pub(in crate::gltf) fn integers(
        &mut self,
        list: impl Iterator<Item = u32>,
        narrow: bool,
    ) -> Option<usize> {
        let component_type = if narrow { component::U16 } else { component::U32 };
        let bytes = index_bytes(list, component_type);
        let count = bytes.len() / if narrow { 2 } else { 4 };
        let form = AccessorForm::plain(ViewUse::Tables, component_type, 1, count);
        (count > 0).then(|| self.accessor(form, &bytes))
    }

    /// `count` rows of which only `rows` differ from zero. If there are none, no bytes are stored.
    pub(in crate::gltf) fn sparse(&mut self, count: usize, rows: &[(u32, [f32; 3])], bounded: bool) -> usize {
        let zero = (rows.len() < count).then_some([0.0; 3]);
        let bounds = bounded.then(|| bounds(rows.iter().map(|r| &r.1).chain(&zero)));
        let sparse = (!rows.is_empty()).then(|| {
            let component_type = index_type(count);
            let places = index_bytes(rows.iter().map(|r| r.0), component_type);
            let values: Vec<u8> = rows.iter().flat_map(|r| r.1).flat_map(f32::to_le_bytes).collect();
            let (index_view, index_offset) = self.append(ViewUse::SparseIndices, &places);
            let (value_view, value_offset) = self.append(ViewUse::SparseValues, &values);
            Sparse {
                count: rows.len(),
                indices: SparseIndices { buffer_view: index_view, component_type, byte_offset: index_offset },
                values: SparseValues { buffer_view: value_view, byte_offset: value_offset },
            }
        });
        let (min, max) = bounds.unzip();
        self.push(Accessor {
            count,
            component_type: component::F32,
            kind: kind(3).into(),
            min,
            max,
            sparse,
            ..Accessor::default()
        })
    }

    /// A separate view over `bytes`.
    pub(in crate::gltf) fn image(&mut self, bytes: &[u8]) -> usize {
        self.views.push(WrittenView { view_use: None, bytes: bytes.to_vec() });
        self.view_numbers.index(self.views.len() - 1)
    }

    /// A collector for a document that has elements already: new ones get the indices of `accessors` and `views`.
    pub(in crate::gltf) fn in_document(
        accessors: Numbering,
        views: Numbering,
        overwritable: HashMap<usize, OverwritableForm>,
    ) -> Self {
        Self { accessor_numbers: accessors, view_numbers: views, overwritable, ..Self::default() }
    }

    /// Lets the next list take the place of an accessor of the document, if it has the same form.
    pub(in crate::gltf) fn replace(&mut self, accessor: Option<usize>) {
        self.replaced = accessor;
    }

    /// Everything that was collected. The bytes will be at `place`.
    pub(in crate::gltf) fn finish(self, place: BufferPlace) -> NewData {
        let mut bytes = Vec::with_capacity(self.views.iter().map(|v| v.bytes.len() + 3).sum());
        let mut views = Vec::with_capacity(self.views.len());
        for (number, view) in self.views.into_iter().enumerate() {
            let byte_offset = place.byte_offset + bytes.len();
            bytes.extend_from_slice(&view.bytes);
            pad(&mut bytes);
            let (byte_stride, target) = match view.view_use {
                Some(ViewUse::Vertices { stride }) => (Some(stride), Some(ARRAY_BUFFER)),
                Some(ViewUse::Indices) => (None, Some(ELEMENT_ARRAY_BUFFER)),
                _ => (None, None),
            };
            let view = BufferView {
                buffer: place.buffer,
                byte_length: view.bytes.len(),
                byte_offset,
                byte_stride,
                target,
                ..BufferView::default()
            };
            views.push((self.view_numbers.index(number), view));
        }
        let numbers = self.accessor_numbers;
        let accessors = self.accessors.into_iter().enumerate();
        let accessors = accessors.map(|(number, accessor)| (numbers.index(number), accessor)).collect();
        NewData { accessors, views, bytes, overwritten: self.overwritten }
    }

    fn accessor(&mut self, form: AccessorForm, bytes: &[u8]) -> usize {
        let wanted = OverwritableForm {
            component_type: form.component_type,
            normalized: form.normalized,
            kind: kind(form.width).into(),
            count: form.count,
        };
        if let Some(old) = self.replaced.take().filter(|old| self.overwritable.get(old) == Some(&wanted)) {
            let (bytes, bounds) = (bytes.to_vec(), form.bounds);
            self.overwritten.push(OverwrittenAccessor { accessor: old, bytes, bounds });
            return old;
        }
        let mut hasher = DefaultHasher::new();
        let kind_of =
            (form.view_use, form.component_type, form.normalized, form.width, form.bounds.is_some());
        (kind_of, bytes).hash(&mut hasher);
        let key = hasher.finish();
        let same =
            self.by_content.get(&key).and_then(|all| all.iter().find(|&&a| self.holds(a, &form, bytes)));
        if let Some(&same) = same {
            return self.accessor_numbers.index(same);
        }
        let (view, byte_offset) = self.append(form.view_use, bytes);
        let (min, max) = form.bounds.unzip();
        let number = self.accessors.len();
        let index = self.push(Accessor {
            count: form.count,
            component_type: form.component_type,
            normalized: form.normalized,
            buffer_view: Some(view),
            byte_offset,
            kind: kind(form.width).into(),
            min,
            max,
            ..Accessor::default()
        });
        self.by_content.entry(key).or_default().push(number);
        index
    }

    /// True when the accessor has this format and holds `bytes`.
    fn holds(&self, accessor: usize, form: &AccessorForm, bytes: &[u8]) -> bool {
        let accessor = &self.accessors[accessor];
        let view = self.views.iter().find(|v| v.view_use == Some(form.view_use));
        let stored = view.and_then(|v| v.bytes.get(accessor.byte_offset..));
        accessor.component_type == form.component_type
            && accessor.normalized == form.normalized
            && accessor.kind == kind(form.width)
            && accessor.count == form.count
            && accessor.min.is_some() == form.bounds.is_some()
            && stored.is_some_and(|s| s.starts_with(bytes))
    }

    fn push(&mut self, accessor: Accessor) -> usize {
        self.accessors.push(accessor);
        self.accessor_numbers.index(self.accessors.len() - 1)
    }

    /// Adds `bytes` to the view of this use, and returns the view and the offset.
    pub(in crate::gltf) fn append(&mut self, view_use: ViewUse, bytes: &[u8]) -> (usize, usize) {
        let view = self.views.iter().position(|v| v.view_use == Some(view_use)).unwrap_or_else(|| {
            self.views.push(WrittenView { view_use: Some(view_use), bytes: Vec::new() });
            self.views.len() - 1
        });
        let stored = &mut self.views[view].bytes;
        let offset = stored.len();
        stored.extend_from_slice(bytes);
        pad(stored);
        (self.view_numbers.index(view), offset)
    }
}

/// Every accessor starts at a multiple of its component size; four is a multiple of all sizes.
fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

pub(in crate::gltf) fn kind(width: usize) -> &'static str {
    match width {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

/// Sixteen bits if they can number every vertex. The highest number is reserved for primitive restart.
fn index_type(vertex_count: usize) -> u32 {
    if vertex_count <= usize::from(u16::MAX) { component::U16 } else { component::U32 }
}

fn index_bytes(indices: impl Iterator<Item = u32>, component_type: u32) -> Vec<u8> {
    match component_type {
        component::U16 => indices.flat_map(|i| (i as u16).to_le_bytes()).collect(),
        _ => indices.flat_map(u32::to_le_bytes).collect(),
    }
}

fn bounds<'a, const N: usize>(mut rows: impl Iterator<Item = &'a [f32; N]>) -> (Vec<f32>, Vec<f32>) {
    let Some(first) = rows.next() else { return (Vec::new(), Vec::new()) };
    let (min, max) = rows.fold((*first, *first), |(min, max), row| {
        (std::array::from_fn(|k| min[k].min(row[k])), std::array::from_fn(|k| max[k].max(row[k])))
    });
    (min.to_vec(), max.to_vec())
}
