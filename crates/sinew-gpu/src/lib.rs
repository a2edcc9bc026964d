//! Sinew on the GPU: [`deform`] skins vertices with compute kernels, [`draw`] renders scenes.
//!
//! Both use the caller's [`wgpu::Device`] and [`wgpu::Queue`] and record into the caller's encoder. Programs without a
//! device of their own, such as a CLI or a test, open one with [`Headless`]. The crate has no Cargo features.
#![forbid(unsafe_code)]

pub mod deform;
pub mod draw;
mod error;
mod headless;
pub mod measure;
mod pass_clock;
#[cfg(test)]
mod test_device;

pub use error::GpuError;
pub use headless::{DeviceError, Headless};
pub use pass_clock::PassClock;
pub use wgpu;
