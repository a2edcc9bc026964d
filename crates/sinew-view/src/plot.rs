//! Line plots for figures and reports.

use crate::canvas::{Rect, draw_dot, draw_lines};
use crate::color::Color;
use crate::glam::Vec2;
use crate::legend::{Legend, short_number};
use crate::palette::series_color;
use crate::picture::Picture;
use crate::raster::MAX_SIDE;
use crate::text::{TextAlign, TextStyle, draw_text, fitted, text_width};
use crate::theme::{PageColors, Theme};

/// Whether a series is drawn as a line or as dots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotMark {
    /// A line through all points.
    #[default]
    Line,
    /// A line with a dot at each point.
    DottedLine,
    /// A dot at each point, no line.
    Dots,
}

/// A named set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Color of line and dots.
    pub color: Color,
    /// Points in axis units; points that are not finite leave a gap.
    pub points: Vec<Vec2>,
    /// Whether to draw a line or dots.
    pub mark: PlotMark,
}

/// A plot of one or more series.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Title above the plot; may be empty.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x_label: String,
    /// Label of the vertical axis, with its unit.
    pub y_label: String,
    /// Series in drawing order.
    pub series: Vec<Series>,
    /// Range of the horizontal axis; `None` fits the points.
    pub x_range: Option<[f32; 2]>,
    /// Range of the vertical axis; `None` fits the points.
    pub y_range: Option<[f32; 2]>,
    /// Width in pixels, at most [`MAX_SIDE`].
    pub width: u32,
    /// Height in pixels, at most [`MAX_SIDE`].
    pub height: u32,
    /// Light, dark or transparent page.
    pub theme: Theme,
}

impl Plot {
    /// An empty plot of 900 by 520 pixels.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            series: Vec::new(),
            x_range: None,
            y_range: None,
            width: 900,
            height: 520,
            theme: Theme::Light,
        }
    }

    /// The same plot with one more line, in the next color of the palette.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, points: Vec<Vec2>) -> Self {
        let color = series_color(self.series.len());
        self.series.push(Series { name: name.into(), color, points, mark: PlotMark::Line });
        self
    }

    /// Draws the plot into a picture.
    pub fn draw(&self) -> Picture {
        let colors = self.theme.page();
        let (width, height) = (self.width.min(MAX_SIDE), self.height.min(MAX_SIDE));
        let mut page = Picture::filled(width, height, colors.page);
        let text = (width as f32 * 0.02).clamp(11.0, 26.0);
        let axes = self.axes(text, Vec2::new(width as f32, height as f32));
        self.draw_words(&mut page, &axes, text, &colors);
        axes.draw(&mut page, text, &colors);
        for series in &self.series {
            axes.draw_series(&mut page, series, text);
        }
        page
    }

    fn axes(&self, text: f32, size: Vec2) -> Axes {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|p| p.is_finite());
        let x = self.x_range.unwrap_or_else(|| range(points().map(|point| point.x), 0.0));
        let y = self.y_range.unwrap_or_else(|| range(points().map(|point| point.y), 0.06));
        let (x_ticks, y_ticks) = (ticks(x, 8), ticks(y, 6));
        let style = TextStyle::new(text, Color::BLACK);
        let widest = y_ticks.iter().map(|&tick| text_width(&short_number(tick), &style)).fold(0.0, f32::max);
        let top = text * 1.3 + if self.title.is_empty() { 0.0 } else { text * 2.4 } + text * 3.1;
        let min = Vec2::new(text * 2.0 + widest, top);
        let max = (size - Vec2::new(text * 2.0, text * 4.2)).max(min + 1.0);
        Axes { area: Rect { min, max }, x, y, x_ticks, y_ticks }
    }

    fn draw_words(&self, page: &mut Picture, axes: &Axes, text: f32, colors: &PageColors) {
        let left = text * 1.4;
        let room = page.width() as f32 - 2.0 * left;
        let mut y = text * 1.1;
        if !self.title.is_empty() {
            let style = TextStyle::new(text * 1.5, colors.ink);
            draw_text(page, &fitted(&self.title, room, &style), left, y, &style);
            y += text * 2.4;
        }
        let keys = self.series.iter().map(|series| (series.color, series.name.clone())).collect();
        Legend::Keys(keys).draw(page, Vec2::new(left, y), room, text, colors);
        let style = TextStyle::new(text, colors.muted);
        draw_text(page, &self.y_label, left, axes.area.min.y - text * 1.7, &style);
        let style = style.aligned(TextAlign::Center);
        let middle = (axes.area.min.x + axes.area.max.x) * 0.5;
        draw_text(page, &self.x_label, middle, axes.area.max.y + text * 2.1, &style);
    }
}

/// Maps values to pixels of the page.
struct Axes {
    area: Rect,
    x: [f32; 2],
    y: [f32; 2],
    x_ticks: Vec<f32>,
    y_ticks: Vec<f32>,
}

impl Axes {
    fn place(&self, value: Vec2) -> Vec2 {
        let fraction = |value: f32, [low, high]: [f32; 2]| (value - low) / (high - low);
        Vec2::new(
            self.area.min.x + fraction(value.x, self.x) * self.area.width(),
            self.area.max.y - fraction(value.y, self.y) * self.area.height(),
        )
    }

    fn draw(&self, page: &mut Picture, text: f32, colors: &PageColors) {
        let style = TextStyle::new(text, colors.muted);
        for &tick in &self.y_ticks {
            let y = self.place(Vec2::new(self.x[0], tick)).y;
            draw_lines(
                page,
                &[Vec2::new(self.area.min.x, y), Vec2::new(self.area.max.x, y)],
                1.0,
                colors.rule,
            );
            let label = style.aligned(TextAlign::Right);
            draw_text(page, &short_number(tick), self.area.min.x - text * 0.6, y - text * 0.55, &label);
        }
        let bottom = self.area.max.y;
        for &tick in &self.x_ticks {
            let x = self.place(Vec2::new(tick, self.y[0])).x;
            draw_lines(page, &[Vec2::new(x, bottom), Vec2::new(x, bottom + text * 0.35)], 1.0, colors.muted);
            draw_text(page, &short_number(tick), x, bottom + text * 0.5, &style.aligned(TextAlign::Center));
        }
        let base = [Vec2::new(self.area.min.x, bottom), self.area.max];
        draw_lines(page, &base, 1.4, colors.muted);
    }

    fn draw_series(&self, page: &mut Picture, series: &Series, text: f32) {
        // A line far outside the page is clamped to its edge, which is cheaper to draw.
        let far = Vec2::splat(4.0 * MAX_SIDE as f32);
        let points: Vec<Vec2> =
            series.points.iter().map(|&point| self.place(point).clamp(-far, far)).collect();
        let width = text * 0.15;
        if series.mark != PlotMark::Dots {
            draw_lines(page, &points, width, series.color);
        }
        if series.mark != PlotMark::Line {
            for &point in &points {
                draw_dot(page, point, width * 1.6, series.color);
            }
        }
    }
}

/// The range of values, widened by a fraction on both sides and never empty.
fn range(values: impl Iterator<Item = f32>, widen: f32) -> [f32; 2] {
    let (low, high) = values
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return [0.0, 1.0];
    }
    let span = high - low;
    let pad = if span > 0.0 { span * widen } else { low.abs().max(1.0) * 0.5 };
    [low - pad, high + pad]
}

/// Round values (1, 2 or 5 times a power of ten apart) within a range, about `count` of them.
fn ticks([low, high]: [f32; 2], count: u32) -> Vec<f32> {
    let span = f64::from(high) - f64::from(low);
    if !span.is_finite() || span <= 0.0 {
        return Vec::new();
    }
    let wanted = span / f64::from(count);
    let decade = 10f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|&step| step >= wanted * 0.999)
        .unwrap_or(wanted);
    let first = (f64::from(low) / step - 1e-6).ceil() as i64;
    let last = (f64::from(high) / step + 1e-6).floor() as i64;
    (first..=last).take(1000).map(|index| (index as f64 * step) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks([0.0, 1.0], 6), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks([-7.0, 13.0], 4), [-5.0, 0.0, 5.0, 10.0]);
        assert!(ticks([1.0, 1.0], 5).is_empty() && ticks([0.0, f32::NAN], 5).is_empty());
    }

    #[test]
    fn a_rising_line_is_drawn_from_lower_left_to_upper_right() {
        let plot = Plot::new("t", "x", "y").with("s", vec![Vec2::ZERO, Vec2::ONE]);
        let page = plot.draw();
        let line = series_color(0).to_srgb8();
        let inked: Vec<(usize, usize)> = (0..page.pixels().len())
            .filter(|&index| page.pixels()[index] == line)
            .map(|index| (index % 900, index / 900))
            .filter(|place| place.1 > 120)
            .collect();
        let first = inked.iter().min().unwrap();
        let last = inked.iter().max().unwrap();
        assert!(inked.len() > 800 && first.1 > last.1 + 200);
    }

    #[test]
    fn plots_without_points_or_with_nan_are_drawn() {
        let nothing = Plot::new("", "", "").draw();
        assert_eq!((nothing.width(), nothing.height()), (900, 520));
        let odd = vec![Vec2::NAN, Vec2::splat(1e30), Vec2::ZERO, Vec2::splat(f32::NEG_INFINITY)];
        let plot = Plot { width: 64, height: 48, ..Plot::new("t", "x", "y").with("odd", odd) };
        assert_eq!(plot.draw().width(), 64);
    }
}
