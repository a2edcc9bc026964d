//! Render pipelines, created on first use and cached.

use std::collections::HashMap;

use super::RendererOptions;
use super::layouts::Layouts;
use super::shader::Shader;
use super::target::DEPTH;

/// The kind of triangles of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DrawShape {
    Mesh { front_only: bool },
    Lines,
    Crowd { folded: bool, has_normals: bool },
}

/// A pass over the triangles of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PipelineStage {
    /// Colors and depths of the nearest surface.
    Opaque,
    /// Only depths, without colors.
    Depth,
    /// Depths of a transparent layer, with a mark where it lies in front of all opaque ones.
    Cover,
    /// Marks samples where an x-ray layer is not hidden.
    Mark,
    /// Colors of the surface whose depth was drawn, once per sample, at marked samples.
    Visible,
    /// The same at unmarked samples.
    Hidden,
}

/// Stencil bit of samples where a transparent or x-ray layer lies in front of all opaque ones.
const MARKED: u32 = 0x01;
/// Stencil bit of painted samples: of several surfaces at one depth only the first is visible.
const PAINTED: u32 = 0x80;

impl PipelineStage {
    /// The stencil reference value of the pass.
    pub(super) fn reference(self) -> u32 {
        match self {
            Self::Cover | Self::Mark | Self::Visible => MARKED,
            Self::Opaque | Self::Depth | Self::Hidden => 0,
        }
    }

    fn depth_stencil(self) -> wgpu::DepthStencilState {
        let (write, compare) = match self {
            Self::Opaque | Self::Depth | Self::Cover => (true, wgpu::CompareFunction::Greater),
            Self::Mark => (false, wgpu::CompareFunction::Greater),
            Self::Visible | Self::Hidden => (false, wgpu::CompareFunction::Equal),
        };
        let (compare_mark, operation, read_mask, write_mask) = match self {
            Self::Opaque | Self::Depth => (wgpu::CompareFunction::Always, wgpu::StencilOperation::Keep, 0, 0),
            Self::Cover | Self::Mark => {
                (wgpu::CompareFunction::Always, wgpu::StencilOperation::Replace, MARKED, MARKED)
            }
            Self::Visible | Self::Hidden => {
                (wgpu::CompareFunction::Equal, wgpu::StencilOperation::Invert, MARKED | PAINTED, PAINTED)
            }
        };
        let face = wgpu::StencilFaceState {
            compare: compare_mark,
            fail_op: wgpu::StencilOperation::Keep,
            depth_fail_op: wgpu::StencilOperation::Keep,
            pass_op: operation,
        };
        wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState { front: face, back: face, read_mask, write_mask },
            bias: wgpu::DepthBiasState::default(),
        }
    }

    fn paints(self) -> bool {
        match self {
            Self::Opaque | Self::Visible | Self::Hidden => true,
            Self::Depth | Self::Cover | Self::Mark => false,
        }
    }
}

/// Identifies a cached pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PipelineKey {
    Layer(DrawShape, PipelineStage),
    Backdrop,
    ShadowMap,
    CastShadow,
    Blur,
    Pick,
}

/// Creates pipelines and caches them.
#[derive(Debug)]
pub(super) struct Pipelines {
    options: RendererOptions,
    pub(super) layouts: Layouts,
    modules: HashMap<Shader, wgpu::ShaderModule>,
    made: HashMap<PipelineKey, wgpu::RenderPipeline>,
}

/// A vertex shader's entry point and the buffers it reads.
struct VertexEntry<'a> {
    entry_point: &'static str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
}

/// The settings in which pipelines differ.
struct PipelinePlan<'a> {
    shader: Shader,
    groups: Vec<Option<&'a wgpu::BindGroupLayout>>,
    vertex: VertexEntry<'a>,
    fragment: Option<&'static str>,
    constants: &'a [(&'a str, f64)],
    target: Option<wgpu::ColorTargetState>,
    cull: Option<wgpu::Face>,
    depth: Option<wgpu::DepthStencilState>,
    samples: u32,
}

const fn floats3(shader_location: u32) -> [wgpu::VertexAttribute; 1] {
    [wgpu::VertexAttribute { format: wgpu::VertexFormat::Float32x3, offset: 0, shader_location }]
}

const fn stream(attributes: &[wgpu::VertexAttribute; 1]) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: 12, step_mode: wgpu::VertexStepMode::Vertex, attributes })
}

const STREAMS: [[wgpu::VertexAttribute; 1]; 4] = [floats3(0), floats3(1), floats3(2), floats3(3)];

const LINE: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x3, 3 => Float32x3];

/// Depth state that keeps the largest depth, without stencil.
pub(super) fn plain_depth(format: wgpu::TextureFormat) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Greater),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

/// Texture format of the ground's shadow masks.
pub(super) const MASK: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Texture format of the shadow map.
pub(super) const SHADOW: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Texture formats of picked indices and their depths.
pub(super) const PICKED: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, options: RendererOptions) -> Self {
        Self { options, layouts: Layouts::new(device), modules: HashMap::new(), made: HashMap::new() }
    }

    /// Creates a pipeline unless it is cached.
    pub(super) fn make(&mut self, device: &wgpu::Device, key: PipelineKey) {
        if self.made.contains_key(&key) {
            return;
        }
        let shader = shader_of(key);
        let module = self.modules.entry(shader).or_insert_with(|| shader.module(device));
        let pipeline = match key {
            PipelineKey::Layer(shape, step) => {
                layer_pipeline(device, &self.layouts, module, self.options, shape, step)
            }
            _ => other_pipeline(device, &self.layouts, module, self.options, key),
        };
        self.made.insert(key, pipeline);
    }

    pub(super) fn get(&self, key: PipelineKey) -> Option<&wgpu::RenderPipeline> {
        self.made.get(&key)
    }
}

fn shader_of(key: PipelineKey) -> Shader {
    match key {
        PipelineKey::Layer(DrawShape::Mesh { .. }, _) => Shader::Mesh,
        PipelineKey::Layer(DrawShape::Lines, _) => Shader::Lines,
        PipelineKey::Layer(DrawShape::Crowd { .. }, _) => Shader::Crowd,
        PipelineKey::Backdrop => Shader::Backdrop,
        PipelineKey::ShadowMap => Shader::ShadowMap,
        PipelineKey::CastShadow | PipelineKey::Blur => Shader::GroundShadow,
        PipelineKey::Pick => Shader::Pick,
    }
}

fn layer_pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    module: &wgpu::ShaderModule,
    options: RendererOptions,
    shape: DrawShape,
    step: PipelineStage,
) -> wgpu::RenderPipeline {
    let streams = [0, 1, 2, 3].map(|number: usize| stream(&STREAMS[number]));
    let crowd_streams = [stream(&STREAMS[0]), stream(&STREAMS[1])];
    let lines = [Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<super::layer_buffers::LineVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &LINE,
    })];
    let mut groups = vec![Some(&layouts.frame), Some(&layouts.block), Some(&layouts.picture)];
    let hidden = ("HIDDEN", f64::from(u8::from(step == PipelineStage::Hidden)));
    let mut constants = vec![hidden];
    let (entry_point, buffers, fragment): (_, &[_], _) = match shape {
        DrawShape::Mesh { .. } => ("vs_mesh", &streams, if step.paints() { "fs_color" } else { "fs_depth" }),
        DrawShape::Lines => {
            groups.truncate(2);
            ("vs_line", &lines, if step.paints() { "fs_line" } else { "fs_line_depth" })
        }
        DrawShape::Crowd { folded, has_normals } => {
            groups.push(layouts.crowd.as_ref());
            constants.push(("FOLDED", f64::from(u8::from(folded))));
            constants.push(("HAS_NORMALS", f64::from(u8::from(has_normals))));
            ("vs_crowd", &crowd_streams, if step.paints() { "fs_color" } else { "fs_depth" })
        }
    };
    let target = wgpu::ColorTargetState {
        format: options.format,
        blend: (step != PipelineStage::Opaque).then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: if step.paints() { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::empty() },
    };
    let front_only = matches!(shape, DrawShape::Mesh { front_only: true });
    build(
        device,
        module,
        PipelinePlan {
            shader: shader_of(PipelineKey::Layer(shape, step)),
            groups,
            vertex: VertexEntry { entry_point, buffers },
            fragment: Some(fragment),
            constants: &constants,
            target: Some(target),
            cull: front_only.then_some(wgpu::Face::Back),
            depth: Some(step.depth_stencil()),
            samples: options.samples,
        },
    )
}

fn other_pipeline(
    device: &wgpu::Device,
    layouts: &Layouts,
    module: &wgpu::ShaderModule,
    options: RendererOptions,
    key: PipelineKey,
) -> wgpu::RenderPipeline {
    let positions = [stream(&STREAMS[0])];
    let opaque = |format| wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL };
    let mut plan = PipelinePlan {
        shader: shader_of(key),
        groups: vec![Some(&layouts.view)],
        vertex: VertexEntry { entry_point: "vs_shadow_map", buffers: &positions },
        fragment: None,
        constants: &[],
        target: None,
        cull: None,
        depth: None,
        samples: 1,
    };
    match key {
        PipelineKey::Layer(..) | PipelineKey::ShadowMap => plan.depth = Some(plain_depth(SHADOW)),
        PipelineKey::Backdrop => {
            plan.groups = vec![Some(&layouts.backdrop)];
            plan.vertex = VertexEntry { entry_point: "vs_backdrop", buffers: &[] };
            plan.fragment = Some("fs_backdrop");
            plan.target = Some(opaque(options.format));
            plan.depth = Some(wgpu::DepthStencilState {
                depth_write_enabled: Some(false),
                depth_compare: Some(wgpu::CompareFunction::Always),
                ..plain_depth(DEPTH)
            });
            plan.samples = options.samples;
        }
        PipelineKey::CastShadow => {
            plan.groups = vec![Some(&layouts.block)];
            (plan.vertex.entry_point, plan.fragment) = ("vs_cast", Some("fs_cast"));
            let max = wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::One,
                dst_factor: wgpu::BlendFactor::One,
                operation: wgpu::BlendOperation::Max,
            };
            let blend = Some(wgpu::BlendState { color: max, alpha: max });
            plan.target = Some(wgpu::ColorTargetState { blend, ..opaque(MASK) });
        }
        PipelineKey::Blur => {
            plan.groups = vec![Some(&layouts.block), Some(&layouts.texels)];
            plan.vertex = VertexEntry { entry_point: "vs_blur", buffers: &[] };
            plan.fragment = Some("fs_blur");
            plan.target = Some(opaque(MASK));
        }
        PipelineKey::Pick => {
            plan.groups = vec![Some(&layouts.view), Some(&layouts.block)];
            (plan.vertex.entry_point, plan.fragment) = ("vs_pick", Some("fs_pick"));
            plan.target = Some(opaque(PICKED));
            plan.depth = Some(plain_depth(SHADOW));
        }
    }
    build(device, module, plan)
}

fn build(device: &wgpu::Device, module: &wgpu::ShaderModule, plan: PipelinePlan<'_>) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("sinew draw"),
        bind_group_layouts: &plan.groups,
        immediate_size: 0,
    });
    let label = format!("{:?} {}", plan.shader, plan.fragment.unwrap_or("depth"));
    // Constants belong to the fragment stage, except those of a crowd, which belong to the vertex stage.
    let (of_vertex, of_fragment): (Vec<_>, Vec<_>) =
        plan.constants.iter().copied().partition(|constant| constant.0 != "HIDDEN");
    let compile = |constants| wgpu::PipelineCompilationOptions { constants, ..Default::default() };
    let targets = [plan.target];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(&label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(plan.vertex.entry_point),
            compilation_options: compile(&of_vertex),
            buffers: plan.vertex.buffers,
        },
        primitive: wgpu::PrimitiveState { cull_mode: plan.cull, ..wgpu::PrimitiveState::default() },
        depth_stencil: plan.depth,
        multisample: wgpu::MultisampleState { count: plan.samples, ..wgpu::MultisampleState::default() },
        fragment: plan.fragment.map(|entry_point| wgpu::FragmentState {
            module,
            entry_point: Some(entry_point),
            compilation_options: compile(&of_fragment),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}
