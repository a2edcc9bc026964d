//! Sixteen numbers side by side.

/// How many vertices a block holds: one AVX-512 register, two of AVX2, four of the 128-bit levels.
pub const WIDTH: usize = 16;

/// One number of each of a block's vertices, on a cache line of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; WIDTH]);
