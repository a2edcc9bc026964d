//! Textures of numbers, as they are stored.

use super::{TextureLayout, exr, png};
use crate::half::{f32_from_half, half_from_f32};
use std::io;

/// How precisely a number of a texture is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TexelPrecision {
    /// 16 bits: 11 significant bits.
    #[default]
    Half,
    /// 32 bits: what was computed, exactly.
    Float,
}

/// The file that holds a texture of floating-point numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureFile {
    /// OpenEXR with ZIP compression, which engines import.
    #[default]
    Exr,
    /// The texels as the GPU reads them, RGBA row by row from the top, little-endian, without a header.
    Raw,
}

impl TextureFile {
    /// The extension of the file, without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Exr => "exr",
            Self::Raw => "bin",
        }
    }
}

/// How normals are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NormalTexels {
    /// Like positions: components from −1 to 1 in floating point.
    #[default]
    Float,
    /// PNG with 8 bits per component: 0 is −1, 255 is 1.
    Unorm8,
}

/// What a texel channel holds.
#[derive(Clone, Debug, PartialEq)]
enum Texels {
    Half(Vec<[u16; 4]>),
    Float(Vec<[f32; 4]>),
    Unorm8(Vec<[u8; 3]>),
}

/// A texture with three or four channels. Its texels are kept as they are stored, so reading one gives what a GPU reads.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationTexture {
    layout: TextureLayout,
    texels: Texels,
    /// Whether the fourth channel holds data.
    has_alpha: bool,
}

impl AnimationTexture {
    pub(super) fn new(layout: TextureLayout, precision: TexelPrecision, has_alpha: bool) -> Self {
        let count = layout.texel_count();
        let alpha = if has_alpha { 0.0 } else { 1.0 };
        let texels = match precision {
            TexelPrecision::Half => Texels::Half(vec![[0, 0, 0, half_from_f32(alpha)]; count]),
            TexelPrecision::Float => Texels::Float(vec![[0.0, 0.0, 0.0, alpha]; count]),
        };
        Self { layout, texels, has_alpha }
    }

    pub(super) fn unorm8(layout: TextureLayout) -> Self {
        let texels = Texels::Unorm8(vec![[128; 3]; layout.texel_count()]);
        Self { layout, texels, has_alpha: false }
    }

    /// Stores a texel of `frame` and returns what is read back.
    pub(super) fn set(&mut self, frame: usize, element: usize, value: [f32; 4]) -> [f32; 4] {
        let at = self.layout.texel(frame, element);
        match &mut self.texels {
            Texels::Half(texels) => texels[at] = value.map(half_from_f32),
            Texels::Float(texels) => texels[at] = value,
            Texels::Unorm8(texels) => {
                let byte = |x: f32| (x.clamp(-1.0, 1.0) * 127.5 + 127.5).round() as u8;
                texels[at] = [byte(value[0]), byte(value[1]), byte(value[2])];
            }
        }
        self.get(frame, element)
    }

    /// Where its texels are.
    #[must_use]
    pub fn layout(&self) -> TextureLayout {
        self.layout
    }

    /// A texel of `frame` as a shader reads it. `element` counts texels within the frame.
    ///
    /// # Panics
    /// If the texture has no such texel.
    #[must_use]
    pub fn get(&self, frame: usize, element: usize) -> [f32; 4] {
        let at = self.layout.texel(frame, element);
        match &self.texels {
            Texels::Half(texels) => texels[at].map(f32_from_half),
            Texels::Float(texels) => texels[at],
            Texels::Unorm8(texels) => {
                let [x, y, z] = texels[at].map(|byte| f32::from(byte) / 127.5 - 1.0);
                [x, y, z, 1.0]
            }
        }
    }

    /// The format of the texels in the words of graphics interfaces: `rgba16f`.
    #[must_use]
    pub fn format(&self, file: TextureFile) -> &'static str {
        let is_rgb = file == TextureFile::Exr && !self.has_alpha;
        match (&self.texels, is_rgb) {
            (Texels::Half(_), true) => "rgb16f",
            (Texels::Half(_), false) => "rgba16f",
            (Texels::Float(_), true) => "rgb32f",
            (Texels::Float(_), false) => "rgba32f",
            (Texels::Unorm8(_), _) => "rgb8unorm",
        }
    }

    /// The extension of its file, without a dot.
    #[must_use]
    pub fn extension(&self, file: TextureFile) -> &'static str {
        match self.texels {
            Texels::Half(_) | Texels::Float(_) => file.extension(),
            Texels::Unorm8(_) => "png",
        }
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// If compression fails.
    pub fn bytes(&self, file: TextureFile) -> io::Result<Vec<u8>> {
        let size = [self.layout.width(), self.layout.height()];
        let channels: &[usize] = if self.has_alpha { &[3, 2, 1, 0] } else { &[2, 1, 0] };
        match (&self.texels, file) {
            (Texels::Half(texels), TextureFile::Exr) => exr::bytes(size, channels, texels),
            (Texels::Float(texels), TextureFile::Exr) => exr::bytes(size, channels, texels),
            (Texels::Half(texels), TextureFile::Raw) => {
                Ok(texels.as_flattened().iter().flat_map(|half| half.to_le_bytes()).collect())
            }
            (Texels::Float(texels), TextureFile::Raw) => {
                Ok(texels.as_flattened().iter().flat_map(|float| float.to_le_bytes()).collect())
            }
            (Texels::Unorm8(texels), _) => png::bytes(size, texels),
        }
    }
}
