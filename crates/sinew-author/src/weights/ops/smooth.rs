//! Smooths weights over the surface.

use crate::weights::{
    Edit, EditOutcome, WeightError, error::check_option, surface::WeldedSurface, table::SlotWeights,
};

/// How weights are smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothOptions {
    /// The number of iterations, at most 1000.
    pub iterations: u32,
    /// How far each iteration moves towards the mean of the neighbors, 0 to 1.
    pub step: f32,
    /// The maximum number of influences per vertex, at least 1, because smoothing spreads them.
    pub max_influences: usize,
}

impl Default for SmoothOptions {
    fn default() -> Self {
        Self { iterations: 4, step: 0.5, max_influences: 8 }
    }
}

/// Moves the weights of every selected point towards the mean of its neighbors.
///
/// Neighbors share an edge, also across seams. Points outside the selection are read but not changed. Muscle weights stay.
///
/// # Errors
/// If an option is out of range.
pub fn smooth(edit: &Edit<'_>, options: &SmoothOptions) -> Result<EditOutcome, WeightError> {
    let SmoothOptions { iterations, step, max_influences } = *options;
    check_option("iterations", iterations.into(), iterations <= 1000, "at most 1000")?;
    check_option("step", step.into(), (0.0..=1.0).contains(&step), "from 0 to 1")?;
    check_option("max_influences", max_influences as f64, max_influences > 0, "at least 1")?;
    let rings = WeldedSurface::new(edit.mesh()).rings();
    let is_selected = edit.selected_points();
    let table = edit.table();
    let of_point = |point: usize| table.slot_weights(edit.vertex(point)).collect();
    let mut slot_weights: Vec<SlotWeights> = (0..is_selected.len()).map(of_point).collect();
    for _ in 0..iterations {
        let next = |point: usize| {
            let ring = rings.of(point);
            if !is_selected[point] || ring.is_empty() {
                return slot_weights[point].clone();
            }
            let around =
                ring.iter().map(|&n| (&slot_weights[n as usize][..], f64::from(step) / ring.len() as f64));
            mixed([(&slot_weights[point][..], 1.0 - f64::from(step))].into_iter().chain(around))
        };
        slot_weights = (0..is_selected.len()).map(next).collect();
    }
    edit.for_each_point(|point, before| {
        let held = before.iter().filter(|s| edit.locks().holds(s.0)).count();
        let mut wanted = std::mem::take(&mut slot_weights[point]);
        wanted.retain(|s| !edit.locks().holds(s.0));
        keep_largest(&mut wanted, max_influences.saturating_sub(held).max(1));
        Some(wanted)
    })
}

/// The weighted sum of the weights of several points, without what is not positive.
pub(super) fn mixed<'s>(parts: impl Iterator<Item = (&'s [(u16, f64)], f64)>) -> SlotWeights {
    let mut sum = weighted_sum(parts);
    sum.retain(|s| s.1 > 0.0);
    sum
}

/// The weighted sum of the weights of several points, of any sign.
pub(super) fn weighted_sum<'s>(parts: impl Iterator<Item = (&'s [(u16, f64)], f64)>) -> SlotWeights {
    let mut sum: SlotWeights = Vec::new();
    for (slot_weights, factor) in parts {
        for &(slot, fraction) in slot_weights {
            match sum.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += fraction * factor,
                None => sum.push((slot, fraction * factor)),
            }
        }
    }
    sum
}

/// Keeps the `max_influences` largest weights, equal ones by the order of joints.
pub(super) fn keep_largest(slot_weights: &mut SlotWeights, max_influences: usize) {
    slot_weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    slot_weights.truncate(max_influences);
}
