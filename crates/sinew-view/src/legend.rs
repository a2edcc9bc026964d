//! Legends that explain the colors of a picture.

use crate::canvas::{Rect, draw_lines, fill_rect, round_corners};
use crate::color::Color;
use crate::glam::Vec2;
use crate::palette::Ramp;
use crate::picture::Picture;
use crate::text::{TextAlign, TextStyle, draw_text, text_width};
use crate::theme::PageColors;

/// The legend of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// A color ramp with the values at its ends.
    Scale {
        /// The color ramp of the scale.
        ramp: Ramp,
        /// Value at the left end.
        low: f32,
        /// Value at the right end.
        high: f32,
        /// The measured quantity with its unit.
        label: String,
    },
    /// Swatches with their labels.
    Keys(Vec<(Color, String)>),
}

impl Legend {
    /// Height of the legend in pixels for text of `text_px` pixels.
    pub fn height(&self, text_px: f32) -> f32 {
        match self {
            Self::Scale { .. } => text_px * 2.6,
            Self::Keys(_) => text_px * 1.4,
        }
    }

    /// Draws the legend with its upper left corner at `place`, at most `width` pixels wide.
    pub fn draw(&self, picture: &mut Picture, place: Vec2, width: f32, text_px: f32, colors: &PageColors) {
        match self {
            Self::Scale { ramp, low, high, label } => {
                let style = TextStyle::new(text_px, colors.muted);
                draw_text(picture, label, place.x, place.y, &style);
                let left = place.x + text_width(label, &style) + text_px;
                let bar = Rect::new(left, place.y, (width * 0.5).clamp(80.0, 420.0), text_px);
                draw_bar(picture, bar, *ramp);
                draw_ticks(picture, bar, [*low, *high], text_px, colors);
            }
            Self::Keys(keys) => draw_keys(picture, keys, place, width, text_px, colors),
        }
    }
}

fn draw_bar(picture: &mut Picture, bar: Rect, ramp: Ramp) {
    let (width, height) = (bar.width().max(1.0) as u32, bar.height().max(1.0) as u32);
    let mut strip = Picture::filled(width, height, Color::TRANSPARENT);
    for (index, pixel) in strip.pixels_mut().iter_mut().enumerate() {
        let along = ((index % width as usize) as f32 + 0.5) / width as f32;
        *pixel = ramp.color(along).to_srgb8();
    }
    round_corners(&mut strip, height as f32 * 0.25);
    picture.place(&strip, bar.min.x as i32, bar.min.y as i32);
}

fn draw_ticks(picture: &mut Picture, bar: Rect, range: [f32; 2], text_px: f32, colors: &PageColors) {
    let style = TextStyle::new(text_px * 0.85, colors.muted).aligned(TextAlign::Center);
    for step in 0..=4 {
        let along = step as f32 / 4.0;
        let x = bar.min.x + bar.width() * along;
        let top = bar.max.y + 2.0;
        draw_lines(picture, &[Vec2::new(x, top), Vec2::new(x, top + text_px * 0.25)], 1.0, colors.muted);
        let value = range[0] + (range[1] - range[0]) * along;
        draw_text(picture, &short_number(value), x, top + text_px * 0.3, &style);
    }
}

fn draw_keys(
    picture: &mut Picture,
    keys: &[(Color, String)],
    place: Vec2,
    width: f32,
    text_px: f32,
    colors: &PageColors,
) {
    let style = TextStyle::new(text_px, colors.muted);
    let mut x = place.x;
    for (color, name) in keys {
        let needed = text_px * 1.3 + text_width(name, &style) + text_px * 1.2;
        if x + needed > place.x + width && x > place.x {
            break;
        }
        let swatch = Rect::new(x, place.y + text_px * 0.1, text_px * 0.85, text_px * 0.85);
        fill_rect(picture, swatch, text_px * 0.2, *color);
        draw_text(picture, name, x + text_px * 1.3, place.y, &style);
        x += needed;
    }
}

/// A number with three significant digits and no trailing zeros.
pub(crate) fn short_number(value: f32) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size > 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = if size >= 100.0 || size == 0.0 { 0 } else { 2 - size.log10().floor() as i32 };
    let text = format!("{value:.*}", digits.clamp(0, 7) as usize);
    let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if trimmed == "-0" { "0".to_owned() } else { trimmed.replace('-', "\u{2212}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_no_trailing_zeros() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (12.5, "12.5"),
            (1234.0, "1234"),
            (-0.5, "\u{2212}0.5"),
            (0.001, "0.001"),
            (1e-7, "1.0e-7"),
        ];
        for (value, text) in cases {
            assert_eq!(short_number(value), text);
        }
    }
}
