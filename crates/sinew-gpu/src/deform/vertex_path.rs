//! Linear blend skinning in the vertex shader, for devices without compute: WebGL2 and old GPUs.
//!
//! A vertex shader of the caller's joins [`source`] to its own text, takes the [attributes](SkinnedVertices::ATTRIBUTES)
//! of [`SkinnedVertices`] and calls `skin`; a [`PaletteTexture`] holds the poses. Nothing but vertex buffers and one
//! texture is needed. It supports neither morph targets nor muscles.

use crate::{GpuError, error::check_size};
use bytemuck::{Pod, Zeroable};
use sinew::{
    DeformError, Mesh, WeightSum,
    glam::{Affine3A, Vec3},
};
use wgpu::util::DeviceExt;

/// Texels of a row: what every device has.
const WIDTH: u32 = 2048;
/// Joints of a row, three texels each.
const JOINTS_A_ROW: u32 = WIDTH / 3;
/// Influences that a vertex has places for.
const MOST: usize = 8;

/// WGSL that blends the joints of a vertex by the palette that is bound as `@group(0) @binding(0)`, for a skin of
/// `joints`.
///
/// It gives `fn skin(pose, position, normal, slots_a, weights_a, slots_b, weights_b) -> Skinned`.
pub fn source(joints: usize) -> String {
    let constants = format!(
        "const PALETTE_JOINTS_A_ROW: u32 = {JOINTS_A_ROW}u;\nconst PALETTE_ROWS: u32 = {}u;\n\
         @group(0) @binding(0) var palette: texture_2d<f32>;\n\n",
        rows(joints)
    );
    constants + include_str!("wgsl/vertex_path.wgsl")
}

fn rows(joints: usize) -> u32 {
    u32::try_from(joints).unwrap_or(u32::MAX).div_ceil(JOINTS_A_ROW).max(1)
}

/// Palettes in a texture: three texels a joint, one row or more a pose.
#[derive(Debug)]
pub struct PaletteTexture {
    texture: wgpu::Texture,
    joints: usize,
    poses: u32,
    texels: Vec<[f32; 4]>,
}

impl PaletteTexture {
    /// Room for `poses` poses of `joints` joints.
    ///
    /// # Errors
    /// If the device has no textures of that height.
    pub fn new(device: &wgpu::Device, joints: usize, poses: u32) -> Result<Self, GpuError> {
        let height = rows(joints).saturating_mul(poses.max(1));
        if height > device.limits().max_texture_dimension_2d {
            return Err(GpuError::Unsupported { what: "texture of so many poses" });
        }
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("sinew palette"),
            size: wgpu::Extent3d { width: width(joints), height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let texels = vec![[0.0; 4]; width(joints) as usize * rows(joints) as usize];
        Ok(Self { texture, joints, poses: poses.max(1), texels })
    }

    /// What to bind as `@group(0) @binding(0)`.
    pub fn view(&self) -> wgpu::TextureView {
        self.texture.create_view(&wgpu::TextureViewDescriptor::default())
    }

    /// The layout entry that fits [`PaletteTexture::view`].
    pub fn layout_entry() -> wgpu::BindGroupLayoutEntry {
        wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        }
    }

    /// Uploads the matrices of one pose.
    ///
    /// # Errors
    /// If there is no room for the pose, or it has too few matrices.
    pub fn write(&mut self, queue: &wgpu::Queue, pose: u32, matrices: &[Affine3A]) -> Result<(), GpuError> {
        if pose >= self.poses {
            return Err(GpuError::PoseOutOfRange { pose: pose as usize, capacity: self.poses as usize });
        }
        if matrices.len() < self.joints {
            let (needed, matrices) = (self.joints, matrices.len());
            return Err(DeformError::PaletteTooSmall { needed, matrices }.into());
        }
        let row = width(self.joints) as usize;
        for (joint, m) in matrices.iter().take(self.joints).enumerate() {
            let (line, column) = (joint / JOINTS_A_ROW as usize, joint % JOINTS_A_ROW as usize);
            let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(|c| c.to_array());
            let t = m.translation.to_array();
            for axis in 0..3 {
                self.texels[line * row + 3 * column + axis] = [x[axis], y[axis], z[axis], t[axis]];
            }
        }
        let height = rows(self.joints);
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &self.texture,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 0, y: pose * height, z: 0 },
                aspect: wgpu::TextureAspect::All,
            },
            bytemuck::cast_slice(&self.texels),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(16 * width(self.joints)),
                rows_per_image: Some(height),
            },
            wgpu::Extent3d { width: width(self.joints), height, depth_or_array_layers: 1 },
        );
        Ok(())
    }
}

/// Texels of a row of the texture.
fn width(joints: usize) -> u32 {
    (3 * u32::try_from(joints).unwrap_or(u32::MAX).min(JOINTS_A_ROW)).max(1)
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    slots: [u16; MOST],
    weights: [f32; MOST],
}

/// A mesh as vertex attributes: position, normal, eight joints and eight weights.
#[derive(Debug)]
pub struct SkinnedVertices {
    buffer: wgpu::Buffer,
    count: u32,
}

impl SkinnedVertices {
    /// Attributes at locations 0 to 5: position, normal, four slots, four weights, four more slots, four more weights.
    pub const ATTRIBUTES: [wgpu::VertexAttribute; 6] = {
        use wgpu::VertexFormat::{Float32x3, Float32x4, Uint16x4};
        [
            attribute(0, 0, Float32x3),
            attribute(1, 12, Float32x3),
            attribute(2, 24, Uint16x4),
            attribute(3, 40, Float32x4),
            attribute(4, 32, Uint16x4),
            attribute(5, 56, Float32x4),
        ]
    };

    /// Uploads `mesh`; a mesh without weights follows joint 0.
    ///
    /// # Errors
    /// If a vertex has more than eight influences, the mesh has muscle weights, or it does not fit into the device's buffers.
    pub fn new(device: &wgpu::Device, mesh: &Mesh) -> Result<Self, GpuError> {
        if mesh.weights().is_some_and(|w| w.max_influences() > MOST) {
            return Err(GpuError::Unsupported {
                what: "places for more than eight influences in a vertex shader",
            });
        }
        if mesh.weights().is_some_and(|w| w.sum_kind() == WeightSum::Muscle) {
            return Err(GpuError::Unsupported { what: "places for muscle weights in a vertex shader" });
        }
        let count = mesh.positions().len();
        check_size(device, "the vertices", (count * size_of::<Vertex>()) as u64)?;
        let vertices: Vec<Vertex> = (0..count).map(|v| vertex(mesh, v)).collect();
        let contents: &[u8] = if vertices.is_empty() { &[0; 16] } else { bytemuck::cast_slice(&vertices) };
        let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("sinew vertices"),
            contents,
            usage: wgpu::BufferUsages::VERTEX,
        });
        Ok(Self { buffer, count: count as u32 })
    }

    /// How the buffer is read.
    pub fn layout() -> wgpu::VertexBufferLayout<'static> {
        wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &Self::ATTRIBUTES,
        }
    }

    /// The vertex buffer, laid out as the vertex shader reads it.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The number of vertices in the buffer.
    pub fn count(&self) -> u32 {
        self.count
    }
}

const fn attribute(shader_location: u32, offset: u64, format: wgpu::VertexFormat) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute { format, offset, shader_location }
}

fn vertex(mesh: &Mesh, v: usize) -> Vertex {
    let normal = mesh.normals().get(v).copied().unwrap_or(Vec3::ZERO);
    let mut out = Vertex {
        position: mesh.positions()[v].to_array(),
        normal: normal.to_array(),
        slots: [0; MOST],
        weights: [0.0; MOST],
    };
    match mesh.weights() {
        Some(weights) => {
            for (place, i) in weights.influences(v).enumerate() {
                (out.slots[place], out.weights[place]) = (i.slot, i.weight);
            }
        }
        None => out.weights[0] = 1.0,
    }
    out
}
