//! Shadow map of the key light: depths of shadow casters from the light.

use sinew_view::glam::{Mat3, Vec3, Vec4};
use sinew_view::layer::SceneLayer;

use super::pipelines::SHADOW;
use super::scene_extent;
use super::uniforms::FrameUniform;

/// Texels along the longer side of the casters' bounds.
const SIDE: f32 = 768.0;
/// Border in texels, so that the filter finds light beyond the edge.
const BORDER: f32 = 4.0;
/// Side of the map's texture in texels.
const TEXELS: u32 = 780;

/// The depth texture of the light.
#[derive(Debug)]
pub(super) struct GpuShadowMap {
    pub(super) view: wgpu::TextureView,
    /// Texels that the last frame uses across and down, or `None` without a shadow.
    used: Option<[f32; 2]>,
}

impl GpuShadowMap {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("sinew shadow map"),
            size: wgpu::Extent3d { width: TEXELS, height: TEXELS, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: SHADOW,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        Self { view: texture.create_view(&wgpu::TextureViewDescriptor::default()), used: None }
    }

    /// Fits the map to all shadow casters; `strength` is the darkness of the shadow from 0 to 1.
    pub(super) fn fit(&mut self, frame: &mut FrameUniform, layers: &[SceneLayer], strength: f32) {
        self.used = None;
        let Some(key) = frame.key().filter(|_| strength > 0.0) else { return };
        let across = key.any_orthonormal_vector();
        let light_from_world = Mat3::from_cols(across, key.cross(across), key).transpose();
        let Some(span) = scene_extent::across_light(layers, light_from_world) else { return };
        let size = (span.high - span.low).truncate();
        let texels_per_meter = SIDE / size.max_element();
        let texels = ((size * texels_per_meter).ceil() + 2.0 * BORDER)
            .min(sinew_view::glam::Vec2::splat(TEXELS as f32));
        let corner = span.low.truncate() - BORDER / texels_per_meter;
        let rows = light_from_world.transpose();
        frame.light_from_world = [rows.x_axis, rows.y_axis, rows.z_axis].map(|row: Vec3| row.extend(0.0));
        frame.shadow = corner.extend(texels_per_meter).extend(0.0);
        let range = (span.high.z - span.low.z).max(1e-6);
        frame.shadow_size = Vec4::new(texels.x, texels.y, span.low.z, range);
        frame.bounce.w = strength.clamp(0.0, 1.0);
        self.used = Some([texels.x, texels.y]);
    }

    /// The pass that draws the casters, if there is a shadow.
    pub(super) fn begin<'a>(&self, encoder: &'a mut wgpu::CommandEncoder) -> Option<wgpu::RenderPass<'a>> {
        let [width, height] = self.used?;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("sinew shadow map"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
        Some(pass)
    }
}
