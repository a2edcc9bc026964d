//! Inpainting: weights for the points between known ones.

use crate::weights::{auto::system::Factor, surface::WeldedSurface, table::SlotWeights};
use faer::Mat;

/// The stiffness of known weights relative to edges.
const HELD: f64 = 1e7;
/// The stiffness of unknown weights: a part without any known weight would have no solution.
const LOOSE: f64 = 1e-9;
/// Smaller weights are rounding.
const MIN_WEIGHT: f64 = 1e-3;

/// Fills in the points without weights, joint by joint, and returns how many there were.
///
/// The weights minimize `Σ w Q w` with `Q = P + P M⁻¹ P`, where P is the cotangent Laplacian and M the areas of points: as smooth
/// as possible, and without a crease where known weights end.
pub(super) fn fill(surface: &WeldedSurface, slot_weights: &mut [Option<SlotWeights>]) -> usize {
    let missing: Vec<usize> = (0..slot_weights.len()).filter(|&p| slot_weights[p].is_none()).collect();
    if missing.is_empty() {
        return 0;
    }
    let hold = |s: &Option<SlotWeights>| if s.is_some() { HELD } else { LOOSE };
    let holds: Vec<f64> = slot_weights.iter().map(hold).collect();
    let plain = || Factor::of_graph(&surface.cotangent_edges(), holds.clone());
    let Some(factor) = Factor::of_graph(&smooth_edges(surface), holds.clone()).or_else(plain) else {
        return 0;
    };
    let mut used: Vec<u16> = slot_weights.iter().flatten().flatten().map(|s| s.0).collect();
    used.sort_unstable();
    used.dedup();
    let mut found: Vec<SlotWeights> = vec![Vec::new(); missing.len()];
    for some in used.chunks(32) {
        let mut values = Mat::zeros(surface.len(), some.len());
        for (point, known) in slot_weights.iter().enumerate() {
            for &(slot, fraction) in known.iter().flatten() {
                if let Ok(column) = some.binary_search(&slot) {
                    values[(point, column)] = HELD * fraction;
                }
            }
        }
        factor.solve(&mut values);
        for (found, &point) in found.iter_mut().zip(&missing) {
            let slot_weights = some.iter().enumerate().map(|(column, &slot)| (slot, values[(point, column)]));
            found.extend(slot_weights.filter(|s| s.1.abs() > MIN_WEIGHT && s.1.is_finite()));
        }
    }
    for (found, &point) in found.into_iter().zip(&missing) {
        slot_weights[point] = Some(found).filter(|f| !f.is_empty());
    }
    missing.len()
}

/// `P + P M⁻¹ P` as the edges of a graph: its rows sum to zero, as those of P do.
fn smooth_edges(surface: &WeldedSurface) -> Vec<(u32, u32, f64)> {
    let edges = surface.cotangent_edges();
    let areas = surface.point_areas();
    // Lengths are in parts of the surface's box, so that the ratio of the two terms does not depend on units. Multiplied by the
    // mean area, all entries are about 1.
    let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); surface.len()];
    let mut sums = vec![0.0; surface.len()];
    for &(a, b, strength) in &edges {
        rows[a as usize].push((b, -strength));
        rows[b as usize].push((a, -strength));
        sums[a as usize] += strength;
        sums[b as usize] += strength;
    }
    rows.iter_mut().zip(&sums).enumerate().for_each(|(point, (row, &sum))| row.push((point as u32, sum)));
    let mut out: Vec<(u32, u32, f64)> =
        edges.iter().map(|&(a, b, strength)| (a, b, strength * mean)).collect();
    for (row, area) in rows.iter().zip(&areas) {
        for (at, &(a, one)) in row.iter().enumerate() {
            for &(b, other) in &row[at + 1..] {
                out.push((a.min(b), a.max(b), -one * other * mean / area.max(mean * 1e-3)));
            }
        }
    }
    out.sort_unstable_by_key(|e| (e.0, e.1));
    out.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0.0 };
        same
    });
    out
}
