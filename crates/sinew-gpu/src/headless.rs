//! A device without a window.

use crate::GpuError;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// A device and its queue, opened without a window or a surface.
///
/// Errors and the loss of the device are kept and reported by [`Headless::check`]; none of them panics.
#[derive(Debug)]
pub struct Headless {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// What the adapter is called, and by which driver it runs.
    pub info: wgpu::AdapterInfo,
    complaint: Arc<Mutex<Option<String>>>,
}

/// Why no device was opened.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DeviceError {
    /// The machine has no driver that wgpu can use.
    #[error(
        "no graphics adapter was found ({reason}); on Debian `apt-get install mesa-vulkan-drivers` gives one in software"
    )]
    NoAdapter {
        /// What wgpu said.
        reason: String,
    },
    /// The adapter is there but gives no device.
    #[error("{adapter} gives no device: {reason}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// What wgpu said.
        reason: String,
    },
}

impl Headless {
    /// Opens the fastest adapter there is, a software one where there is no other, with all of its limits.
    ///
    /// The variable `WGPU_BACKEND` chooses among drivers, as wgpu's own tools have it.
    ///
    /// # Errors
    /// Where there is no adapter or it gives no device.
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

    /// [`Headless::open`] for callers that do not wait otherwise.
    ///
    /// # Errors
    /// As [`Headless::open`].
    #[cfg(not(target_family = "wasm"))]
    pub fn open_blocking() -> Result<Self, DeviceError> {
        pollster::block_on(Self::open())
    }

    /// `Ok` while the device is there and has refused nothing.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] with the first complaint of the device.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.complaint.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(GpuError::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

/// Keeps the first thing that goes wrong; without a listener wgpu would panic.
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
