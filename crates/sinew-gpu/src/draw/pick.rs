//! Picks triangles under the pointer or in a rectangle by drawing indices instead of colors.

use std::sync::Arc;

use sinew_view::camera::Camera;
use sinew_view::glam::{Vec2, Vec3, Vec4};
use sinew_view::layer::{Depth, MeshLayer, SceneLayer};
use sinew_view::pick::Hit;
use sinew_view::scene::Scene;

use super::pipelines::{PICKED, PipelineKey, SHADOW};
use super::read_back::PictureReadBack;
use super::renderer::{Renderer, uniform_buffer};
use super::scene_extent;
use super::stream::{Gpu, Stream, StreamOrder, StreamSource};
use super::uniform_blocks::CompactBlocks;
use super::uniforms::FrameUniform;
use super::view_uniform::ViewUniform;
use crate::GpuError;

/// A rectangle of pixels, from the upper left corner of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickRegion {
    /// First column of pixels.
    pub x: u32,
    /// First row of pixels.
    pub y: u32,
    /// Width in pixels; zero means one.
    pub width: u32,
    /// Height in pixels; zero means one.
    pub height: u32,
}

impl PickRegion {
    /// A region of one pixel.
    pub const fn pixel(x: u32, y: u32) -> Self {
        Self { x, y, width: 1, height: 1 }
    }
}

/// Resources that are reused between picks.
#[derive(Debug)]
pub(super) struct Picker {
    uniform: wgpu::Buffer,
    group: Option<wgpu::BindGroup>,
    layers: CompactBlocks,
    positions: Vec<Stream>,
    target: Option<PickCells>,
    scratch: Vec<Vec3>,
}

/// The render targets of a pick.
#[derive(Debug)]
struct PickCells {
    width: u32,
    height: u32,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Picker {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        Self {
            uniform: uniform_buffer(device, "sinew pick", size_of::<FrameUniform>()),
            group: None,
            layers: CompactBlocks::new(device, "sinew picked layers", size_of::<[u32; 4]>()),
            positions: Vec::new(),
            target: None,
            scratch: Vec::new(),
        }
    }
}

impl PickCells {
    fn new(device: &wgpu::Device, width: u32, height: u32) -> Result<Self, GpuError> {
        let limit = device.limits().max_texture_dimension_2d;
        if width.max(height) > limit {
            let side = width.max(height);
            return Err(GpuError::TooWide { what: "the picked region's longer side", side, limit });
        }
        let texture = |format, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("sinew pick"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            })
        };
        let plain = wgpu::TextureViewDescriptor::default();
        let numbers = texture(PICKED, wgpu::TextureUsages::COPY_SRC);
        let depth = texture(SHADOW, wgpu::TextureUsages::empty()).create_view(&plain);
        Ok(Self { width, height, view: numbers.create_view(&plain), texture: numbers, depth })
    }
}

impl Renderer {
    /// Draws the indices of all pickable triangles in a region of a picture of `size`, and starts reading them back.
    ///
    /// As in [`sinew_view::pick::pick`], x-ray layers take precedence, and sides, holes and opacity do not
    /// matter. Work is submitted to the queue; the prepared picture is not affected.
    ///
    /// # Errors
    /// [`GpuError::TooWide`] for regions and [`GpuError::TooLarge`] for meshes that the device cannot hold.
    pub fn pick(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene,
        size: (u32, u32),
        region: PickRegion,
    ) -> Result<PickRead, GpuError> {
        let gpu = Gpu { device, queue };
        let region = PickRegion { width: region.width.max(1), height: region.height.max(1), ..region };
        let size = Vec2::new(size.0.max(1) as f32, size.1.max(1) as f32);
        let view = ViewUniform::new(&scene.camera, size, scene_extent::distances(scene, &[]));
        let mut frame = FrameUniform::new(&view, &scene.lights)?;
        frame.region = window(region, size);
        queue.write_buffer(&self.picker.uniform, 0, bytemuck::bytes_of(&frame));
        self.pipelines.make(device, PipelineKey::Pick);
        let offsets = self.upload_picked(gpu, scene)?;
        let size_of = |cells: &PickCells| (cells.width, cells.height);
        if self.picker.target.as_ref().map(size_of) != Some((region.width, region.height)) {
            self.picker.target = Some(PickCells::new(device, region.width, region.height)?);
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for is_xray in [false, true] {
            self.draw_picked(&mut encoder, scene, &offsets, is_xray);
        }
        let stride = (region.width * 16).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = PictureReadBack::buffer(device, u64::from(stride) * u64::from(region.height))?;
        if let Some(cells) = &self.picker.target {
            let rows =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: None };
            let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout: rows };
            encoder.copy_texture_to_buffer(cells.texture.as_image_copy(), to, cells.texture.size());
        }
        queue.submit([encoder.finish()]);
        let picked = Picked { region, size, view, camera: scene.camera, cells: Vec::new() };
        Ok(PickRead { back: PictureReadBack::new(buffer), stride: stride as usize, picked: Some(picked) })
    }

    /// Uploads unshared triangle corners and the indices of layers.
    fn upload_picked(&mut self, gpu: Gpu<'_>, scene: &Scene) -> Result<Vec<u32>, GpuError> {
        let layouts = &self.pipelines.layouts;
        let picker = &mut self.picker;
        picker.layers.clear();
        picker.positions.truncate(scene.layers.len());
        picker.positions.resize_with(scene.layers.len(), || Stream::new("sinew picked positions"));
        let mut offsets = Vec::with_capacity(scene.layers.len());
        for (number, layer) in scene.layers.iter().enumerate() {
            offsets.push(picker.layers.push(&[u32::try_from(number + 1).unwrap_or(0), 0, 0, 0]));
            let (source, order) = match pickable(layer) {
                Some(mesh) => (
                    StreamSource::Vectors(Arc::clone(mesh.geometry().positions())),
                    StreamOrder::Split(Arc::clone(mesh.geometry().triangles())),
                ),
                None => (StreamSource::Nothing, StreamOrder::Shared),
            };
            picker.positions[number].follow(gpu, source, &order, &mut picker.scratch)?;
        }
        if offsets.is_empty() {
            picker.layers.push(&[0u32; 4]);
        }
        picker.layers.write(gpu, &layouts.block)?;
        picker.group.get_or_insert_with(|| {
            let entries = [wgpu::BindGroupEntry { binding: 0, resource: picker.uniform.as_entire_binding() }];
            let label = Some("sinew pick");
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label,
                layout: &layouts.view,
                entries: &entries,
            })
        });
        Ok(offsets)
    }

    fn draw_picked(&self, encoder: &mut wgpu::CommandEncoder, scene: &Scene, offsets: &[u32], is_xray: bool) {
        let picker = &self.picker;
        let (Some(cells), Some(pipeline)) = (&picker.target, self.pipelines.get(PipelineKey::Pick)) else {
            return;
        };
        let load = if is_xray { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT) };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("sinew pick"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &cells.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &cells.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        let (Some(group), Some(layers)) = (&picker.group, picker.layers.group()) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        for (number, layer) in scene.layers.iter().enumerate() {
            let Some(mesh) = pickable(layer) else { continue };
            if matches!(mesh.depth, Depth::XRay { .. }) == is_xray
                && let Some(positions) = picker.positions[number].get()
            {
                let corners = u32::try_from(mesh.geometry().triangles().len() * 3).unwrap_or(0);
                pass.set_bind_group(1, layers, &[offsets[number]]);
                pass.set_vertex_buffer(0, positions.slice(..));
                pass.draw(0..corners, 0..1);
            }
        }
    }
}

fn pickable(layer: &SceneLayer) -> Option<&MeshLayer> {
    layer.as_mesh().filter(|mesh| mesh.pickable && !mesh.geometry().triangles().is_empty())
}

/// Scale and offset that map a region of the picture to the whole target.
fn window(region: PickRegion, size: Vec2) -> Vec4 {
    let extent = Vec2::new(region.width as f32, region.height as f32);
    let middle = (Vec2::new(region.x as f32, region.y as f32) + extent * 0.5) / size;
    let scale = size / extent;
    let place = Vec2::new(middle.x * 2.0 - 1.0, 1.0 - middle.y * 2.0);
    scale.extend(0.0).extend(0.0) + Vec4::new(0.0, 0.0, -place.x * scale.x, -place.y * scale.y)
}

/// A pick that is being read back.
#[derive(Debug)]
#[must_use]
pub struct PickRead {
    back: PictureReadBack,
    stride: usize,
    picked: Option<Picked>,
}

impl PickRead {
    /// Blocks until the result has arrived.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] if the device is lost.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(mut self, device: &wgpu::Device) -> Result<Picked, GpuError> {
        let bytes = self.back.wait(device)?;
        self.finish(&bytes)
    }

    /// The result, once the GPU has sent it. On native devices the caller must poll the device meanwhile.
    ///
    /// # Errors
    /// [`GpuError::DeviceLost`] if the device is lost.
    pub async fn picked_async(mut self) -> Result<Picked, GpuError> {
        let bytes = (&mut self.back).await?;
        self.finish(&bytes)
    }

    /// The result if it has arrived, for callers that check once per frame. It is returned once.
    pub fn try_take(&mut self) -> Option<Result<Picked, GpuError>> {
        let bytes = self.back.take()?;
        Some(bytes.and_then(|bytes| self.finish(&bytes)))
    }

    fn finish(&mut self, bytes: &[u8]) -> Result<Picked, GpuError> {
        let gone = || GpuError::DeviceLost { reason: "the answer was taken before".to_owned() };
        let mut picked = self.picked.take().ok_or_else(gone)?;
        let row_bytes = picked.region.width as usize * 16;
        for row in bytes.chunks_exact(self.stride.max(1)) {
            picked
                .cells
                .extend(row[..row_bytes].chunks_exact(16).map(bytemuck::pod_read_unaligned::<[u32; 4]>));
        }
        Ok(picked)
    }
}

/// The visible triangles in a region.
#[derive(Clone, Debug)]
pub struct Picked {
    region: PickRegion,
    size: Vec2,
    view: ViewUniform,
    camera: Camera,
    /// Layer index plus one, triangle index, depth bits and an unused word per pixel.
    cells: Vec<[u32; 4]>,
}

impl Picked {
    /// Layer and triangle at a pixel of the picture, or `None` at empty pixels and outside the region.
    pub fn face_at(&self, x: u32, y: u32) -> Option<(usize, usize)> {
        let [layer, face, ..] = self.cell(i64::from(x), i64::from(y))?;
        Some((layer as usize - 1, face as usize))
    }

    fn cell(&self, x: i64, y: i64) -> Option<[u32; 4]> {
        let (column, row) = (x - i64::from(self.region.x), y - i64::from(self.region.y));
        let inside = (0..i64::from(self.region.width)).contains(&column) && row >= 0;
        let place = usize::try_from(row * i64::from(self.region.width) + column).ok()?;
        self.cells.get(place).copied().filter(|cell| inside && cell[0] > 0)
    }

    /// The hit at the center of a pixel, as [`sinew_view::pick::pick`] returns it; `scene` is the one that was
    /// picked in.
    pub fn hit(&self, scene: &Scene, x: u32, y: u32) -> Option<Hit> {
        let (layer, face) = self.face_at(x, y)?;
        let Some(SceneLayer::Mesh(mesh)) = scene.layers.get(layer) else { return None };
        let positions = mesh.geometry().positions();
        let corners = mesh.geometry().triangles().get(face)?.map(|vertex| positions[vertex as usize]);
        let middle = (Vec2::new(x as f32, y as f32) + 0.5) / self.size;
        let place = Vec2::new(middle.x * 2.0 - 1.0, 1.0 - middle.y * 2.0);
        let ray = self.camera.ray(place, self.size.x / self.size.y);
        let (ab, ac) = (corners[1] - corners[0], corners[2] - corners[0]);
        let cross = ray.direction.cross(ac);
        let determinant = ab.dot(cross);
        let from_a = ray.origin - corners[0];
        let other = from_a.cross(ab);
        let (second, third) = (from_a.dot(cross) / determinant, ray.direction.dot(other) / determinant);
        // The GPU's coordinates are coarser than the ray: a hit may lie slightly outside.
        let weights = Vec3::new(1.0 - second - third, second, third).max(Vec3::ZERO);
        let weights = weights / weights.element_sum();
        let distance = ac.dot(other) / determinant;
        let position = ray.origin + ray.direction * distance;
        (weights.is_finite() && distance.is_finite()).then(|| Hit {
            layer,
            face,
            id: mesh.face_id(face),
            distance,
            position,
            weights,
        })
    }

    /// The visible vertices of a layer inside the region, in ascending order.
    pub fn vertices(&self, scene: &Scene, layer: usize) -> Vec<u32> {
        let Some(SceneLayer::Mesh(mesh)) = scene.layers.get(layer) else { return Vec::new() };
        let triangles = mesh.geometry().triangles();
        let positions = mesh.geometry().positions();
        let is_seen = |vertex: u32, position: Vec3| {
            let clip = self.view.clip_from_world * position.extend(1.0);
            let pixel = self.view.pixel(clip);
            let low = Vec2::new(self.region.x as f32, self.region.y as f32);
            let high = low + Vec2::new(self.region.width as f32, self.region.height as f32);
            if clip.w <= 0.0 || !(pixel.cmpge(low).all() && pixel.cmplt(high).all()) {
                return false;
            }
            let (column, row, depth) = (pixel.x as i64, pixel.y as i64, clip.z / clip.w);
            (0..9).any(|step| {
                let cell = self.cell(column + step % 3 - 1, row + step / 3 - 1);
                cell.filter(|cell| cell[0] as usize == layer + 1).is_some_and(|cell| {
                    // Triangles smaller than a pixel may be missing: then the depth decides.
                    triangles.get(cell[1] as usize).is_some_and(|face| face.contains(&vertex))
                        || depth >= f32::from_bits(cell[2]) * (1.0 - 5e-4)
                })
            })
        };
        (0u32..)
            .zip(positions.iter())
            .filter(|&(vertex, &position)| is_seen(vertex, position))
            .map(|one| one.0)
            .collect()
    }
}

/// The vertex of a hit's triangle that is nearest to the hit.
pub fn nearest_vertex(scene: &Scene, hit: &Hit) -> Option<u32> {
    let Some(SceneLayer::Mesh(mesh)) = scene.layers.get(hit.layer) else { return None };
    let corners = mesh.geometry().triangles().get(hit.face)?;
    let positions = mesh.geometry().positions();
    let distance = |vertex: &u32| positions[*vertex as usize].distance_squared(hit.position);
    corners.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}
