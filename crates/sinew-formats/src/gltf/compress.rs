//! Stores the data of a document in fewer bits: `KHR_mesh_quantization`, and `EXT_meshopt_compression` on top of it.
//!
//! This is the last step before a document becomes files, so it serves edited documents and new ones alike. Accessors keep
//! their indices and only change their form; everything that is not data of meshes, skins and animations is carried.
//! Several grades of precision are tried, from few bits to no loss at all. Each is read back by the reader, and the first
//! whose vertices stay within the bound is kept.

mod accessors;
mod folding;
mod forms;
mod measure;
mod roles;
mod spaces;
mod views;

use super::{
    accessor::GltfBuffers,
    patch::{PatchedDocument, References, extension_names},
    read,
    write::unrepresentable,
};
use crate::{ReadError, WriteError, budget::Budget, shared_bytes::SourceBytes, write_report::Outcome};
use accessors::AccessorStore;
use forms::FormRules;
use measure::CompressionError;
use roles::AccessorRoles;
use sinew::Character;
use spaces::{PositionSpace, PositionSpaces};
use std::collections::BTreeMap;

/// How the data of a glTF file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// As integers of 8 and 16 bits, by `KHR_mesh_quantization`.
    Quantize,
    /// As these integers in compressed streams, by `EXT_meshopt_compression`.
    Meshopt,
}

impl Compression {
    /// Every kind of compression, the simplest first.
    pub const ALL: [Self; 2] = [Self::Quantize, Self::Meshopt];

    /// The short name, as on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quantize => "quantize",
            Self::Meshopt => "meshopt",
        }
    }
}

/// How many bits values keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    /// 8 bits for weights and normals, 12 for rotations.
    Compact,
    /// 16 bits for all of them.
    Fine,
    /// As `Fine`, with clips as they are.
    ExactClips,
    /// Nothing changes its value.
    Lossless,
}

impl Grade {
    const ALL: [Self; 4] = [Self::Compact, Self::Fine, Self::ExactClips, Self::Lossless];
}

/// The bound without another one: this fraction of the character's diagonal at rest.
const MAX_ERROR_RATIO: f64 = 1e-4;

/// A document in one grade of precision.
struct StoredDocument {
    document: PatchedDocument,
    /// The number of accessors whose values changed, by what they hold.
    changed: BTreeMap<&'static str, usize>,
    spaces: Vec<PositionSpace>,
}

/// The document with its data in fewer bits, such that no vertex moves by more than `max_error_mm` millimeters.
///
/// # Errors
/// When an extension that is not known may name data, or the document cannot be read back.
pub(in crate::gltf) fn compress(
    plain: PatchedDocument,
    compression: Compression,
    max_error_mm: Option<f64>,
) -> Result<PatchedDocument, WriteError> {
    let before = read_back(&plain)?;
    let limit = max_error_mm.unwrap_or_else(|| measure::diagonal_mm(&before) * MAX_ERROR_RATIO);
    for grade in Grade::ALL {
        let stored = stored(&plain, FormRules { compression, grade })?;
        let error = measure::measure(&before, &read_back(&stored.document)?);
        if error.max_mm <= limit {
            return Ok(stored.reported(&plain, compression, error));
        }
    }
    // The last grade changes no value, so only a character that is not finite comes here.
    Err(unrepresentable(
        "the document",
        "has vertices that are not finite, so compression cannot be measured",
    ))
}

fn stored(plain: &PatchedDocument, rules: FormRules) -> Result<StoredDocument, WriteError> {
    let mut document = plain.clone();
    let text =
        plain.document.clone().text().map_err(|error| unrepresentable("the document", error.to_string()))?;
    let root = read::parse(text.as_bytes()).map_err(unreadable)?;
    let mut names = extension_names(&text);
    names.extend(root.extensions_used.iter().cloned());
    if let Some(unknown) = References::unknown_of(&names) {
        let what = format!("cannot be compressed: {unknown} may name data, which would change");
        return Err(unrepresentable("the document", what));
    }
    let budget = Budget::unlimited();
    let bytes = plain.buffers.iter().map(|buffer| buffer.clone().map(SourceBytes::Shared)).collect();
    let buffers = GltfBuffers::new(&root, bytes, &budget);
    let spaces = PositionSpaces::of(&root);
    let roles = AccessorRoles::of(&root, &spaces);
    let spaces = spaces.with_transforms(&buffers, &roles, rules.grade);
    let mut store = AccessorStore::new(&root, &buffers, rules);
    store.add_all(&roles, &spaces, &mut document)?;
    folding::fold(&root, &spaces, &mut document, &mut store);
    let changed = store.finish(&mut document)?;
    Ok(StoredDocument { document, changed, spaces: spaces.all().to_vec() })
}

impl StoredDocument {
    /// The document with entries for what compression did.
    fn reported(
        self,
        plain: &PatchedDocument,
        compression: Compression,
        error: CompressionError,
    ) -> PatchedDocument {
        let mut out = self.document;
        for (name, count) in self.changed {
            out.report.add(Outcome::Encoded, name, "accessors", count, "");
        }
        for space in self.spaces {
            for mesh in space.meshes {
                let why = space.why_not.unwrap_or_default();
                let detail = format!("its positions are not quantized: {why}");
                out.report.add(
                    Outcome::Carried,
                    "positions",
                    format!("meshes[{mesh}]"),
                    why.len().min(1),
                    detail,
                );
            }
        }
        let bytes = |document: &PatchedDocument| -> usize {
            document.buffers.iter().flatten().map(|buffer| buffer.len()).sum()
        };
        out.report.add_compression(
            compression.name(),
            [bytes(plain), bytes(&out)],
            error.max_mm,
            error.normals_degrees,
        );
        out
    }
}

/// The character in a document, as a reader sees it.
fn read_back(document: &PatchedDocument) -> Result<Character, WriteError> {
    let text = document.document.clone().text();
    let text = text.map_err(|error| unrepresentable("the document", error.to_string()))?;
    read::read_again(&text, &document.buffers).map_err(unreadable)
}

fn unreadable(error: ReadError) -> WriteError {
    unrepresentable("the document", format!("cannot be read back: {error}"))
}
