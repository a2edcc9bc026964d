//! Mutated files for every reader, stage and writer of Sinew.
//!
//! - [`seed`] makes small valid inputs of every format, [`mutate`] breaks them.
//! - [`drive`] uses whatever can still be read as applications do: samples, deforms, checks, draws, retargets, writes.
//! - [`target`] lists the fuzz targets; `fuzz/` gives them to libFuzzer, and [`campaign`] runs them without it.
//! - [`campaign`] runs cases in child processes with limits and counts what happened to them.
//!
//! Every case follows from a seed and its number, so that a failure can be repeated from the two.
#![forbid(unsafe_code)]

pub mod campaign;
pub mod drive;
#[cfg(test)]
mod hardened;
pub mod mutate;
pub mod random;
pub mod seed;
pub mod subject;
pub mod target;

#[path = "../../sinew-formats/tests/it/hostile/document.rs"]
pub mod document;
#[path = "../../sinew-formats/tests/it/hostile/edit.rs"]
pub mod edit;
#[path = "../../sinew-formats/tests/it/hostile/exercise.rs"]
pub mod exercise;
#[cfg(feature = "fbx")]
#[path = "../../sinew-formats/tests/it/fbx/document.rs"]
#[expect(missing_docs, reason = "the tests of the FBX reader own this file")]
pub mod fbx_document;

pub use document::HostileDocument;
