//! What the filters read: unit vectors, unit quaternions and floats in few bits.

use std::f32::consts::SQRT_2;

/// A unit vector folded onto an octahedron, in `bits` bits of each lane, and the largest number of these bits. The fourth
/// lane is the caller's.
///
/// Of the four grid points around the folded vector, the one whose direction is nearest is taken.
pub(crate) fn octahedral_of([x, y, z]: [f32; 3], bits: u32) -> [i16; 3] {
    let one = largest(bits);
    let sum = x.abs() + y.abs() + z.abs();
    let (mut u, mut v) = (x / sum, y / sum);
    if z < 0.0 {
        (u, v) = ((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v));
    }
    let (u, v) = (u * one, v * one);
    let length = (x * x + y * y + z * z).sqrt();
    let mut best = ([0.0; 2], f32::NEG_INFINITY);
    for u in [u.floor(), u.ceil()] {
        for v in [v.floor(), v.ceil()] {
            let (u, v) = (u.clamp(-one, one), v.clamp(-one, one));
            let [dx, dy, dz] = unfolded(u / one, v / one);
            let nearness = (x * dx + y * dy + z * dz) / length;
            if nearness > best.1 {
                best = ([u, v], nearness);
            }
        }
    }
    [best.0[0] as i16, best.0[1] as i16, one as i16]
}

/// The unit vector of a point on the unfolded octahedron.
fn unfolded(u: f32, v: f32) -> [f32; 3] {
    let z = 1.0 - u.abs() - v.abs();
    let below = z.min(0.0);
    let (x, y) = (u - below.copysign(u), v - below.copysign(v));
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// A unit quaternion without its largest component, in `bits` bits of each lane. The fourth lane names that component.
pub(crate) fn quaternion_of(quaternion: [f32; 4], bits: u32) -> [i16; 4] {
    let place = (1..4).fold(0, |best, k| if quaternion[k].abs() > quaternion[best].abs() { k } else { best });
    let one = largest(bits);
    // The opposite quaternion is the same rotation, so the component that is left out is positive.
    let sign = 1.0_f32.copysign(quaternion[place]);
    let lane = |k: usize| {
        let value = quaternion[(place + k) % 4] * sign * SQRT_2 * one;
        value.round().clamp(-one, one) as i16
    };
    [lane(1), lane(2), lane(3), (one as i16 & !3) | (place as u16).cast_signed()]
}

/// Floats as multiples of `2^exponent`, with the exponent in the high 8 bits; a float that is too large is clamped.
pub(crate) fn exponential_of(value: f32, exponent: i32) -> u32 {
    /// The largest number of 24 bits in two's complement.
    const MAX: f64 = 0x7f_ffff as f64;
    let mantissa = (f64::from(value) * f64::from(-exponent).exp2()).round().clamp(-MAX, MAX) as i32;
    (mantissa.cast_unsigned() & 0xff_ffff) | (exponent.cast_unsigned() << 24)
}

/// The largest signed number of so many bits.
fn largest(bits: u32) -> f32 {
    ((1_u32 << (bits.clamp(4, 16) - 1)) - 1) as f32
}
