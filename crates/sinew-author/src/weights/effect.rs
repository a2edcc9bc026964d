//! What a change of weights does to the character, in millimetres.

mod poses;

pub use poses::{EffectPoses, PoseOptions};

use sinew::{
    Weights,
    glam::{Affine3A, Vec3, Vec3A},
};

/// How far vertices stand from where they stood before, over a set of poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    /// How many poses were compared.
    pub poses: usize,
    /// The largest distance of a vertex in any pose, in millimetres.
    pub max_mm: f64,
    /// The root of the mean square over all vertices and poses, in millimetres.
    pub rms_mm: f64,
    /// The mean over all vertices and poses, in millimetres.
    pub mean_mm: f64,
    /// The vertex that is furthest off.
    pub worst_vertex: usize,
    /// The pose in which it is.
    pub worst_pose: usize,
}

/// The measured effect of a change: over the character's own clips, and over a range of motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// Over the clips; no poses where there are none.
    pub clips: Displacement,
    /// With one joint after the other turned about each of its axes.
    pub range: Displacement,
}

/// Vertices as bound to a skin, in some poses.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// Positions in mesh space.
    pub positions: &'a [Vec3],
    /// Their weights.
    pub weights: &'a Weights,
    /// The skin's poses.
    pub poses: &'a EffectPoses,
}

impl Effect {
    /// How far `after` deforms from where `before` deforms, pose by pose and vertex by vertex, by linear blending.
    ///
    /// Poses are paired in order; vertices that only one of the two has do not count. Shapes are left at rest.
    pub fn between(before: &Bound<'_>, after: &Bound<'_>) -> Self {
        let same_poses = std::ptr::eq(before.poses, after.poses) && before.positions == after.positions;
        let vertices = before.weights.vertex_count().min(after.weights.vertex_count());
        let vertices = vertices.min(before.positions.len()).min(after.positions.len());
        let is_changed = |&v: &usize| !same_poses || before.weights.of(v) != after.weights.of(v);
        let changed: Vec<usize> = (0..vertices).filter(is_changed).collect();
        let over = |of: fn(&EffectPoses) -> &[Vec<Affine3A>]| {
            displacement(before, after, of(before.poses), of(after.poses), &changed, vertices)
        };
        Self { clips: over(EffectPoses::clips), range: over(EffectPoses::range) }
    }
}

fn displacement(
    before: &Bound<'_>,
    after: &Bound<'_>,
    poses_before: &[Vec<Affine3A>],
    poses_after: &[Vec<Affine3A>],
    changed: &[usize],
    vertices: usize,
) -> Displacement {
    let mut out =
        Displacement { poses: poses_before.len().min(poses_after.len()), ..Displacement::default() };
    let (mut squares, mut sum) = (0.0, 0.0);
    for (pose, (one, other)) in poses_before.iter().zip(poses_after).enumerate() {
        for &vertex in changed {
            let from = blend(before, one, vertex);
            let to = blend(after, other, vertex);
            let off = f64::from(from.distance(to)) * 1000.0;
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

/// `Σ w K v`. A joint that the palette does not have leaves the vertex where it is.
fn blend(bound: &Bound<'_>, palette: &[Affine3A], vertex: usize) -> Vec3A {
    let place = Vec3A::from(bound.positions[vertex]);
    let (slots, shares) = bound.weights.of(vertex);
    let mut sum = Vec3A::ZERO;
    for (&slot, &share) in slots.iter().zip(shares) {
        let moved = palette.get(usize::from(slot)).map_or(place, |k| k.transform_point3a(place));
        sum += moved * share;
    }
    sum
}
