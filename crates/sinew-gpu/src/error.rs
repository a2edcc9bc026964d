//! What can go wrong on a card.

use sinew::{DeformError, Method};
use thiserror::Error;

/// Why the card did not do what was asked.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GpuError {
    /// More bytes in one buffer than the device allows.
    #[error("{what} takes {bytes} bytes, the device allows {limit} in one buffer")]
    TooLarge {
        /// What the buffer would hold.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The device's limit.
        limit: u64,
    },
    /// More pixels along a side than the device's textures may have.
    #[error("{what} is {side} pixels long, the device allows {limit}")]
    TooWide {
        /// Which side.
        what: &'static str,
        /// Its length.
        side: u32,
        /// The device's limit.
        limit: u32,
    },
    /// A buffer that holds less than is read from it.
    #[error("the buffer of {what} has {bytes} bytes where {wanted} are read")]
    TooSmall {
        /// What it holds.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The size it needs.
        wanted: u64,
    },
    /// More lights than the shaders go through.
    #[error("the scene has {got} lights, {limit} can be drawn")]
    TooManyLights {
        /// Lights of the scene.
        got: usize,
        /// Most that can be drawn.
        limit: usize,
    },
    /// The device lacks something that the call needs.
    #[error("the device has no {what}")]
    Unsupported {
        /// What it lacks.
        what: &'static str,
    },
    /// A method that has no kernel: it smooths over neighbours, or fits a rotation that single precision cannot hold.
    #[error("{method} does not run on the card{}", hint(*method))]
    MethodNotOnCard {
        /// The method.
        method: Method,
    },
    /// Streams, palettes and data made beforehand do not fit each other.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// More poses than there is room for.
    #[error("pose {pose} is beyond the {capacity} that there is room for")]
    PoseOutOfRange {
        /// Which pose.
        pose: usize,
        /// For how many there is room.
        capacity: usize,
    },
    /// Muscle joints displace this mesh by weights of their own, which only the processor does.
    #[error("the mesh has muscle weights that do not sum to one; they are applied on the processor only")]
    FreeWeights,
    /// The device was lost: unplugged, reset by its driver or destroyed. Everything made with it is gone.
    #[error("the graphics device was lost: {reason}")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },
}

fn hint(method: Method) -> &'static str {
    match method {
        Method::Ddm => " with second moments; make it with first moments or pivots only",
        Method::Rigid
        | Method::Linear
        | Method::Slerp
        | Method::DualQuat
        | Method::Cor
        | Method::DeltaMush => "",
    }
}

/// Refuses a buffer that the device would refuse, before the device is asked.
pub(crate) fn check_size(device: &wgpu::Device, what: &'static str, bytes: u64) -> Result<(), GpuError> {
    let limits = device.limits();
    let limit = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
    if bytes > limit { Err(GpuError::TooLarge { what, bytes, limit }) } else { Ok(()) }
}
