//! What a change of weights does to the character, in millimeters.

mod poses;

pub use poses::{EffectPose, EffectPoses, PoseOptions};

use sinew::{Weights, glam::Vec3};

/// How far vertices moved by a change, over a set of poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Displacement {
    /// The number of poses that were compared.
    pub poses: usize,
    /// The largest distance of a vertex in any pose, in millimeters.
    pub max_mm: f64,
    /// The root mean square over all vertices and poses, in millimeters.
    pub rms_mm: f64,
    /// The mean over all vertices and poses, in millimeters.
    pub mean_mm: f64,
    /// The vertex with the largest distance.
    pub worst_vertex: usize,
    /// The pose with the largest distance.
    pub worst_pose: usize,
}

/// The measured effect of a change, over the character's own clips and over a range of motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effect {
    /// The displacement over the clips; zero poses if there are none.
    pub clips: Displacement,
    /// The displacement with one joint at a time rotated about each of its axes.
    pub range: Displacement,
}

/// Vertices that are bound to a skin, with poses of the skin.
#[derive(Clone, Copy, Debug)]
pub struct BoundVertices<'a> {
    /// Vertex positions, in mesh space.
    pub positions: &'a [Vec3],
    /// The weights of the vertices.
    pub weights: &'a Weights,
    /// The poses of the skin.
    pub poses: &'a EffectPoses,
}

impl Effect {
    /// How far `after` deforms away from `before` by muscles and linear blend skinning, pose by pose and vertex by vertex.
    ///
    /// Poses are paired in order. Vertices that only one of the two has do not count. Morph targets are not applied.
    #[must_use]
    pub fn between(before: &BoundVertices<'_>, after: &BoundVertices<'_>) -> Self {
        let same_poses = std::ptr::eq(before.poses, after.poses) && before.positions == after.positions;
        let vertices = before.weights.vertex_count().min(after.weights.vertex_count());
        let vertices = vertices.min(before.positions.len()).min(after.positions.len());
        let is_changed = |&v: &usize| {
            !same_poses
                || before.weights.of(v) != after.weights.of(v)
                || before.weights.muscle_of(v) != after.weights.muscle_of(v)
        };
        let changed: Vec<usize> = (0..vertices).filter(is_changed).collect();
        let over = |of: fn(&EffectPoses) -> &[EffectPose]| {
            displacement(before, after, of(before.poses), of(after.poses), &changed, vertices)
        };
        Self { clips: over(EffectPoses::clips), range: over(EffectPoses::range) }
    }
}

/// The distance between two points in millimeters; where one is beyond the range of floats, the largest one.
fn distance_mm(from: Vec3, to: Vec3) -> f64 {
    let off = f64::from(from.distance(to)) * 1000.0;
    match off {
        _ if from == to => 0.0,
        off if off.is_finite() => off,
        _ => f64::from(f32::MAX) * 1000.0,
    }
}

/// How many vertices are moved to measure a change: a file can have any number of clips for any number of vertices. A
/// character of a million vertices is measured in a thousand poses.
const MAX_MOVES: usize = 1 << 30;

/// Every how many poses are compared, so that no more than [`MAX_MOVES`] vertices are moved.
fn stride(poses: usize, vertices: usize) -> usize {
    poses.saturating_mul(vertices).div_ceil(MAX_MOVES).max(1)
}

fn displacement(
    before: &BoundVertices<'_>,
    after: &BoundVertices<'_>,
    poses_before: &[EffectPose],
    poses_after: &[EffectPose],
    changed: &[usize],
    vertices: usize,
) -> Displacement {
    let every = stride(poses_before.len().min(poses_after.len()), changed.len());
    let pairs = poses_before.iter().zip(poses_after).enumerate().step_by(every);
    let mut out = Displacement { poses: pairs.len(), ..Displacement::default() };
    let (mut squares, mut sum) = (0.0, 0.0);
    for (pose, (one, other)) in pairs {
        for &vertex in changed {
            let from = one.posed(vertex, before.positions[vertex], before.weights);
            let to = other.posed(vertex, after.positions[vertex], after.weights);
            let off = distance_mm(from.into(), to.into());
            squares += off * off;
            sum += off;
            if off > out.max_mm {
                (out.max_mm, out.worst_vertex, out.worst_pose) = (off, vertex, pose);
            }
        }
    }
    let count = (vertices * out.poses).max(1) as f64;
    (out.rms_mm, out.mean_mm) = ((squares / count).sqrt(), sum / count);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_poses_of_a_large_mesh_are_measured_in_part() {
        assert_eq!((stride(0, 0), stride(511, 1_000_000)), (1, 1));
        let (poses, vertices) = (310_000_usize, 1_000_000);
        assert!(poses.div_ceil(stride(poses, vertices)) * vertices <= MAX_MOVES);
        assert!(stride(usize::MAX, 2) > 1 << 20);
    }

    #[test]
    fn what_is_beyond_the_range_of_floats_is_far_away_and_never_nan() {
        let beyond = Vec3::new(f32::INFINITY, 0.0, f32::NAN);
        for (from, to) in [(beyond, Vec3::ZERO), (beyond, beyond), (Vec3::MAX, Vec3::MIN)] {
            assert_eq!(distance_mm(from, to), f64::from(f32::MAX) * 1000.0);
        }
        assert_eq!(distance_mm(Vec3::INFINITY, Vec3::INFINITY), 0.0);
        assert_eq!(distance_mm(Vec3::X, Vec3::ZERO), 1000.0);
    }
}
