//! Joint limits, stored with the character in the `extras` of its joints.
//!
//! ```
//! use sinew::{Extras, JointId};
//! use sinew_formats::joint_limits::{JointLimit, limits_of, put_limits};
//!
//! let arm = sinew_samples::arm();
//! let elbow = arm.skeleton().find("lower").unwrap();
//! let limit = JointLimit { degrees: [[0.0, 0.0], [0.0, 0.0], [0.0, 150.0]], ..JointLimit::free(arm.skeleton(), elbow) };
//! let mut extras = Extras::new();
//! put_limits(&mut extras, &[(elbow, limit)].into());
//! assert_eq!(limits_of(&extras).get(&elbow), Some(&limit));
//! ```

use crate::{joint_extras, meta_joints::meta_joints_of};
use serde::{Deserialize, Serialize};
use sinew::{
    Character, Extras, ExtrasOwner, JointId, Skeleton,
    constrain::{Limit, LimitError, LimitParts},
    glam::Vec3,
};
use std::collections::BTreeMap;

/// A local axis of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitAxis {
    /// The X axis, (1, 0, 0).
    X,
    /// The Y axis, (0, 1, 0).
    #[default]
    Y,
    /// The Z axis, (0, 0, 1).
    Z,
}

impl LimitAxis {
    /// Every axis, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The index of the axis.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The rotation limits of a joint about its local axes, in degrees from its rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "JointLimitJson", into = "JointLimitJson")]
pub struct JointLimit {
    /// The axis along the bone, about which the joint twists. It swings about the other two.
    pub twist: LimitAxis,
    /// The minimum and maximum about X, Y and Z.
    pub degrees: [[f32; 2]; 3],
}

/// The JSON form of a limit.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct JointLimitJson {
    twist: LimitAxis,
    x: [f32; 2],
    y: [f32; 2],
    z: [f32; 2],
}

impl From<JointLimitJson> for JointLimit {
    fn from(JointLimitJson { twist, x, y, z }: JointLimitJson) -> Self {
        Self { twist, degrees: [x, y, z] }
    }
}

impl From<JointLimit> for JointLimitJson {
    fn from(JointLimit { twist, degrees: [x, y, z] }: JointLimit) -> Self {
        Self { twist, x, y, z }
    }
}

impl JointLimit {
    /// No limit: ±180° about every axis, with the twist axis closest to the bone.
    #[must_use]
    pub fn free(skeleton: &Skeleton, joint: JointId) -> Self {
        let bone = skeleton.children(joint).next().map_or(Vec3::Y, |child| skeleton.rest(child).translation);
        let along = bone.abs().to_array();
        let by_length = |a: &LimitAxis, b: &LimitAxis| along[a.index()].total_cmp(&along[b.index()]);
        let twist = LimitAxis::ALL.into_iter().max_by(by_length).unwrap_or_default();
        Self { twist, degrees: [[-180.0, 180.0]; 3] }
    }

    /// The limit for solvers.
    ///
    /// # Errors
    /// When the joint is not in the skeleton, or a range is not finite, exceeds ±180° or excludes the rest pose.
    pub fn limit(&self, skeleton: &Skeleton, joint: JointId) -> Result<Limit, LimitError> {
        let axis = self.twist.index();
        // The axes are in cyclic order: the second swing axis is twist × first swing.
        let swings = [(axis + 1) % 3, (axis + 2) % 3];
        let radians = |axis: usize| self.degrees[axis].map(f32::to_radians);
        let parts = LimitParts {
            axis: Vec3::AXES[axis],
            swing_axis: Vec3::AXES[swings[0]],
            swing_radians: swings.map(radians),
            twist_radians: radians(axis),
        };
        Limit::new(skeleton, joint, parts)
    }
}

/// The limits in `extras`; invalid ones are skipped.
#[must_use]
pub fn limits_of(extras: &Extras) -> BTreeMap<JointId, JointLimit> {
    let limit = |(owner, text): (&ExtrasOwner, &str)| {
        let ExtrasOwner::Joint(joint) = owner else { return None };
        let limit: JointLimit = serde_json::from_value(joint_extras::get(text, "limit")?).ok()?;
        let is_finite = limit.degrees.iter().flatten().all(|d| d.is_finite());
        Some((JointId(u16::try_from(*joint).ok()?), limit)).filter(|_| is_finite)
    };
    extras.iter().filter_map(|(owner, text)| limit((owner, text))).collect()
}

/// The limits that solvers hold, joint by joint: those of [`limits_of`], and the ranges of
/// [meta-joints](crate::meta_joints) where a joint has no limit of its own. Limits that do not fit the skeleton are left out.
#[must_use]
pub fn solver_limits(character: &Character) -> BTreeMap<JointId, Limit> {
    let (extras, skeleton) = (character.extras(), character.skeleton());
    let metas = meta_joints_of(extras, skeleton);
    let ranges = metas.iter().filter_map(|meta| meta.limits(skeleton).ok()).flatten();
    let own = |(joint, limit): (JointId, JointLimit)| Some((joint, limit.limit(skeleton, joint).ok()?));
    // Of two limits of a joint the later stays.
    ranges.chain(limits_of(extras).into_iter().filter_map(own)).collect()
}

/// Replaces the limits in `extras`; everything else stays.
///
/// A joint whose application data is not an object keeps its data and gets no limit.
pub fn put_limits(extras: &mut Extras, limits: &BTreeMap<JointId, JointLimit>) {
    for joint in limits_of(extras).into_keys().filter(|joint| !limits.contains_key(joint)) {
        put(extras, joint, None);
    }
    for (joint, limit) in limits {
        put(extras, *joint, Some(limit));
    }
}

fn put(extras: &mut Extras, joint: JointId, limit: Option<&JointLimit>) {
    let value = limit.and_then(|limit| serde_json::to_value(limit).ok());
    joint_extras::put(extras, joint.index(), "limit", value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta_joints::put_meta_joints;
    use serde_json::Value;
    use sinew::{
        CharacterParts,
        constrain::{MetaJoint, MetaJointPart},
        glam::Quat,
    };

    fn knee() -> JointLimit {
        JointLimit { twist: LimitAxis::Y, degrees: [[0.0, 140.0], [-5.0, 5.0], [0.0, 0.0]] }
    }

    #[test]
    fn limits_survive_a_round_trip_through_a_file() {
        let figure = sinew_samples::figure();
        let shin = figure.skeleton().find("shin.L").unwrap();
        let limits: BTreeMap<_, _> = [(shin, knee())].into();
        let mut parts: CharacterParts = figure.parts().clone();
        put_limits(&mut parts.extras, &limits);
        let bytes = crate::to_glb(&Character::new(parts).unwrap()).unwrap();
        let again = crate::read_bytes(&bytes, "figure.glb").unwrap().character;
        assert_eq!(limits_of(again.extras()), limits);
    }

    #[test]
    fn other_data_in_the_extras_stays() {
        let (joint, owner) = (JointId(3), ExtrasOwner::Joint(3));
        let before = r#"{"mine":[1,2],"sinew":{"other":true}}"#;
        let mut extras: Extras = [(owner, before.into()), (ExtrasOwner::Joint(4), "7".into())].into();
        put_limits(&mut extras, &[(joint, knee()), (JointId(4), knee())].into());
        assert_eq!(limits_of(&extras), [(joint, knee())].into(), "a number has no place for a limit");
        assert!(extras[&owner].contains("[1,2]") && extras[&owner].contains("other"));
        put_limits(&mut extras, &BTreeMap::new());
        let left: Value = serde_json::from_str(&extras[&owner]).unwrap();
        assert_eq!(left, serde_json::from_str::<Value>(before).unwrap());
        assert_eq!(&*extras[&ExtrasOwner::Joint(4)], "7");
    }

    #[test]
    fn invalid_limits_are_skipped() {
        for text in ["", "nonsense", "{}", r#"{"sinew":3}"#, r#"{"sinew":{"limit":{"twist":"w"}}}"#] {
            let extras: Extras = [(ExtrasOwner::Joint(0), text.into())].into();
            assert!(limits_of(&extras).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_range_about_each_axis_limits_the_rotation() {
        let figure = sinew_samples::figure();
        let (skeleton, shin) = (figure.skeleton(), figure.skeleton().find("shin.L").unwrap());
        let rest = skeleton.rest(shin).rotation;
        let limit = knee().limit(skeleton, shin).unwrap();
        let about_x = |degrees: f32| rest * Quat::from_rotation_x(degrees.to_radians());
        assert_eq!(limit.clamp(about_x(90.0)), about_x(90.0));
        assert!(limit.clamp(about_x(170.0)).angle_between(about_x(140.0)) < 1e-3);
        assert!(limit.clamp(about_x(-30.0)).angle_between(rest) < 1e-3);
        let beyond = JointLimit { degrees: [[5.0, 20.0]; 3], ..knee() };
        assert!(beyond.limit(skeleton, shin).is_err(), "a swing must leave its rest in");
    }
    #[test]
    fn solvers_hold_own_limits_first_and_then_the_ranges_of_meta_joints() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let find = |name: &str| skeleton.find(name).unwrap();
        let (shin, forearm, hand) = (find("shin.L"), find("forearm.L"), find("hand.L"));
        let hinge = |name: &str, joint: JointId, max: f32| {
            let part = MetaJointPart {
                ranges_radians: vec![[-0.5, max]],
                ..MetaJointPart::new(joint, "x".parse().unwrap())
            };
            MetaJoint::new(skeleton, name, vec![part]).unwrap()
        };
        let mut parts: CharacterParts = figure.parts().clone();
        let beyond = JointLimit { degrees: [[5.0, 20.0]; 3], ..knee() };
        put_limits(&mut parts.extras, &[(shin, knee()), (hand, beyond)].into());
        put_meta_joints(
            &mut parts.extras,
            skeleton,
            &[hinge("knee", shin, 0.1), hinge("elbow", forearm, 1.0)],
        )
        .unwrap();
        let limits = solver_limits(&Character::new(parts).unwrap());
        assert_eq!(limits.keys().copied().collect::<Vec<_>>(), {
            let mut both = vec![shin, forearm];
            both.sort();
            both
        });
        assert_eq!(limits[&shin], knee().limit(skeleton, shin).unwrap(), "its own limit counts");
        let rest = skeleton.rest(forearm).rotation;
        let bent = limits[&forearm].clamp(rest * Quat::from_rotation_x(2.0));
        assert!(bent.angle_between(rest * Quat::from_rotation_x(1.0)) < 1e-3, "the range of the elbow");
    }
}
