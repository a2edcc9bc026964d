//! The visible difference between two poses, measured on a virtual skin around the joints.

use crate::{
    asset::skeleton::Skeleton,
    pose::{LocalPose, ModelPose},
};
use glam::{Affine3A, Vec3, Vec3A};

/// Measures the distance between two poses at virtual vertices in model space. They lie at a fixed distance from every
/// joint along its axes.
///
/// So an error in the rotation of a shoulder counts by how far it moves the fingers.
#[derive(Clone, Debug)]
pub struct Deviation<'a> {
    skeleton: &'a Skeleton,
    distance_meters: f32,
    poses: [ModelPose; 2],
}

impl<'a> Deviation<'a> {
    /// A measure for poses of `skeleton`, with virtual vertices `distance_meters` from their joints.
    pub fn new(skeleton: &'a Skeleton, distance_meters: f32) -> Self {
        let pose = ModelPose::new(skeleton);
        Self { skeleton, distance_meters, poses: [pose.clone(), pose] }
    }

    /// The largest distance between corresponding virtual vertices, in meters, without morph weights. Infinite if a pose
    /// overflows.
    ///
    /// # Panics
    /// If a pose does not belong to the skeleton.
    pub fn between(&mut self, a: &LocalPose, b: &LocalPose) -> f32 {
        let [model_a, model_b] = &mut self.poses;
        model_a.update(self.skeleton, a);
        model_b.update(self.skeleton, b);
        let distance = self.distance_meters;
        let pairs = model_a.joints().iter().zip(model_b.joints());
        pairs.map(|(a, b)| worst_vertex(a, b, distance)).fold(0.0, worse)
    }
}

/// The largest error of the six points at `distance` from the origin along the axes.
fn worst_vertex(a: &Affine3A, b: &Affine3A, distance: f32) -> f32 {
    let off = a.translation - b.translation;
    let axes = [
        a.matrix3.x_axis - b.matrix3.x_axis,
        a.matrix3.y_axis - b.matrix3.y_axis,
        a.matrix3.z_axis - b.matrix3.z_axis,
    ];
    let furthest = |axis: Vec3A| worse((off + axis * distance).length(), (off - axis * distance).length());
    axes.map(furthest).into_iter().fold(0.0, worse)
}

/// The larger of two errors; NaN is infinite.
fn worse(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() { f32::INFINITY } else { a.max(b) }
}

/// Factors from an error of a joint to meters at the farthest virtual vertex below it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinReach {
    /// Meters in model space per meter in parent space.
    pub parent: f32,
    /// Meters in model space per radian, or per doubling of the scale.
    pub below: f32,
}

impl SkinReach {
    /// The factors of every joint, for virtual vertices `distance_meters` from their joints.
    ///
    /// Chains are assumed to be stretched out, which is the worst case of all poses with these bone lengths.
    pub fn of_joints(skeleton: &Skeleton, distance_meters: f32) -> Vec<Self> {
        let model = rest_model(skeleton);
        let size = |joint: usize| {
            let m = model.joints()[joint].matrix3;
            m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length())
        };
        let mut below: Vec<f32> = (0..skeleton.len()).map(|joint| distance_meters * size(joint)).collect();
        // Children come after their parents, so a reverse pass adds up the length of every chain.
        for joint in skeleton.joints().rev() {
            if let Some(parent) = skeleton.parent(joint) {
                let bone = (model.joint(joint).translation - model.joint(parent).translation).length();
                below[parent.index()] = below[parent.index()].max(below[joint.index()] + bone);
            }
        }
        let parent = |joint| skeleton.parent(joint).map_or(1.0, |p| size(p.index()));
        skeleton.joints().map(|joint| Self { parent: parent(joint), below: below[joint.index()] }).collect()
    }

    /// The size of the skeleton at rest: the longest side of the bounding box of its joints, at least 1 mm.
    pub fn extent_meters(skeleton: &Skeleton) -> f32 {
        let model = rest_model(skeleton);
        let places = || model.joints().iter().map(|m| Vec3::from(m.translation));
        let size = places().fold(Vec3::MIN, Vec3::max) - places().fold(Vec3::MAX, Vec3::min);
        Some(size.max_element()).filter(|e| e.is_finite()).map_or(1e-3, |e| e.max(1e-3))
    }
}

fn rest_model(skeleton: &Skeleton) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &skeleton.rest_pose());
    model
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glam::Quat;
    use crate::sinew_samples;

    #[test]
    fn a_turned_shoulder_counts_at_the_fingertip() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let mut turned = skeleton.rest_pose();
        let shoulder = skeleton.find("upper_arm.L").unwrap();
        turned.joints[shoulder.index()].rotation *= Quat::from_rotation_x(0.01);
        let mut deviation = Deviation::new(skeleton, 0.03);
        let off = deviation.between(&skeleton.rest_pose(), &turned);
        // An arm of about 0.7 m, rotated by 0.01 rad.
        assert!((0.006..0.009).contains(&off), "{off}");
        assert_eq!(deviation.between(&turned, &turned), 0.0);
    }

    #[test]
    fn a_roll_about_the_bone_counts_at_the_skin() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let mut rolled = skeleton.rest_pose();
        let last = rolled.joints.len() - 1;
        rolled.joints[last].rotation *= Quat::from_rotation_y(0.01);
        let off = Deviation::new(skeleton, 0.03).between(&skeleton.rest_pose(), &rolled);
        assert!((off - 0.0003).abs() < 1e-5, "{off}");
    }
}
