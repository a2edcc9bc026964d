//! Operations on single points: normalize, prune, sharpen.

use super::smooth::weighted_sum;
use crate::weights::{
    Edit, EditOutcome, WeightError, error::check_option, muscle_slots::muscle_weights, table::SlotWeights,
};
use sinew::WeightSum;

/// Sets all copies of every selected point to their mean weights.
///
/// Sums are exactly one before and after, as in all [`Weights`](sinew::Weights). What can be wrong is a seam whose two sides have
/// different weights, so that it opens in motion. The same holds for muscle weights, whose sum may be any.
///
/// # Errors
/// Only in case of a bug; no data causes one.
pub fn normalize(edit: &Edit<'_>) -> Result<EditOutcome, WeightError> {
    let mut sums: Vec<SlotWeights> = vec![Vec::new(); edit.points().len()];
    for (vertex, &point) in edit.points().of_vertex().iter().enumerate() {
        let sum = &mut sums[point as usize];
        for i in edit.weights().influences(vertex) {
            match sum.iter_mut().find(|s| s.0 == i.slot) {
                Some(same) => same.1 += f64::from(i.weight),
                None => sum.push((i.slot, f64::from(i.weight))),
            }
        }
    }
    let outcome = edit.for_each_point(|point, _| Some(std::mem::take(&mut sums[point])))?;
    let weights = edit.with_muscles(outcome.weights, mean_muscles(edit))?;
    Ok(edit.outcome_of(weights))
}

/// For each point, the mean muscle weights of its copies, or `None` if they are equal.
fn mean_muscles(edit: &Edit<'_>) -> impl FnMut(usize) -> Option<SlotWeights> {
    let mut copies: Vec<Vec<SlotWeights>> = vec![Vec::new(); edit.points().len()];
    if edit.weights().sum_kind() == WeightSum::Muscle {
        for (vertex, &point) in edit.points().of_vertex().iter().enumerate() {
            copies[point as usize].push(muscle_weights(edit.weights(), vertex));
        }
    }
    move |point| {
        let copies = std::mem::take(&mut copies[point]);
        let is_open = copies.windows(2).any(|pair| pair[0] != pair[1]);
        is_open.then(|| weighted_sum(copies.iter().map(|copy| (&copy[..], 1.0 / copies.len() as f64))))
    }
}

/// Removes influences below `min_weight`, 0 to 1, and distributes their weight over the others. The strongest always stays, and
/// so do muscle weights.
///
/// # Errors
/// If `min_weight` is out of range.
pub fn prune(edit: &Edit<'_>, min_weight: f32) -> Result<EditOutcome, WeightError> {
    check_option("min_weight", min_weight.into(), (0.0..=1.0).contains(&min_weight), "from 0 to 1")?;
    edit.for_each_point(|_, slot_weights| {
        let open = slot_weights.iter().filter(|s| !edit.locks().holds(s.0));
        let strongest = open.clone().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let is_kept = |s: &&(u16, f64)| s.1 >= f64::from(min_weight) || s.0 == strongest;
        let kept: SlotWeights = open.filter(is_kept).copied().collect();
        (kept.len() < slot_weights.len()).then_some(kept)
    })
}

/// Raises weights to a power, 0.01 to 100. Above one, joints blend over a shorter distance; below one, over a longer. Muscle weights
/// stay.
///
/// # Errors
/// If `power` is out of range.
pub fn sharpen(edit: &Edit<'_>, power: f32) -> Result<EditOutcome, WeightError> {
    check_option("power", power.into(), (0.01..=100.0).contains(&power), "from 0.01 to 100")?;
    edit.for_each_point(|_, slot_weights| {
        // Relative to the largest weight, so that no power underflows.
        let largest = slot_weights.iter().map(|s| s.1).fold(f64::MIN_POSITIVE, f64::max);
        Some(
            slot_weights
                .iter()
                .map(|&(slot, fraction)| (slot, (fraction / largest).powf(power.into())))
                .collect(),
        )
    })
}
