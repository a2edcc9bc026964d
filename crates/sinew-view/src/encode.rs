//! Encoders for PNG, animated PNG and animated GIF, in memory.

mod apng;
mod delta;
mod gif;
mod palette;
mod png;

use std::time::Duration;

use thiserror::Error;

use crate::picture::Picture;

pub use apng::encode_apng;
pub use gif::{GifWriter, encode_gif};
pub use png::encode_png;

/// Why pictures could not be encoded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The picture has no pixels.
    #[error("the picture must have pixels, got {width} x {height}")]
    Empty {
        /// Width of the picture in pixels.
        width: u32,
        /// Height of the picture in pixels.
        height: u32,
    },
    /// The animation has no frames.
    #[error("an animation needs at least one frame")]
    NoFrames,
    /// A frame differs in size from the first one.
    #[error("frame {frame} must have the size of the first frame, got {width} x {height}")]
    SizeMismatch {
        /// Index of the frame, from 0.
        frame: usize,
        /// Width of the frame in pixels.
        width: u32,
        /// Height of the frame in pixels.
        height: u32,
    },
    /// A size or count exceeds what the format supports.
    #[error("{what} must be at most {limit}, got {value}")]
    TooLarge {
        /// Name of the size or count.
        what: &'static str,
        /// The value that was given.
        value: u64,
        /// The largest value that the format supports.
        limit: u64,
    },
    /// An error of the encoder library.
    #[error("the encoder failed: {0}")]
    Encoder(String),
}

/// Frames that are shown in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Animation<'a> {
    /// The pictures, all of one size.
    pub frames: &'a [Picture],
    /// How long each is shown; GIF rounds to hundredths of a second.
    pub frame_time: Duration,
}

impl Animation<'_> {
    /// The common size of all frames.
    fn size(&self) -> Result<(u32, u32), EncodeError> {
        let first = self.frames.first().ok_or(EncodeError::NoFrames)?;
        let size = sized(first)?;
        for (frame, picture) in self.frames.iter().enumerate() {
            let (width, height) = (picture.width(), picture.height());
            if (width, height) != size {
                return Err(EncodeError::SizeMismatch { frame, width, height });
            }
        }
        Ok(size)
    }
}

fn sized(picture: &Picture) -> Result<(u32, u32), EncodeError> {
    let (width, height) = (picture.width(), picture.height());
    if width == 0 || height == 0 { Err(EncodeError::Empty { width, height }) } else { Ok((width, height)) }
}
