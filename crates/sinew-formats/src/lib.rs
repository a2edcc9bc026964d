//! Files to and from [`sinew`] characters.
//!
//! ```no_run
//! let import = sinew_formats::read_file("fox.glb").unwrap();
//! for finding in import.report.findings() {
//!     println!("{finding}");
//! }
//! sinew_formats::write_file("copy.glb", &import.character).unwrap();
//! ```
//!
//! Readers trust no byte of their input: whatever is in a file, they return an error or a valid character and a report of
//! what had to be repaired, in bounded time and memory.
#![forbid(unsafe_code)]

pub mod bake;
mod budget;
pub mod bvh;
mod draco;
mod error;
pub mod export;
#[cfg(feature = "fbx")]
pub mod fbx;
mod fetch;
mod format;
mod gltf;
pub mod graph;
mod import;
mod joint_extras;
pub mod limits;
mod meshopt;
pub mod report;
mod save;

pub use error::{ReadError, ReadFileError, WriteError};
pub use fetch::Fetch;
pub use format::FileFormat;
pub use gltf::{GltfFiles, embedded, read_gltf, to_glb, to_gltf};
pub use import::{Import, ReadOptions, read_bytes, read_file, read_file_with};
pub use report::{Finding, FindingCode, ImportReport};
pub use save::{save_bytes, write_file};
