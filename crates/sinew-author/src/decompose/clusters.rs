//! Rigid clusters of points to start from: split where the error is largest, as in Linde, Buzo and Gray (1980).

use super::{
    bone_motion::BoneMotion,
    influences::{Influences, rigid_labels},
    motion_step::solve_motion,
    trajectories::Trajectories,
};
use sinew::glam::DVec3;

/// How often points are assigned anew after each split.
const ROUNDS: usize = 4;

/// A cluster of fewer points has no motion of its own.
const FEWEST_POINTS: usize = 4;

/// A new cluster begins with about this many points around the worst one.
pub(super) const SEED_POINTS: usize = 20;

/// The motions of up to `bones` rigid clusters, after those of `fixed`, which keep theirs.
pub(super) fn clusters(trajectories: &Trajectories, fixed: Option<&BoneMotion>, bones: usize) -> BoneMotion {
    let mut state = Clusters::new(trajectories, fixed);
    state.assign();
    while state.motion.bones < bones {
        let before = state.motion.bones;
        let wanted = (before * 2).max(before + 1).min(bones);
        state.split(wanted);
        (0..ROUNDS).for_each(|_| state.refine());
        if state.motion.bones <= before {
            break; // nothing is left to split
        }
    }
    state.motion
}

struct Clusters<'a> {
    trajectories: &'a Trajectories,
    motion: BoneMotion,
    fixed: usize,
    labels: Vec<u16>,
    errors: Vec<f64>,
}

impl<'a> Clusters<'a> {
    fn new(trajectories: &'a Trajectories, fixed: Option<&BoneMotion>) -> Self {
        let (labels, errors) = (vec![0; trajectories.len()], vec![0.0; trajectories.len()]);
        let start = || BoneMotion::at_rest(1, trajectories.frames);
        let motion = fixed.cloned().unwrap_or_else(start);
        let mut new = Self { trajectories, motion, fixed: fixed.map_or(0, |f| f.bones), labels, errors };
        new.fit();
        new
    }

    /// The best rigid motions of the clusters.
    fn fit(&mut self) {
        let rigid = Influences::rigid(1, &self.labels);
        let free = self.fixed..self.motion.bones;
        solve_motion(self.trajectories, &rigid, &mut self.motion, free);
    }

    /// Each point goes to the cluster that it follows best.
    fn assign(&mut self) {
        let pairs = self.motion.pairs();
        let labels = rigid_labels(self.trajectories, &self.motion, &pairs);
        (self.labels, self.errors) = labels.into_iter().unzip();
    }

    fn refine(&mut self) {
        self.drop_small();
        self.fit();
        self.assign();
    }

    /// Points around the worst one of each cluster form a new one, the worst clusters first.
    fn split(&mut self, wanted: usize) {
        let mut totals = vec![(0.0, DVec3::ZERO, 0_usize); self.motion.bones];
        for (point, &label) in self.labels.iter().enumerate() {
            let total = &mut totals[usize::from(label)];
            *total = (total.0 + self.errors[point], total.1 + self.trajectories.rest[point], total.2 + 1);
        }
        let mut order: Vec<usize> = (0..totals.len()).filter(|&b| totals[b].0 > 0.0).collect();
        order.sort_by(|&a, &b| totals[b].0.total_cmp(&totals[a].0).then(a.cmp(&b)));
        for bone in order.into_iter().take(wanted - self.motion.bones) {
            let center = totals[bone].1 / totals[bone].2 as f64;
            let Some(seed) = self.worst_of(bone, center) else { continue };
            let count = SEED_POINTS.min(totals[bone].2 / 2).max(FEWEST_POINTS);
            let new = self.motion.bones as u16;
            let old = bone as u16;
            for point in patch(self.trajectories, seed, count, |p| self.labels[p] == old) {
                self.labels[point] = new;
            }
            let motion: Vec<_> =
                (0..self.trajectories.frames).map(|frame| self.motion.get(bone, frame)).collect();
            self.motion.push(&motion);
        }
        self.fit();
        self.assign();
    }

    /// The point of a cluster with the largest error far from its center.
    fn worst_of(&self, bone: usize, center: DVec3) -> Option<usize> {
        let own = (0..self.labels.len()).filter(|&p| usize::from(self.labels[p]) == bone);
        let rating = |p: usize| self.errors[p] * self.trajectories.rest[p].distance_squared(center);
        own.map(|p| (p, rating(p))).max_by(|a, b| a.1.total_cmp(&b.1)).map(|worst| worst.0)
    }

    /// Removes clusters of too few points; their points are assigned anew.
    fn drop_small(&mut self) {
        let mut counts = vec![0_usize; self.motion.bones];
        self.labels.iter().for_each(|&label| counts[usize::from(label)] += 1);
        let stays = |bone: usize| bone < self.fixed || counts[bone] >= FEWEST_POINTS;
        if (0..self.motion.bones).all(stays) {
            return;
        }
        let mut kept = BoneMotion::at_rest(0, self.trajectories.frames);
        for bone in (0..self.motion.bones).filter(|&bone| stays(bone)) {
            let motion: Vec<_> =
                (0..self.trajectories.frames).map(|frame| self.motion.get(bone, frame)).collect();
            kept.push(&motion);
        }
        if kept.bones > 0 {
            self.motion = kept;
            self.assign();
        }
    }
}

/// About `count` connected points around `seed`, nearest by edges first, among those that are `allowed`.
pub(super) fn patch(
    trajectories: &Trajectories,
    seed: usize,
    count: usize,
    allowed: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut found = vec![seed];
    let mut next = 0;
    while found.len() < count && next < found.len() {
        for &point in trajectories.neighbors(found[next]) {
            let point = point as usize;
            if allowed(point) && !found.contains(&point) {
                found.push(point);
            }
        }
        next += 1;
    }
    found
}
