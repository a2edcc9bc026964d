//! Meta-joints, stored with the character in the `extras` of their first joint.
//!
//! ```
//! use sinew::constrain::{MetaJoint, MetaJointPart};
//! use sinew_formats::meta_joints::{meta_joints_of, put_meta_joints};
//!
//! let arm = sinew_samples::arm();
//! let skeleton = arm.skeleton();
//! let lower = skeleton.find("lower").unwrap();
//! let elbow = MetaJoint::new(skeleton, "elbow", vec![MetaJointPart::new(lower, "z".parse()?)])?;
//! let mut extras = arm.extras().clone();
//! put_meta_joints(&mut extras, skeleton, &[elbow.clone()])?;
//! assert_eq!(meta_joints_of(&extras, skeleton), [elbow]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::joint_extras;
use serde::Deserialize;
use serde_json::Value;
use sinew::{
    Extras, ExtrasOwner, JointId, Skeleton,
    constrain::{MetaJoint, MetaJointPart},
};
use std::collections::BTreeMap;
use thiserror::Error;

/// The key in a joint's application data.
const KEY: &str = "meta_joints";

/// The maximum number of meta-joints of a file. A skeleton has a few dozen; each walks the list of joints.
const MAX_COUNT: usize = 1024;

/// Why meta-joints cannot be stored.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MetaJointsError {
    /// A joint is named in the file, so its name must be unique and not empty.
    #[error("joint {} ({name:?}) of a meta-joint needs a name that no other joint has", joint.0)]
    NameNotUnique {
        /// The joint that has no name of its own.
        joint: JointId,
        /// The name that it has, possibly empty.
        name: String,
    },
    /// Two meta-joints have the same name.
    #[error("there are two meta-joints called {name:?}")]
    SameName {
        /// The name that both of them have.
        name: String,
    },
    /// The application data of a joint is not an object, which has no keys.
    #[error("the application data of joint {} must be an object to hold meta-joints", joint.0)]
    NoPlace {
        /// The joint whose data cannot hold them.
        joint: JointId,
    },
}

#[derive(Deserialize)]
struct MetaJointJson {
    name: String,
    parts: Vec<PartJson>,
}

#[derive(Deserialize)]
struct PartJson {
    joint: String,
    axes: String,
    #[serde(default)]
    degrees: Vec<[f32; 2]>,
}

/// The meta-joints in `extras`, by name; invalid ones are skipped, and of several with one name all but the first.
#[must_use]
pub fn meta_joints_of(extras: &Extras, skeleton: &Skeleton) -> Vec<MetaJoint> {
    let mut found: BTreeMap<String, MetaJoint> = BTreeMap::new();
    let joints = extras.iter().filter(|(owner, _)| matches!(owner, ExtrasOwner::Joint(_)));
    let lists = joints.filter_map(|(_, text)| joint_extras::get(text, KEY));
    for entry in lists.filter_map(as_list).flatten().take(MAX_COUNT) {
        let Some(meta) = read(entry, skeleton) else { continue };
        found.entry(meta.name().to_owned()).or_insert(meta);
    }
    found.into_values().collect()
}

fn as_list(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(list) => Some(list),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    }
}

fn read(entry: Value, skeleton: &Skeleton) -> Option<MetaJoint> {
    let json: MetaJointJson = serde_json::from_value(entry).ok()?;
    let part = |part: PartJson| {
        let ranges_radians = part.degrees.into_iter().map(|range| range.map(f32::to_radians)).collect();
        Some(MetaJointPart {
            joint: skeleton.find(&part.joint)?,
            axes: part.axes.parse().ok()?,
            ranges_radians,
        })
    };
    let parts: Option<Vec<MetaJointPart>> = json.parts.into_iter().take(4).map(part).collect();
    MetaJoint::new(skeleton, json.name, parts?).ok()
}

/// Replaces the meta-joints in `extras`; everything else stays.
///
/// # Errors
/// If a joint's name is empty or not unique, two meta-joints have one name, or application data is not an object. `extras`
/// is then unchanged.
pub fn put_meta_joints(
    extras: &mut Extras,
    skeleton: &Skeleton,
    metas: &[MetaJoint],
) -> Result<(), MetaJointsError> {
    let mut lists: BTreeMap<JointId, Vec<Value>> = BTreeMap::new();
    for (at, meta) in metas.iter().enumerate() {
        if metas[..at].iter().any(|other| other.name() == meta.name()) {
            return Err(MetaJointsError::SameName { name: meta.name().into() });
        }
        // A meta-joint has one part at least.
        let Some(first) = meta.parts().first() else { continue };
        lists.entry(first.joint).or_default().push(written(meta, skeleton)?);
    }
    let mut new = extras.clone();
    let old = new.keys().filter_map(|owner| match owner {
        ExtrasOwner::Joint(joint) => Some(*joint),
        ExtrasOwner::Asset
        | ExtrasOwner::Scene(_)
        | ExtrasOwner::Mesh(_)
        | ExtrasOwner::Primitive(..)
        | ExtrasOwner::Skin(_)
        | ExtrasOwner::Clip(_)
        | ExtrasOwner::Material(_)
        | ExtrasOwner::Image(_) => None,
    });
    for joint in old.collect::<Vec<_>>() {
        let has =
            new.get(&ExtrasOwner::Joint(joint)).is_some_and(|text| joint_extras::get(text, KEY).is_some());
        if has {
            joint_extras::put(&mut new, joint, KEY, None);
        }
    }
    for (joint, list) in lists {
        if !joint_extras::put(&mut new, joint.index(), KEY, Some(Value::Array(list))) {
            return Err(MetaJointsError::NoPlace { joint });
        }
    }
    *extras = new;
    Ok(())
}

fn written(meta: &MetaJoint, skeleton: &Skeleton) -> Result<Value, MetaJointsError> {
    let mut parts = Vec::with_capacity(meta.parts().len());
    for part in meta.parts() {
        let name = skeleton.name(part.joint);
        let count = skeleton.joints().filter(|&j| skeleton.name(j) == name).count();
        if name.is_empty() || count != 1 {
            return Err(MetaJointsError::NameNotUnique { joint: part.joint, name: name.into() });
        }
        let degrees: Vec<[f32; 2]> = part.ranges_radians.iter().map(|r| r.map(degrees)).collect();
        parts.push(serde_json::json!({ "joint": name, "axes": part.axes.to_string() }));
        if let (false, Some(Value::Object(last))) = (degrees.is_empty(), parts.last_mut()) {
            last.insert("degrees".into(), serde_json::json!(degrees));
        }
    }
    Ok(serde_json::json!({ "name": meta.name(), "parts": parts }))
}

/// Radians as degrees; the ends of a half turn stay within it.
fn degrees(radians: f32) -> f32 {
    radians.to_degrees().clamp(-180.0, 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Character, CharacterParts};

    fn shoulder(skeleton: &Skeleton) -> MetaJoint {
        let find = |name: &str| skeleton.find(name).unwrap();
        let limited = MetaJointPart {
            ranges_radians: vec![[-0.5, std::f32::consts::PI]],
            ..MetaJointPart::new(find("upper_arm.L"), "x".parse().unwrap())
        };
        let parts = vec![MetaJointPart::new(find("clavicle.L"), "zy".parse().unwrap()), limited];
        MetaJoint::new(skeleton, "shoulder.L", parts).unwrap()
    }

    #[test]
    fn meta_joints_survive_a_round_trip_through_a_file() {
        let figure = sinew_samples::figure();
        let metas = [shoulder(figure.skeleton())];
        let mut parts: CharacterParts = figure.parts().clone();
        put_meta_joints(&mut parts.extras, figure.skeleton(), &metas).unwrap();
        let bytes = crate::to_glb(&Character::new(parts).unwrap()).unwrap();
        let again = crate::read_bytes(&bytes, "figure.glb").unwrap().character;
        let found = meta_joints_of(again.extras(), again.skeleton());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].parts()[0], metas[0].parts()[0]);
        let [got, want] = [&found[0], &metas[0]].map(|m| m.parts()[1].ranges_radians[0]);
        assert!((got[0] - want[0]).abs() < 1e-6 && got[1] <= std::f32::consts::PI, "{got:?} {want:?}");
    }

    #[test]
    fn they_are_replaced_and_other_data_stays() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let owner = ExtrasOwner::Joint(skeleton.find("clavicle.L").unwrap().index());
        let mut extras: Extras = [(owner, r#"{"mine":1}"#.into())].into();
        put_meta_joints(&mut extras, skeleton, &[shoulder(skeleton)]).unwrap();
        assert!(extras[&owner].contains("\"zy\"") && extras[&owner].contains("\"mine\":1"));
        put_meta_joints(&mut extras, skeleton, &[]).unwrap();
        assert_eq!(&*extras[&owner], r#"{"mine":1}"#);
        let twice = [shoulder(skeleton), shoulder(skeleton)];
        assert!(matches!(
            put_meta_joints(&mut extras, skeleton, &twice),
            Err(MetaJointsError::SameName { .. })
        ));
    }

    #[test]
    fn invalid_entries_are_skipped_at_every_truncation() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let mut extras = Extras::new();
        put_meta_joints(&mut extras, skeleton, &[shoulder(skeleton)]).unwrap();
        let (owner, text) = extras.into_iter().next().unwrap();
        for end in 0..text.len() {
            let cut: Extras = [(owner, text[..end].into())].into();
            assert!(meta_joints_of(&cut, skeleton).is_empty(), "{end}");
        }
        for (from, to) in [
            ("zy", "zz"),
            ("zy", "zyxzy"),
            ("clavicle.L", "nobody"),
            ("degrees\":[[", "degrees\":[[9"),
            ("\"parts\":[", "\"parts\":[7,"),
        ] {
            let changed: Extras = [(owner, text.replace(from, to).into())].into();
            assert!(meta_joints_of(&changed, skeleton).is_empty(), "{to}");
        }
    }
}
