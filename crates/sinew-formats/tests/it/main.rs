//! Integration tests: one binary, because each links for seconds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bake;
mod bvh;
mod clip_extras;
mod compress;
mod cooked;
mod corpus;
#[cfg(feature = "fbx")]
mod corpus_fbx;
mod corpus_folder;
mod dual_quat;
#[cfg(feature = "fbx")]
mod fbx;
mod graph;
mod helper_joints;
mod hostile;
mod markers;
mod patch;
mod precomputed;
mod round_trip;
mod samples;
mod scale_inheritance;
mod seams;
mod springs;
mod validator;
mod vrm;
