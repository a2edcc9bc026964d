//! Filters: attributes rewritten in place to the values that accessors read.
//!
//! The extension allows an error of one unit in the last place for all but the exponential filter.
//! Where it leaves a result open (input that no encoder writes) the values here are still defined:
//! conversions to integers saturate, and not-a-number becomes 0.

use super::Filter;

/// Applies the filter to elements of `stride` bytes; the caller checked that they go together.
pub(super) fn apply(filter: Filter, stride: usize, elements: &mut [u8]) {
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => each(elements, |v| octahedral(v.map(from_i8), 127.0).map(to_i8)),
        (Filter::Octahedral, _) => each_wide(elements, |v| octahedral(v.map(from_i16), 32767.0).map(to_i16)),
        (Filter::Quaternion, _) => each_wide(elements, |v| quaternion(v.map(i16::from_le_bytes)).map(to_i16)),
        (Filter::Exponential, _) => each(elements, |v| exponential(u32::from_le_bytes(v)).to_le_bytes()),
        (Filter::Color, 4) => each(elements, color_8),
        (Filter::Color, _) => each_wide(elements, color_16),
    }
}

fn each(elements: &mut [u8], f: impl Fn([u8; 4]) -> [u8; 4]) {
    for element in elements.as_chunks_mut().0 {
        *element = f(*element);
    }
}

fn each_wide(elements: &mut [u8], f: impl Fn([[u8; 2]; 4]) -> [[u8; 2]; 4]) {
    for element in elements.as_chunks_mut().0.as_chunks_mut().0 {
        *element = f(*element);
    }
}

fn from_i8(byte: u8) -> f32 {
    f32::from(byte.cast_signed())
}

fn from_i16(bytes: [u8; 2]) -> f32 {
    f32::from(i16::from_le_bytes(bytes))
}

fn to_i8(value: f32) -> u8 {
    (round_up_to_half(value) as i8).cast_unsigned()
}

fn to_i16(value: f32) -> [u8; 2] {
    (round_up_to_half(value) as i16).to_le_bytes()
}

/// A value whose integer part is the argument, rounded with halves away from zero.
fn round_up_to_half(value: f32) -> f32 {
    // `f32::round` is a call on processors without a rounding instruction.
    value + 0.5_f32.copysign(value)
}

/// The unit vector whose octahedral x and y are given as fractions of `one`; `extra` passes through.
fn octahedral([x, y, one, extra]: [f32; 4], max: f32) -> [f32; 4] {
    // All in units of 1/one: the length is divided out in the end.
    let z = one - x.abs() - y.abs();
    let below = z.min(0.0);
    let x = x - below.copysign(x);
    let y = y - below.copysign(y);
    let scale = max / (x * x + y * y + z * z).sqrt();
    [x * scale, y * scale, z * scale, extra]
}

/// The unit quaternion of which three components and the place of the largest are given.
fn quaternion([x, y, z, one_and_place]: [i16; 4]) -> [f32; 4] {
    let one = f32::from(one_and_place | 3);
    let [x, y, z] = [x, y, z].map(|v| f32::from(v) / one * std::f32::consts::FRAC_1_SQRT_2);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let mut rotated = [w, x, y, z].map(|v| v * 32767.0);
    rotated.rotate_right(usize::from(one_and_place.cast_unsigned() & 3));
    rotated
}

/// The float `m * 2^e` of which the high 8 bits give `e` and the low 24 bits `m`, both signed.
fn exponential(packed: u32) -> f32 {
    let exponent = packed.cast_signed() >> 24;
    let mantissa = (packed << 8).cast_signed() >> 8;
    // Doubles reach every exponent from -128 to 127 exactly, so only the last step may round.
    let power = f64::from_bits(((i64::from(exponent) + 1023) << 52).cast_unsigned());
    (f64::from(mantissa) * power) as f32
}

fn color_8([luma, orange, green, alpha]: [u8; 4]) -> [u8; 4] {
    let chroma = [orange, green].map(|v| i32::from(v.cast_signed()));
    color(luma.into(), chroma, alpha.into(), 255.0).map(|v| v as u8)
}

fn color_16(packed: [[u8; 2]; 4]) -> [[u8; 2]; 4] {
    let [luma, orange, green, alpha] = packed.map(u16::from_le_bytes);
    let chroma = [orange, green].map(|v| i32::from(v.cast_signed()));
    color(luma.into(), chroma, alpha.into(), 65535.0).map(|v| (v as u16).to_le_bytes())
}

/// Red, green, blue and alpha, half added for rounding, from a luma of K bits, chroma of K bits and an
/// alpha of K - 1 bits under a bit that is always set and so tells K.
fn color(luma: i32, [orange, green]: [i32; 2], alpha: u16, max: f32) -> [f32; 4] {
    let one = u16::MAX.checked_shr(alpha.leading_zeros()).unwrap_or(0);
    let alpha = i32::from(alpha & (one >> 1));
    let rgba = [luma + orange - green, luma + green, luma - orange - green, alpha << 1 | alpha & 1];
    let scale = max / f32::from(one);
    rgba.map(|v| v as f32 * scale + 0.5)
}
