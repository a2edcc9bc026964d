//! Refits weights to poses, so that fewer joints lose as little motion as possible.

use crate::{
    convex_fit::{ConvexFit, MAX_CANDIDATES},
    weights::{Edit, EffectPoses, table::SlotWeights},
};
use sinew::glam::{DVec3, Vec3};

/// The least-squares problem of one vertex: how far joints put it from its target, over all poses.
pub(super) struct InfluenceFit {
    slots: Vec<u16>,
    fit: ConvexFit,
}

impl InfluenceFit {
    /// The target is where the joints `open`, sorted by falling weight, put the vertex now. Other joints of the vertex keep their
    /// weights, so they do not matter. Joints beyond [`MAX_CANDIDATES`] are dropped first.
    pub(super) fn new(edit: &Edit<'_>, vertex: usize, poses: &EffectPoses, open: &[(u16, f64)]) -> Self {
        let fitted = &open[..open.len().min(MAX_CANDIDATES)];
        let rest: f64 = open.iter().map(|o| o.1).sum();
        let bound = edit.mesh().positions()[vertex];
        // The distances of each joint from the target, pose by pose.
        let mut off: Vec<Vec<DVec3>> = vec![Vec::new(); fitted.len()];
        for pose in poses.all() {
            let place: Vec3 = pose.displaced(vertex, bound, edit.weights()).into();
            let at = |slot: u16| {
                pose.matrices().get(usize::from(slot)).map_or(place, |k| k.transform_point3(place)).as_dvec3()
            };
            let target = open.iter().map(|s| at(s.0) * s.1).sum::<DVec3>() / rest;
            off.iter_mut().zip(fitted).for_each(|(off, joint)| off.push(at(joint.0) - target));
        }
        let product = |i: usize, j: usize| off[i].iter().zip(&off[j]).map(|(a, b)| a.dot(*b)).sum();
        Self { slots: fitted.iter().map(|o| o.0).collect(), fit: ConvexFit::new(fitted.len(), product) }
    }

    /// The best `max_count` joints found by dropping one at a time, with their weights.
    pub(super) fn reduce(&self, max_count: usize) -> SlotWeights {
        let weights = self.fit.reduce(max_count);
        self.slots.iter().copied().zip(weights).filter(|(_, weight)| *weight > 0.0).collect()
    }
}
