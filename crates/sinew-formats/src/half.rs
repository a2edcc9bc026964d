//! IEEE 754 half precision, as textures store it.

/// The largest finite number in half precision.
pub(crate) const MAX_HALF: f32 = 65504.0;

/// The nearest number in half precision, ties to even. Beyond the range it is infinite.
pub(crate) fn half_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65,520 lies halfway between the largest number and what would follow.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Below 2^-14 steps are 2^-24 wide; adding 0.5 leaves the number of steps in the low bits, rounded.
        let steps = (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000;
        return sign | steps as u16;
    }
    let is_odd = (magnitude >> 13) & 1;
    let rounded = magnitude - 0x3800_0000 + 0xfff + is_odd;
    sign | (rounded >> 13) as u16
}

/// The exact value of a number in half precision.
pub(crate) fn f32_from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, mantissa) = (u32::from(half >> 10) & 0x1f, u32::from(half & 0x3ff));
    let magnitude = match exponent {
        0 => (mantissa as f32 * 2.0_f32.powi(-24)).to_bits(),
        0x1f => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_through_single_precision() {
        for half in 0..=u16::MAX {
            let value = f32_from_half(half);
            if !value.is_nan() {
                assert_eq!(half_from_f32(value), half, "{half:#06x} is {value}");
            }
        }
        assert!(f32_from_half(half_from_f32(f32::NAN)).is_nan());
    }

    #[test]
    fn numbers_round_to_the_nearest_half_and_ties_to_even() {
        for half in 0..0x7bff_u16 {
            let (low, high) = (f32_from_half(half), f32_from_half(half + 1));
            let middle = low + (high - low) * 0.5;
            assert_eq!(half_from_f32(middle), half + (half & 1), "the middle of {low} and {high}");
            assert_eq!(half_from_f32(middle.next_down()), half);
            assert_eq!(half_from_f32(-middle.next_up()), (half + 1) | 0x8000);
        }
        assert_eq!((half_from_f32(1.0), half_from_f32(-2.0), half_from_f32(0.0)), (0x3c00, 0xc000, 0));
        assert_eq!((half_from_f32(65519.0), half_from_f32(65520.0)), (0x7bff, 0x7c00));
        assert_eq!(half_from_f32(f32::NEG_INFINITY), 0xfc00);
    }
}
