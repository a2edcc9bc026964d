//! The layers of a scene: meshes and lines with their appearance.

use std::sync::Arc;

use crate::color::Color;
use crate::geometry::{Geometry, GeometryError, same_length};
use crate::glam::Vec3;
use crate::paint::Paint;

/// How a layer is hidden by other layers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Depth {
    /// Hidden by every nearer surface.
    #[default]
    Tested,
    /// Drawn over all tested layers; parts that lie behind them take `hidden_opacity`.
    XRay {
        /// Opacity of hidden parts: 0 hides them, 1 draws them like visible ones.
        hidden_opacity: f32,
    },
}

/// How a mesh is shaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// Lit by the scene's lights.
    #[default]
    Lit,
    /// The paint's color without lighting.
    Unlit,
    /// The direction of the normal as a color: X red, Y green, Z blue.
    Normals,
}

/// Which sides of triangles are visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Both sides; back faces are lit from their own side.
    #[default]
    Both,
    /// Only triangles that are counter-clockwise on the screen.
    Front,
}

/// Width and color of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineStroke {
    /// Line width in pixels.
    pub width_px: f32,
    /// Line color with opacity.
    pub color: Color,
}

/// A mesh with its paint and appearance.
#[derive(Clone, Debug)]
pub struct MeshLayer {
    geometry: Geometry,
    paint: Paint,
    face_ids: Option<Arc<[u32]>>,
    /// The triangles by the bone that they follow, each once, so that a ray passes over whole bones.
    pub(crate) face_groups: Option<Arc<[Vec<u32>]>>,
    /// Display name of the layer.
    pub name: String,
    /// How the mesh is shaded.
    pub shading: Shading,
    /// Strength of highlights: 0 is matte, 1 is polished.
    pub gloss: f32,
    /// Which sides of triangles are visible.
    pub sides: Sides,
    /// Whether nearer surfaces hide the layer.
    pub depth: Depth,
    /// Opacity from 0 to 1; below 1 the layer's nearest surface is blended over what lies behind.
    pub opacity: f32,
    /// Triangle edges drawn over the paint, with a width in screen space so that they do not flicker.
    pub wire: Option<LineStroke>,
    /// Line along the silhouette of the mesh.
    pub outline: Option<LineStroke>,
    /// Whether the mesh casts a shadow on the ground.
    pub casts_shadow: bool,
    /// Whether [`pick`](crate::pick::pick) can hit the mesh.
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
            face_groups: None,
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

    /// The same layer with an id per triangle, such as a joint's index, that picking reports.
    ///
    /// # Errors
    /// [`GeometryError::LengthMismatch`] unless there is one id per triangle.
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

    /// The geometry of the layer.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The paint of the layer.
    pub fn paint(&self) -> &Paint {
        &self.paint
    }

    /// The id of a triangle, if ids were given.
    pub fn face_id(&self, face: usize) -> Option<u32> {
        self.face_ids.as_ref().and_then(|ids| ids.get(face).copied())
    }

    /// The ids, one per triangle, if they were given.
    pub fn face_ids(&self) -> Option<&Arc<[u32]>> {
        self.face_ids.as_ref()
    }
}

/// A line segment in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSegment {
    /// Start point in world space.
    pub from: Vec3,
    /// End point in world space.
    pub to: Vec3,
    /// Color at `from`; alpha is not used.
    pub from_color: Color,
    /// Color at `to`; alpha is not used.
    pub to_color: Color,
}

impl LineSegment {
    /// A segment of one color.
    pub fn new(from: Vec3, to: Vec3, color: Color) -> Self {
        Self { from, to, from_color: color, to_color: color }
    }
}

/// Lines of constant width on the screen.
#[derive(Clone, Debug, Default)]
pub struct LineLayer {
    /// Display name of the layer.
    pub name: String,
    /// The segments of the layer.
    pub segments: Arc<[LineSegment]>,
    /// Line width in pixels.
    pub width_px: f32,
    /// Whether nearer surfaces hide the layer.
    pub depth: Depth,
}

/// A mesh or a set of lines in a scene.
#[derive(Clone, Debug)]
pub enum SceneLayer {
    /// A mesh with its paint.
    Mesh(MeshLayer),
    /// A set of line segments.
    Lines(LineLayer),
}

impl SceneLayer {
    /// The mesh layer, or `None` for lines.
    pub fn as_mesh(&self) -> Option<&MeshLayer> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            Self::Lines(_) => None,
        }
    }

    /// Whether nearer surfaces hide the layer.
    pub fn depth(&self) -> Depth {
        match self {
            Self::Mesh(mesh) => mesh.depth,
            Self::Lines(lines) => lines.depth,
        }
    }
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
