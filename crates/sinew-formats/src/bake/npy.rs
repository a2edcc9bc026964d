//! NumPy's array file, version 1.0.

use super::{Bake, write_floats};
use sinew::glam::Vec3;
use std::io::{self, Write};

/// Writes the positions as a float32 array of shape (times, vertices, 3), in C order.
///
/// # Errors
/// When the bake's lengths do not match or writing to `out` fails.
pub fn write(bake: &Bake, out: &mut impl Write) -> io::Result<()> {
    bake.check()?;
    out.write_all(&header(bake.times_secs.len(), bake.vertex_count))?;
    write_floats(bake.positions.iter().flat_map(Vec3::to_array), out)
}

/// The magic, the version, and a Python dictionary padded so that the data starts at a multiple of 64 bytes.
fn header(times: usize, vertices: usize) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({times}, {vertices}, 3), }}");
    // Ten bytes precede the text and a line feed ends it.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    // The longest text has two numbers of twenty digits, far below the limit of sixteen bits.
    out.extend_from_slice(&(length as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}
