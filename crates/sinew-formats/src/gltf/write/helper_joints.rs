//! Writes helper joints to the extras of joints.

use super::{NodeLayout, unrepresentable};
use crate::{
    WriteError,
    gltf::helper_json::{HelperJson, JointReference, KEY},
    joint_extras,
};
use serde_json::Value;
use sinew::{
    Character, Extras, ExtrasOwner, JointId,
    constrain::{HelperJoint, HelperKind},
};
use std::{borrow::Cow, collections::BTreeMap};

/// The application data of `character` with its helpers: each with the joint whose twist it distributes, or with the first
/// joint that it drives. Entries that could not be read as helpers stay after them.
pub(in crate::gltf) fn extras_with_helpers<'a>(
    character: &'a Character,
    layout: &NodeLayout,
) -> Result<Cow<'a, Extras>, WriteError> {
    if character.helpers().is_empty() {
        return Ok(Cow::Borrowed(character.extras()));
    }
    let skeleton = character.skeleton();
    let is_unique = |name: &str| skeleton.joints().filter(|&j| skeleton.name(j) == name).count() == 1;
    let call = |joint: JointId| match skeleton.name(joint) {
        name if !name.is_empty() && is_unique(name) => JointReference::Name(name.to_owned()),
        _ => JointReference::Node(layout.node(joint)),
    };
    let mut lists: BTreeMap<JointId, Vec<Value>> = BTreeMap::new();
    for (order, helper) in character.helpers().iter().enumerate() {
        let Some(owner) = owner(helper) else { continue };
        let text = serde_json::to_value(HelperJson::new(helper, order as u32, call));
        let text =
            text.map_err(|error| unrepresentable(format!("helper {:?}", helper.name), error.to_string()))?;
        lists.entry(owner).or_default().push(text);
    }
    let mut extras = character.extras().clone();
    for (joint, mut list) in lists {
        let kept =
            extras.get(&ExtrasOwner::Joint(joint.index())).and_then(|text| joint_extras::get(text, KEY));
        if let Some(Value::Array(kept)) = kept {
            list.extend(kept);
        }
        if !joint_extras::put(&mut extras, joint.index(), KEY, Some(Value::Array(list))) {
            let place = format!("extras of joint {:?}", skeleton.name(joint));
            return Err(unrepresentable(place, "helpers need a place in an object, and this is none"));
        }
    }
    Ok(Cow::Owned(extras))
}

/// The joint that a helper is stored with; `None` for a helper without joints.
fn owner(helper: &HelperJoint) -> Option<JointId> {
    match &helper.kind {
        HelperKind::Twist { source, .. } => Some(*source),
        HelperKind::Drive(drivers) => drivers.first().map(|driver| driver.target),
        HelperKind::Correct(corrective) => Some(corrective.joint),
    }
}
