//! The deformers, held to an independent oracle in double precision, to closed forms and to bad input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
#![allow(clippy::type_complexity, reason = "tuples of test data")]

mod bounds;
mod classic_loops;
mod closed_forms;
mod conditions;
mod constrain;
mod edges;
mod finite;
mod followed;
mod hierarchy;
mod kernel_calls;
mod kernel_run;
mod kernels;
mod method_oracle;
mod method_parity;
mod oracle;
mod parity;
mod reload;
mod scale_inheritance;
#[cfg(feature = "serde")]
mod serde_assets;
mod subjects;
mod surface_normals;
mod variants;
