//! Pictures wrapped around meshes: decoded, mip-mapped and sampled in linear light.

mod decode;
mod sample;

use thiserror::Error;

use crate::color::{linear_from_srgb8, srgb8_from_linear};

/// What a coordinate outside 0 to 1 shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplerWrap {
    /// The picture again.
    #[default]
    Repeat,
    /// The picture again, every other time mirrored.
    Mirror,
    /// The texel at the border.
    Clamp,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureSampler {
    /// What happens left and right of the picture.
    pub wrap_u: SamplerWrap,
    /// What happens above and below it.
    pub wrap_v: SamplerWrap,
    /// Whether enlarged texels stay hard blocks.
    pub nearest: bool,
}

/// A picture with its smaller copies, ready for sampling.
#[derive(Clone, Debug)]
pub struct DecodedTexture {
    levels: Vec<MipLevel>,
}

/// One size of the picture.
#[derive(Clone, Debug)]
pub(crate) struct MipLevel {
    width: u32,
    height: u32,
    texels: Vec<[u8; 4]>,
}

/// Why bytes did not become a texture.
#[derive(Debug, Error)]
pub enum TextureError {
    /// Neither PNG nor JPEG.
    #[error("the image is neither PNG nor JPEG")]
    UnknownFormat,
    /// Larger than the limits allow, or without any pixel.
    #[error("the image is {width} x {height} pixels; each side must be 1 to {limit}")]
    Size {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Most pixels a side may have.
        limit: u32,
    },
    /// The number of texels is not width times height.
    #[error("{got} texels where {want} are needed")]
    Length {
        /// Texels given.
        got: usize,
        /// Width times height.
        want: usize,
    },
    /// The decoder's own complaint.
    #[error("the image cannot be decoded: {0}")]
    Decode(String),
}

/// How large a decoded image may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLimits {
    /// Most pixels a side may have.
    pub max_side: u32,
    /// Most bytes the decoder may hold at once.
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
    /// [`TextureError::Size`] for an empty or too large picture, [`TextureError::Length`] when the number of
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

    /// Columns of the largest level.
    pub fn width(&self) -> u32 {
        self.levels.first().map_or(0, |level| level.width)
    }

    /// Rows of the largest level.
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

    /// The mean of four texels in linear light, colours weighted by alpha so that hidden ones do not bleed.
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
