//! Spring bones and node constraints through the public API: compared with `@pixiv/three-vrm`, at several frame rates, and
//! in edge cases. `oracle.mjs` made the JSON files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

mod character;
mod definition;
mod edges;
mod levels;
mod oracle;
mod rig;
mod timing;
