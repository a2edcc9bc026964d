//! Antialiased 2D shapes on pictures: rectangles, lines and dots.

use crate::color::Color;
use crate::glam::Vec2;
use crate::picture::Picture;

/// A rectangle in pixels of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Upper left corner in pixels.
    pub min: Vec2,
    /// Lower right corner in pixels.
    pub max: Vec2,
}

impl Rect {
    /// A rectangle from its upper left corner and its size.
    pub fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self { min: Vec2::new(x, y), max: Vec2::new(x + width, y + height) }
    }

    /// Width of the rectangle in pixels.
    pub fn width(&self) -> f32 {
        self.max.x - self.min.x
    }

    /// Height of the rectangle in pixels.
    pub fn height(&self) -> f32 {
        self.max.y - self.min.y
    }
}

/// Fills a rectangle with corners rounded by `radius` pixels.
pub fn fill_rect(picture: &mut Picture, rect: Rect, radius: f32, color: Color) {
    let bytes = color.to_srgb8();
    for_each_pixel(picture, rect.min, rect.max, |picture, x, y, middle| {
        picture.blend(x, y, bytes, rounded_cover(rect, radius, middle));
    });
}

/// Clears everything outside the rounded corners of the whole picture.
pub fn round_corners(picture: &mut Picture, radius: f32) {
    let rect = Rect::new(0.0, 0.0, picture.width() as f32, picture.height() as f32);
    let width = picture.width().max(1) as usize;
    for (index, pixel) in picture.pixels_mut().iter_mut().enumerate() {
        let middle = Vec2::new((index % width) as f32 + 0.5, (index / width) as f32 + 0.5);
        pixel[3] = (f32::from(pixel[3]) * rounded_cover(rect, radius, middle) + 0.5) as u8;
    }
}

/// Draws connected lines of `width` pixels; points that are not finite break the line.
pub fn draw_lines(picture: &mut Picture, points: &[Vec2], width: f32, color: Color) {
    let half = width * 0.5;
    let finite = || points.iter().copied().filter(|point| point.is_finite());
    let (Some(low), Some(high)) = (finite().reduce(Vec2::min), finite().reduce(Vec2::max)) else { return };
    let size = Vec2::new(picture.width() as f32, picture.height() as f32);
    let low = (low - half - 1.0).floor().clamp(Vec2::ZERO, size);
    let high = (high + half + 1.0).ceil().clamp(Vec2::ZERO, size);
    let columns = (high.x - low.x) as usize;
    // Coverage is collected first, so that joints between segments are not drawn twice.
    let mut cover = vec![0.0f32; columns * (high.y - low.y) as usize];
    for pair in points.windows(2).filter(|pair| pair[0].is_finite() && pair[1].is_finite()) {
        let from = (pair[0].min(pair[1]) - half - 1.0).clamp(low, high) - low;
        let to = (pair[0].max(pair[1]) + half + 1.0).clamp(low, high) - low;
        for row in from.y as usize..to.y as usize {
            for column in from.x as usize..to.x as usize {
                let middle = low + Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let ink = (half + 0.5 - distance(middle, pair[0], pair[1])).clamp(0.0, 1.0);
                let cell = &mut cover[row * columns + column];
                *cell = cell.max(ink);
            }
        }
    }
    let bytes = color.to_srgb8();
    for (index, &ink) in cover.iter().enumerate().filter(|cell| *cell.1 > 0.0) {
        let place = low + Vec2::new((index % columns) as f32, (index / columns) as f32);
        picture.blend(place.x as i32, place.y as i32, bytes, ink);
    }
}

/// Draws a filled disc with a radius in pixels.
pub fn draw_dot(picture: &mut Picture, center: Vec2, radius: f32, color: Color) {
    let bytes = color.to_srgb8();
    if center.is_finite() {
        for_each_pixel(picture, center - radius - 1.0, center + radius + 1.0, |picture, x, y, middle| {
            picture.blend(x, y, bytes, radius + 0.5 - middle.distance(center));
        });
    }
}

fn for_each_pixel(
    picture: &mut Picture,
    min: Vec2,
    max: Vec2,
    mut visit: impl FnMut(&mut Picture, i32, i32, Vec2),
) {
    let size = Vec2::new(picture.width() as f32, picture.height() as f32);
    let (min, max) = (min.floor().clamp(Vec2::ZERO, size), max.ceil().clamp(Vec2::ZERO, size));
    for y in min.y as i32..max.y as i32 {
        for x in min.x as i32..max.x as i32 {
            visit(picture, x, y, Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
        }
    }
}

fn rounded_cover(rect: Rect, radius: f32, middle: Vec2) -> f32 {
    let half = (rect.max - rect.min) * 0.5;
    let radius = radius.clamp(0.0, half.min_element().max(0.0));
    let beyond = (middle - (rect.min + rect.max) * 0.5).abs() - (half - radius);
    let outside = beyond.max(Vec2::ZERO).length() + beyond.max_element().min(0.0) - radius;
    (0.5 - outside).clamp(0.0, 1.0)
}

fn distance(point: Vec2, from: Vec2, to: Vec2) -> f32 {
    let along = to - from;
    let length = along.length_squared();
    let t = if length > 0.0 { ((point - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + along * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(picture: &Picture) -> f32 {
        picture.pixels().iter().map(|pixel| 1.0 - f32::from(pixel[0]) / 255.0).sum()
    }

    #[test]
    fn a_rectangle_covers_its_area() {
        let mut page = Picture::filled(20, 20, Color::WHITE);
        fill_rect(&mut page, Rect::new(3.0, 4.0, 10.0, 5.0), 0.0, Color::BLACK);
        assert!((ink(&page) - 50.0).abs() < 0.1);
    }

    #[test]
    fn rounded_corners_leave_a_quarter_disc_missing() {
        let mut page = Picture::filled(40, 40, Color::WHITE);
        fill_rect(&mut page, Rect::new(0.0, 0.0, 40.0, 40.0), 10.0, Color::BLACK);
        let missing = 100.0 * (4.0 - std::f32::consts::PI);
        assert!((ink(&page) - (1600.0 - missing)).abs() < 3.0);
    }

    #[test]
    fn a_line_has_its_width_and_its_joints_are_drawn_once() {
        let mut page = Picture::filled(60, 20, Color::WHITE);
        let points = [Vec2::new(10.0, 10.0), Vec2::new(30.0, 10.0), Vec2::new(50.0, 10.0)];
        draw_lines(&mut page, &points, 3.0, Color::BLACK.with_alpha(0.5));
        let darkest = page.pixels().iter().map(|pixel| pixel[0]).min();
        assert!(darkest.is_some_and(|value| value.abs_diff(128) <= 1), "{darkest:?}");
        assert!((ink(&page) * 2.0 - (40.0 * 3.0 + 7.1)).abs() < 3.0);
    }

    #[test]
    fn shapes_outside_the_picture_or_not_finite_are_ignored() {
        let mut page = Picture::filled(8, 8, Color::WHITE);
        draw_lines(&mut page, &[Vec2::NAN, Vec2::splat(1e9), Vec2::splat(-1e9)], 2.0, Color::WHITE);
        draw_dot(&mut page, Vec2::INFINITY, 3.0, Color::BLACK);
        fill_rect(&mut page, Rect::new(-90.0, -90.0, 10.0, 10.0), 2.0, Color::BLACK);
        assert!(ink(&page).abs() < 1e-6);
    }
}
