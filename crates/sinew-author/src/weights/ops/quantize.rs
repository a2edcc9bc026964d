//! Quantization: weights as integers whose sum is exact.

use crate::weights::{Edit, EditOutcome, WeightError, table::SlotWeights, table::divide};

/// The integer type in which a weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unorm {
    /// Eight bits: 255 stands for one.
    Eight,
    /// Sixteen bits: 65535 stands for one.
    Sixteen,
}

impl Unorm {
    /// The integer that stands for one.
    #[must_use]
    pub const fn one(self) -> u16 {
        match self {
            Self::Eight => 255,
            Self::Sixteen => 65535,
        }
    }
}

/// The joints of each vertex with integers that sum to exactly [`Unorm::one`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantizedWeights {
    unorm: Unorm,
    first: Vec<u32>,
    slots: Vec<u16>,
    values: Vec<u16>,
}

impl QuantizedWeights {
    /// The integer type of the weights.
    #[must_use]
    pub fn unorm(&self) -> Unorm {
        self.unorm
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The slots and integers of `vertex`, by falling weight.
    #[must_use]
    pub fn of(&self, vertex: usize) -> (&[u16], &[u16]) {
        let range = self.first[vertex] as usize..self.first[vertex + 1] as usize;
        (&self.slots[range.clone()], &self.values[range])
    }
}

/// Quantized weights: as integers to store, and as weights with their effect.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizeOutcome {
    /// The rounded weights, with the effect of rounding.
    pub outcome: EditOutcome,
    /// The integers of all vertices, selected or not.
    pub quantized: QuantizedWeights,
}

/// Rounds weights to integers with exact sums: rounds down, then adds the missing steps at the largest remainders.
///
/// Joints with less weight than one step are dropped. Locked joints take the nearest integer, the others share what is left.
/// Muscle weights stay: they have no fixed sum, and files store them as floating-point numbers.
///
/// # Errors
/// Only in case of a bug; no data causes one.
pub fn quantize(edit: &Edit<'_>, unorm: Unorm) -> Result<QuantizeOutcome, WeightError> {
    let table = edit.table();
    let mut quantized = QuantizedWeights { unorm, first: vec![0], slots: Vec::new(), values: Vec::new() };
    for vertex in 0..table.vertex_count() {
        let slot_weights: SlotWeights = table.slot_weights(vertex).collect();
        for (slot, value) in rounded(edit, &slot_weights, unorm) {
            quantized.slots.push(slot);
            quantized.values.push(value);
        }
        quantized.first.push(quantized.slots.len() as u32);
    }
    let unlocked = edit.clone().lock(crate::weights::Locks::default());
    // Converted as a reader of the integers does, so that a file gives back exactly the same weights.
    let fraction = |(slot, value): (u16, u16)| (slot, f64::from(f32::from(value) / f32::from(unorm.one())));
    let outcome = unlocked.for_each_point(|_, slot_weights| {
        Some(rounded(edit, slot_weights, unorm).into_iter().map(fraction).collect())
    })?;
    Ok(QuantizeOutcome { outcome, quantized })
}

fn rounded(edit: &Edit<'_>, slot_weights: &[(u16, f64)], unorm: Unorm) -> Vec<(u16, u16)> {
    let one = u32::from(unorm.one());
    let (held, open): (SlotWeights, SlotWeights) = slot_weights.iter().partition(|s| edit.locks().holds(s.0));
    let nearest = |s: &(u16, f64)| (s.0, (s.1 * f64::from(one)).round() as u32);
    let mut out: Vec<(u16, u32)> = held.iter().map(nearest).collect();
    let given: u32 = out.iter().map(|s| s.1).sum();
    if given > one || (open.is_empty() && given < one) {
        // Locked joints take part in the difference only if no other joint can.
        out = divide(slot_weights, one).collect();
    } else {
        out.extend(divide(&open, one - given));
    }
    out.retain(|s| s.1 > 0);
    out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    out.into_iter().map(|(slot, value)| (slot, value as u16)).collect()
}
