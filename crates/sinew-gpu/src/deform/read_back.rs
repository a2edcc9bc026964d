//! Reading deformed streams back from the GPU.

use super::{
    fold::{unfold, unfold_tangent},
    output::Deformed,
};
use crate::{GpuError, error::check_size};
use sinew::{
    Streams,
    glam::{Vec3, Vec4},
};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Deformed streams, fetched without holding up the frame: record a copy, submit, and ask now and then.
#[derive(Debug)]
pub struct VertexReadBack {
    buffers: Vec<wgpu::Buffer>,
    words: Vec<u64>,
    compact: bool,
    /// The streams after the positions: normals of their own or not, tangents or not.
    normals: bool,
    quads: bool,
    vertices: u64,
    state: ReadBackState,
}

#[derive(Debug)]
enum ReadBackState {
    Idle,
    /// So many poses were recorded.
    Recorded(usize),
    /// So many streams of so many poses are on their way.
    Mapping {
        poses: usize,
        pending: usize,
        answers: Receiver<Result<(), wgpu::BufferAsyncError>>,
    },
}

impl VertexReadBack {
    /// Room for everything in `deformed`.
    ///
    /// # Errors
    /// If it does not fit into the device's buffers.
    pub fn new(device: &wgpu::Device, deformed: &Deformed) -> Result<Self, GpuError> {
        let mut buffers = Vec::new();
        for (stream, _) in deformed.streams() {
            check_size(device, "read-back", stream.size())?;
            buffers.push(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("sinew read-back"),
                size: stream.size(),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            }));
        }
        Ok(Self {
            buffers,
            words: deformed.streams().map(|(_, words)| words).collect(),
            compact: deformed.is_compact(),
            normals: deformed.normals().is_some(),
            quads: deformed.layout.quads(),
            vertices: u64::from(deformed.vertices()),
            state: ReadBackState::Idle,
        })
    }

    /// Records the copy of the first `poses` poses of the streams it was made for. What was on its way before is
    /// dropped.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, deformed: &Deformed, poses: usize) {
        self.stop();
        let poses = poses.min(deformed.capacity());
        for ((stream, words), to) in deformed.streams().zip(&self.buffers) {
            let bytes = (4 * words * self.vertices * poses as u64).min(to.size());
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(stream, 0, to, 0, bytes);
            }
        }
        self.state = ReadBackState::Recorded(poses);
    }

    /// The streams, pose after pose, once they have arrived; `None` before, and where nothing was recorded.
    ///
    /// Call it after the submission, as often as is convenient; it never waits.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] where they cannot arrive any more.
    pub fn poll(&mut self, device: &wgpu::Device) -> Result<Option<Streams>, GpuError> {
        self.request();
        self.ask(device, wgpu::PollType::Poll)
    }

    /// The streams, pose after pose, as soon as they arrive; empty if nothing was recorded.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] where they cannot arrive any more.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(&mut self, device: &wgpu::Device) -> Result<Streams, GpuError> {
        self.request();
        let answer = self.ask(device, wgpu::PollType::wait_indefinitely())?;
        Ok(answer.unwrap_or_default())
    }

    /// Begins to map what was recorded.
    fn request(&mut self) {
        if let ReadBackState::Recorded(poses) = self.state {
            let (sender, answers) = channel();
            for buffer in &self.buffers {
                let sender = sender.clone();
                // A later recording drops the receiver, so a failed send is expected.
                buffer.map_async(wgpu::MapMode::Read, .., move |answer| drop(sender.send(answer)));
            }
            self.state = ReadBackState::Mapping { poses, pending: self.buffers.len(), answers };
        }
    }

    fn ask(&mut self, device: &wgpu::Device, how: wgpu::PollType) -> Result<Option<Streams>, GpuError> {
        let lost = |reason: String| GpuError::DeviceLost { reason };
        let ReadBackState::Mapping { poses, pending, answers } = &mut self.state else { return Ok(None) };
        let polled = device.poll(how).map_err(|e| lost(e.to_string()));
        let mut fault = polled.err();
        loop {
            match answers.try_recv() {
                Ok(Ok(())) => *pending -= 1,
                Ok(Err(e)) => fault = fault.or_else(|| Some(lost(e.to_string()))),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    if *pending > 0 {
                        fault = fault.or_else(|| Some(lost("the driver never answered".to_owned())));
                    }
                    break;
                }
            }
        }
        if let Some(fault) = fault {
            self.stop();
            return Err(fault);
        }
        if *pending > 0 {
            return Ok(None);
        }
        let poses = *poses;
        let streams = self.decode(poses);
        self.stop();
        streams.map(Some)
    }

    fn stop(&mut self) {
        if let ReadBackState::Mapping { .. } = self.state {
            self.buffers.iter().for_each(wgpu::Buffer::unmap);
        }
        self.state = ReadBackState::Idle;
    }

    fn decode(&self, poses: usize) -> Result<Streams, GpuError> {
        let mut out = Streams::default();
        for (at, (buffer, words)) in self.buffers.iter().zip(&self.words).enumerate() {
            let view =
                buffer.get_mapped_range(..).map_err(|e| GpuError::DeviceLost { reason: e.to_string() })?;
            let count = (self.vertices * words) as usize * poses;
            let all: &[u32] = bytemuck::cast_slice(&view);
            let data = &all[..count.min(all.len())];
            match (at, self.normals) {
                (0, _) if self.quads => {
                    let quads = data.as_chunks::<4>().0;
                    let position = |q: &[u32; 4]| Vec3::from_array([q[0], q[1], q[2]].map(f32::from_bits));
                    out.positions = quads.iter().map(position).collect();
                    out.normals = quads.iter().map(|q| unfold(q[3])).collect();
                }
                (0, _) => out.positions = threes(data),
                (1, true) => out.normals = threes(data),
                _ => out.tangents = self.tangents(data),
            }
        }
        Ok(out)
    }

    fn tangents(&self, data: &[u32]) -> Vec<Vec4> {
        if self.compact {
            return data
                .iter()
                .map(|w| unfold_tangent(*w))
                .map(|(direction, w)| direction.extend(w))
                .collect();
        }
        data.as_chunks::<4>().0.iter().map(|n| Vec4::from_array(n.map(f32::from_bits))).collect()
    }
}

fn threes(data: &[u32]) -> Vec<Vec3> {
    data.as_chunks::<3>().0.iter().map(|n| Vec3::from_array(n.map(f32::from_bits))).collect()
}
