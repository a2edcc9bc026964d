//! Horizontal bar charts for measurements.

use crate::canvas::{Rect, fill_rect};
use crate::color::Color;
use crate::picture::Picture;
use crate::raster::MAX_SIDE;
use crate::text::{TextAlign, TextStyle, draw_text, fitted, text_width};
use crate::theme::{PageColors, Theme};

/// One bar of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The text on its left.
    pub label: String,
    /// Its length; values that are negative or not finite are drawn without a bar.
    pub value: f32,
    /// The text at its right end, with the unit.
    pub caption: String,
    /// The fill color of the bar.
    pub color: Color,
}

/// Labeled horizontal bars under a title, all starting at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    /// The heading above the chart.
    pub title: String,
    /// A line under the title that says what is measured and in which unit.
    pub subtitle: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// Width in pixels, at most [`MAX_SIDE`]. The height follows from the number of bars.
    pub width_px: u32,
    /// The colors of page and text.
    pub theme: Theme,
}

impl BarChart {
    /// An empty chart, 900 pixels wide.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            bars: Vec::new(),
            width_px: 900,
            theme: Theme::Light,
        }
    }

    /// Draws the chart into a new picture of its own size.
    pub fn draw(&self) -> Picture {
        let colors = self.theme.page();
        let layout = BarLayout::new(self);
        let mut page = Picture::filled(layout.width_px, layout.height_px, colors.page);
        let style = TextStyle::new(layout.text_px * 1.5, colors.ink);
        let room = layout.width_px as f32 - 2.0 * layout.margin_px;
        draw_text(&mut page, &fitted(&self.title, room, &style), layout.margin_px, layout.text_px, &style);
        let style = TextStyle::new(layout.text_px, colors.muted);
        let below_title = layout.text_px * 3.2;
        draw_text(&mut page, &fitted(&self.subtitle, room, &style), layout.margin_px, below_title, &style);
        for (row, bar) in self.bars.iter().enumerate() {
            layout.draw_bar(&mut page, row, bar, &colors);
        }
        page
    }
}

/// Positions on the page, in pixels.
struct BarLayout {
    width_px: u32,
    height_px: u32,
    text_px: f32,
    margin_px: f32,
    /// The left end of all bars.
    zero_px: f32,
    px_per_unit: f32,
}

impl BarLayout {
    fn new(chart: &BarChart) -> Self {
        let width_px = chart.width_px.min(MAX_SIDE);
        let text_px = (width_px as f32 * 0.02).clamp(11.0, 26.0);
        let margin_px = text_px * 1.4;
        let style = TextStyle::new(text_px, Color::BLACK);
        let widest = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| text_width(text, &style)).fold(0.0, f32::max)
        };
        let labels = widest(&mut chart.bars.iter().map(|bar| &bar.label));
        let captions = widest(&mut chart.bars.iter().map(|bar| &bar.caption));
        let zero_px = margin_px + labels + text_px * 0.8;
        let room = (width_px as f32 - zero_px - captions - text_px * 0.6 - margin_px).max(1.0);
        let longest = chart.bars.iter().map(|bar| bar.value).filter(|v| v.is_finite()).fold(0.0, f32::max);
        let px_per_unit = if longest > 0.0 { room / longest } else { 0.0 };
        let rows_px = chart.bars.len() as f32 * text_px * 2.0;
        let height_px = ((text_px * 5.6 + rows_px + margin_px) as u32).min(MAX_SIDE);
        Self { width_px, height_px, text_px, margin_px, zero_px, px_per_unit }
    }

    fn draw_bar(&self, page: &mut Picture, row: usize, bar: &Bar, colors: &PageColors) {
        let top = self.text_px * (5.4 + 2.0 * row as f32);
        let length = if bar.value.is_finite() { bar.value.max(0.0) * self.px_per_unit } else { 0.0 };
        fill_rect(page, Rect::new(self.zero_px, top, length, self.text_px * 1.4), 2.0, bar.color);
        let baseline = top + self.text_px * 0.15;
        let label = TextStyle::new(self.text_px, colors.ink).aligned(TextAlign::Right);
        draw_text(page, &bar.label, self.zero_px - self.text_px * 0.8, baseline, &label);
        let caption = TextStyle::new(self.text_px, colors.muted);
        draw_text(page, &bar.caption, self.zero_px + length + self.text_px * 0.5, baseline, &caption);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f32) -> Bar {
        Bar { label: "label".into(), value, caption: "caption".into(), color: Color::BLACK }
    }

    fn black_pixels(page: &Picture) -> usize {
        page.pixels().iter().filter(|pixel| **pixel == [0, 0, 0, 255]).count()
    }

    #[test]
    fn twice_the_value_is_twice_the_bar() {
        let areas = [[4.0, 2.0], [4.0, 4.0]].map(|values| {
            let chart = BarChart { bars: values.map(bar).to_vec(), ..BarChart::new("t", "s") };
            black_pixels(&chart.draw()) as f32
        });
        assert!((areas[0] / areas[1] - 0.75).abs() < 0.01, "{areas:?}");
    }

    #[test]
    fn charts_without_bars_or_with_nan_are_drawn() {
        assert_eq!(BarChart::new("", "").draw().width(), 900);
        let odd = vec![bar(f32::NAN), bar(-1.0), bar(f32::INFINITY)];
        let chart = BarChart { bars: odd, ..BarChart::new("t", "s") };
        assert_eq!(black_pixels(&chart.draw()), 0);
    }
}
