//! Errors of the GPU.

use crate::deform::rejection_hint;
use sinew::{DeformError, Method};
use thiserror::Error;

/// Why a GPU operation failed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GpuError {
    /// A buffer exceeds the device's limit.
    #[error("{what} must fit in one buffer of {limit} bytes, got {bytes}")]
    TooLarge {
        /// Content of the buffer.
        what: &'static str,
        /// Size of the buffer in bytes.
        bytes: u64,
        /// Largest value that the device supports.
        limit: u64,
    },
    /// A side exceeds the device's limit for textures.
    #[error("{what} must be at most {limit} pixels, got {side}")]
    TooWide {
        /// Name of the side.
        what: &'static str,
        /// Length of the side in pixels.
        side: u32,
        /// Largest value that the device supports.
        limit: u32,
    },
    /// A buffer is smaller than what is read from it.
    #[error("the buffer of {what} must have {wanted} bytes, got {bytes}")]
    TooSmall {
        /// Content of the buffer.
        what: &'static str,
        /// Size of the buffer in bytes.
        bytes: u64,
        /// Size that is needed in bytes.
        wanted: u64,
    },
    /// The scene has more lights than the shaders support.
    #[error("a scene must have at most {limit} lights, got {got}")]
    TooManyLights {
        /// Number of lights in the scene.
        got: usize,
        /// Largest supported number of lights.
        limit: usize,
    },
    /// The device lacks a required feature.
    #[error("the device has no {what}")]
    Unsupported {
        /// Name of the feature.
        what: &'static str,
    },
    /// The method has no GPU kernel: it smooths over neighbors, or fits a rotation that needs double precision.
    #[error("{method} does not run on the GPU{}", rejection_hint(*method))]
    MethodNotOnGpu {
        /// The requested deformation method.
        method: Method,
    },
    /// Streams, palettes and precomputed data do not fit each other.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The pose index exceeds the batch's capacity.
    #[error("the pose index must be below {capacity}, got {pose}")]
    PoseOutOfRange {
        /// Index of the pose.
        pose: usize,
        /// Number of poses in the batch.
        capacity: usize,
    },
    /// The device was lost: unplugged, reset by its driver or destroyed. All of its resources are gone.
    #[error("the GPU device was lost: {reason}")]
    DeviceLost {
        /// Message of the driver.
        reason: String,
    },
}

/// Rejects a buffer that exceeds the device's limit, before it is created.
pub(crate) fn check_size(device: &wgpu::Device, what: &'static str, bytes: u64) -> Result<(), GpuError> {
    let limits = device.limits();
    let limit = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    if bytes > limit { Err(GpuError::TooLarge { what, bytes, limit }) } else { Ok(()) }
}
