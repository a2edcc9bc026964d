//! Loops to measure against, written the way articles and engines write them.
//!
//! They run beside the kernels in one process, on the same data: a speed-up over a loop that nobody would write means
//! nothing.

use sinew::glam::{Mat3, Mat4, Vec3};
use sinew::{Surface, SurfaceMut, Weights};

/// The four strongest influences of every vertex, scaled to sum to one: what most engines keep.
#[derive(Clone, Debug, Default)]
pub(super) struct FourInfluences {
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

impl FourInfluences {
    /// Cuts `weights` to four.
    pub(super) fn new(weights: &Weights) -> Self {
        let mut out = Self::default();
        for vertex in 0..weights.vertex_count() {
            let (slots, shares) = weights.of(vertex);
            let sum: f32 = shares.iter().take(4).sum();
            let joint = |k: usize| slots.get(k).copied().unwrap_or(0);
            let weight = |k: usize| shares.get(k).map_or(0.0, |w| w / sum);
            out.joints.push(std::array::from_fn(joint));
            out.weights.push(std::array::from_fn(weight));
        }
        out
    }
}

/// The loop that most engines have: blend four matrices, then transform position and normal.
///
/// # Panics
/// Where the output is shorter than the surface, or a joint is not among `bones`.
pub(super) fn plain_glam(
    surface: Surface<'_>,
    influences: &FourInfluences,
    bones: &[Mat4],
    out: &mut SurfaceMut<'_>,
) {
    for v in 0..surface.positions.len() {
        let (joints, weights) = (influences.joints[v], influences.weights[v]);
        let blended = bones[usize::from(joints[0])] * weights[0]
            + bones[usize::from(joints[1])] * weights[1]
            + bones[usize::from(joints[2])] * weights[2]
            + bones[usize::from(joints[3])] * weights[3];
        out.positions[v] = blended.transform_point3(surface.positions[v]);
        if !surface.normals.is_empty() {
            out.normals[v] = (Mat3::from_mat4(blended) * surface.normals[v]).normalize();
        }
    }
}

/// The classic article's first loop: for every vertex, for every bone of it, transform and add.
///
/// # Panics
/// Where the output is shorter than the surface, or a joint is not among `bones`.
pub(super) fn vertex_by_vertex(positions: &[Vec3], weights: &Weights, bones: &[Mat4], out: &mut [Vec3]) {
    for (v, position) in positions.iter().enumerate() {
        let mut sum = Vec3::ZERO;
        for influence in weights.influences(v) {
            sum += bones[usize::from(influence.slot)].transform_point3(*position) * influence.weight;
        }
        out[v] = sum;
    }
}

/// The vertices of every bone with their weights, for [`bone_by_bone`].
#[derive(Clone, Debug, Default)]
pub(super) struct BoneLists {
    lists: Vec<Vec<(u32, f32)>>,
}

impl BoneLists {
    /// Turns weights by vertex into weights by bone.
    pub(super) fn new(weights: &Weights) -> Self {
        let mut lists = vec![Vec::new(); weights.slot_count()];
        for vertex in 0..weights.vertex_count() {
            for influence in weights.influences(vertex) {
                lists[usize::from(influence.slot)].push((vertex as u32, influence.weight));
            }
        }
        Self { lists }
    }
}

/// The classic article's second loop: zero all vertices, then for every bone add its part to all of its vertices.
///
/// # Panics
/// Where the output is shorter than the surface, or there are fewer bones than lists.
pub(super) fn bone_by_bone(positions: &[Vec3], lists: &BoneLists, bones: &[Mat4], out: &mut [Vec3]) {
    out.fill(Vec3::ZERO);
    for (list, bone) in lists.lists.iter().zip(bones) {
        for &(vertex, weight) in list {
            out[vertex as usize] += bone.transform_point3(positions[vertex as usize]) * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method, Streams, Wrap};

    #[test]
    fn the_baselines_compute_what_linear_blend_does() {
        let figure = sinew_samples::figure();
        let mesh = &figure.meshes()[0];
        let weights = mesh.weights().unwrap();
        let mut frame = Frame::new(&figure);
        frame.sample(figure.find_clip("run").unwrap(), 0.3, Wrap::Loop);
        frame.deform(Method::Linear).unwrap();
        let bones: Vec<Mat4> = frame.palettes()[0].matrices().iter().map(|m| Mat4::from(*m)).collect();
        let want = &frame.deformed()[0];
        let check = |name: &str, got: &[Vec3]| {
            let off = got.iter().zip(&want.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(off < 1e-5, "{name} is off by {off}");
        };
        let mut out = Streams::of_mesh(mesh);
        plain_glam(mesh.as_ref().into(), &FourInfluences::new(weights), &bones, &mut out.as_surface_mut());
        check("plain", &out.positions);
        let lean = out.normals.iter().zip(&want.normals).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(lean < 0.5, "plain normals lean by {lean}");
        vertex_by_vertex(mesh.positions(), weights, &bones, &mut out.positions);
        check("vertex by vertex", &out.positions);
        bone_by_bone(mesh.positions(), &BoneLists::new(weights), &bones, &mut out.positions);
        check("bone by bone", &out.positions);
    }
}
