//! What a surface looks like, as far as files say.

use glam::{Vec3, Vec4};
use std::sync::Arc;

/// An encoded picture, kept as it stood in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// What the file calls it, possibly empty.
    pub name: String,
    /// `image/png`, `image/jpeg` or what the file says.
    pub mime_type: String,
    /// The encoded bytes.
    pub bytes: Arc<[u8]>,
}

/// What happens to texture coordinates outside 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// The picture repeats.
    #[default]
    Repeat,
    /// The edge goes on.
    ClampToEdge,
    /// The picture repeats, mirrored every other time.
    MirroredRepeat,
}

/// A picture on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// The place in the character's image list.
    pub image: u16,
    /// Which texture coordinate set places it.
    pub uv_set: u8,
    /// Outside 0 to 1, along u and v.
    pub wrap: [TextureWrap; 2],
    /// True where texels stay blocks when magnified.
    pub nearest: bool,
}

/// How a surface's alpha is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn.
    Mask {
        /// The threshold, 0 to 1.
        cutoff: f32,
    },
    /// Alpha blends over what is behind.
    Blend,
}

/// The look of a primitive: glTF's metallic-roughness model.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The material's name, possibly empty.
    pub name: String,
    /// Linear RGBA, multiplied with texture and vertex colour.
    pub base_color: Vec4,
    /// The base-colour picture (sRGB).
    pub base_color_texture: Option<Texture>,
    /// 0 for paint, 1 for metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Metal in blue, roughness in green.
    pub metallic_roughness_texture: Option<Texture>,
    /// Tangent-space normals and the strength they are used with.
    pub normal_texture: Option<(Texture, f32)>,
    /// Ambient occlusion in red and its strength.
    pub occlusion_texture: Option<(Texture, f32)>,
    /// Light given off, linear RGB.
    pub emissive: Vec3,
    /// The picture of light given off (sRGB).
    pub emissive_texture: Option<Texture>,
    /// How alpha is used.
    pub alpha: AlphaMode,
    /// True where both sides of a triangle are seen.
    pub double_sided: bool,
}

impl Default for Material {
    /// glTF's default: white, fully metallic and rough, opaque, one-sided.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            occlusion_texture: None,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
        }
    }
}

impl Material {
    /// Every texture it uses.
    pub fn textures(&self) -> impl Iterator<Item = Texture> {
        [
            self.base_color_texture,
            self.metallic_roughness_texture,
            self.normal_texture.map(|t| t.0),
            self.occlusion_texture.map(|t| t.0),
            self.emissive_texture,
        ]
        .into_iter()
        .flatten()
    }
}
