//! The best weights of points for given motions of the bones.

use super::points::{BoneWeights, FitSkin};
use crate::convex_fit::{ConvexFit, MAX_CANDIDATES};
use rayon::prelude::*;
use sinew::glam::DVec3;

/// Smaller weights are dropped.
const MIN_WEIGHT: f64 = 1e-4;

/// New weights of a point and the sum of its squared distances.
pub(super) struct PointFit {
    pub(super) point: usize,
    pub(super) weights: BoneWeights,
    pub(super) error: f64,
}

/// The best weights of `points` with at most `influences` bones, out of those that `candidates` names.
pub(super) fn solved(
    skin: &FitSkin,
    points: &[usize],
    influences: usize,
    candidates: impl Fn(usize) -> Vec<u16> + Sync,
) -> Vec<PointFit> {
    points.par_iter().map(|&point| solved_point(skin, point, influences, candidates(point))).collect()
}

fn solved_point(skin: &FitSkin, point: usize, influences: usize, mut bones: Vec<u16>) -> PointFit {
    bones.truncate(MAX_CANDIDATES);
    let rest = skin.rest[point];
    // For each candidate its distance from the target in every pose.
    let off: Vec<Vec<DVec3>> = bones
        .iter()
        .map(|&bone| {
            let motions = &skin.motions[usize::from(bone)];
            let at = |pose: usize| motions[pose].transform_point3(rest) - skin.target(point, pose);
            (0..skin.poses).map(at).collect()
        })
        .collect();
    let product = |i: usize, j: usize| off[i].iter().zip(&off[j]).map(|(a, b)| a.dot(*b)).sum();
    let fit = ConvexFit::new(bones.len(), product);
    let found = fit.reduce(influences);
    let mut weights: BoneWeights =
        bones.iter().copied().zip(found).filter(|(_, weight)| *weight > MIN_WEIGHT).collect();
    let sum: f64 = weights.iter().map(|w| w.1).sum();
    weights.iter_mut().for_each(|w| w.1 /= sum);
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let error = skin.error_of(point, &weights);
    PointFit { point, weights, error }
}

/// The bones that a point may follow: those that it has, those of the file, corrective joints between them, those of its neighbors.
pub(super) fn candidates(skin: &FitSkin, point: usize) -> Vec<u16> {
    let original = || skin.original[point].iter().map(|w| w.0);
    let between = skin.fitted.iter().enumerate().filter_map(|(number, fit)| {
        let touches = original().any(|slot| slot == fit.base || slot == fit.source);
        touches.then_some((skin.slots() + number) as u16)
    });
    let near = skin.neighbors[point].iter().flat_map(|&n| skin.weights[n as usize].iter().map(|w| w.0));
    let mut bones: Vec<u16> = Vec::with_capacity(MAX_CANDIDATES);
    for bone in skin.weights[point].iter().map(|w| w.0).chain(original()).chain(between).chain(near) {
        if bones.len() < MAX_CANDIDATES && !bones.contains(&bone) {
            bones.push(bone);
        }
    }
    bones
}

/// Solves the weights of `points` and keeps what is better than before.
pub(super) fn improve(skin: &mut FitSkin, points: &[usize], influences: usize) {
    for fit in solved(skin, points, influences, |point| candidates(skin, point)) {
        let has_too_many = skin.weights[fit.point].len() > influences;
        let before = skin.error_of(fit.point, &skin.weights[fit.point]);
        if fit.error < before || has_too_many {
            skin.weights[fit.point] = fit.weights;
            skin.errors[fit.point] = fit.error;
        } else {
            skin.errors[fit.point] = before;
        }
    }
}
