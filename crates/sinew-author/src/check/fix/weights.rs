//! Fixes for the weights of meshes.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{
    FindingCode, FindingPlace,
    bound::{BoundMesh, bound_meshes},
    counted::vertices,
    islands::islands,
    placement::{JointReach, strays, without},
    seams,
    symmetry::Asymmetry,
};
use crate::weights::{Edit, EffectPoses, PoseOptions, VertexSelection, ops};
use sinew::{Character, Influence, Mesh, MeshParts, Precomputed, WeightSum, Weights};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The new weights of a mesh, and what was done in words.
type Change = (Weights, String);

/// The vertices that findings name, and for some the joint.
struct Named<'a>(Vec<&'a FindingPlace>);

impl Named<'_> {
    fn vertices(&self) -> BTreeSet<u32> {
        self.0.iter().flat_map(|place| place.vertices.iter().copied()).collect()
    }

    /// The vertices with the slot of the joint that is named with them.
    fn influences(&self, bound: &BoundMesh<'_>) -> BTreeSet<(u32, u16)> {
        let of = |place: &&FindingPlace| Some((place.vertices.clone(), bound.skin.slot_of(place.joint?)?));
        let all = self.0.iter().filter_map(of);
        all.flat_map(|(vertices, slot)| vertices.into_iter().map(move |v| (v, slot))).collect()
    }
}

/// Changes the weights of every mesh that findings of `code` name and for which `change` returns some.
fn fix_meshes(
    session: &mut FixSession<'_>,
    code: FindingCode,
    change: impl Fn(&BoundMesh<'_>, &Named<'_>) -> Result<Option<Change>, FixError>,
) -> Result<(), FixError> {
    let mut done = BTreeSet::new();
    for index in 0..bound_meshes(&session.character).len() {
        let bound = bound_meshes(&session.character);
        let Some(it) = bound.get(index) else { continue };
        let named = Named(session.named(code).filter(|place| place.instance == Some(it.instance)).collect());
        if named.0.is_empty() || !done.insert(it.mesh_index) {
            continue;
        }
        let Some((weights, what)) = change(it, &named)? else { continue };
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
    fix_meshes(session, FindingCode::SeamOpens, |bound, named| {
        if seams::open(bound).is_empty() {
            return Ok(None);
        }
        let edit = Edit::new(bound.mesh)?.select(VertexSelection::Vertices(named.vertices()));
        let outcome = ops::normalize(&edit)?;
        let what = format!("{} set to the mean of their copies", vertices(outcome.changed));
        Ok(Some((outcome.weights, what)))
    })
}

pub(super) fn fix_islands(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::LooseIsland, |bound, named| {
        let named = named.vertices();
        let bounds = bound_meshes(bound.character);
        let mut changed: BTreeMap<u32, Vec<Influence>> = BTreeMap::new();
        let mut parts = 0;
        for island in islands(bound.character, &bounds) {
            let is_here = bounds[island.bound].instance == bound.instance;
            let around = island.influences(bound);
            if is_here && island.vertices.iter().all(|v| named.contains(v)) && !around.is_empty() {
                parts += 1;
                changed.extend(island.vertices.iter().map(|&v| (v, around.clone())));
            }
        }
        let what = format!("{parts} loose parts follow their surroundings");
        reweighted(bound, &changed, what)
    })
}

pub(super) fn fix_strays(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::StrayWeights, |bound, named| {
        let Some(graph) = bound.graph() else { return Ok(None) };
        let named = named.influences(bound);
        let strays: BTreeSet<(u32, u16)> =
            strays(bound, &graph, &JointReach::new(bound)).iter().map(|s| (s.vertex, s.slot)).collect();
        let strays: BTreeSet<(u32, u16)> = strays.intersection(&named).copied().collect();
        let is_stray = |vertex: u32, slot: u16| strays.contains(&(vertex, slot));
        let of = |&(vertex, _): &(u32, u16)| (vertex, without(bound, &graph, vertex as usize, is_stray));
        let changed = strays.iter().map(of).collect();
        reweighted(bound, &changed, format!("{} influences of distant joints removed", strays.len()))
    })
}

/// The weights with other influences of some vertices; `None` if there are none.
fn reweighted(
    bound: &BoundMesh<'_>,
    changed: &BTreeMap<u32, Vec<Influence>>,
    what: String,
) -> Result<Option<Change>, FixError> {
    if changed.is_empty() {
        return Ok(None);
    }
    let of = |vertex: usize| match changed.get(&(vertex as u32)) {
        Some(influences) => influences.clone(),
        None => bound.weights.influences(vertex).collect(),
    };
    Ok(Some((rebuilt(bound.weights, bound.skin.joints().len(), of)?, what)))
}

/// Gives parts that follow the other side the joints of their own side.
pub(super) fn fix_swapped(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_meshes(session, FindingCode::SideSwapped, |bound, named| {
        let named = named.influences(bound);
        let pairs = bound.pairs();
        let own = |&(vertex, _): &(u32, u16)| {
            let on_own_side = |i: Influence| {
                let is_named = named.contains(&(vertex, i.slot));
                if is_named { Influence { slot: pairs.partner(i.slot), ..i } } else { i }
            };
            (vertex, bound.weights.influences(vertex as usize).map(on_own_side).collect())
        };
        let changed: BTreeMap<u32, Vec<Influence>> = named.iter().map(own).collect();
        let what = format!("{} follow the joint of their own side", vertices(changed.len()));
        reweighted(bound, &changed, what)
    })
}

pub(super) fn fix_sides(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let swapped: BTreeSet<Option<usize>> =
        session.named(FindingCode::SideSwapped).map(|place| place.instance).collect();
    fix_meshes(session, FindingCode::AsymmetricWeights, |bound, named| {
        // The difference was that of the swapped side, which is fixed; mirroring what is left of it would spread it.
        if swapped.contains(&Some(bound.instance)) {
            return Ok(None);
        }
        let Some(found) = Asymmetry::of(bound) else { return Ok(None) };
        let outcome = found.mirrored(bound, named.vertices().into_iter())?.outcome;
        let what = format!("{} mirrored from the left side", vertices(outcome.changed));
        Ok(Some((outcome.weights, what)))
    })
}

pub(super) fn fix_influences(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let Some(target) = session.options.target else { return Ok(()) };
    let limit = target.limits().influences;
    fix_meshes(session, FindingCode::InfluencesOverTarget, |bound, _| {
        if bound.weights.max_influences() <= limit {
            return Ok(None);
        }
        // Not only those that are named: an earlier step may have given a vertex the joints of others.
        let count = bound.weights.vertex_count();
        let over = (0..count).filter(|&vertex| bound.weights.influences(vertex).len() > limit);
        let over = over.map(|vertex| vertex as u32).collect();
        let poses = EffectPoses::of_character(bound.character, bound.skin_index, &PoseOptions::default());
        let edit = Edit::new(bound.mesh)?.over(&poses).select(VertexSelection::Vertices(over));
        let outcome = ops::limit(&edit, limit, ops::LimitBy::Refit)?;
        let what = format!("{} limited to {limit} influences, refitted", vertices(outcome.changed));
        Ok(Some((outcome.weights, what)))
    })
}
