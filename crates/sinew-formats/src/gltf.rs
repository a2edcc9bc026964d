//! glTF 2.0, as .gltf and .glb.

mod accessor;
mod compress;
mod container;
mod embed;
mod helper_json;
mod json;
mod method_extras;
mod patch;
mod raw;
mod read;
mod resources;
mod source;
mod unread;
mod vrm;
mod write;

pub use compress::Compression;
pub use embed::embedded;
pub use read::read_gltf;
pub use write::{GltfFiles, WriteOptions, to_glb, to_glb_with, to_gltf};
pub(crate) use {patch::PackageTarget, read::read_document, unread::drop_source, write::packed};

/// True for the start of a GLB, and for JSON text.
pub(crate) fn is_gltf(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    bytes.starts_with(container::MAGIC) || text.starts_with(b"{")
}
