//! Textures: decoded, mip-mapped and sampled in linear light.

mod decode;
mod sample;

use thiserror::Error;

use crate::color::{linear_from_srgb8, srgb8_from_linear};

/// How texture coordinates outside 0 to 1 are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplerWrap {
    /// The texture repeats in every unit.
    #[default]
    Repeat,
    /// The texture repeats, mirrored in every other unit.
    Mirror,
    /// The texels at the border continue.
    Clamp,
}

/// Wrap modes and filter of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureSampler {
    /// Wrap mode of the U coordinate.
    pub wrap_u: SamplerWrap,
    /// Wrap mode of the V coordinate.
    pub wrap_v: SamplerWrap,
    /// Whether magnified texels are not interpolated.
    pub nearest: bool,
}

/// A decoded texture with its mip levels.
#[derive(Clone, Debug)]
pub struct DecodedTexture {
    levels: Vec<MipLevel>,
}

/// One mip level of a texture.
#[derive(Clone, Debug)]
pub(crate) struct MipLevel {
    width: u32,
    height: u32,
    texels: Vec<[u8; 4]>,
}

/// Why a texture could not be decoded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The image is none of PNG, JPEG and WebP.
    #[error("the image must be PNG, JPEG or WebP")]
    UnknownFormat,
    /// The image exceeds the limits or has no pixels.
    #[error("each side of the image must be 1 to {limit} pixels, got {width} x {height}")]
    Size {
        /// Width of the image in pixels.
        width: u32,
        /// Height of the image in pixels.
        height: u32,
        /// Largest supported side in pixels.
        limit: u32,
    },
    /// The number of texels is not width times height.
    #[error("the number of texels must be {want}, got {got}")]
    Length {
        /// Number of texels that were given.
        got: usize,
        /// Number of texels that width and height require.
        want: usize,
    },
    /// An error of the decoder library.
    #[error("the image cannot be decoded: {0}")]
    Decode(String),
}

/// Limits on the size of a decoded image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLimits {
    /// Largest supported side in pixels.
    pub max_side: u32,
    /// Most memory in bytes that the decoder may allocate.
    pub max_bytes: u64,
}

impl Default for TextureLimits {
    fn default() -> Self {
        Self { max_side: 8192, max_bytes: 512 << 20 }
    }
}

impl DecodedTexture {
    /// A texture from sRGB texels with straight alpha, row by row from the top.
    ///
    /// # Errors
    /// [`TextureError::Size`] for an empty or too large picture, [`TextureError::Length`] if the number of
    /// texels does not fit.
    pub fn new(width: u32, height: u32, texels: Vec<[u8; 4]>) -> Result<Self, TextureError> {
        let limit = 1 << 15;
        if width == 0 || height == 0 || width > limit || height > limit {
            return Err(TextureError::Size { width, height, limit });
        }
        let want = width as usize * height as usize;
        if texels.len() != want {
            return Err(TextureError::Length { got: texels.len(), want });
        }
        let mut levels = vec![MipLevel { width, height, texels }];
        while let Some(smaller) = levels.last().and_then(MipLevel::half) {
            levels.push(smaller);
        }
        Ok(Self { levels })
    }

    /// Width of the largest level in pixels.
    pub fn width(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.width)
    }

    /// Height of the largest level in pixels.
    pub fn height(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.height)
    }

    /// Texels of the largest level, sRGB with straight alpha, row by row from the top.
    pub fn texels(&self) -> &[[u8; 4]] {
        self.levels.first().map_or(&[], |level| &level.texels)
    }
}

impl MipLevel {
    /// The next smaller level, or `None` below one texel. Odd sides take the nearest texels.
    fn half(&self) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            for x in 0..width {
                texels.push(self.average(x * 2, y * 2));
            }
        }
        Some(Self { width, height, texels })
    }

    /// The mean of four texels in linear light, colors weighted by alpha so that hidden ones do not bleed.
    fn average(&self, x: u32, y: u32) -> [u8; 4] {
        let mut sum = [0.0f32; 4];
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let texel = self.at((x + dx).min(self.width - 1), (y + dy).min(self.height - 1));
            let alpha = f32::from(texel[3]) / 255.0;
            for (channel, total) in sum.iter_mut().take(3).enumerate() {
                *total += linear_from_srgb8(texel[channel]) * alpha;
            }
            sum[3] += alpha;
        }
        let scale = if sum[3] > 0.0 { 1.0 / sum[3] } else { 0.0 };
        [
            srgb8_from_linear(sum[0] * scale),
            srgb8_from_linear(sum[1] * scale),
            srgb8_from_linear(sum[2] * scale),
            (sum[3] * 0.25 * 255.0 + 0.5) as u8,
        ]
    }

    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.texels[y as usize * self.width as usize + x as usize]
    }
}
