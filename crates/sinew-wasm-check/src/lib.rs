//! The kernels inside WebAssembly, held to the references there.
//!
//! `cargo xtask wasm` compiles this crate for `wasm32-unknown-unknown` twice, with and without simd128, and runs both
//! from `run.mjs`. The module needs nothing from its host: no imports, no clock, no glue. Times are taken by the
//! script.
//!
//! The exports are plain functions over a [`Check`] that [`open`] makes. Methods and poses go by number, names come as
//! text that ends with a zero byte.
#![deny(unsafe_code)]

mod check;
mod contact;
mod difference;
mod exports;
mod outputs;
mod smoothing;
mod subject;

pub use check::Check;
pub use exports::{
    deformed_positions, difference, level_name, method_count, method_name, open, pose_count, run,
    vertex_count,
};
