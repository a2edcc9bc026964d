//! Distinct colors for joints and series, and color ramps for scalar values.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use crate::color::{Color, Oklab};
use crate::glam::Vec3;

/// A color for joint `index` that differs clearly from those of the next joints.
///
/// Hues step by the golden angle, so any run of joints is spread around the circle; lightness cycles through
/// three levels so that joints of similar hue still differ.
pub fn joint_color(index: usize) -> Color {
    const GOLDEN: f32 = 0.618_034;
    let turn = (index as f32 * GOLDEN + 0.07).fract();
    let (lightness, chroma) = [(0.70, 0.150), (0.80, 0.125), (0.61, 0.165)][index % 3];
    let (sin, cos) = (turn * TAU).sin_cos();
    Color::from_rgb(in_gamut(lightness, chroma, cos, sin))
}

/// The color of blended triangles in an influence map.
pub fn blended_color() -> Color {
    Color::hex(0x2a2d34)
}

/// A color for series `index` of a plot or a comparison, readable on light and dark pages.
pub fn series_color(index: usize) -> Color {
    const SERIES: [u32; 8] = [0x3b82d6, 0xe2703a, 0x2fa36b, 0xb65fc4, 0xd0a215, 0x1fa7b8, 0xd9476b, 0x7d8794];
    Color::hex(SERIES[index % SERIES.len()])
}

fn in_gamut(lightness: f32, chroma: f32, cos: f32, sin: f32) -> Vec3 {
    let mut chroma = chroma;
    for _ in 0..12 {
        let rgb = Oklab { l: lightness, a: chroma * cos, b: chroma * sin }.to_linear();
        if rgb.min_element() >= 0.0 && rgb.max_element() <= 1.0 {
            return rgb;
        }
        chroma *= 0.92;
    }
    Vec3::splat(lightness * lightness * lightness)
}

/// A color ramp for a scalar from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ramp {
    /// Weights: gray-blue at zero, then dark blue, cyan, green, yellow, red.
    #[default]
    Heat,
    /// Errors: pale at zero, then amber, red and dark purple; reads well in print.
    Ember,
    /// Signed values, one half being zero: blue below, pale in the middle, red above.
    Balance,
}

impl Ramp {
    /// The color at `t`, clamped to 0 to 1; NaN gives magenta so that it stands out.
    pub fn color(self, t: f32) -> Color {
        if t.is_nan() {
            return Color::linear(1.0, 0.0, 1.0);
        }
        let table = match self {
            Self::Heat => &*HEAT,
            Self::Ember => &*EMBER,
            Self::Balance => &*BALANCE,
        };
        let place = t.clamp(0.0, 1.0) * (RAMP_CELLS - 1) as f32;
        let cell = (place as usize).min(RAMP_CELLS - 2);
        Color::from_rgb(table[cell].lerp(table[cell + 1], place - cell as f32))
    }
}

const RAMP_CELLS: usize = 512;

static HEAT: LazyLock<Vec<Vec3>> = LazyLock::new(|| {
    bake(&[
        (0.0, 0x8d96a8),
        (0.004, 0x8d96a8),
        (0.03, 0x333f9e),
        (0.16, 0x2a63d0),
        (0.34, 0x22b2d4),
        (0.50, 0x33b96a),
        (0.68, 0xd9d63a),
        (0.84, 0xf08c2a),
        (1.0, 0xdc2c28),
    ])
});
static EMBER: LazyLock<Vec<Vec3>> = LazyLock::new(|| {
    bake(&[(0.0, 0xe9e6df), (0.25, 0xf3c56a), (0.5, 0xe9813c), (0.75, 0xb8323f), (1.0, 0x4a1550)])
});
static BALANCE: LazyLock<Vec<Vec3>> = LazyLock::new(|| {
    bake(&[(0.0, 0x1f4e9e), (0.25, 0x6fa3d8), (0.5, 0xeceae6), (0.75, 0xe58a6a), (1.0, 0xa3202f)])
});

fn bake(stops: &[(f32, u32)]) -> Vec<Vec3> {
    let color_at = |t: f32| {
        let after = stops.iter().position(|stop| stop.0 >= t).unwrap_or(stops.len() - 1).max(1);
        let ((t0, c0), (t1, c1)) = (stops[after - 1], stops[after]);
        let (from, to) = (Oklab::from_linear(Color::hex(c0).rgb()), Oklab::from_linear(Color::hex(c1).rgb()));
        from.mix(to, ((t - t0) / (t1 - t0)).clamp(0.0, 1.0)).to_linear().clamp(Vec3::ZERO, Vec3::ONE)
    };
    (0..RAMP_CELLS).map(|cell| color_at(cell as f32 / (RAMP_CELLS - 1) as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: Color, b: Color) -> f32 {
        let (a, b) = (Oklab::from_linear(a.rgb()), Oklab::from_linear(b.rgb()));
        ((a.l - b.l).powi(2) + (a.a - b.a).powi(2) + (a.b - b.b).powi(2)).sqrt()
    }

    #[test]
    fn the_colors_of_the_next_eight_joints_differ_visibly() {
        for joint in 0..200 {
            for next in 1..8 {
                let distance = distance(joint_color(joint), joint_color(joint + next));
                assert!(distance > 0.055, "joints {joint} and {} are {distance} apart", joint + next);
            }
        }
    }

    #[test]
    fn a_zero_weight_is_gray_and_a_small_one_is_not() {
        let chroma = |color: Color| color.rgb().max_element() / color.rgb().min_element();
        assert!(chroma(Ramp::Heat.color(0.0)) < 1.6);
        assert!(chroma(Ramp::Heat.color(0.05)) > 4.0);
    }

    #[test]
    fn ramps_clamp_their_input_and_mark_nan() {
        assert_eq!(Ramp::Heat.color(7.0), Ramp::Heat.color(1.0));
        assert_eq!(Ramp::Balance.color(-7.0), Ramp::Balance.color(0.0));
        assert_eq!(Ramp::Ember.color(f32::NAN), Color::linear(1.0, 0.0, 1.0));
    }
}
