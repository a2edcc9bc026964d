//! Node constraints of VRM 1.0: `VRMC_node_constraint`.

use super::{
    super::json::Root,
    fields::{Fault, Faults, index, number},
};
use serde_json::{Value, json};
use sinew::{
    JointId, Skeleton,
    constrain::{JointAxis, NodeConstraint, NodeConstraintError, NodeConstraintKind, NodeConstraints},
};

/// The extension of a node.
pub(in crate::gltf) const NODE_CONSTRAINT: &str = "VRMC_node_constraint";

/// The constraints of all nodes. What does not fit is left out and listed in `faults`.
pub(super) fn read(
    root: &Root,
    skeleton: &Skeleton,
    joint_of: &dyn Fn(usize) -> Option<JointId>,
    faults: &mut Faults,
) -> Vec<NodeConstraint> {
    let mut out = Vec::new();
    for (node, of) in root.nodes.iter().enumerate() {
        let Some(extension) = of.extensions.get(NODE_CONSTRAINT) else { continue };
        match (constraint(extension, joint_of), joint_of(node)) {
            (Ok(constraint), Some(joint)) => out.push(NodeConstraint { joint, ..constraint }),
            (Err(why), _) => faults.push(Fault::new(place_of(node), why)),
            (_, None) => {}
        }
    }
    without_faulty(out, skeleton, faults)
}

fn place_of(node: usize) -> String {
    format!("nodes[{node}].extensions.{NODE_CONSTRAINT}")
}

/// The constraints without those that the skeleton refuses.
fn without_faulty(
    mut constraints: Vec<NodeConstraint>,
    skeleton: &Skeleton,
    faults: &mut Faults,
) -> Vec<NodeConstraint> {
    // Each round walks all constraints; a real file has a handful of faults at most.
    for _ in 0..16 {
        let Err(error) = NodeConstraints::new(skeleton, &constraints) else { return constraints };
        let at = match error {
            NodeConstraintError::NoSuchJoint { constraint, .. }
            | NodeConstraintError::BadWeight { constraint, .. }
            | NodeConstraintError::Circular { constraint, .. } => Some(constraint),
            NodeConstraintError::JointTwice { second, .. } => Some(second),
            _ => None,
        };
        faults.push(Fault::new("nodes", error.to_string()));
        match at.filter(|at| *at < constraints.len()) {
            Some(at) => drop(constraints.remove(at)),
            None => break,
        }
    }
    faults.push(Fault::new("nodes", format!("{} node constraints were left out", constraints.len())));
    Vec::new()
}

fn constraint(
    extension: &Value,
    joint_of: &dyn Fn(usize) -> Option<JointId>,
) -> Result<NodeConstraint, String> {
    let of = extension.get("constraint").ok_or("has no constraint")?;
    let (of, kind) = kind(of)?;
    let node = of.get("source").and_then(index).ok_or("names no source")?;
    let source = joint_of(node).ok_or_else(|| format!("names node {node}, which does not exist"))?;
    let weight = number(of.get("weight"), 1.0);
    if !(0.0..=1.0).contains(&weight) {
        return Err(format!("the weight must be from 0 to 1, got {weight}"));
    }
    Ok(NodeConstraint { joint: source, source, weight, kind })
}

fn kind(of: &Value) -> Result<(&Value, NodeConstraintKind), String> {
    let axis = |of: &Value, key: &str| {
        let name = of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let letter = name.chars().last().map(|letter| letter.to_ascii_lowercase());
        let axis = JointAxis::ALL.into_iter().find(|axis| Some(axis.letter()) == letter);
        axis.map(|axis| (axis, name.clone())).ok_or_else(|| format!("{key} must be an axis, got {name:?}"))
    };
    if let Some(roll) = of.get("roll") {
        let (axis, _) = axis(roll, "rollAxis")?;
        return Ok((roll, NodeConstraintKind::Roll { axis }));
    }
    if let Some(aim) = of.get("aim") {
        let (axis, name) = axis(aim, "aimAxis")?;
        return Ok((aim, NodeConstraintKind::Aim { axis, is_negative: name.starts_with("Negative") }));
    }
    let rotation = of.get("rotation").ok_or("has no roll, aim or rotation")?;
    Ok((rotation, NodeConstraintKind::Rotation))
}

/// The extension of the node that is constrained.
pub(in crate::gltf) fn to_json(constraint: &NodeConstraint, source: usize) -> Value {
    let weight = constraint.weight;
    let letter = |axis: JointAxis| axis.letter().to_ascii_uppercase();
    let of = match constraint.kind {
        NodeConstraintKind::Roll { axis } => {
            json!({ "roll": { "source": source, "rollAxis": letter(axis), "weight": weight } })
        }
        NodeConstraintKind::Aim { axis, is_negative } => {
            let sign = if is_negative { "Negative" } else { "Positive" };
            let axis = format!("{sign}{}", letter(axis));
            json!({ "aim": { "source": source, "aimAxis": axis, "weight": weight } })
        }
        NodeConstraintKind::Rotation => json!({ "rotation": { "source": source, "weight": weight } }),
    };
    json!({ "specVersion": "1.0", "constraint": of })
}
