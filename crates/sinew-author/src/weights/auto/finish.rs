//! From what a method found to weights that can be used.

use super::{AutoOptions, AutoReport, shares::SparseWeights, sources::Sources};
use crate::{
    AuthorError,
    weights::surface::{Rings, WeldedSurface},
};
use sinew::{Influence, Weights};

/// Normalises, sharpens, smooths and limits; a point without an answer follows the nearest bone.
pub(super) fn finish(
    surface: &WeldedSurface,
    sources: &Sources,
    mut shares: Vec<SparseWeights>,
    options: &AutoOptions,
    report: &mut AutoReport,
) -> Vec<SparseWeights> {
    for (point, shares) in shares.iter_mut().enumerate() {
        if !normalise(shares) {
            report.by_nearest += 1;
            *shares = vec![(sources.nearest_column(surface.positions[point]), 1.0)];
        }
        shares.iter_mut().for_each(|s| s.1 = s.1.powf(options.sharpness));
        normalise(shares);
    }
    let rings = surface.rings();
    let mut sums = Sums::new(sources.slots.len());
    for _ in 0..options.smooth {
        shares = smoothed(&shares, &rings, &mut sums);
    }
    let mut dropped = 0.0;
    for shares in &mut shares {
        let lost = limit(shares, options.influences);
        report.most_dropped = report.most_dropped.max(lost);
        dropped += lost;
    }
    report.mean_dropped = dropped / shares.len().max(1) as f64;
    shares
}

/// Scales to a sum of one. False where there is nothing to scale.
fn normalise(shares: &mut [(u32, f64)]) -> bool {
    let sum: f64 = shares.iter().map(|s| s.1).sum();
    let usable = sum.is_finite() && sum > 1e-12;
    if usable {
        shares.iter_mut().for_each(|s| s.1 /= sum);
    }
    usable
}

/// Sums by column, in memory that is used again.
struct Sums {
    of_column: Vec<f64>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(columns: usize) -> Self {
        Self { of_column: vec![0.0; columns], touched: Vec::new() }
    }

    fn add(&mut self, shares: &[(u32, f64)], factor: f64) {
        for &(column, share) in shares {
            let sum = &mut self.of_column[column as usize];
            if *sum == 0.0 {
                self.touched.push(column);
            }
            *sum += share * factor;
        }
    }

    fn take(&mut self) -> SparseWeights {
        self.touched.sort_unstable();
        self.touched.dedup();
        let of_column = &mut self.of_column;
        self.touched.drain(..).map(|c| (c, std::mem::take(&mut of_column[c as usize]))).collect()
    }
}

/// Half of every point's own shares and half of its neighbours'.
fn smoothed(shares: &[SparseWeights], rings: &Rings, sums: &mut Sums) -> Vec<SparseWeights> {
    let one = |point: usize| {
        let ring = rings.of(point);
        if ring.is_empty() {
            return shares[point].clone();
        }
        sums.add(&shares[point], 0.5);
        ring.iter().for_each(|&n| sums.add(&shares[n as usize], 0.5 / ring.len() as f64));
        sums.take()
    };
    (0..shares.len()).map(one).collect()
}

/// Keeps the `most` largest shares, and gives what the others had.
fn limit(shares: &mut SparseWeights, most: usize) -> f64 {
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let lost: f64 = shares.iter().skip(most).map(|s| s.1).sum();
    shares.truncate(most);
    normalise(shares);
    lost
}

/// The shares of points as weights of vertices.
pub(super) fn to_weights(
    surface: &WeldedSurface,
    sources: &Sources,
    slot_count: usize,
    shares: &[SparseWeights],
) -> Result<Weights, AuthorError> {
    let influence = |&(column, share): &(u32, f64)| Influence {
        slot: sources.slots[column as usize],
        weight: share as f32,
    };
    let of_vertex = |&point: &u32| shares[point as usize].iter().map(influence);
    let made = Weights::new(slot_count, surface.of_vertex.iter().map(of_vertex));
    let failed =
        |e: sinew::WeightsError| AuthorError::NotSolvable { points: surface.len(), reason: e.to_string() };
    made.map(|(weights, _)| weights).map_err(failed)
}

/// The slots that no vertex uses.
pub(super) fn unused_slots(weights: &Weights, slot_count: usize) -> Vec<u16> {
    let mut is_used = vec![false; slot_count];
    for vertex in 0..weights.vertex_count() {
        weights.of(vertex).0.iter().for_each(|&slot| is_used[usize::from(slot)] = true);
    }
    (0..slot_count).filter(|&slot| !is_used[slot]).map(|slot| slot as u16).collect()
}
