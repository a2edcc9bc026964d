//! Scenes as plain data that any renderer can draw.

use crate::camera::Camera;
use crate::color::Color;
use crate::ground::GroundGrid;
use crate::layer::SceneLayer;
use crate::light::Lights;

/// What is drawn behind all layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// Transparent: the picture gets an alpha channel.
    Transparent,
    /// A uniform color everywhere.
    Solid(Color),
    /// A vertical gradient over the picture.
    Gradient {
        /// Color at the upper edge.
        top: Color,
        /// Color at the lower edge.
        bottom: Color,
    },
}

impl Background {
    /// A light gradient, as of a studio wall.
    pub fn light() -> Self {
        Self::Gradient { top: Color::hex(0xf3f4f6), bottom: Color::hex(0xd5d9df) }
    }

    /// A dark gradient, as of a studio wall.
    pub fn dark() -> Self {
        Self::Gradient { top: Color::hex(0x2b313b), bottom: Color::hex(0x171a20) }
    }
}

/// Camera, lights, background, ground and layers.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Camera of the picture, in world space.
    pub camera: Camera,
    /// Lights of the scene.
    pub lights: Lights,
    /// What is drawn behind all layers.
    pub background: Background,
    /// Ground plane, if it is shown.
    pub ground: Option<GroundGrid>,
    /// Meshes and lines. X-ray layers are drawn over all others; otherwise depth decides.
    pub layers: Vec<SceneLayer>,
}

impl Scene {
    /// An empty scene with studio lights and a light background.
    pub fn new(camera: Camera) -> Self {
        Self {
            camera,
            lights: Lights::studio(),
            background: Background::light(),
            ground: None,
            layers: Vec::new(),
        }
    }

    /// The same scene with one more layer.
    #[must_use]
    pub fn with(mut self, layer: impl Into<SceneLayer>) -> Self {
        self.layers.push(layer.into());
        self
    }

    /// The same scene with a ground plane.
    #[must_use]
    pub fn on(mut self, ground: GroundGrid) -> Self {
        self.ground = Some(ground);
        self
    }
}
