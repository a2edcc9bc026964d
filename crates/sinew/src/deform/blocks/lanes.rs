//! Sixteen floats side by side: one component of a block.

/// The number of vertices in a block: one AVX-512 register, two AVX2 registers, or four 128-bit registers.
pub const WIDTH: usize = 16;

/// One component of all vertices of a block, aligned to a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; WIDTH]);
