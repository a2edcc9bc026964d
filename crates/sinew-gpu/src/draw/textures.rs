//! Textures on the GPU.

use std::collections::HashMap;
use std::sync::Arc;

use sinew_view::color::{linear_from_srgb8, srgb8_from_linear};
use sinew_view::glam::Vec2;
use sinew_view::paint::TexturePaint;
use sinew_view::texture::{DecodedTexture, SamplerWrap, TextureSampler};

use super::stream::Gpu;

/// Cache of the textures that the last frame used.
#[derive(Debug)]
pub(super) struct GpuTextures {
    held: HashMap<TextureKey, HeldTexture>,
    plain: wgpu::BindGroup,
    frame: u64,
}

/// Address of the texture, and its sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TextureKey(usize, [u8; 3]);

#[derive(Debug)]
struct HeldTexture {
    /// Kept alive so that its address stays unique.
    texture: Arc<DecodedTexture>,
    view: wgpu::TextureView,
    group: wgpu::BindGroup,
    used: u64,
}

impl HeldTexture {
    /// Texels across and down of the largest level on the GPU.
    fn size(&self) -> Vec2 {
        let size = self.view.texture().size();
        Vec2::new(size.width as f32, size.height as f32)
    }
}

impl GpuTextures {
    pub(super) fn new(gpu: Gpu<'_>, layout: &wgpu::BindGroupLayout) -> Self {
        let white = upload(gpu, &[TextureMip { width: 1, height: 1, texels: vec![[255; 4]] }]);
        let plain = bind(gpu.device, layout, &white, TextureSampler::default());
        Self { held: HashMap::new(), plain, frame: 0 }
    }

    /// Uploads a paint's texture unless it is cached; returns its index and its size in texels.
    pub(super) fn follow(
        &mut self,
        gpu: Gpu<'_>,
        layout: &wgpu::BindGroupLayout,
        paint: &TexturePaint,
    ) -> (TextureKey, Vec2) {
        let key = key(paint);
        if let Some(held) = self.held.get_mut(&key) {
            held.used = self.frame;
            return (key, held.size());
        }
        // The same texture may be cached with another sampler.
        let known = self.held.values().find(|held| Arc::ptr_eq(&held.texture, &paint.texture));
        let view =
            known.map_or_else(|| upload(gpu, &levels(gpu.device, &paint.texture)), |held| held.view.clone());
        let group = bind(gpu.device, layout, &view, paint.sampler);
        let texture = Arc::clone(&paint.texture);
        let held = HeldTexture { texture, view, group, used: self.frame };
        let size = held.size();
        self.held.insert(key, held);
        (key, size)
    }

    /// Frees the textures that this frame did not use.
    pub(super) fn end_frame(&mut self) {
        let frame = self.frame;
        self.held.retain(|_, held| held.used == frame);
        self.frame += 1;
    }

    pub(super) fn get(&self, key: Option<TextureKey>) -> &wgpu::BindGroup {
        key.and_then(|key| self.held.get(&key)).map_or(&self.plain, |held| &held.group)
    }
}

fn key(paint: &TexturePaint) -> TextureKey {
    let wrap = |wrap: SamplerWrap| match wrap {
        SamplerWrap::Repeat => 0,
        SamplerWrap::Mirror => 1,
        SamplerWrap::Clamp => 2,
    };
    let TextureSampler { wrap_u, wrap_v, nearest } = paint.sampler;
    TextureKey(Arc::as_ptr(&paint.texture).addr(), [wrap(wrap_u), wrap(wrap_v), u8::from(nearest)])
}

/// A texture bound with its sampler.
pub(super) fn bind(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    view: &wgpu::TextureView,
    sampler: TextureSampler,
) -> wgpu::BindGroup {
    let mode = |wrap: SamplerWrap| match wrap {
        SamplerWrap::Repeat => wgpu::AddressMode::Repeat,
        SamplerWrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        SamplerWrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("sinew texture"),
        address_mode_u: mode(sampler.wrap_u),
        address_mode_v: mode(sampler.wrap_v),
        mag_filter: if sampler.nearest { wgpu::FilterMode::Nearest } else { wgpu::FilterMode::Linear },
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    });
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("sinew texture"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    })
}

/// A mip level: sRGB bytes of colors premultiplied by alpha in linear light, so that hidden
/// colors do not bleed when the GPU interpolates texels.
struct TextureMip {
    width: u32,
    height: u32,
    texels: Vec<[u8; 4]>,
}

/// All mip levels, from the largest that the device supports.
fn levels(device: &wgpu::Device, texture: &DecodedTexture) -> Vec<TextureMip> {
    let limit = device.limits().max_texture_dimension_2d;
    let texels = texture.texels().iter().copied().map(premultiplied).collect();
    let mut levels = vec![TextureMip { width: texture.width(), height: texture.height(), texels }];
    while let Some(smaller) = levels.last().and_then(TextureMip::half) {
        levels.push(smaller);
    }
    levels.retain(|level| level.width.max(level.height) <= limit);
    levels
}

fn premultiplied(texel: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = texel;
    if a == 255 {
        return texel;
    }
    let scaled = |byte: u8| srgb8_from_linear(linear_from_srgb8(byte) * f32::from(a) / 255.0);
    [scaled(r), scaled(g), scaled(b), a]
}

impl TextureMip {
    /// The next smaller level, or `None` below one texel.
    fn half(&self) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x * 2, y * 2)));
        let texels = places.map(|(x, y)| self.mean(x, y)).collect();
        Some(Self { width, height, texels })
    }

    /// The mean of four texels in linear light.
    fn mean(&self, x: u32, y: u32) -> [u8; 4] {
        let mut sum = [0.0f32; 3];
        let mut alpha = 0.0;
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (x, y) = ((x + dx).min(self.width - 1), (y + dy).min(self.height - 1));
            let texel = self.texels[y as usize * self.width as usize + x as usize];
            for (total, &byte) in sum.iter_mut().zip(&texel) {
                *total += linear_from_srgb8(byte) * 0.25;
            }
            alpha += f32::from(texel[3]) * 0.25;
        }
        let [r, g, b] = sum.map(srgb8_from_linear);
        [r, g, b, (alpha + 0.5) as u8]
    }
}

fn upload(gpu: Gpu<'_>, levels: &[TextureMip]) -> wgpu::TextureView {
    let size = |level: &TextureMip| wgpu::Extent3d {
        width: level.width,
        height: level.height,
        depth_or_array_layers: 1,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("sinew texture"),
        size: levels.first().map_or_else(wgpu::Extent3d::default, size),
        mip_level_count: u32::try_from(levels.len()).unwrap_or(1),
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (number, level) in (0..).zip(levels) {
        let place = wgpu::TexelCopyTextureInfo {
            texture: &texture,
            mip_level: number,
            origin: wgpu::Origin3d::ZERO,
            aspect: wgpu::TextureAspect::All,
        };
        let rows = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(level.width * 4),
            rows_per_image: None,
        };
        gpu.queue.write_texture(place, level.texels.as_flattened(), rows, size(level));
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
