//! Puts new elements into accessors of the document.

use super::Patcher;
use crate::{
    gltf::{json::Accessor, write::data::OverwrittenAccessor},
    shared_bytes::SharedBytes,
};

impl Patcher<'_> {
    /// Replaces the elements of an accessor, whose form is the same.
    pub(super) fn overwrite(&mut self, buffers: &mut [Option<SharedBytes>], new: &OverwrittenAccessor) {
        let accessor = &self.root.accessors[new.accessor];
        let Some(view) = accessor.buffer_view.and_then(|view| self.root.buffer_views.get(view)) else {
            return;
        };
        let size = new.bytes.len() / accessor.count.max(1);
        let stride = view.byte_stride.unwrap_or(size);
        let first = view.byte_offset + accessor.byte_offset;
        let Some(Some(bytes)) = buffers.get_mut(view.buffer) else { return };
        bytes.edit(|bytes| {
            for (number, element) in new.bytes.chunks_exact(size.max(1)).enumerate() {
                let start = first + number * stride;
                if let Some(place) = bytes.get_mut(start..start + size) {
                    place.copy_from_slice(element);
                }
            }
        });
        let (min, max) = new.bounds.as_ref().map(|(min, max)| (min, max)).unzip();
        let had_bounds = accessor.min.is_some() || accessor.max.is_some();
        if had_bounds || new.bounds.is_some() {
            // Bounds that glTF does not require are left out, since the old ones are wrong now.
            self.document.edit("accessors", new.accessor, |accessor| {
                accessor.set_or_remove("min", min);
                accessor.set_or_remove("max", max);
            });
        }
    }

    /// Gives an accessor another form and other bytes. Its name, its application data and what else it has stay.
    pub(super) fn reform(&mut self, index: usize, new: &Accessor) {
        self.document.edit("accessors", index, |accessor| {
            accessor.set_or_remove("bufferView", new.buffer_view.as_ref());
            accessor.set_or_remove("byteOffset", Some(&new.byte_offset).filter(|offset| **offset > 0));
            accessor.set("componentType", &new.component_type);
            accessor.set_or_remove("normalized", Some(&new.normalized).filter(|normalized| **normalized));
            accessor.set("count", &new.count);
            accessor.set("type", &new.kind);
            accessor.set_or_remove("min", new.min.as_ref());
            accessor.set_or_remove("max", new.max.as_ref());
            accessor.remove("sparse");
        });
    }
}
