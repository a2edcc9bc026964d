//! The things a scene is made of: meshes and lines, each with its look.

use std::sync::Arc;

use crate::color::Color;
use crate::geometry::{Geometry, GeometryError, same_length};
use crate::glam::Vec3;
use crate::paint::Paint;

/// How a layer meets those in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Depth {
    /// Hidden by whatever is nearer.
    #[default]
    Tested,
    /// Drawn over all tested layers; parts that lie behind them take `hidden_opacity`.
    XRay {
        /// 0 hides hidden parts, 1 shows them as if nothing were in front.
        hidden_opacity: f32,
    },
}

/// How light meets a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// Lit by the scene's lights.
    #[default]
    Lit,
    /// The paint's colour as it is.
    Unlit,
    /// The direction of the normal as a colour: X red, Y green, Z blue.
    Normals,
}

/// Which sides of triangles are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Both; back faces are lit from their own side.
    #[default]
    Both,
    /// Only those that run counter-clockwise on the screen.
    Front,
}

/// A line's look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineStroke {
    /// Width in pixels.
    pub width_px: f32,
    /// Colour and opacity.
    pub color: Color,
}

/// A mesh with its paint and look.
#[derive(Clone, Debug)]
pub struct MeshLayer {
    geometry: Geometry,
    paint: Paint,
    face_ids: Option<Arc<[u32]>>,
    /// What the layer is called in lists and hits.
    pub name: String,
    /// Lit, unlit or normals as colours.
    pub shading: Shading,
    /// Strength of highlights: 0 is chalk, 1 is polished.
    pub gloss: f32,
    /// Both sides or front only.
    pub sides: Sides,
    /// Tested or x-ray.
    pub depth: Depth,
    /// 1 is opaque; below it the layer's nearest surface is mixed over what lies behind.
    pub opacity: f32,
    /// Triangle edges drawn over the paint, measured on the screen so that they never flicker.
    pub wire: Option<LineStroke>,
    /// A line along the silhouette.
    pub outline: Option<LineStroke>,
    /// Whether the mesh throws a shadow on the ground.
    pub casts_shadow: bool,
    /// Whether rays can hit it.
    pub pickable: bool,
}

impl MeshLayer {
    /// A lit, opaque, shadow-casting layer.
    ///
    /// # Errors
    /// [`GeometryError`] when the paint's streams do not fit the geometry.
    pub fn new(geometry: Geometry, paint: Paint) -> Result<Self, GeometryError> {
        paint.check(&geometry)?;
        Ok(Self {
            geometry,
            paint,
            face_ids: None,
            name: String::new(),
            shading: Shading::Lit,
            gloss: 0.35,
            sides: Sides::Both,
            depth: Depth::Tested,
            opacity: 1.0,
            wire: None,
            outline: None,
            casts_shadow: true,
            pickable: true,
        })
    }

    /// The same layer with an id a triangle, such as a joint's index, that hits report.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] unless there is one id a triangle.
    pub fn with_face_ids(mut self, ids: impl Into<Arc<[u32]>>) -> Result<Self, GeometryError> {
        let ids = ids.into();
        same_length("face ids", ids.len(), self.geometry.triangles().len())?;
        self.face_ids = Some(ids);
        Ok(self)
    }

    /// The same layer with another paint.
    ///
    /// # Errors
    /// [`GeometryError`] when the paint's streams do not fit the geometry.
    pub fn with_paint(mut self, paint: Paint) -> Result<Self, GeometryError> {
        paint.check(&self.geometry)?;
        self.paint = paint;
        Ok(self)
    }

    /// The mesh.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The paint.
    pub fn paint(&self) -> &Paint {
        &self.paint
    }

    /// The id of a triangle, if ids were given.
    pub fn face_id(&self, face: usize) -> Option<u32> {
        self.face_ids.as_ref().and_then(|ids| ids.get(face).copied())
    }

    /// The ids, one a triangle, if they were given.
    pub fn face_ids(&self) -> Option<&Arc<[u32]>> {
        self.face_ids.as_ref()
    }
}

/// One straight line in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSegment {
    /// One end.
    pub from: Vec3,
    /// The other end.
    pub to: Vec3,
    /// Colour at `from`; alpha is not used.
    pub from_color: Color,
    /// Colour at `to`; alpha is not used.
    pub to_color: Color,
}

impl LineSegment {
    /// A segment of one colour.
    pub fn new(from: Vec3, to: Vec3, color: Color) -> Self {
        Self { from, to, from_color: color, to_color: color }
    }
}

/// Lines of constant width on the screen.
#[derive(Clone, Debug, Default)]
pub struct LineLayer {
    /// What the layer is called in lists.
    pub name: String,
    /// The lines.
    pub segments: Arc<[LineSegment]>,
    /// Width in pixels.
    pub width_px: f32,
    /// Tested or x-ray.
    pub depth: Depth,
}

/// A part of a scene.
#[derive(Clone, Debug)]
pub enum SceneLayer {
    /// Triangles.
    Mesh(MeshLayer),
    /// Lines.
    Lines(LineLayer),
}

impl From<MeshLayer> for SceneLayer {
    fn from(layer: MeshLayer) -> Self {
        Self::Mesh(layer)
    }
}

impl From<LineLayer> for SceneLayer {
    fn from(layer: LineLayer) -> Self {
        Self::Lines(layer)
    }
}
