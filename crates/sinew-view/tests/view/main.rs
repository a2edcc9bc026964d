//! Integration tests from scenes to picture bytes, in one binary.
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests, helpers included")]

#[cfg(feature = "rayon")]
mod determinism;
mod golden;
mod hostile;
mod subject;
