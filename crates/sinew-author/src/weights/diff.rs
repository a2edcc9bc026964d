//! Two sets of weights, compared as numbers.

use super::{WeightError, error::check_count};
use sinew::Weights;

/// How one joint's weights differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointDiff {
    /// The joint's place in the skin.
    pub slot: u16,
    /// Weight summed over all vertices before.
    pub before: f64,
    /// Weight summed over all vertices after.
    pub after: f64,
    /// The sum of differences without their signs.
    pub moved: f64,
    /// The largest difference in a vertex.
    pub most: f32,
    /// The vertex where it is.
    pub worst_vertex: usize,
    /// Vertices in which the weight is not the same.
    pub vertices: usize,
}

/// How two sets of weights differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightDiff {
    /// The sum of differences without their signs, for every vertex: 0 for equal weights, 2 where no joint is common.
    pub l1: Vec<f32>,
    /// Its mean over vertices.
    pub mean_l1: f64,
    /// Its largest value.
    pub max_l1: f32,
    /// The vertex where it is.
    pub worst_vertex: usize,
    /// Vertices that differ.
    pub changed: usize,
    /// Every joint that differs, the most moved first.
    pub joints: Vec<JointDiff>,
}

impl WeightDiff {
    /// Compares weights of the same mesh over the same skin.
    ///
    /// # Errors
    /// Where they are of different numbers of vertices.
    pub fn new(before: &Weights, after: &Weights) -> Result<Self, WeightError> {
        check_count("vertices with weights", after.vertex_count(), before.vertex_count())?;
        let slot_count = before.slot_count().max(after.slot_count());
        let mut joints: Vec<JointDiff> =
            (0..slot_count).map(|slot| JointDiff { slot: slot as u16, ..JointDiff::default() }).collect();
        let mut out = Self::default();
        for vertex in 0..before.vertex_count() {
            let l1 = compare(before, after, vertex, &mut joints);
            out.changed += usize::from(l1 > 0.0);
            if l1 > out.max_l1 {
                (out.max_l1, out.worst_vertex) = (l1, vertex);
            }
            out.mean_l1 += f64::from(l1);
            out.l1.push(l1);
        }
        out.mean_l1 /= out.l1.len().max(1) as f64;
        joints.retain(|j| j.vertices > 0);
        joints.sort_by(|a, b| b.moved.total_cmp(&a.moved).then(a.slot.cmp(&b.slot)));
        out.joints = joints;
        Ok(out)
    }
}

fn compare(before: &Weights, after: &Weights, vertex: usize, joints: &mut [JointDiff]) -> f32 {
    let mut l1 = 0.0;
    let mut note = |slot: u16, from: f32, to: f32| {
        let (joint, off) = (&mut joints[usize::from(slot)], (to - from).abs());
        joint.before += f64::from(from);
        joint.after += f64::from(to);
        joint.moved += f64::from(off);
        joint.vertices += usize::from(off > 0.0);
        if off > joint.most {
            (joint.most, joint.worst_vertex) = (off, vertex);
        }
        l1 += off;
    };
    for i in before.influences(vertex) {
        note(i.slot, i.weight, after.weight_of(vertex, i.slot));
    }
    for i in after.influences(vertex).filter(|i| before.weight_of(vertex, i.slot) == 0.0) {
        note(i.slot, 0.0, i.weight);
    }
    l1
}
