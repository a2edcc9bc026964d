//! The numeric difference of two sets of weights.

use super::{WeightError, error::check_count};
use sinew::{Character, Influence, Weights};

/// The difference in the weights of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointDiff {
    /// The joint's slot in the skin.
    pub slot: u16,
    /// True for muscle weights, which do not count toward the sum of one.
    pub is_muscle: bool,
    /// The sum of its weights over all vertices before.
    pub before: f64,
    /// The sum of its weights over all vertices after.
    pub after: f64,
    /// The sum of absolute differences over all vertices.
    pub moved: f64,
    /// The largest absolute difference in a vertex.
    pub max_difference: f32,
    /// The vertex with the largest difference.
    pub worst_vertex: usize,
    /// The number of vertices in which the weight differs.
    pub vertices: usize,
}

/// The difference of two sets of weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightDiff {
    /// The sum of absolute differences per vertex: 0 for equal weights, 2 if the vertex has no joint in common, plus the
    /// differences of muscle weights.
    pub l1: Vec<f32>,
    /// The mean of `l1` over all vertices.
    pub mean_l1: f64,
    /// The largest value of `l1`.
    pub max_l1: f32,
    /// The vertex with the largest difference.
    pub worst_vertex: usize,
    /// The number of vertices that differ.
    pub changed: usize,
    /// The joints that differ, by falling `moved`.
    pub joints: Vec<JointDiff>,
}

impl WeightDiff {
    /// Compares weights of the same mesh and skin.
    ///
    /// # Errors
    /// If the numbers of vertices differ.
    pub fn new(before: &Weights, after: &Weights) -> Result<Self, WeightError> {
        check_count("vertices with weights", after.vertex_count(), before.vertex_count())?;
        let slot_count = before.slot_count().max(after.slot_count());
        let mut joints = JointDiffs::new(slot_count, false);
        let mut muscles = JointDiffs::new(slot_count, true);
        let mut out = Self::default();
        for vertex in 0..before.vertex_count() {
            let pair = |of: fn(&Weights, usize) -> Vec<Influence>| [of(before, vertex), of(after, vertex)];
            let l1 = compare(&pair(|weights, v| weights.influences(v).collect()), vertex, &mut joints)
                + compare(&pair(|weights, v| weights.muscle_influences(v).collect()), vertex, &mut muscles);
            out.changed += usize::from(l1 > 0.0);
            if l1 > out.max_l1 {
                (out.max_l1, out.worst_vertex) = (l1, vertex);
            }
            out.mean_l1 += f64::from(l1);
            out.l1.push(l1);
        }
        out.mean_l1 /= out.l1.len().max(1) as f64;
        let mut joints: Vec<JointDiff> = joints.list.into_iter().chain(muscles.list).collect();
        joints.retain(|j| j.vertices > 0);
        joints.sort_by(|a, b| {
            b.moved.total_cmp(&a.moved).then((a.slot, a.is_muscle).cmp(&(b.slot, b.is_muscle)))
        });
        out.joints = joints;
        Ok(out)
    }
}

/// The number of vertices whose weights differ between two versions of a character. Meshes are paired in order; vertices and
/// meshes that only one version has do not count.
#[must_use]
pub fn changed_vertices(before: &Character, after: &Character) -> usize {
    let pairs = before.meshes().iter().zip(after.meshes());
    let weights = pairs.filter_map(|(one, other)| Some((one.weights()?, other.weights()?)));
    let changed = |(one, other): (&std::sync::Arc<Weights>, &std::sync::Arc<Weights>)| {
        let count = one.vertex_count().min(other.vertex_count());
        let is_changed = |&v: &usize| one.of(v) != other.of(v) || one.muscle_of(v) != other.muscle_of(v);
        (0..count).filter(is_changed).count()
    };
    weights.map(changed).sum()
}

/// The differences of the joints that any vertex follows: a small mesh may have a skin of thousands.
struct JointDiffs {
    /// The place of each slot in `list`; [`NONE`] if no vertex follows it.
    place: Vec<u32>,
    list: Vec<JointDiff>,
    is_muscle: bool,
}

const NONE: u32 = u32::MAX;

impl JointDiffs {
    fn new(slot_count: usize, is_muscle: bool) -> Self {
        Self { place: vec![NONE; slot_count], list: Vec::new(), is_muscle }
    }

    fn of(&mut self, slot: u16) -> &mut JointDiff {
        let place = &mut self.place[usize::from(slot)];
        if *place == NONE {
            *place = self.list.len() as u32;
            self.list.push(JointDiff { slot, is_muscle: self.is_muscle, ..JointDiff::default() });
        }
        &mut self.list[*place as usize]
    }
}

fn compare([before, after]: &[Vec<Influence>; 2], vertex: usize, joints: &mut JointDiffs) -> f32 {
    let weight_of =
        |list: &[Influence], slot: u16| list.iter().find(|i| i.slot == slot).map_or(0.0, |i| i.weight);
    let mut l1 = 0.0;
    let mut note = |slot: u16, from: f32, to: f32| {
        let (joint, off) = (joints.of(slot), (to - from).abs());
        joint.before += f64::from(from);
        joint.after += f64::from(to);
        joint.moved += f64::from(off);
        joint.vertices += usize::from(off > 0.0);
        if off > joint.max_difference {
            (joint.max_difference, joint.worst_vertex) = (off, vertex);
        }
        l1 += off;
    };
    for i in before {
        note(i.slot, i.weight, weight_of(after, i.slot));
    }
    for i in after.iter().filter(|i| weight_of(before, i.slot) == 0.0) {
        note(i.slot, 0.0, i.weight);
    }
    l1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{Edit, VertexSelection, ops};
    use sinew::{Mesh, Precomputed};
    use std::sync::Arc;

    #[test]
    fn changed_vertices_counts_those_with_other_weights() {
        let tube = sinew_samples::tube();
        assert_eq!(changed_vertices(&tube, &tube), 0);
        let mesh = &tube.meshes()[0];
        let blended = (0..mesh.vertex_count()).find(|&v| mesh.weights().unwrap().of(v).0.len() > 1).unwrap();
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([blended as u32]));
        let limited = ops::limit(&edit, 1, ops::LimitBy::Size).unwrap();
        let mut parts = tube.parts().clone();
        parts.meshes[0] =
            Arc::new(Mesh::clone(mesh).with_weights(limited.weights.into(), Precomputed::NONE).unwrap());
        assert_eq!(changed_vertices(&tube, &Character::new(parts).unwrap()), limited.changed);
        assert!(limited.changed > 0);
    }
}
