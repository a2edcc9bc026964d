//! Sinew on the graphics card: [`deform`] moves vertices by compute kernels, [`draw`] makes pictures of scenes.
//!
//! Both take the caller's [`wgpu::Device`] and [`wgpu::Queue`] and record into the caller's encoder. Whoever has no
//! device of their own, a command line or a test, opens one with [`Headless`].
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
