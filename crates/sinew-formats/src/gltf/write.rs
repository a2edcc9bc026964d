//! Writes a character as a document and its buffer.
//!
//! Everything that is read is written back: nodes in joint order, scenes, skins, meshes, morph targets, animations with
//! their events, materials, images and application data. Where glTF is narrower than a [`Character`]:
//!
//! - A node has one mesh, so further instances on a joint get their own child nodes.
//! - A skin's joints need a common root: if they have none, a node `skin root` is inserted above them.
//! - A character without scenes gets one that shows every root.
//! - SamplerKeys at equal times are moved apart by the smallest step; of two channels for one property the later one is
//!   written, as it takes precedence in sampling.
//! - Zero normals and tangents get a direction; colors and factors are clamped to 0 to 1.
//! - Precomputed data of a mesh is omitted if a part of the mesh is.
//! - Primitives without indices and images without bytes are omitted.

pub(super) mod animation;
pub(super) mod clip_extras;
pub(super) mod data;
pub(super) mod extras;
pub(super) mod helper_joints;
pub(super) mod joint_data;
pub(super) mod layout;
pub(super) mod material;
pub(super) mod mesh;
pub(super) mod morph;
pub(super) mod nodes;
pub(super) mod precomputed;

use super::{
    compress::{Compression, compress},
    container,
    json::{Asset, Buffer, Node, Root},
    method_extras,
    patch::{PackageTarget, PackedFiles, PatchError, PatchedDocument, package, patch},
    raw::RawDocument,
    resources::uri_of_name,
    source::GltfSource,
    unread::drop_source,
    vrm,
};
use crate::{
    WriteError,
    cooked::CookedOptions,
    report::ImportReport,
    shared_bytes::SharedBytes,
    write_report::{Outcome, WriteReport},
};
use data::{BufferPlace, Data};
use extras::ExtrasValues;
use layout::NodeLayout;
use serde_json::Value;
use sinew::{Character, ExtrasOwner};
use std::collections::BTreeMap;

/// The files of a .gltf export.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfFiles {
    /// The content of the .gltf document.
    pub json: Vec<u8>,
    /// The content of the buffer that it names; empty if the character has no data, and then not named.
    pub buffer: Vec<u8>,
}

/// Options for writing a character.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// True to write the repairs of the reader where nothing was edited. Without it, what was not edited stays as it was
    /// in the file, faults included.
    pub repairs: bool,
    /// Options for `.sinew` files.
    pub cooked: CookedOptions,
    /// How the data of a glTF file is compressed. `None` leaves it as it is.
    pub compression: Option<Compression>,
    /// How far compression may move a vertex, in millimeters. `None` allows a ten-thousandth of the character's diagonal.
    pub max_compression_error_mm: Option<f64>,
}

impl WriteOptions {
    /// These options with another value of [`WriteOptions::repairs`].
    #[must_use]
    pub fn with_repairs(self, repairs: bool) -> Self {
        Self { repairs, ..self }
    }

    /// These options with another value of [`WriteOptions::cooked`].
    #[must_use]
    pub fn with_cooked(self, cooked: CookedOptions) -> Self {
        Self { cooked, ..self }
    }

    /// These options with another value of [`WriteOptions::compression`].
    #[must_use]
    pub fn with_compression(self, compression: Option<Compression>) -> Self {
        Self { compression, ..self }
    }

    /// These options with another value of [`WriteOptions::max_compression_error_mm`].
    #[must_use]
    pub fn with_max_compression_error_mm(self, millimeters: Option<f64>) -> Self {
        Self { max_compression_error_mm: millimeters, ..self }
    }

    /// The document with its data compressed, if it is to be.
    fn compressed(&self, plain: PatchedDocument) -> Result<PatchedDocument, WriteError> {
        match self.compression {
            Some(compression) => compress(plain, compression, self.max_compression_error_mm),
            None => Ok(plain),
        }
    }
}

/// The character as one GLB file.
///
/// A character that was read from glTF is written into its own document: what was edited is replaced, everything else is
/// carried as it is. Any other character becomes a new document.
///
/// # Errors
/// When glTF cannot represent something: application data that is not JSON, keys before time zero, a scene that starts
/// below a root, material factors that are not finite, or more than four gigabytes.
pub fn to_glb(character: &Character) -> Result<Vec<u8>, WriteError> {
    to_glb_with(character, &WriteOptions::default()).map(|(bytes, _)| bytes)
}

/// As [`to_glb`], with options, and with a report of what happened to the content of the file that was read.
///
/// # Errors
/// As [`to_glb`].
pub fn to_glb_with(
    character: &Character,
    options: &WriteOptions,
) -> Result<(Vec<u8>, WriteReport), WriteError> {
    let files = packed(character, PackageTarget::Glb { path: None }, options)?;
    Ok((files.main.into_vec(), files.report))
}

/// The character as a new .gltf document and the buffer it names.
///
/// `buffer_uri` is the URI of the buffer relative to the document, with `%20` for a space. To keep what Sinew does not
/// interpret of a file that was read, use [`write_file`](crate::write_file).
///
/// # Errors
/// As [`to_glb`].
pub fn to_gltf(character: &Character, buffer_uri: &str) -> Result<GltfFiles, WriteError> {
    let (root, buffer) = document(character, Some(buffer_uri))?;
    Ok(GltfFiles { json: json_of(&root, true)?, buffer })
}

/// The files of a character: of its own document with the edits, or of a new one.
pub(crate) fn packed(
    character: &Character,
    target: PackageTarget<'_>,
    options: &WriteOptions,
) -> Result<PackedFiles, WriteError> {
    let Some(source) = character.source().downcast::<GltfSource>() else {
        let import = character.source().downcast::<ImportReport>();
        let mut files = new_document(character, target, import, options)?;
        import.iter().for_each(|import| files.report.drop_omissions(import));
        return Ok(files);
    };
    match patch(source, character, options.repairs, matches!(target, PackageTarget::Vrm { .. })) {
        Ok(patched) => package(source, options.compressed(patched)?, character, target),
        Err(PatchError::Write(error)) => Err(error),
        Err(PatchError::Unpatchable(why)) => {
            let mut files = new_document(character, target, Some(&source.report), options)?;
            drop_source(character, &mut files.report);
            let detail = format!("a new document was written, because {why}");
            files.report.add(Outcome::Changed, "document", "the document", 1, detail);
            Ok(files)
        }
    }
}

/// A new document. `import` is the report of the reader, if the character was read.
fn new_document(
    character: &Character,
    target: PackageTarget<'_>,
    import: Option<&ImportReport>,
    options: &WriteOptions,
) -> Result<PackedFiles, WriteError> {
    let buffer_name = match target {
        PackageTarget::Gltf { name, .. } => Some(format!("{name}.bin")),
        PackageTarget::Glb { .. } | PackageTarget::Vrm { .. } => None,
    };
    let uri = buffer_name.as_deref().map(uri_of_name);
    let (mut root, buffer) = document(character, uri.as_deref())?;
    if matches!(target, PackageTarget::Vrm { .. }) {
        become_vrm(&mut root, character)?;
    }
    let mut files = match options.compression {
        None => files_of(&json_of(&root, uri.is_some())?, buffer.into(), buffer_name)?,
        Some(_) => {
            let unwritable = |error: serde_json::Error| unrepresentable("the document", error.to_string());
            let text = serde_json::to_string(&root).map_err(unwritable)?;
            let document = RawDocument::parse(&text).map_err(unwritable)?;
            let buffers = if buffer.is_empty() { Vec::new() } else { vec![Some(buffer.into())] };
            let plain = PatchedDocument { document, buffers, report: WriteReport::default() };
            let packed = options.compressed(plain)?;
            let text = packed.document.text().map_err(unwritable)?;
            let buffer = packed.buffers.into_iter().next().flatten().unwrap_or_default();
            let files = files_of(text.as_bytes(), buffer, buffer_name)?;
            PackedFiles { report: packed.report, ..files }
        }
    };
    if let Some(import) = import {
        files.report.add_repairs(import, |_| true);
    }
    Ok(files)
}

/// The text of a document, with line breaks if people read it.
fn json_of(root: &Root, is_pretty: bool) -> Result<Vec<u8>, WriteError> {
    let json = if is_pretty { serde_json::to_vec_pretty(root) } else { serde_json::to_vec(root) };
    json.map_err(|error| unrepresentable("the document", error.to_string()))
}

/// The files of a new document: one binary file, or a text with its buffer next to it.
fn files_of(
    json: &[u8],
    buffer: SharedBytes,
    buffer_name: Option<String>,
) -> Result<PackedFiles, WriteError> {
    match buffer_name {
        None => {
            let main = container::join(json, buffer, &[])
                .ok_or_else(|| unrepresentable("the file", "must be at most four gigabytes"))?;
            Ok(PackedFiles { main, ..PackedFiles::default() })
        }
        Some(name) => {
            let beside = if buffer.is_empty() { Vec::new() } else { vec![(name, buffer)] };
            Ok(PackedFiles { main: json.to_vec().into(), beside, report: WriteReport::default() })
        }
    }
}

/// Turns a new document into a VRM 1.0 file.
fn become_vrm(root: &mut Root, character: &Character) -> Result<(), WriteError> {
    let layout = NodeLayout::new(character);
    let bones = vrm::bone_nodes(character.humanoid(), |joint| layout.node(joint));
    root.extensions.insert(vrm::VRM_1.into(), vrm::new_extension(character, &bones)?);
    root.extensions_used.push(vrm::VRM_1.into());
    if let Some(extras) = &mut root.extras {
        vrm::set_extras(extras, &vrm::BoneNodes::new());
    }
    root.extras =
        root.extras.take().filter(|extras| extras.as_object().is_none_or(|object| !object.is_empty()));
    Ok(())
}

fn document(character: &Character, buffer_uri: Option<&str>) -> Result<(Root, Vec<u8>), WriteError> {
    let layout = NodeLayout::new(character);
    let extras = helper_joints::extras_with_helpers(character, &layout)?;
    let extras = joint_data::with_joint_data(character, extras)?;
    let extras = ExtrasValues::parse(&extras)?;
    let replaceable = BTreeMap::new();
    let mut writer = Writer { character, layout, data: Data::default(), extras, replaceable };
    let meshes = writer.meshes()?;
    let skins = writer.skins();
    let animations = writer.animations()?;
    let appearance = writer.appearance()?;
    let mut root = Root {
        asset: Asset {
            version: "2.0".into(),
            generator: Some(concat!("sinew ", env!("CARGO_PKG_VERSION")).into()),
            copyright: Some(character.copyright().to_owned()).filter(|c| !c.is_empty()),
            ..Asset::default()
        },
        scenes: writer.scenes()?,
        nodes: constrained_nodes(&mut writer),
        meshes,
        skins,
        animations,
        materials: appearance.materials,
        textures: appearance.textures,
        samplers: appearance.samplers,
        images: appearance.images,
        // Without the image the texture is not drawn, so a program that cannot read it must know.
        extensions_used: appearance
            .extensions
            .iter()
            .copied()
            .chain(constraints_used(character))
            .map(Into::into)
            .collect(),
        extensions_required: appearance.extensions.iter().map(|&name| name.into()).collect(),
        extras: method_extras::put(writer.extras.take(ExtrasOwner::Asset), character.recommended_method()),
        ..Root::default()
    };
    let springs = vrm::springs::to_json(&character.parts().springs, |joint| writer.layout.node(joint));
    root.extensions.extend(springs.map(|springs| (vrm::springs::SPRINGS.into(), Value::Object(springs))));
    let bones = vrm::bone_nodes(character.humanoid(), |joint| writer.layout.node(joint));
    if !bones.is_empty() {
        vrm::set_extras(root.extras.get_or_insert_default(), &bones);
    }
    root.scene = (!root.scenes.is_empty()).then(|| character.default_scene().min(root.scenes.len() - 1));
    let data = writer.data.finish(BufferPlace::default());
    root.accessors = data.accessors.into_iter().map(|(_, accessor)| accessor).collect();
    root.buffer_views = data.views.into_iter().map(|(_, view)| view).collect();
    if !data.bytes.is_empty() {
        let uri = buffer_uri.map(str::to_owned);
        root.buffers = vec![Buffer { byte_length: data.bytes.len(), uri, ..Buffer::default() }];
    }
    Ok((root, data.bytes))
}

/// The nodes with their constraints.
fn constrained_nodes(writer: &mut Writer<'_>) -> Vec<Node> {
    let mut nodes = writer.nodes();
    for constraint in writer.character.node_constraints() {
        let node = &mut nodes[writer.layout.node(constraint.joint)];
        let extension = vrm::node_constraints::to_json(constraint, writer.layout.node(constraint.source));
        node.extensions.insert(vrm::node_constraints::NODE_CONSTRAINT.into(), extension);
    }
    nodes
}

/// The extensions that spring bones and node constraints need.
pub(super) fn constraints_used(character: &Character) -> impl Iterator<Item = &'static str> {
    let is_constrained = !character.node_constraints().is_empty();
    let nodes = is_constrained.then_some(vrm::node_constraints::NODE_CONSTRAINT);
    vrm::springs::used(&character.parts().springs).chain(nodes)
}

/// The state that all steps of writing share.
pub(super) struct Writer<'a> {
    pub(super) character: &'a Character,
    pub(super) layout: NodeLayout,
    pub(super) data: Data,
    pub(super) extras: ExtrasValues,
    /// The accessors of an edited primitive by attribute, whose bytes new ones may replace.
    pub(super) replaceable: BTreeMap<String, usize>,
}

pub(super) fn unrepresentable(place: impl Into<String>, what: impl Into<String>) -> WriteError {
    WriteError::Unrepresentable { place: place.into(), what: what.into() }
}

/// The name; `None` if it is empty.
pub(super) fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
