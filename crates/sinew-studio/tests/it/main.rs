#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
//! Documents, commands, history and journals, without a window.

mod commands;
mod helper_joints;
mod journals;
mod motion;
mod properties;
