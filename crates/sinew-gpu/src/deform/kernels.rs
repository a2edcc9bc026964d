//! The compute pipelines of the deformation methods, built on first use and cached.

use super::{
    job::{DeformJob, JobNumbers},
    layout::MeshLayout,
    mesh::SkinnedMesh,
    method::GpuMethod,
    normals::NormalKey,
    output::Deformed,
    poses::{PoseBatch, PoseLayout},
    shader::{self, KernelKey},
};
use crate::GpuError;
use sinew::{DeformError, Method};
use std::collections::HashMap;
use wgpu::util::DeviceExt;

/// How work is divided. The defaults are the fastest on the GPUs that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The number of threads in a workgroup, 1 or more.
    pub workgroup: u32,
    /// Vertices that a thread processes at once.
    pub vertices_per_thread: u32,
    /// The maximum number of poses that a thread deforms its vertices by.
    pub max_poses_per_thread: u32,
    /// The maximum size in bytes of a palette in workgroup memory; larger palettes are read from their buffer.
    pub max_palette_bytes: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { workgroup: 128, vertices_per_thread: 4, max_poses_per_thread: 4, max_palette_bytes: 16 << 10 }
    }
}

/// Threads that keep a large GPU busy; below that, a thread processes fewer poses.
const BUSY_THREADS: u64 = 1 << 18;

/// The compute pipelines of one device.
///
/// A pipeline is built when the first job needs it and kept; [`DeformJob::warm_up`] makes the driver finish it.
#[derive(Debug)]
pub struct Kernels {
    tuning: Tuning,
    bind_layout: wgpu::BindGroupLayout,
    pipeline_layout: wgpu::PipelineLayout,
    pipelines: HashMap<KernelKey, wgpu::ComputePipeline>,
    pub(super) normal_pipelines: HashMap<NormalKey, wgpu::ComputePipeline>,
    /// Bound where a mesh lacks a stream.
    nothing: wgpu::Buffer,
}

/// Which of the streams, bound after the job's numbers, are only read.
const READ_ONLY: [bool; 8] = [true, true, true, true, false, false, false, true];

impl Kernels {
    /// Kernels for `device`.
    ///
    /// # Errors
    /// If the device has no compute shaders or too few storage buffers: the [vertex path](super::vertex_path) serves
    /// there.
    pub fn new(device: &wgpu::Device) -> Result<Self, GpuError> {
        Self::with_tuning(device, Tuning::default())
    }

    /// [`Kernels::new`] with another way to cut up work.
    ///
    /// # Errors
    /// As [`Kernels::new`], and where the device does not take groups of that size.
    pub fn with_tuning(device: &wgpu::Device, tuning: Tuning) -> Result<Self, GpuError> {
        let limits = device.limits();
        let workgroup = tuning.workgroup;
        if limits.max_compute_workgroups_per_dimension == 0 {
            return Err(GpuError::Unsupported { what: "compute shaders" });
        }
        if limits.max_storage_buffers_per_shader_stage < READ_ONLY.len() as u32 {
            return Err(GpuError::Unsupported { what: "eight storage buffers a shader" });
        }
        let max_threads =
            limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        if workgroup == 0 || workgroup > max_threads {
            return Err(GpuError::Unsupported { what: "workgroups of that size" });
        }
        let bind_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("sinew deform"),
            entries: &layout_entries(),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("sinew deform"),
            bind_group_layouts: &[Some(&bind_layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let nothing = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("sinew nothing"),
            size: 16,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        Ok(Self {
            tuning,
            bind_layout,
            pipeline_layout,
            pipelines: HashMap::new(),
            normal_pipelines: HashMap::new(),
            nothing,
        })
    }

    /// Ties `mesh` and `poses` to the streams they are deformed into by `method`.
    ///
    /// # Errors
    /// If the method has no kernel or needs data that the mesh or the poses lack, or if they do not match.
    pub fn job(
        &mut self,
        device: &wgpu::Device,
        method: Method,
        mesh: &SkinnedMesh,
        poses: &PoseBatch,
        out: &Deformed,
    ) -> Result<DeformJob, GpuError> {
        let method = check(method, mesh, poses, out)?;
        let tuning = self.tuning;
        let capacity = poses.capacity().min(out.capacity());
        let threads = u64::from(mesh.vertices) * capacity as u64;
        let max_poses = (capacity as u64).clamp(1, u64::from(tuning.max_poses_per_thread.max(1)));
        let poses_per_thread = (threads / BUSY_THREADS).clamp(1, max_poses) as u32;
        let key = KernelKey {
            method,
            layout: mesh.layout,
            morph_stride: mesh.morph_stride(),
            workgroup: tuning.workgroup,
            vertices_per_thread: tuning.vertices_per_thread.max(1),
            several_poses: poses_per_thread > 1,
            palette: self.shared_palette(device, &method, poses.layout.joints),
        };
        let pipeline = self.pipeline(device, &key).clone();
        let numbers = numbers(mesh, &poses.layout, capacity, poses_per_thread);
        let uniform = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("sinew job"),
            contents: bytemuck::bytes_of(&numbers),
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let moments = mesh.moments.as_ref().filter(|_| method.has_moments);
        let lists = moments.map(|moments| &moments.buffer).or(mesh.lists.as_ref());
        let or_nothing = |buffer: Option<&wgpu::Buffer>| buffer.unwrap_or(&self.nothing).clone();
        // A buffer may be bound for writing once only, so the two that can be missing need one each.
        let spare = || device.create_buffer(&spare_descriptor());
        let buffers = [
            uniform,
            mesh.planes.clone(),
            or_nothing(lists),
            poses.buffer.clone(),
            or_nothing(mesh.shapes.as_ref()),
            out.positions.clone(),
            out.normals.clone().unwrap_or_else(spare),
            out.tangents.clone().unwrap_or_else(spare),
            or_nothing(mesh.quads.as_ref()),
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sinew job"),
            layout: &self.bind_layout,
            entries: &entries,
        });
        let groups = mesh.vertices.div_ceil(key.workgroup.saturating_mul(key.vertices_per_thread));
        let max_groups = device.limits().max_compute_workgroups_per_dimension;
        let pose_groups = (capacity as u64).div_ceil(u64::from(poses_per_thread));
        if groups > max_groups || pose_groups > u64::from(max_groups) {
            return Err(GpuError::Unsupported { what: "dispatches of that size" });
        }
        Ok(DeformJob::new(pipeline, bind_group, groups, poses_per_thread, capacity))
    }

    /// The joint capacity of the palette in workgroup memory; zero if the joints do not fit.
    fn shared_palette(&self, device: &wgpu::Device, method: &GpuMethod, joints: usize) -> u32 {
        let max_bytes = self.tuning.max_palette_bytes.min(device.limits().max_compute_workgroup_storage_size);
        // Kernels are compiled for a joint capacity; rounding it up lets characters share a kernel.
        let places = joints.next_multiple_of(16) as u64;
        match places * 16 * u64::from(method.joint_rows) <= u64::from(max_bytes) {
            true => places as u32,
            false => 0,
        }
    }

    fn pipeline(&mut self, device: &wgpu::Device, key: &KernelKey) -> &wgpu::ComputePipeline {
        let layout = &self.pipeline_layout;
        self.pipelines.entry(*key).or_insert_with(|| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(key.method.method.name()),
                source: wgpu::ShaderSource::Wgsl(shader::source(key).into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(key.method.method.name()),
                layout: Some(layout),
                module: &module,
                entry_point: Some("deform"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // A place is written before it is read.
                    zero_initialize_workgroup_memory: false,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })
    }
}

fn spare_descriptor() -> wgpu::BufferDescriptor<'static> {
    wgpu::BufferDescriptor {
        label: Some("sinew spare"),
        size: 16,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    }
}

fn layout_entries() -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let streams = (1..).zip(READ_ONLY);
    let streams = streams.map(|(at, read_only)| entry(at, wgpu::BufferBindingType::Storage { read_only }));
    [entry(0, wgpu::BufferBindingType::Uniform)].into_iter().chain(streams).collect()
}

fn check(
    method: Method,
    mesh: &SkinnedMesh,
    poses: &PoseBatch,
    out: &Deformed,
) -> Result<GpuMethod, GpuError> {
    let on_gpu = GpuMethod::of(method).ok_or(GpuError::MethodNotOnGpu { method })?;
    // Second moments are not uploaded.
    if on_gpu.has_moments && !mesh.layout.mush_pivots {
        return Err(GpuError::MethodNotOnGpu { method });
    }
    if method == Method::DualQuat && mesh.has_blend_map {
        return Err(GpuError::MethodNotOnGpu { method });
    }
    let lacks_centers = on_gpu.has_centers && !on_gpu.has_moments && !mesh.layout.centers;
    if lacks_centers || on_gpu.has_contacts && !mesh.layout.contacts {
        let what = method.needs_precomputed().unwrap_or_default();
        return Err(DeformError::MissingPrecomputed { method, what }.into());
    }
    if method.needs_dual_quats() && !poses.layout.dual_quats {
        return Err(DeformError::MissingDualQuats { method }.into());
    }
    let (needed, matrices) = (mesh.slots_for(&on_gpu), poses.layout.joints);
    if needed > matrices {
        return Err(DeformError::PaletteTooSmall { needed, matrices }.into());
    }
    let same = |stream, count: usize, wanted: usize| {
        if count == wanted { Ok(()) } else { Err(DeformError::WrongCount { stream, count, wanted }) }
    };
    same("morph weights", poses.layout.morph_targets, mesh.morph_targets)?;
    same("muscles", poses.layout.muscles.count, mesh.muscles.count)?;
    same("slots before the first muscle", poses.layout.muscles.first, mesh.muscles.first)?;
    same("output positions", out.vertices as usize, mesh.vertices as usize)?;
    let words = |layout: &MeshLayout| {
        let normals = layout.position_words() + layout.normal_words();
        (normals as usize, layout.tangent_words() as usize)
    };
    let ((normals, tangents), (normals_out, tangents_out)) = (words(&mesh.layout), words(&out.layout));
    same("output normals", normals_out, normals)?;
    same("output tangents", tangents_out, tangents)?;
    Ok(on_gpu)
}

fn numbers(mesh: &SkinnedMesh, layout: &PoseLayout, capacity: usize, poses_per_thread: u32) -> JobNumbers {
    // Buffers of at most four gigabytes hold fewer rows than a u32 counts.
    let rows = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    JobNumbers {
        vertices: mesh.vertices,
        plane: mesh.plane,
        poses: rows(capacity),
        poses_per_thread,
        pose_stride: rows(layout.stride()),
        matrices: rows(PoseLayout::MATRICES),
        dual_quats: rows(layout.dual_quats_at()),
        stretches: rows(layout.stretches_at()),
        morph_weights: rows(layout.morph_weights_at()),
        moments_stride: mesh.moments.as_ref().map_or(0, |m| m.stride),
        joints: rows(layout.joints),
        muscles: rows(layout.muscles_at()),
        muscle_lists: mesh.muscle_lists,
        contact_bones: mesh.contact_bones,
        unused: [0; 2],
    }
}
