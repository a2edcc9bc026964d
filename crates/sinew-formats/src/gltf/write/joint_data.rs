//! Writes properties of joints to their extras.

use super::unrepresentable;
use crate::{
    WriteError,
    joint_extras::{self, SCALE},
};
use serde_json::Value;
use sinew::{Character, Extras};
use std::borrow::Cow;

/// `extras` with the scale inheritance of the joints that do not inherit all scale.
pub(in crate::gltf) fn with_joint_data<'a>(
    character: &Character,
    mut extras: Cow<'a, Extras>,
) -> Result<Cow<'a, Extras>, WriteError> {
    let skeleton = character.skeleton();
    for joint in skeleton.compensated() {
        let value = Value::from(skeleton.scale_inheritance(joint).name());
        if !joint_extras::put(extras.to_mut(), joint.index(), SCALE, Some(value)) {
            let place = format!("extras of joint {:?}", skeleton.name(joint));
            return Err(unrepresentable(place, "must be an object to hold the scale inheritance"));
        }
    }
    Ok(extras)
}
