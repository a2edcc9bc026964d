//! How far joints may turn, kept with the character: in the `extras` of its joints.
//!
//! ```
//! use sinew::{Extras, JointId};
//! use sinew_formats::limits::{JointLimit, limits_of, put_limits};
//!
//! let arm = sinew_samples::arm();
//! let elbow = arm.skeleton().find("lower").unwrap();
//! let limit = JointLimit { degrees: [[0.0, 0.0], [0.0, 0.0], [0.0, 150.0]], ..JointLimit::free(arm.skeleton(), elbow) };
//! let mut extras = Extras::new();
//! put_limits(&mut extras, &[(elbow, limit)].into());
//! assert_eq!(limits_of(&extras).get(&elbow), Some(&limit));
//! ```

use crate::joint_extras;
use serde::{Deserialize, Serialize};
use sinew::{
    Extras, ExtrasOwner, JointId, Skeleton,
    constrain::{Limit, LimitError, LimitParts},
    glam::Vec3,
};
use std::collections::BTreeMap;

/// One of a joint's own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimitAxis {
    /// The first.
    X,
    /// The second.
    #[default]
    Y,
    /// The third.
    Z,
}

impl LimitAxis {
    /// Every axis.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// Its place among the three.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How far a joint may turn about its own axes, in degrees since rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct JointLimit {
    /// The axis along the bone, about which the joint twists; about the others it swings.
    pub twist: LimitAxis,
    /// The least and the most about X, Y and Z.
    pub degrees: [[f32; 2]; 3],
}

/// A limit as it stands in a file.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Written {
    twist: LimitAxis,
    x: [f32; 2],
    y: [f32; 2],
    z: [f32; 2],
}

impl From<Written> for JointLimit {
    fn from(Written { twist, x, y, z }: Written) -> Self {
        Self { twist, degrees: [x, y, z] }
    }
}

impl From<JointLimit> for Written {
    fn from(JointLimit { twist, degrees: [x, y, z] }: JointLimit) -> Self {
        Self { twist, x, y, z }
    }
}

impl JointLimit {
    /// No limit yet: half a turn every way, twisting about the axis that is nearest to the bone.
    pub fn free(skeleton: &Skeleton, joint: JointId) -> Self {
        let bone = skeleton.children(joint).next().map_or(Vec3::Y, |child| skeleton.rest(child).translation);
        let along = bone.abs().to_array();
        let most = |a: &LimitAxis, b: &LimitAxis| along[a.index()].total_cmp(&along[b.index()]);
        let twist = LimitAxis::ALL.into_iter().max_by(most).unwrap_or_default();
        Self { twist, degrees: [[-180.0, 180.0]; 3] }
    }

    /// The limit that solvers keep.
    ///
    /// # Errors
    /// Where the joint is not of the skeleton, or a range is none: not finite, beyond half a turn or without its rest.
    pub fn limit(&self, skeleton: &Skeleton, joint: JointId) -> Result<Limit, LimitError> {
        let axis = self.twist.index();
        // Axis, first and second follow one another: the second swing is about axis × first.
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

/// The limits in `extras`; what cannot be understood is passed over.
pub fn limits_of(extras: &Extras) -> BTreeMap<JointId, JointLimit> {
    let limit = |(owner, text): (&ExtrasOwner, &str)| {
        let ExtrasOwner::Joint(joint) = owner else { return None };
        let limit: JointLimit = serde_json::from_value(joint_extras::get(text, "limit")?).ok()?;
        let is_number = limit.degrees.iter().flatten().all(|d| d.is_finite());
        Some((JointId(u16::try_from(*joint).ok()?), limit)).filter(|_| is_number)
    };
    extras.iter().filter_map(|(owner, text)| limit((owner, text))).collect()
}

/// Puts `limits` in place of those in `extras`; all else in there stays.
///
/// A joint whose application data is no object, and so has no place for a limit, keeps its data and gets none.
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
    use serde_json::Value;
    use sinew::{Character, CharacterParts, glam::Quat};

    fn knee() -> JointLimit {
        JointLimit { twist: LimitAxis::Y, degrees: [[0.0, 140.0], [-5.0, 5.0], [0.0, 0.0]] }
    }

    #[test]
    fn limits_come_back_from_a_written_file() {
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
    fn what_else_stands_in_the_extras_stays() {
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
    fn text_that_is_no_limit_is_passed_over() {
        for text in ["", "nonsense", "{}", r#"{"sinew":3}"#, r#"{"sinew":{"limit":{"twist":"w"}}}"#] {
            let extras: Extras = [(ExtrasOwner::Joint(0), text.into())].into();
            assert!(limits_of(&extras).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_range_about_each_axis_is_kept() {
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
}
