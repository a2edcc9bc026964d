#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
//! Clicks and keys in the real window, drawn by whatever driver there is. Pictures go to the target folder.

mod editing;
mod files;
mod golden;
mod harness;
mod helper_joints;
mod looks;
mod motion;
mod readme;
mod weights;
