//! The ground: a fading grid and the subject's shadow.

use crate::color::Color;
use crate::glam::Vec2;

/// A horizontal ground plane behind all layers, invisible from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundGrid {
    /// World Y of the plane in meters.
    pub height: f32,
    /// World X and Z of the center in meters.
    pub center: Vec2,
    /// Distance from the center in meters at which the ground has faded out.
    pub radius: f32,
    /// Grid lines, if they are shown.
    pub grid: Option<GridLines>,
    /// Shadow of the layers, if it is shown.
    pub shadow: Option<Shadow>,
}

/// Grid lines on the ground; widths are in pixels, so that distant lines stay fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLines {
    /// Meters between major lines.
    pub spacing: f32,
    /// Minor cells per major cell; 1 draws no minor lines.
    pub subdivisions: u32,
    /// Color and opacity of major lines; minor lines have half the opacity.
    pub color: Color,
    /// Color of the line along world X.
    pub axis_x: Color,
    /// Color of the line along world Z.
    pub axis_z: Color,
    /// Width of a major line in pixels.
    pub width_px: f32,
}

/// A soft shadow that the scene's first light casts on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Color and maximum opacity of the shadow.
    pub color: Color,
    /// Blur of the shadow's far end in meters; it is sharp where the subject touches the ground.
    pub softness: f32,
}

impl GroundGrid {
    /// A ground plane at `height` for a subject of `subject_size` meters that stands at `center`.
    pub fn under(center: Vec2, height: f32, subject_size: f32) -> Self {
        let size = if subject_size.is_finite() && subject_size > 0.0 { subject_size } else { 1.0 };
        Self {
            height,
            center,
            radius: size * 1.7,
            grid: Some(GridLines::for_size(size)),
            shadow: Some(Shadow {
                color: Color::linear(0.008, 0.010, 0.018).with_alpha(0.46),
                softness: size * 0.055,
            }),
        }
    }
}

impl GridLines {
    /// A grid with a round spacing (1, 2 or 5 times a power of ten) near a quarter of `size` meters.
    pub fn for_size(size: f32) -> Self {
        let wanted = (size * 0.25).clamp(1e-6, 1e6);
        let decade = 10f32.powi(wanted.log10().floor() as i32);
        let spacing = [1.0, 2.0, 5.0, 10.0]
            .map(|step| step * decade)
            .into_iter()
            .find(|&step| step >= wanted * 0.999)
            .unwrap_or(wanted);
        Self {
            spacing,
            subdivisions: 5,
            color: Color::hex(0x5b6270).with_alpha(0.42),
            axis_x: Color::hex(0xc0464c).with_alpha(0.7),
            axis_z: Color::hex(0x3f74c8).with_alpha(0.7),
            width_px: 1.2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_spacings_are_round_numbers() {
        for (size, spacing) in [(1.8, 0.5), (0.01, 0.005), (77.0, 20.0), (4.0, 1.0)] {
            assert!((GridLines::for_size(size).spacing / spacing - 1.0).abs() < 1e-4, "size {size}");
        }
    }
}
