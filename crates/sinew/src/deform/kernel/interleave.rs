//! Interleaving: from one register per component to one vertex after the other.

use super::vector::{F, V3};
use fearless_simd::{Select, Simd, SimdBase, SimdMask};

/// The byte permutation of component `c` when three components of `width` lanes are interleaved. Value `i` of the component
/// goes to `3 i + c`. Three is coprime to any power of two, so modulo `width` every lane is hit exactly once. One
/// permutation per component and two selections per register are enough at every width.
const fn spread(width: usize, c: usize) -> [u8; 64] {
    let mut table = [0; 64];
    let mut i = 0;
    while i < width {
        let lane = (3 * i + c) % width;
        let mut byte = 0;
        while byte < 4 {
            table[lane * 4 + byte] = (i * 4 + byte) as u8;
            byte += 1;
        }
        i += 1;
    }
    table
}

const SPREADS: [[[u8; 64]; 3]; 3] = [
    [spread(4, 0), spread(4, 1), spread(4, 2)],
    [spread(8, 0), spread(8, 1), spread(8, 2)],
    [spread(16, 0), spread(16, 1), spread(16, 2)],
];

/// The lanes of register `register` that hold component `c`.
const fn lanes_of(width: usize, register: usize, c: usize) -> u64 {
    let mut bits = 0;
    let mut lane = 0;
    while lane < width {
        if (register * width + lane) % 3 == c {
            bits |= 1 << lane;
        }
        lane += 1;
    }
    bits
}

/// Writes `x y z x y z …` to `out`, which is three registers long.
#[inline(always)]
pub(super) fn store3<S: Simd>(simd: S, v: V3<S>, out: &mut [f32]) {
    let width = F::<S>::LEN;
    let v = [spread_out(simd, v[0], 0), spread_out(simd, v[1], 1), spread_out(simd, v[2], 2)];
    pick(simd, v, 0).store_slice(&mut out[..width]);
    pick(simd, v, 1).store_slice(&mut out[width..2 * width]);
    pick(simd, v, 2).store_slice(&mut out[2 * width..3 * width]);
}

/// Moves the values of component `c` to their final lanes.
#[inline(always)]
fn spread_out<S: Simd>(simd: S, numbers: F<S>, c: usize) -> F<S> {
    let table = match F::<S>::LEN {
        4 => &SPREADS[0][c],
        8 => &SPREADS[1][c],
        _ => &SPREADS[2][c],
    };
    numbers.swizzle_dyn(S::u8s::from_slice(simd, &table[..S::u8s::LEN]))
}

/// Register `register` of three interleaved components.
#[inline(always)]
fn pick<S: Simd>(simd: S, v: V3<S>, register: usize) -> F<S> {
    let width = F::<S>::LEN;
    let x = S::mask32s::from_bitmask(simd, lanes_of(width, register, 0));
    let y = S::mask32s::from_bitmask(simd, lanes_of(width, register, 1));
    x.select(v[0], y.select(v[1], v[2]))
}

/// Writes `x y z w x y z w …` to `out`, which is four registers long.
#[inline(always)]
pub(super) fn store4<S: Simd>(v: [F<S>; 4], out: &mut [f32]) {
    let width = F::<S>::LEN;
    let (xz_low, xz_high) = v[0].interleave(v[2]);
    let (yw_low, yw_high) = v[1].interleave(v[3]);
    let ((a, b), (c, d)) = (xz_low.interleave(yw_low), xz_high.interleave(yw_high));
    a.store_slice(&mut out[..width]);
    b.store_slice(&mut out[width..2 * width]);
    c.store_slice(&mut out[2 * width..3 * width]);
    d.store_slice(&mut out[3 * width..4 * width]);
}
