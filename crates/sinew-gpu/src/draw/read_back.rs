//! Asynchronous read-back of bytes from the GPU.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::GpuError;

/// The state of a mapping request.
#[derive(Debug, Default)]
struct TargetState {
    answer: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

/// A buffer that the GPU writes and the CPU reads.
///
/// It is a future; on native devices the caller must poll the device meanwhile.
#[derive(Debug)]
pub(super) struct PictureReadBack {
    buffer: wgpu::Buffer,
    state: Arc<Mutex<TargetState>>,
}

impl PictureReadBack {
    /// Creates the buffer to copy into.
    pub(super) fn buffer(device: &wgpu::Device, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        let limit = device.limits().max_buffer_size;
        if bytes > limit {
            return Err(GpuError::TooLarge { what: "the picture", bytes, limit });
        }
        Ok(device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("sinew read-back"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        }))
    }

    /// Requests the mapping after the copy was submitted.
    pub(super) fn new(buffer: wgpu::Buffer) -> Self {
        let state = Arc::new(Mutex::new(TargetState::default()));
        let shared = Arc::clone(&state);
        buffer.map_async(wgpu::MapMode::Read, .., move |answer| {
            let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
            state.answer = Some(answer);
            if let Some(waker) = state.waker.take() {
                waker.wake();
            }
        });
        Self { buffer, state }
    }

    /// Blocks until the bytes have arrived.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn wait(&mut self, device: &wgpu::Device) -> Result<Vec<u8>, GpuError> {
        device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| GpuError::DeviceLost { reason: e.to_string() })?;
        self.take().unwrap_or_else(|| Err(GpuError::DeviceLost { reason: "it gave no answer".to_owned() }))
    }

    /// The bytes, once they have arrived.
    pub(super) fn take(&mut self) -> Option<Result<Vec<u8>, GpuError>> {
        let answer = self.state.lock().unwrap_or_else(PoisonError::into_inner).answer.take()?;
        Some(answer.map_err(|e| lost(&e)).and_then(|()| {
            let bytes = self.buffer.get_mapped_range(..).map_err(|e| lost(&e))?.to_vec();
            self.buffer.unmap();
            Ok(bytes)
        }))
    }
}

fn lost(error: &dyn std::fmt::Display) -> GpuError {
    GpuError::DeviceLost { reason: error.to_string() }
}

impl Future for PictureReadBack {
    type Output = Result<Vec<u8>, GpuError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.state.lock().unwrap_or_else(PoisonError::into_inner).waker = Some(context.waker().clone());
        this.take().map_or(Poll::Pending, Poll::Ready)
    }
}
