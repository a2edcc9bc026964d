//! Fixes for the weights of meshes.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{
    FindingCode,
    bound::{BoundMesh, bound_meshes},
    counted::vertices,
    placement::{JointReach, islands, strays},
    seams,
    symmetry::Asymmetry,
};
use crate::weights::{Edit, EffectPoses, PoseOptions, ops};
use sinew::{Character, Influence, Mesh, MeshParts, Precomputed, WeightSum, Weights};
use std::{collections::BTreeSet, sync::Arc};

/// The new weights of a mesh, and what was done in words.
type Change = (Weights, String);

/// Changes the weights of every mesh for which `change` returns some.
fn fix_meshes(
    session: &mut FixSession<'_>,
    code: FindingCode,
    change: impl Fn(&BoundMesh<'_>) -> Result<Option<Change>, FixError>,
) -> Result<(), FixError> {
    let mut done = BTreeSet::new();
    for index in 0..bound_meshes(&session.character).len() {
        let bound = bound_meshes(&session.character);
        let Some(it) = bound.get(index).filter(|b| done.insert(b.mesh_index)) else { continue };
        let Some((weights, what)) = change(it)? else { continue };
        let text = it.place(Vec::new()).text;
        let next = with_weights(&session.character, it.mesh_index, weights)?;
        session.done(code, format!("{text}: {what}"), next, MeasuredOver::ClipsAndRange);
    }
    Ok(())
}

/// `character` with new weights for a mesh. Data precomputed from the old weights is dropped.
pub(super) fn with_weights(
    character: &Character,
    mesh: usize,
    weights: Weights,
) -> Result<Character, FixError> {
    let mut parts = character.parts().clone();
    let old = Mesh::clone(&parts.meshes[mesh]).into_parts();
    let new = MeshParts { weights: Some(Arc::new(weights)), precomputed: Precomputed::NONE, ..old };
    parts.meshes[mesh] = Arc::new(Mesh::new(new)?);
    Ok(Character::new(parts)?)
}

/// Weights with the influences that `of` gives for each vertex. Muscle weights stay.
pub(super) fn rebuilt(
    weights: &Weights,
    slot_count: usize,
    of: impl Fn(usize) -> Vec<Influence>,
) -> Result<Weights, FixError> {
    let count = weights.vertex_count();
    let (new, _) = Weights::new(slot_count, (0..count).map(&of))?;
    if weights.sum_kind() == WeightSum::One {
        return Ok(new);
    }
    let free = |vertex: usize| {
        let (slots, slot_weights) = weights.muscle_of(vertex);
        let one = |(&slot, &weight): (&u16, &f32)| Influence { slot, weight };
        slots.iter().zip(slot_weights).map(one).collect::<Vec<_>>()
    };
    Ok(new.with_muscle_weights(slot_count, (0..count).map(free))?)
}

pub(super) fn fix_seams(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::SeamOpens, |bound| {
        let open = seams::open(bound);
        if open.is_empty() {
            return Ok(None);
        }
        let outcome = ops::normalize(&Edit::new(bound.mesh)?)?;
        let what = format!("{} set to the mean of their copies", vertices(outcome.changed));
        Ok(Some((outcome.weights, what)))
    })
}

pub(super) fn fix_islands(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::LooseIsland, |bound| {
        let Some(graph) = bound.graph() else { return Ok(None) };
        let islands = islands(bound, &graph, &JointReach::new(bound));
        if islands.is_empty() {
            return Ok(None);
        }
        let mut source: Vec<usize> = (0..bound.weights.vertex_count()).collect();
        for island in &islands {
            island.vertices.iter().for_each(|&v| source[v as usize] = island.neighbor as usize);
        }
        let of = |vertex: usize| bound.weights.influences(source[vertex]).collect();
        let weights = rebuilt(bound.weights, bound.skin.joints().len(), of)?;
        Ok(Some((weights, format!("{} loose parts follow their surroundings", islands.len()))))
    })
}

pub(super) fn fix_strays(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::StrayWeights, |bound| {
        let Some(graph) = bound.graph() else { return Ok(None) };
        let strays: BTreeSet<(u32, u16)> =
            strays(bound, &graph, &JointReach::new(bound)).iter().map(|s| (s.vertex, s.slot)).collect();
        if strays.is_empty() {
            return Ok(None);
        }
        let points = bound.mesh.points();
        let own = |vertex: usize| -> Vec<Influence> {
            let stays = |i: &Influence| !strays.contains(&(vertex as u32, i.slot));
            bound.weights.influences(vertex).filter(stays).collect()
        };
        let of = |vertex: usize| {
            let left = own(vertex);
            if !left.is_empty() {
                return left;
            }
            // No influence of its own is left, so it takes those of its neighbors.
            let ring = graph.ring(points.of_vertex()[vertex] as usize);
            let around: Vec<Influence> =
                ring.iter().flat_map(|&p| own(points.first_vertex()[p as usize] as usize)).collect();
            if around.is_empty() { bound.weights.influences(vertex).collect() } else { around }
        };
        let weights = rebuilt(bound.weights, bound.skin.joints().len(), of)?;
        Ok(Some((weights, format!("{} influences of distant joints removed", strays.len()))))
    })
}

pub(super) fn fix_sides(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::AsymmetricWeights, |bound| {
        let Some(found) = Asymmetry::of(bound) else { return Ok(None) };
        let outcome = ops::mirror(&Edit::new(bound.mesh)?, &found.map, &found.options)?;
        let what = format!("{} mirrored from the left side", vertices(outcome.outcome.changed));
        Ok(Some((outcome.outcome.weights, what)))
    })
}

pub(super) fn fix_influences(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let Some(target) = session.options.target else { return Ok(()) };
    let limit = target.limits().influences;
    fix_meshes(session, FindingCode::InfluencesOverTarget, |bound| {
        if bound.weights.max_influences() <= limit {
            return Ok(None);
        }
        let poses = EffectPoses::of_character(bound.character, bound.skin_index, &PoseOptions::default());
        let edit = Edit::new(bound.mesh)?.over(&poses);
        let outcome = ops::limit(&edit, limit, ops::LimitBy::Refit)?;
        let what = format!("{} limited to {limit} influences, refitted", vertices(outcome.changed));
        Ok(Some((outcome.weights, what)))
    })
}
