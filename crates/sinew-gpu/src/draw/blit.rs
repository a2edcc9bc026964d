//! Copies finished pictures onto other surfaces.

use super::layouts::picture_layout;
use super::shader::Shader;
use super::target::RenderTarget;
use super::textures;
use sinew_view::texture::{SamplerWrap, TextureSampler};

/// Draws a [`RenderTarget`]'s picture into another render pass, such as a window's.
#[derive(Debug)]
pub struct Blit {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
}

/// A target bound for a [`Blit`]; bind it again after the target is resized.
#[derive(Debug)]
pub struct BlitSource(wgpu::BindGroup);

impl Blit {
    /// A blit for passes with one color attachment of `format`, one sample and no depth. Formats without the sRGB
    /// curve get encoded colors, as window toolkits expect them.
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let layout = picture_layout(device);
        let module = Shader::Blit.module(device);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("sinew blit"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let is_linear = format.is_srgb() || matches!(format, wgpu::TextureFormat::Rgba16Float);
        let constants = [("ENCODE", f64::from(u8::from(!is_linear)))];
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("sinew blit"),
            layout: Some(&pipeline_layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_blit"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs_blit"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                targets: &[Some(wgpu::ColorTargetState {
                    format,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { layout, pipeline }
    }

    /// Binds the picture of a target.
    pub fn bind(&self, device: &wgpu::Device, target: &RenderTarget) -> BlitSource {
        let sampler =
            TextureSampler { wrap_u: SamplerWrap::Clamp, wrap_v: SamplerWrap::Clamp, nearest: false };
        BlitSource(textures::bind(device, &self.layout, target.view(), sampler))
    }

    /// Draws the picture over the pass's viewport.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, source: &BlitSource) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &source.0, &[]);
        pass.draw(0..3, 0..1);
    }
}
