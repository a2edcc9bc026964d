//! The fuzz targets: each takes any bytes, and panics only where Sinew breaks a promise.

mod bvh;
mod compress;
mod compressed;
mod cooked;
#[cfg(feature = "fbx")]
mod fbx;
mod gltf;
mod graph;
mod markers;
mod round_trip;
#[cfg(feature = "studio")]
mod studio;
mod texts;
mod vertex_cache;
mod vrm;

pub use bvh::bvh;
pub use compress::compress;
pub(crate) use compress::compress_and_read_back;
pub use compressed::{draco, meshopt};
pub use cooked::cooked;
#[cfg(feature = "fbx")]
pub use fbx::{fbx, fbx_motion};
pub use gltf::{glb, gltf, gltf_files, gltf_structured};
pub use graph::graph;
pub use markers::{c3d, marker_text, trc};
pub use round_trip::round_trip;
#[cfg(feature = "studio")]
pub use studio::{journal, page_message};
pub use texts::{clip_text, joint_map, pose_text, weights_text};
pub use vertex_cache::{obj, vertex_cache};
pub use vrm::vrm;

use crate::{exercise::exercise, seed, subject::Verdict};
use sinew::Character;
use sinew_formats::{Import, ReadError};
use std::sync::LazyLock;

/// The built-in figure, read once.
pub(crate) static FIGURE: LazyLock<Character> = LazyLock::new(sinew_samples::figure);
/// The small humanoid of the seeds, read once.
pub(crate) static HUMANOID: LazyLock<Character> = LazyLock::new(seed::humanoid);

/// Uses the character, if one was read.
fn used(import: &Result<Import, ReadError>) -> Verdict {
    match import {
        Ok(import) => exercise(import),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Verdict::of(import)
}

/// What `result` holds of something that Sinew wrote itself.
pub(crate) fn reread<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    #[expect(clippy::panic, reason = "this is how a fuzz target reports a fault")]
    result.unwrap_or_else(|error| panic!("what was written does not read: {error}"))
}

/// Runs `read` on the text; bytes that are not UTF-8 are refused.
fn with_text(bytes: &[u8], read: impl FnOnce(&str) -> Verdict) -> Verdict {
    std::str::from_utf8(bytes).map_or(Verdict::Refused, read)
}
