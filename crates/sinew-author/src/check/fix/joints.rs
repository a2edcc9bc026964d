//! Fixes that remove joints from a skin.

use super::{FixError, FixSession, measure::MeasuredOver, weights::rebuilt};
use crate::check::{
    FindingCode,
    bound::bound_meshes,
    influences::{skin_text, unused, used_slots},
};
use crate::weights::ops;
use sinew::{Character, Influence, Mesh, MeshParts, Precomputed, Skin, Weights};
use std::sync::Arc;

pub(super) fn fix_unused(session: &mut FixSession<'_>) -> Result<(), FixError> {
    for skin in 0..session.character.skins().len() {
        if !session.names_skin(FindingCode::UnusedJoint, skin) {
            continue;
        }
        let gone = unused(&session.character, skin);
        let slots = 0..session.character.skins()[skin].joints().len() as u16;
        let keep: Vec<u16> = slots.filter(|s| !gone.contains(s)).collect();
        if !gone.is_empty() {
            remove(session, skin, &keep, FindingCode::UnusedJoint)?;
        }
    }
    Ok(())
}

/// Removes unused joints, after merging the joints with the smallest weight into their parents.
pub(super) fn fix_count(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let Some(target) = session.options.target else { return Ok(()) };
    let limit = target.limits().joints;
    for skin in 0..session.character.skins().len() {
        let is_named = session.names_skin(FindingCode::JointsOverTarget, skin);
        if !is_named || session.character.skins()[skin].joints().len() <= limit {
            continue;
        }
        let used = used_slots(&session.character, skin);
        let needed = used.iter().filter(|u| **u).count().saturating_sub(limit);
        if needed > 0 {
            merge(session, skin, needed)?;
        }
        remove(session, skin, &[], FindingCode::JointsOverTarget)?;
    }
    Ok(())
}

/// The meshes of a skin; none if one of them also has another skin, whose slots would be mixed up.
fn meshes_of(character: &Character, skin: usize) -> Vec<usize> {
    let bound = bound_meshes(character);
    let of: Vec<usize> = bound.iter().filter(|b| b.skin_index == skin).map(|b| b.mesh_index).collect();
    let is_shared = bound.iter().any(|b| b.skin_index != skin && of.contains(&b.mesh_index));
    if is_shared { Vec::new() } else { of }
}

fn remove(
    session: &mut FixSession<'_>,
    skin: usize,
    keep: &[u16],
    code: FindingCode,
) -> Result<(), FixError> {
    let meshes = meshes_of(&session.character, skin);
    if meshes.is_empty() {
        return Ok(());
    }
    let character = &session.character;
    let old = &character.skins()[skin];
    let weights: Vec<&Weights> =
        meshes.iter().filter_map(|&m| character.meshes()[m].weights()).map(|w| &**w).collect();
    let reduced = ops::remove_unused_joints(character.skeleton(), old, &weights, keep)?;
    if reduced.removed.is_empty() {
        return Ok(());
    }
    let what = format!("{}: {} unused joints removed", skin_text(old, skin), reduced.removed.len());
    let next = with_parts(character, skin, reduced.skin, meshes.into_iter().zip(reduced.weights))?;
    session.done(code, what, next, MeasuredOver::Clips);
    Ok(())
}

fn with_parts(
    character: &Character,
    skin: usize,
    new: Skin,
    weights: impl Iterator<Item = (usize, Weights)>,
) -> Result<Character, FixError> {
    let mut parts = character.parts().clone();
    parts.skins[skin] = Arc::new(new);
    for (mesh, weights) in weights {
        let old = Mesh::clone(&parts.meshes[mesh]).into_parts();
        let new = MeshParts { weights: Some(Arc::new(weights)), precomputed: Precomputed::NONE, ..old };
        parts.meshes[mesh] = Arc::new(Mesh::new(new)?);
    }
    Ok(Character::new(parts)?)
}

/// Moves the weight of the `count` joints with the smallest weight to their ancestors.
fn merge(session: &mut FixSession<'_>, skin: usize, count: usize) -> Result<(), FixError> {
    let character = &session.character;
    let (skeleton, it) = (character.skeleton(), &character.skins()[skin]);
    let meshes = meshes_of(character, skin);
    let mut load = vec![0.0_f64; it.joints().len()];
    for weights in meshes.iter().filter_map(|&m| character.meshes()[m].weights()) {
        for vertex in 0..weights.vertex_count() {
            weights.influences(vertex).for_each(|i| load[usize::from(i.slot)] += f64::from(i.weight));
        }
    }
    let mut into: Vec<u16> = (0..it.joints().len() as u16).collect();
    let above =
        |slot: u16| skeleton.ancestors(it.joints()[usize::from(slot)]).skip(1).find_map(|j| it.slot_of(j));
    let mut light: Vec<u16> =
        into.iter().copied().filter(|&s| load[usize::from(s)] > 0.0 && above(s).is_some()).collect();
    light.sort_by(|&a, &b| load[usize::from(a)].total_cmp(&load[usize::from(b)]));
    let gone: Vec<u16> = light.into_iter().take(count).collect();
    for &slot in &gone {
        let mut to = above(slot);
        while let Some(next) = to.filter(|t| gone.contains(t)) {
            to = above(next);
        }
        into[usize::from(slot)] = to.unwrap_or(slot);
    }
    let renamed = |weights: &Weights| {
        let of = |vertex: usize| {
            let moved = |i: Influence| Influence { slot: into[usize::from(i.slot)], ..i };
            weights.influences(vertex).map(moved).collect()
        };
        rebuilt(weights, it.joints().len(), of)
    };
    let mut changed = Vec::new();
    for &mesh in &meshes {
        if let Some(weights) = character.meshes()[mesh].weights() {
            changed.push((mesh, renamed(weights)?));
        }
    }
    let what = format!("{}: {} joints merged into their ancestors", skin_text(it, skin), gone.len());
    let next = with_parts(character, skin, Skin::clone(it), changed.into_iter())?;
    session.done(FindingCode::JointsOverTarget, what, next, MeasuredOver::ClipsAndRange);
    Ok(())
}
