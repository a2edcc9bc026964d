//! GPU devices without a window.

use crate::GpuError;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// A GPU device and its queue, opened without a window or a surface.
///
/// [`Headless::check`] reports device errors and the loss of the device; none of them panics.
#[derive(Debug)]
pub struct Headless {
    /// The opened GPU device.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
    /// Name, backend and driver of the adapter.
    pub info: wgpu::AdapterInfo,
    complaint: Arc<Mutex<Option<String>>>,
}

/// Why no GPU device could be opened.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no adapter that wgpu supports.
    #[error(
        "no graphics adapter was found ({reason}); on Debian `apt-get install mesa-vulkan-drivers` gives one in software"
    )]
    NoAdapter {
        /// Error message of wgpu.
        reason: String,
    },
    /// The adapter could not open a device.
    #[error("cannot open a device on {adapter}: {reason}")]
    NoDevice {
        /// Name of the adapter.
        adapter: String,
        /// Error message of wgpu.
        reason: String,
    },
}

impl Headless {
    /// Opens the fastest adapter, or a software renderer if there is no other, with all of its limits.
    ///
    /// The environment variable `WGPU_BACKEND` selects backends, as in wgpu's own tools.
    ///
    /// # Errors
    /// [`DeviceError`] if there is no adapter or it cannot open a device.
    pub async fn open() -> Result<Self, DeviceError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .map_err(|e| DeviceError::NoAdapter { reason: e.to_string() })?;
        let info = adapter.get_info();
        let wanted = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sinew headless"),
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|e| DeviceError::NoDevice { adapter: info.name.clone(), reason: e.to_string() })?;
        let complaint = listen(&device);
        Ok(Self { device, queue, info, complaint })
    }

    /// [`Headless::open`] for synchronous callers.
    ///
    /// # Errors
    /// As [`Headless::open`].
    #[cfg(not(target_family = "wasm"))]
    pub fn open_blocking() -> Result<Self, DeviceError> {
        pollster::block_on(Self::open())
    }

    /// `Ok` unless the device was lost or has reported an error.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] with the first error of the device.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.complaint.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(GpuError::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

/// Stores the first error of the device; without a handler wgpu would panic.
fn listen(device: &wgpu::Device) -> Arc<Mutex<Option<String>>> {
    let complaint = Arc::new(Mutex::new(None));
    let keep = |complaint: &Mutex<Option<String>>, text: String| {
        complaint.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    };
    let errors = Arc::clone(&complaint);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&errors, error.to_string())));
    let losses = Arc::clone(&complaint);
    device.set_device_lost_callback(move |reason, message| keep(&losses, format!("{reason:?}: {message}")));
    complaint
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destroyed_device_is_reported_and_does_not_panic() {
        let Some(gpu) = crate::test_device::open() else { return };
        assert_eq!(gpu.check(), Ok(()));
        gpu.device.destroy();
        let _ = gpu.device.poll(wgpu::PollType::wait_indefinitely());
        assert!(matches!(gpu.check(), Err(GpuError::DeviceLost { .. })));
    }
}
