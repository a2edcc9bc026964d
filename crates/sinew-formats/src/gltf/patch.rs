//! Edits a document in place: what was edited is replaced or appended, everything else is carried as it is.
//!
//! The edits are the difference between the character that was read and the one that is saved. Indices of the document
//! stay, so that references from unsupported extensions stay right.

mod clips;
mod compact;
mod constraints;
mod extension_names;
mod file_names;
mod joints;
mod looks;
mod meshes;
mod nodes;
mod package;
mod primitives;
mod references;
mod renumber;
mod repairs;

pub(in crate::gltf) use compact::remove_bytes;
pub(in crate::gltf) use extension_names::extension_names;
pub(in crate::gltf) use package::package;
pub(crate) use package::{PackageTarget, PackedFiles};

use super::{
    json::{Root, extras::SINEW},
    method_extras,
    raw::{RawDocument, RawObject},
    read,
    source::GltfSource,
    vrm,
    write::{
        Writer,
        data::{BufferPlace, Data, Numbering, OverwrittenAccessor},
        extras::ExtrasValues,
        helper_joints, joint_data,
        layout::{NodeLayout, OwnCounts},
    },
};
use crate::{
    WriteError,
    shared_bytes::SharedBytes,
    write_report::{Outcome, WriteReport},
};
use joints::JointMatch;
pub(in crate::gltf) use references::References;
use repairs::ForcedElements;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use sinew::{Character, JointId};
use std::collections::BTreeMap;

/// A document with its edits.
#[derive(Clone)]
pub(in crate::gltf) struct PatchedDocument {
    pub(in crate::gltf) document: RawDocument,
    /// The bytes of every buffer, shared with the source until they are edited; `None` for the placeholder of compressed
    /// data.
    pub(in crate::gltf) buffers: Vec<Option<SharedBytes>>,
    pub(in crate::gltf) report: WriteReport,
}

/// Why a document cannot be edited in place.
pub(in crate::gltf) enum PatchError {
    /// The character cannot be written at all.
    Write(WriteError),
    /// The edits cannot be applied to this document, for the reason given.
    Unpatchable(String),
}

impl From<WriteError> for PatchError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

/// The document of `source` with the edits that lead to `character`. With `repairs`, the repairs of the reader are
/// written too; `as_vrm` adds the extension of VRM if there is none.
pub(in crate::gltf) fn patch(
    source: &GltfSource,
    character: &Character,
    repairs: bool,
    as_vrm: bool,
) -> Result<PatchedDocument, PatchError> {
    let mut patcher = Patcher::new(source, character, repairs)?;
    patcher.edit_nodes()?;
    patcher.edit_scenes()?;
    patcher.edit_skins();
    patcher.edit_meshes()?;
    patcher.edit_looks()?;
    patcher.edit_clips()?;
    patcher.edit_root();
    patcher.edit_springs();
    patcher.edit_node_constraints();
    if as_vrm {
        patcher.become_vrm()?;
    }
    patcher.finish()
}

/// The state that all steps of editing share.
struct Patcher<'a> {
    source: &'a GltfSource,
    /// The document as it was read.
    root: Root,
    references: References,
    document: RawDocument,
    /// Writes the parts of the original character, to compare them.
    old: Writer<'a>,
    /// Writes the parts of the edited character.
    new: Writer<'a>,
    joints: JointMatch,
    forced: ForcedElements,
    report: WriteReport,
}

impl<'a> Patcher<'a> {
    fn new(source: &'a GltfSource, character: &'a Character, repairs: bool) -> Result<Self, PatchError> {
        let unpatchable = |what: String| PatchError::Unpatchable(what);
        let root = read::parse(source.json.as_bytes()).map_err(|e| unpatchable(e.to_string()))?;
        let mut document = RawDocument::parse(&source.json).map_err(|e| unpatchable(e.to_string()))?;
        check_lists(source, character)?;
        let old_joints = source.map.node_of_joint.clone();
        let joints = JointMatch::new(source.original.skeleton(), character.skeleton());
        let mut next_node = document.count("nodes");
        let node_of = |joint: JointId| match joints.old_of(joint) {
            Some(old) => old_joints[old.index()],
            None => {
                next_node += 1;
                next_node - 1
            }
        };
        let new_joints: Vec<usize> = character.skeleton().joints().map(node_of).collect();
        let own = OwnCounts { meshes: root.meshes.len(), images: root.images.len(), next_node };
        let references = References::of(&root).with_names(&extension_names(&source.json));
        let old_layout = NodeLayout::in_document(&source.original, old_joints, own);
        let new_layout = NodeLayout::in_document(character, new_joints, own);
        let numbers = |free, end| Numbering { free, end };
        let data = Data::in_document(
            numbers(references.free_accessors(&root), root.accessors.len()),
            numbers(references.free_views(&root), root.buffer_views.len()),
            references.overwritable(&root, &source.buffers),
        );
        Ok(Self {
            forced: if repairs { ForcedElements::of(&source.report) } else { ForcedElements::default() },
            old: writer(&source.original, old_layout, Data::default())?,
            new: writer(character, new_layout, data)?,
            source,
            root,
            references,
            document,
            joints,
            report: WriteReport::default(),
        })
    }

    /// The copyright and the application data of the document.
    fn edit_root(&mut self) {
        let owner = sinew::ExtrasOwner::Asset;
        let (old, new) = (self.old.extras.take(owner), self.new.extras.take(owner));
        if old != new {
            let own = self.document.root().object("extras").object(SINEW);
            let extras = with_own_data(new, &own);
            self.document.root_mut().set_or_remove("extras", extras.as_ref());
            self.report.add(Outcome::Changed, "extras", "extras", 1, "");
        }
        let bones = |writer: &Writer<'_>| {
            vrm::bone_nodes(writer.character.humanoid(), |joint| writer.layout.node(joint))
        };
        let (before, after) = (bones(&self.old), bones(&self.new));
        if before != after {
            vrm::edit_bones(self.document.root_mut(), &self.root, &before, &after);
            self.report.add(Outcome::Changed, "humanoid", "extensions", 1, "");
        }
        let method = self.new.character.recommended_method();
        if method != self.source.original.recommended_method() {
            let mut extras = self.document.root().read::<Value>("extras");
            method_extras::take(&mut extras);
            let extras = method_extras::put(extras, method);
            self.document.root_mut().set_or_remove("extras", extras.as_ref());
            self.report.add(Outcome::Changed, "method", "extras", 1, "");
        }
        let copyright = self.new.character.copyright();
        if copyright != self.source.original.copyright() {
            let mut asset = self.document.root().object("asset");
            asset.set_or_remove("copyright", Some(&copyright).filter(|c| !c.is_empty()));
            self.document.root_mut().set("asset", &asset);
            self.report.add(Outcome::Changed, "copyright", "asset", 1, "");
        }
    }

    /// Adds extensions to the list of those that the document uses.
    fn declare(&mut self, extensions: impl Iterator<Item = &'static str>) {
        let mut used: Vec<String> = self.document.root().read("extensionsUsed").unwrap_or_default();
        let before = used.len();
        for name in extensions {
            if !used.iter().any(|listed| listed == name) {
                used.push(name.into());
            }
        }
        if used.len() > before {
            self.document.root_mut().set("extensionsUsed", &used);
        }
    }

    /// Adds the extension of VRM 1.0, unless the document is a VRM file already.
    fn become_vrm(&mut self) -> Result<(), PatchError> {
        if vrm::is_vrm(&self.root) {
            return Ok(());
        }
        let bones = vrm::bone_nodes(self.new.character.humanoid(), |joint| self.new.layout.node(joint));
        let extension = vrm::new_extension(self.new.character, &bones)?;
        let mut extensions = self.document.root().object("extensions");
        extensions.set(vrm::VRM_1, &extension);
        self.document.root_mut().set("extensions", &extensions);
        self.declare([vrm::VRM_1].into_iter());
        self.report.add(Outcome::Changed, "vrm-added", "extensions", 1, vrm::VRM_1);
        Ok(())
    }

    /// Removes Draco from the extensions of the document if no primitive is compressed any more: programs without a decoder
    /// can read it then.
    fn undeclare_draco(&mut self) {
        let is_declared = self.root.extensions_used.iter().any(|name| name == primitives::DRACO);
        let is_used = |mesh: &RawValue| mesh.get().contains(primitives::DRACO);
        if !is_declared || self.document.items("meshes").iter().any(|mesh| is_used(mesh)) {
            return;
        }
        for key in ["extensionsUsed", "extensionsRequired"] {
            let list: Vec<String> = self.document.root().read(key).unwrap_or_default();
            let left: Vec<&String> = list.iter().filter(|name| *name != primitives::DRACO).collect();
            self.document.root_mut().set_or_remove(key, Some(&left).filter(|left| !left.is_empty()));
        }
    }

    fn finish(mut self) -> Result<PatchedDocument, PatchError> {
        let mut buffers = self.source.buffers.clone();
        let buffer = buffers.iter().position(Option::is_some).unwrap_or(buffers.len());
        let length = buffers.get(buffer).and_then(Option::as_ref).map_or(0, |bytes| bytes.len());
        let byte_offset = length.next_multiple_of(ALIGNMENT);
        let data = std::mem::take(&mut self.new.data).finish(BufferPlace { buffer, byte_offset });
        self.undeclare_draco();
        put_all(&mut self.document, "accessors", data.accessors);
        put_all(&mut self.document, "bufferViews", data.views);
        for overwritten in data.overwritten {
            self.overwrite(&mut buffers, &overwritten);
        }
        if !data.bytes.is_empty() {
            append(&mut self.document, &mut buffers, buffer, &data.bytes);
        }
        let removed = self.joints.removed().map(|old| self.source.map.node_of_joint[old.index()]);
        renumber::remove_nodes(&mut self.document, removed.collect(), &mut self.report);
        compact::reclaim(&mut self.document, &mut buffers, &self.references);
        self.report_import();
        Ok(PatchedDocument { document: self.document, buffers, report: self.report })
    }

    /// Replaces the elements of an accessor, whose form is the same.
    fn overwrite(&mut self, buffers: &mut [Option<SharedBytes>], new: &OverwrittenAccessor) {
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

    /// Adds what the reader left out or repaired: this document carries it.
    fn report_import(&mut self) {
        for finding in self.source.report.findings().iter().filter(|f| f.code.is_omission()) {
            let (place, message) = (finding.place.to_string(), finding.message.clone());
            self.report.add(Outcome::Carried, finding.code.as_str(), place, 1, message);
        }
        let forced = &self.forced;
        self.report.add_repairs(&self.source.report, |place| forced.has(place));
    }
}

/// Buffers are appended to at multiples of this, which every component type fits.
pub(in crate::gltf) const ALIGNMENT: usize = 8;

fn writer(character: &Character, layout: NodeLayout, data: Data) -> Result<Writer<'_>, PatchError> {
    let extras = helper_joints::extras_with_helpers(character, &layout)?;
    let extras = joint_data::with_joint_data(character, extras)?;
    let extras = ExtrasValues::parse(&extras)?;
    Ok(Writer { character, layout, data, extras, replaceable: BTreeMap::new() })
}

/// Refuses characters with fewer meshes, skins, materials or images than the document: references would move.
fn check_lists(source: &GltfSource, character: &Character) -> Result<(), PatchError> {
    let (old, new) = (source.original.parts(), character.parts());
    let lists = [
        ("meshes", old.meshes.len(), new.meshes.len()),
        ("skins", old.skins.len(), new.skins.len()),
        ("materials", old.materials.len(), new.materials.len()),
        ("images", old.images.len(), new.images.len()),
    ];
    match lists.into_iter().find(|(_, old, new)| new < old) {
        Some((list, old, new)) => {
            Err(PatchError::Unpatchable(format!("{list} were removed: {new} of {old} are left")))
        }
        None => Ok(()),
    }
}

/// The application data of the document with Sinew's own data of it, which is edited by itself.
fn with_own_data(extras: Option<Value>, own: &RawObject) -> Option<Value> {
    let kept: Vec<(&str, Value)> =
        ["humanoid", "method"].into_iter().filter_map(|key| Some((key, own.read(key)?))).collect();
    if kept.is_empty() {
        return extras;
    }
    let mut extras = extras.unwrap_or_else(|| Value::Object(Map::new()));
    let ours =
        extras.as_object_mut().map(|all| all.entry(SINEW).or_insert_with(|| Value::Object(Map::new())));
    if let Some(ours) = ours.and_then(Value::as_object_mut) {
        ours.extend(kept.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    Some(extras)
}

/// Puts elements at their indices, of which those beyond the end ascend.
fn put_all(document: &mut RawDocument, list: &'static str, items: Vec<(usize, impl Serialize)>) {
    for (index, item) in items {
        if index < document.count(list) {
            document.set_item(list, index, &item);
        } else {
            document.push(list, &item);
        }
    }
}

/// Appends bytes to a buffer, which is added if the document has none.
pub(in crate::gltf) fn append(
    document: &mut RawDocument,
    buffers: &mut Vec<Option<SharedBytes>>,
    buffer: usize,
    bytes: &[u8],
) {
    if buffer == buffers.len() {
        buffers.push(Some(SharedBytes::default()));
        document.push("buffers", &RawObject::default());
    }
    let Some(Some(own)) = buffers.get_mut(buffer) else { return };
    own.edit(|own| {
        own.resize(own.len().next_multiple_of(ALIGNMENT), 0);
        own.extend_from_slice(bytes);
    });
    let length = own.len();
    document.edit("buffers", buffer, |buffer| buffer.set("byteLength", &length));
}

/// Applies the difference between two states of an element to its text. Returns whether there is one.
fn apply_difference(raw: &mut RawObject, old: &impl Serialize, new: &impl Serialize) -> bool {
    let (old, new) = (members(old), members(new));
    let text = |object: &RawObject, key: &str| object.get(key).map(|value| value.get().to_owned());
    let keys: Vec<String> = old.keys().chain(new.keys()).map(str::to_owned).collect();
    let mut is_changed = false;
    for key in &keys {
        if text(&old, key) == text(&new, key) {
            continue;
        }
        is_changed = true;
        raw.set_or_remove(key, new.get(key).as_ref());
    }
    is_changed
}

/// An element as an object of texts.
fn members(element: &impl Serialize) -> RawObject {
    serde_json::to_string(element).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
