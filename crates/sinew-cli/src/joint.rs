//! Joints by name or number.

use crate::failure::Failure;
use sinew::{Character, JointId};

/// Finds a joint by its exact name, or else by its number.
pub(crate) fn find(character: &Character, wanted: &str) -> Result<JointId, Failure> {
    let skeleton = character.skeleton();
    let by_number = || wanted.parse().ok().and_then(|index| skeleton.joint(index));
    skeleton.find(wanted).or_else(by_number).ok_or_else(|| {
        let lower = wanted.to_lowercase();
        let similar =
            skeleton.joints().map(|j| skeleton.name(j)).filter(|n| n.to_lowercase().contains(&lower));
        let similar: Vec<&str> = similar.take(8).collect();
        let hint = if similar.is_empty() {
            format!("; `sinew inspect` lists all {}", skeleton.len())
        } else {
            format!("; did you mean {}?", similar.join(", "))
        };
        Failure::usage(format!("there is no joint {wanted:?}{hint}"))
    })
}
