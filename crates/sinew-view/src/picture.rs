//! Pictures of sRGB bytes with straight alpha.

use crate::color::Color;

/// Rows of RGBA bytes from the upper left, sRGB, straight alpha.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Picture({} x {})", self.width, self.height)
    }
}

impl Picture {
    /// A picture filled with one color; either side may be zero.
    pub fn filled(width: u32, height: u32, color: Color) -> Self {
        Self { width, height, pixels: vec![color.to_srgb8(); width as usize * height as usize] }
    }

    /// A picture from its pixels, or `None` if their number is not `width * height`.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<[u8; 4]>) -> Option<Self> {
        (pixels.len() == width as usize * height as usize).then_some(Self { width, height, pixels })
    }

    /// Number of pixels per row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows of pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// All pixels for writing, row by row from the top.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// All bytes, four per pixel.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// The pixel in column `x` of row `y`, or `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        (x < self.width && y < self.height)
            .then(|| self.pixels[y as usize * self.width as usize + x as usize])
    }

    /// Whether every pixel is opaque.
    pub fn is_opaque(&self) -> bool {
        self.pixels.iter().all(|pixel| pixel[3] == 255)
    }

    /// Blends `color` over the pixel at (x, y) with `coverage` from 0 to 1; positions outside are ignored.
    ///
    /// Blending works on sRGB values, which keeps small text evenly dark.
    pub fn blend(&mut self, x: i32, y: i32, color: [u8; 4], coverage: f32) {
        let (Ok(column), Ok(row)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if column >= self.width || row >= self.height {
            return;
        }
        let under = &mut self.pixels[row as usize * self.width as usize + column as usize];
        let alpha = coverage.clamp(0.0, 1.0) * f32::from(color[3]) / 255.0;
        if alpha > 0.0 {
            *under = over(color, alpha, *under);
        }
    }

    /// Blends `other` over this picture with its upper left corner at (x, y), by its alpha.
    pub fn place(&mut self, other: &Self, x: i32, y: i32) {
        for (row, line) in other.pixels.chunks_exact(other.width.max(1) as usize).enumerate() {
            let row = i32::try_from(row).unwrap_or(i32::MAX);
            for (column, &pixel) in line.iter().enumerate() {
                let column = i32::try_from(column).unwrap_or(i32::MAX);
                self.blend(x.saturating_add(column), y.saturating_add(row), pixel, 1.0);
            }
        }
    }
}

fn over(color: [u8; 4], alpha: f32, under: [u8; 4]) -> [u8; 4] {
    let under_alpha = f32::from(under[3]) / 255.0 * (1.0 - alpha);
    let total = alpha + under_alpha;
    if total <= 0.0 {
        return [0; 4];
    }
    let mix =
        |top: u8, low: u8| ((f32::from(top) * alpha + f32::from(low) * under_alpha) / total + 0.5) as u8;
    [
        mix(color[0], under[0]),
        mix(color[1], under[1]),
        mix(color[2], under[2]),
        (total * 255.0 + 0.5).min(255.0) as u8,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_wrong_number_of_pixels() {
        assert!(Picture::from_pixels(2, 2, vec![[0; 4]; 3]).is_none());
    }

    #[test]
    fn placing_partly_outside_keeps_the_rest() {
        let mut page = Picture::filled(4, 4, Color::BLACK);
        page.place(&Picture::filled(3, 3, Color::WHITE), -2, 3);
        assert_eq!(page.pixel(0, 3), Some([255; 4]));
        assert_eq!(page.pixels().iter().filter(|pixel| pixel[0] == 255).count(), 1);
    }

    #[test]
    fn half_coverage_of_white_on_black_is_middle_gray() {
        let mut page = Picture::filled(1, 1, Color::BLACK);
        page.blend(0, 0, [255; 4], 0.5);
        assert_eq!(page.pixel(0, 0), Some([128, 128, 128, 255]));
    }

    #[test]
    fn pictures_of_size_zero_can_be_drawn_on() {
        let mut nothing = Picture::filled(0, 7, Color::WHITE);
        nothing.blend(0, 0, [1; 4], 1.0);
        nothing.place(&Picture::filled(0, 0, Color::WHITE), 0, 0);
        assert_eq!(nothing.pixel(0, 0), None);
    }
}
