//! Skin of one side that follows the joint of the other side.

use super::{
    Finding, FindingCode, bound::BoundMesh, counted::vertices_do, effect::EffectMeter, placement::JointReach,
};
use sinew::Influence;
use std::collections::BTreeMap;

/// A vertex follows a joint if it has at least this weight of it.
const MIN_WEIGHT: f32 = 0.5;
/// The bone of the own side is at most this fraction of the distance of the followed one away.
const MAX_DISTANCE_RATIO: f32 = 0.45;
/// The two distances differ by at least this fraction of the mesh's diagonal.
const MIN_APART: f32 = 0.03;
/// A part has at least this many points.
const MIN_POINTS: usize = 3;

pub(super) fn findings(bound: &BoundMesh<'_>, meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    for (slot, swapped) in swapped(bound) {
        let partner = bound.pairs().partner(slot);
        let exchange = |vertex: usize| -> Vec<Influence> {
            let own = |i: Influence| if i.slot == slot { Influence { slot: partner, ..i } } else { i };
            bound.weights.influences(vertex).map(own).collect()
        };
        let effect = meter.of_influences(bound, &swapped, exchange);
        let message = format!(
            "{} {}, although {} is nearer",
            vertices_do(swapped.len(), "follow"),
            bound.joint_name(slot),
            bound.joint_name(partner),
        );
        let count = swapped.len() as f64;
        let mut place = bound.place(swapped);
        place.joint = Some(bound.joint(slot));
        out.push(
            Finding::new(FindingCode::SideSwapped, place, message)
                .with("vertices", count)
                .with_effect(effect),
        );
    }
}

/// The vertices that follow the joint of the other side, by the slot that they follow.
fn swapped(bound: &BoundMesh<'_>) -> BTreeMap<u16, Vec<u32>> {
    let pairs = bound.pairs();
    let slots = 0..bound.skin.joints().len() as u16;
    if slots.clone().all(|slot| pairs.partner(slot) == slot) {
        return BTreeMap::new();
    }
    let reach = JointReach::new(bound);
    let apart = MIN_APART * bound.diagonal();
    let positions = bound.mesh.positions();
    let mut out: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    // For each joint, the points that are clearly on the other side.
    let mut sure: BTreeMap<u16, usize> = BTreeMap::new();
    let first = bound.mesh.points().first_vertex();
    for (vertex, &point) in bound.mesh.points().of_vertex().iter().enumerate() {
        let strong = bound.weights.influences(vertex).find(|i| i.weight >= MIN_WEIGHT);
        let Some(slot) = strong.map(|i| i.slot).filter(|&slot| pairs.partner(slot) != slot) else { continue };
        let followed = reach.distance(slot, positions[vertex]);
        let own = reach.distance(pairs.partner(slot), positions[vertex]);
        if own >= followed {
            continue;
        }
        out.entry(slot).or_default().push(vertex as u32);
        let is_sure = own <= MAX_DISTANCE_RATIO * followed && followed - own >= apart;
        if is_sure && first[point as usize] as usize == vertex {
            *sure.entry(slot).or_default() += 1;
        }
    }
    out.retain(|slot, _| sure.get(slot).is_some_and(|&count| count >= MIN_POINTS));
    out
}
