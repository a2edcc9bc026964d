//! The bones and weights of every point, and the step that makes them the best for given motions.

use super::{
    bone_motion::{BoneMotion, BonePairs, PointErrors},
    trajectories::Trajectories,
};
use crate::convex_fit::{ConvexFit, MAX_CANDIDATES};
use rayon::prelude::*;
use sinew::Influence;

/// Points are worked on in groups of this size, whatever the number of threads.
pub(super) const GROUP: usize = 256;

/// Any bone among this many with the smallest rigid errors may influence a point, wherever it is.
const RIGID_CANDIDATES: usize = 3;

/// Up to a fixed number of bones with weights for each point, and the squared error of the blend over all frames.
#[derive(Clone)]
pub(super) struct Influences {
    pub(super) width: usize,
    bones: Vec<u16>,
    weights: Vec<f64>,
    pub(super) errors: Vec<f64>,
}

impl Influences {
    /// One bone for each point.
    pub(super) fn rigid(width: usize, bone_of_point: &[u16]) -> Self {
        let count = bone_of_point.len();
        let mut new = Self {
            width,
            bones: vec![0; count * width],
            weights: vec![0.0; count * width],
            errors: vec![0.0; count],
        };
        bone_of_point.iter().enumerate().for_each(|(point, &bone)| new.set(point, [(bone, 1.0)]));
        new
    }

    /// The strongest influences of each point's first vertex.
    pub(super) fn starting(width: usize, trajectories: &Trajectories, of_vertex: &[Vec<Influence>]) -> Self {
        let mut new = Self::rigid(width, &vec![0; trajectories.len()]);
        for (vertex, influences) in of_vertex.iter().enumerate().rev() {
            let strongest = &influences[..influences.len().min(width)];
            let sum: f64 = strongest.iter().map(|i| f64::from(i.weight)).sum();
            let scaled = strongest.iter().map(|i| (i.slot, f64::from(i.weight) / sum));
            new.set(trajectories.of_vertex[vertex] as usize, scaled);
        }
        new
    }

    /// The bones of `point` with weights above zero.
    pub(super) fn of(&self, point: usize) -> impl Iterator<Item = (u16, f64)> + Clone + '_ {
        let range = point * self.width..(point + 1) * self.width;
        let bones = self.bones[range.clone()].iter().copied();
        bones.zip(self.weights[range].iter().copied()).filter(|(_, weight)| *weight > 0.0)
    }

    pub(super) fn set(&mut self, point: usize, influences: impl IntoIterator<Item = (u16, f64)>) {
        let range = point * self.width..(point + 1) * self.width;
        self.weights[range.clone()].fill(0.0);
        for (at, (bone, weight)) in range.zip(influences) {
            (self.bones[at], self.weights[at]) = (bone, weight);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.errors.len()
    }

    /// The sum of the squared errors of all points in all frames.
    pub(super) fn total_error(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// The best weights for the motions of the bones. A point may take bones that it has, those of its neighbors, and the few that
    /// it follows best.
    pub(super) fn solve(&mut self, trajectories: &Trajectories, motion: &BoneMotion) {
        let pairs = motion.pairs();
        let old = &*self;
        let groups: Vec<Vec<PointFit>> = group_ranges(old.len())
            .into_par_iter()
            .map(|points| {
                let errors = motion.errors(&pairs, trajectories, points.clone());
                points.map(|point| old.fit(trajectories, &errors, point, motion.bones)).collect()
            })
            .collect();
        for (point, fit) in groups.into_iter().flatten().enumerate() {
            self.set(point, fit.influences);
            self.errors[point] = fit.error;
        }
    }

    fn fit(
        &self,
        trajectories: &Trajectories,
        errors: &PointErrors<'_>,
        point: usize,
        bones: usize,
    ) -> PointFit {
        let mut rigid: Vec<(u16, f64)> = (0..bones).map(|b| (b as u16, errors.rigid(point, b))).collect();
        let few = RIGID_CANDIDATES.min(rigid.len());
        rigid.select_nth_unstable_by(few - 1, |a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let own = self.of(point).map(|i| i.0);
        let near = trajectories.neighbors(point).iter().flat_map(|&n| self.of(n as usize)).map(|i| i.0);
        let mut candidates: Vec<u16> = Vec::with_capacity(MAX_CANDIDATES);
        for bone in own.chain(rigid[..few].iter().map(|r| r.0)).chain(near) {
            if candidates.len() < MAX_CANDIDATES && !candidates.contains(&bone) {
                candidates.push(bone);
            }
        }
        let product = |i: usize, j: usize| errors.product(point, candidates[i].into(), candidates[j].into());
        let fit = ConvexFit::new(candidates.len(), product);
        let weights = fit.reduce(self.width);
        let error = fit.error(&weights).max(0.0);
        let mut influences: Vec<(u16, f64)> =
            candidates.into_iter().zip(weights).filter(|i| i.1 > 0.0).collect();
        influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        PointFit { influences, error }
    }

    /// How much the error of `point` would grow at most if it lost `bone`.
    pub(super) fn loss_without(&self, errors: &PointErrors<'_>, point: usize, bone: u16) -> f64 {
        let Some((_, lost)) = self.of(point).find(|i| i.0 == bone) else { return 0.0 };
        let others: Vec<(u16, f64)> = self.of(point).filter(|i| i.0 != bone).collect();
        if others.is_empty() {
            return (errors.second_best(point, bone.into()) - self.errors[point]).max(0.0);
        }
        let rest = 1.0 - lost;
        let entry =
            |a: &(u16, f64), b: &(u16, f64)| a.1 * b.1 * errors.product(point, a.0.into(), b.0.into());
        let error: f64 = others.iter().flat_map(|a| others.iter().map(move |b| entry(a, b))).sum();
        (error / (rest * rest) - self.errors[point]).max(0.0)
    }
}

/// The result for one point.
struct PointFit {
    influences: Vec<(u16, f64)>,
    error: f64,
}

/// All points in groups.
pub(super) fn group_ranges(points: usize) -> Vec<std::ops::Range<usize>> {
    (0..points).step_by(GROUP).map(|first| first..(first + GROUP).min(points)).collect()
}

/// A sum over the bones' products is of use without the influences.
pub(super) fn rigid_labels(
    trajectories: &Trajectories,
    motion: &BoneMotion,
    pairs: &BonePairs,
) -> Vec<(u16, f64)> {
    let of_group = |points: std::ops::Range<usize>| {
        let errors = motion.errors(pairs, trajectories, points.clone());
        let label = |point: usize| {
            let best = errors.best(point);
            (best as u16, errors.rigid(point, best))
        };
        points.map(label).collect::<Vec<_>>()
    };
    let groups: Vec<_> = group_ranges(trajectories.len()).into_par_iter().map(of_group).collect();
    groups.into_iter().flatten().collect()
}
