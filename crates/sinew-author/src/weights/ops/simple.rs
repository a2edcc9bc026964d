//! Operations on each point by itself.

use crate::weights::{Edit, EditOutcome, WeightError, error::check_option, table::SlotWeights};

/// Gives the copies of every selected point the same weights: their mean.
///
/// Sums are exactly one before and after, as in all [`Weights`](sinew::Weights); what can be wrong is a seam whose two sides were
/// weighted apart and which opens when the character moves.
///
/// # Errors
/// None that come from data.
pub fn normalise(edit: &Edit<'_>) -> Result<EditOutcome, WeightError> {
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
    edit.for_each_point(|point, _| Some(std::mem::take(&mut sums[point])))
}

/// Takes away influences below `least`, 0 to 1, and gives their share to the others. The strongest always stays.
///
/// # Errors
/// Where `least` is out of range.
pub fn prune(edit: &Edit<'_>, least: f32) -> Result<EditOutcome, WeightError> {
    check_option("least", least.into(), (0.0..=1.0).contains(&least), "from 0 to 1")?;
    edit.for_each_point(|_, shares| {
        let open = shares.iter().filter(|s| !edit.locks().holds(s.0));
        let strongest = open.clone().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let is_kept = |s: &&(u16, f64)| s.1 >= f64::from(least) || s.0 == strongest;
        let kept: SlotWeights = open.filter(is_kept).copied().collect();
        (kept.len() < shares.len()).then_some(kept)
    })
}

/// Raises weights to a power, 0.01 to 100: above one joints blend over a shorter stretch, below one over a longer.
///
/// # Errors
/// Where `power` is out of range.
pub fn sharpen(edit: &Edit<'_>, power: f32) -> Result<EditOutcome, WeightError> {
    check_option("power", power.into(), (0.01..=100.0).contains(&power), "from 0.01 to 100")?;
    edit.for_each_point(|_, shares| {
        // Relative to the largest, so that no power is too small for a number.
        let largest = shares.iter().map(|s| s.1).fold(f64::MIN_POSITIVE, f64::max);
        Some(shares.iter().map(|&(slot, share)| (slot, (share / largest).powf(power.into()))).collect())
    })
}
