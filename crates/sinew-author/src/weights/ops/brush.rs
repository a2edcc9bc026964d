//! Painting: what one dab of a brush does to the weights under it.

use super::{
    VertexMirrorMap,
    smooth::{keep_largest, mixed},
};
pub use crate::weights::ground::VertexAdjacency;
use crate::weights::{
    Locks, WeightError, WeightTable,
    error::{check_count, check_option},
    table::SlotWeights,
};
use std::collections::BTreeMap;

/// What a brush does to its joint's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrushKind {
    /// Adds the amount, which may be negative.
    #[default]
    Add,
    /// Goes to the amount.
    Replace,
    /// Multiplies by the amount.
    Scale,
    /// Goes towards the mean of the neighbours by the amount, 0 to 1.
    Smooth,
    /// Goes away from the mean of the neighbours by the amount.
    Sharpen,
}

impl BrushKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Add, Self::Replace, Self::Scale, Self::Smooth, Self::Sharpen];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Scale => "scale",
            Self::Smooth => "smooth",
            Self::Sharpen => "sharpen",
        }
    }

    /// The kind with that word.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A brush for one joint.
#[derive(Clone, Copy, Debug)]
pub struct Brush<'a> {
    /// What it does.
    pub kind: BrushKind,
    /// The joint, by its place in the skin.
    pub slot: u16,
    /// How much, where a dab's falloff is 1.
    pub amount: f32,
    /// The most influences of a painted vertex, at least 1.
    pub most: usize,
    /// Joints that keep their weights.
    pub locks: &'a Locks,
    /// Paints the other side too.
    pub mirror: Option<&'a VertexMirrorMap>,
}

/// A vertex under the brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrushStamp {
    /// The vertex; its copies are painted with it.
    pub vertex: u32,
    /// How much of the brush it feels, 0 to 1.
    pub falloff: f32,
}

/// Paints `dabs` into `table` and gives the vertices that changed.
///
/// The other joints of a vertex share what the painted joint leaves, in the proportions they had; a vertex that had no others takes
/// those of its neighbours, or stays. A painted joint that is locked stays.
///
/// # Errors
/// Where the table or the mirror map is of another mesh, or the joint is not in the skin.
pub fn paint(
    table: &mut WeightTable,
    ground: &VertexAdjacency,
    brush: &Brush<'_>,
    dabs: &[BrushStamp],
) -> Result<Vec<u32>, WeightError> {
    check(table, ground, brush)?;
    // Everything is read before anything is written: the order of dabs does not matter.
    let under = under_brush(ground, brush, dabs).into_iter();
    let wanted = under.filter_map(|((point, slot), falloff)| {
        Some((point, painted(table, ground, brush, (point, slot), falloff)?))
    });
    let wanted: Vec<(usize, SlotWeights)> = wanted.collect();
    let mut changed = Vec::new();
    for (point, shares) in wanted {
        for &vertex in &ground.vertices[point] {
            if table.set(vertex as usize, &shares, brush.locks) {
                changed.push(vertex);
            }
        }
    }
    Ok(changed)
}

fn check(table: &WeightTable, ground: &VertexAdjacency, brush: &Brush<'_>) -> Result<(), WeightError> {
    check_count("vertices with weights", table.vertex_count(), ground.of_vertex.len())?;
    check_option("amount", brush.amount.into(), brush.amount.is_finite(), "finite")?;
    check_option("most", brush.most as f64, brush.most > 0, "at least 1")?;
    if usize::from(brush.slot) >= table.slot_count() {
        return Err(WeightError::NoSuchSlot { slot: brush.slot, slot_count: table.slot_count() });
    }
    match brush.mirror {
        Some(map) => check_count("points of the mirror map", map.point_count(), ground.vertices.len()),
        None => Ok(()),
    }
}

/// The points and joints that the dabs touch, on both sides where the brush is mirrored, with the strongest falloff of each.
fn under_brush(
    ground: &VertexAdjacency,
    brush: &Brush<'_>,
    dabs: &[BrushStamp],
) -> BTreeMap<(usize, u16), f64> {
    let mut under: BTreeMap<(usize, u16), f64> = BTreeMap::new();
    let mut touch = |point: usize, slot: u16, falloff: f64| {
        let most = under.entry((point, slot)).or_default();
        *most = most.max(falloff);
    };
    for dab in dabs {
        let Some(&point) = ground.of_vertex.get(dab.vertex as usize) else { continue };
        let (point, falloff) = (point as usize, f64::from(dab.falloff.clamp(0.0, 1.0)));
        touch(point, brush.slot, falloff);
        if let Some((map, partner)) = brush.mirror.and_then(|m| Some((m, m.partner(point)?))) {
            touch(partner, map.slot(brush.slot), falloff);
        }
    }
    under
}

/// What the shares of `point` become; `None` where they stay.
fn painted(
    table: &WeightTable,
    ground: &VertexAdjacency,
    brush: &Brush<'_>,
    (point, slot): (usize, u16),
    falloff: f64,
) -> Option<SlotWeights> {
    if brush.locks.holds(slot) || falloff == 0.0 {
        return None;
    }
    let shares: SlotWeights = table.shares(ground.first(point)).collect();
    let ring = ground.rings.of(point);
    let of = |shares: &[(u16, f64)]| shares.iter().find(|s| s.0 == slot).map_or(0.0, |s| s.1);
    let around: Vec<SlotWeights> =
        ring.iter().map(|&n| table.shares(ground.first(n as usize)).collect()).collect();
    let mean = mixed(around.iter().map(|s| (&s[..], 1.0 / around.len().max(1) as f64)));
    let own = of(&shares);
    let wish = wish(brush, own, if ring.is_empty() { own } else { of(&mean) }, falloff);
    let held: SlotWeights = shares.iter().copied().filter(|s| brush.locks.holds(s.0)).collect();
    let room = (1.0 - held.iter().map(|s| s.1).sum::<f64>()).max(0.0);
    let wish = wish.clamp(0.0, room);
    let is_other = |s: &(u16, f64)| s.0 != slot && !brush.locks.holds(s.0) && s.1 > 0.0;
    let mut others: SlotWeights = shares.into_iter().filter(is_other).collect();
    if others.is_empty() && wish < room {
        others = mean.into_iter().filter(is_other).collect();
    }
    keep_largest(&mut others, brush.most.saturating_sub(held.len() + usize::from(wish > 0.0)));
    let sum: f64 = others.iter().map(|s| s.1).sum();
    if others.is_empty() {
        // With nobody to take the rest, the joint has all that is not locked.
        return (own > 0.0 || wish > 0.0).then(|| vec![(slot, 1.0)]);
    }
    others.iter_mut().for_each(|s| s.1 *= (room - wish) / sum);
    others.push((slot, wish));
    Some(others)
}

/// The weight that the brush asks for, given the joint's own and the neighbours' mean.
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
