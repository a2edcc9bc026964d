//! One dispatch that deforms every pose of a mesh.

use bytemuck::{Pod, Zeroable};

/// A mesh, its poses and the streams it is deformed into, ready to be recorded any number of times.
#[derive(Clone, Debug)]
pub struct DeformJob {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: u32,
    poses_per_thread: u32,
    capacity: usize,
}

/// The twin of `DeformJob` in job.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct JobNumbers {
    pub(super) vertices: u32,
    pub(super) plane: u32,
    pub(super) poses: u32,
    pub(super) poses_per_thread: u32,
    pub(super) pose_stride: u32,
    pub(super) matrices: u32,
    pub(super) dual_quats: u32,
    pub(super) stretches: u32,
    pub(super) morph_weights: u32,
    pub(super) moments_stride: u32,
    pub(super) joints: u32,
    pub(super) muscles: u32,
    pub(super) muscle_lists: u32,
    pub(super) contact_bones: u32,
    /// Uniforms come in multiples of 16 bytes.
    pub(super) unused: [u32; 2],
}

impl DeformJob {
    pub(super) fn new(
        pipeline: wgpu::ComputePipeline,
        bind_group: wgpu::BindGroup,
        groups: u32,
        poses_per_thread: u32,
        capacity: usize,
    ) -> Self {
        Self { pipeline, bind_group, groups, poses_per_thread, capacity }
    }

    /// Records the deformation of the first `poses` poses as a pass of its own.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, poses: usize) {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("sinew deform"), timestamp_writes: None };
        self.dispatch(&mut encoder.begin_compute_pass(&descriptor), poses);
    }

    /// Records the deformation of the first `poses` poses into the caller's pass: one dispatch.
    ///
    /// Poses are moved in groups; those that fill up the last group are deformed too, and hold what they were last set to.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, poses: usize) {
        let poses = u32::try_from(poses.min(self.capacity)).unwrap_or(u32::MAX);
        if poses == 0 || self.groups == 0 {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.groups, poses.div_ceil(self.poses_per_thread), 1);
    }

    /// Runs once for nothing, so that the driver has the kernel ready before the first frame.
    pub fn warm_up(&self, device: &wgpu::Device, queue: &wgpu::Queue) {
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("warm up") });
        self.record(&mut encoder, 1);
        queue.submit([encoder.finish()]);
    }
}
