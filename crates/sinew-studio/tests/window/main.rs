#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
//! Tests of the whole window by simulated input, on any GPU driver. Pictures go to the target folder.

mod editing;
mod files;
mod golden;
mod harness;
mod helper_joints;
mod looks;
mod meta_joints;
#[path = "../morphed_arm/mod.rs"]
mod morphed_arm;
mod morphs;
mod motion;
#[path = "../pair/mod.rs"]
mod pair;
mod readme;
mod unsaved;
mod weights;
