//! Blend graphs: what they give, and how they read and write.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

mod gait;
mod machine;
mod meaning;
mod play;
mod stage;
mod text;
