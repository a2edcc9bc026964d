//! More influences or joints than the target supports, and unused joints.

use super::{
    CheckOptions, Finding, FindingCode, FindingPlace,
    bound::{BoundMesh, bound_meshes, joint_name, shortened},
    counted::vertices_do,
    effect::EffectMeter,
    rest::mark_ancestors,
};
use sinew::{Character, JointId, Skeleton, Skin};

pub(super) fn over_target(
    bound: &BoundMesh<'_>,
    options: &CheckOptions,
    meter: &EffectMeter<'_>,
    out: &mut Vec<Finding>,
) {
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
    // Influences come largest first, and a program that drops some keeps those.
    let effect = meter.of_influences(bound, &over, |v| bound.weights.influences(v).take(limit).collect());
    out.push(
        Finding::new(FindingCode::InfluencesOverTarget, bound.place(over), message)
            .with("influences", found as f64)
            .with("limit", limit as f64)
            .with_effect(effect),
    );
}

pub(super) fn joints(
    character: &Character,
    options: &CheckOptions,
    meter: &EffectMeter<'_>,
    out: &mut Vec<Finding>,
) {
    let mut first_instance = vec![None; character.skins().len()];
    for bound in bound_meshes(character) {
        first_instance[bound.skin_index].get_or_insert(bound.instance);
    }
    for ((index, skin), used) in character.skins().iter().enumerate().zip(used_slots_of_skins(character)) {
        let instance = first_instance[index];
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
        let unused = unused_of(character.skeleton(), skin, &used);
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
            out.push(finding.with("joints", unused.len() as f64).with_effect(meter.of_meters(0.0)));
        }
    }
}

pub(super) fn skin_text(skin: &Skin, index: usize) -> String {
    if skin.name().is_empty() {
        format!("skin {index}")
    } else {
        format!("skin {:?}", shortened(skin.name()))
    }
}

/// For each slot, whether any vertex of any mesh follows it.
pub(super) fn used_slots(character: &Character, skin: usize) -> Vec<bool> {
    let mut used = vec![false; character.skins()[skin].joints().len()];
    let bound = bound_meshes(character);
    bound.iter().filter(|b| b.skin_index == skin).for_each(|bound| mark_used(bound, &mut used));
    used
}

/// As [`used_slots`], for all skins.
pub(super) fn used_slots_of_skins(character: &Character) -> Vec<Vec<bool>> {
    let mut used: Vec<Vec<bool>> =
        character.skins().iter().map(|skin| vec![false; skin.joints().len()]).collect();
    for bound in bound_meshes(character) {
        mark_used(&bound, &mut used[bound.skin_index]);
    }
    used
}

fn mark_used(bound: &BoundMesh<'_>, used: &mut [bool]) {
    for vertex in 0..bound.weights.vertex_count() {
        let slots = bound.weights.of(vertex).0.iter().chain(bound.weights.muscle_of(vertex).0);
        slots.for_each(|&slot| used[usize::from(slot)] = true);
    }
}

/// The slots of `skin` that can be removed.
///
/// An ancestor of a used joint belongs to its chain, and the only child of a used joint marks the end of its bone: both stay.
pub(super) fn unused(character: &Character, skin: usize) -> Vec<u16> {
    unused_of(character.skeleton(), &character.skins()[skin], &used_slots(character, skin))
}

/// As [`unused`]; `used` says which slots move vertices.
fn unused_of(skeleton: &Skeleton, it: &Skin, used: &[bool]) -> Vec<u16> {
    // If no mesh uses the skin, its joints are not the problem.
    if !used.contains(&true) {
        return Vec::new();
    }
    let mut has_used_below = vec![false; skeleton.len()];
    for (_, joint) in it.joints().iter().enumerate().filter(|(slot, _)| used[*slot]) {
        mark_ancestors(skeleton, *joint, &mut has_used_below);
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
        && skeleton.children(parent).take(2).count() == 1
        && skeleton.children(joint).next().is_none()
}
