//! Files to and from [`sinew`] characters.
//!
//! ```no_run
//! let import = sinew_formats::read_file("fox.glb".as_ref()).unwrap();
//! for finding in import.report.findings() {
//!     println!("{finding}");
//! }
//! sinew_formats::write_file("copy.glb".as_ref(), &import.character).unwrap();
//! ```
//!
//! Readers trust no byte of their input: whatever is in a file, they return an error or a valid character and a report of
//! what had to be repaired, in bounded time and memory.
#![forbid(unsafe_code)]

pub mod bake;
pub mod bvh;
mod draco;
mod error;
#[cfg(feature = "fbx")]
pub mod fbx;
mod gltf;
pub mod graph;
mod joint_extras;
pub mod limits;
mod meshopt;
mod read;
pub mod report;
mod save;

pub use error::{ReadError, ReadFileError, WriteError};
pub use gltf::{Fetch, GltfFiles, Import, ReadOptions, embedded, read_gltf, to_glb, to_gltf};
pub use read::{read_bytes, read_file};
pub use report::{Finding, FindingCode, ImportReport};
pub use save::{save_bytes, write_file};
