//! What gives a surface its colour.

use std::sync::Arc;

use crate::color::Color;
use crate::geometry::{Geometry, GeometryError, same_length};
use crate::palette::Ramp;
use crate::texture::{DecodedTexture, TextureSampler};

/// The base colour of a mesh.
#[derive(Clone, Debug)]
pub enum Paint {
    /// One colour all over.
    Solid(Color),
    /// A colour a vertex, mixed across triangles.
    Vertices(Arc<[Color]>),
    /// A colour a triangle, with hard borders.
    Faces(Arc<[Color]>),
    /// A number a vertex, shown through a colour scale.
    Scalar(ScalarPaint),
    /// A picture wrapped around the mesh.
    Texture(TexturePaint),
}

/// A scalar field over the vertices; the number is interpolated first and coloured per pixel.
#[derive(Clone, Debug)]
pub struct ScalarPaint {
    /// One value a vertex.
    pub values: Arc<[f32]>,
    /// The value at the lower end of the scale.
    pub low: f32,
    /// The value at the upper end of the scale.
    pub high: f32,
    /// The colours.
    pub ramp: Ramp,
    /// Lines of equal value, if wanted.
    pub contours: Option<Contours>,
}

/// Lines of equal value over a scalar field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contours {
    /// Bands between the lower and the upper end; lines run between bands.
    pub bands: u32,
    /// Line width in pixels.
    pub width_px: f32,
    /// Line colour and opacity.
    pub color: Color,
}

impl Default for Contours {
    fn default() -> Self {
        Self { bands: 10, width_px: 1.0, color: Color::linear(0.02, 0.02, 0.03).with_alpha(0.45) }
    }
}

/// A texture times a tint times optional vertex colours.
#[derive(Clone, Debug)]
pub struct TexturePaint {
    /// The picture.
    pub texture: Arc<DecodedTexture>,
    /// How it is read.
    pub sampler: TextureSampler,
    /// Multiplied into every texel.
    pub tint: Color,
    /// A colour a vertex, multiplied in as well.
    pub vertices: Option<Arc<[Color]>>,
    /// Texels with less alpha than this leave a hole; `None` draws all of them opaque.
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
            Self::Vertices(colors) => same_length("vertex colours", colors.len(), vertices),
            Self::Faces(colors) => same_length("face colours", colors.len(), faces),
            Self::Scalar(scalar) => same_length("scalar values", scalar.values.len(), vertices),
            Self::Texture(paint) => {
                if geometry.uvs().is_none() {
                    return Err(GeometryError::MissingUvs);
                }
                paint
                    .vertices
                    .as_ref()
                    .map_or(Ok(()), |colors| same_length("vertex colours", colors.len(), vertices))
            }
        }
    }
}
