//! Uniform blocks of one kind in one buffer, addressed by dynamic offset.

use bytemuck::Pod;

use super::stream::{Gpu, GrowBuffer};
use crate::GpuError;

/// Blocks of a uniform buffer that are uploaded together.
#[derive(Debug)]
pub(super) struct CompactBlocks {
    buffer: GrowBuffer,
    bytes: Vec<u8>,
    stride: usize,
    size: usize,
    group: Option<wgpu::BindGroup>,
}

impl CompactBlocks {
    /// A buffer with blocks of `size` bytes.
    pub(super) fn new(device: &wgpu::Device, label: &'static str, size: usize) -> Self {
        let step = (device.limits().min_uniform_buffer_offset_alignment as usize).max(16);
        Self {
            buffer: GrowBuffer::new(label, wgpu::BufferUsages::UNIFORM),
            bytes: Vec::new(),
            stride: size.next_multiple_of(step),
            size,
            group: None,
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds a block and returns its offset in bytes.
    pub(super) fn push<T: Pod>(&mut self, block: &T) -> u32 {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::bytes_of(block));
        self.bytes.resize(offset + self.stride, 0);
        u32::try_from(offset).unwrap_or(0)
    }

    /// Uploads all blocks to the GPU.
    pub(super) fn write(&mut self, gpu: Gpu<'_>, layout: &wgpu::BindGroupLayout) -> Result<(), GpuError> {
        let is_new = self.buffer.write(gpu, &self.bytes)?;
        if (is_new || self.group.is_none())
            && let Some(buffer) = self.buffer.get().filter(|buffer| buffer.size() >= self.size as u64)
        {
            self.group = Some(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sinew blocks"),
                layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: wgpu::BufferSize::new(self.size as u64),
                    }),
                }],
            }));
        }
        Ok(())
    }

    pub(super) fn group(&self) -> Option<&wgpu::BindGroup> {
        self.group.as_ref()
    }
}
