//! glTF 2.0, as .gltf and .glb.

mod accessor;
mod budget;
mod container;
mod embed;
mod helper_text;
mod json;
mod read;
mod resources;
mod write;

#[cfg(feature = "fbx")]
pub(crate) use budget::Budget;
pub use embed::embedded;
pub use read::{Import, ReadOptions, read_gltf};
pub use resources::Fetch;
pub use write::{GltfFiles, to_glb, to_gltf};

pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(container::MAGIC)
}
