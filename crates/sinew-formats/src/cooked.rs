//! Cooked characters: the file format `.sinew`.
//!
//! A cooked file holds everything that a [`Character`] owns, in the form in which it is used: streams as they are in
//! memory, skins packed into blocks, precomputed data, compressed clips, graphs. Loading checks it once, in linear time,
//! and copies each stream once. The layout is described in `docs/sinew-format.md`.
//!
//! ```
//! use sinew_formats::cooked::{CookedOptions, read_cooked, to_cooked};
//!
//! let figure = sinew_samples::figure();
//! let bytes = to_cooked(&figure, &CookedOptions::default()).unwrap();
//! let loaded = read_cooked(&bytes).unwrap();
//! assert_eq!(loaded, figure);
//! assert!(loaded.meshes()[0].is_packed(sinew::deform::blocks::VertexOrder::File));
//! ```
//!
//! Clips are written as the character has them: `sinew_author::cook` compresses them before.

mod checksum;
mod clip;
mod container;
mod manifest;
mod mesh;
mod precomputed;
mod skeleton;

use crate::{
    Import, ReadError, ReadOptions, WriteError,
    budget::Budget,
    graph,
    report::ImportReport,
    write_report::{Outcome, WriteReport},
};
use container::{SectionKind, SectionWriter, Sections};
use manifest::Manifest;
use sinew::{
    Character, CharacterGraph, CharacterParts, Image, Mesh, Weights,
    bytes::{ByteReader, ByteWriter},
    deform::blocks::VertexOrder,
};
use std::sync::Arc;

pub(crate) use container::is_cooked;
pub use container::{VERSION, update_checksums};

/// Options for writing a cooked file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CookedOptions {
    /// The orders in which skinned meshes are packed. Without one, a mesh is packed when it is first deformed in it.
    pub vertex_orders: Vec<VertexOrder>,
}

impl Default for CookedOptions {
    /// The order of the mesh, which [`Frame`](sinew::Frame) deforms in.
    fn default() -> Self {
        Self { vertex_orders: vec![VertexOrder::File] }
    }
}

impl CookedOptions {
    /// These options with other orders for packed skins.
    #[must_use]
    pub fn with_vertex_orders(self, vertex_orders: Vec<VertexOrder>) -> Self {
        Self { vertex_orders }
    }
}

/// A cooked file of `character`. Equal characters give equal bytes.
///
/// # Errors
/// If a number cannot be represented as text, which no character that was read from a file has.
pub fn to_cooked(character: &Character, options: &CookedOptions) -> Result<Vec<u8>, WriteError> {
    let mut out = SectionWriter::default();
    let parts = character.parts();
    out.section(SectionKind::Manifest, Manifest::of(parts).to_bytes()?);
    out.write(SectionKind::Skeleton, |out| skeleton::write(&parts.skeleton, out));
    parts.skins.iter().for_each(|skin| out.write(SectionKind::Skin, |out| skeleton::write_skin(skin, out)));
    let shared = shared_weights(character);
    for weights in &shared {
        out.write(SectionKind::Weights, |out| mesh::write_weights(weights, out));
    }
    for mesh in &parts.meshes {
        let place = |own: &Arc<Weights>| shared.iter().position(|weights| Arc::ptr_eq(weights, own));
        let weights = mesh.weights().and_then(place);
        out.write(SectionKind::Mesh, |out| mesh::write(mesh, weights, out));
        out.write(SectionKind::Precomputed, |out| precomputed::write(mesh.precomputed(), out));
    }
    write_packed(&parts.meshes, &options.vertex_orders, &mut out);
    for image in &parts.images {
        out.write(SectionKind::Image, |out| write_image(image, out));
    }
    parts.clips.iter().for_each(|one| out.write(SectionKind::Clip, |out| clip::write(one, out)));
    for one in &parts.graphs {
        let text = graph::to_text(&one.def)?;
        out.write(SectionKind::Graph, |out| {
            out.text(&one.name);
            out.text(&text);
        });
    }
    Ok(out.into_file())
}

/// The character of a cooked file in memory, within the default [`Limits`](crate::Limits).
///
/// # Errors
/// If the bytes are not a cooked file, are of a newer version, or do not hold a valid character.
pub fn read_cooked(bytes: &[u8]) -> Result<Character, ReadError> {
    Ok(read_document(bytes, &ReadOptions::default())?.character)
}

/// Reads a cooked file. Nothing in it is repaired, so the report is empty.
pub(crate) fn read_document(bytes: &[u8], options: &ReadOptions) -> Result<Import, ReadError> {
    let budget = Budget::new(&options.limits, bytes.len())?;
    budget.charge("the file", bytes.len(), 1)?;
    let sections = Sections::of(bytes)?;
    let parts = read_parts(&sections, &budget)?;
    let character = Character::new(parts).map_err(|e| ReadError::invalid("the character", e))?;
    let node_of_joint = (0..character.skeleton().len()).collect();
    Ok(Import { character, report: ImportReport::default(), node_of_joint })
}

fn read_parts(sections: &Sections<'_>, budget: &Budget) -> Result<CharacterParts, ReadError> {
    let manifest = Manifest::from_bytes(sections.one(SectionKind::Manifest)?)?;
    let skeleton = sections.read_one(SectionKind::Skeleton, skeleton::read)?;
    let skins = sections.read_all(SectionKind::Skin, |from| skeleton::read_skin(from, &skeleton))?;
    let weights: Vec<Arc<Weights>> = sections.read_all(SectionKind::Weights, mesh::read_weights)?;
    let precomputed = sections.read_all(SectionKind::Precomputed, precomputed::read)?;
    let meshes = sections.read_all(SectionKind::Mesh, |from| mesh::read(from, &weights))?;
    if precomputed.len() != meshes.len() {
        let what = format!("{} meshes have {} lists of precomputed data", meshes.len(), precomputed.len());
        return Err(ReadError::invalid("meshes", what));
    }
    let meshes = meshes.into_iter().zip(precomputed).enumerate().map(|(at, (parts, precomputed))| {
        let mesh = Mesh::new(sinew::MeshParts { precomputed, ..parts });
        mesh.map_err(|e| ReadError::invalid(format!("meshes[{at}]"), e))
    });
    let meshes = read_packed(sections, meshes.collect::<Result<_, _>>()?)?;
    let images = sections.read_all(SectionKind::Image, read_image)?;
    budget.check_time("clips")?;
    let clips = sections.read_all(SectionKind::Clip, |from| clip::read(from, &skeleton, budget))?;
    let graphs = sections.read_all(SectionKind::Graph, read_graph)?;
    Ok(CharacterParts {
        meshes: meshes.into_iter().map(Arc::new).collect(),
        skins: skins.into_iter().map(Arc::new).collect(),
        images,
        clips: clips.into_iter().map(Arc::new).collect(),
        graphs,
        ..manifest.into_parts(Arc::new(skeleton))
    })
}

/// The weights of all meshes, each once.
fn shared_weights(character: &Character) -> Vec<&Arc<Weights>> {
    let mut shared: Vec<&Arc<Weights>> = Vec::new();
    for weights in character.meshes().iter().filter_map(|mesh| mesh.weights()) {
        if !shared.iter().any(|one| Arc::ptr_eq(one, weights)) {
            shared.push(weights);
        }
    }
    shared
}

fn write_packed(meshes: &[Arc<Mesh>], orders: &[VertexOrder], out: &mut SectionWriter) {
    let numbered = (0_u32..).zip(meshes);
    for (index, mesh) in numbered {
        for order in orders {
            // A mesh without weights has no packed form.
            let Ok(skin) = mesh.packed(*order) else { continue };
            out.write(SectionKind::Packed, |out| {
                out.u32(index);
                skin.write(out);
            });
        }
    }
}

fn read_packed(sections: &Sections<'_>, meshes: Vec<Mesh>) -> Result<Vec<Mesh>, ReadError> {
    let mut meshes: Vec<Option<Mesh>> = meshes.into_iter().map(Some).collect();
    for (at, bytes) in sections.all(SectionKind::Packed).enumerate() {
        let invalid = |what: &dyn std::fmt::Display| ReadError::invalid(format!("packed skins[{at}]"), what);
        let mut from = ByteReader::new(bytes);
        let index = from.u32().map_err(|e| invalid(&e))? as usize;
        let place =
            meshes.get_mut(index).ok_or_else(|| invalid(&format_args!("there is no mesh {index}")))?;
        let mesh = place.take().map(|mesh| mesh.with_packed_bytes(&mut from));
        *place = mesh.transpose().map_err(|e| invalid(&e))?;
    }
    Ok(meshes.into_iter().flatten().collect())
}

fn write_image(image: &Image, out: &mut ByteWriter) {
    out.text(&image.name);
    out.text(&image.mime_type);
    out.list(&image.bytes);
}

fn read_image(from: &mut ByteReader<'_>) -> Result<Image, String> {
    let mut image = || {
        let (name, mime_type) = (from.text()?.to_owned(), from.text()?.to_owned());
        Ok(Image { name, mime_type, bytes: from.byte_list()?.into() })
    };
    image().map_err(|e: sinew::bytes::BytesError| e.to_string())
}

fn read_graph(from: &mut ByteReader<'_>) -> Result<CharacterGraph, String> {
    let name = from.text().map_err(|e| e.to_string())?.to_owned();
    let text = from.text().map_err(|e| e.to_string())?;
    let def = graph::parse(text).map_err(|e| e.to_string())?;
    Ok(CharacterGraph { name, def })
}

/// What a cooked file lacks of the file that the character was read from.
pub(crate) fn losses(character: &Character) -> WriteReport {
    let mut report = WriteReport::default();
    crate::gltf::drop_source(character, &mut report);
    if let Some(import) = character.source().downcast::<ImportReport>() {
        report.drop_omissions(import);
    }
    report
}

/// Adds that the compressed clips of a character are written as keys, and that its graphs are not written.
pub(crate) fn add_other_format(character: &Character, report: &mut WriteReport) {
    for (index, clip) in character.clips().iter().enumerate() {
        let count = usize::from(clip.compressed().is_some());
        let keys = || {
            format!("{:?} was compressed, and is written as {} keys", clip.name(), clip.encoded_key_count())
        };
        report.add(Outcome::Decoded, "clip", format!("clips[{index}]"), count, keys());
    }
    let graphs = character.graphs().len();
    report.add(Outcome::Dropped, "graph", "graphs", graphs, "only .sinew files have graphs");
}
