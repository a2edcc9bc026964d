//! Post-processing: from the solution of a method to usable weights.

use super::{AutoOptions, AutoReport, heat_sources::HeatSources, solved_weights::SparseWeights};
use crate::{
    AuthorError,
    weights::surface::{Rings, WeldedSurface},
};
use sinew::{Influence, Weights};

/// Normalizes, sharpens and smooths weights. A point without a solution follows the nearest bone.
pub(super) fn finish(
    surface: &WeldedSurface,
    sources: &HeatSources,
    mut weights: Vec<SparseWeights>,
    options: &AutoOptions,
    report: &mut AutoReport,
) -> Vec<SparseWeights> {
    let mut by_nearest = 0;
    for (point, own) in weights.iter_mut().enumerate() {
        if !normalize(own) {
            by_nearest += 1;
            *own = vec![(sources.nearest_column(surface.positions[point]), 1.0)];
        }
        own.iter_mut().for_each(|s| s.1 = s.1.powf(options.sharpness));
        normalize(own);
    }
    report.by_nearest = report.by_nearest.max(by_nearest);
    let rings = surface.rings();
    let mut sums = Sums::new(sources.slots.len());
    for _ in 0..options.smooth {
        weights = smoothed(&weights, &rings, &mut sums);
    }
    weights
}

/// The sum of normalized weights, each multiplied by its part of the whole.
pub(super) fn mixture(parts: &[(&[SparseWeights], f64)], sources: &HeatSources) -> Vec<SparseWeights> {
    let mut sums = Sums::new(sources.slots.len());
    let count = parts.first().map_or(0, |part| part.0.len());
    let one = |point: usize| {
        for (weights, fraction) in parts.iter().filter(|part| part.1 > 0.0) {
            sums.add(&weights[point], *fraction);
        }
        sums.take()
    };
    (0..count).map(one).collect()
}

/// How much farther than the nearest point those points are that a joint gets when it has no others.
const GRANTED: f64 = 1.25;

/// Gives the points nearest to the bones of `demanded` joints to them if they have no weight at all.
pub(super) fn grant(
    surface: &WeldedSurface,
    sources: &HeatSources,
    demanded: &[u16],
    weights: &mut [SparseWeights],
) {
    for slot in demanded {
        let Some(column) = sources.slots.iter().position(|own| own == slot) else { continue };
        let column = column as u32;
        if weights.iter().flatten().any(|&(own, weight)| own == column && weight > MIN_GRANTED) {
            continue;
        }
        let distances: Vec<f64> =
            surface.positions.iter().map(|&place| sources.distance_to(column, place)).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let near = weights.iter_mut().zip(&distances).filter(|(_, far)| **far <= nearest * GRANTED);
        near.for_each(|(own, _)| *own = vec![(column, 1.0)]);
    }
}

/// A joint with less weight than this in every point has none after quantization.
const MIN_GRANTED: f64 = 1.0 / 255.0;

/// Keeps the largest weights of each point.
pub(super) fn limit(weights: &mut [SparseWeights], influences: usize, report: &mut AutoReport) {
    let mut dropped = 0.0;
    for own in weights.iter_mut() {
        let lost = limit_point(own, influences);
        report.max_dropped = report.max_dropped.max(lost);
        dropped += lost;
    }
    report.mean_dropped = dropped / weights.len().max(1) as f64;
}

/// Scales weights to a sum of one. Returns false if there is nothing to scale.
fn normalize(weights: &mut [(u32, f64)]) -> bool {
    let sum: f64 = weights.iter().map(|s| s.1).sum();
    let usable = sum.is_finite() && sum > 1e-12;
    if usable {
        weights.iter_mut().for_each(|s| s.1 /= sum);
    }
    usable
}

/// Sums per column, in reused memory.
struct Sums {
    of_column: Vec<f64>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(columns: usize) -> Self {
        Self { of_column: vec![0.0; columns], touched: Vec::new() }
    }

    fn add(&mut self, weights: &[(u32, f64)], factor: f64) {
        for &(column, weight) in weights {
            let sum = &mut self.of_column[column as usize];
            if *sum == 0.0 {
                self.touched.push(column);
            }
            *sum += weight * factor;
        }
    }

    fn take(&mut self) -> SparseWeights {
        self.touched.sort_unstable();
        self.touched.dedup();
        let of_column = &mut self.of_column;
        self.touched.drain(..).map(|c| (c, std::mem::take(&mut of_column[c as usize]))).collect()
    }
}

/// For each point, the mean of its own weights and the average of its neighbors' weights.
fn smoothed(weights: &[SparseWeights], rings: &Rings, sums: &mut Sums) -> Vec<SparseWeights> {
    let one = |point: usize| {
        let ring = rings.of(point);
        if ring.is_empty() {
            return weights[point].clone();
        }
        sums.add(&weights[point], 0.5);
        ring.iter().for_each(|&n| sums.add(&weights[n as usize], 0.5 / ring.len() as f64));
        sums.take()
    };
    (0..weights.len()).map(one).collect()
}

/// Keeps the `max_count` largest weights and returns the sum of the others.
fn limit_point(weights: &mut SparseWeights, max_count: usize) -> f64 {
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let lost: f64 = weights.iter().skip(max_count).map(|s| s.1).sum();
    weights.truncate(max_count);
    normalize(weights);
    lost
}

/// Converts the weights of points to weights of vertices, which are copies of points `of_vertex`.
pub(super) fn to_weights(
    of_vertex: &[u32],
    sources: &HeatSources,
    slot_count: usize,
    weights: &[SparseWeights],
) -> Result<Weights, AuthorError> {
    let influence = |&(column, weight): &(u32, f64)| Influence {
        slot: sources.slots[column as usize],
        weight: weight as f32,
    };
    let of_point = |&point: &u32| weights[point as usize].iter().map(influence);
    let made = Weights::new(slot_count, of_vertex.iter().map(of_point));
    let failed =
        |e: sinew::WeightsError| AuthorError::NotSolvable { points: of_vertex.len(), reason: e.to_string() };
    made.map(|(weights, _)| weights).map_err(failed)
}

/// The slots that no vertex uses.
pub(super) fn unused_slots(weights: &Weights, slot_count: usize) -> Vec<u16> {
    let mut is_used = vec![false; slot_count];
    for vertex in 0..weights.vertex_count() {
        let slots = weights.of(vertex).0.iter().chain(weights.muscle_of(vertex).0);
        slots.for_each(|&slot| is_used[usize::from(slot)] = true);
    }
    (0..slot_count).filter(|&slot| !is_used[slot]).map(|slot| slot as u16).collect()
}
