//! Spring bones and node constraints in a summary.

use super::table::{
    ColumnAlign::{Left, Right},
    TextTable,
};
use serde::Serialize;
use sinew::{
    Character, JointId,
    constrain::{ColliderShape, NodeConstraint, NodeConstraintKind, SpringChain, SpringCollider},
};

/// A chain of joints that swing.
#[derive(Debug, Serialize)]
pub(super) struct SpringSummary {
    pub(super) name: String,
    /// The joints that swing.
    pub(super) joints: Vec<usize>,
    /// The joint in whose space motion is measured; `None` for the world.
    pub(super) center_joint: Option<usize>,
    /// How many colliders push the chain away.
    pub(super) collider_count: usize,
    /// How many of its joints have a limit.
    pub(super) limited_joint_count: usize,
}

/// A shape that pushes springs away.
#[derive(Debug, Serialize)]
pub(super) struct SpringColliderSummary {
    pub(super) joint: usize,
    /// The name of the shape: `sphere`, `capsule`, `plane`, `inside-sphere` or `inside-capsule`.
    pub(super) shape: &'static str,
    pub(super) radius_meters: f32,
}

/// A joint whose rotation follows another.
#[derive(Debug, Serialize)]
pub(super) struct NodeConstraintSummary {
    pub(super) joint: usize,
    pub(super) source_joint: usize,
    /// The name of the kind: `roll`, `aim` or `rotation`.
    pub(super) kind: &'static str,
    /// The axis with its sign, for instance `-y`; `None` for a rotation.
    pub(super) axis: Option<String>,
    pub(super) weight: f32,
}

pub(super) fn springs(character: &Character) -> Vec<SpringSummary> {
    let parts = &character.parts().springs;
    let summary = |chain: &SpringChain| {
        let groups = chain.collider_groups.iter().filter_map(|&group| parts.collider_groups.get(group));
        SpringSummary {
            name: chain.name.clone(),
            joints: chain.swinging().iter().map(|joint| joint.joint.index()).collect(),
            center_joint: chain.center.map(JointId::index),
            collider_count: groups.map(|group| group.colliders.len()).sum(),
            limited_joint_count: chain.swinging().iter().filter(|joint| joint.limit.is_some()).count(),
        }
    };
    parts.chains.iter().map(summary).collect()
}

pub(super) fn spring_colliders(character: &Character) -> Vec<SpringColliderSummary> {
    let summary = |collider: &SpringCollider| {
        let (shape, radius_meters) = match collider.shape {
            ColliderShape::Sphere { radius, is_inside: false, .. } => ("sphere", radius),
            ColliderShape::Sphere { radius, .. } => ("inside-sphere", radius),
            ColliderShape::Capsule { radius, is_inside: false, .. } => ("capsule", radius),
            ColliderShape::Capsule { radius, .. } => ("inside-capsule", radius),
            ColliderShape::Plane { .. } => ("plane", 0.0),
        };
        SpringColliderSummary { joint: collider.joint.index(), shape, radius_meters }
    };
    character.parts().springs.colliders.iter().map(summary).collect()
}

pub(super) fn node_constraints(character: &Character) -> Vec<NodeConstraintSummary> {
    let summary = |constraint: &NodeConstraint| {
        let (kind, axis) = match constraint.kind {
            NodeConstraintKind::Roll { axis } => ("roll", Some(axis.letter().to_string())),
            NodeConstraintKind::Aim { axis, is_negative } => {
                ("aim", Some(format!("{}{}", if is_negative { "-" } else { "" }, axis.letter())))
            }
            NodeConstraintKind::Rotation => ("rotation", None),
        };
        NodeConstraintSummary {
            joint: constraint.joint.index(),
            source_joint: constraint.source.index(),
            kind,
            axis,
            weight: constraint.weight,
        }
    };
    character.node_constraints().iter().map(summary).collect()
}

/// One line for each chain; `name` returns the name of a joint.
pub(super) fn spring_lines(springs: &[SpringSummary], name: impl Fn(usize) -> String) -> Vec<String> {
    if springs.is_empty() {
        return Vec::new();
    }
    let columns = [
        ("spring", Left),
        ("first joint", Left),
        ("swinging", Right),
        ("limited", Right),
        ("colliders", Right),
        ("center", Left),
    ];
    let mut table = TextTable::new(&columns);
    for spring in springs {
        table.row(vec![
            spring.name.clone(),
            spring.joints.first().map(|&joint| name(joint)).unwrap_or_default(),
            spring.joints.len().to_string(),
            spring.limited_joint_count.to_string(),
            spring.collider_count.to_string(),
            spring.center_joint.map_or_else(|| "world".into(), &name),
        ]);
    }
    table.lines()
}

/// One line for each constraint; `name` returns the name of a joint.
pub(super) fn constraint_lines(
    constraints: &[NodeConstraintSummary],
    name: impl Fn(usize) -> String,
) -> Vec<String> {
    if constraints.is_empty() {
        return Vec::new();
    }
    let mut table = TextTable::new(&[
        ("joint", Left),
        ("kind", Left),
        ("axis", Left),
        ("follows", Left),
        ("weight", Right),
    ]);
    for constraint in constraints {
        table.row(vec![
            name(constraint.joint),
            constraint.kind.into(),
            constraint.axis.clone().unwrap_or_default(),
            name(constraint.source_joint),
            format!("{:.2}", constraint.weight),
        ]);
    }
    table.lines()
}
