//! Edits meshes: the streams that changed, or all of a mesh whose faces changed.

use super::{PatchError, Patcher};
use crate::{
    gltf::{
        json::{
            self,
            extras::{SINEW, TARGET_NAMES},
        },
        raw::RawObject,
        write::{layout::draws, mesh::Stream, named},
    },
    write_report::Outcome,
};
use serde_json::{Value, value::RawValue};
use sinew::{ExtrasOwner, Mesh};
use std::{ops::Range, sync::Arc};

impl Patcher<'_> {
    pub(super) fn edit_meshes(&mut self) -> Result<(), PatchError> {
        for index in 0..self.new.character.meshes().len() {
            let new = Arc::clone(&self.new.character.meshes()[index]);
            let Some(old) = self.source.original.meshes().get(index) else {
                if new.primitives().iter().any(draws) {
                    let mesh = self.new.mesh(index, &new)?;
                    self.document.push("meshes", &mesh);
                    self.report.add(Outcome::Changed, "mesh-added", format!("meshes[{index}]"), 1, "");
                }
                continue;
            };
            let is_forced = self.forced.has(&format!("meshes[{index}]"));
            let is_same = Arc::ptr_eq(old, &new) || **old == *new;
            if !is_same || is_forced || self.has_new_extras(index, &new) {
                self.edit_mesh(index, &Arc::clone(old), &new, is_forced)?;
            }
        }
        Ok(())
    }

    /// True if the application data of a mesh or of its primitives changed.
    fn has_new_extras(&self, index: usize, mesh: &Mesh) -> bool {
        let (old, new) = (self.source.original.extras(), self.new.character.extras());
        let primitives = (0..mesh.primitives().len()).map(|number| ExtrasOwner::Primitive(index, number));
        primitives.chain([ExtrasOwner::Mesh(index)]).any(|owner| old.get(&owner) != new.get(&owner))
    }

    fn edit_mesh(&mut self, index: usize, old: &Mesh, new: &Mesh, is_forced: bool) -> Result<(), PatchError> {
        let mut raw = self.document.item("meshes", index);
        if old.name() != new.name() {
            raw.set_or_remove("name", named(new.name()).as_ref());
        }
        if old.morphs().rest_weights() != new.morphs().rest_weights() {
            raw.set_or_remove("weights", Some(&new.morphs().rest_weights()).filter(|w| !w.is_empty()));
        }
        let mut primitives: Vec<Box<RawValue>> = raw.read("primitives").unwrap_or_default();
        if has_same_faces(old, new) {
            for number in 0..new.primitives().len() {
                let place = self.source.map.primitives[index][number];
                let Some(text) = primitives.get_mut(place) else { continue };
                let mut primitive = RawObject::parse(text);
                let edit = PrimitiveEdit { mesh: index, place, number, old, new, is_forced };
                if self.edit_primitive(&edit, &mut primitive)? {
                    *text = raw_text(&primitive);
                }
            }
        } else {
            primitives = self.replace_primitives(index, new, &primitives);
        }
        raw.set("primitives", &primitives);
        self.edit_mesh_extras(index, old, new, &mut raw)?;
        self.document.set_item("meshes", index, &raw);
        Ok(())
    }

    /// New primitives in the place of the old ones, of which only what belongs to no vertex is kept.
    fn replace_primitives(
        &mut self,
        index: usize,
        new: &Mesh,
        before: &[Box<RawValue>],
    ) -> Vec<Box<RawValue>> {
        let mut out = Vec::with_capacity(new.primitives().len());
        for (number, primitive) in new.primitives().iter().enumerate().filter(|(_, p)| draws(p)) {
            let written: json::Primitive = self.new.primitive(new, primitive);
            let mut raw: RawObject = super::members(&written);
            let place = self.source.map.primitives[index].get(number).copied();
            if let Some(old) = place.and_then(|place| before.get(place)).map(|text| RawObject::parse(text)) {
                self.report_replaced(index, &old);
                let mut extensions = old.object("extensions");
                extensions.remove(super::primitives::DRACO);
                raw.set_or_remove("extensions", Some(&extensions).filter(|e| !e.is_empty()));
            }
            let extras = self.new.extras.take(ExtrasOwner::Primitive(index, number));
            raw.set_or_remove("extras", extras.as_ref());
            out.push(raw_text(&raw));
        }
        self.report.add(Outcome::Changed, "mesh", format!("meshes[{index}]"), 1, "its faces changed");
        out
    }

    /// Reports the vertex attributes that new primitives do not have.
    fn report_replaced(&mut self, index: usize, old: &RawObject) {
        let attributes = old.object("attributes");
        let lost: Vec<&str> =
            attributes.keys().filter(|name| !Stream::ALL.iter().any(|stream| stream.has(name))).collect();
        let (count, names) = (lost.len(), lost.join(", "));
        self.report.add(Outcome::Dropped, "attribute", format!("meshes[{index}]"), count, names);
        let targets: Vec<RawObject> = old.read("targets").unwrap_or_default();
        self.report_lost_morphs(&targets, format!("meshes[{index}]"));
    }

    fn edit_mesh_extras(
        &mut self,
        index: usize,
        old: &Mesh,
        new: &Mesh,
        raw: &mut RawObject,
    ) -> Result<(), PatchError> {
        let names = |mesh: &Mesh| mesh.morphs().targets().iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        let free = |mesh: &Mesh| mesh.weights().filter(|w| w.sum_kind() == sinew::WeightSum::Muscle).cloned();
        let (before, after) = (old.precomputed(), new.precomputed());
        let has_new_data = before.mush != after.mush
            || before.direct_mush != after.direct_mush
            || free(old) != free(new)
            || names(old) != names(new);
        let owner = ExtrasOwner::Mesh(index);
        let texts = [&self.source.original, self.new.character].map(|c| c.extras().get(&owner));
        if !has_new_data && texts[0] == texts[1] {
            return Ok(());
        }
        let mut extras = self.new.all_mesh_extras(index, new)?;
        // Lists that did not change stay where they are.
        let own = raw.object("extras").read::<Value>(SINEW);
        if let (false, Some(own), Some(Value::Object(extras))) = (has_new_data, own, &mut extras) {
            extras.insert(SINEW.into(), own);
        }
        raw.set_or_remove("extras", extras.as_ref());
        let detail = if names(old) == names(new) { "" } else { TARGET_NAMES };
        self.report.add(Outcome::Changed, "mesh-extras", format!("meshes[{index}]"), 1, detail);
        Ok(())
    }
}

/// One primitive of a mesh whose faces did not change.
pub(super) struct PrimitiveEdit<'a> {
    pub(super) mesh: usize,
    /// The index of the primitive in the document.
    pub(super) place: usize,
    /// The index of the primitive in the character's mesh.
    pub(super) number: usize,
    pub(super) old: &'a Mesh,
    pub(super) new: &'a Mesh,
    pub(super) is_forced: bool,
}

impl PrimitiveEdit<'_> {
    pub(super) fn range(&self) -> Range<usize> {
        let vertices = &self.new.primitives()[self.number].vertices;
        vertices.start as usize..vertices.end as usize
    }

    /// True if an attribute is one of a stream that was read from it: sets of texture coordinates after a gap are not.
    pub(super) fn was_read(&self, stream: Stream, attribute: &str) -> bool {
        let set = attribute.strip_prefix("TEXCOORD_").and_then(|number| number.parse::<usize>().ok());
        stream.has(attribute) && set.is_none_or(|set| set < self.old.uv_sets().len())
    }

    /// The streams of the primitive that differ.
    pub(super) fn changed_streams(&self) -> Vec<Stream> {
        let is_changed = |stream: &Stream| {
            differs(self.old, self.new, *stream, self.range())
                || (self.is_forced && *stream == Stream::Influences)
        };
        Stream::ALL.into_iter().filter(is_changed).collect()
    }

    /// True if a morph target moves a vertex of the primitive differently.
    pub(super) fn has_new_morphs(&self) -> bool {
        self.old.morphs().targets() != self.new.morphs().targets()
    }
}

fn differs(old: &Mesh, new: &Mesh, stream: Stream, range: Range<usize>) -> bool {
    match stream {
        Stream::Positions => old.positions()[range.clone()] != new.positions()[range],
        Stream::Normals => old.normals().get(range.clone()) != new.normals().get(range),
        Stream::Tangents => old.tangents().get(range.clone()) != new.tangents().get(range),
        Stream::Colors => old.colors().get(range.clone()) != new.colors().get(range),
        Stream::Uvs => {
            let sets = old.uv_sets().len().max(new.uv_sets().len());
            let of = |mesh: &Mesh, set: usize| {
                mesh.uv_sets().get(set).and_then(|uvs| uvs.get(range.clone())).map(<[_]>::to_vec)
            };
            (0..sets).any(|set| of(old, set) != of(new, set))
        }
        Stream::Influences => match (old.weights(), new.weights()) {
            (Some(old), Some(new)) => {
                !Arc::ptr_eq(old, new) && range.into_iter().any(|vertex| old.of(vertex) != new.of(vertex))
            }
            (old, new) => old.is_some() != new.is_some(),
        },
        Stream::Precomputed => {
            let (old, new) = (old.precomputed(), new.precomputed());
            old.centers != new.centers || old.blend_map != new.blend_map
        }
    }
}

/// True if two meshes have the same primitives with the same faces; materials may differ.
fn has_same_faces(old: &Mesh, new: &Mesh) -> bool {
    let is_same = |(a, b): (&sinew::Primitive, &sinew::Primitive)| {
        a.vertices == b.vertices && a.indices == b.indices && a.topology == b.topology
    };
    old.primitives().len() == new.primitives().len()
        && old.primitives().iter().zip(new.primitives()).all(is_same)
        && old.indices() == new.indices()
}

fn raw_text(object: &RawObject) -> Box<RawValue> {
    // Objects of texts that were parsed can be written.
    serde_json::value::to_raw_value(object).unwrap_or_default()
}
