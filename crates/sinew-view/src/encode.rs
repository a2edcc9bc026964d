//! Pictures as files: PNG, animated PNG and animated GIF, made in memory.

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

/// Why pictures did not become a file.
#[derive(Debug, Error)]
pub enum EncodeError {
    /// A picture without pixels.
    #[error("a picture of {width} x {height} has no pixels")]
    Empty {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// An animation without frames.
    #[error("an animation needs at least one frame")]
    NoFrames,
    /// Frames of different sizes.
    #[error("frame {frame} is {width} x {height}, unlike the first frame")]
    SizeMismatch {
        /// Which frame.
        frame: usize,
        /// Its columns.
        width: u32,
        /// Its rows.
        height: u32,
    },
    /// A side or a count that the format cannot hold.
    #[error("{what} is {value}; the format holds at most {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        value: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The encoder's own complaint.
    #[error("the encoder failed: {0}")]
    Encoder(String),
}

/// Frames that are shown one after the other, over and over.
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
