//! Normals of the deformed surface, in a dispatch after the one that deforms.

use super::{Kernels, output::Deformed, poses::PoseBatch};
use crate::{GpuError, error::check_size};
use bytemuck::{Pod, Zeroable};
use sinew::{DeformError, Mesh};
use std::fmt::Write;
use wgpu::util::DeviceExt;

/// The dispatch that computes normals and tangents again from the deformed triangles around each vertex, as
/// [`sinew::NormalSource::Surface`] does on the CPU.
#[derive(Clone, Debug)]
pub struct SurfaceNormalJob {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: u32,
    capacity: usize,
}

/// The streams that a kernel of normals is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NormalKey {
    pub(super) tangents: bool,
    pub(super) compact: bool,
}

/// The twin of `NormalJob` in surface_normals.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct NormalNumbers {
    vertices: u32,
    pose_stride: u32,
    position_words: u32,
    unused: u32,
}

/// The number of threads in a workgroup.
const WORKGROUP: u32 = 64;
/// The number of words of the record of a vertex.
const RECORD: usize = 9;

impl SurfaceNormalJob {
    /// Records the normals of the first `poses` poses into the caller's pass, after the job that deforms them.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, poses: usize) {
        let poses = u32::try_from(poses.min(self.capacity)).unwrap_or(u32::MAX);
        if poses == 0 || self.groups == 0 {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.groups, poses, 1);
    }

    /// Records the normals of the first `poses` poses as a pass of its own.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, poses: usize) {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("sinew normals"), timestamp_writes: None };
        self.dispatch(&mut encoder.begin_compute_pass(&descriptor), poses);
    }
}

impl Kernels {
    /// The dispatch that gives the vertices in `out`, which are those of `mesh`, the normals and tangents of the surface.
    ///
    /// # Errors
    /// If `out` has no normals or is of another mesh, or the rings of the mesh do not fit into the device's buffers.
    pub fn surface_normals(
        &mut self,
        device: &wgpu::Device,
        mesh: &Mesh,
        poses: &PoseBatch,
        out: &Deformed,
    ) -> Result<SurfaceNormalJob, GpuError> {
        let (count, wanted) = (mesh.vertex_count(), out.vertices as usize);
        if count != wanted {
            return Err(DeformError::WrongCount { stream: "vertices of the mesh", count, wanted }.into());
        }
        if !out.layout.normals {
            return Err(DeformError::WrongCount { stream: "output normals", count: 0, wanted }.into());
        }
        let words = ring_words(mesh);
        check_size(device, "the rings of the mesh", 4 * words.len() as u64)?;
        let buffer = |label, usage, contents: &[u8]| {
            let descriptor = wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage };
            device.create_buffer_init(&descriptor)
        };
        let numbers = NormalNumbers {
            vertices: out.vertices,
            pose_stride: u32::try_from(poses.layout.stride()).unwrap_or(u32::MAX),
            position_words: out.layout.position_words(),
            unused: 0,
        };
        let uniform = buffer("sinew normals", wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(&numbers));
        let storage = wgpu::BufferUsages::STORAGE;
        let rings = buffer("sinew rings", storage, bytemuck::cast_slice(&words));
        let spare = || buffer("sinew spare", storage, &[0; 16]);
        let buffers = [
            uniform,
            rings,
            poses.buffer.clone(),
            out.positions.clone(),
            out.normals.clone().unwrap_or_else(spare),
            out.tangents.clone().unwrap_or_else(spare),
        ];
        let key = NormalKey { tangents: out.layout.tangents, compact: out.layout.compact };
        let pipeline = self.normal_pipelines.entry(key).or_insert_with(|| pipeline(device, key)).clone();
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sinew normals"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let (groups, capacity) = (out.vertices.div_ceil(WORKGROUP), poses.capacity().min(out.capacity()));
        let max_groups = device.limits().max_compute_workgroups_per_dimension;
        if groups > max_groups || capacity as u64 > u64::from(max_groups) {
            return Err(GpuError::Unsupported { what: "dispatches of that size" });
        }
        Ok(SurfaceNormalJob { pipeline, bind_group, groups, capacity })
    }
}

/// The record of every vertex, then the entries of all rings.
fn ring_words(mesh: &Mesh) -> Vec<u32> {
    let (rings, count) = (mesh.rings(), mesh.vertex_count());
    let after = (RECORD * count) as u32;
    let mut words = Vec::with_capacity(RECORD * count + rings.list().len() + 4);
    for (vertex, frame) in rings.frames().iter().enumerate() {
        let range = rings.range(vertex);
        words.extend([after + range.start as u32, after + range.end as u32]);
        words.extend(frame.normal.iter().chain(&frame.tangent).map(|number| number.to_bits()));
        words.push(frame.second);
    }
    words.extend(rings.list());
    // A buffer must not be empty.
    words.resize(words.len().max(4), 0);
    words
}

/// The WGSL text of a kernel of normals.
pub(super) fn source(key: NormalKey) -> String {
    let mut out = String::new();
    let switches = [
        ("TANGENTS", key.tangents),
        ("COMPACT", key.compact),
        // A compact mesh with normals has them between its positions.
        ("QUADS", key.compact),
        ("MORPHS", false),
    ];
    for (name, value) in switches {
        let _ = writeln!(out, "const {name}: bool = {value};");
    }
    out + include_str!("wgsl/directions.wgsl") + include_str!("wgsl/surface_normals.wgsl")
}

fn pipeline(device: &wgpu::Device, key: NormalKey) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("sinew normals"),
        source: wgpu::ShaderSource::Wgsl(source(key).into()),
    });
    let storage = |binding, read_only| entry(binding, wgpu::BufferBindingType::Storage { read_only });
    let bind_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("sinew normals"),
        entries: &[
            entry(0, wgpu::BufferBindingType::Uniform),
            storage(1, true),
            storage(2, true),
            storage(3, false),
            storage(4, false),
            storage(5, false),
        ],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("sinew normals"),
        bind_group_layouts: &[Some(&bind_layout)],
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("sinew normals"),
        layout: Some(&layout),
        module: &module,
        entry_point: Some("refit"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

fn entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
