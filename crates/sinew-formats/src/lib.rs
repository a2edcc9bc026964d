//! Reads and writes [`sinew`] characters as files: glTF 2.0 and GLB, BVH, FBX (read only), cooked files, vertex caches and
//! meshes.
//!
//! ```no_run
//! let import = sinew_formats::read_file("fox.glb").unwrap();
//! for finding in import.report.findings() {
//!     println!("{finding}");
//! }
//! sinew_formats::write_file("copy.glb", &import.character).unwrap();
//! ```
//!
//! Readers do not trust their input: for any bytes they return an error, or a valid character and a report of all
//! repairs, in bounded time and memory.
//!
//! # Features
//!
//! - `fbx`: reads FBX through ufbx, which is C and needs a C compiler to build.
//!
//! # Where to look
//!
//! - [`read_file`], [`read_bytes`] and [`FileFormat`], the list of formats that are read.
//! - [`write_file`] and [`export`](mod@export), with [`ExportFormat`](export::ExportFormat), the list of formats that are
//!   written.
//! - [`cooked`] for `.sinew` files, which load without conversion.
//! - [`bvh`] for motions as they are in the file, [`markers`] for C3D and TRC, [`graph`] for blend graphs, [`bake`] for
//!   vertices over time, [`pose_text`] and [`clip_text`] for poses and keys as text.
#![forbid(unsafe_code)]

pub mod bake;
mod budget;
pub mod bvh;
pub mod clip_text;
pub mod cooked;
mod draco;
mod error;
pub mod export;
#[cfg(feature = "fbx")]
pub mod fbx;
mod fetch;
mod file_format;
mod gltf;
pub mod graph;
mod half;
mod image_kind;
mod import;
mod joint_extras;
pub mod joint_limits;
mod limits;
pub mod markers;
mod meshopt;
pub mod meta_joints;
mod names;
pub mod pose_text;
pub mod report;
mod save;
mod shared_bytes;
pub mod vertex_cache;
mod write_report;

pub use error::{ReadError, ReadFileError, WriteError};
pub use fetch::{Fetch, read_regular_file, read_regular_text};
pub use file_format::FileFormat;
pub use gltf::{Compression, GltfFiles, WriteOptions, embedded, read_gltf, to_glb, to_glb_with, to_gltf};
pub use import::{Import, ReadOptions, read_bytes, read_bytes_with, read_file, read_file_with};
pub use limits::Limits;
pub use report::{Finding, FindingCode, ImportReport};
pub use save::{PreparedFile, prepare_file, save_bytes, save_files, would_replace, write_file};
pub use write_report::{Outcome, WriteEntry, WriteReport};
