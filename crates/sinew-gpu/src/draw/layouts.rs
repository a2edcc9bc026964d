//! Bind group layouts of the shaders.

/// Bind group layouts, named by their content.
#[derive(Debug)]
pub(super) struct Layouts {
    /// Camera and lights, without shadow map.
    pub(super) view: wgpu::BindGroupLayout,
    /// Camera, lights, color scales and the shadow map.
    pub(super) frame: wgpu::BindGroupLayout,
    /// One block of a uniform buffer.
    pub(super) block: wgpu::BindGroupLayout,
    /// A texture and its sampler.
    pub(super) picture: wgpu::BindGroupLayout,
    /// A texture that is read texel by texel.
    pub(super) texels: wgpu::BindGroupLayout,
    /// A backdrop and the shadow on the ground.
    pub(super) backdrop: wgpu::BindGroupLayout,
    /// Storage buffers of a crowd; `None` if the device has no storage buffers.
    pub(super) crowd: Option<wgpu::BindGroupLayout>,
}

const STAGES: wgpu::ShaderStages = wgpu::ShaderStages::VERTEX_FRAGMENT;

fn uniform(binding: u32, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Uniform;
    buffer(binding, STAGES, ty, has_dynamic_offset)
}

fn buffer(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BufferBindingType,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn texture(binding: u32, filterable: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    }
}

fn sampler(binding: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        count: None,
    }
}

fn layout(device: &wgpu::Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("sinew draw"), entries })
}

/// Layout of a texture and its sampler.
pub(super) fn picture_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    layout(device, &[texture(0, true), sampler(1)])
}

impl Layouts {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let storage = wgpu::BufferBindingType::Storage { read_only: true };
        let stage = wgpu::ShaderStages::VERTEX;
        let has_storage = device.limits().max_storage_buffers_per_shader_stage >= 3;
        let crowd = has_storage.then(|| {
            let streams = [1, 2, 3].map(|binding| buffer(binding, stage, storage, false));
            layout(device, &[uniform(0, false), streams[0], streams[1], streams[2]])
        });
        Self {
            view: layout(device, &[uniform(0, false)]),
            frame: layout(device, &[uniform(0, false), texture(1, false), texture(2, false)]),
            block: layout(device, &[uniform(0, true)]),
            picture: picture_layout(device),
            texels: layout(device, &[texture(0, false)]),
            backdrop: layout(device, &[uniform(0, false), texture(1, false)]),
            crowd,
        }
    }
}
