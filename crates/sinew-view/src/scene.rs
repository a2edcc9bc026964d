//! A picture before it is drawn: plain data that any renderer can take.

use crate::camera::Camera;
use crate::color::Color;
use crate::ground::GroundGrid;
use crate::layer::SceneLayer;
use crate::light::Lights;

/// What lies behind everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// Nothing: the picture gets an alpha channel.
    Transparent,
    /// One colour.
    Solid(Color),
    /// A smooth fall from the upper to the lower edge.
    Gradient {
        /// At the upper edge.
        top: Color,
        /// At the lower edge.
        bottom: Color,
    },
}

impl Background {
    /// A light studio wall.
    pub fn light() -> Self {
        Self::Gradient { top: Color::hex(0xf3f4f6), bottom: Color::hex(0xd5d9df) }
    }

    /// A dark studio wall.
    pub fn dark() -> Self {
        Self::Gradient { top: Color::hex(0x2b313b), bottom: Color::hex(0x171a20) }
    }
}

/// Camera, light, ground and layers.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// What lights it.
    pub lights: Lights,
    /// What lies behind.
    pub background: Background,
    /// The floor, if any.
    pub ground: Option<GroundGrid>,
    /// The things to see. X-ray layers are drawn over all others; otherwise depth decides.
    pub layers: Vec<SceneLayer>,
}

impl Scene {
    /// A scene in studio light on a light wall, with nothing in it yet.
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
    pub fn with(mut self, layer: impl Into<SceneLayer>) -> Self {
        self.layers.push(layer.into());
        self
    }

    /// The same scene on a floor.
    pub fn on(mut self, ground: GroundGrid) -> Self {
        self.ground = Some(ground);
        self
    }
}
