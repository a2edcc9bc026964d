//! PointCache 2, which most modelling programs read onto a mesh with the same vertices.

use super::{Bake, write_floats};
use sinew::glam::Vec3;
use std::io::{self, Write};

/// How samples lie on the reader's timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pc2Times {
    /// The frame of the first sample.
    pub start_frame: f32,
    /// Frames from one sample to the next.
    pub frames_per_sample: f32,
}

/// Writes the positions of every time.
///
/// The format knows only even steps: `timeline` says which, whatever the bake's times are.
///
/// # Errors
/// Where the bake's lengths do not fit each other, a count passes the format's 2³¹, or `out` says no.
pub fn write(bake: &Bake, timeline: Pc2Times, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    let count = |n: usize| {
        i32::try_from(n)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("{n} is too many for PC2")))
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
