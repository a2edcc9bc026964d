//! Materials: the appearance of surfaces.

use glam::{Vec3, Vec4};
use std::sync::Arc;

/// An encoded image, as stored in the file.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Image {
    /// What the file calls it, possibly empty.
    pub name: String,
    /// `image/png`, `image/jpeg` or what the file says.
    pub mime_type: String,
    /// The encoded bytes of the file.
    pub bytes: Arc<[u8]>,
}

/// Addressing of texture coordinates outside 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TextureWrap {
    /// The image repeats in both directions.
    #[default]
    Repeat,
    /// The edge texels extend.
    ClampToEdge,
    /// The image repeats, mirrored every other time.
    MirroredRepeat,
}

/// A texture of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Texture {
    /// Index in the character's image list.
    pub image: u16,
    /// Index of the texture coordinate set.
    pub uv_set: u8,
    /// Wrap modes along u and v.
    pub wrap: [TextureWrap; 2],
    /// True for nearest-neighbor magnification.
    pub nearest: bool,
}

/// How the alpha of a surface is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AlphaMode {
    /// Alpha is ignored; the surface is opaque.
    #[default]
    Opaque,
    /// Fragments below the cutoff are discarded.
    Mask {
        /// The alpha threshold, 0 to 1.
        cutoff: f32,
    },
    /// Alpha blends with what is behind.
    Blend,
}

/// A material in the metallic-roughness model of glTF.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// The material's name, possibly empty.
    pub name: String,
    /// Linear RGBA, multiplied with texture and vertex color.
    pub base_color: Vec4,
    /// Base-color texture, encoded as sRGB.
    pub base_color_texture: Option<Texture>,
    /// Metalness: 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// Roughness: 0 for a mirror, 1 for a diffuse surface.
    pub roughness: f32,
    /// Metalness in blue, roughness in green.
    pub metallic_roughness_texture: Option<Texture>,
    /// Tangent-space normal map and its strength.
    pub normal_texture: Option<(Texture, f32)>,
    /// Ambient occlusion in red, and its strength.
    pub occlusion_texture: Option<(Texture, f32)>,
    /// Emitted light, linear RGB.
    pub emissive: Vec3,
    /// Texture of the emitted light (sRGB).
    pub emissive_texture: Option<Texture>,
    /// How alpha is used.
    pub alpha: AlphaMode,
    /// True if both sides of a triangle are visible.
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
    /// Every texture of the material.
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
