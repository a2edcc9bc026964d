//! The color ramps as a texture.

use super::stream::Gpu;
use super::uniforms::RAMPS;

/// Creates the texture of all color ramps, one per row.
pub(super) fn ramp_texture(gpu: Gpu<'_>) -> wgpu::TextureView {
    const CELLS: u32 = 512;
    let texels: Vec<[f32; 4]> = RAMPS
        .iter()
        .flat_map(|ramp| (0..CELLS).map(|cell| ramp.color(cell as f32 / (CELLS - 1) as f32)))
        .map(|color| [color.r, color.g, color.b, 1.0])
        .collect();
    let size = wgpu::Extent3d { width: CELLS, height: 3, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("sinew color ramps"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let rows =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(CELLS * 16), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(&texels), rows, size);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
