use png::{BlendOp, DisposeOp, Encoder, Writer};

use super::delta::{Area, changed};
use super::png::{channels, failed, set_up};
use super::{Animation, EncodeError};

/// Encodes an endlessly repeating animated PNG in full color. Frames after the first contain only what changed.
///
/// # Errors
/// [`EncodeError`] without frames, for empty frames and for frames of different sizes.
pub fn encode_apng(animation: Animation<'_>) -> Result<Vec<u8>, EncodeError> {
    let (width, height) = animation.size()?;
    let opaque = animation.frames.iter().all(crate::picture::Picture::is_opaque);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    set_up(&mut encoder, opaque);
    let count = animation.frames.len();
    let frames = u32::try_from(count).map_err(|_| EncodeError::TooLarge {
        what: "the number of frames",
        value: count as u64,
        limit: u64::from(u32::MAX),
    })?;
    encoder.set_animated(frames, 0).map_err(failed)?;
    let millis = u16::try_from(animation.frame_time.as_millis()).unwrap_or(u16::MAX);
    encoder.set_frame_delay(millis, 1000).map_err(failed)?;
    encoder.set_blend_op(BlendOp::Source).map_err(failed)?;
    encoder.set_dispose_op(DisposeOp::None).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    write_frames(&mut writer, animation, opaque)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

fn write_frames(
    writer: &mut Writer<&mut Vec<u8>>,
    animation: Animation<'_>,
    opaque: bool,
) -> Result<(), EncodeError> {
    let mut before: Option<&[[u8; 4]]> = None;
    for picture in animation.frames {
        let width = picture.width() as usize;
        let whole = Area { left: 0, top: 0, width, height: picture.height() as usize };
        // A frame must hold something: one pixel when nothing moved.
        let still = Area { left: 0, top: 0, width: 1, height: 1 };
        let area = before.map_or(whole, |old| changed(old, picture.pixels(), width).unwrap_or(still));
        // Position first: the encoder checks both against the canvas, and a smaller frame fits anywhere it
        // is cut from.
        let [left, top, area_width, area_height] =
            [area.left, area.top, area.width, area.height].map(|side| side as u32);
        writer.reset_frame_position().map_err(failed)?;
        writer.set_frame_dimension(area_width, area_height).map_err(failed)?;
        writer.set_frame_position(left, top).map_err(failed)?;
        writer.write_image_data(&channels(&area.cut(picture.pixels(), width), opaque)).map_err(failed)?;
        before = Some(picture.pixels());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::picture::Picture;
    use image::AnimationDecoder;
    use std::io::Cursor;
    use std::time::Duration;

    #[test]
    fn every_frame_plays_back_exactly() {
        let mut frames = vec![Picture::filled(20, 12, Color::hex(0x204060)); 5];
        for (step, frame) in (0..4).zip(&mut frames) {
            frame.place(&Picture::filled(3, 4, Color::hex(0xffcc00)), step * 4, step);
        }
        frames[4] = frames[3].clone();
        let file = encode_apng(Animation { frames: &frames, frame_time: Duration::from_millis(40) }).unwrap();
        let decoder = image::codecs::png::PngDecoder::new(Cursor::new(&file)).unwrap();
        let played = decoder.apng().unwrap().into_frames().collect_frames().unwrap();
        assert_eq!(played.len(), 5);
        for (frame, played) in frames.iter().zip(&played) {
            assert_eq!(played.buffer().as_raw().as_slice(), frame.bytes());
        }
    }

    #[test]
    fn rejects_no_frames_and_mixed_sizes() {
        let time = Duration::from_millis(40);
        assert!(matches!(
            encode_apng(Animation { frames: &[], frame_time: time }),
            Err(EncodeError::NoFrames)
        ));
        let mixed = [Picture::filled(2, 2, Color::WHITE), Picture::filled(3, 2, Color::WHITE)];
        assert!(matches!(
            encode_apng(Animation { frames: &mixed, frame_time: time }),
            Err(EncodeError::SizeMismatch { frame: 1, width: 3, height: 2 })
        ));
    }
}
