#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
//! Documents, commands, history and journals, without a window.

mod command_table;
mod commands;
mod helper_joints;
mod jobs;
mod journals;
mod meta_joints;
#[path = "../morphed_arm/mod.rs"]
mod morphed_arm;
mod morphs;
mod motion;
#[path = "../pair/mod.rs"]
mod pair;
mod properties;
mod several_meshes;
mod unsaved;
