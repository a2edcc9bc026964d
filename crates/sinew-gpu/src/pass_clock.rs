//! GPU timings of a running program's passes, read a frame or two later without blocking.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use crate::GpuError;

/// Measures one compute pass at a time with the GPU's own clock.
#[derive(Debug)]
pub struct PassClock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    ns_a_tick: f64,
    state: ClockState,
}

#[derive(Debug)]
enum ClockState {
    Idle,
    /// The copy was recorded; its commands may not have been submitted.
    Recorded,
    /// Waits for the bytes; the value is [`WAITS`], [`READY`] or [`FAILED`].
    Mapping(Arc<AtomicU8>),
}

const WAITS: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

impl PassClock {
    /// Creates a clock on `device`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the device has no timestamp queries.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self, GpuError> {
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Err(GpuError::Unsupported { what: "timestamp queries" });
        }
        let buffer = |usage| {
            let label = Some("sinew pass clock");
            device.create_buffer(&wgpu::BufferDescriptor {
                label,
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Ok(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("sinew pass clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
            ns_a_tick: f64::from(queue.get_timestamp_period()),
            state: ClockState::Idle,
        })
    }

    /// Records a compute pass; it is measured unless an earlier measurement is still pending.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        fill: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) {
        let is_free = matches!(self.state, ClockState::Idle);
        let timestamp_writes = is_free.then_some(wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: Some("sinew deform"), timestamp_writes };
        fill(&mut encoder.begin_compute_pass(&descriptor));
        if is_free {
            encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, 16);
            self.state = ClockState::Recorded;
        }
    }

    /// The time of a pass in nanoseconds, once it is known. Call it once per frame, after the last frame's commands were submitted.
    pub fn poll(&mut self, device: &wgpu::Device) -> Option<f64> {
        match &self.state {
            ClockState::Idle => None,
            ClockState::Recorded => {
                let answer = Arc::new(AtomicU8::new(WAITS));
                let told = Arc::clone(&answer);
                self.readable.map_async(wgpu::MapMode::Read, .., move |result| {
                    told.store(if result.is_ok() { READY } else { FAILED }, Ordering::Release);
                });
                self.state = ClockState::Mapping(answer);
                None
            }
            ClockState::Mapping(answer) => {
                // A lost device never answers; there is no measurement then.
                let _ = device.poll(wgpu::PollType::Poll);
                match answer.load(Ordering::Acquire) {
                    READY => self.read(),
                    FAILED => {
                        self.state = ClockState::Idle;
                        None
                    }
                    _ => None,
                }
            }
        }
    }

    fn read(&mut self) -> Option<f64> {
        let ticks = self.readable.get_mapped_range(..).ok().map(|view| {
            let [begin, end]: [u64; 2] = bytemuck::pod_read_unaligned(&view[..16]);
            end.saturating_sub(begin)
        });
        self.readable.unmap();
        self.state = ClockState::Idle;
        ticks.map(|ticks| ticks as f64 * self.ns_a_tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_device;

    #[test]
    fn a_pass_is_measured_some_polls_later() {
        let Some(gpu) = test_device::open() else { return };
        let Ok(mut clock) = PassClock::new(&gpu.device, &gpu.queue) else { return };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        clock.record(&mut encoder, |_| {});
        gpu.queue.submit([encoder.finish()]);
        assert_eq!(clock.poll(&gpu.device), None, "asked for, not there yet");
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let ns = clock.poll(&gpu.device).unwrap();
        assert!((0.0..1e9).contains(&ns), "{ns}");
        assert_eq!(clock.poll(&gpu.device), None, "read once");
    }
}
