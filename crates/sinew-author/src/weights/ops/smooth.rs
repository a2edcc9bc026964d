//! Weights evened out along the skin.

use crate::weights::{
    Edit, EditOutcome, WeightError, error::check_option, surface::WeldedSurface, table::SlotWeights,
};

/// How weights are smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothOptions {
    /// How often, at most 1000.
    pub iterations: u32,
    /// How far each time towards the mean of the neighbours, 0 to 1.
    pub step: f32,
    /// The most influences that are kept of each vertex, at least 1: smoothing spreads them.
    pub most: usize,
}

impl Default for SmoothOptions {
    fn default() -> Self {
        Self { iterations: 4, step: 0.5, most: 8 }
    }
}

/// Moves the weights of every selected point towards the mean of its neighbours'.
///
/// Neighbours share an edge, across seams too. Points outside the selection are read and not changed.
///
/// # Errors
/// Where an option is out of range.
pub fn smooth(edit: &Edit<'_>, options: &SmoothOptions) -> Result<EditOutcome, WeightError> {
    let SmoothOptions { iterations, step, most } = *options;
    check_option("iterations", iterations.into(), iterations <= 1000, "at most 1000")?;
    check_option("step", step.into(), (0.0..=1.0).contains(&step), "from 0 to 1")?;
    check_option("most", most as f64, most > 0, "at least 1")?;
    let rings = WeldedSurface::new(edit.mesh()).rings();
    let is_selected = edit.selected_points();
    let table = edit.table();
    let of_point = |point: usize| table.shares(edit.vertex(point)).collect();
    let mut shares: Vec<SlotWeights> = (0..is_selected.len()).map(of_point).collect();
    for _ in 0..iterations {
        let next = |point: usize| {
            let ring = rings.of(point);
            if !is_selected[point] || ring.is_empty() {
                return shares[point].clone();
            }
            let around = ring.iter().map(|&n| (&shares[n as usize][..], f64::from(step) / ring.len() as f64));
            mixed([(&shares[point][..], 1.0 - f64::from(step))].into_iter().chain(around))
        };
        shares = (0..is_selected.len()).map(next).collect();
    }
    edit.for_each_point(|point, before| {
        let held = before.iter().filter(|s| edit.locks().holds(s.0)).count();
        let mut wanted = std::mem::take(&mut shares[point]);
        wanted.retain(|s| !edit.locks().holds(s.0));
        keep_largest(&mut wanted, most.saturating_sub(held).max(1));
        Some(wanted)
    })
}

/// The weighted sum of several points' shares.
pub(super) fn mixed<'s>(parts: impl Iterator<Item = (&'s [(u16, f64)], f64)>) -> SlotWeights {
    let mut sum: SlotWeights = Vec::new();
    for (shares, factor) in parts {
        for &(slot, share) in shares {
            match sum.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += share * factor,
                None => sum.push((slot, share * factor)),
            }
        }
    }
    sum.retain(|s| s.1 > 0.0);
    sum
}

/// Keeps the `most` largest shares; equal ones by the order of joints.
pub(super) fn keep_largest(shares: &mut SlotWeights, most: usize) {
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares.truncate(most);
}
