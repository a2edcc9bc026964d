//! Exchanges of bones: the one that is missed least for one where the error is largest.

use super::{
    bone_motion::BoneMotion,
    clusters::{SEED_POINTS, patch},
    influences::{Influences, group_ranges},
    rigid_sums::RigidSums,
    trajectories::Trajectories,
};
use rayon::prelude::*;
use sinew::glam::{DAffine3, DVec3};

/// An exchange must gain this many times what it loses.
const GAIN_OVER_LOSS: f64 = 1.2;

/// Moves up to `count` bones to where they lower the error most. Returns how many were moved.
///
/// Both sides are estimates that favor what is there: a point without its bone shares the weight among its other bones, and a point near
/// the new bone follows it alone or stays as it is.
pub(super) fn exchange(
    trajectories: &Trajectories,
    influences: &mut Influences,
    motion: &mut BoneMotion,
    free: std::ops::Range<usize>,
    count: usize,
) -> usize {
    let losses = losses(trajectories, influences, motion);
    let mut by_loss: Vec<usize> = free.collect();
    by_loss.sort_by(|&a, &b| losses[a].total_cmp(&losses[b]).then(a.cmp(&b)));
    let mut is_taken = vec![false; trajectories.len()];
    let mut moved = 0;
    for bone in by_loss.into_iter().take(count) {
        let Some(seed) = worst_point(trajectories, influences, &is_taken) else { break };
        let around = patch(trajectories, seed, SEED_POINTS, |p| !is_taken[p]);
        let motions = rigid_motions(trajectories, &around, motion, strongest(influences, seed));
        let errors: Vec<(usize, f64)> =
            around.iter().map(|&p| (p, rigid_error(trajectories, p, &motions))).collect();
        let gain: f64 = errors.iter().map(|&(p, error)| (influences.errors[p] - error).max(0.0)).sum();
        around.iter().for_each(|&p| is_taken[p] = true);
        if gain <= losses[bone] * GAIN_OVER_LOSS {
            continue;
        }
        release(influences, bone as u16, trajectories);
        motions.iter().enumerate().for_each(|(frame, m)| motion.set(bone, frame, m));
        let nearer = errors.into_iter().filter(|&(p, error)| error < influences.errors[p]);
        nearer.collect::<Vec<_>>().into_iter().for_each(|(p, _)| influences.set(p, [(bone as u16, 1.0)]));
        moved += 1;
    }
    moved
}

/// How much the error would grow at most without each bone.
fn losses(trajectories: &Trajectories, influences: &Influences, motion: &BoneMotion) -> Vec<f64> {
    let pairs = motion.pairs();
    let of_group = |points: std::ops::Range<usize>| {
        let errors = motion.errors(&pairs, trajectories, points.clone());
        let mut losses = Vec::new();
        for point in points {
            losses.extend(influences.of(point).map(|(b, _)| (b, influences.loss_without(&errors, point, b))));
        }
        losses
    };
    let groups: Vec<_> = group_ranges(influences.len()).into_par_iter().map(of_group).collect();
    let mut losses = vec![0.0; motion.bones];
    groups.into_iter().flatten().for_each(|(bone, loss)| losses[usize::from(bone)] += loss);
    losses
}

/// The point around which the error is largest.
fn worst_point(trajectories: &Trajectories, influences: &Influences, is_taken: &[bool]) -> Option<usize> {
    let around = |p: usize| {
        let near: f64 = trajectories.neighbors(p).iter().map(|&n| influences.errors[n as usize]).sum();
        near + influences.errors[p]
    };
    let open = (0..influences.len()).filter(|&p| !is_taken[p]).map(|p| (p, around(p)));
    open.filter(|o| o.1 > 0.0).max_by(|a, b| a.1.total_cmp(&b.1)).map(|worst| worst.0)
}

fn strongest(influences: &Influences, point: usize) -> usize {
    influences.of(point).max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |i| usize::from(i.0))
}

/// The rigid motions of some points; what they leave open stays as in bone `like`.
fn rigid_motions(
    trajectories: &Trajectories,
    points: &[usize],
    motion: &BoneMotion,
    like: usize,
) -> Vec<DAffine3> {
    let of_frame = |frame: usize| {
        let mut sums = RigidSums { moved: [DVec3::ZERO; 4], center: DVec3::ZERO, mass: 0.0 };
        for &point in points {
            let place = trajectories.place(point, frame);
            for (column, factor) in sums.moved.iter_mut().zip(trajectories.rest4(point)) {
                *column += place * factor;
            }
            sums.center += trajectories.rest[point];
            sums.mass += 1.0;
        }
        sums.motion(&motion.get(like, frame))
    };
    (0..trajectories.frames).map(of_frame).collect()
}

fn rigid_error(trajectories: &Trajectories, point: usize, motions: &[DAffine3]) -> f64 {
    let off = |(frame, m): (usize, &DAffine3)| {
        m.transform_point3(trajectories.rest[point]).distance_squared(trajectories.place(point, frame))
    };
    motions.iter().enumerate().map(off).sum()
}

/// Takes `bone` from all points: their other bones share its weight, and a point without others follows a neighbor's.
fn release(influences: &mut Influences, bone: u16, trajectories: &Trajectories) {
    for point in 0..influences.len() {
        if !influences.of(point).any(|i| i.0 == bone) {
            continue;
        }
        let others: Vec<(u16, f64)> = influences.of(point).filter(|i| i.0 != bone).collect();
        let rest: f64 = others.iter().map(|i| i.1).sum();
        if rest > 0.0 {
            influences.set(point, others.into_iter().map(|(b, w)| (b, w / rest)));
        } else {
            let near = trajectories.neighbors(point).iter().flat_map(|&n| influences.of(n as usize));
            let other = near.map(|i| i.0).find(|&b| b != bone);
            influences.set(point, other.map(|b| (b, 1.0)));
        }
    }
}
