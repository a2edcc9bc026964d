//! Keeps the direction of a bone within a limit, after `VRMC_springBone_limit`.

use super::definition::{SpringLimit, SpringLimitShape};
use crate::constrain::rotation::arc;
use glam::{Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

/// Below this squared length a direction has no projection.
const NONE_SQUARED: f32 = 1e-12;

/// A [`SpringLimit`] in the space of its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedLimit {
    joint_from_limit: Quat,
    shape: LimitShape,
}

/// The shape of a limit with the functions of its angles that are needed per step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LimitShape {
    Cone { cos: f32, sin: f32 },
    Hinge { cos: f32, sin: f32 },
    Spherical { pitch: f32, yaw: f32 },
}

impl PlacedLimit {
    /// The limit of a bone that points along the unit vector `axis` at rest.
    pub(super) fn new(limit: &SpringLimit, axis: Vec3) -> Self {
        // The shortest rotation is not unique for -Y; the extension asks for a half turn about X.
        let is_opposite = axis.y < -1.0 + 1e-6;
        let turn = if is_opposite { Quat::from_xyzw(1.0, 0.0, 0.0, 0.0) } else { arc(Vec3::Y, axis) };
        let edge = |angle: f32| {
            let angle = angle.clamp(0.0, PI);
            (angle.cos(), angle.sin().max(0.0))
        };
        let shape = match limit.shape {
            SpringLimitShape::Cone { angle_radians } => {
                let (cos, sin) = edge(angle_radians);
                LimitShape::Cone { cos, sin }
            }
            SpringLimitShape::Hinge { angle_radians } => {
                let (cos, sin) = edge(angle_radians);
                LimitShape::Hinge { cos, sin }
            }
            SpringLimitShape::Spherical { pitch_radians, yaw_radians } => LimitShape::Spherical {
                pitch: pitch_radians.clamp(0.0, PI),
                yaw: yaw_radians.clamp(0.0, FRAC_PI_2),
            },
        };
        Self { joint_from_limit: (turn * limit.rotation).normalize(), shape }
    }

    /// The nearest allowed direction of a unit vector in joint space, or `None` if it is allowed itself.
    pub(super) fn clamp(&self, direction: Vec3) -> Option<Vec3> {
        let within = self.shape.clamp(self.joint_from_limit.conjugate() * direction)?;
        Some((self.joint_from_limit * within).normalize_or(direction))
    }
}

impl LimitShape {
    fn clamp(&self, d: Vec3) -> Option<Vec3> {
        match *self {
            Self::Cone { cos, .. } if d.y >= cos => None,
            Self::Cone { cos, sin } => {
                let flat = d.x * d.x + d.z * d.z;
                if flat < NONE_SQUARED {
                    return Some(Vec3::new(0.0, cos, sin));
                }
                let scale = sin / flat.sqrt();
                Some(Vec3::new(d.x * scale, cos, d.z * scale))
            }
            Self::Hinge { cos, sin } => {
                let flat = d.y * d.y + d.z * d.z;
                if flat < NONE_SQUARED {
                    return Some(Vec3::Y);
                }
                let (y, z) = (d.y / flat.sqrt(), d.z / flat.sqrt());
                if y >= cos {
                    return Some(Vec3::new(0.0, y, z));
                }
                Some(Vec3::new(0.0, cos, if z < 0.0 { -sin } else { sin }))
            }
            Self::Spherical { pitch, yaw } => {
                let flat = d.y * d.y + d.z * d.z;
                let now = if flat < NONE_SQUARED { 0.0 } else { d.z.atan2(d.y) };
                let out = d.x.clamp(-1.0, 1.0).asin();
                if now.abs() <= pitch && out.abs() <= yaw {
                    return None;
                }
                let (now, out) = (now.clamp(-pitch, pitch), out.clamp(-yaw, yaw));
                Some(Vec3::new(out.sin(), out.cos() * now.cos(), out.cos() * now.sin()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(shape: SpringLimitShape) -> PlacedLimit {
        PlacedLimit::new(&SpringLimit { shape, rotation: Quat::IDENTITY }, Vec3::Y)
    }

    #[test]
    fn singular_directions_go_where_the_extension_says() {
        let cone = limit(SpringLimitShape::Cone { angle_radians: 0.5 });
        let near = |a: Option<Vec3>, b: Vec3| assert!(a.unwrap().distance(b) < 1e-6, "{a:?} {b}");
        near(cone.clamp(Vec3::NEG_Y), Vec3::new(0.0, 0.5_f32.cos(), 0.5_f32.sin()));
        let hinge = limit(SpringLimitShape::Hinge { angle_radians: 0.5 });
        near(hinge.clamp(Vec3::X), Vec3::Y);
        near(hinge.clamp(Vec3::NEG_Y), Vec3::new(0.0, 0.5_f32.cos(), 0.5_f32.sin()));
        let sphere = limit(SpringLimitShape::Spherical { pitch_radians: 0.5, yaw_radians: 0.25 });
        near(sphere.clamp(Vec3::X), Vec3::new(0.25_f32.sin(), 0.25_f32.cos(), 0.0));
        near(sphere.clamp(Vec3::NEG_Y), Vec3::new(0.0, 0.5_f32.cos(), 0.5_f32.sin()));
    }

    #[test]
    fn allowed_directions_do_not_change_and_others_end_on_the_border() {
        let tilted = |x: f32, z: f32| Vec3::new(x, 1.0, z).normalize();
        let cone = limit(SpringLimitShape::Cone { angle_radians: 0.5 });
        assert_eq!(cone.clamp(tilted(0.2, 0.3)), None);
        let edge = cone.clamp(tilted(2.0, -1.0)).unwrap();
        assert!((edge.angle_between(Vec3::Y) - 0.5).abs() < 1e-5 && edge.z < 0.0);
        let sphere = limit(SpringLimitShape::Spherical { pitch_radians: 0.5, yaw_radians: 0.25 });
        assert_eq!(sphere.clamp(tilted(0.1, 0.3)), None);
        assert!((sphere.clamp(tilted(5.0, 0.1)).unwrap().x - 0.25_f32.sin()).abs() < 1e-6);
        let whole = limit(SpringLimitShape::Cone { angle_radians: 9.0 });
        assert_eq!(whole.clamp(Vec3::NEG_Y), None);
    }

    #[test]
    fn the_limit_turns_with_the_bone_and_with_its_rotation() {
        let shape = SpringLimitShape::Cone { angle_radians: 0.1 };
        let along = PlacedLimit::new(&SpringLimit { shape, rotation: Quat::IDENTITY }, Vec3::NEG_X);
        assert_eq!(along.clamp(Vec3::NEG_X), None);
        let rotation = Quat::from_rotation_x(1.0);
        let turned = PlacedLimit::new(&SpringLimit { shape, rotation }, Vec3::NEG_Y);
        let middle = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0) * rotation * Vec3::Y;
        assert_eq!(turned.clamp(middle), None);
        assert!(turned.clamp(Vec3::NEG_Y).is_some());
    }
}
