//! Swing-twist decomposition, and the twist of a joint spread over roll joints.
//!
//! A wrist that turns by θ twists the skin between it and the elbow; blended linearly between two joints the forearm
//! shrinks to cos(θ/2) of its radius. Roll joints between them divide the twist: over n spans the smallest radius
//! is cos(θ/2n), and no vertex costs more than before.

use super::{model_from_joint_at_rest, unit};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::LocalPose,
};
use glam::{Quat, Vec3, Vec4};
use thiserror::Error;

/// The swing-twist decomposition of a rotation: a twist about an axis, followed by a swing of that axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingTwist {
    /// The shortest rotation that takes the axis where the whole rotation takes it.
    pub swing: Quat,
    /// The rotation about the axis that comes first.
    pub twist: Quat,
}

impl SwingTwist {
    /// Splits the unit quaternion `rotation` about `axis`, which must be of unit length: `rotation = swing · twist`.
    ///
    /// If the rotation takes the axis to its opposite, the twist is undefined and the identity is used.
    pub fn of(rotation: Quat, axis: Vec3) -> Self {
        let along = rotation.xyz().dot(axis);
        let twist =
            Vec4::from((axis * along, rotation.w)).try_normalize().map_or(Quat::IDENTITY, Quat::from_vec4);
        Self { swing: rotation * twist.conjugate(), twist }
    }

    /// The angle of the twist in radians, −π to π.
    pub fn twist_radians(&self, axis: Vec3) -> f32 {
        // q and −q are the same twist; the one with w ≥ 0 has the smaller angle.
        let side = if self.twist.w < 0.0 { -1.0 } else { 1.0 };
        2.0 * (self.twist.xyz().dot(axis) * side).atan2(self.twist.w * side)
    }

    /// The angle of the swing in radians, 0 to π.
    pub fn swing_radians(&self) -> f32 {
        2.0 * self.swing.xyz().length().atan2(self.swing.w.abs())
    }
}

/// A roll joint: it takes a fraction of the twist of another joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Roll {
    /// The joint that rotates.
    pub joint: JointId,
    /// Fraction of the twist: 0 is none, 1 is all, a negative value rotates against it.
    pub fraction: f32,
}

/// A joint's twist since rest, spread over roll joints.
///
/// Roll joints that are siblings of the source (in a forearm, before the wrist) take fractions between 0 and 1. Roll
/// joints that are children of the source (in an upper arm, after the shoulder) are rotated back by negative fractions.
/// Each gets its rest rotation plus its fraction of the twist; translation and scale do not change.
#[derive(Clone, Debug, PartialEq)]
pub struct TwistSpread {
    source: JointId,
    axis: Vec3,
    joint_from_parent_at_rest: Quat,
    rolls: Vec<PlacedRoll>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedRoll {
    joint: JointId,
    fraction: f32,
    rest: Quat,
    /// The axis of the source in the space of this joint at rest.
    axis: Vec3,
}

/// Why a twist cannot be spread.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TwistError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// The axis is zero or not finite.
    #[error("the axis {axis} has no direction")]
    BadAxis {
        /// The value that was given.
        axis: Vec3,
    },
    /// A fraction is not finite, or the source is its own roll joint.
    #[error("joint {} cannot take the fraction {fraction} of the twist", joint.0)]
    BadRoll {
        /// The invalid roll joint.
        joint: JointId,
        /// The fraction that was given.
        fraction: f32,
    },
}

impl TwistSpread {
    /// Spreads the twist of `source` about `axis`, a direction in the space of the source, over `rolls`.
    ///
    /// # Errors
    /// If a joint is missing, the axis is zero or not finite, a fraction is not finite or the source is its own roll joint.
    pub fn new(
        skeleton: &Skeleton,
        source: JointId,
        axis: Vec3,
        rolls: impl IntoIterator<Item = Roll>,
    ) -> Result<Self, TwistError> {
        let joints = skeleton.len();
        let known = |joint: JointId| {
            if joint.index() < joints { Ok(joint) } else { Err(TwistError::NoSuchJoint { joint, joints }) }
        };
        let source = known(source)?;
        let axis = unit(axis).ok_or(TwistError::BadAxis { axis })?;
        let model_axis = model_from_joint_at_rest(skeleton, source) * axis;
        let place = |Roll { joint, fraction }| {
            if !fraction.is_finite() || joint == source {
                return Err(TwistError::BadRoll { joint, fraction });
            }
            let joint = known(joint)?;
            let axis = model_from_joint_at_rest(skeleton, joint).conjugate() * model_axis;
            Ok(PlacedRoll { joint, fraction, rest: skeleton.rest(joint).rotation, axis: axis.normalize() })
        };
        let rolls = rolls.into_iter().map(place).collect::<Result<_, _>>()?;
        let joint_from_parent_at_rest = skeleton.rest(source).rotation.normalize().conjugate();
        Ok(Self { source, axis, joint_from_parent_at_rest, rolls })
    }

    /// Spreads the twist of `source` evenly: of n roll joints, the k-th takes k/(n + 1), which makes n + 1 equal spans.
    ///
    /// # Errors
    /// As [`TwistSpread::new`].
    pub fn even(
        skeleton: &Skeleton,
        source: JointId,
        axis: Vec3,
        rolls: &[JointId],
    ) -> Result<Self, TwistError> {
        let spans = (rolls.len() + 1) as f32;
        let roll = |(at, &joint): (usize, &JointId)| Roll { joint, fraction: (at + 1) as f32 / spans };
        Self::new(skeleton, source, axis, rolls.iter().enumerate().map(roll))
    }

    /// The twist of the source since rest in radians, −π to π.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn twist_radians(&self, pose: &LocalPose) -> f32 {
        let since_rest = self.joint_from_parent_at_rest * pose.joints[self.source.index()].rotation;
        SwingTwist::of(since_rest, self.axis).twist_radians(self.axis)
    }

    /// Rotates the roll joints of `pose` by their fractions of the twist of the source.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply(&self, pose: &mut LocalPose) {
        let radians = self.twist_radians(pose);
        for roll in &self.rolls {
            let turn = Quat::from_axis_angle(roll.axis, radians * roll.fraction);
            pose.joints[roll.joint.index()].rotation = roll.rest * turn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Transform};
    use proptest::{
        prelude::*,
        test_runner::{Config, RngSeed},
    };
    use std::f32::consts::PI;

    fn axis() -> impl Strategy<Value = Vec3> {
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
            .prop_map(Vec3::from)
            .prop_filter_map("too short", |v| (v.length() > 0.1).then(|| v.normalize()))
    }

    proptest! {
        #![proptest_config(Config {
            rng_seed: RngSeed::Fixed(0x74_77_69_73),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn swing_after_twist_is_the_rotation_and_swing_does_not_twist(
            about in axis(), angle in -PI..PI, bone in axis(),
        ) {
            let rotation = Quat::from_axis_angle(about, angle);
            let split = SwingTwist::of(rotation, bone);
            prop_assert!((split.swing * split.twist).dot(rotation).abs() > 1.0 - 1e-5);
            prop_assert!((split.twist * bone).distance(bone) < 1e-5, "the twist leaves its axis");
            // Near a half swing the twist has no digits left; the product above still holds.
            if (rotation * bone).dot(bone) > -0.99 {
                prop_assert!(split.swing.xyz().dot(bone).abs() < 1e-4, "the swing turns about a perpendicular");
            }
        }

        #[test]
        fn a_twist_before_a_swing_is_found_again(
            bone in axis(), twist in -3.1_f32..3.1, across in axis(), swing in -2.8_f32..2.8,
        ) {
            let Some(across) = bone.cross(across).try_normalize() else { return Ok(()) };
            let rotation = Quat::from_axis_angle(across, swing) * Quat::from_axis_angle(bone, twist);
            for q in [rotation, -rotation] {
                let split = SwingTwist::of(q, bone);
                prop_assert!((split.twist_radians(bone) - twist).abs() < 1e-3);
                prop_assert!((split.swing_radians() - swing.abs()).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn a_half_swing_has_no_twist_and_no_nan() {
        let split = SwingTwist::of(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Vec3::Y);
        assert_eq!(split.twist, Quat::IDENTITY);
        assert!(split.swing.is_normalized());
        assert_eq!(split.twist_radians(Vec3::Y), 0.0);
    }

    /// An elbow, a wrist, and two rolls beside the wrist one of which is rotated by half a turn at rest.
    fn forearm() -> Skeleton {
        let joint = |name: &str, parent: Option<u16>, rotation| Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest: Transform::from_rotation_translation(rotation, Vec3::Y),
        };
        Skeleton::new([
            joint("elbow", None, Quat::from_rotation_x(0.4)),
            joint("wrist", Some(0), Quat::from_rotation_z(0.3)),
            joint("roll 1", Some(0), Quat::from_rotation_z(0.3)),
            joint("roll 2", Some(0), Quat::from_rotation_z(0.3 + PI)),
        ])
        .unwrap()
    }

    #[test]
    fn rolls_rotate_by_their_fraction_about_the_same_line_in_space() {
        let skeleton = forearm();
        let rolls = [JointId(2), JointId(3)];
        let spread = TwistSpread::even(&skeleton, JointId(1), Vec3::Y * 2.0, &rolls).unwrap();
        let mut pose = skeleton.rest_pose();
        let turn = Quat::from_rotation_y(1.2) * Quat::from_rotation_y(0.3);
        // A swing on top changes nothing.
        pose.joints[1].rotation *= Quat::from_rotation_x(0.8) * turn;
        assert!((spread.twist_radians(&pose) - 1.5).abs() < 1e-5);
        spread.apply(&mut pose);
        let line = skeleton.rest(JointId(1)).rotation * Vec3::Y;
        for (roll, fraction) in rolls.into_iter().zip([1.0 / 3.0, 2.0 / 3.0]) {
            let moved = pose.joints[roll.index()].rotation * skeleton.rest(roll).rotation.conjugate();
            let want = Quat::from_axis_angle(line, 1.5 * fraction);
            assert!(moved.dot(want).abs() > 1.0 - 1e-6, "{roll:?}");
        }
    }

    #[test]
    fn at_rest_nothing_moves() {
        let skeleton = forearm();
        let spread = TwistSpread::even(&skeleton, JointId(1), Vec3::Y, &[JointId(2), JointId(3)]).unwrap();
        let mut pose = skeleton.rest_pose();
        spread.apply(&mut pose);
        let pairs = pose.joints.iter().zip(skeleton.rest_transforms());
        assert!(pairs.into_iter().all(|(a, b)| a.rotation.dot(b.rotation) > 1.0 - 1e-6));
    }

    #[test]
    fn invalid_twist_spreads_are_rejected() {
        let skeleton = forearm();
        let new =
            |axis, joint, fraction| TwistSpread::new(&skeleton, JointId(1), axis, [Roll { joint, fraction }]);
        assert!(new(Vec3::Y, JointId(2), 0.5).is_ok());
        assert!(matches!(new(Vec3::ZERO, JointId(2), 0.5), Err(TwistError::BadAxis { .. })));
        assert!(matches!(new(Vec3::Y, JointId(9), 0.5), Err(TwistError::NoSuchJoint { .. })));
        assert!(matches!(new(Vec3::Y, JointId(1), 0.5), Err(TwistError::BadRoll { .. })));
        assert!(matches!(new(Vec3::Y, JointId(2), f32::NAN), Err(TwistError::BadRoll { .. })));
        let source = TwistSpread::new(&skeleton, JointId(4), Vec3::Y, []);
        assert_eq!(source, Err(TwistError::NoSuchJoint { joint: JointId(4), joints: 4 }));
    }
}
