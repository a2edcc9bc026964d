//! Weight painting: what one brush stamp does to the weights under it.

use super::{
    VertexMirrorMap,
    smooth::{keep_largest, mixed},
};
pub use crate::weights::adjacency::VertexAdjacency;
use crate::weights::{
    Locks, WeightError, WeightTable,
    error::{check_count, check_option},
    table::SlotWeights,
};
use std::collections::BTreeMap;

/// What a brush does to the weight of its joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushKind {
    /// Adds the amount, which may be negative, to the weight.
    #[default]
    Add,
    /// Sets the weight to the amount.
    Replace,
    /// Multiplies the weight by the amount.
    Scale,
    /// Moves the weight towards the mean of its neighbors by the amount, 0 to 1.
    Smooth,
    /// Moves the weight away from the mean of its neighbors by the amount.
    Sharpen,
}

impl BrushKind {
    /// All kinds of brushes.
    pub const ALL: [Self; 5] = [Self::Add, Self::Replace, Self::Scale, Self::Smooth, Self::Sharpen];

    /// The name, for instance `smooth`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Scale => "scale",
            Self::Smooth => "smooth",
            Self::Sharpen => "sharpen",
        }
    }

    /// The kind with that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A brush that paints the weight of one joint.
#[derive(Clone, Copy, Debug)]
pub struct Brush<'a> {
    /// What the brush does.
    pub kind: BrushKind,
    /// The slot of the joint in the skin.
    pub slot: u16,
    /// The amount at a falloff of 1.
    pub amount: f32,
    /// The maximum number of influences of a painted vertex, at least 1.
    pub max_influences: usize,
    /// The joints that keep their weights.
    pub locks: &'a Locks,
    /// If given, paints the mirrored side too.
    pub mirror: Option<&'a VertexMirrorMap>,
}

/// A vertex under the brush, with its falloff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushStamp {
    /// The index of the vertex. Its copies are painted with it.
    pub vertex: u32,
    /// The strength of the brush at the vertex, 0 to 1.
    pub falloff: f32,
}

/// Paints `stamps` into `table` and returns the vertices that changed.
///
/// The other joints of a vertex keep their proportions in what the painted joint leaves. A vertex without other joints takes
/// those of its neighbors, or stays. A locked joint cannot be painted.
///
/// If the joint is a [muscle](WeightTable::is_muscle), its muscle weight is painted, with any value, and nothing else changes.
///
/// # Errors
/// If the table or the mirror map belongs to another mesh, or the joint is not in the skin.
pub fn paint(
    table: &mut WeightTable,
    adjacency: &VertexAdjacency,
    brush: &Brush<'_>,
    stamps: &[BrushStamp],
) -> Result<Vec<u32>, WeightError> {
    check(table, adjacency, brush)?;
    // All weights are read before any is written, so the order of stamps does not matter.
    let under = under_brush(table, adjacency, brush, stamps).into_iter();
    let wanted = under.filter_map(|((point, slot), falloff)| {
        let painted = match table.is_muscle(slot) {
            true => Painted::Muscle(slot, painted_muscle(table, adjacency, brush, point, slot, falloff)),
            false => Painted::Skin(painted(table, adjacency, brush, point, slot, falloff)?),
        };
        Some((point, painted))
    });
    let wanted: Vec<(usize, Painted)> = wanted.collect();
    let mut changed = Vec::new();
    for (point, painted) in wanted {
        for &vertex in &adjacency.vertices[point] {
            let is_changed = match &painted {
                Painted::Skin(slot_weights) => table.set(vertex as usize, slot_weights, brush.locks),
                Painted::Muscle(slot, weight) => {
                    table.set_muscle(vertex as usize, *slot, *weight, brush.locks)
                }
            };
            if is_changed {
                changed.push(vertex);
            }
        }
    }
    Ok(changed)
}

/// The new weights of a point.
enum Painted {
    /// All weights that sum to one.
    Skin(SlotWeights),
    /// The muscle weight of the joint at a slot.
    Muscle(u16, f32),
}

fn check(table: &WeightTable, adjacency: &VertexAdjacency, brush: &Brush<'_>) -> Result<(), WeightError> {
    check_count("vertices with weights", table.vertex_count(), adjacency.of_vertex.len())?;
    check_option("amount", brush.amount.into(), brush.amount.is_finite(), "finite")?;
    check_option("max_influences", brush.max_influences as f64, brush.max_influences > 0, "at least 1")?;
    if usize::from(brush.slot) >= table.slot_count() {
        return Err(WeightError::NoSuchSlot { slot: brush.slot, slot_count: table.slot_count() });
    }
    match brush.mirror {
        Some(map) => check_count("points of the mirror map", map.point_count(), adjacency.vertices.len()),
        None => Ok(()),
    }
}

/// The points and joints that the stamps touch, on both sides if the brush is mirrored, with the strongest falloff of each.
fn under_brush(
    table: &WeightTable,
    adjacency: &VertexAdjacency,
    brush: &Brush<'_>,
    stamps: &[BrushStamp],
) -> BTreeMap<(usize, u16), f64> {
    // A muscle of one side without a partner moves nothing on the other.
    let is_mirrored =
        |map: &&VertexMirrorMap| !table.is_muscle(brush.slot) || !map.unpaired().contains(&brush.slot);
    let mirror = brush.mirror.filter(is_mirrored);
    let mut under: BTreeMap<(usize, u16), f64> = BTreeMap::new();
    let mut touch = |point: usize, slot: u16, falloff: f64| {
        let strongest = under.entry((point, slot)).or_default();
        *strongest = strongest.max(falloff);
    };
    for stamp in stamps {
        let Some(&point) = adjacency.of_vertex.get(stamp.vertex as usize) else { continue };
        let (point, falloff) = (point as usize, f64::from(stamp.falloff.clamp(0.0, 1.0)));
        touch(point, brush.slot, falloff);
        if let Some((map, partner)) = mirror.and_then(|m| Some((m, m.partner(point)?))) {
            touch(partner, map.slot(brush.slot), falloff);
        }
    }
    under
}

/// The new muscle weight of a joint in `point`.
fn painted_muscle(
    table: &WeightTable,
    adjacency: &VertexAdjacency,
    brush: &Brush<'_>,
    point: usize,
    slot: u16,
    falloff: f64,
) -> f32 {
    let of = |point: usize| f64::from(table.muscle_weight_of(adjacency.first(point), slot));
    let (own, ring) = (of(point), adjacency.rings.of(point));
    let sum: f64 = ring.iter().map(|&neighbor| of(neighbor as usize)).sum();
    let mean = if ring.is_empty() { own } else { sum / ring.len() as f64 };
    wish(brush, own, mean, falloff) as f32
}

/// The new weights of `point`; `None` if they stay.
fn painted(
    table: &WeightTable,
    adjacency: &VertexAdjacency,
    brush: &Brush<'_>,
    point: usize,
    slot: u16,
    falloff: f64,
) -> Option<SlotWeights> {
    if brush.locks.holds(slot) || falloff == 0.0 {
        return None;
    }
    let slot_weights: SlotWeights = table.slot_weights(adjacency.first(point)).collect();
    let ring = adjacency.rings.of(point);
    let of = |slot_weights: &[(u16, f64)]| slot_weights.iter().find(|s| s.0 == slot).map_or(0.0, |s| s.1);
    let around: Vec<SlotWeights> =
        ring.iter().map(|&n| table.slot_weights(adjacency.first(n as usize)).collect()).collect();
    let mean = mixed(around.iter().map(|s| (&s[..], 1.0 / around.len().max(1) as f64)));
    let own = of(&slot_weights);
    let wish = wish(brush, own, if ring.is_empty() { own } else { of(&mean) }, falloff);
    let held: SlotWeights = slot_weights.iter().copied().filter(|s| brush.locks.holds(s.0)).collect();
    let room = (1.0 - held.iter().map(|s| s.1).sum::<f64>()).max(0.0);
    let wish = wish.clamp(0.0, room);
    let is_other = |s: &(u16, f64)| s.0 != slot && !brush.locks.holds(s.0) && s.1 > 0.0;
    let mut others: SlotWeights = slot_weights.into_iter().filter(is_other).collect();
    if others.is_empty() && wish < room {
        others = mean.into_iter().filter(is_other).collect();
    }
    keep_largest(&mut others, brush.max_influences.saturating_sub(held.len() + usize::from(wish > 0.0)));
    let sum: f64 = others.iter().map(|s| s.1).sum();
    if others.is_empty() {
        // No other joint can take the rest, so the painted joint has all that is not locked.
        return (own > 0.0 || wish > 0.0).then(|| vec![(slot, 1.0)]);
    }
    others.iter_mut().for_each(|s| s.1 *= (room - wish) / sum);
    others.push((slot, wish));
    Some(others)
}

/// The weight that the brush aims at, from the joint's own weight and the mean of the neighbors.
fn wish(brush: &Brush<'_>, own: f64, mean: f64, falloff: f64) -> f64 {
    let amount = f64::from(brush.amount);
    match brush.kind {
        BrushKind::Add => own + amount * falloff,
        BrushKind::Replace => own + (amount - own) * falloff,
        BrushKind::Scale => own * (1.0 + (amount - 1.0) * falloff),
        BrushKind::Smooth => own + (mean - own) * amount.clamp(0.0, 1.0) * falloff,
        BrushKind::Sharpen => own + (own - mean) * amount * falloff,
    }
}
