//! The best motions of the bones for given weights.

use super::{
    bone_motion::BoneMotion, influences::Influences, rigid_sums::RigidSums, trajectories::Trajectories,
};
use rayon::prelude::*;
use sinew::glam::{DAffine3, DMat4, DVec3, DVec4};
use std::{collections::HashMap, ops::Range};

/// How often each bone is fitted to what the others leave, in each frame.
const SWEEPS: usize = 4;

/// What the motions depend on; the points are not visited again.
struct MotionSums {
    /// For each bone four columns of `Σ w·m·pᵀ`, with x, y, z in each frame.
    moved: Vec<Vec<f64>>,
    /// For each bone the bones that share points with it and `Σ w·w'·p·pᵀ`, itself first.
    shared: Vec<Vec<(u16, DMat4)>>,
}

/// Moves the bones from `free.start` on so that the blend meets the trajectories as well as it can. Those before keep their motions.
pub(super) fn solve_motion(
    trajectories: &Trajectories,
    influences: &Influences,
    motion: &mut BoneMotion,
    free: Range<usize>,
) {
    let sums = MotionSums::new(trajectories, influences, motion.bones, free.clone());
    let of_frame = |frame: usize| -> Vec<DAffine3> {
        let mut motions: Vec<DAffine3> = (0..motion.bones).map(|bone| motion.get(bone, frame)).collect();
        for _ in 0..SWEEPS {
            for bone in free.clone() {
                motions[bone] = sums.without_others(bone, frame, &motions).motion(&motions[bone]);
            }
        }
        motions
    };
    let frames: Vec<Vec<DAffine3>> = (0..trajectories.frames).into_par_iter().map(of_frame).collect();
    for (frame, motions) in frames.iter().enumerate() {
        free.clone().for_each(|bone| motion.set(bone, frame, &motions[bone]));
    }
}

impl MotionSums {
    fn new(trajectories: &Trajectories, influences: &Influences, bones: usize, free: Range<usize>) -> Self {
        let mut points: Vec<Vec<(usize, f64)>> = vec![Vec::new(); bones];
        let mut pairs: HashMap<(u16, u16), DMat4> = HashMap::new();
        for point in 0..trajectories.len() {
            let p = DVec4::from_array(trajectories.rest4(point));
            for (bone, weight) in influences.of(point).filter(|i| free.contains(&usize::from(i.0))) {
                points[usize::from(bone)].push((point, weight));
                for (other, other_weight) in influences.of(point) {
                    let scaled = p * (weight * other_weight);
                    let entry = pairs.entry((bone, other)).or_insert(DMat4::ZERO);
                    *entry += DMat4::from_cols(scaled * p.x, scaled * p.y, scaled * p.z, scaled * p.w);
                }
            }
        }
        let mut shared: Vec<Vec<(u16, DMat4)>> = vec![Vec::new(); bones];
        pairs.into_iter().for_each(|((bone, other), sum)| shared[usize::from(bone)].push((other, sum)));
        for (bone, list) in shared.iter_mut().enumerate() {
            list.sort_unstable_by_key(|(other, _)| (usize::from(*other) != bone, *other));
        }
        let moved = points.par_iter().map(|points| moved_sums(trajectories, points)).collect();
        Self { moved, shared }
    }

    /// The sums for `bone` alone: the others' parts are taken off.
    fn without_others(&self, bone: usize, frame: usize, motions: &[DAffine3]) -> RigidSums {
        let Some(((_, own), others)) = self.shared[bone].split_first() else {
            return RigidSums { moved: [DVec3::ZERO; 4], center: DVec3::ZERO, mass: 0.0 };
        };
        let rows = self.moved[bone].len() / 4;
        let mut moved = std::array::from_fn(|k| DVec3::from_slice(&self.moved[bone][k * rows + frame * 3..]));
        for (other, sum) in others {
            let DAffine3 { matrix3, translation } = motions[usize::from(*other)];
            for (k, column) in [sum.x_axis, sum.y_axis, sum.z_axis, sum.w_axis].into_iter().enumerate() {
                moved[k] -= matrix3 * column.truncate() + translation * column.w;
            }
        }
        RigidSums { moved, center: own.w_axis.truncate(), mass: own.w_axis.w }
    }
}

/// Four columns of `Σ w·m·pᵀ` over some points.
fn moved_sums(trajectories: &Trajectories, points: &[(usize, f64)]) -> Vec<f64> {
    let rows = trajectories.frames * 3;
    let mut sums = vec![0.0; rows * 4];
    for &(point, weight) in points {
        let moved = trajectories.moved_of(point);
        for (column, factor) in sums.chunks_exact_mut(rows).zip(trajectories.rest4(point)) {
            let factor = factor * weight;
            column.iter_mut().zip(moved).for_each(|(sum, moved)| *sum += factor * moved);
        }
    }
    sums
}
