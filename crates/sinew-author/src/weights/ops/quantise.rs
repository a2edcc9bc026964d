//! Weights as small whole numbers that still sum to one.

use crate::weights::{Edit, EditOutcome, WeightError, table::SlotWeights, table::divide};

/// How a weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unorm {
    /// A byte: 255 is one.
    Eight,
    /// Two bytes: 65535 is one.
    Sixteen,
}

impl Unorm {
    /// The number that stands for one.
    pub const fn one(self) -> u16 {
        match self {
            Self::Eight => 255,
            Self::Sixteen => 65535,
        }
    }
}

/// Every vertex's joints with whole numbers that sum to exactly [`Unorm::one`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantised {
    unorm: Unorm,
    first: Vec<u32>,
    slots: Vec<u16>,
    values: Vec<u16>,
}

impl Quantised {
    /// How the numbers are stored.
    pub fn unorm(&self) -> Unorm {
        self.unorm
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The joints and numbers of `vertex`, the largest first.
    pub fn of(&self, vertex: usize) -> (&[u16], &[u16]) {
        let range = self.first[vertex] as usize..self.first[vertex + 1] as usize;
        (&self.slots[range.clone()], &self.values[range])
    }
}

/// Rounded weights: as numbers to store, and as weights with their effect.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantiseOutcome {
    /// The rounded weights and what rounding does.
    pub outcome: EditOutcome,
    /// The whole numbers of every vertex, selected or not.
    pub quantised: Quantised,
}

/// Rounds weights to whole numbers with exact sums: floors first, then what is missing to the largest fractions.
///
/// Joints too weak for a step of their own fall away. Locked joints take the nearest number, the others what is left.
///
/// # Errors
/// None that come from data.
pub fn quantise(edit: &Edit<'_>, unorm: Unorm) -> Result<QuantiseOutcome, WeightError> {
    let table = edit.table();
    let mut quantised = Quantised { unorm, first: vec![0], slots: Vec::new(), values: Vec::new() };
    for vertex in 0..table.vertex_count() {
        let shares: SlotWeights = table.shares(vertex).collect();
        for (slot, value) in rounded(edit, &shares, unorm) {
            quantised.slots.push(slot);
            quantised.values.push(value);
        }
        quantised.first.push(quantised.slots.len() as u32);
    }
    let unlocked = edit.clone().lock(crate::weights::Locks::default());
    // As a reader of the whole numbers sees them, so that a file gives the very same weights back.
    let share = |(slot, value): (u16, u16)| (slot, f64::from(f32::from(value) / f32::from(unorm.one())));
    let outcome = unlocked
        .for_each_point(|_, shares| Some(rounded(edit, shares, unorm).into_iter().map(share).collect()))?;
    Ok(QuantiseOutcome { outcome, quantised })
}

fn rounded(edit: &Edit<'_>, shares: &[(u16, f64)], unorm: Unorm) -> Vec<(u16, u16)> {
    let one = u32::from(unorm.one());
    let (held, open): (SlotWeights, SlotWeights) = shares.iter().partition(|s| edit.locks().holds(s.0));
    let nearest = |s: &(u16, f64)| (s.0, (s.1 * f64::from(one)).round() as u32);
    let mut out: Vec<(u16, u32)> = held.iter().map(nearest).collect();
    let given: u32 = out.iter().map(|s| s.1).sum();
    if given > one || (open.is_empty() && given < one) {
        // Only where nobody else can take up the difference do locked joints share in it.
        out = divide(shares, one).collect();
    } else {
        out.extend(divide(&open, one - given));
    }
    out.retain(|s| s.1 > 0);
    out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    out.into_iter().map(|(slot, value)| (slot, value as u16)).collect()
}
