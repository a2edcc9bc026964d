//! GPU timings: timestamps around passes, and kernels that copy and fill as the memory limit.

use crate::{GpuError, Headless, error::check_size};

/// Measures compute passes with the GPU's own clock.
#[derive(Debug)]
#[cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "reading it blocks on the GPU, which a web page must not")
)]
pub struct Stopwatch {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    ns_a_tick: f64,
}

impl Stopwatch {
    /// Creates a stopwatch on `gpu`.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the device has no timestamp queries.
    pub fn new(gpu: &Headless) -> Result<Self, GpuError> {
        let device = &gpu.device;
        if !device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return Err(GpuError::Unsupported { what: "timestamp queries" });
        }
        let buffer = |usage| {
            let descriptor = wgpu::BufferDescriptor {
                label: Some("stopwatch"),
                size: 16,
                usage,
                mapped_at_creation: false,
            };
            device.create_buffer(&descriptor)
        };
        Ok(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stopwatch"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
            ns_a_tick: f64::from(gpu.queue.get_timestamp_period()),
        })
    }

    /// The GPU time in nanoseconds of one compute pass that `fill` records.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] if the device is lost.
    #[cfg(not(target_family = "wasm"))]
    pub fn time(
        &self,
        gpu: &Headless,
        fill: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) -> Result<f64, GpuError> {
        let writes = wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let descriptor =
            wgpu::ComputePassDescriptor { label: Some("measured"), timestamp_writes: Some(writes) };
        fill(&mut encoder.begin_compute_pass(&descriptor));
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, 16);
        gpu.queue.submit([encoder.finish()]);
        let lost = |reason: String| GpuError::DeviceLost { reason };
        let (sender, answer) = std::sync::mpsc::channel();
        self.readable.map_async(wgpu::MapMode::Read, .., move |a| drop(sender.send(a)));
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(e.to_string()))?;
        match answer.try_recv() {
            Ok(answer) => answer.map_err(|e| lost(e.to_string()))?,
            Err(e) => return Err(lost(e.to_string())),
        }
        let ticks = {
            let view = self.readable.get_mapped_range(..).map_err(|e| lost(e.to_string()))?;
            let [begin, end]: [u64; 2] = bytemuck::pod_read_unaligned(&view[..16]);
            end.saturating_sub(begin)
        };
        self.readable.unmap();
        Ok(ticks as f64 * self.ns_a_tick)
    }
}

/// A kernel that copies one buffer to another at the speed of the GPU's memory.
#[derive(Debug)]
pub struct CopyKernel(MemoryKernel);

/// A kernel that writes a buffer, sixteen bytes per thread, and reads nothing: what a kernel that writes as much can reach.
#[derive(Debug)]
pub struct FillKernel(MemoryKernel);

/// A kernel whose threads each move sixteen bytes of its buffers.
#[derive(Debug)]
struct MemoryKernel {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: u32,
}

const GROUP: u32 = 256;
const COPY: &str = include_str!("measure/copy.wgsl");
const FILL: &str = include_str!("measure/fill.wgsl");

impl CopyKernel {
    /// Creates a kernel that copies `bytes`, rounded down to whole threads.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the device has no buffers of that size.
    pub fn new(device: &wgpu::Device, bytes: u64) -> Result<Self, GpuError> {
        MemoryKernel::new(device, "copy", COPY, 2, bytes).map(Self)
    }

    /// Bytes read and written by one dispatch.
    pub fn bytes_moved(&self) -> u64 {
        2 * self.0.bytes()
    }

    /// Records one copy into a compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.0.dispatch(pass);
    }
}

impl FillKernel {
    /// Creates a kernel that writes `bytes`, rounded down to whole threads.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the device has no buffer of that size.
    pub fn new(device: &wgpu::Device, bytes: u64) -> Result<Self, GpuError> {
        MemoryKernel::new(device, "fill", FILL, 1, bytes).map(Self)
    }

    /// Bytes written by one dispatch.
    pub fn bytes_moved(&self) -> u64 {
        self.0.bytes()
    }

    /// Records one fill into a compute pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.0.dispatch(pass);
    }
}

impl MemoryKernel {
    /// The kernel of that name in `source`, with `buffers` of `bytes` each.
    fn new(
        device: &wgpu::Device,
        name: &'static str,
        source: &str,
        buffers: u32,
        bytes: u64,
    ) -> Result<Self, GpuError> {
        let size = (bytes / 16 * 16).max(16);
        check_size(device, name, size)?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(name),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = |_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(name),
                size,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        let buffers: Vec<wgpu::Buffer> = (0..buffers).map(buffer).collect();
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let groups = u32::try_from(size / 16).unwrap_or(u32::MAX).div_ceil(GROUP);
        Ok(Self { pipeline, bind_group, groups })
    }

    /// The bytes of one buffer that a dispatch moves.
    fn bytes(&self) -> u64 {
        u64::from(self.groups) * u64::from(GROUP) * 16
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        let wide = self.groups.min(32_768);
        pass.dispatch_workgroups(wide, self.groups.div_ceil(wide), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_kernels_pass_naga() {
        for source in [COPY, FILL] {
            let module = naga::front::wgsl::parse_str(source).unwrap();
            let (flags, capabilities) =
                (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
            assert!(naga::valid::Validator::new(flags, capabilities).validate(&module).is_ok());
        }
    }

    #[test]
    fn the_gpu_clock_advances_during_a_copy_and_a_fill() {
        let Some(gpu) = crate::test_device::open() else { return };
        let Ok(watch) = Stopwatch::new(&gpu) else { return };
        let copy = CopyKernel::new(&gpu.device, 8 << 20).unwrap();
        assert_eq!(copy.bytes_moved(), 16 << 20);
        let fill = FillKernel::new(&gpu.device, 8 << 20).unwrap();
        assert_eq!(fill.bytes_moved(), 8 << 20);
        let copied = watch.time(&gpu, |pass| copy.dispatch(pass)).unwrap();
        let filled = watch.time(&gpu, |pass| fill.dispatch(pass)).unwrap();
        for ns in [copied, filled] {
            assert!(ns > 0.0 && ns.is_finite(), "{ns}");
        }
        gpu.check().unwrap();
    }
}
