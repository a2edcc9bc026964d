use std::f32::consts::FRAC_PI_2;

use crate::glam::Vec3;

/// The direction of a camera as angles around its subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Radians around +Y; 0 looks at the subject's +Z face, positive angles move the camera towards +X.
    pub yaw_radians: f32,
    /// Radians above the horizon, within ±π/2.
    pub pitch_radians: f32,
}

impl Orbit {
    /// The subject's front, viewed from +Z.
    pub const FRONT: Self = Self { yaw_radians: 0.0, pitch_radians: 0.0 };
    /// The subject's left side, viewed from +X.
    pub const SIDE: Self = Self { yaw_radians: FRAC_PI_2, pitch_radians: 0.0 };
    /// A three-quarter view from slightly above.
    pub const THREE_QUARTER: Self = Self { yaw_radians: 0.6, pitch_radians: 0.24 };

    /// An orbit of angles in degrees.
    pub fn degrees(yaw: f32, pitch: f32) -> Self {
        Self { yaw_radians: yaw.to_radians(), pitch_radians: pitch.to_radians() }
    }

    /// The unit vector from the subject towards the camera.
    pub fn direction(self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw_radians.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch_radians.sin_cos();
        Vec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch)
    }
}
