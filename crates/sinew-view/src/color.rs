//! Colors in linear light, converted to sRGB bytes for display.

use std::sync::LazyLock;

use crate::glam::Vec3;

/// A color in linear light with straight alpha; channels are sRGB primaries, 1 is display white.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Color {
    /// Red channel in linear light.
    pub r: f32,
    /// Green channel in linear light.
    pub g: f32,
    /// Blue channel in linear light.
    pub b: f32,
    /// Opacity from 0 to 1.
    pub a: f32,
}

impl Color {
    /// Black with full opacity.
    pub const BLACK: Self = Self::linear(0.0, 0.0, 0.0);
    /// Display white with full opacity.
    pub const WHITE: Self = Self::linear(1.0, 1.0, 1.0);
    /// Black with zero opacity.
    pub const TRANSPARENT: Self = Self { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };

    /// An opaque color from linear channels.
    pub const fn linear(r: f32, g: f32, b: f32) -> Self {
        Self { r, g, b, a: 1.0 }
    }

    /// An opaque color from sRGB bytes, as color pickers show them.
    pub fn srgb8(r: u8, g: u8, b: u8) -> Self {
        let decode = &TABLES.decode;
        Self::linear(decode[usize::from(r)], decode[usize::from(g)], decode[usize::from(b)])
    }

    /// An opaque color from `0xRRGGBB`.
    pub fn hex(rgb: u32) -> Self {
        let [_, r, g, b] = rgb.to_be_bytes();
        Self::srgb8(r, g, b)
    }

    /// The same color with another opacity.
    #[must_use]
    pub const fn with_alpha(self, a: f32) -> Self {
        Self { a, ..self }
    }

    /// The linear channels without opacity.
    pub const fn rgb(self) -> Vec3 {
        Vec3::new(self.r, self.g, self.b)
    }

    /// An opaque color from three linear channels.
    pub const fn from_rgb(rgb: Vec3) -> Self {
        Self::linear(rgb.x, rgb.y, rgb.z)
    }

    /// Interpolates from `self` at `t` = 0 to `other` at `t` = 1 in linear light.
    #[must_use]
    pub fn mix(self, other: Self, t: f32) -> Self {
        let lerp = |a: f32, b: f32| a + (b - a) * t;
        Self {
            r: lerp(self.r, other.r),
            g: lerp(self.g, other.g),
            b: lerp(self.b, other.b),
            a: lerp(self.a, other.a),
        }
    }

    /// The nearest sRGB bytes with straight alpha; channels outside 0 to 1 are clamped.
    pub fn to_srgb8(self) -> [u8; 4] {
        [srgb8_from_linear(self.r), srgb8_from_linear(self.g), srgb8_from_linear(self.b), unorm8(self.a)]
    }

    /// Relative luminance from 0 to 1.
    pub fn luminance(self) -> f32 {
        0.2126 * self.r + 0.7152 * self.g + 0.0722 * self.b
    }
}

/// A linear channel from an sRGB byte.
pub fn linear_from_srgb8(byte: u8) -> f32 {
    TABLES.decode[usize::from(byte)]
}

/// The nearest sRGB byte of a linear channel; NaN becomes 0.
pub fn srgb8_from_linear(linear: f32) -> u8 {
    let tables = &*TABLES;
    if linear.is_nan() || linear <= 0.0 {
        return 0;
    }
    if linear >= 1.0 {
        return 255;
    }
    // The square root is close to the sRGB curve, so a cell of the guess table spans about one code; the
    // threshold walk then makes the answer exact.
    let mut code = tables.guess[(linear.sqrt() * GUESS_CELLS) as usize];
    while code < 255 && linear >= tables.threshold[usize::from(code)] {
        code += 1;
    }
    code
}

fn unorm8(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

const GUESS_CELLS: f32 = 1024.0;

struct Tables {
    decode: [f32; 256],
    /// `threshold[c]` is the linear value at which the nearest byte changes from `c` to `c + 1`.
    threshold: [f32; 255],
    /// For each cell of `sqrt(linear)`, the byte at its lower end.
    guess: Vec<u8>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut decode = [0.0; 256];
    for (code, out) in decode.iter_mut().enumerate() {
        *out = srgb_decode(code as f64 / 255.0) as f32;
    }
    let mut threshold = [0.0; 255];
    for (code, out) in threshold.iter_mut().enumerate() {
        *out = srgb_decode((code as f64 + 0.5) / 255.0) as f32;
    }
    let guess = (0..=GUESS_CELLS as usize)
        .map(|cell| {
            let root = cell as f32 / GUESS_CELLS;
            // One cell lower than the truth: rounding of the square root must never overshoot.
            let lower = (root - 0.5 / GUESS_CELLS).max(0.0);
            threshold.iter().take_while(|&&limit| lower * lower >= limit).count() as u8
        })
        .collect();
    Tables { decode, threshold, guess }
});

// In f64 and rounded once, so that every platform's power function gives the same f32.
fn srgb_decode(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// A color in the OKLab space, where equal steps look equally large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Oklab {
    pub(crate) l: f32,
    pub(crate) a: f32,
    pub(crate) b: f32,
}

impl Oklab {
    pub(crate) fn from_linear(rgb: Vec3) -> Self {
        let long = (0.412_221_5 * rgb.x + 0.536_332_55 * rgb.y + 0.051_445_995 * rgb.z).cbrt();
        let medium = (0.211_903_5 * rgb.x + 0.680_699_5 * rgb.y + 0.107_396_96 * rgb.z).cbrt();
        let short = (0.088_302_46 * rgb.x + 0.281_718_85 * rgb.y + 0.629_978_7 * rgb.z).cbrt();
        Self {
            l: 0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
            a: 1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
            b: 0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
        }
    }

    pub(crate) fn to_linear(self) -> Vec3 {
        let long = self.l + 0.396_337_78 * self.a + 0.215_803_76 * self.b;
        let medium = self.l - 0.105_561_346 * self.a - 0.063_854_17 * self.b;
        let short = self.l - 0.089_484_18 * self.a - 1.291_485_5 * self.b;
        let (long, medium, short) = (long * long * long, medium * medium * medium, short * short * short);
        Vec3::new(
            4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
            -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
            -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
        )
    }

    pub(crate) fn mix(self, other: Self, t: f32) -> Self {
        let lerp = |a: f32, b: f32| a + (b - a) * t;
        Self { l: lerp(self.l, other.l), a: lerp(self.a, other.a), b: lerp(self.b, other.b) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_byte_round_trips_through_linear_light() {
        for byte in 0..=255 {
            assert_eq!(srgb8_from_linear(linear_from_srgb8(byte)), byte);
        }
    }

    #[test]
    fn encodes_to_the_nearest_byte_everywhere() {
        for step in 0..20_000 {
            let linear = step as f32 / 19_999.0;
            let encoded = f64::from(linear);
            let srgb = if encoded <= 0.003_130_8 {
                encoded * 12.92
            } else {
                1.055 * encoded.powf(1.0 / 2.4) - 0.055
            };
            let distance = (srgb * 255.0 - f64::from(srgb8_from_linear(linear))).abs();
            assert!(distance < 0.501, "linear {linear} is {distance} codes away");
        }
    }

    #[test]
    fn encodes_nan_as_zero_and_clamps_infinities() {
        assert_eq!(srgb8_from_linear(f32::NAN), 0);
        assert_eq!(srgb8_from_linear(f32::INFINITY), 255);
        assert_eq!(srgb8_from_linear(f32::NEG_INFINITY), 0);
    }

    #[test]
    fn oklab_round_trips() {
        for hex in [0x000000, 0xffffff, 0xff8000, 0x2060c0] {
            let rgb = Color::hex(hex).rgb();
            assert!(Oklab::from_linear(rgb).to_linear().abs_diff_eq(rgb, 1e-4));
        }
    }
}
