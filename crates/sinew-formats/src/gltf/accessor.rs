//! Reads accessors of every kind, with all bounds checked.

use super::json::{self, Accessor, Root, component};
use crate::{
    ReadError,
    budget::Budget,
    meshopt::{self, Filter, MeshoptMode},
    report::{FindingCode, ImportReport},
    shared_bytes::{SharedBytes, SourceBytes},
};
use serde::Deserialize;
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// Tightly packed elements of one accessor.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(crate) component_type: u32,
    pub(crate) normalized: bool,
    /// The number of components per element.
    pub(crate) width: usize,
    pub(crate) count: usize,
    pub(crate) bytes: SharedBytes,
}

/// The document's buffers and decompressed views.
#[derive(Debug)]
pub(crate) struct GltfBuffers<'a> {
    pub(crate) root: &'a Root,
    pub(crate) bytes: Vec<Option<SourceBytes<'a>>>,
    pub(crate) budget: &'a Budget,
    decompressed: RefCell<HashMap<usize, Rc<Vec<u8>>>>,
}

/// The bytes of a view.
enum ViewBytes<'a> {
    Stored(&'a [u8]),
    Decompressed(Rc<Vec<u8>>),
}

impl ViewBytes<'_> {
    fn get(&self) -> &[u8] {
        match self {
            Self::Stored(bytes) => bytes,
            Self::Decompressed(bytes) => bytes,
        }
    }
}

/// `EXT_meshopt_compression`'s object, which its KHR successor shares.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MeshoptCompression {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: usize,
    count: usize,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

pub(crate) const MESHOPT_EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

pub(crate) fn component_size(component_type: u32) -> Option<usize> {
    match component_type {
        component::I8 | component::U8 => Some(1),
        component::I16 | component::U16 => Some(2),
        component::U32 | component::F32 => Some(4),
        _ => None,
    }
}

pub(crate) fn width_of(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

impl<'a> GltfBuffers<'a> {
    pub(crate) fn new(root: &'a Root, bytes: Vec<Option<SourceBytes<'a>>>, budget: &'a Budget) -> Self {
        Self { root, bytes, budget, decompressed: RefCell::default() }
    }

    /// The accessor at `index`, named by the element at `place`.
    pub(crate) fn accessor(&self, place: &str, index: usize) -> Result<&'a Accessor, ReadError> {
        self.root.accessors.get(index).ok_or_else(|| {
            let count = self.root.accessors.len();
            ReadError::invalid(place, format!("names accessor {index}, there are {count}"))
        })
    }

    /// Every element of the accessor at `index`, packed, with sparse values applied.
    pub(crate) fn elements(
        &self,
        place: &str,
        index: usize,
        report: &mut ImportReport,
    ) -> Result<Elements, ReadError> {
        let accessor = self.accessor(place, index)?;
        let place = format!("accessors[{index}]");
        self.budget.charge_step(&place)?;
        let component_size = component_size(accessor.component_type).ok_or_else(|| {
            ReadError::invalid(&place, format!("component type {} is unsupported", accessor.component_type))
        })?;
        let width = width_of(&accessor.kind)
            .ok_or_else(|| ReadError::invalid(&place, format!("type {:?} is unsupported", accessor.kind)))?;
        let size = component_size * width;
        let mut bytes = match accessor.buffer_view {
            Some(view) => self.strided(&place, accessor, view, size, report)?,
            None => vec![0; self.budget.charge(&place, accessor.count, size)?].into(),
        };
        if let Some(sparse) = &accessor.sparse {
            bytes.edit(|bytes| self.replace_sparse(&place, accessor, sparse, size, bytes))?;
        }
        let (component_type, normalized, count) =
            (accessor.component_type, accessor.normalized, accessor.count);
        Ok(Elements { component_type, normalized, width, count, bytes })
    }

    /// The elements of a view with its stride. Those that are packed in a shared buffer are not copied.
    fn strided(
        &self,
        place: &str,
        accessor: &Accessor,
        view: usize,
        size: usize,
        report: &mut ImportReport,
    ) -> Result<SharedBytes, ReadError> {
        let found = self.view(place, view)?;
        let data = found.get();
        let stride = self.root.buffer_views[view].byte_stride.unwrap_or(size);
        if stride < size {
            return Err(ReadError::invalid(
                place,
                format!("the stride must be at least {size} bytes, got {stride}"),
            ));
        }
        if stride != size && accessor.kind == "SCALAR" && accessor.component_type == component::F32 {
            // Only vertex attributes may be interleaved; float scalars are animation times or weights.
            report.add(
                FindingCode::StrideNotAllowed,
                place,
                format!("stride {stride} on scalars of {size} bytes"),
            );
        }
        let count = accessor.count;
        let last = count.checked_sub(1).and_then(|n| n.checked_mul(stride));
        let needed = match last {
            None if count == 0 => Some(0),
            last => last.and_then(|l| l.checked_add(size)?.checked_add(accessor.byte_offset)),
        };
        if needed.is_none_or(|needed| needed > data.len()) {
            let what = format!(
                "{count} elements of {size} bytes, {stride} apart from byte {}, do not fit into {} bytes",
                accessor.byte_offset,
                data.len()
            );
            return Err(ReadError::invalid(place, what));
        }
        let length = self.budget.charge(place, count, size)?;
        if count == 0 {
            return Ok(SharedBytes::default());
        }
        if stride == size {
            return Ok(self.packed(&found, view, accessor.byte_offset, length));
        }
        let mut out = Vec::with_capacity(length);
        let data = &data[accessor.byte_offset..];
        data.chunks(stride).take(count).for_each(|element| out.extend_from_slice(&element[..size]));
        Ok(out.into())
    }

    /// `length` bytes of a view from `start`, which are there: shared if its buffer is, or a copy.
    fn packed(&self, found: &ViewBytes<'_>, view: usize, start: usize, length: usize) -> SharedBytes {
        let view = &self.root.buffer_views[view];
        match (found, self.bytes.get(view.buffer)) {
            (ViewBytes::Stored(_), Some(Some(SourceBytes::Shared(buffer)))) => {
                buffer.part(view.byte_offset + start, length)
            }
            _ => found.get()[start..start + length].to_vec().into(),
        }
    }

    fn replace_sparse(
        &self,
        place: &str,
        accessor: &Accessor,
        sparse: &json::Sparse,
        size: usize,
        bytes: &mut [u8],
    ) -> Result<(), ReadError> {
        let place = format!("{place}.sparse");
        let index_size = match sparse.indices.component_type {
            component::U8 | component::U16 | component::U32 => {
                component_size(sparse.indices.component_type).unwrap_or(4)
            }
            other => {
                return Err(ReadError::invalid(
                    place,
                    format!("indices must be unsigned integers, got component type {other}"),
                ));
            }
        };
        let part = |view: usize, offset: usize, size: usize| {
            let data = self.view(&place, view)?;
            let end = sparse.count.checked_mul(size).and_then(|n| n.checked_add(offset));
            if end.is_none_or(|end| end > data.get().len()) {
                let what = format!("{} entries do not fit into bufferViews[{view}]", sparse.count);
                return Err(ReadError::invalid(&place, what));
            }
            Ok(data)
        };
        let indices = part(sparse.indices.buffer_view, sparse.indices.byte_offset, index_size)?;
        let values = part(sparse.values.buffer_view, sparse.values.byte_offset, size)?;
        let indices = indices.get()[sparse.indices.byte_offset..].chunks_exact(index_size);
        let values = values.get()[sparse.values.byte_offset..].chunks_exact(size);
        for (index, value) in indices.zip(values).take(sparse.count) {
            let index = little_endian(index) as usize;
            let target = index.checked_mul(size).and_then(|start| bytes.get_mut(start..start + size));
            let Some(target) = target else {
                let what = format!("replaces element {index} of {}", accessor.count);
                return Err(ReadError::invalid(place, what));
            };
            target.copy_from_slice(value);
        }
        Ok(())
    }

    /// The bytes of the view at `index`, decompressed if needed.
    fn view(&self, place: &str, index: usize) -> Result<ViewBytes<'_>, ReadError> {
        let Some(view) = self.root.buffer_views.get(index) else {
            let count = self.root.buffer_views.len();
            return Err(ReadError::invalid(place, format!("names bufferView {index}, there are {count}")));
        };
        let compression = MESHOPT_EXTENSIONS.iter().find_map(|name| view.extensions.get(*name));
        let Some(compression) = compression else {
            return self
                .slice(&format!("bufferViews[{index}]"), view.buffer, view.byte_offset, view.byte_length)
                .map(ViewBytes::Stored);
        };
        if let Some(done) = self.decompressed.borrow().get(&index) {
            return Ok(ViewBytes::Decompressed(done.clone()));
        }
        let place = format!("bufferViews[{index}].extensions.meshopt");
        let compression: MeshoptCompression = Deserialize::deserialize(compression)
            .map_err(|e: serde_json::Error| ReadError::invalid(&place, e))?;
        let bytes = Rc::new(self.decompress(&place, &compression)?);
        self.decompressed.borrow_mut().insert(index, bytes.clone());
        Ok(ViewBytes::Decompressed(bytes))
    }

    fn decompress(&self, place: &str, it: &MeshoptCompression) -> Result<Vec<u8>, ReadError> {
        let mode = match it.mode.as_str() {
            "ATTRIBUTES" => MeshoptMode::Attributes,
            "TRIANGLES" => MeshoptMode::Triangles,
            "INDICES" => MeshoptMode::Indices,
            other => return Err(ReadError::invalid(place, format!("mode {other:?} is unsupported"))),
        };
        let filter = match it.filter.as_deref() {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            Some(other) => return Err(ReadError::invalid(place, format!("filter {other:?} is unsupported"))),
        };
        self.budget.charge(place, it.count, it.byte_stride)?;
        let data = self.slice(place, it.buffer, it.byte_offset, it.byte_length)?;
        meshopt::decode(data, mode, filter, it.count, it.byte_stride)
            .map_err(|e| ReadError::invalid(place, e))
    }

    /// A range of bytes of a buffer.
    pub(crate) fn slice(
        &self,
        place: &str,
        buffer: usize,
        offset: usize,
        length: usize,
    ) -> Result<&[u8], ReadError> {
        let Some(bytes) = self.bytes.get(buffer) else {
            let count = self.bytes.len();
            return Err(ReadError::invalid(place, format!("names buffer {buffer}, there are {count}")));
        };
        let Some(bytes) = bytes else {
            return Err(ReadError::invalid(place, format!("buffer {buffer} has no data")));
        };
        let range = offset.checked_add(length).and_then(|end| bytes.get(offset..end));
        range.ok_or_else(|| {
            let what = format!("{length} bytes from {offset} reach beyond the buffer's {}", bytes.len());
            ReadError::invalid(place, what)
        })
    }

    /// The plain bytes of the view at `index`, as images use them.
    pub(crate) fn view_bytes(&self, place: &str, index: usize) -> Result<Vec<u8>, ReadError> {
        let view = self.view(place, index)?;
        self.budget.charge(place, view.get().len(), 1)?;
        Ok(view.get().to_vec())
    }
}

/// An unsigned integer of one, two or four bytes.
fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b))
}

impl Elements {
    /// The elements from `first`, at most `count` of them.
    pub(crate) fn part(&self, first: usize, count: usize) -> Self {
        let size = self.bytes.len() / self.count.max(1);
        let count = count.min(self.count.saturating_sub(first));
        Self { count, bytes: self.bytes.part(first * size, count * size), ..self.clone() }
    }

    /// Every component as a float; normalized integers are divided by their maximum.
    pub(crate) fn floats(&self) -> Vec<f32> {
        // Division, not multiplication by a reciprocal: 127 / 127 must be 1 to the bit.
        let divisor = |largest: f32| if self.normalized { largest } else { 1.0 };
        let min = if self.normalized { -1.0 } else { f32::MIN };
        let bytes = &self.bytes;
        match self.component_type {
            component::I8 => {
                bytes.iter().map(|&b| (f32::from(b.cast_signed()) / divisor(127.0)).max(min)).collect()
            }
            component::U8 => bytes.iter().map(|&b| f32::from(b) / divisor(255.0)).collect(),
            component::I16 => {
                pairs(bytes).map(|b| (f32::from(b.cast_signed()) / divisor(32767.0)).max(min)).collect()
            }
            component::U16 => pairs(bytes).map(|b| f32::from(b) / divisor(65535.0)).collect(),
            component::U32 => {
                bytes.as_chunks::<4>().0.iter().map(|&b| u32::from_le_bytes(b) as f32).collect()
            }
            _ => bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
        }
    }

    /// Every component as an unsigned integer; `None` if they are signed or floats.
    pub(crate) fn integers(&self) -> Option<Vec<u32>> {
        let size = match self.component_type {
            component::U8 => 1,
            component::U16 => 2,
            component::U32 => 4,
            _ => return None,
        };
        Some(self.bytes.chunks_exact(size).map(little_endian).collect())
    }

    /// Elements of N components, or an error that names `place`.
    pub(crate) fn vectors<const N: usize>(&self, place: &str) -> Result<Vec<[f32; N]>, ReadError> {
        self.expect_width(place, N)?;
        if self.component_type == component::F32 {
            let float = |element: &[[u8; 4]; N]| element.map(f32::from_le_bytes);
            return Ok(self.bytes.as_chunks::<4>().0.as_chunks::<N>().0.iter().map(float).collect());
        }
        let floats = self.floats();
        Ok(floats.as_chunks::<N>().0.to_vec())
    }

    pub(crate) fn expect_width(&self, place: &str, width: usize) -> Result<(), ReadError> {
        if self.width == width {
            return Ok(());
        }
        Err(ReadError::invalid(place, format!("elements must have {width} components, got {}", self.width)))
    }
}

fn pairs(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    bytes.as_chunks::<2>().0.iter().map(|&b| u16::from_le_bytes(b))
}

#[cfg(test)]
mod tests;
