//! The serialized form of weights: flat lists that are read back to the bit.

use super::{Influence, WeightRepairs, Weights, WeightsError};
use crate::asset::precomputed::{PrecomputedError, check_count, check_ranges};
use serde::Deserialize;
use thiserror::Error;

/// The most joints that weights can refer to: a slot has 16 bits.
const MAX_SLOTS: usize = 1 << 16;

/// Weights as they are read, before any check.
#[derive(Deserialize)]
pub(super) struct WeightsForm {
    first: Vec<u32>,
    slots: Vec<u16>,
    weights: Vec<f32>,
    slot_count: usize,
    muscles: Option<MuscleWeightsForm>,
}

#[derive(Deserialize)]
struct MuscleWeightsForm {
    first: Vec<u32>,
    slots: Vec<u16>,
    weights: Vec<f32>,
}

/// Why lists do not form weights.
#[derive(Debug, Error)]
pub(super) enum WeightsFormError {
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Lists(#[from] PrecomputedError),
    #[error("weights refer to at most {MAX_SLOTS} joint slots, got {slot_count}")]
    TooManySlots { slot_count: usize },
    #[error(
        "weights must be positive and sum to one, each joint once per vertex: {rescaled} sums are wrong, {unweighted} \
         vertices have no weight, {merged} repeat a joint, {negative} weights are negative"
    )]
    NeedsRepair { rescaled: usize, unweighted: usize, merged: usize, negative: usize },
}

impl TryFrom<WeightsForm> for Weights {
    type Error = WeightsFormError;

    /// Valid weights are on the grid, where normalizing changes no bit. Weights that need a repair are refused, because
    /// nothing would report it.
    fn try_from(form: WeightsForm) -> Result<Self, WeightsFormError> {
        let WeightsForm { first, slots, weights, slot_count, muscles } = form;
        if slot_count > MAX_SLOTS {
            return Err(WeightsFormError::TooManySlots { slot_count });
        }
        check_lists(["weight ranges", "weights"], &first, &slots, &weights)?;
        let (mut out, repairs) = Self::new(slot_count, vertices(&first, &slots, &weights))?;
        let WeightRepairs { rescaled, unweighted, merged, negative, worst_sum: _ } = repairs;
        if rescaled + unweighted + merged + negative > 0 {
            return Err(WeightsFormError::NeedsRepair { rescaled, unweighted, merged, negative });
        }
        if let Some(MuscleWeightsForm { first, slots, weights }) = muscles {
            check_count("muscle weight ranges", first.len(), out.vertex_count() + 1)?;
            check_lists(["muscle weight ranges", "muscle weights"], &first, &slots, &weights)?;
            out = out.with_muscle_weights(slot_count, vertices(&first, &slots, &weights))?;
        }
        // Weights may ask for more joints than they use: those of the strongest joints alone do.
        out.slot_count = out.slot_count.max(slot_count);
        Ok(out)
    }
}

/// Refuses ranges that do not cover the lists, and lists of different lengths.
fn check_lists(
    [ranges, list]: [&'static str; 2],
    first: &[u32],
    slots: &[u16],
    weights: &[f32],
) -> Result<(), PrecomputedError> {
    check_ranges(ranges, first, slots.len())?;
    check_count(list, weights.len(), slots.len())
}

/// The influences of each vertex, of lists that are checked.
fn vertices<'a>(
    first: &'a [u32],
    slots: &'a [u16],
    weights: &'a [f32],
) -> impl Iterator<Item = impl Iterator<Item = Influence> + use<'a>> + use<'a> {
    first.windows(2).map(move |pair| {
        let range = pair[0] as usize..pair[1] as usize;
        let pairs = slots[range.clone()].iter().zip(&weights[range]);
        pairs.map(|(&slot, &weight)| Influence { slot, weight })
    })
}
