//! Paints that give a surface its base color.

use std::sync::Arc;

use crate::color::Color;
use crate::geometry::{Geometry, GeometryError, same_length};
use crate::palette::Ramp;
use crate::texture::{DecodedTexture, TextureSampler};

/// The base color of a mesh layer.
#[derive(Clone, Debug)]
pub enum Paint {
    /// One color for the whole mesh.
    Solid(Color),
    /// One color per vertex, interpolated over triangles.
    Vertices(Arc<[Color]>),
    /// One color per triangle, not interpolated.
    Faces(Arc<[Color]>),
    /// One scalar per vertex, mapped to a color ramp.
    Scalar(ScalarPaint),
    /// A texture mapped to the mesh.
    Texture(TexturePaint),
}

/// A scalar field over the vertices; values are interpolated and then colored per pixel.
#[derive(Clone, Debug)]
pub struct ScalarPaint {
    /// One value per vertex.
    pub values: Arc<[f32]>,
    /// Value at the lower end of the ramp.
    pub low: f32,
    /// Value at the upper end of the ramp.
    pub high: f32,
    /// Color ramp from `low` to `high`.
    pub ramp: Ramp,
    /// Lines of equal value, if they are shown.
    pub contours: Option<Contours>,
}

/// Lines of equal value over a scalar field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contours {
    /// Number of bands from the lower to the upper end; lines separate the bands.
    pub bands: u32,
    /// Width of a contour line in pixels.
    pub width_px: f32,
    /// Color and opacity of contour lines.
    pub color: Color,
}

impl Default for Contours {
    fn default() -> Self {
        Self { bands: 10, width_px: 1.0, color: Color::linear(0.02, 0.02, 0.03).with_alpha(0.45) }
    }
}

/// A texture multiplied by a tint and optional vertex colors.
#[derive(Clone, Debug)]
pub struct TexturePaint {
    /// The decoded texture with its mip levels.
    pub texture: Arc<DecodedTexture>,
    /// Wrap modes and filter of the texture.
    pub sampler: TextureSampler,
    /// Color that every texel is multiplied by.
    pub tint: Color,
    /// One color per vertex that texels are multiplied by.
    pub vertices: Option<Arc<[Color]>>,
    /// Texels with less alpha are not drawn; `None` draws all texels opaque.
    pub alpha_cutoff: Option<f32>,
}

impl Paint {
    /// A heat map of weights from 0 to 1 with contour lines.
    pub fn heat(values: impl Into<Arc<[f32]>>) -> Self {
        Self::Scalar(ScalarPaint {
            values: values.into(),
            low: 0.0,
            high: 1.0,
            ramp: Ramp::Heat,
            contours: Some(Contours::default()),
        })
    }

    pub(crate) fn check(&self, geometry: &Geometry) -> Result<(), GeometryError> {
        let (vertices, faces) = (geometry.positions().len(), geometry.triangles().len());
        match self {
            Self::Solid(_) => Ok(()),
            Self::Vertices(colors) => same_length("vertex colors", colors.len(), vertices),
            Self::Faces(colors) => same_length("face colors", colors.len(), faces),
            Self::Scalar(scalar) => same_length("scalar values", scalar.values.len(), vertices),
            Self::Texture(paint) => {
                if geometry.uvs().is_none() {
                    return Err(GeometryError::MissingUvs);
                }
                paint
                    .vertices
                    .as_ref()
                    .map_or(Ok(()), |colors| same_length("vertex colors", colors.len(), vertices))
            }
        }
    }
}
