use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::delta::{Area, changed};
use super::palette::ColorTable;
use super::{Animation, EncodeError};
use crate::picture::Picture;

/// The palette index that keeps the pixel of the previous frame.
const UNCHANGED: u8 = 255;

/// Encodes an endlessly repeating animated GIF.
///
/// All frames share one palette of 255 colors without dithering, so that still parts stay still and equal
/// colors stay equal; frames after the first contain only what changed. Transparent pixels are blended onto white.
///
/// # Errors
/// [`EncodeError`] without frames, for empty frames, frames of different sizes and sides over 65,535 pixels.
pub fn encode_gif(animation: Animation<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut writer = GifWriter::new(animation)?;
    animation.frames.iter().try_for_each(|picture| writer.push(picture))?;
    writer.finish()
}

/// [`encode_gif`] frame by frame, for programs that must stay responsive.
#[must_use]
pub struct GifWriter {
    encoder: Encoder<Vec<u8>>,
    palette: ColorTable,
    size: (u16, u16),
    hundredths: u16,
    before: Option<Vec<u8>>,
    count: usize,
}

impl GifWriter {
    /// Starts a file for the frames of `animation` and computes their common palette.
    ///
    /// # Errors
    /// As [`encode_gif`].
    pub fn new(animation: Animation<'_>) -> Result<Self, EncodeError> {
        let (width, height) = animation.size()?;
        let side = |what, pixels: u32| {
            let too_large =
                EncodeError::TooLarge { what, value: u64::from(pixels), limit: u64::from(u16::MAX) };
            u16::try_from(pixels).map_err(|_| too_large)
        };
        let (width, height) = (side("the width", width)?, side("the height", height)?);
        let palette = ColorTable::of(animation.frames, usize::from(UNCHANGED));
        let mut table = palette.colors.as_flattened().to_vec();
        table.resize(768, 0);
        let mut encoder = Encoder::new(Vec::new(), width, height, &table).map_err(failed)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
        let hundredths = u16::try_from((animation.frame_time.as_millis() + 5) / 10).unwrap_or(u16::MAX);
        Ok(Self { encoder, palette, size: (width, height), hundredths, before: None, count: 0 })
    }

    /// Adds the next frame, which must be one of those that the palette was made for.
    ///
    /// # Errors
    /// [`EncodeError::SizeMismatch`] if the size differs from the first frame.
    pub fn push(&mut self, picture: &Picture) -> Result<(), EncodeError> {
        let (width, height) = (picture.width(), picture.height());
        if (width, height) != (self.size.0.into(), self.size.1.into()) {
            return Err(EncodeError::SizeMismatch { frame: self.count, width, height });
        }
        let indices: Vec<u8> = picture.pixels().iter().map(|&pixel| self.palette.index(pixel)).collect();
        let frame = difference(self.before.as_deref(), &indices, usize::from(self.size.0));
        self.encoder.write_frame(&Frame { delay: self.hundredths, ..frame }).map_err(failed)?;
        self.before = Some(indices);
        self.count += 1;
        Ok(())
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`EncodeError::Encoder`] if the encoder fails.
    pub fn finish(self) -> Result<Vec<u8>, EncodeError> {
        self.encoder.into_inner().map_err(failed)
    }
}

/// A frame that turns `before` into `after`.
fn difference(before: Option<&[u8]>, after: &[u8], width: usize) -> Frame<'static> {
    let whole = Area { left: 0, top: 0, width, height: after.len() / width };
    let still = Area { left: 0, top: 0, width: 1, height: 1 };
    let area = before.map_or(whole, |old| changed(old, after, width).unwrap_or(still));
    let mut buffer = area.cut(after, width);
    if let Some(old) = before {
        for (pixel, old) in buffer.iter_mut().zip(area.cut(old, width)) {
            if *pixel == old {
                *pixel = UNCHANGED;
            }
        }
    }
    // Sides were checked by the constructor.
    let [left, top, width, height] =
        [area.left, area.top, area.width, area.height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
    Frame {
        dispose: DisposalMethod::Keep,
        transparent: before.map(|_| UNCHANGED),
        left,
        top,
        width,
        height,
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}

// By value, as `map_err` hands it over.
#[allow(clippy::needless_pass_by_value)]
fn failed(error: gif::EncodingError) -> EncodeError {
    EncodeError::Encoder(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use std::time::Duration;

    fn moving(count: i32) -> Vec<Picture> {
        (0..count)
            .map(|index| {
                let mut frame = Picture::filled(40, 30, Color::hex(0x304860));
                frame.place(&Picture::filled(5, 5, Color::hex(0xffd020)), index * 3, 10);
                frame
            })
            .collect()
    }

    /// Decodes a GIF as a viewer does.
    fn played(file: &[u8]) -> Vec<Vec<[u8; 3]>> {
        let mut decoder = gif::DecodeOptions::new().read_info(file).unwrap();
        let palette: Vec<[u8; 3]> = decoder.global_palette().unwrap().as_chunks::<3>().0.to_vec();
        let width = usize::from(decoder.width());
        let mut screen = vec![[0u8; 3]; width * usize::from(decoder.height())];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (index, &entry) in frame.buffer.iter().enumerate() {
                let row = usize::from(frame.top) + index / usize::from(frame.width);
                let column = usize::from(frame.left) + index % usize::from(frame.width);
                if Some(entry) != frame.transparent {
                    screen[row * width + column] = palette[usize::from(entry)];
                }
            }
            frames.push(screen.clone());
        }
        frames
    }

    #[test]
    fn frames_play_back_with_their_colors() {
        let frames = moving(6);
        let file = encode_gif(Animation { frames: &frames, frame_time: Duration::from_millis(50) }).unwrap();
        let played = played(&file);
        assert_eq!(played.len(), 6);
        for (frame, shown) in frames.iter().zip(&played) {
            for (pixel, shown) in frame.pixels().iter().zip(shown) {
                assert!((0..3).all(|i| pixel[i].abs_diff(shown[i]) <= 1), "{pixel:?} became {shown:?}");
            }
        }
    }

    #[test]
    fn unchanged_frames_take_almost_no_bytes() {
        let (one, many) = (vec![moving(1)[0].clone()], vec![moving(1)[0].clone(); 20]);
        let size = |frames: &[Picture]| {
            encode_gif(Animation { frames, frame_time: Duration::from_millis(50) }).unwrap().len()
        };
        assert!(size(&many) < size(&one) + 20 * 32);
    }

    #[test]
    fn a_frame_without_pixels_is_rejected() {
        let frames = [Picture::filled(0, 0, Color::WHITE)];
        assert!(encode_gif(Animation { frames: &frames, frame_time: Duration::ZERO }).is_err());
    }
}
