//! The ground: uniforms of the backdrop's shader, and the soft shadow on it.

use sinew_view::camera::Projection;
use sinew_view::glam::{Vec2, Vec3, Vec4};
use sinew_view::ground::GroundGrid;
use sinew_view::scene::Scene;

use super::layouts::Layouts;
use super::pipelines::MASK;
use super::scene_extent;
use super::stream::Gpu;
use super::uniform_blocks::CompactBlocks;
use super::uniforms::{BackdropUniform, MaskUniform, vec4};
use crate::GpuError;

/// Texels along the longer side of the shadow mask.
const SIDE: f32 = 320.0;
/// Side of the mask's texture in texels.
const TEXELS: u32 = 324;
/// Fraction of the subject's height and fraction of the softness of each mask.
const BANDS: [(f32, f32); 3] = [(0.07, 0.22), (0.30, 0.55), (1.0, 1.0)];

/// The masks of the shadow on the ground.
#[derive(Debug)]
pub(super) struct GroundUniform {
    /// The textures that are blurred back and forth; the last one read is the finished shadow.
    pub(super) masks: [wgpu::TextureView; 2],
    reads: [wgpu::BindGroup; 2],
    blocks: CompactBlocks,
    /// Offsets of the uniforms of the cast pass and the four blur passes, and the mask's size in texels.
    used: Option<([u32; 5], [f32; 2])>,
}

impl GroundUniform {
    pub(super) fn new(device: &wgpu::Device, layouts: &Layouts) -> Self {
        let masks = [(); 2].map(|()| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some("sinew ground shadow"),
                size: wgpu::Extent3d { width: TEXELS, height: TEXELS, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: MASK,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        });
        let reads = [0, 1].map(|number: usize| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sinew ground shadow"),
                layout: &layouts.texels,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&masks[number]),
                }],
            })
        });
        let blocks = CompactBlocks::new(device, "sinew ground shadow", size_of::<MaskUniform>());
        Self { masks, reads, blocks, used: None }
    }

    /// Adds the scene's ground to the backdrop; `key` is the direction towards the light.
    pub(super) fn fit(
        &mut self,
        gpu: Gpu<'_>,
        layouts: &Layouts,
        scene: &Scene,
        key: Option<Vec3>,
        backdrop: &mut BackdropUniform,
    ) -> Result<(), GpuError> {
        self.used = None;
        let Some(ground) = &scene.ground else { return Ok(()) };
        let camera = &scene.camera;
        // The ground is invisible from below.
        if !camera.eye.is_finite() || camera.eye.y <= ground.height {
            return Ok(());
        }
        add_rays(scene, backdrop);
        add_ground(ground, backdrop);
        if let Some(shadow) = ground.shadow
            && let Some(mask) = mask(scene, ground, shadow.softness, key.unwrap_or(Vec3::Y))
        {
            backdrop.shadow_color = vec4(shadow.color);
            backdrop.mask = mask.corner.truncate().extend(0.0);
            backdrop.mask_size = mask.size;
            self.blocks.clear();
            let steps = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0]];
            let offsets = steps.map(|step| self.blocks.push(&MaskUniform { step, ..mask }));
            self.blocks.write(gpu, &layouts.block)?;
            self.used = Some((offsets, [mask.size.x, mask.size.y]));
        }
        Ok(())
    }

    /// Draws the shadow: `cast` draws all casters into the prepared pass.
    pub(super) fn draw(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipelines: [&wgpu::RenderPipeline; 2],
        cast: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let (Some((offsets, size)), Some(blocks)) = (self.used, self.blocks.group()) else { return };
        let mut pass = begin(encoder, &self.masks[0], size);
        pass.set_pipeline(pipelines[0]);
        pass.set_bind_group(0, blocks, &[offsets[0]]);
        cast(&mut pass);
        drop(pass);
        for (number, &offset) in offsets[1..].iter().enumerate() {
            let mut pass = begin(encoder, &self.masks[1 - number % 2], size);
            pass.set_pipeline(pipelines[1]);
            pass.set_bind_group(0, blocks, &[offset]);
            pass.set_bind_group(1, &self.reads[number % 2], &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    size: [f32; 2],
) -> wgpu::RenderPass<'a> {
    let clear =
        wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("sinew ground shadow"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: clear,
        })],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_viewport(0.0, 0.0, size[0], size[1], 0.0, 1.0);
    pass
}

/// The rays through the picture's pixels.
fn add_rays(scene: &Scene, backdrop: &mut BackdropUniform) {
    let camera = &scene.camera;
    let size = Vec2::new(backdrop.size.x, backdrop.size.y);
    let forward = -camera.axes().z_axis;
    let is_parallel = matches!(camera.projection, Projection::Orthographic { .. });
    // Perspective: points on the plane one unit ahead of the eye; orthographic: ray origins.
    let place = |x: f32, y: f32| {
        let ray = camera.ray(Vec2::new(x, y), size.x / size.y);
        if is_parallel { ray.origin } else { ray.direction / ray.direction.dot(forward).max(1e-6) }
    };
    let corner = place(-1.0, 1.0);
    backdrop.ray = corner.extend(0.0);
    backdrop.right = ((place(1.0, 1.0) - corner) / size.x).extend(0.0);
    backdrop.down = ((place(-1.0, -1.0) - corner) / size.y).extend(0.0);
    backdrop.eye = camera.eye.extend(0.0);
    backdrop.ahead = forward.extend(0.0);
    backdrop.size.z = 1.0;
    backdrop.size.w = f32::from(u8::from(is_parallel));
}

fn add_ground(ground: &GroundGrid, backdrop: &mut BackdropUniform) {
    backdrop.ground = ground.center.extend(ground.radius).extend(ground.height);
    if let Some(grid) = ground.grid {
        backdrop.grid = Vec4::new(grid.spacing.max(1e-6), grid.subdivisions as f32, grid.width_px, 0.0);
        backdrop.grid_color = vec4(grid.color);
        backdrop.axis_x = vec4(grid.axis_x);
        backdrop.axis_z = vec4(grid.axis_z);
    }
}

/// Position and softness of the mask, or `None` if nothing casts a shadow.
fn mask(scene: &Scene, ground: &GroundGrid, softness: f32, light: Vec3) -> Option<MaskUniform> {
    // A low light would cast its shadow far outside the picture.
    let slope = Vec2::new(light.x, light.z) / light.y.max(0.75);
    let shadow = scene_extent::ground_shadow(&scene.layers, ground.height, slope);
    let softness = if softness.is_finite() { softness.max(0.0) } else { 0.0 };
    let reach = Vec2::splat(ground.radius.max(1e-3) * 2.0);
    let pad = Vec2::splat(softness * 2.5);
    let low = (shadow.low - pad).max(ground.center - reach);
    let size = (shadow.high + pad).min(ground.center + reach) - low;
    if !size.is_finite() || size.min_element() <= 0.0 {
        return None;
    }
    let texels_per_meter = SIDE / size.max_element();
    let texels = (size * texels_per_meter).ceil().max(Vec2::ONE) + 1.0;
    let radius = |fraction: f32| (softness * fraction * texels_per_meter).round().clamp(1.0, 60.0) as u32;
    Some(MaskUniform {
        corner: low.extend(texels_per_meter).extend(ground.height),
        size: texels.min(Vec2::splat(TEXELS as f32)).extend(slope.x).extend(slope.y),
        limits: Vec4::new(shadow.tallest * BANDS[0].0, shadow.tallest * BANDS[1].0, 0.0, 0.0),
        radii: [radius(BANDS[0].1), radius(BANDS[1].1), radius(BANDS[2].1), 0],
        step: [0; 4],
    })
}
