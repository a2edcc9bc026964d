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
    color(luma.into(), chroma, alpha, 65535.0).map(|v| (v as u16).to_le_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(values: [i16; 4]) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(values.map(i16::to_le_bytes).as_flattened());
        bytes
    }

    fn filtered<const N: usize>(filter: Filter, mut bytes: [u8; N]) -> [u8; N] {
        apply(filter, N, &mut bytes);
        bytes
    }

    #[test]
    fn octahedral_corners_are_the_axes() {
        let axes = [[511, 0], [0, 511], [-511, 0], [0, -511], [0, 0]];
        let units = [[32767, 0, 0], [0, 32767, 0], [-32767, 0, 0], [0, -32767, 0], [0, 0, 32767]];
        for ([x, y], [ux, uy, uz]) in axes.into_iter().zip(units) {
            // The filter does not touch the fourth component, here a tangent's sign.
            let got = filtered(Filter::Octahedral, wide([x, y, 511, -32767]));
            assert_eq!(got, wide([ux, uy, uz, -32767]));
        }
        // All four corners of the square meet opposite its center.
        assert_eq!(filtered(Filter::Octahedral, [127, 129, 127, 5]), [0, 0, 129, 5]);
    }

    #[test]
    fn quaternions_get_their_largest_component_back_in_its_place() {
        for place in 0..4 {
            let mut want = [0; 4];
            want[place as usize] = 32767;
            assert_eq!(filtered(Filter::Quaternion, wide([0, 0, 0, 0x7fc | place])), wide(want));
        }
        // Four halves at 11 bits: 1023 / sqrt(2) is 723.4, so three are 0.49974 and the rest is 0.50077.
        let half = filtered(Filter::Quaternion, wide([723, -723, 723, 0x3fc]));
        assert_eq!(half, wide([16409, 16375, -16375, 16375]));
    }

    #[test]
    fn exponential_floats_are_exact() {
        let float = |exponent: i32, mantissa: i32| {
            let packed = (exponent << 24 | mantissa & 0x00ff_ffff).cast_unsigned();
            f32::from_le_bytes(filtered(Filter::Exponential, packed.to_le_bytes()))
        };
        assert_eq!(float(0, 1).to_bits(), 1.0_f32.to_bits());
        assert_eq!(float(-3, -13).to_bits(), (-1.625_f32).to_bits());
        assert_eq!(float(-100, 0x7f_ffff).to_bits(), (8_388_607.0 * 2.0_f32.powi(-100)).to_bits());
        assert_eq!(float(100, -0x80_0000).to_bits(), (-8_388_608.0 * 2.0_f32.powi(100)).to_bits());
        assert_eq!(float(-128, 1).to_bits(), f32::from_bits(1 << 21).to_bits(), "2^-128 is subnormal");
    }

    #[test]
    fn colors_are_restored_from_luma_and_chroma() {
        // Seven bits, and alpha in six under the bit that says so.
        assert_eq!(filtered(Filter::Color, [127, 0, 0, 0x7f]), [255; 4]);
        assert_eq!(filtered(Filter::Color, [0, 0, 0, 0x40]), [0; 4]);
        // Pure red is y = 32, co = 63, cg = -32 with a sum of 127.
        assert_eq!(filtered(Filter::Color, [32, 63, 0xe0, 0x7f]), [255, 0, 2, 255]);
        let white_16 = filtered(Filter::Color, wide([-1, 0, 0, -1]));
        assert_eq!(white_16, [0xff; 8]);
    }

    #[test]
    fn input_that_no_encoder_writes_has_a_defined_value() {
        assert_eq!(filtered(Filter::Octahedral, [0; 4]), [0; 4], "a vector without length");
        assert_eq!(filtered(Filter::Color, [9, 1, 1, 0]), [255, 255, 255, 0], "a color without bits");
        let beyond = filtered(Filter::Quaternion, wide([i16::MAX, i16::MIN, 0, 3]));
        assert_eq!(beyond, wide([i16::MAX, i16::MIN, 0, 0]), "components far beyond one");
    }
}
