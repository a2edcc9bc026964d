//! Which joint a command means.

use crate::failure::Failure;
use sinew::{Character, JointId};

/// A joint by its exact name, or else by its number.
pub(crate) fn find(character: &Character, wanted: &str) -> Result<JointId, Failure> {
    let skeleton = character.skeleton();
    let by_number = || wanted.parse().ok().and_then(|index| skeleton.joint(index));
    skeleton.find(wanted).or_else(by_number).ok_or_else(|| {
        let lower = wanted.to_lowercase();
        let near = skeleton.joints().map(|j| skeleton.name(j)).filter(|n| n.to_lowercase().contains(&lower));
        let near: Vec<&str> = near.take(8).collect();
        let hint = if near.is_empty() {
            format!("; `sinew inspect` lists all {}", skeleton.len())
        } else {
            format!("; did you mean {}?", near.join(", "))
        };
        Failure::usage(format!("there is no joint {wanted:?}{hint}"))
    })
}
