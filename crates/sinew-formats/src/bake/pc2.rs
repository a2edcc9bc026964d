//! PointCache 2, which most DCC tools can apply to a mesh with the same vertices.

use super::{Bake, write_floats};
use sinew::glam::Vec3;
use std::io::{self, Write};

/// The place of the samples on the reader's timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pc2Times {
    /// The frame of the first sample.
    pub start_frame: f32,
    /// The number of frames from one sample to the next.
    pub frames_per_sample: f32,
}

/// Writes the positions of every time.
///
/// The format stores evenly spaced samples only: `timeline` spaces them, whatever the times of the bake are.
///
/// # Errors
/// When the bake's lengths do not match, a count exceeds the format's 2³¹, or writing to `out` fails.
pub fn write(bake: &Bake, timeline: Pc2Times, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    let count = |n: usize| {
        i32::try_from(n).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a count must be at most {}, got {n}", i32::MAX),
            )
        })
    };
    let mut header = b"POINTCACHE2\0".to_vec();
    header.extend_from_slice(&1_i32.to_le_bytes());
    header.extend_from_slice(&count(bake.vertex_count)?.to_le_bytes());
    header.extend_from_slice(&timeline.start_frame.to_le_bytes());
    header.extend_from_slice(&timeline.frames_per_sample.to_le_bytes());
    header.extend_from_slice(&count(bake.times_secs.len())?.to_le_bytes());
    out.write_all(&header)?;
    write_floats(bake.positions.iter().flat_map(Vec3::to_array), out)
}
