//! The distance of skin vertices from their bones.

use crate::asset::{skeleton::Skeleton, skin::Skin, weights::Weights};
use crate::{pose::ModelPose, transform::inverse_affine};
use glam::{Affine3A, Vec3};
use std::sync::Arc;

/// The bones of a skin as line segments in joint space: from each joint to its children.
#[derive(Clone, Debug)]
pub struct BoneSegments {
    /// For each slot, the far ends of its bones in joint space; none for a joint at the end of a chain.
    tails: Vec<Vec<Vec3>>,
}

/// The distance of every vertex from the bones that move it, relative to rest.
#[derive(Clone, Debug)]
pub struct Thickness {
    bones: Arc<BoneSegments>,
    /// The distance of each vertex at rest, in meters; zero for vertices too close to a bone for a meaningful ratio.
    rest: Vec<f32>,
}

/// The largest number of bones of a joint. A vertex is compared with each bone of each of its joints.
const MAX_BONES: usize = 256;

impl BoneSegments {
    /// The bones of `skin`: a joint's bones end at its children's bind positions. Of a joint with more than 256 children,
    /// 256 bones are taken, evenly from all.
    pub fn new(skeleton: &Skeleton, skin: &Skin) -> Self {
        let joint_from_mesh = skin.joint_from_mesh();
        let in_mesh = |slot: usize| inverse_affine(&joint_from_mesh[slot]).map(|m| m.translation);
        let mut tails = vec![Vec::new(); skin.joints().len()];
        for (slot, above) in skin.parent_slots(skeleton).into_iter().enumerate() {
            let (Some(above), Some(place)) = (above, in_mesh(slot)) else { continue };
            tails[usize::from(above)]
                .push(joint_from_mesh[usize::from(above)].transform_point3(place.into()));
        }
        tails.iter_mut().filter(|tails| tails.len() > MAX_BONES).for_each(thin_out);
        Self { tails }
    }

    /// For each slot, the far ends of its bones in joint space; none for a joint at the end of a chain.
    pub fn tails(&self) -> &[Vec<Vec3>] {
        &self.tails
    }

    /// The distance in meters of `point` from the nearest bone of `slots`, with joints posed by `model_from_joint`.
    fn distance(&self, point: Vec3, slots: &[u16], model_from_joint: impl Fn(u16) -> Affine3A) -> f32 {
        let mut nearest = f32::INFINITY;
        for &slot in slots {
            let matrix = model_from_joint(slot);
            let head = Vec3::from(matrix.translation);
            for &tail in &self.tails[usize::from(slot)] {
                nearest = nearest.min(segment_distance(point, head, matrix.transform_point3(tail)));
            }
        }
        nearest
    }
}

/// Keeps [`MAX_BONES`] of the tails, evenly from all.
fn thin_out(tails: &mut Vec<Vec3>) {
    let count = tails.len();
    *tails = (0..MAX_BONES).map(|k| tails[k * count / MAX_BONES]).collect();
}

fn segment_distance(point: Vec3, from: Vec3, to: Vec3) -> f32 {
    let along = to - from;
    let t = (point - from).dot(along) / along.length_squared();
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + along * t)
}

impl Thickness {
    /// Measures the vertices of a mesh in the pose that serves as its rest.
    ///
    /// # Panics
    /// If positions, weights, skin and pose do not belong to one character.
    pub fn new(
        skeleton: &Skeleton,
        skin: &Skin,
        weights: &Weights,
        rest: &ModelPose,
        positions: &[Vec3],
    ) -> Self {
        Self::of_bones(Arc::new(BoneSegments::new(skeleton, skin)), skin, weights, rest, positions)
    }

    /// As [`Thickness::new`], with the bones of `skin`, which many meshes may share.
    pub(super) fn of_bones(
        bones: Arc<BoneSegments>,
        skin: &Skin,
        weights: &Weights,
        rest: &ModelPose,
        positions: &[Vec3],
    ) -> Self {
        let posed = |slot: u16| rest.joint(skin.joints()[usize::from(slot)]);
        let at = |(vertex, &position): (usize, &Vec3)| bones.distance(position, weights.of(vertex).0, posed);
        let mut rest: Vec<f32> = positions.iter().enumerate().map(at).collect();
        // Close to a bone a tiny offset is a large ratio: ignore vertices closer than a fifth of the median distance.
        let mut sorted: Vec<f32> = rest.iter().copied().filter(|d| d.is_finite()).collect();
        sorted.sort_by(f32::total_cmp);
        let min_distance = sorted.get(sorted.len() / 2).map_or(0.0, |median| median * 0.2);
        rest.iter_mut().filter(|d| !d.is_finite() || **d < min_distance).for_each(|d| *d = 0.0);
        Self { bones, rest }
    }

    /// Each vertex's distance from its bones relative to rest: below 1 the skin has collapsed, above 1 it bulges. Vertices
    /// that cannot be measured have 1.
    ///
    /// # Panics
    /// If positions, weights or pose do not belong to the measured mesh.
    pub fn ratios(&self, skin: &Skin, weights: &Weights, pose: &ModelPose, positions: &[Vec3]) -> Vec<f32> {
        let posed = |slot: u16| pose.joint(skin.joints()[usize::from(slot)]);
        let at = |(vertex, (&position, &rest)): (usize, (&Vec3, &f32))| {
            let distance = self.bones.distance(position, weights.of(vertex).0, posed);
            if rest > 0.0 && distance.is_finite() { distance / rest } else { 1.0 }
        };
        positions.iter().zip(&self.rest).enumerate().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use crate::{Frame, Joint, JointId, Method, Transform};

    fn tube_ratios(bend: f32, twist: f32) -> (f32, f32) {
        let tube = sinew_samples::tube();
        let (mesh, skin) = (&tube.meshes()[0], &tube.skins()[0]);
        let weights = mesh.weights().unwrap();
        let mut frame = Frame::new(&tube);
        let thickness = Thickness::new(tube.skeleton(), skin, weights, frame.model(), mesh.positions());
        frame.local_mut().copy_from(&sinew_samples::tube_pose(bend, twist));
        frame.deform(Method::Linear).unwrap();
        let ratios = thickness.ratios(skin, weights, frame.model(), &frame.deformed()[0].positions);
        let min = ratios.iter().copied().fold(f32::INFINITY, f32::min);
        (min, ratios.into_iter().fold(0.0, f32::max))
    }

    #[test]
    fn a_tube_at_rest_is_as_thick_as_it_was() {
        let (min, max) = tube_ratios(0.0, 0.0);
        assert!((min - 1.0).abs() < 1e-5 && (max - 1.0).abs() < 1e-5, "{min} {max}");
    }

    #[test]
    fn a_twisted_tube_is_as_thin_as_the_closed_form_says() {
        let (min, _) = tube_ratios(0.0, std::f32::consts::FRAC_PI_2);
        assert!((min - (std::f32::consts::FRAC_PI_4).cos()).abs() < 1e-3, "{min}");
    }

    #[test]
    fn a_tube_bent_by_a_right_angle_hardly_bulges_under_linear_blend() {
        let (_, max) = tube_ratios(std::f32::consts::FRAC_PI_2, 0.0);
        assert!((max - 1.02).abs() < 0.02, "{max}");
    }

    #[test]
    fn a_joint_with_thousands_of_children_has_bones_to_some_from_first_to_last() {
        let joint = |at: u16| Joint {
            name: format!("joint {at}"),
            parent: (at > 0).then_some(JointId(0)),
            rest: Transform::from_translation(Vec3::X * f32::from(at)),
        };
        let skeleton = Skeleton::new((0..=3000).map(joint)).unwrap();
        let bind = |at: u16| Affine3A::from_translation(Vec3::NEG_X * f32::from(at));
        let (joints, binds) = ((0..=3000).map(JointId).collect(), (0..=3000).map(bind).collect());
        let skin = Skin::new("wide", &skeleton, joints, binds).unwrap();
        let bones = BoneSegments::new(&skeleton, &skin);
        let tails = &bones.tails()[0];
        assert_eq!(tails.len(), MAX_BONES);
        assert!(tails[0].x < 12.0 && tails[MAX_BONES - 1].x > 2988.0, "{tails:?}");
        assert!(tails.windows(2).all(|pair| pair[1].x - pair[0].x < 13.0));
    }
}
