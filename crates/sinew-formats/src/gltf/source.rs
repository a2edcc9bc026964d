//! What the reader keeps of a document, so that saving can edit it in place.

use super::container::OtherChunk;
use crate::{report::ImportReport, shared_bytes::SharedBytes};
use sinew::Character;
use std::path::PathBuf;

/// The file around a document.
#[derive(Clone, Debug)]
pub(crate) enum SourceContainer {
    /// One binary file with all of its chunks.
    Glb {
        /// The file, of which the buffer is a part.
        whole: SharedBytes,
        /// The chunks that are neither JSON nor the buffer.
        others: Vec<OtherChunk>,
    },
    /// A text that names its files.
    Gltf {
        /// True if the text begins with a byte order mark.
        has_mark: bool,
    },
}

impl SourceContainer {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Gltf { .. })
    }
}

/// A document with its buffers, and the character that was read from it.
///
/// Saving compares the character with the original one: what differs is replaced in the document, and everything else is
/// carried, known or not.
#[derive(Debug)]
pub(crate) struct GltfSource {
    /// The text of the document.
    pub(crate) json: String,
    pub(crate) container: SourceContainer,
    /// The bytes of every buffer; `None` for the placeholder of compressed data.
    pub(crate) buffers: Vec<Option<SharedBytes>>,
    /// The character as it was read.
    pub(crate) original: Character,
    pub(crate) map: SourceMap,
    pub(crate) report: ImportReport,
    /// The path of the file, if it has one.
    pub(crate) file: Option<PathBuf>,
}

/// The elements of the document from which the parts of the original character were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceMap {
    /// For each joint, its node.
    pub(crate) node_of_joint: Vec<usize>,
    /// For each mesh and each of its primitives, the index of the primitive in the document's mesh.
    pub(crate) primitives: Vec<Vec<usize>>,
    /// For each clip, its animation.
    pub(crate) animation_of_clip: Vec<usize>,
}
