//! Spring bones as plain data.

use crate::asset::skeleton::JointId;
use glam::{Quat, Vec3};

/// The spring bones of a character as plain data: the input of [`Springs::new`](super::Springs::new).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringParts {
    /// The chains of joints that swing.
    pub chains: Vec<SpringChain>,
    /// The shapes that chains collide with; groups refer to them by index.
    pub colliders: Vec<SpringCollider>,
    /// Groups of colliders; chains refer to them by index.
    pub collider_groups: Vec<SpringColliderGroup>,
}

/// A chain of joints that swing, each an ancestor of the next.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringChain {
    /// Name of the chain, possibly empty.
    pub name: String,
    /// The joints from the top down. Without a tip, the last one is only the end of the bone before it.
    pub joints: Vec<SpringJoint>,
    /// The end of the last joint's bone, in its joint space, in meters: the last joint swings too.
    pub tip: Option<Vec3>,
    /// The joint in whose space motion is measured; `None` for the world. Moving the center does not make the chain swing.
    pub center: Option<JointId>,
    /// The groups of colliders that push the chain away, as indices, in order.
    pub collider_groups: Vec<usize>,
}

impl SpringChain {
    /// A chain in world space without colliders.
    pub fn new(name: impl Into<String>, joints: impl IntoIterator<Item = SpringJoint>) -> Self {
        Self { name: name.into(), joints: joints.into_iter().collect(), ..Self::default() }
    }

    /// The joints that swing: all but the last, which swings only if the chain has a tip.
    pub fn swinging(&self) -> &[SpringJoint] {
        let ends = usize::from(self.tip.is_none());
        &self.joints[..self.joints.len().saturating_sub(ends)]
    }
}

/// A joint of a [`SpringChain`] and how the end of its bone moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringJoint {
    /// The joint that rotates.
    pub joint: JointId,
    /// How strongly the bone returns to its rest pose, at least 0, in meters per second and step of 1/60 s.
    pub stiffness: f32,
    /// How strongly gravity pulls, in meters per second and step of 1/60 s.
    pub gravity_power: f32,
    /// The direction of gravity in world space, usually of unit length.
    pub gravity_direction: Vec3,
    /// The fraction of the velocity that is lost per step of 1/60 s, 0 to 1.
    pub drag: f32,
    /// Radius of the sphere at the end of the bone that collides, at least 0, in meters.
    pub radius: f32,
    /// How far the bone may swing; `None` for any angle.
    pub limit: Option<SpringLimit>,
}

impl SpringJoint {
    /// A joint with the default values of `VRMC_springBone`: stiffness 1, drag 0.5, no gravity, no radius.
    pub const fn new(joint: JointId) -> Self {
        Self {
            joint,
            stiffness: 1.0,
            gravity_power: 0.0,
            gravity_direction: Vec3::NEG_Y,
            drag: 0.5,
            radius: 0.0,
            limit: None,
        }
    }
}

/// How far a bone may swing from rest.
///
/// The limit has a space of its own: +Y is the direction of the bone at rest, and the shortest rotation takes the joint's
/// +Y axis there; `rotation` turns it further.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringLimit {
    /// The directions that the bone may have.
    pub shape: SpringLimitShape,
    /// The rotation of the limit in its own space, a unit quaternion.
    pub rotation: Quat,
}

/// The directions that a bone may have, in the space of its [`SpringLimit`]. Angles are at least 0, in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SpringLimitShape {
    /// All directions within an angle from +Y.
    Cone {
        /// The largest angle from +Y; π or more allows every direction.
        angle_radians: f32,
    },
    /// Directions in the YZ plane within an angle from +Y.
    Hinge {
        /// The largest angle from +Y; π or more allows the whole plane.
        angle_radians: f32,
    },
    /// Directions whose angles about the X axis and out of the YZ plane are both limited.
    Spherical {
        /// The largest angle about the X axis, at most π.
        pitch_radians: f32,
        /// The largest angle out of the YZ plane, at most π/2.
        yaw_radians: f32,
    },
}

/// A shape, carried by a joint, that pushes chains away.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringCollider {
    /// The joint that carries the shape.
    pub joint: JointId,
    /// The shape in joint space.
    pub shape: ColliderShape,
}

/// The shape of a [`SpringCollider`] in joint space, in meters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ColliderShape {
    /// A sphere around a point.
    Sphere {
        /// The center in joint space.
        center: Vec3,
        /// The radius, at least 0, in meters.
        radius: f32,
        /// True if chains stay inside of it, false if they stay outside.
        is_inside: bool,
    },
    /// All points within a radius of a line segment.
    Capsule {
        /// The first end of the segment in joint space.
        start: Vec3,
        /// The other end of the segment in joint space.
        end: Vec3,
        /// The radius, at least 0, in meters.
        radius: f32,
        /// True if chains stay inside of it, false if they stay outside.
        is_inside: bool,
    },
    /// An infinite plane: chains stay on the side that the normal points to.
    Plane {
        /// A point of the plane in joint space.
        point: Vec3,
        /// The normal in joint space, not zero.
        normal: Vec3,
    },
}

/// Colliders that chains refer to together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpringColliderGroup {
    /// Name of the group, possibly empty.
    pub name: String,
    /// The colliders, as indices, in the order in which they push.
    pub colliders: Vec<usize>,
}
