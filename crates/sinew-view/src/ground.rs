//! The floor: a fading grid and the figure's shadow.

use crate::color::Color;
use crate::glam::Vec2;

/// A horizontal floor drawn behind everything else; it is not drawn from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundGrid {
    /// World Y of the floor.
    pub height: f32,
    /// World X and Z of the middle of the floor.
    pub center: Vec2,
    /// Metres from the middle at which the floor has faded away.
    pub radius: f32,
    /// The lines, if any.
    pub grid: Option<GridLines>,
    /// The shadow, if any.
    pub shadow: Option<Shadow>,
}

/// Lines on the floor; widths are in pixels, so that far lines stay fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLines {
    /// Metres between major lines.
    pub spacing: f32,
    /// Minor cells in a major one; 1 draws no minor lines.
    pub subdivisions: u32,
    /// Colour and opacity of major lines; minor ones take half the opacity.
    pub color: Color,
    /// Colour of the line along world X.
    pub axis_x: Color,
    /// Colour of the line along world Z.
    pub axis_z: Color,
    /// Width of a major line in pixels.
    pub width_px: f32,
}

/// A soft shadow of all layers that cast one, thrown by the scene's first light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Colour and greatest opacity of the shadow.
    pub color: Color,
    /// Blur of the shadow's far end in metres; where the figure touches the floor it is sharp.
    pub softness: f32,
}

impl GroundGrid {
    /// A floor that suits a subject standing at `center` with the given height and radius in metres.
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
    /// A grid with a round spacing (1, 2 or 5 times a power of ten) near a quarter of `size` metres.
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
