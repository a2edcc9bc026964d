//! Lights of a scene.

use crate::color::Color;
use crate::glam::Vec3;

/// The space of a light's direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightSpace {
    /// World space: rotating the camera changes the shading.
    World,
    /// Camera space (X right, Y up, Z towards the viewer).
    View,
}

/// A directional light at infinite distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction from the subject towards the light; need not be of unit length.
    pub towards: Vec3,
    /// Color multiplied by intensity.
    pub color: Color,
    /// The space of [`Light::towards`].
    pub space: LightSpace,
    /// Wrap lighting: 0 is a hard terminator, 1 reaches the far side.
    pub wrap: f32,
    /// Strength of the highlight on glossy surfaces.
    pub highlight: f32,
}

/// All lights of a scene: directional lights, hemispherical ambient light and rim light.
#[derive(Clone, Debug, PartialEq)]
pub struct Lights {
    /// Directional lights; the first one casts shadows.
    pub distant: Vec<Light>,
    /// Ambient light from above the horizon.
    pub sky: Color,
    /// Ambient light from below the horizon.
    pub bounce: Color,
    /// How dark the first light's shadow is on meshes that cast one themselves: 0 is none, 1 takes all of its
    /// light away.
    pub shadow: f32,
    /// Rim light on edges that turn away from the viewer, which separates the subject from the background.
    pub rim: Color,
}

impl Lights {
    /// Studio lighting: a warm key from the upper left, a cool fill from the right, a rim light, soft ambient light.
    pub fn studio() -> Self {
        Self {
            distant: vec![
                Light {
                    towards: Vec3::new(-0.55, 0.85, 0.75),
                    color: Color::linear(1.42, 1.35, 1.25),
                    space: LightSpace::View,
                    wrap: 0.15,
                    highlight: 1.0,
                },
                Light {
                    towards: Vec3::new(0.95, 0.12, 0.55),
                    color: Color::linear(0.17, 0.21, 0.28),
                    space: LightSpace::View,
                    wrap: 0.5,
                    highlight: 0.3,
                },
                Light {
                    towards: Vec3::new(0.5, 0.45, -0.85),
                    color: Color::linear(0.62, 0.68, 0.80),
                    space: LightSpace::View,
                    wrap: 0.0,
                    highlight: 0.4,
                },
            ],
            sky: Color::linear(0.20, 0.225, 0.27),
            bounce: Color::linear(0.09, 0.082, 0.075),
            shadow: 0.8,
            rim: Color::linear(0.16, 0.19, 0.23),
        }
    }

    /// Even, nearly shadowless light that keeps data colors readable on the whole surface.
    pub fn even() -> Self {
        Self {
            distant: vec![Light {
                towards: Vec3::new(-0.35, 0.7, 1.0),
                color: Color::linear(0.78, 0.77, 0.75),
                space: LightSpace::View,
                wrap: 0.3,
                highlight: 0.25,
            }],
            sky: Color::linear(0.36, 0.37, 0.39),
            bounce: Color::linear(0.22, 0.21, 0.20),
            shadow: 0.0,
            rim: Color::linear(0.05, 0.05, 0.06),
        }
    }
}

impl Default for Lights {
    fn default() -> Self {
        Self::studio()
    }
}
