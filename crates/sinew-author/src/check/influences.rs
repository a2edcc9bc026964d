//! More influences or joints than the target supports, and unused joints.

use super::{
    CheckOptions, Finding, FindingCode, FindingPlace,
    bound::{BoundMesh, bound_meshes, joint_name},
    counted::vertices_do,
};
use sinew::{Character, JointId, Skeleton, Skin};

pub(super) fn over_target(bound: &BoundMesh<'_>, options: &CheckOptions, out: &mut Vec<Finding>) {
    let Some(target) = options.target else { return };
    let limit = target.limits().influences;
    let count = bound.weights.vertex_count();
    let over: Vec<u32> =
        (0..count).filter(|&v| bound.weights.of(v).0.len() > limit).map(|v| v as u32).collect();
    if over.is_empty() {
        return;
    }
    let found = bound.weights.max_influences();
    let message = format!(
        "{} up to {found} joints; {} supports {limit}",
        vertices_do(over.len(), "follow"),
        target.name()
    );
    out.push(
        Finding::new(FindingCode::InfluencesOverTarget, bound.place(over), message)
            .with("influences", found as f64)
            .with("limit", limit as f64),
    );
}

pub(super) fn joints(character: &Character, options: &CheckOptions, out: &mut Vec<Finding>) {
    let bound = bound_meshes(character);
    for (index, skin) in character.skins().iter().enumerate() {
        let instance = bound.iter().find(|b| b.skin_index == index).map(|b| b.instance);
        let place = |joint| FindingPlace {
            text: skin_text(skin, index),
            instance,
            skin: Some(index),
            joint,
            ..FindingPlace::default()
        };
        let limit = options.target.map(|t| (t.name(), t.limits().joints));
        if let Some((name, max_joints)) = limit.filter(|(_, max)| skin.joints().len() > *max) {
            let message = format!("{} joints; {name} supports {max_joints}", skin.joints().len());
            out.push(
                Finding::new(FindingCode::JointsOverTarget, place(None), message)
                    .with("joints", skin.joints().len() as f64)
                    .with("limit", max_joints as f64),
            );
        }
        let unused = unused(character, index);
        if let Some(&slot) = unused.first() {
            let joint = skin.joints()[usize::from(slot)];
            let name = joint_name(character.skeleton(), joint);
            let others = if unused.len() > 1 {
                format!(" and {} more joints", unused.len() - 1)
            } else {
                String::new()
            };
            let message = format!("no vertex follows {name}{others}");
            let finding = Finding::new(FindingCode::UnusedJoint, place(Some(joint)), message);
            out.push(finding.with("joints", unused.len() as f64));
        }
    }
}

pub(super) fn skin_text(skin: &Skin, index: usize) -> String {
    if skin.name().is_empty() { format!("skin {index}") } else { format!("skin {:?}", skin.name()) }
}

/// For each slot, whether any vertex of any mesh follows it.
pub(super) fn used_slots(character: &Character, skin: usize) -> Vec<bool> {
    let mut used = vec![false; character.skins()[skin].joints().len()];
    for bound in bound_meshes(character).iter().filter(|b| b.skin_index == skin) {
        for vertex in 0..bound.weights.vertex_count() {
            let slots = bound.weights.of(vertex).0.iter().chain(bound.weights.muscle_of(vertex).0);
            slots.for_each(|&slot| used[usize::from(slot)] = true);
        }
    }
    used
}

/// The slots of `skin` that can be removed.
///
/// An ancestor of a used joint belongs to its chain, and the only child of a used joint marks the end of its bone: both stay.
pub(super) fn unused(character: &Character, skin: usize) -> Vec<u16> {
    let (skeleton, it) = (character.skeleton(), &character.skins()[skin]);
    let used = used_slots(character, skin);
    // If no mesh uses the skin, its joints are not the problem.
    if !used.contains(&true) {
        return Vec::new();
    }
    let mut has_used_below = vec![false; skeleton.len()];
    for (_, joint) in it.joints().iter().enumerate().filter(|(slot, _)| used[*slot]) {
        skeleton.ancestors(*joint).for_each(|above| has_used_below[above.index()] = true);
    }
    let is_unused = |&(slot, &joint): &(usize, &JointId)| {
        !used[slot] && !has_used_below[joint.index()] && !is_tip(skeleton, joint, &has_used_below)
    };
    it.joints().iter().enumerate().filter(is_unused).map(|(slot, _)| slot as u16).collect()
}

/// True for the only child of a needed joint.
fn is_tip(skeleton: &Skeleton, joint: JointId, is_needed: &[bool]) -> bool {
    let Some(parent) = skeleton.parent(joint) else { return false };
    is_needed[parent.index()]
        && skeleton.children(parent).count() == 1
        && skeleton.children(joint).next().is_none()
}
