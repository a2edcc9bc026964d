//! Edits one primitive, and decodes it first if it is compressed.

use super::{PatchError, Patcher, meshes::PrimitiveEdit};
use crate::{
    gltf::{
        accessor::{Elements, MESHOPT_EXTENSIONS},
        json::component,
        raw::RawObject,
        read,
        write::{data::ViewUse, mesh::Stream},
    },
    write_report::Outcome,
};
use sinew::ExtrasOwner;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

impl Patcher<'_> {
    /// Applies the edits of a primitive and returns whether there are any.
    pub(super) fn edit_primitive(
        &mut self,
        edit: &PrimitiveEdit<'_>,
        raw: &mut RawObject,
    ) -> Result<bool, PatchError> {
        let streams = edit.changed_streams();
        let place = format!("meshes[{}].primitives[{}]", edit.mesh, edit.place);
        let has_new_morphs = edit.has_new_morphs();
        let mut is_changed = false;
        if !streams.is_empty() || has_new_morphs {
            self.decode(edit, raw, &place)?;
            self.report_decoded(edit, &streams, &place);
        }
        let mut attributes = raw.object("attributes");
        for &stream in &streams {
            self.new.replaceable = attribute_numbers(&attributes);
            let mut written = BTreeMap::new();
            self.new.stream(edit.new, edit.range(), stream, &mut written);
            let gone: Vec<String> = attributes
                .keys()
                .filter(|name| edit.was_read(stream, name) && !written.contains_key(*name))
                .map(Into::into)
                .collect();
            gone.iter().for_each(|name| attributes.remove(name));
            written.iter().for_each(|(name, accessor)| attributes.set(name, accessor));
            let code = format!("{stream:?}").to_lowercase();
            self.report.add(Outcome::Changed, &code, place.clone(), 1, "");
            is_changed = true;
        }
        self.new.replaceable.clear();
        if is_changed {
            raw.set("attributes", &attributes);
        }
        if has_new_morphs {
            self.edit_targets(edit, raw, &attributes);
            self.report.add(Outcome::Changed, "morphs", place.clone(), 1, "");
            is_changed = true;
        }
        let material = |mesh: &sinew::Mesh| mesh.primitives()[edit.number].material;
        if material(edit.old) != material(edit.new) {
            raw.set_or_remove("material", material(edit.new).as_ref());
            self.report.add(Outcome::Changed, "material", place, 1, "");
            is_changed = true;
        }
        let owner = ExtrasOwner::Primitive(edit.mesh, edit.number);
        let (before, after) = (self.old.extras.take(owner), self.new.extras.take(owner));
        if before != after {
            raw.set_or_remove("extras", after.as_ref());
            is_changed = true;
        }
        Ok(is_changed)
    }

    /// Writes all morph targets; what they have beside positions, normals and tangents stays.
    fn edit_targets(&mut self, edit: &PrimitiveEdit<'_>, raw: &mut RawObject, attributes: &RawObject) {
        let before: Vec<RawObject> = raw.read("targets").unwrap_or_default();
        let has = |name: &str| attributes.get(name).is_some();
        let vertices = &edit.new.primitives()[edit.number].vertices;
        let written = self.new.targets(edit.new.morphs(), vertices, has("NORMAL"), has("TANGENT"));
        let is_same_count = before.len() == written.len();
        if !is_same_count {
            let place = format!("meshes[{}].primitives[{}].targets", edit.mesh, edit.place);
            self.report_lost_morphs(&before, place);
        }
        let mut targets = Vec::with_capacity(written.len());
        for (number, target) in written.iter().enumerate() {
            let mut out = if is_same_count { before[number].clone() } else { RawObject::default() };
            target.iter().for_each(|(name, accessor)| out.set(name, accessor));
            targets.push(out);
        }
        raw.set_or_remove("targets", Some(&targets).filter(|t| !t.is_empty()));
    }

    /// Reports what morph targets have beside positions, normals and tangents, and new ones do not.
    pub(super) fn report_lost_morphs(&mut self, targets: &[RawObject], place: String) {
        let read = ["POSITION", "NORMAL", "TANGENT"];
        let lost: BTreeSet<&str> =
            targets.iter().flat_map(RawObject::keys).filter(|name| !read.contains(name)).collect();
        let names: Vec<&str> = lost.into_iter().collect();
        self.report.add(Outcome::Dropped, "morph-attribute", place, names.len(), names.join(", "));
    }

    /// Reports accessors in compressed views whose new values are stored plainly.
    fn report_decoded(&mut self, edit: &PrimitiveEdit<'_>, streams: &[Stream], place: &str) {
        let attributes = &self.root.meshes[edit.mesh].primitives[edit.place].attributes;
        let is_packed = |accessor: &usize| {
            let view =
                self.root.accessors.get(*accessor).and_then(|a| self.root.buffer_views.get(a.buffer_view?));
            view.is_some_and(|view| MESHOPT_EXTENSIONS.iter().any(|name| view.extensions.contains_key(*name)))
        };
        let names: Vec<&str> = attributes
            .iter()
            .filter(|(name, accessor)| streams.iter().any(|s| s.has(name)) && is_packed(accessor))
            .map(|(name, _)| name.as_str())
            .collect();
        let (count, names) = (names.len(), names.join(", "));
        self.report.add(Outcome::Decoded, "attribute", place, count, names);
    }

    /// Stores the attributes and indices of a Draco stream plainly.
    fn decode(
        &mut self,
        edit: &PrimitiveEdit<'_>,
        raw: &mut RawObject,
        place: &str,
    ) -> Result<(), PatchError> {
        let mut extensions = raw.object("extensions");
        if extensions.get(DRACO).is_none() {
            return Ok(());
        }
        let primitive = &self.root.meshes[edit.mesh].primitives[edit.place];
        let decoded = read::decode_draco(&self.root, &self.source.buffers, primitive, place);
        let (elements, indices) = decoded.map_err(|e| PatchError::Unpatchable(e.to_string()))?;
        let (numbers, index_accessor) = (primitive.attributes.clone(), primitive.indices);
        for (name, elements) in &elements {
            if let Some(&accessor) = numbers.get(name) {
                self.store_elements(accessor, elements);
            }
        }
        match index_accessor {
            Some(accessor) => self.store_indices(accessor, &indices),
            None => raw.set("indices", &self.new.data.indices(&indices, 0, usize::MAX)),
        }
        extensions.remove(DRACO);
        raw.set_or_remove("extensions", Some(&extensions).filter(|e| !e.is_empty()));
        self.report.add(Outcome::Decoded, "primitive", place, 1, DRACO);
        Ok(())
    }

    /// Gives an accessor of the document bytes of its own.
    fn store_elements(&mut self, accessor: usize, elements: &Elements) {
        let size = elements.bytes.len() / elements.count.max(1);
        // Vertex attributes are aligned to four bytes.
        let stride = size.next_multiple_of(4);
        let mut bytes = Vec::with_capacity(stride * elements.count);
        for element in elements.bytes.chunks_exact(size.max(1)) {
            bytes.extend_from_slice(element);
            bytes.resize(bytes.len() + stride - size, 0);
        }
        let (view, offset) = self.new.data.append(ViewUse::Vertices { stride }, &bytes);
        self.document.edit("accessors", accessor, |raw| {
            raw.set("bufferView", &view);
            raw.set("byteOffset", &offset);
            raw.set("componentType", &elements.component_type);
            raw.set("count", &elements.count);
        });
    }

    fn store_indices(&mut self, accessor: usize, indices: &[u32]) {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let (view, offset) = self.new.data.append(ViewUse::Indices, &bytes);
        self.document.edit("accessors", accessor, |raw| {
            raw.set("bufferView", &view);
            raw.set("byteOffset", &offset);
            raw.set("componentType", &component::U32);
            raw.set("count", &indices.len());
            raw.set("type", &"SCALAR");
        });
    }
}

/// The accessors of attributes by name.
fn attribute_numbers(attributes: &RawObject) -> BTreeMap<String, usize> {
    let number = |name: &str| Some((name.to_owned(), attributes.read(name)?));
    attributes.keys().filter_map(number).collect()
}
