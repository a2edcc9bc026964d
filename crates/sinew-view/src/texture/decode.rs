use std::io::Cursor;

use image::{ImageFormat, ImageReader, Limits};

use super::{DecodedTexture, TextureError, TextureLimits};

impl DecodedTexture {
    /// Decodes a PNG or JPEG file held in memory.
    ///
    /// # Errors
    /// [`TextureError`] if the bytes are not a PNG or JPEG file, are damaged, or need more than `limits` allow; the
    /// size is checked before pixels are decoded.
    pub fn decode(bytes: &[u8], limits: TextureLimits) -> Result<Self, TextureError> {
        let format = match image::guess_format(bytes) {
            Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => format,
            _ => return Err(TextureError::UnknownFormat),
        };
        let (width, height) = ImageReader::with_format(Cursor::new(bytes), format)
            .into_dimensions()
            .map_err(|error| TextureError::Decode(error.to_string()))?;
        let limit = limits.max_side;
        if width == 0 || height == 0 || width > limit || height > limit {
            return Err(TextureError::Size { width, height, limit });
        }
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        let mut budget = Limits::default();
        budget.max_alloc = Some(limits.max_bytes);
        reader.limits(budget);
        let image = reader.decode().map_err(|error| TextureError::Decode(error.to_string()))?;
        let rgba = image.into_rgba8();
        let texels = rgba.as_raw().as_chunks::<4>().0.to_vec();
        Self::new(width, height, texels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::encode::encode_png;
    use crate::picture::Picture;

    fn png() -> Vec<u8> {
        encode_png(&Picture::filled(7, 5, Color::hex(0x336699))).unwrap()
    }

    #[test]
    fn decodes_a_png() {
        let texture = DecodedTexture::decode(&png(), TextureLimits::default()).unwrap();
        assert_eq!((texture.width(), texture.height()), (7, 5));
        assert_eq!(texture.texels()[34], [0x33, 0x66, 0x99, 255]);
    }

    #[test]
    fn decodes_a_webp_and_rejects_what_is_cut() {
        let mut bytes = Vec::new();
        let encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut bytes);
        let texels = [[0x33, 0x66, 0x99, 255]; 6].concat();
        encoder.encode(&texels, 3, 2, image::ExtendedColorType::Rgba8).unwrap();
        let texture = DecodedTexture::decode(&bytes, TextureLimits::default()).unwrap();
        assert_eq!((texture.width(), texture.height(), texture.texels()[5]), (3, 2, [0x33, 0x66, 0x99, 255]));
        for length in 0..bytes.len() - 1 {
            assert!(DecodedTexture::decode(&bytes[..length], TextureLimits::default()).is_err());
        }
    }

    #[test]
    fn rejects_every_truncation_without_a_panic() {
        let bytes = png();
        for length in 0..bytes.len() - 16 {
            let _ = DecodedTexture::decode(&bytes[..length], TextureLimits::default());
        }
        assert!(DecodedTexture::decode(&bytes[..bytes.len() / 2], TextureLimits::default()).is_err());
        assert!(matches!(
            DecodedTexture::decode(b"GIF89a", TextureLimits::default()),
            Err(TextureError::UnknownFormat)
        ));
    }

    #[test]
    fn rejects_a_header_that_claims_a_huge_picture() {
        let limits = TextureLimits { max_side: 6, ..TextureLimits::default() };
        assert!(matches!(
            DecodedTexture::decode(&png(), limits),
            Err(TextureError::Size { width: 7, height: 5, limit: 6 })
        ));
    }
}
