//! What lights a scene.

use crate::color::Color;
use crate::glam::Vec3;

/// The space a light's direction is given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightSpace {
    /// Fixed in the scene: turning the camera changes the shading.
    World,
    /// Fixed to the camera (X right, Y up, Z towards the viewer), like lamps in a photo studio.
    View,
}

/// A distant light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// From the subject towards the light; need not be unit.
    pub towards: Vec3,
    /// Colour times intensity.
    pub color: Color,
    /// World or camera.
    pub space: LightSpace,
    /// How far light creeps around the form: 0 is a hard terminator, 1 reaches the far side.
    pub wrap: f32,
    /// Strength of the highlight this light leaves on glossy surfaces.
    pub highlight: f32,
}

/// All light of a scene: distant lights, a hemisphere of ambient light and an edge glow.
#[derive(Clone, Debug, PartialEq)]
pub struct Lights {
    /// Distant lights; the first one casts the shadows.
    pub distant: Vec<Light>,
    /// Ambient light from above.
    pub sky: Color,
    /// Ambient light from below.
    pub bounce: Color,
    /// How dark the first light's shadow is on meshes that cast one themselves: 0 is none, 1 takes all of its
    /// light away.
    pub shadow: f32,
    /// Glow on edges that turn away from the viewer, which lifts the figure off its background.
    pub rim: Color,
}

impl Lights {
    /// A studio: a warm key from the upper left, a cool fill from the right, a rim from behind, soft ambient.
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

    /// Even, nearly shadowless light that keeps data colours readable all over the form.
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
