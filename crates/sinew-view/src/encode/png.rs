use png::{BitDepth, ColorType, Compression, Encoder, SrgbRenderingIntent};

use super::{EncodeError, sized};
use crate::picture::Picture;

/// Encodes a PNG file: RGB if the picture is opaque, RGBA otherwise.
///
/// # Errors
/// [`EncodeError::Empty`] for a picture without pixels.
pub fn encode_png(picture: &Picture) -> Result<Vec<u8>, EncodeError> {
    let (width, height) = sized(picture)?;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    let opaque = picture.is_opaque();
    set_up(&mut encoder, opaque);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&channels(picture.pixels(), opaque)).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

pub(super) fn set_up(encoder: &mut Encoder<'_, &mut Vec<u8>>, opaque: bool) {
    encoder.set_color(if opaque { ColorType::Rgb } else { ColorType::Rgba });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
}

/// The bytes of pixels, without alpha if all are opaque.
pub(super) fn channels(pixels: &[[u8; 4]], opaque: bool) -> Vec<u8> {
    if opaque {
        pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect()
    } else {
        pixels.as_flattened().to_vec()
    }
}

// By value, as `map_err` hands it over.
#[allow(clippy::needless_pass_by_value)]
pub(super) fn failed(error: png::EncodingError) -> EncodeError {
    EncodeError::Encoder(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;

    fn decoded(file: &[u8]) -> (Vec<[u8; 4]>, u32, u32) {
        let image = image::load_from_memory(file).unwrap().into_rgba8();
        (image.pixels().map(|pixel| pixel.0).collect(), image.width(), image.height())
    }

    #[test]
    fn opaque_and_transparent_pictures_round_trip() {
        for alpha in [255, 90] {
            let pixels: Vec<[u8; 4]> = (0..35).map(|index| [index * 7, 255 - index, index, alpha]).collect();
            let picture = Picture::from_pixels(7, 5, pixels.clone()).unwrap();
            assert_eq!(decoded(&encode_png(&picture).unwrap()), (pixels, 7, 5));
        }
    }

    #[test]
    fn rejects_a_picture_without_pixels() {
        let nothing = Picture::filled(0, 3, Color::WHITE);
        assert!(matches!(encode_png(&nothing), Err(EncodeError::Empty { width: 0, height: 3 })));
    }
}
