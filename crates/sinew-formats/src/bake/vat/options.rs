//! How animation textures are made.

use super::{NormalTexels, TexelPrecision, TextureBakeError, TextureFile};
use sinew::{
    NormalSource,
    simd::{self, Level},
};

/// How animation textures are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureOptions {
    /// The frames per second that are asked for, 0.01 to 1000. A clip is divided evenly, so its own rate may differ a little.
    pub rate_hz: f32,
    /// The largest width of a texture in texels.
    pub columns: u32,
    /// How precisely numbers are stored.
    pub precision: TexelPrecision,
    /// The file that holds a texture.
    pub file: TextureFile,
    /// How normals are stored.
    pub normals: NormalTexels,
    /// Where normals come from.
    pub normal_source: NormalSource,
    /// The SIMD level that vertices are deformed at.
    pub level: Level,
}

impl Default for TextureOptions {
    /// 30 frames per second in half precision, at most 1024 texels wide, as OpenEXR.
    fn default() -> Self {
        Self {
            rate_hz: 30.0,
            // Texel centers of so many columns are exact in texture coordinates of half precision, which engines prefer.
            columns: 1024,
            precision: TexelPrecision::default(),
            file: TextureFile::default(),
            normals: NormalTexels::default(),
            normal_source: NormalSource::default(),
            level: simd::best(),
        }
    }
}

impl TextureOptions {
    pub(super) fn check(&self) -> Result<(), TextureBakeError> {
        let is_rate = (0.01..=1000.0).contains(&self.rate_hz);
        if is_rate { Ok(()) } else { Err(TextureBakeError::BadRate { rate_hz: self.rate_hz }) }
    }
}
